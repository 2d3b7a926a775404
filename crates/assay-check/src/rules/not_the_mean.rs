use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A score is not the mean of the others, as it is elsewhere
    ///
    /// In at least nine of ten records with the same evaluations this score is the mean of the
    /// other scores; here it is not. The rule learns that from ten records or more.
    ///
    /// ## What to do
    ///
    /// Compute the mean again, or correct the part that is wrong.
    NOT_THE_MEAN = (617, "not-the-mean", Warning)
}

pub(crate) fn report(score: Value<'_>, mean: f64, records: usize, sink: &mut Sink<'_>) {
    sink.report(&NOT_THE_MEAN, score, || {
        let mean = (mean * 1e6).round() / 1e6;
        Draft::new(format!(
            "{} is not the mean of the other scores, {mean}",
            score.raw()
        ))
        .note(format!(
            "it is in {records} other records with these evaluations"
        ))
        .help("compute the mean again, or correct the part that is wrong")
    });
}
