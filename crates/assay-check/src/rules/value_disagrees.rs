use assay_formats::Value;
use assay_model::{Benchmark, Number};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// The single value of an entry is none of its metrics
    ///
    /// An entry may carry both `metrics` and the single `value` that older clients read. `value` is
    /// then the score of the primary metric once more. Here it is not, so a reader of one sees
    /// another result than a reader of the other.
    ///
    /// ## What to do
    ///
    /// Remove `value`, or write the score of the primary metric there.
    VALUE_DISAGREES = (303, "value-disagrees", Error)
}

pub(crate) fn check(entry: Value<'_>, benchmark: Option<&Benchmark>, sink: &mut Sink<'_>) {
    let (Some(value), Some(metrics)) = (entry.present("value"), entry.present("metrics")) else {
        return;
    };
    let Some(single) = number(value) else { return };
    let primary = benchmark
        .and_then(Benchmark::primary)
        .map(|metric| metric.id.as_str());
    let is_primary = |item: &Value<'_>| {
        primary.is_some_and(|id| item.get("metric_id").is_some_and(|own| own.is_text(id)))
    };
    let has_primary = metrics.items().any(|item| is_primary(&item));
    let mut carried = metrics
        .items()
        .filter(|item| !has_primary || is_primary(item))
        .filter_map(|item| item.get("value"));
    // A metric whose value cannot be read has a finding of its own, and could be the one.
    let agrees = |own: Value<'_>| number(own).is_none_or(|own| own == single);
    if metrics.is_empty() || carried.any(agrees) {
        return;
    }
    sink.report(&VALUE_DISAGREES, value, || {
        let draft = match primary.filter(|_| has_primary) {
            Some(id) => Draft::new(format!(
                "`value` is {}, but the primary metric {} is not",
                quote(value.raw()),
                quote(id)
            )),
            None => Draft::new(format!(
                "`value` is {}, but no metric of the entry is",
                quote(value.raw())
            )),
        };
        draft.help("remove `value`, or write the score of the primary metric there")
    });
}

fn number(value: Value<'_>) -> Option<Number> {
    value.raw().parse().ok()
}
