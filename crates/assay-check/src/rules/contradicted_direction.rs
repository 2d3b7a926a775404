use assay_formats::Value;
use assay_model::Direction;

use crate::forensics::{self, Claim, Family, Known, Names};
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A metric improves the other way
    ///
    /// The name of the metric is a well-known one, such as accuracy or word error rate, and it is
    /// declared to improve the other way than everybody understands it. A leaderboard would put the
    /// worst model first.
    ///
    /// Only whole words of a name count, so that `power` is not taken for a word error rate, and
    /// names that may mean the opposite, such as `1 - wer`, `accuracy loss` or anything about
    /// attacks and unlearning, are left alone.
    ///
    /// ## Example
    ///
    /// ```json
    /// { "metric_name": "word_error_rate", "lower_is_better": false }
    /// ```
    ///
    /// ## What to do
    ///
    /// Turn `lower_is_better` or `higher_is_better` round. If the score really is meant the other
    /// way, name the metric so that people see it: `inverse_wer`, `1 - wer`.
    CONTRADICTED_DIRECTION = (602, "contradicted-direction", Warning)
}

pub(crate) fn check(claim: &Claim<'_>, sink: &mut Sink<'_>) {
    let (Some((declared, Some(at))), Some(known)) = (claim.direction, claim.known) else {
        return;
    };
    if declared == known.direction || claim.names.may_be_turned(known.direction) {
        return;
    }
    // Without limits, accuracy may be a distance, such as that of a surface to the true one.
    let is_share = matches!(known.family, Family::Count | Family::Share);
    if is_share && claim.share_range().is_none() {
        return;
    }
    let name = claim
        .names
        .own
        .first()
        .or(claim.names.kind.as_ref())
        .or(claim.names.description.as_ref())
        .map_or("", |name| name);
    report(at, name, declared, known, sink);
}

/// Reports a metric whose declared direction is not the one it is known for.
pub(crate) fn report(
    at: Value<'_>,
    name: &str,
    declared: Direction,
    known: Known,
    sink: &mut Sink<'_>,
) {
    sink.report(&CONTRADICTED_DIRECTION, at, || {
        Draft::new(format!(
            "{} is declared as {}, but for `{}` {}",
            quote(name),
            declared.words(),
            known.name,
            known.direction.words()
        ))
        .note(format!(
            "a board by this metric would put the model with the {} value first",
            match declared {
                Direction::HigherIsBetter => "highest",
                Direction::LowerIsBetter => "lowest",
            }
        ))
        .help("turn the direction round, or give the metric a name that says it is the opposite")
    });
}

/// Validates a metric of a benchmark.
pub(crate) fn benchmark(metric: Value<'_>, sink: &mut Sink<'_>) {
    let Some(higher) = metric.get("higher_is_better") else {
        return;
    };
    let Some(declared) = higher.truth().map(Direction::from_higher_is_better) else {
        return;
    };
    let names = Names {
        own: ["id", "display_name"]
            .into_iter()
            .filter_map(|key| metric.text_of(key))
            .collect(),
        ..Names::default()
    };
    if let (Some(known), Some(name)) = (forensics::direction(&names, declared), names.own.first()) {
        report(higher, name, declared, known, sink);
    }
}
