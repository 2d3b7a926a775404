//! A benchmark definition: `eval.yaml`.

use assay_model::Benchmark;

use crate::document::Document;
use crate::sink::Sink;

/// Judges a benchmark definition and returns what it defines, as far as it could be read.
pub(crate) fn check(_document: &Document, _path: &str, _sink: &mut Sink<'_>) -> Option<Benchmark> {
    None
}
