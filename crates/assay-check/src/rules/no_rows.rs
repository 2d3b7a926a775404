use crate::rule::rule;
use crate::samples::SamplesSummary;
use crate::sink::{Draft, Sink};

rule! {
    /// A samples file has no rows
    ///
    /// The file is empty, or has only empty lines.
    ///
    /// ## What to do
    ///
    /// Write the rows, or remove the file together with `detailed_evaluation_results` in its
    /// record.
    NO_ROWS = (503, "no-rows", Error)
}

pub(crate) fn check(summary: &SamplesSummary, sink: &mut Sink<'_>) {
    if summary.rows == 0 {
        sink.report_whole(&NO_ROWS, || {
            Draft::new("the samples file has no rows")
                .help("write the rows, or remove the file and its mention in the record")
        });
    }
}
