//! Values of a document as JSON.

use std::borrow::Cow;

use serde_json::{Map, Number, Value as Json};

use crate::{Kind, Value};

/// The most text that one document may stand for once its aliases are expanded, in bytes.
const MAX_TEXT: usize = 4 << 20;
/// The cost of a value beside its text, in bytes.
const VALUE_COST: usize = 8;

/// Converts the values of a document to JSON within a budget: a few aliases can stand for any
/// amount of text.
#[derive(Debug)]
pub struct JsonConverter {
    left: usize,
}

impl JsonConverter {
    /// Returns a converter with the budget of one document.
    pub fn new() -> Self {
        Self::with_budget(MAX_TEXT)
    }

    /// Returns a converter with a budget of its own, in bytes.
    pub fn with_budget(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Converts a value. Returns none above the budget. A number that JSON cannot hold becomes a
    /// string.
    pub fn json(&mut self, value: Value<'_>) -> Option<Json> {
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

    /// Converts a map; anything else has no keys. Returns none above the budget.
    pub fn map(&mut self, value: Value<'_>) -> Option<Map<String, Json>> {
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

impl Default for JsonConverter {
    fn default() -> Self {
        Self::new()
    }
}

fn number(value: Value<'_>) -> Json {
    let whole = value.raw().parse::<i64>().ok().map(Number::from);
    whole
        .or_else(|| value.number().and_then(Number::from_f64))
        .map_or_else(|| Json::String(value.raw().to_owned()), Json::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Tape, yaml};

    fn read(text: &str) -> Option<Json> {
        let mut tape = Tape::new();
        yaml::parse(text, &mut tape);
        JsonConverter::new().json(tape.root(text)?)
    }

    #[test]
    fn aliases_that_stand_for_too_much_text_are_not_written_out() {
        let mut text = format!("a: &a \"{}\"\nb:\n", "x".repeat(600 << 10));
        for _ in 0..8 {
            text.push_str("  - *a\n");
        }

        assert_eq!(read(&text), None);
    }

    #[test]
    fn a_document_says_the_same_as_json() {
        let text = "a: 20.90\nb: [1, \"x\", null, true]\nc: {d: .inf}\ne: \"2026-02-14\"\n";

        let json = read(text);

        let expected =
            json!({"a": 20.9, "b": [1, "x", null, true], "c": {"d": ".inf"}, "e": "2026-02-14"});
        assert_eq!(json, Some(expected));
    }
}
