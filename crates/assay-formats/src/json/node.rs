use std::fmt;
use std::str::FromStr;

use crate::{Kind, Value};

/// A JSON value that can be changed and written again.
///
/// Numbers keep the letters they were written with: `0.10` and `1e5` come out as they went in,
/// because rewriting a record must never look like a change of its scores.
///
/// ```
/// # use assay_formats::{Tape, json};
/// let (source, mut tape) = (r#"{"score": 0.10}"#, Tape::new());
/// json::parse(source, &mut tape);
/// let node = tape.root(source).map(json::Node::of).unwrap();
/// assert_eq!(json::write(&node, json::Layout::Compact), r#"{"score":0.10}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Literal),
    /// Text.
    String(String),
    /// An array.
    List(Vec<Node>),
    /// An object.
    Map(Map),
}

impl Node {
    /// A copy of a value that was read.
    ///
    /// JSON has no numbers that are not finite, and readers take them all the same; such a number
    /// becomes the text of its letters, so a tree can always be written. The recursion is as deep
    /// as the reader's limit allows.
    pub fn of(value: Value<'_>) -> Self {
        match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool => Self::Bool(value.truth() == Some(true)),
            Kind::Number => match value.raw().parse() {
                Ok(literal) => Self::Number(literal),
                Err(LiteralError) => Self::String(value.raw().to_owned()),
            },
            Kind::String => Self::String(value.text().unwrap_or_default().into_owned()),
            Kind::List => Self::List(value.items().map(Self::of).collect()),
            Kind::Map => Self::Map(Map {
                entries: value
                    .entries()
                    .map(|(key, value)| {
                        (key.text().unwrap_or_default().into_owned(), Self::of(value))
                    })
                    .collect(),
            }),
        }
    }

    /// Returns the kind of the value.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Number(_) => Kind::Number,
            Self::String(_) => Kind::String,
            Self::List(_) => Kind::List,
            Self::Map(_) => Kind::Map,
        }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(literal) => Some(literal.value()),
            Self::Null | Self::Bool(_) | Self::String(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The items of a list; nothing for anything else.
    pub fn items_mut(&mut self) -> &mut [Node] {
        match self {
            Self::List(items) => items,
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Map(_) => {
                &mut []
            }
        }
    }

    /// The map.
    pub fn map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::List(_) => None,
        }
    }

    /// The map, to change it.
    pub fn map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Map(map) => Some(map),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::List(_) => None,
        }
    }
}

impl From<&str> for Node {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Node {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<u64> for Node {
    fn from(number: u64) -> Self {
        Self::Number(Literal(number.to_string().into()))
    }
}

impl From<Map> for Node {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

/// A JSON object: keys in the order they were written, each once unless the source has it twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    entries: Vec<(String, Node)>,
}

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value behind a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find_map(|(own, value)| (own == key).then_some(value))
    }

    /// The value behind a key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find_map(|(own, value)| (own == key).then_some(value))
    }

    /// The text behind a key.
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }

    /// The map behind a key, to change it.
    pub fn map_of_mut(&mut self, key: &str) -> Option<&mut Map> {
        self.get_mut(key)?.map_mut()
    }

    /// The keys and values, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// The keys and values, in order, to change the values.
    pub fn entries_mut(&mut self) -> impl Iterator<Item = (&str, &mut Node)> {
        self.entries
            .iter_mut()
            .map(|(key, value)| (key.as_str(), value))
    }

    /// The keys and values, in order, for keeps.
    pub fn into_entries(self) -> impl Iterator<Item = (String, Node)> {
        self.entries.into_iter()
    }

    /// Puts a value behind a key, where the key stands or else at the end; returns what was there.
    pub fn set(&mut self, key: &str, value: impl Into<Node>) -> Option<Node> {
        let value = value.into();
        if let Some(place) = self.get_mut(key) {
            return Some(std::mem::replace(place, value));
        }
        self.entries.push((key.to_owned(), value));
        None
    }

    /// Puts a value behind a new key right after another one, or at the end when that one is not
    /// there.
    pub fn set_after(&mut self, neighbour: &str, key: &str, value: impl Into<Node>) {
        self.remove(key);
        let at = self
            .entries
            .iter()
            .position(|(own, _)| own == neighbour)
            .map_or(self.entries.len(), |position| position + 1);
        self.entries.insert(at, (key.to_owned(), value.into()));
    }

    /// Gives a key another name in the same place; returns whether it was there.
    pub fn rename(&mut self, key: &str, name: &str) -> bool {
        let entry = self.entries.iter_mut().find(|(own, _)| own == key);
        entry.is_some_and(|(own, _)| {
            name.clone_into(own);
            true
        })
    }

    /// Takes a key and its value out.
    pub fn remove(&mut self, key: &str) -> Option<Node> {
        let position = self.entries.iter().position(|(own, _)| own == key)?;
        Some(self.entries.remove(position).1)
    }

    /// Takes out every entry for which `keep` says no, and returns them.
    pub fn take_unless(
        &mut self,
        mut keep: impl FnMut(&str, &Node) -> bool,
    ) -> Vec<(String, Node)> {
        self.entries
            .extract_if(.., |(key, value)| !keep(key, value))
            .collect()
    }
}

