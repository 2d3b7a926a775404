//! One flat tree for JSON and YAML alike: what was written, and where.
//!
//! A [`Tape`] is a list of nodes in document order. It borrows nothing, so one tape serves a
//! million rows of a samples file without a single allocation after the first few; a [`Value`] is a
//! cursor over a tape and the text it was read from.

use std::borrow::Cow;
use std::ops::Range;

use crate::json;
use crate::syntax::SyntaxFault;

mod keys;
mod number;
mod path;
mod walk;

pub(crate) use keys::fingerprint;
use keys::is_same;
use number::short_number;
use parking_lot::Mutex;
use path::Step;
use walk::Pairs;
pub use walk::{Entries, Items};

/// The kind of a value, in the words that JSON and YAML share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `null`, or nothing at all in YAML.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number.
    Number,
    /// Text.
    String,
    /// An array or sequence.
    List,
    /// An object or mapping.
    Map,
}

impl Kind {
    /// The word for a sentence, with its article.
    pub fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Map => "a mapping",
        }
    }
}

/// The form in which the text of a scalar is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The source text itself (without the quotes of a JSON string).
    Plain,
    /// JSON escapes that are decoded when asked for.
    Escaped,
    /// The same, each of them spelled as we write it.
    Spelled,
    /// Decoded while reading; `next` is the index into the list of decoded texts.
    Decoded,
    /// The source text, and tools disagree on what it is: `no`, `017`, `2026-02-14`.
    Loose,
    /// Boolean true.
    True,
    /// Boolean true, spelled as only YAML 1.1 has it.
    LooseTrue,
    /// Boolean false, spelled as only YAML 1.1 has it.
    LooseFalse,
    /// A number literal that is not finite.
    NonFinite,
}

/// One node; its children, if any, follow it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// For a list or map the index one past its last descendant; for decoded text its index; for a
    /// key of JSON its fingerprint, which is never 0.
    pub(crate) next: u32,
    pub(crate) kind: Kind,
    pub(crate) form: Form,
}

impl Node {
    /// The fingerprint of a key. YAML, which is small, has none.
    #[inline]
    pub(crate) fn print(self) -> Option<u32> {
        (self.next != 0 && matches!(self.form, Form::Plain | Form::Escaped | Form::Spelled))
            .then_some(self.next)
    }
}

/// The usual number of bytes of a document for each of its values and keys.
const USUAL_BYTES_PER_NODE: usize = 16;

/// The nodes of one document, reusable for the next.
#[derive(Debug, Default)]
pub struct Tape {
    pub(crate) nodes: Vec<Node>,
    pub(crate) decoded: Vec<Box<str>>,
    /// The faults of the text, for callers who must not believe a value that has two meanings.
    pub(crate) faults: Vec<SyntaxFault>,
    /// The way to the value whose path was last asked for. The next one is usually near, and a long
    /// list is not counted from its beginning for each of its items.
    trail: Mutex<Vec<Step>>,
}

impl Tape {
    /// An empty tape.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty tape with room for a document of so many bytes, as documents usually are.
    pub fn with_room_for(bytes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(bytes / USUAL_BYTES_PER_NODE),
            ..Self::default()
        }
    }

    /// The root of the document that was last read from `source`, unless nothing was.
    pub fn root<'d>(&'d self, source: &'d str) -> Option<Value<'d>> {
        (!self.nodes.is_empty()).then_some(Value {
            tape: self,
            source,
            index: 0,
        })
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.decoded.clear();
        self.faults.clear();
        self.trail.get_mut().clear();
    }
}

/// A cursor at one value of a document.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    tape: &'d Tape,
    source: &'d str,
    index: u32,
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.kind(), self.raw())
    }
}

impl PartialEq for Value<'_> {
    /// Returns whether both cursors stand at the same value of the same document.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tape, other.tape) && self.index == other.index
    }
}

impl<'d> Value<'d> {
    #[inline]
    fn node(self) -> Node {
        self.tape.nodes[self.index as usize]
    }

    #[inline]
    pub(crate) fn at(self, index: u32) -> Self {
        Self { index, ..self }
    }

    /// The index one past this value and all it holds.
    #[inline]
    fn after(self) -> u32 {
        let node = self.node();
        match node.kind {
            Kind::List | Kind::Map => node.next,
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => self.index + 1,
        }
    }

    /// Returns the kind of the value.
    #[inline]
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// The bytes it covers in the source, quotes and brackets included.
    #[inline]
    pub fn range(self) -> Range<usize> {
        let node = self.node();
        node.start as usize..node.end as usize
    }

