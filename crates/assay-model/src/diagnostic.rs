use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Code, Excerpt, Place, Span};

/// The severity of a diagnostic, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; changes no exit code.
    Note,
    /// Suspicious; never refuses a push.
    Warning,
    /// Breaks the contract of the format; refuses a push.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One fault, for the person who can mend it: what, where, and the next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnostic {
    /// The rule that found it.
    pub code: Code,
    /// The severity of the fault.
    pub severity: Severity,
    /// The fault: lower case, no full stop, backticks round what the user wrote.
    pub message: String,
    /// The place of the fault.
    pub place: Place,
    /// The path inside the document, such as `metrics[0].value`; empty for the whole document.
    pub path: String,
    /// The source line, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excerpt: Option<Excerpt>,
    /// The evidence behind a suspicion, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The edit that `--fix` makes, when there is a safe one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

/// A change that makes a finding go away and cannot change what the author meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fix {
    /// Replace bytes of the file, all edits together.
    Edit(Vec<Edit>),
    /// Give the file this name, in the same directory.
    Rename(String),
}

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Edit {
    /// The text that is replaced.
    pub span: Span,
    /// The replacement.
    pub text: String,
}
