//! A digest of the content of a record: equal for records that differ only in when and where they
//! were written.

use assay_formats::{Kind, Value};
use xxhash_rust::xxh3::xxh3_64;

/// The keys that name a scrape, not a result: two records that differ only here say the same.
const SCRAPE_KEYS: [&str; 3] = ["evaluation_id", "retrieved_timestamp", "file_path"];

/// A digest of what tells most records apart: the model, what was evaluated and the scores. It
/// costs little; only records that share it can say the same.
pub(crate) fn outline(record: Value<'_>) -> u64 {
    let id = record.get("model_info").and_then(|model| model.get("id"));
    let results = record
        .get("evaluation_results")
        .into_iter()
        .flat_map(Value::items);
    results.fold(id.map_or(NULL, content), |sum, result| {
        let [name, details] = result.parts(["evaluation_name", "score_details"]);
        let score = details.and_then(|details| details.get("score"));
        mix(
            mix(sum, name.map_or(NULL, content)),
            score.map_or(NULL, content),
        )
    })
}

/// A digest of the content of a document. The order of keys does not matter, that of lists does.
///
/// 64 bits are enough for a warning: among a hundred thousand records, two that differ share a
/// digest once in billions of runs.
pub(crate) fn content(value: Value<'_>) -> u64 {
    match value.kind() {
        Kind::Null => mix(NULL, 0),
        Kind::Bool => mix(BOOL, u64::from(value.truth() == Some(true))),
        Kind::Number => match value.number() {
            // `1` and `1.0` are the same score.
            Some(number) => mix(NUMBER, (number + 0.0).to_bits()),
            None => mix(NUMBER, xxh3_64(value.raw().as_bytes())),
        },
        Kind::String => mix(STRING, text(value)),
        Kind::List => value
            .items()
            .fold(mix(LIST, 0), |sum, item| mix(sum, content(item))),
        Kind::Map => {
            let mut sum = 0_u64;
            for (key, item) in value.entries() {
                if SCRAPE_KEYS.iter().any(|name| key.is_text(name)) {
                    continue;
                }
                // A sum does not depend on the order of the keys, and keys are unique.
                sum = sum.wrapping_add(mix(mix(KEY, text(key)), content(item)));
            }
            mix(MAP, sum)
        }
    }
}

/// A digest of a map without some of its keys.
pub(crate) fn without(map: Value<'_>, left_out: &[&str]) -> u64 {
    map.entries()
        .filter(|(key, _)| {
            !left_out
                .iter()
                .chain(&SCRAPE_KEYS)
                .any(|name| key.is_text(name))
        })
        .fold(0_u64, |sum, (key, item)| {
            sum.wrapping_add(mix(mix(KEY, text(key)), content(item)))
        })
}

/// A digest of everything but scores and times: equal for two records of one run.
pub(crate) fn run(record: Value<'_>) -> u64 {
    let rest = without(
        record,
        &[
            "evaluation_results",
            "evaluation_timestamp",
            "detailed_evaluation_results",
        ],
    );
    record
        .get("evaluation_results")
        .into_iter()
        .flat_map(Value::items)
        .fold(rest, |sum, result| {
            mix(
                sum,
                without(
                    result,
                    &[
                        "score_details",
                        "evaluation_timestamp",
                        "evaluation_result_id",
                        "detailed_evaluation_results_url",
                    ],
                ),
            )
        })
}

/// A digest of several texts.
pub(crate) fn texts(texts: &[&str]) -> u64 {
    texts
        .iter()
        .fold(STRING, |sum, text| mix(sum, xxh3_64(text.as_bytes())))
}

// What a value is goes into its digest, so that the text `1` is not the number 1.
const NULL: u64 = 0x9e37_79b9_7f4a_7c15;
const BOOL: u64 = 0xbf58_476d_1ce4_e5b9;
const NUMBER: u64 = 0x94d0_49bb_1331_11eb;
const STRING: u64 = 0xd6e8_feb8_6659_fd93;
const LIST: u64 = 0xa076_1d64_78bd_642f;
const MAP: u64 = 0xe703_7ed1_a0b4_28db;
const KEY: u64 = 0x8ebc_6af0_9c88_c6e3;

/// A digest of a text, however it is escaped.
pub(crate) fn text(value: Value<'_>) -> u64 {
    match value.plain_text() {
        Some(plain) => xxh3_64(plain.as_bytes()),
        None => xxh3_64(value.text().unwrap_or_default().as_bytes()),
    }
}

/// Folds a number into a digest: one wide multiplication, both halves kept.
pub(crate) fn mix(digest: u64, number: u64) -> u64 {
    let product =
        u128::from(digest ^ 0x2d35_8dcc_aa6c_78a5) * u128::from(number ^ 0x8bb8_4b93_962e_acc9);
    #[expect(clippy::cast_possible_truncation, reason = "the two halves are wanted")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    (low ^ high).wrapping_add(digest.rotate_left(23))
}

#[cfg(test)]
mod tests {
    use assay_formats::{Tape, json};

    use super::*;

    fn digest(text: &str) -> u64 {
        let mut tape = Tape::new();
        json::parse(text, &mut tape);
        content(tape.root(text).expect("the test writes JSON"))
    }

    #[test]
    fn key_order_number_spelling_and_scrape_time_do_not_matter() {
        let first = digest(r#"{"a": 1, "b": [1.50, "x"], "retrieved_timestamp": "1"}"#);

        assert_eq!(
            first,
            digest(r#"{"retrieved_timestamp": "2", "b": [1.5, "x"], "a": 1.0}"#)
        );
    }

    #[test]
    fn list_order_types_and_values_matter() {
        let texts = [
            "[1,2]",
            "[2,1]",
            "[\"1\",2]",
            "[1,[2]]",
            "{\"a\":1}",
            "{\"b\":1}",
            "null",
            "false",
            "[]",
            "{}",
            "\"\"",
        ];
        let digests: std::collections::BTreeSet<u64> = texts.into_iter().map(digest).collect();

        assert_eq!(digests.len(), texts.len());
    }
}
