//! Faults of text before it means anything.

use std::ops::Range;

/// The limits that keep hostile text from costing more than it is long.
pub mod limits {
    /// The greatest depth of lists and maps in JSON.
    pub const MAX_DEPTH: usize = 128;
    /// Maximum number of values in one JSON document or samples row.
    pub const MAX_VALUES: usize = 1 << 20;
    /// Maximum size of one samples row, in bytes.
    pub const MAX_ROW_BYTES: usize = 16 << 20;
    /// Maximum size of one JSON document, in bytes.
    pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;
    /// Maximum size of one YAML document, in bytes.
    pub const MAX_YAML_BYTES: usize = 1 << 20;
    /// The greatest depth of lists and maps in YAML.
    pub const MAX_YAML_DEPTH: usize = 32;
    /// Maximum number of values in one YAML document, what its aliases stand for included.
    pub const MAX_YAML_VALUES: usize = 1 << 16;
    /// Number of faults of syntax that are kept of one document.
    pub const MAX_SYNTAX_FAULTS: usize = 1000;
}

/// A fault of syntax and the bytes it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxFault {
    /// The kind of fault.
    pub kind: SyntaxFaultKind,
    /// The range in bytes of the text that was read.
    pub range: Range<usize>,
}

/// A kind of fault of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxFaultKind {
    /// Something else stands where this should.
    Expected(&'static str),
    /// The text ends inside a string, list or map.
    UnexpectedEnd,
    /// There is more after the document.
    TrailingText,
    /// A comma with nothing after it.
    TrailingComma,
    /// A key that its map already has; `first` is where.
    DuplicateKey {
        /// The range of the first such key.
        first: Range<usize>,
    },
    /// `NaN`, `Infinity`, or a number too large for a double.
    NonFinite,
    /// A surrogate escape without its other half.
    LoneSurrogate,
    /// A raw control character inside a string.
    ControlCharacter,
    /// A backslash before something that cannot be escaped.
    BadEscape,
    /// Deeper than the limit.
    TooDeep,
    /// More values than the limit.
    TooManyValues,
    /// YAML that cannot be read, in plain words.
    Yaml(String),
    /// An anchor, a tag, a directive, a merge key: YAML that other tools read differently.
    YamlConstruct(YamlConstruct),
}

impl SyntaxFaultKind {
    /// Returns whether nothing after this fault could be read.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Expected(_)
            | Self::UnexpectedEnd
            | Self::TrailingText
            | Self::TooDeep
            | Self::TooManyValues
            | Self::Yaml(_) => true,
            Self::TrailingComma
            | Self::DuplicateKey { .. }
            | Self::NonFinite
            | Self::LoneSurrogate
            | Self::ControlCharacter
            | Self::BadEscape
            | Self::YamlConstruct(_) => false,
        }
    }
}

/// YAML that is legal and that result files do better without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlConstruct {
    /// `&name` or `*name`; the alias is read as a copy.
    Alias,
    /// `!tag`; the value is read as if it had none.
    Tag,
    /// `%YAML`, `%TAG`.
    Directive,
    /// A second document, which is not read.
    SecondDocument,
    /// `<<:`; it is read as an ordinary key.
    MergeKey,
    /// A key that is a list, a map or an alias.
    ComplexKey,
    /// A tab outside quotes, comments and block scalars; it is read as a space.
    Tab,
}
