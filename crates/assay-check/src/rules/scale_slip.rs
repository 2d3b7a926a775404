use assay_formats::Value;
use assay_model::Severity;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A score is a power of ten away from its evaluation
    ///
    /// The score lies outside the scores that other models have in the same evaluation, and 10 or
    /// 100 times as much, or as little, is what the other scores of the model predict. That is how
    /// a share among per cent looks, and a lost decimal.
    ///
    /// The rule needs ten scores above 0 of the evaluation. It stays silent when the score is
    /// within twice the usual range. It is a note when other models have scores as small, when the
    /// factor is 10, or when too few other scores of the model are known to predict this one, and
    /// the product only lies among the others: weak models and broken runs look so too.
    ///
    /// ## What to do
    ///
    /// Write the score in the scale of the evaluation. If it is right, leave it.
    SCALE_SLIP = (612, "scale-slip", Warning)
}

pub(crate) fn report(
    severity: Severity,
    score: Value<'_>,
    factor: f64,
    (low, high): (f64, f64),
    others: usize,
    sink: &mut Sink<'_>,
) {
    sink.report_as(severity, &SCALE_SLIP, score, || {
        let meant = score.number().unwrap_or_default() * factor;
        let meant = (meant * 1e9).round() / 1e9;
        Draft::new(format!(
            "{} is probably {meant}: it is far from the other scores of its evaluation",
            score.raw()
        ))
        .note(format!(
            "nine in ten of the {others} other scores are between {low} and {high}"
        ))
        .help(format!("write {meant} if that is meant"))
    });
}
