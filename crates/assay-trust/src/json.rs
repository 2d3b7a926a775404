use std::collections::BTreeMap;

use assay_formats::json::Parser;
use assay_formats::{Kind, Tape, Value};
use assay_model::{Number, Spelling};

use crate::exact::Exact;

/// A JSON value that is written in one way only: that of RFC 8785, the JSON canonicalization
/// scheme.
///
/// Keys are ASCII letters, digits, `_`, `.` and `-`. Sorting them as bytes is then the same as
/// sorting them as UTF-16, which the scheme asks for, and no key needs an escape.
///
/// ```
/// # use assay_trust::Json;
/// let json = Json::read(r#"{ "b": 20.90, "a": [true, "\u00e9"] }"#).expect("this is JSON");
/// assert_eq!(json.to_jcs(), r#"{"a":[true,"é"],"b":20.9}"#);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite double.
    Number(Number),
    /// Text.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Map(BTreeMap<String, Json>),
}

/// The error of a text that is not JSON of the kind that is signed and logged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It breaks the grammar, repeats a key, nests too deep or holds a lone surrogate.
    #[error(
        "it is not JSON with each key once and at most {} levels",
        Json::MAX_DEPTH
    )]
    Syntax,
    /// A key outside the grammar.
    #[error("{} is not a key of letters, digits, `_`, `.` and `-`", assay_model::quote(.0))]
    Key(String),
    /// It is JSON, but not in its canonical spelling.
    #[error("it is not spelled as RFC 8785 has it")]
    NotCanonical,
}

impl Json {
    /// The greatest depth of lists and maps.
    pub const MAX_DEPTH: usize = 16;
    /// The longest a key may be, in bytes.
    pub const MAX_KEY: usize = 64;

    /// Reads JSON in any spelling. Numbers are rounded to the nearest double, by the text.
    pub fn read(text: &str) -> Result<Self, JsonError> {
        let mut parser = Parser::with_depth(Self::MAX_DEPTH);
        let mut tape = Tape::with_room_for(text.len());
        parser.parse(text, &mut tape);
        match tape.root(text) {
            Some(root) if parser.take_faults().is_empty() => Self::of(root),
            Some(_) | None => Err(JsonError::Syntax),
        }
    }

    /// Reads JSON in its one canonical spelling, and refuses every other.
    ///
    /// ```
    /// # use assay_trust::{Json, JsonError};
    /// assert!(Json::read_exact(r#"{"value":20.9}"#).is_ok());
    /// assert_eq!(Json::read_exact(r#"{"value":20.90}"#), Err(JsonError::NotCanonical));
    /// ```
    pub fn read_exact(text: &str) -> Result<Self, JsonError> {
        Self::of(Exact::read(text)?.root())
    }

