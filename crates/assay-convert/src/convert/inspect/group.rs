//! The samples that a result counts: all of them, or those of a group of `grouped()`.

use std::borrow::Cow;

use assay_formats::{Kind, Value};

/// The placeholder of the group in the template of its label.
const GROUP_NAME: &str = "{group_name}";
/// The label of the result over all groups, unless the log says another.
const ALL: &str = "all";

/// The samples that count for a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Members {
    /// Every sample.
    All,
    /// Those with a value in their metadata.
    Of(Group),
    /// Some, and the log does not say which.
    Unknown,
}

/// A group of samples: those whose metadata make the label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// The key of the metadata that samples are grouped by.
    key: String,
    /// The template by which a label is made of a value.
    template: String,
    label: String,
}

impl Members {
    /// The samples that a metric counts.
    pub(super) fn read(metric: Value<'_>, label: &str) -> Self {
        if metric.present("group").is_none() {
            return Self::All;
        }
        let text = |key: &str| metric.present("params")?.text_of(key);
        if label == text("all_label").as_deref().unwrap_or(ALL) {
            return Self::All;
        }
        let Some(key) = text("group_key") else {
            return Self::Unknown;
        };
        let template = text("name_template").unwrap_or(Cow::Borrowed(GROUP_NAME));
        Self::Of(Group {
            key: key.into_owned(),
            template: template.into_owned(),
            label: label.to_owned(),
        })
    }

    /// Returns whether a sample counts.
    pub(super) fn count(&self, sample: Value<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Of(group) => group.holds(sample),
            Self::Unknown => false,
        }
    }
}

impl Group {
    fn holds(&self, sample: Value<'_>) -> bool {
        let metadata = sample.present("metadata");
        let name = metadata.and_then(|metadata| python_text(metadata.get(&self.key)?));
        name.is_some_and(|name| self.template.replace(GROUP_NAME, &name) == self.label)
    }
}

/// A value as Python's `str` writes it; `None` for lists and maps, which nobody groups by.
fn python_text(value: Value<'_>) -> Option<Cow<'_, str>> {
    match value.kind() {
        Kind::String => value.text(),
        Kind::Number => Some(Cow::Borrowed(value.raw())),
        Kind::Bool if value.truth() == Some(true) => Some(Cow::Borrowed("True")),
        Kind::Bool => Some(Cow::Borrowed("False")),
        Kind::Null => Some(Cow::Borrowed("None")),
        Kind::List | Kind::Map => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::excerpt::Document;
    use super::*;

    fn with<T>(json: &str, ask: impl FnOnce(Value<'_>) -> T) -> T {
        let document = Document::new(json.to_owned()).unwrap();
        ask(document.root().unwrap())
    }

    fn counts(metric: &str, label: &str, sample: &str) -> bool {
        let members = with(metric, |metric| Members::read(metric, label));
        with(sample, |sample| members.count(sample))
    }

    #[test]
    fn a_group_holds_the_samples_whose_metadata_make_its_label() {
        let metric = r#"{"group": "grouped", "params": {"group_key": "level", "name_template": "{group_name}_lv"}}"#;
        for (label, sample, expected) in [
            ("2_lv", r#"{"metadata": {"level": 2}}"#, true),
            ("2_lv", r#"{"metadata": {"level": "2"}}"#, true),
            ("2_lv", r#"{"metadata": {"level": 1}}"#, false),
            ("True_lv", r#"{"metadata": {"level": true}}"#, true),
            ("None_lv", r#"{"metadata": {"level": null}}"#, true),
            ("[1]_lv", r#"{"metadata": {"level": [1]}}"#, false),
            ("2_lv", r#"{"metadata": {}}"#, false),
            ("2_lv", r#"{"metadata": null}"#, false),
        ] {
            assert_eq!(counts(metric, label, sample), expected, "{label} {sample}");
        }
    }

    #[test]
    fn what_is_over_all_groups_counts_every_sample_and_an_unknown_group_none() {
        let other = r#"{"group": "g", "params": {"group_key": "k", "all_label": "total"}}"#;
        for (metric, label, expected) in [
            (r#"{"value": 1}"#, "accuracy", true),
            (
                r#"{"group": "g", "params": {"group_key": "k"}}"#,
                "all",
                true,
            ),
            (r#"{"group": "g"}"#, "all", true),
            (other, "total", true),
            (other, "all", false),
            (r#"{"group": "g", "params": {}}"#, "x", false),
        ] {
            assert_eq!(counts(metric, label, "{}"), expected, "{metric} {label}");
        }
    }
}
