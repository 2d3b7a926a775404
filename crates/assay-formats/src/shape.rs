//! Formats described once, as data: validation walks a shape, and the JSON Schema is printed from
//! it.

mod evaluate;
mod schema;

pub use evaluate::{ShapeFault, ShapeFaultKind, evaluate};
pub use schema::json_schema;

use crate::Kind;
use crate::tape::fingerprint;

/// The shape of a value.
#[derive(Debug)]
pub enum Shape {
    /// Anything at all.
    Any,
    /// Only null.
    Null,
    /// A boolean.
    Bool,
    /// Any string.
    String,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// A string of a named form.
    Pattern(&'static Pattern),
    /// A whole number, however spelled: `5.0` is one.
    Integer {
        /// The least it may be.
        min: Option<i64>,
    },
    /// A number.
    Number {
        /// The least it may be.
        min: Option<f64>,
        /// The most it may be.
        max: Option<f64>,
    },
    /// A list of one shape.
    List {
        /// The shape of each item.
        items: &'static Shape,
        /// The least number of items.
        min: usize,
    },
    /// A map with free keys and values of one shape.
    Map(&'static Shape),
    /// A map with named keys.
    Object(&'static Object),
    /// A map with some named keys and otherwise only strings.
    Details(&'static Object),
    /// If a map, then this one; otherwise anything. Only the oldest schema is so careless.
    IfMap(&'static Object),
    /// The first of these whose kind fits; their kinds do not overlap.
    Either(&'static [&'static Shape]),
    /// One of several maps, told apart by the text behind one key.
    Tagged {
        /// The key that tells.
        tag: &'static str,
        /// The text and the map it announces.
        variants: &'static [(&'static str, &'static Object)],
    },
}

/// A form that text must have, as code for the judge and as a regular expression for the schema.
#[derive(Debug)]
pub struct Pattern {
    /// The name of the text for a sentence.
    pub words: &'static str,
    /// The same as a regular expression.
    pub regex: &'static str,
    /// True if a text fits.
    pub fits: fn(&str) -> bool,
}

/// A map with named keys.
#[derive(Debug)]
pub struct Object {
    /// The name of the map for a sentence.
    pub name: &'static str,
    /// The keys it knows.
    pub fields: &'static [Field],
    /// The treatment of other keys.
    pub unknown: Unknown,
    /// Conditions between the keys.
    pub conditions: &'static [Condition],
    /// A bit for each required field.
    required: u64,
}

/// The treatment of a key that a map does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// It is a fault.
    Refuse,
    /// It is kept; someone may have mistyped a known key.
    Keep,
    /// It is kept, and reported, because tools that read the file will ignore it.
    Report,
}

/// One key of a map.
#[derive(Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// The shape of what stands behind it.
    pub shape: &'static Shape,
    /// True if it must be there.
    pub required: bool,
    /// The meaning of the key.
    pub doc: &'static str,
    /// The fingerprint of the key.
    print: u32,
}

impl Field {
    /// A key that must be there.
    pub const fn required(name: &'static str, shape: &'static Shape, doc: &'static str) -> Self {
        Self::new(name, shape, true, doc)
    }

    /// A key that may be there.
    pub const fn optional(name: &'static str, shape: &'static Shape, doc: &'static str) -> Self {
        Self::new(name, shape, false, doc)
    }

    const fn new(
        name: &'static str,
        shape: &'static Shape,
        required: bool,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            shape,
            required,
            doc,
            print: fingerprint(name.as_bytes()),
        }
    }
}

impl Object {
    /// The most keys a map can know: one bit each.
    const MAX_FIELDS: usize = 64;

    /// A map that keeps keys it does not know.
    pub const fn open(name: &'static str, fields: &'static [Field]) -> Self {
        Self::new(name, fields, Unknown::Keep, &[])
    }

    /// A map that refuses keys it does not know.
    pub const fn closed(name: &'static str, fields: &'static [Field]) -> Self {
        Self::new(name, fields, Unknown::Refuse, &[])
    }