impl FromIterator<(String, Node)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Node)>>(entries: I) -> Self {
        Self {
            entries: entries.into_iter().collect(),
        }
    }
}

/// A finite number as JSON spells it, letter by letter.
///
/// ```
/// # use assay_formats::json::{Literal, LiteralError};
/// assert_eq!("1.50".parse::<Literal>()?.as_str(), "1.50");
/// assert_eq!("1e999".parse::<Literal>(), Err(LiteralError));
/// # Ok::<(), LiteralError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal(Box<str>);

/// The error of a text that is not a JSON number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not a finite number as JSON spells them")]
pub struct LiteralError;

impl Literal {
    /// The letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nearest double.
    pub fn value(&self) -> f64 {
        self.0
            .parse()
            .expect("every number of JSON is a number of Rust")
    }
}

impl FromStr for Literal {
    type Err = LiteralError;

    fn from_str(text: &str) -> Result<Self, LiteralError> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (integer, fraction) = match mantissa.split_once('.') {
            Some((integer, fraction)) => (integer, Some(fraction)),
            None => (mantissa, None),
        };
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let fits = digits(integer)
            && (integer.len() == 1 || !integer.starts_with('0'))
            && fraction.is_none_or(digits)
            && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
        let finite = text.parse().is_ok_and(|value: f64| value.is_finite());
        (fits && finite)
            .then(|| Self(text.into()))
            .ok_or(LiteralError)
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(keys: &[&str]) -> Map {
        keys.iter()
            .map(|key| ((*key).to_owned(), Node::from(*key)))
            .collect()
    }

    fn keys(map: &Map) -> Vec<&str> {
        map.entries().map(|(key, _)| key).collect()
    }

    #[test]
    fn a_new_key_goes_where_it_is_told() {
        let mut map = map(&["a", "b", "c"]);

        map.set_after("a", "x", "x");
        map.set_after("nowhere", "y", "y");
        map.set("b", "changed");

        assert_eq!(keys(&map), ["a", "x", "b", "c", "y"]);
        assert_eq!(map.text_of("b"), Some("changed"));
    }

    #[test]
    fn a_renamed_key_keeps_its_place() {
        let mut map = map(&["a", "b", "c"]);

        assert!(map.rename("b", "z"));
        assert!(!map.rename("nowhere", "y"));

        assert_eq!(keys(&map), ["a", "z", "c"]);
    }

    #[test]
    fn what_is_taken_out_keeps_its_order() {
        let mut map = map(&["a", "b", "c", "d"]);

        let taken = map.take_unless(|key, _| key == "b");

        assert_eq!(keys(&map), ["b"]);
        assert_eq!(
            taken
                .iter()
                .map(|(key, _)| key.as_str())
                .collect::<String>(),
            "acd"
        );
    }

    #[test]
    fn only_the_numbers_of_json_are_literals() {
        for text in ["0", "-0", "10", "0.10", "1e5", "1E+05", "-2.5e-3", "1e-400"] {
            assert_eq!(
                text.parse::<Literal>().map(|l| l.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in [
            "",
            "-",
            "01",
            "+1",
            ".5",
            "5.",
            "1e",
            "1e+",
            "NaN",
            "inf",
            "-Infinity",
            "1e999",
            "0x1",
            "1_0",
            "--1",
            "1.2.3",
        ] {
            assert_eq!(text.parse::<Literal>(), Err(LiteralError), "{text}");
        }
    }
}
