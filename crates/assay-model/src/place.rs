use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A half-open range of bytes in one file.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Span {
    /// The first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub fn new(start: u64, end: u64) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Returns the length of the range in bytes.
    pub fn len(self) -> u64 {
        self.end - self.start
    }

    /// Returns whether the range covers nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The file and line of a fault. A fault of a whole file has line 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Place {
    /// The file, as the caller named it.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub file: Arc<str>,
    /// The 1-based line, or 0 when the whole file is meant.
    pub line: u64,
    /// The 1-based column, counted in characters, or 0 when the whole file is meant.
    pub column: u64,
    /// The bytes it covers.
    pub span: Span,
}

impl Place {
    /// The whole of a file.
    pub fn whole(file: Arc<str>) -> Self {
        Self {
            file,
            line: 0,
            column: 0,
            span: Span::default(),
        }
    }

    /// Returns whether the whole file is meant, not a line of it.
    pub fn is_whole(&self) -> bool {
        self.line == 0
    }
}

/// The line a diagnostic points into, cut to a readable width round the place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Excerpt {
    /// The text shown: one line, or a window of a long one.
    pub text: String,
    /// The start of the caret, in bytes of `text`.
    pub start: usize,
    /// The end of the caret, in bytes of `text`.
    pub end: usize,
    /// True if text was cut off on the left.
    pub cut_left: bool,
    /// True if text was cut off on the right.
    pub cut_right: bool,
}
