use std::collections::BTreeSet;

use assay_formats::Value;
use assay_model::{Benchmark, Number, ValueType};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A score is not of its declared kind
    ///
    /// `value_type`, on the score or on the metric in `eval.yaml`, says that values are whole
    /// numbers (`int`), percentages from 0 to 100, or ranks from 1. This value is not. Most often
    /// the kind was copied from another metric. A percentage that cannot be one is refused (AY328);
    /// this rule speaks of those that exceed 100 because lower is better.
    ///
    /// ## What to do
    ///
    /// Correct the value or the kind. A percentage above 100 is a `float`.
    VALUE_TYPE_MISMATCH = (315, "value-type-mismatch", Warning)
}

/// Validates the kinds of the values of an entry, but those that were refused already, by where
/// they begin.
pub(crate) fn check(
    entry: Value<'_>,
    benchmark: Option<&Benchmark>,
    refused: &BTreeSet<usize>,
    sink: &mut Sink<'_>,
) {
    for item in entry.get("metrics").into_iter().flat_map(Value::items) {
        let Some(value) = item.get("value") else {
            continue;
        };
        let Ok(number) = value.raw().parse::<Number>() else {
            continue;
        };
        let Some((kind, whose)) = declared(item, benchmark) else {
            continue;
        };
        if !kind.takes(number) && !refused.contains(&value.range().start) {
            sink.report(&VALUE_TYPE_MISMATCH, value, || {
                Draft::new(format!(
                    "{} is not {}, which {whose} `{kind}` asks for",
                    quote(value.raw()),
                    kind.words()
                ))
                .help("correct the value or its `value_type`")
            });
        }
    }
}

/// The kind of a score: its own, or that of its metric.
fn declared(item: Value<'_>, benchmark: Option<&Benchmark>) -> Option<(ValueType, &'static str)> {
    if let Some(own) = item.present("value_type") {
        return Some((own.text()?.parse().ok()?, "its value type"));
    }
    let metric = benchmark?.metric(&item.text_of("metric_id")?)?;
    Some((metric.value_type?, "the benchmark's value type"))
}
