use std::borrow::Cow;
use std::collections::HashMap;

use assay_formats::Value;

use crate::digest;
use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// Two results have the same id
    ///
    /// The rows of a samples file say by `evaluation_result_id` which result they count for. When
    /// two results share an id, nobody can tell.
    ///
    /// ## What to do
    ///
    /// Give each result its own id, in the record and in its rows. The name of the task and of the
    /// metric together usually do: `gsm8k/exact_match`.
    DUPLICATE_RESULT_ID = (412, "duplicate-result-id", Error)
}

pub(crate) fn check(results: Value<'_>, sink: &mut Sink<'_>) {
    if !may_repeat(results) {
        return;
    }
    let mut first: HashMap<Cow<'_, str>, Value<'_>> = HashMap::new();
    for id in ids(results) {
        // Blank ids are reported as such.
        let Some(text) = id.text().filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        let Some(earlier) = first.get(&text) else {
            first.insert(text, id);
            continue;
        };
        let line = sink.line_of(earlier.range().start);
        sink.report(&DUPLICATE_RESULT_ID, id, || {
            Draft::new(format!(
                "another result already has the id {}",
                quote(&text)
            ))
            .note(format!("the first one is on line {line}"))
            .help("give each result its own id, in the record and in its rows")
        });
    }
}

fn ids(results: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    results
        .items()
        .filter_map(|result| result.get("evaluation_result_id"))
}

/// Returns whether some ids share a digest, as those that are the same do.
fn may_repeat(results: Value<'_>) -> bool {
    let mut digests: Vec<u64> = ids(results).map(digest::text).collect();
    digests.sort_unstable();
    digests.windows(2).any(|pair| pair[0] == pair[1])
}
