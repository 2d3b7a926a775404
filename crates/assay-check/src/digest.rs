//! What a record says, as a number: equal for records that differ only in when and where they were written.

use assay_formats::{Kind, Value};
use xxhash_rust::xxh3::xxh3_128;

/// The keys that name a scrape, not a result: two records that differ only here say the same.
const SCRAPE_KEYS: [&str; 3] = ["evaluation_id", "retrieved_timestamp", "file_path"];

/// A digest of the content of a document. The order of keys does not matter, that of lists does.
pub(crate) fn content(value: Value<'_>) -> u128 {
    match value.kind() {
        Kind::Null => seal(b'0', &[]),
        Kind::Bool => seal(b'b', &[u8::from(value.truth() == Some(true))]),
        Kind::Number => match value.number() {
            // `1` and `1.0` are the same score.
            Some(number) => seal(b'n', &(number + 0.0).to_bits().to_le_bytes()),
            None => seal(b'n', value.raw().as_bytes()),
        },
        Kind::String => seal(b's', value.text().unwrap_or_default().as_bytes()),
        Kind::List => {
            let mut bytes = Vec::new();
            for item in value.items() {
                bytes.extend_from_slice(&content(item).to_le_bytes());
            }
            seal(b'l', &bytes)
        }
        Kind::Map => {
            let mut sum = 0_u128;
            for (key, item) in value.entries() {
                let name = key.text().unwrap_or_default();
                if SCRAPE_KEYS.contains(&name.as_ref()) {
                    continue;
                }
                let mut entry = seal(b'k', name.as_bytes()).to_le_bytes().to_vec();
                entry.extend_from_slice(&content(item).to_le_bytes());
                // A sum does not depend on the order of the keys, and keys are unique.
                sum = sum.wrapping_add(seal(b'e', &entry));
            }
            seal(b'm', &sum.to_le_bytes())
        }
    }
}

/// Hashes bytes with a mark of what they are, so that the text `1` is not the number 1.
fn seal(mark: u8, bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        .rotate_left(u32::from(mark))
        ^ (u128::from(mark) << 64)
}

#[cfg(test)]
mod tests {
    use assay_formats::{Tape, json};

    use super::*;

    fn digest(text: &str) -> u128 {
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
        let digests: std::collections::BTreeSet<u128> = texts.into_iter().map(digest).collect();

        assert_eq!(digests.len(), texts.len());
    }
}
