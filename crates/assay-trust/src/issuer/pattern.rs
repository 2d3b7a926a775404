use std::fmt;
use std::str::FromStr;

use assay_model::RepoId;

/// The repositories that a rule is about: a name as it is, or with `*` for any characters inside
/// one segment.
///
/// ```
/// # use assay_trust::issuer::{Pattern, PatternError};
/// let pattern: Pattern = "acme/internal-*".parse()?;
/// assert!(pattern.matches(&"acme/internal-7b".parse().unwrap()));
/// assert!(!pattern.matches(&"acme/public-7b".parse().unwrap()));
/// assert!("acme/**".parse::<Pattern>().is_err());
/// # Ok::<(), PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<SegmentPattern>);

/// A pattern for one segment: a namespace or a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentPattern(String);

/// The error of a text that is no pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a pattern is a name in which `*` stands for any characters of one segment; letters, digits, `-`, `_` and `.` may stand beside it"
)]
pub struct PatternError;

impl Pattern {
    /// Returns whether a repository is meant. Names are compared as a hub compares them, in any
    /// case, and `*` never crosses the slash.
    pub fn matches(&self, id: &RepoId) -> bool {
        let mut segments = id.as_str().split('/');
        let each = self
            .0
            .iter()
            .all(|pattern| segments.next().is_some_and(|text| pattern.matches(text)));
        each && segments.next().is_none()
    }
}

impl SegmentPattern {
    /// Returns whether a segment is meant, in any case.
    pub fn matches(&self, text: &str) -> bool {
        let (pattern, text) = (self.0.as_bytes(), text.as_bytes());
        let (mut at, mut read) = (0, 0);
        // Where the last `*` stands and how much it has taken: only the last one ever has to take
        // more.
        let mut star = None;
        while read < text.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    star = Some((at, read));
                    at += 1;
                }
                Some(byte) if byte.eq_ignore_ascii_case(&text[read]) => {
                    at += 1;
                    read += 1;
                }
                Some(_) | None => {
                    let Some((place, taken)) = star else {
                        return false;
                    };
                    star = Some((place, taken + 1));
                    at = place + 1;
                    read = taken + 1;
                }
            }
        }
        pattern[at..].iter().all(|byte| *byte == b'*')
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let segments: Vec<SegmentPattern> =
            text.split('/').map(str::parse).collect::<Result<_, _>>()?;
        if segments.len() > 2 {
            return Err(PatternError);
        }
        Ok(Self(segments))
    }
}

impl FromStr for SegmentPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.*".contains(&byte);
        let is_pattern = (1..=RepoId::MAX_PART).contains(&text.len())
            && text.bytes().all(is_plain)
            && !text.contains("**");
        if is_pattern {
            Ok(Self(text.to_owned()))
        } else {
            Err(PatternError)
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("/")?;
            }
            fmt::Display::fmt(segment, f)?;
        }
        Ok(())
    }
}

impl fmt::Display for SegmentPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, id: &str) -> bool {
        let pattern: Pattern = pattern.parse().unwrap();
        pattern.matches(&id.parse().unwrap())
    }

    /// Row 61 of the threat table: no spelling gets round a rule.
    #[test]
    fn policy_matcher_table() {
        for (pattern, id, expected) in [
            ("cais/hle", "cais/hle", true),
            ("cais/hle", "Cais/HLE", true),
            ("Acme/Secret*", "acme/secretbench", true),
            ("acme/secret*", "ACME/SecretBench", true),
            ("cais/hle", "cais/hle-2", false),
            ("cais/hle", "xcais/hle", false),
            ("*/*", "cais/hle", true),
            ("*", "gpqa", true),
            ("*", "cais/hle", false),
            ("*/*", "gpqa", false),
            ("acme/*", "acme/a", true),
            ("acme/*", "acme-evil/a", false),
            ("acme/internal-*", "acme/internal-", false),
            ("acme/internal-*", "acme/internal-x", true),
            ("acme/*-7b", "acme/a-7b-7b", true),
            ("acme/*-7b", "acme/a-7b-8b", false),
            ("a*c/*x*", "abc/oxo", true),
            ("a*c/*x*", "ab/oxo", false),
        ] {
            // A name that cannot be one never reaches a rule.
            let Ok(parsed) = id.parse::<RepoId>() else {
                assert!(!expected, "{id}");
                continue;
            };

            let matched = pattern.parse::<Pattern>().unwrap().matches(&parsed);

            assert_eq!(matched, expected, "{pattern} {id}");
        }
        for text in [
            "",
            "/",
            "a/",
            "/a",
            "a/b/c",
            "acme/**",
            "acme%2fhle",
            "a b",
            " acme/x",
            "acme/\u{445}",
            "acme/x\n",
            "[a]/b",
            "a?/b",
        ] {
            assert!(text.parse::<Pattern>().is_err(), "{text:?}");
        }
        for id in [
            "acme%2fhle",
            "acme/hle ",
            " acme/hle",
            "acme/hle\n",
            "acme//hle",
            "acme/../x",
        ] {
            assert!(id.parse::<RepoId>().is_err(), "{id:?}");
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_their_product() {
        let pattern = "a*a*a*a*a*a*a*a*b";

        assert!(!matches(pattern, &"a".repeat(96)));
    }

    #[test]
    fn a_pattern_prints_as_it_was_written() {
        for text in ["*/*", "cais/hle", "gpqa", "acme/internal-*"] {
            assert_eq!(text.parse::<Pattern>().unwrap().to_string(), text);
        }
    }
}
