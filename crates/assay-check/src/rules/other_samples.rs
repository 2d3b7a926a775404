use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A result counts other samples than most results of its evaluation
    ///
    /// The models of one board answer the same questions, so `num_samples` is the same for all of
    /// them. The rule looks at evaluations with five counts or more, of which four in five agree,
    /// and reports those that do not. Multiples and whole parts are left alone: each question may
    /// have been asked several times.
    ///
    /// It is a note. The usual reason is that failed samples were dropped, which makes a model look
    /// better than it is.
    ///
    /// ## What to do
    ///
    /// Count failed samples as wrong, or say in `evaluation_name` that this is another set of
    /// samples.
    OTHER_SAMPLES = (620, "other-samples", Note)
}

pub(crate) fn report(result: Value<'_>, same: usize, other: usize, sink: &mut Sink<'_>) {
    let at = result
        .get("score_details")
        .and_then(|details| details.get("uncertainty"))
        .and_then(|uncertainty| uncertainty.get("num_samples"));
    let Some(at) = at else { return };
    sink.report(&OTHER_SAMPLES, at, || {
        Draft::new(format!(
            "this result counts {} samples, unlike {same} of {} results of its evaluation",
            at.raw(),
            same + other
        ))
        .help("count failed samples as wrong, or name the set of samples in `evaluation_name`")
    });
}
