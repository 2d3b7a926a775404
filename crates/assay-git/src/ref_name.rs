use assay_model::PullNumber;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The full name of a ref: `refs/heads/main`, `refs/tags/v1`, `refs/pr/3`.
///
/// ```
/// # use assay_git::{RefName, RefNameError};
/// let name: RefName = "refs/heads/main".parse()?;
/// assert_eq!(name, RefName::branch("main")?);
/// assert_eq!("refs/heads/a..b".parse::<RefName>(), Err(RefNameError::Sequence("..")));
/// # Ok::<(), RefNameError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RefName(String);

/// The error of a text that is not the full name of a ref.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RefNameError {
    /// Nothing, or too much.
    #[error("the name of a ref has 1 to {max} bytes", max = RefName::MAX)]
    Length,
    /// Not below `refs/`, or not below a folder of it.
    #[error("the full name of a ref begins with `refs/` and a folder, as `refs/heads/` does")]
    NotFull,
    /// A part that is empty, begins with a dot, or ends in `.lock`.
    #[error("`{0}` may not be a part of the name of a ref")]
    Part(String),
    /// A character that git does not allow.
    #[error("the name of a ref may not contain `{}`", .0.escape_default())]
    Character(char),
    /// Characters that mean something else to git.
    #[error("the name of a ref may not contain `{0}`")]
    Sequence(&'static str),
    /// A dot at the end.
    #[error("the name of a ref may not end with a dot")]
    Dot,
    /// Too many parts.
    #[error("the name of a ref has at most {max} parts between slashes", max = RefName::MAX_PARTS)]
    Depth,
    /// The short name of a branch or tag that means something else wherever a revision can be
    /// named.
    #[error(
        "`{0}` may not name a branch or tag: it would be taken for a hash, for `HEAD`, for a full ref name or for an option"
    )]
    Misleading(String),
}

/// Number of digits full hashes that have, SHA-1 and SHA-256.
const HASH_DIGITS: [usize; 2] = [40, 64];

impl RefName {
    /// The longest a name may be, in bytes: it must fit in a file name with room for `.lock`.
    pub const MAX: usize = 240;

    /// The most parts that a name may have: each but the last is a directory.
    pub const MAX_PARTS: usize = 16;

    const HEADS: &str = "refs/heads/";
    const TAGS: &str = "refs/tags/";
    const PULLS: &str = "refs/pr/";

    /// The branch that every repository has.
    pub fn main() -> Self {
        Self("refs/heads/main".to_owned())
    }

    /// The branch of this short name.
    pub fn branch(name: &str) -> Result<Self, RefNameError> {
        // Git's own commands read a leading dash as an option, so it allows no such branch or tag.
        match name.strip_prefix('-') {
            Some(_) => Err(RefNameError::Part(name.to_owned())),
            None => format!("{}{name}", Self::HEADS).parse(),
        }
    }

    /// The tag of this short name.
    pub fn tag(name: &str) -> Result<Self, RefNameError> {
        match name.strip_prefix('-') {
            Some(_) => Err(RefNameError::Part(name.to_owned())),
            None => format!("{}{name}", Self::TAGS).parse(),
        }
    }

    /// The ref of a pull request.
    pub fn pull(number: PullNumber) -> Self {
        Self(format!("{}{number}", Self::PULLS))
    }

    /// Refuses the name of a ref that is to be made or moved if it has too many parts, or if it is
    /// a branch or tag that can be taken for something else. Repositories may have refs of such
    /// names from before, which can be read and deleted.
    pub fn check_new(&self) -> Result<(), RefNameError> {
        if self.0.split('/').count() > Self::MAX_PARTS {
            return Err(RefNameError::Depth);
        }
        let Some(short) = self.as_branch().or_else(|| self.as_tag()) else {
            return Ok(());
        };
        let is_hash = HASH_DIGITS.contains(&short.len())
            && short.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash || short == "HEAD" || short.starts_with("refs/") || short.starts_with('-') {
            return Err(RefNameError::Misleading(short.to_owned()));
        }
        Ok(())
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The short name, if this is a branch.
    pub fn as_branch(&self) -> Option<&str> {
        self.0.strip_prefix(Self::HEADS)
    }

    /// The short name, if this is a tag.
    pub fn as_tag(&self) -> Option<&str> {
        self.0.strip_prefix(Self::TAGS)
    }

    /// The number, if this is the ref of a pull request: `refs/pr/7`, and not `refs/pr/07` or
    /// `refs/pr/new`.
    pub fn as_pull(&self) -> Option<PullNumber> {
        let digits = self.0.strip_prefix(Self::PULLS)?;
        let number: PullNumber = digits.parse().ok()?;
        (number.to_string() == digits).then_some(number)
    }
}

impl FromStr for RefName {
    type Err = RefNameError;

