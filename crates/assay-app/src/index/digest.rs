//! Digests of JSON documents.

use serde_json::{Number, Value as Json};
use sha2::{Digest as _, Sha256};

/// Returns a digest that is equal for documents that say the same: the order of keys and the
/// spelling of numbers do not count.
pub(crate) fn digest(value: &Json) -> [u8; 32] {
    let mut hasher = Sha256::new();
    feed(value, &mut hasher);
    hasher.finalize().into()
}

fn feed(value: &Json, hasher: &mut Sha256) {
    match value {
        Json::Null => hasher.update(b"n"),
        Json::Bool(true) => hasher.update(b"t"),
        Json::Bool(false) => hasher.update(b"f"),
        Json::Number(number) => feed_text(b'd', &canonical(number), hasher),
        Json::String(text) => feed_text(b's', text, hasher),
        Json::Array(items) => {
            feed_length(b'l', items.len(), hasher);
            for item in items {
                feed(item, hasher);
            }
        }
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_str());
            feed_length(b'm', entries.len(), hasher);
            for (key, held) in entries {
                feed_text(b'k', key, hasher);
                feed(held, hasher);
            }
        }
    }
}

/// The one spelling of a number: 20 and 20.0 are the same claim.
fn canonical(number: &Number) -> String {
    number
        .as_f64()
        .and_then(assay_model::Number::new)
        .map_or_else(|| number.to_string(), |number| number.to_string())
}

fn feed_text(mark: u8, text: &str, hasher: &mut Sha256) {
    feed_length(mark, text.len(), hasher);
    hasher.update(text.as_bytes());
}

/// Lengths come before contents, so that no two documents feed the same bytes.
fn feed_length(mark: u8, length: usize, hasher: &mut Sha256) {
    hasher.update([mark]);
    hasher.update((length as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use assay_formats::{JsonConverter, Tape, yaml};
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Json {
        let mut tape = Tape::new();
        yaml::parse(text, &mut tape);
        JsonConverter::new().json(tape.root(text).unwrap()).unwrap()
    }

    #[test]
    fn the_spelling_of_a_document_does_not_change_its_digest() {
        let plain = digest(&read("a: 20.90\nb: 3\n"));

        assert_eq!(plain, digest(&read("b: 3.0\na: 2.09e+1\n")));
        assert_ne!(plain, digest(&read("a: 20.91\nb: 3\n")));
        assert_ne!(digest(&json!(["ab", "c"])), digest(&json!(["a", "bc"])));
        assert_ne!(digest(&json!("1")), digest(&json!(1)));
    }
}
