use std::ops::Range;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A file or row is larger than the limit
    ///
    /// Validation takes memory in proportion to the largest document, so documents have a limit: 1
    /// MiB for YAML, 64 MiB for a JSON record, 16 MiB for one row of a samples file. A samples file
    /// as a whole may have any size.
    ///
    /// ## What to do
    ///
    /// Split a result file by benchmark. Move transcripts out of a record and into its samples
    /// file. Store images and other binary data apart and refer to them.
    TOO_LARGE = (3, "too-large", Error)
}

pub(crate) fn document(limit: usize, sink: &mut Sink<'_>) {
    sink.report_whole(&TOO_LARGE, || {
        Draft::new(format!("the file is larger than {} MiB", limit >> 20))
            .help("split it, or move per-sample data into a samples file")
    });
}

pub(crate) fn row(limit: usize, at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&TOO_LARGE, at, || {
        Draft::new(format!(
            "this row is larger than {} MiB and was not validated",
            limit >> 20
        ))
        .help("store images and other binary data apart, and refer to them")
    });
}