    fn from_str(text: &str) -> Result<Self, RefNameError> {
        if text.is_empty() || text.len() > Self::MAX {
            return Err(RefNameError::Length);
        }
        let forbidden = |c: &char| c.is_control() || " ~^:?*[\\".contains(*c);
        if let Some(character) = text.chars().find(forbidden) {
            return Err(RefNameError::Character(character));
        }
        if let Some(sequence) = ["..", "@{"].into_iter().find(|two| text.contains(two)) {
            return Err(RefNameError::Sequence(sequence));
        }
        if let Some(part) = text.split('/').find(|part| is_bad_part(part)) {
            return Err(RefNameError::Part(part.to_owned()));
        }
        if text.ends_with('.') {
            return Err(RefNameError::Dot);
        }
        match text.strip_prefix("refs/") {
            Some(rest) if rest.contains('/') => Ok(Self(text.to_owned())),
            Some(_) | None => Err(RefNameError::NotFull),
        }
    }
}

/// Returns whether git refuses a part of a name between slashes.
fn is_bad_part(part: &str) -> bool {
    let lock = part.len() >= 5 && part.as_bytes()[part.len() - 5..].eq_ignore_ascii_case(b".lock");
    part.is_empty() || part.starts_with('.') || lock
}

impl fmt::Display for RefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_refuses_are_refused() {
        for text in [
            "",
            "main",
            "HEAD",
            "refs/main",
            "refs/heads/",
            "refs/heads//a",
            "/refs/heads/a",
            "refs/heads/.a",
            "refs/heads/a.lock",
            "refs/heads/a.lock/b",
            "refs/heads/a..b",
            "refs/heads/a b",
            "refs/heads/a~1",
            "refs/heads/a^",
            "refs/heads/a:b",
            "refs/heads/a?",
            "refs/heads/a*",
            "refs/heads/a[b",
            "refs/heads/a\\b",
            "refs/heads/a@{1}",
            "refs/heads/a.",
            "refs/heads/a\nb",
            "refs/../../etc/passwd",
        ] {
            assert!(text.parse::<RefName>().is_err(), "{text:?}");
        }
        assert!(RefName::branch("-f").is_err());
        assert!(RefName::tag(&"x".repeat(RefName::MAX)).is_err());
    }

    #[test]
    fn a_new_branch_or_tag_is_not_named_like_something_else() {
        let hash = "4f6e0e1f7a0c1b2d3e4f5a6b7c8d9e0f1a2b3c4D";
        for short in [hash, "HEAD", "refs/pr/1", "refs/heads/main", "-x"] {
            for folder in ["heads", "tags"] {
                let name: RefName = format!("refs/{folder}/{short}").parse().unwrap();

                assert_eq!(
                    name.check_new(),
                    Err(RefNameError::Misleading(short.to_owned()))
                );
            }
        }
        for short in [&hash[..39], "head", "refs", "x/HEAD", "a-b", "deadbeef"] {
            assert_eq!(RefName::branch(short).unwrap().check_new(), Ok(()));
        }
    }

    #[test]
    fn a_new_ref_may_not_be_deeper_than_directories_are_made() {
        let deep = |parts: usize| RefName::branch(&vec!["a"; parts].join("/")).unwrap();

        assert_eq!(deep(RefName::MAX_PARTS - 2).check_new(), Ok(()));
        let deeper = deep(RefName::MAX_PARTS - 1).check_new();
        assert_eq!(deeper, Err(RefNameError::Depth));
    }

    #[test]
    fn a_name_knows_what_it_names() {
        let branch = RefName::branch("feature/x").unwrap();
        let tag = RefName::tag("v1.0").unwrap();

        assert_eq!(branch.as_branch(), Some("feature/x"));
        assert_eq!(tag.as_tag(), Some("v1.0"));
        assert_eq!((branch.as_tag(), tag.as_branch()), (None, None));
    }

    #[test]
    fn only_a_plain_number_is_a_pull_request() {
        for (text, number) in [
            ("refs/pr/7", Some(7)),
            ("refs/pr/07", None),
            ("refs/pr/+7", None),
            ("refs/pr/new", None),
            ("refs/pr/7/head", None),
            ("refs/pr/99999999999999999999", None),
        ] {
            assert_eq!(text.parse::<RefName>().unwrap().as_pull(), number, "{text}");
        }
        assert_eq!(RefName::pull(7).as_str(), "refs/pr/7");
    }
}
