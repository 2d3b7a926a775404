use assay_formats::Value;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A list has too few items
    ///
    /// The list must not be empty: a `url` source names at least one address, `llm_scoring` at
    /// least one judge, a benchmark at least one task, a result at least one metric.
    ///
    /// ## What to do
    ///
    /// Add an item, or leave the key out if the format allows that.
    TOO_FEW_ITEMS = (108, "too-few-items", Error)
}

pub(crate) fn report(at: Value<'_>, min: usize, sink: &mut Sink<'_>) {
    sink.report(&TOO_FEW_ITEMS, at.head(), || {
        let things = if min == 1 { "item" } else { "items" };
        let what = match at.path() {
            path if path.is_empty() => "the list".to_owned(),
            path => format!("`{path}`"),
        };
        Draft::new(format!("{what} must have at least {min} {things}"))
            .help("add an item")
            .path_of(at)
    });
}
