use assay_formats::{Kind, Value};

use crate::bounds::is_unknown_level;
use crate::parts::MetricParts;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A score is not one of the metric's levels
    ///
    /// With `score_type: levels`, a score is the number of a level: a whole number from 0 or 1 up
    /// to the number of names in `level_names`. When `has_unknown_level` is true, -1 stands for
    /// "unknown".
    ///
    /// ## What to do
    ///
    /// Write the number of the level. A score that is a mean over samples is `continuous`, with the
    /// first and the last level for bounds.
    NOT_A_LEVEL = (417, "not-a-level", Error)
}

pub(crate) fn check(metric: &MetricParts<'_>, value: Value<'_>, sink: &mut Sink<'_>) {
    if !metric.is_scored_as("levels") {
        return;
    }
    let names = metric
        .level_names
        .filter(|names| names.kind() == Kind::List);
    let (Some(names), Some(score)) = (names, value.number()) else {
        return;
    };
    let levels = names.items().count();
    let is_level = value
        .integer()
        .is_some_and(|level| usize::try_from(level).is_ok_and(|level| level <= levels));
    let is_unknown = metric.has_unknown_level() && is_unknown_level(score);
    if !is_level && !is_unknown {
        sink.report(&NOT_A_LEVEL, value, || {
            Draft::new(format!(
                "the score {} is not one of the {levels} levels of the metric",
                value.raw()
            ))
            .help(if is_unknown_level(score) {
                "set `has_unknown_level` to true if -1 stands for an unknown level"
            } else {
                "write the number of the level; a mean over levels is `continuous`"
            })
        });
    }
}
