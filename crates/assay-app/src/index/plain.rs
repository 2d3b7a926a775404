//! A document as JSON: what a YAML file says, in the words that every client reads.

use std::borrow::Cow;

use assay_formats::{Kind, Value};
use serde_json::{Map, Number, Value as Json};
use sha2::{Digest as _, Sha256};

/// How much text one document may stand for once its aliases are written out, in bytes.
pub(super) const MAX_TEXT: usize = 4 << 20;
/// What a value costs beside its text, in bytes.
const VALUE_COST: usize = 8;

/// Turns values into JSON until they have cost too much: a few aliases can stand for any amount of text.
pub(super) struct Plain {
    left: usize,
}

impl Plain {
    /// For one document.
    pub(super) fn new() -> Self {
        Self { left: MAX_TEXT }
    }

    /// What a value says; none when that is too much. A number that JSON cannot hold is told by its letters.
    pub(super) fn json(&mut self, value: Value<'_>) -> Option<Json> {
        self.spend(0)?;
        Some(match value.kind() {
            Kind::Null => Json::Null,
            Kind::Bool => Json::Bool(value.truth().unwrap_or_default()),
            Kind::Number => number(value),
            Kind::String => {
                let text = value.text().unwrap_or_default();
                self.spend(text.len())?;
                Json::String(text.into_owned())
            }
            Kind::List => {
                let items = value.items().map(|item| self.json(item));
                Json::Array(items.collect::<Option<_>>()?)
            }
            Kind::Map => Json::Object(self.map(value)?),
        })
    }

    /// The keys and values of a map; nothing for anything else.
    pub(super) fn map(&mut self, value: Value<'_>) -> Option<Map<String, Json>> {
        let mut map = Map::new();
        for (key, held) in value.entries() {
            let key = key
                .text()
                .map_or_else(|| key.raw().to_owned(), Cow::into_owned);
            self.spend(key.len())?;
            map.insert(key, self.json(held)?);
        }
        Some(map)
    }

    fn spend(&mut self, text: usize) -> Option<()> {
        self.left = self.left.checked_sub(text + VALUE_COST)?;
        Some(())
    }
}

fn number(value: Value<'_>) -> Json {
    let whole = value.raw().parse::<i64>().ok().map(Number::from);
    whole
        .or_else(|| value.number().and_then(Number::from_f64))
        .map_or_else(|| Json::String(value.raw().to_owned()), Json::Number)
}

/// A digest by which two documents that say the same can be told: the order of keys and the spelling of numbers do not
/// count.
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
    use assay_formats::{Tape, yaml};
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Json {
        let mut tape = Tape::new();
        yaml::parse(text, &mut tape);
        Plain::new().json(tape.root(text).unwrap()).unwrap()
    }

    #[test]
    fn aliases_that_stand_for_too_much_text_are_not_written_out() {
        let mut text = format!("a: &a \"{}\"\nb:\n", "x".repeat(600 << 10));
        for _ in 0..8 {
            text.push_str("  - *a\n");
        }
        let mut tape = Tape::new();
        yaml::parse(&text, &mut tape);

        let json = Plain::new().json(tape.root(&text).unwrap());

        assert_eq!(json, None);
    }

    #[test]
    fn a_document_says_the_same_as_json() {
        let text = "a: 20.90\nb: [1, \"x\", null, true]\nc: {d: .inf}\ne: \"2026-02-14\"\n";

        let json = read(text);

        assert_eq!(
            json,
            json!({"a": 20.9, "b": [1, "x", null, true], "c": {"d": ".inf"}, "e": "2026-02-14"})
        );
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
