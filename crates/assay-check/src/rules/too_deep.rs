use std::ops::Range;

use assay_formats::syntax::limits;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// Values are nested too deeply
    ///
    /// Lists and mappings nest at most 128 deep in JSON and 32 deep in YAML. No format here needs
    /// more than a dozen; deeper files are mistakes or attacks.
    ///
    /// ## What to do
    ///
    /// Store a nested structure as JSON text inside a string, as the detail maps of Every Eval Ever
    /// do.
    TOO_DEEP = (11, "too-deep", Error)
}

pub(crate) fn report(at: Range<usize>, sink: &mut Sink<'_>) {
    sink.report(&TOO_DEEP, at, || {
        Draft::new(format!(
            "values are nested more than {} (JSON) or {} (YAML) deep",
            limits::MAX_DEPTH,
            limits::MAX_YAML_DEPTH
        ))
        .help("store the inner structure as JSON text in a string")
    });
}
