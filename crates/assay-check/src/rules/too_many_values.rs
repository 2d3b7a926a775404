use std::ops::Range;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A document holds too many values
    ///
    /// A JSON document or row holds at most 1,048,576 values, a YAML document 65,536, what its
    /// aliases stand for included. The limit keeps a small hostile file from taking all memory.
    ///
    /// ## What to do
    ///
    /// Split the file. Per-sample data belongs into a samples file, one row a sample.
    TOO_MANY_VALUES = (12, "too-many-values", Error)
}

pub(crate) fn report(at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&TOO_MANY_VALUES, at, || {
        Draft::new("the document holds more values than the limit")
            .help("split it; per-sample data belongs into a samples file")
    });
}
