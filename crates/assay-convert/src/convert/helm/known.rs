//! A cache of the result that a stat of an instance belongs to, for all instances that have the
//! same stats.

use assay_formats::Value;

use super::name::{Perturbation, write_key};
use super::results::Results;

/// Number of positions of a list of stats that are remembered; those behind share one.
const MAX_KNOWN: usize = 1024;
/// The most bytes of the name of a stat and the perturbation together; those with more share an
/// entry.
const MAX_NAME: usize = 1 << 12;

/// The facts of the stat at each position of the list that was read before. The next list mostly
/// has the same.
#[derive(Debug, Default)]
pub(super) struct KnownStats {
    by_position: Vec<KnownStat>,
}

/// The facts in the name of a stat.
#[derive(Debug, Default)]
pub(super) struct KnownStat {
    /// The name as it was written; empty when nothing is known yet.
    raw: String,
    perturbation: Option<Perturbation>,
    /// The metric; empty when the name lacks it.
    pub(super) name: String,
    /// The text that tells the split and perturbation from others.
    pub(super) group: String,
    /// The position of the result that it belongs to.
    pub(super) result: Option<usize>,
}

impl KnownStats {
    /// Returns the facts of a stat by its position in the list, its name and the perturbation of
    /// its instance.
    pub(super) fn at(
        &mut self,
        position: usize,
        name: Value<'_>,
        perturbation: Option<&Perturbation>,
        results: &Results,
    ) -> &KnownStat {
        let arguments = perturbation.map_or(0, |own| own.name.len() + own.arguments.len());
        let is_long = name.raw().len() + arguments > MAX_NAME;
        let position = if is_long {
            MAX_KNOWN
        } else {
            position.min(MAX_KNOWN)
        };
        if position >= self.by_position.len() {
            self.by_position
                .resize_with(position + 1, KnownStat::default);
        }
        let known = &mut self.by_position[position];
        if known.raw != name.raw() || known.perturbation.as_ref() != perturbation {
            *known = KnownStat::read(name, perturbation, results);
        }
        known
    }
}

impl KnownStat {
    fn read(name: Value<'_>, perturbation: Option<&Perturbation>, results: &Results) -> Self {
        let key = |of: &str| {
            let (split, sub_split) = (name.text_of("split"), name.text_of("sub_split"));
            let mut key = String::new();
            write_key(
                &mut key,
                of,
                split.as_deref(),
                sub_split.as_deref(),
                perturbation,
            );
            key
        };
        let of = name.text_of("name");
        Self {
            raw: name.raw().to_owned(),
            perturbation: perturbation.cloned(),
            result: of.as_deref().and_then(|of| results.position(&key(of))),
            name: of.map(Into::into).unwrap_or_default(),
            group: key(""),
        }
    }
}
