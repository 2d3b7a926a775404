use std::collections::HashMap;

use assay_formats::Value;

use super::line_of;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// An entry has a metric twice
    ///
    /// One run has one value for a metric on a slice. With two, it is left to the reader which of
    /// them counts.
    ///
    /// ## Example
    ///
    /// ```yaml
    /// metrics:
    ///   - {metric_id: wer, value: 3.1, slice: language=en}
    ///   - {metric_id: wer, value: 4.2, slice: language=de}   # another slice: fine
    /// ```
    ///
    /// ## What to do
    ///
    /// Remove one of the two, say with `slice` what each applies to, or make two entries of two
    /// runs.
    REPEATED_METRIC = (307, "repeated-metric", Error)
}

pub(crate) fn check(entry: Value<'_>, sink: &mut Sink<'_>) {
    let mut first: HashMap<(String, Option<String>), Value<'_>> = HashMap::new();
    for item in entry.get("metrics").into_iter().flat_map(Value::items) {
        let Some(id) = item.get("metric_id") else {
            continue;
        };
        let Some(text) = id.text() else { continue };
        let slice = item.text_of("slice").map(std::borrow::Cow::into_owned);
        let Some(earlier) = first.insert((text.clone().into_owned(), slice.clone()), id) else {
            continue;
        };
        sink.report(&REPEATED_METRIC, id, || {
            let metric = match &slice {
                Some(slice) => format!("{} on {}", quote(&text), quote(slice)),
                None => quote(&text),
            };
            Draft::new(format!("the entry already has a value for {metric}"))
                .note(format!("it stands on line {}", line_of(earlier)))
                .help("remove one of the two, or say with `slice` what each applies to")
        });
    }
}