    /// The source text of the value, quotes and brackets included.
    pub fn raw(self) -> &'d str {
        self.source.get(self.range()).unwrap_or_default()
    }

    /// The text of a string; `None` for anything else.
    pub fn text(self) -> Option<Cow<'d, str>> {
        let node = self.node();
        if node.kind != Kind::String {
            return None;
        }
        Some(match node.form {
            Form::Escaped | Form::Spelled => Cow::Owned(json::unescape(strip_quotes(self.raw()))),
            Form::Decoded => Cow::Borrowed(&*self.tape.decoded[node.next as usize]),
            Form::Loose => Cow::Borrowed(self.raw()),
            Form::Plain | Form::True | Form::LooseTrue | Form::LooseFalse | Form::NonFinite => {
                Cow::Borrowed(strip_quotes(self.raw()))
            }
        })
    }

    /// A string of JSON as it was written, quotes included, when we would write its text in the
    /// same way: it can then be copied without being decoded.
    pub fn spelled(self) -> Option<&'d str> {
        let node = self.node();
        let is_own = node.kind == Kind::String && matches!(node.form, Form::Plain | Form::Spelled);
        // A document with a fault can have raw control characters, which we escape.
        (is_own && self.tape.faults.is_empty())
            .then(|| self.raw())
            .filter(|raw| raw.starts_with('"'))
    }

    /// The text of a string that needed no decoding, as nearly all keys and ids do; the cheap half
    /// of [`Value::text`].
    pub fn plain_text(self) -> Option<&'d str> {
        let node = self.node();
        (node.kind == Kind::String && node.form == Form::Plain).then(|| strip_quotes(self.raw()))
    }

    /// The bytes of a string that needed no decoding. Comparing bytes spares the check for
    /// character boundaries, which shows when every key of a million rows is compared.
    #[inline]
    fn plain_bytes(self) -> Option<&'d [u8]> {
        let node = self.node();
        if node.kind != Kind::String || node.form != Form::Plain {
            return None;
        }
        match self.source.as_bytes().get(self.range())? {
            [b'"', inside @ .., b'"'] => Some(inside),
            bare => Some(bare),
        }
    }

    /// Returns whether the value is this very text.
    #[inline]
    pub fn is_text(self, text: &str) -> bool {
        match self.plain_bytes() {
            Some(plain) => is_same(plain, text.as_bytes()),
            None => self.text().is_some_and(|own| own == text),
        }
    }

    /// The boolean.
    pub fn truth(self) -> Option<bool> {
        let node = self.node();
        (node.kind == Kind::Bool).then_some(matches!(node.form, Form::True | Form::LooseTrue))
    }

    /// The number, when it is one and finite.
    pub fn number(self) -> Option<f64> {
        let node = self.node();
        if node.kind != Kind::Number || node.form == Form::NonFinite {
            return None;
        }
        let raw = self.raw();
        // Most numbers are short, and those are read faster than any.
        if let Some(number) = short_number(raw.as_bytes()) {
            return Some(number);
        }
        raw.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// The number, when it is a whole one that fits, however it was spelled: `5.0` is 5.
    pub fn integer(self) -> Option<i64> {
        if self.kind() != Kind::Number {
            return None;
        }
        if let Ok(integer) = self.raw().parse() {
            return Some(integer);
        }
        let number = self.number().filter(|number| number.fract() == 0.0)?;
        // A double beyond this is whole but not exact; the bounds that shapes ask about lie far
        // below.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range is checked first"
        )]
        (number.abs() < 9.2e18).then_some(number as i64)
    }

    /// Returns whether tools disagree on what the scalar is: `no`, `017`, `2026-02-14`. Never so in
    /// JSON.
    pub fn is_loose(self) -> bool {
        matches!(
            self.node().form,
            Form::Loose | Form::LooseTrue | Form::LooseFalse
        )
    }

    /// Returns whether the value is a number literal that is not finite: `NaN`, `1e999`, `.inf`.
    pub fn is_non_finite(self) -> bool {
        self.node().form == Form::NonFinite
    }

    /// Returns whether a map or list holds nothing.
    pub fn is_empty(self) -> bool {
        matches!(self.kind(), Kind::List | Kind::Map) && self.node().next == self.index + 1
    }

    /// The items of a list; nothing for anything else.
    #[inline]
    pub fn items(self) -> Items<'d> {
        let end = if self.kind() == Kind::List {
            self.after()
        } else {
            self.index + 1
        };
        Items {
            at: self.at(self.index + 1),
            end,
        }
    }

    /// The keys and values of a map, in order; nothing for anything else.
    #[inline]
    pub fn entries(self) -> Entries<'d> {
        let end = if self.kind() == Kind::Map {
            self.after()
        } else {
            self.index + 1
        };
        Entries {
            at: self.at(self.index + 1),
            end,
        }
    }

    /// The keys and values of a map as they lie on the tape, each with the index of its key;
    /// nothing for anything else.
    ///
    /// A walk that looks at every key of every document is done with most of them when it has seen
    /// the node.
    #[inline]
    pub(crate) fn pairs(self) -> Pairs<'d> {
        let end = if self.kind() == Kind::Map {
            self.after()
        } else {
            self.index + 1
        };
        Pairs {
            nodes: self.tape.nodes.get(..end as usize).unwrap_or_default(),
            index: self.index + 1,
        }
    }

    /// The root of the document.
    #[must_use]
    pub fn root(self) -> Self {
        self.at(0)
    }

    /// Returns the range of the beginning of a list or map, for a caret that need not underline all
    /// of it; the whole of anything else.
    pub fn head(self) -> Range<usize> {
        let range = self.range();
        if !matches!(self.kind(), Kind::List | Kind::Map) {
            return range;
        }
        match self.source.as_bytes().get(range.start) {
            Some(b'{' | b'[') => range.start..range.start + 1,
            // In block style a map begins with its first key, a list with its first dash.
            Some(b'-') if self.kind() == Kind::List => range.start..range.start + 1,
            Some(_) | None => self.entries().next().map_or(range, |(key, _)| key.range()),
        }
    }

    /// The bytes between the quotes of a string.
    pub fn inside(self) -> Range<usize> {
        let range = self.range();
        match self.raw().as_bytes() {
            [b'"', .., b'"'] | [b'\'', .., b'\''] => range.start + 1..range.end - 1,
            _ => range,
        }
    }

    /// The source the document was read from.
    pub fn source(self) -> &'d str {
        self.source
    }

    /// Returns the faults of the whole document, as far as it could be read all the same.
    pub fn faults(self) -> &'d [SyntaxFault] {
        &self.tape.faults
    }

    /// Returns the number of values and keys that the whole document holds.
    pub fn document_len(self) -> usize {
        self.tape.nodes.len()
    }
}

fn strip_quotes(raw: &str) -> &str {
    raw.strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(raw)
}
