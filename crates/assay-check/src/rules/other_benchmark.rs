use assay_formats::Value;

use crate::context::LayoutPolicy;
use crate::layout::Location;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A record lies in the folder of another benchmark
    ///
    /// In `data/{benchmark}/…` the folder names the benchmark, and so does what stands before the first `/` of
    /// `evaluation_id`. Where the two differ, two benchmarks share a folder and may end up on one board. Case and punctuation
    /// do not count.
    ///
    /// ## What to do
    ///
    /// Move the record to the folder of its benchmark, or correct the id.
    OTHER_BENCHMARK = (440, "other-benchmark", Warning)
}

pub(crate) fn check(root: Value<'_>, location: &Location<'_>, sink: &mut Sink<'_>) {
    let (Some(layout), true) = (
        &location.layout,
        location.in_datastore && location.policy != LayoutPolicy::Off && location.faults.is_empty(),
    ) else {
        return;
    };
    let Some(id) = root.get("evaluation_id") else {
        return;
    };
    let text = id.text().unwrap_or_default();
    let Some((benchmark, _)) = text.split_once('/') else {
        return;
    };
    let letters = |name: &str| -> String {
        name.chars()
            .filter(|letter| letter.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    if letters(benchmark).is_empty() || letters(benchmark) == letters(layout.benchmark) {
        return;
    }
    sink.report(&OTHER_BENCHMARK, id, || {
        Draft::new(format!(
            "the evaluation id is of {}, but the record lies in the folder {}",
            quote(benchmark),
            quote(layout.benchmark)
        ))
        .help("move the record to the folder of its benchmark, or correct the id")
    });
}
