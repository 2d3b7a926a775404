use std::collections::HashMap;

use assay_formats::Value;

use super::line_of;
use crate::digest;
use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// A record has one evaluation twice
    ///
    /// Two results agree in everything but their times and scores: the same data, metric and setup,
    /// and no id that tells them apart. Readers take one of the two scores.
    ///
    /// ## What to do
    ///
    /// Remove one of the results, or say how they differ: another `evaluation_name`, metric or
    /// `generation_config`.
    REPEATED_EVALUATION = (441, "repeated-evaluation", Warning)
}

/// Keys of a result that do not tell what was evaluated.
const OUTCOME_KEYS: [&str; 2] = ["evaluation_timestamp", "score_details"];

pub(crate) fn check(results: Value<'_>, sink: &mut Sink<'_>) {
    let mut first: HashMap<u64, Value<'_>> = HashMap::new();
    for result in results.items() {
        // Ids tell results apart, and two equal ids are another rule's finding.
        if result.present("evaluation_result_id").is_some() {
            continue;
        }
        let own = digest::without(result, &OUTCOME_KEYS);
        let earlier = *first.entry(own).or_insert(result);
        if earlier.range() != result.range() {
            sink.report(&REPEATED_EVALUATION, result.head(), || {
                Draft::new(format!(
                    "the result on line {} is of the same evaluation",
                    line_of(earlier)
                ))
                .help("remove one of the two, or say how they differ")
                .path_of(result)
            });
        }
    }
}
