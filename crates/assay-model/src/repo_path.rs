use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The path of a file inside a repository: relative, `/` between its parts, and safe to check out
/// anywhere.
///
/// ```
/// # use assay_model::{RepoPath, RepoPathError};
/// let path: RepoPath = ".eval_results/gpqa.yaml".parse()?;
/// assert_eq!(path.name(), "gpqa.yaml");
/// assert_eq!("a/../b".parse::<RepoPath>(), Err(RepoPathError::Part("..".to_owned())));
/// # Ok::<(), RepoPathError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RepoPath(String);

/// The error of a text that is not the path of a file in a repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RepoPathError {
    /// Nothing, or too much.
    #[error("a path has 1 to {max} bytes", max = RepoPath::MAX)]
    Length,
    /// A part that would leave the repository, or reach into git's own files.
    #[error("`{0}` may not be a part of a path")]
    Part(String),
    /// A part that no file system holds.
    #[error("`{}..` is too long: a part of a path between slashes has at most {max} bytes", beginning(.0), max = RepoPath::MAX_PART)]
    LongPart(String),
    /// A character that file systems or terminals read otherwise.
    #[error("a path may not contain `{}`", .0.escape_default())]
    Character(char),
}

impl RepoPath {
    /// The longest a path may be, in bytes.
    pub const MAX: usize = 1024;

    /// The longest a part between slashes may be, in bytes: no common file system holds a longer
    /// name.
    pub const MAX_PART: usize = 255;

    /// The whole path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the last slash.
    pub fn name(&self) -> &str {
        self.0
            .rsplit_once('/')
            .map_or(self.0.as_str(), |(_, name)| name)
    }
}

impl FromStr for RepoPath {
    type Err = RepoPathError;

    fn from_str(text: &str) -> Result<Self, RepoPathError> {
        if text.is_empty() || text.len() > Self::MAX {
            return Err(RepoPathError::Length);
        }
        if let Some(character) = text.chars().find(|c| c.is_control() || *c == '\\') {
            return Err(RepoPathError::Character(character));
        }
        if let Some(part) = text.split('/').find(|part| part.len() > Self::MAX_PART) {
            return Err(RepoPathError::LongPart(part.to_owned()));
        }
        match text.split('/').find(|part| is_unsafe(part)) {
            Some(part) => Err(RepoPathError::Part(part.to_owned())),
            None => Ok(Self(text.to_owned())),
        }
    }
}

/// Returns whether a part of a path is empty, leaves its directory, or is taken for `.git` by some
/// file system: letters of any case, trailing dots and spaces, a stream name, or characters that
/// HFS+ does not see.
fn is_unsafe(part: &str) -> bool {
    if part.is_empty() || part == "." || part == ".." {
        return true;
    }
    let seen: String = part.chars().filter(|c| !is_ignored(*c)).collect();
    let plain = seen.split(':').next().unwrap_or_default();
    let plain = plain.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    plain == ".git" || plain == "git~1" || plain.is_empty()
}

/// As much of a part as helps to find it.
fn beginning(part: &str) -> String {
    part.chars().take(40).collect()
}

/// Returns whether HFS+ leaves a character out when it compares names.
fn is_ignored(character: char) -> bool {
    matches!(character, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_repository_or_reach_into_git_are_refused() {
        for text in [
            "",
            "/etc/passwd",
            "a//b",
            "a/",
            "./a",
            "a/../b",
            "..",
            ".git/config",
            ".GIT/hooks/x",
            "a/.git",
            ".git. /x",
            "git~1/x",
            ".g\u{200c}it/config",
            ".git::$INDEX_ALLOCATION/x",
            "a\\..\\b",
            "a\nb",
            "a\0b",
        ] {
            assert!(text.parse::<RepoPath>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_part_that_no_file_system_holds_is_refused_and_the_longest_one_is_not() {
        let path = |length: usize| format!("data/{}/x", "é".repeat(length / 2)).parse::<RepoPath>();

        assert!(path(RepoPath::MAX_PART - 1).is_ok());
        let refused = path(RepoPath::MAX_PART + 1).unwrap_err().to_string();
        assert!(
            refused.ends_with("a part of a path between slashes has at most 255 bytes"),
            "{refused}"
        );
    }

    #[test]
    fn ordinary_paths_are_kept_as_written() {
        for text in [
            ".gitattributes",
            ".github/x",
            "data/a b.json",
            "résumé.md",
            "...",
            "a/.gitignore",
        ] {
            let path = text.parse::<RepoPath>();

            match text {
                "..." => assert!(path.is_err(), "`...` has only dots"),
                _ => assert_eq!(path.unwrap().as_str(), text),
            }
        }
    }
}
