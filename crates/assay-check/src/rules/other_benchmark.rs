use assay_formats::Value;

use crate::layout::Location;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Two benchmarks share a folder
    ///
    /// In `data/{benchmark}/…` the folder names the benchmark, and so may what stands before the
    /// first `/` of `evaluation_id`. Harnesses put other names there too, so the rule speaks only
    /// when other records of the folder have its name and this one has another: then two benchmarks
    /// share a folder, and may end up on one board. It is a note, because the record may be of a
    /// part of the benchmark. Case and punctuation do not count.
    ///
    /// ## What to do
    ///
    /// Move the record to the folder of its benchmark, or correct the id.
    OTHER_BENCHMARK = (440, "other-benchmark", Note)
}

/// Returns whether an evaluation id names the benchmark of its folder; nothing when either is not
/// known.
pub(crate) fn names_folder(id: &str, location: &Location<'_>) -> Option<bool> {
    let is_placed = location.in_datastore && location.faults.is_empty();
    let layout = location.layout.as_ref().filter(|_| is_placed)?;
    let (benchmark, _) = id.split_once('/')?;
    Some(letters(benchmark) == letters(layout.benchmark))
}

/// Returns the letters and digits of a name, in lower case.
pub(crate) fn letters(name: &str) -> String {
    name.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

pub(crate) fn report(id: Value<'_>, others: usize, sink: &mut Sink<'_>) {
    sink.report(&OTHER_BENCHMARK, id, || {
        let text = id.text().unwrap_or_default();
        let benchmark = text.split_once('/').map_or("", |(benchmark, _)| benchmark);
        Draft::new(format!(
            "the evaluation id is of {}, unlike those of {others} other records in the folder",
            quote(benchmark)
        ))
        .help("move the record to the folder of its benchmark, or correct the id")
    });
}
