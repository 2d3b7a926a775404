use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The name of a repository: `namespace/name`, or a bare `name` as old benchmarks have.
///
/// Segments are ASCII by grammar, so that no homoglyph can pose as another organisation.
///
/// ```
/// # use assay_model::{RepoId, RepoIdError};
/// let id: RepoId = "ScaleAI/SWE-bench_Pro".parse()?;
/// assert_eq!((id.namespace(), id.name()), (Some("ScaleAI"), "SWE-bench_Pro"));
/// assert_eq!(id.result_file_name(), "swe_bench_pro.yaml");
/// # Ok::<(), RepoIdError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RepoId(String);

/// The error of a text that is not the name of a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepoIdError {
    /// More than one slash.
    #[error("a repository id is `namespace/name`; this has {0} slashes")]
    TooManyParts(usize),
    /// A segment that is empty or too long.
    #[error("each part of a repository id has 1 to {max} characters", max = RepoId::MAX_PART)]
    Length,
    /// A character outside the grammar.
    #[error("`{0}` may not stand in a repository id; letters, digits, `-`, `_` and `.` may")]
    Character(char),
    /// `-` or `.` at an end, doubled, or a `.git` suffix.
    #[error(
        "a part of a repository id may not begin or end with `-` or `.`, contain `--` or `..`, or end in `.git`"
    )]
    Punctuation,
}

impl RepoId {
    /// The longest a segment may be.
    pub const MAX_PART: usize = 96;

    /// Returns whether a text is the name of a repository, for those who do not need one.
    pub fn check(text: &str) -> Result<(), RepoIdError> {
        let Some((namespace, name)) = text.split_once('/') else {
            return check_part(text);
        };
        let more = name.bytes().filter(|byte| *byte == b'/').count();
        if more > 0 {
            return Err(RepoIdError::TooManyParts(more + 1));
        }
        check_part(namespace)?;
        check_part(name)
    }

    /// The part before the slash, if there is one.
    pub fn namespace(&self) -> Option<&str> {
        self.0.split_once('/').map(|(namespace, _)| namespace)
    }

    /// The part after the slash.
    pub fn name(&self) -> &str {
        self.0
            .split_once('/')
            .map_or(self.0.as_str(), |(_, name)| name)
    }

    /// The whole id.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The file under `.eval_results/` that results for this benchmark belong in.
    pub fn result_file_name(&self) -> String {
        format!(
            "{}.yaml",
            self.name().to_ascii_lowercase().replace('-', "_")
        )
    }
}

impl FromStr for RepoId {
    type Err = RepoIdError;

    fn from_str(text: &str) -> Result<Self, RepoIdError> {
        Self::check(text)?;
        Ok(Self(text.to_owned()))
    }
}

fn check_part(part: &str) -> Result<(), RepoIdError> {
    if part.is_empty() || part.len() > RepoId::MAX_PART {
        return Err(RepoIdError::Length);
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    // What is allowed is ASCII, so the first other byte begins a character.
    let other = part.bytes().position(|byte| !allowed(byte));
    if let Some(character) = other.and_then(|at| part[at..].chars().next()) {
        return Err(RepoIdError::Character(character));
    }
    let edge = |byte: Option<&u8>| matches!(byte, Some(b'-' | b'.'));
    let doubled = || {
        let pairs = part.bytes().zip(part.bytes().skip(1));
        pairs.fold(false, |any, pair| {
            any | matches!(pair, (b'-', b'-') | (b'.', b'.'))
        })
    };
    let bytes = part.as_bytes();
    let is_git = bytes
        .last_chunk::<4>()
        .is_some_and(|end| end.eq_ignore_ascii_case(b".git"));
    if edge(bytes.first()) || edge(bytes.last()) || is_git || doubled() {
        return Err(RepoIdError::Punctuation);
    }
    Ok(())
}

impl fmt::Display for RepoId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_could_escape_a_directory_are_refused() {
        for text in [
            "../x", "a/..", "a/.git", "a/b.git", "a\\b", "a/b\0", "a/", "/a", "%2e%2e/x",
        ] {
            assert!(text.parse::<RepoId>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_cyrillic_letter_is_named_in_the_refusal() {
        assert_eq!(
            "\u{430}cme/model".parse::<RepoId>(),
            Err(RepoIdError::Character('\u{430}'))
        );
        assert_eq!(
            "acme/model\n".parse::<RepoId>(),
            Err(RepoIdError::Character('\n'))
        );
    }

    #[test]
    fn a_second_slash_is_counted() {
        assert_eq!("a/b/c".parse::<RepoId>(), Err(RepoIdError::TooManyParts(2)));
    }
}
