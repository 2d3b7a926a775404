use assay_formats::{Kind, Value};

use super::text::{one_line, scalar};

/// The perturbations that HELM makes up out of others; they only exist as the worst case over them.
const FAMILIES: [&str; 2] = ["robustness", "fairness"];

/// The subject of a stat: a metric on a split, after a perturbation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatName {
    pub(super) name: String,
    pub(super) split: Option<String>,
    pub(super) sub_split: Option<String>,
    pub(super) perturbation: Option<Perturbation>,
}

impl StatName {
    /// Reads the name of a stat; `None` when it is not one.
    pub(super) fn read(value: Value<'_>) -> Option<Self> {
        Some(Self {
            name: value
                .text_of("name")
                .filter(|name| !name.is_empty())?
                .into(),
            split: value.text_of("split").map(Into::into),
            sub_split: value.text_of("sub_split").map(Into::into),
            perturbation: value.present("perturbation").and_then(Perturbation::read),
        })
    }

    /// Names the result: `name[:split][:perturbation]`. What HELM computed on the unperturbed
    /// versions of perturbed instances, or as the worst of both, is another score and says so.
    pub(super) fn result_id(&self) -> String {
        let mut id = self.name.clone();
        let mut add = |separator: char, part: &str| {
            id.push(separator);
            id.push_str(part);
        };
        if let Some(split) = &self.split {
            add(':', split);
        }
        if let Some(sub_split) = &self.sub_split {
            add('/', sub_split);
        }
        if let Some(perturbation) = &self.perturbation {
            add(':', &perturbation.name);
            match perturbation.computed_on {
                ComputedOn::Original => add(':', "original"),
                ComputedOn::Worst if !perturbation.is_family() => add(':', "worst"),
                ComputedOn::Worst | ComputedOn::Perturbed => {}
            }
        }
        id
    }

    /// Appends what tells this stat from every other of the run.
    pub(super) fn write_key(&self, key: &mut String) {
        write_key(
            key,
            &self.name,
            self.split.as_deref(),
            self.sub_split.as_deref(),
            self.perturbation.as_ref(),
        );
    }

    /// The stat of the instances that this one was computed on: those of the perturbation itself,
    /// or for the worst case over a whole family all instances of the split.
    pub(super) fn instances(&self) -> Self {
        let perturbation = self
            .perturbation
            .clone()
            .and_then(Perturbation::of_instance);
        Self {
            perturbation,
            ..self.clone()
        }
    }
}

pub(super) fn write_key(
    key: &mut String,
    name: &str,
    split: Option<&str>,
    sub_split: Option<&str>,
    perturbation: Option<&Perturbation>,
) {
    let parts = [Some(name), split, sub_split];
    for part in parts {
        key.push_str(part.unwrap_or_default());
        // No name has a unit separator in it, and one that has only confuses itself.
        key.push('\u{1f}');
    }
    if let Some(perturbation) = perturbation {
        key.push_str(perturbation.computed_on.as_str());
        key.push_str(&perturbation.arguments);
    }
}

/// The perturbation of an instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Perturbation {
    pub(super) name: String,
    pub(super) computed_on: ComputedOn,
    /// Everything else, in one order and one spelling.
    pub(super) arguments: String,
}

impl Perturbation {
    pub(super) fn read(value: Value<'_>) -> Option<Self> {
        let mut arguments: Vec<String> = value
            .entries()
            .filter(|(key, value)| !key.is_text("computed_on") && value.kind() != Kind::Null)
            .map(|(key, value)| format!("{}={}", key.raw(), one_line(value.raw())))
            .collect();
        arguments.sort_unstable();
        Some(Self {
            name: value.get("name").and_then(scalar)?.into(),
            computed_on: ComputedOn::read(value),
            arguments: arguments.join(","),
        })
    }

    fn is_family(&self) -> bool {
        FAMILIES.contains(&self.name.as_str())
    }

    /// The perturbation as instances have it.
    fn of_instance(self) -> Option<Self> {
        let derived_from_all = self.computed_on == ComputedOn::Worst && self.is_family();
        (!derived_from_all).then_some(Self {
            computed_on: ComputedOn::Perturbed,
            ..self
        })
    }
}

/// The versions of the instances that a stat was computed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComputedOn {
    /// The perturbed ones.
    Perturbed,
    /// The unperturbed ones of those instances that also have a perturbed one.
    Original,
    /// Whichever scored lower.
    Worst,
}

impl ComputedOn {
    fn read(perturbation: Value<'_>) -> Self {
        match perturbation.text_of("computed_on").as_deref() {
            Some("original") => Self::Original,
            Some("worst") => Self::Worst,
            Some(_) | None => Self::Perturbed,
        }
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Perturbed => "perturbed",
            Self::Original => "original",
            Self::Worst => "worst",
        }
    }
}
