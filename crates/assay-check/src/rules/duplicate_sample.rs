use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A sample stands twice
    ///
    /// Two rows have the same `sample_id`, the same result and the same `metadata`, so the sample
    /// would be counted twice. Several epochs, trials or perturbations of one sample are told apart
    /// by their `metadata`.
    ///
    /// Up to 524,288 rows of a file are compared with each other; in larger files only some of them
    /// are, so that memory stays bounded.
    ///
    /// ## What to do
    ///
    /// Remove one of the rows, or say in `metadata` what tells them apart, such as `{"epoch":
    /// "2"}`.
    DUPLICATE_SAMPLE = (502, "duplicate-sample", Warning)
}

pub(crate) fn report(first: u64, sink: &mut Sink<'_>) {
    sink.report(&DUPLICATE_SAMPLE, 0..0, || {
        Draft::new("the same sample, result and metadata stand in an earlier row")
            .note(format!("the earlier row is on line {first}"))
            .help("remove one of them, or say in `metadata` what tells them apart")
    });
}
