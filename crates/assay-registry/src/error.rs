//! Reasons why a registry cannot be read.

/// A registry that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// The file is not YAML.
    #[error("the registry is not YAML: line {line} breaks it")]
    Syntax {
        /// The line, from 1.
        line: usize,
    },
    /// The file does not have the form of a registry.
    #[error("the registry has {found} where it needs {wanted} (`{place}`)")]
    Form {
        /// Path of the value inside the file.
        place: String,
        /// The kind that is needed there.
        wanted: &'static str,
        /// The kind that is there.
        found: String,
    },
    /// A key that no registry has.
    #[error("the registry has a key that nothing reads: `{0}`")]
    UnknownKey(String),
    /// Two models claim one name.
    #[error("both `{first}` and `{second}` are declared as `{name}`")]
    Claimed {
        /// The name.
        name: String,
        /// The model that has it.
        first: String,
        /// The model that claims it too.
        second: String,
    },
    /// A base that is not declared.
    #[error("the base `{base}` of `{model}` is not declared")]
    UnknownBase {
        /// The model that names it.
        model: String,
        /// Its base.
        base: String,
    },
}