    /// A map with all its properties given.
    ///
    /// # Panics
    /// At compile time, when there are more fields than bits.
    pub const fn new(
        name: &'static str,
        fields: &'static [Field],
        unknown: Unknown,
        conditions: &'static [Condition],
    ) -> Self {
        assert!(fields.len() <= Self::MAX_FIELDS, "one bit a field");
        let mut required = 0;
        let mut index = 0;
        while index < fields.len() {
            if fields[index].required {
                required |= 1 << index;
            }
            index += 1;
        }
        Self {
            name,
            fields,
            unknown,
            conditions,
            required,
        }
    }
}

/// A rule between the keys of one map.
#[derive(Debug)]
pub struct Condition {
    /// The key that decides.
    pub key: &'static str,
    /// The texts that make the rule apply.
    pub is: &'static [&'static str],
    /// True if the rule also applies when the key is absent.
    pub or_absent: bool,
    /// The consequences of the condition.
    pub then: &'static [Then],
}

/// A consequence of a condition.
#[derive(Debug)]
pub enum Then {
    /// These keys must be there.
    Needs(&'static [&'static str]),
    /// The value of this key, if any, must have this shape.
    Holds(&'static str, &'static Shape),
}

impl Shape {
    /// Returns whether a value of this kind can have the shape.
    pub fn takes(&self, kind: Kind) -> bool {
        match self {
            Self::Any | Self::IfMap(_) => true,
            Self::Null => kind == Kind::Null,
            Self::Bool => kind == Kind::Bool,
            Self::String | Self::Choice(_) | Self::Pattern(_) => kind == Kind::String,
            Self::Integer { .. } | Self::Number { .. } => kind == Kind::Number,
            Self::List { .. } => kind == Kind::List,
            Self::Map(_) | Self::Object(_) | Self::Details(_) | Self::Tagged { .. } => {
                kind == Kind::Map
            }
            Self::Either(shapes) => shapes.iter().any(|shape| shape.takes(kind)),
        }
    }

    /// Returns whether every value of this kind has the shape, so that it need not be looked at any
    /// further.
    fn settles(&self, kind: Kind) -> bool {
        match self {
            Self::Any => true,
            Self::Null => kind == Kind::Null,
            Self::Bool => kind == Kind::Bool,
            Self::String => kind == Kind::String,
            Self::Number { min, max } => min.is_none() && max.is_none() && kind == Kind::Number,
            Self::Either(shapes) => shapes.iter().any(|shape| shape.settles(kind)),
            Self::IfMap(_) => kind != Kind::Map,
            Self::Choice(_)
            | Self::Pattern(_)
            | Self::Integer { .. }
            | Self::List { .. }
            | Self::Map(_)
            | Self::Object(_)
            | Self::Details(_)
            | Self::Tagged { .. } => false,
        }
    }

    /// Returns the expected kinds for a sentence: `a string or null`.
    pub fn words(&self) -> String {
        match self {
            Self::Any | Self::IfMap(_) => "anything".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool => "`true` or `false`".to_owned(),
            Self::String => "a string".to_owned(),
            Self::Choice(options) => one_of(options),
            Self::Pattern(pattern) => pattern.words.to_owned(),
            Self::Integer { .. } => "a whole number".to_owned(),
            Self::Number { .. } => "a number".to_owned(),
            Self::List { items, .. } => match items {
                Self::String => "a list of strings".to_owned(),
                _ => "a list".to_owned(),
            },
            Self::Map(values) => match values {
                Self::String => "a mapping of strings to strings".to_owned(),
                _ => "a mapping".to_owned(),
            },
            Self::Object(object) | Self::Details(object) => format!("a mapping ({})", object.name),
            Self::Tagged { .. } => "a mapping".to_owned(),
            Self::Either(shapes) => {
                let words: Vec<String> = shapes.iter().map(|shape| shape.words()).collect();
                words.join(" or ")
            }
        }
    }
}

/// The options of a choice, for a sentence.
pub fn one_of(options: &[&str]) -> String {
    let quoted: Vec<String> = options.iter().map(|option| format!("`{option}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}