    /// The canonical spelling.
    pub fn to_jcs(&self) -> String {
        let mut text = String::with_capacity(USUAL_BYTES);
        self.write(&mut text);
        text
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// The value behind a key, if this is a map and has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(map) => map.get(key),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// A map of these members.
    pub fn map<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Map(
            members
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }

    /// Puts a member into a map; nothing when there is no value.
    pub fn set(&mut self, key: &str, value: Option<Self>) {
        if let (Self::Map(members), Some(value)) = (self, value) {
            members.insert(key.to_owned(), value);
        }
    }

    /// Makes a text of an identifier or digest.
    pub fn shown(thing: &impl ToString) -> Self {
        Self::Text(thing.to_string())
    }

    /// A whole number. Those of logs and tokens are seconds, sizes and indices, far below 2^53.
    #[expect(
        clippy::cast_precision_loss,
        reason = "seconds, sizes and indices are far below 2^53"
    )]
    pub fn integer(value: i64) -> Self {
        Self::Number(Number::new(value as f64).expect("an integer is finite"))
    }

    /// A size or an index.
    pub fn index(value: u64) -> Self {
        Self::integer(i64::try_from(value).unwrap_or(i64::MAX))
    }

    pub(crate) fn of(value: Value<'_>) -> Result<Self, JsonError> {
        Ok(match value.kind() {
            Kind::Null => Self::Null,
            Kind::Bool => Self::Bool(value.truth() == Some(true)),
            Kind::Number => {
                let number = value.number().and_then(Number::new);
                Self::Number(number.ok_or(JsonError::Syntax)?)
            }
            Kind::String => Self::Text(value.text().unwrap_or_default().into_owned()),
            Kind::List => Self::List(value.items().map(Self::of).collect::<Result<_, _>>()?),
            Kind::Map => Self::Map(
                value
                    .entries()
                    .map(Self::member)
                    .collect::<Result<_, _>>()?,
            ),
        })
    }

    fn member((key, value): (Value<'_>, Value<'_>)) -> Result<(String, Self), JsonError> {
        let key = key.text().unwrap_or_default();
        if is_key(&key) {
            Ok((key.into_owned(), Self::of(value)?))
        } else {
            Err(JsonError::Key(key.into_owned()))
        }
    }

    fn write(&self, text: &mut String) {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(true) => text.push_str("true"),
            Self::Bool(false) => text.push_str("false"),
            Self::Number(number) => text.push_str(number.spell(&mut Spelling::new())),
            Self::Text(own) => write_text(own, text),
            Self::List(items) => {
                text.push('[');
                for (position, item) in items.iter().enumerate() {
                    if position > 0 {
                        text.push(',');
                    }
                    item.write(text);
                }
                text.push(']');
            }
            Self::Map(members) => {
                text.push('{');
                for (position, (key, value)) in members.iter().enumerate() {
                    if position > 0 {
                        text.push(',');
                    }
                    write_text(key, text);
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }
}

/// The length of a canonical entry usually, in bytes. Allocators keep room of this size at hand,
/// and none that is larger.
const USUAL_BYTES: usize = 512;

/// Writes an object whose members come in the order of their names.
pub(crate) struct ObjectWriter(String);

impl ObjectWriter {
    pub(crate) fn begin() -> Self {
        let mut text = String::with_capacity(USUAL_BYTES);
        text.push('{');
        Self(text)
    }

    pub(crate) fn end(mut self) -> String {
        self.0.push('}');
        self.0
    }

    pub(crate) fn text(&mut self, key: &str, text: &str) {
        self.key(key);
        write_text(text, &mut self.0);
    }

    pub(crate) fn optional_text(&mut self, key: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    pub(crate) fn number(&mut self, key: &str, number: Number) {
        self.key(key);
        self.0.push_str(number.spell(&mut Spelling::new()));
    }

    pub(crate) fn object(&mut self, key: &str, members: impl FnOnce(&mut Self)) {
        self.key(key);
        self.0.push('{');
        members(self);
        self.0.push('}');
    }

    pub(crate) fn list<T>(&mut self, key: &str, items: &[T], members: impl Fn(&mut Self, &T)) {
        self.key(key);
        self.0.push('[');
        for item in items {
            self.comma();
            self.0.push('{');
            members(self, item);
            self.0.push('}');
        }
        self.0.push(']');
    }

    fn key(&mut self, key: &str) {
        self.comma();
        write_text(key, &mut self.0);
        self.0.push(':');
    }

    fn comma(&mut self) {
        if !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
    }
}

/// Returns whether a key sorts and spells the same everywhere.
pub(crate) fn is_key(key: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=Json::MAX_KEY).contains(&key.len()) && key.bytes().all(is_plain)
}

/// Text between quotes; only what must be escaped is, in the shortest way there is.
pub(crate) fn write_text(own: &str, text: &mut String) {
    text.push('"');
    let mut rest = own;
    while let Some(at) = first_to_escape(rest) {
        text.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            0x08 => text.push_str("\\b"),
            0x0c => text.push_str("\\f"),
            byte => {
                text.push_str("\\u00");
                let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
                text.extend([digit(byte >> 4), digit(byte & 15)]);
            }
        }
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    text.push('"');
}

fn first_to_escape(text: &str) -> Option<usize> {
    // Hardly any text has something to escape, and a fold over all of it is faster than a search.
    if !text
        .bytes()
        .fold(false, |any, byte| any | must_be_escaped(byte))
    {
        return None;
    }
    text.bytes().position(must_be_escaped)
}

fn must_be_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}
