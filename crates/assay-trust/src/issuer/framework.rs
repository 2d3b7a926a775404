use std::fmt;
use std::str::FromStr;

use semver::{Version, VersionReq};

/// The name of a framework in `framework.name`, such as `inspect-ai`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FrameworkName(String);

/// A framework that an integration may speak for, and which versions of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameworkRule {
    /// Its name, exactly.
    pub name: FrameworkName,
    /// Its versions; every one when absent.
    pub versions: Option<VersionReq>,
}

/// The longest name of a framework, in bytes.
const MAX_NAME: usize = 64;

impl FrameworkName {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FrameworkRule {
    /// Returns whether a version is one of these. What cannot be read as a version is in no range.
    pub fn admits(&self, version: &str) -> bool {
        match &self.versions {
            None => true,
            Some(range) => version_of(version).is_some_and(|version| range.matches(&version)),
        }
    }
}

impl fmt::Display for FrameworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for FrameworkName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err("the name of a framework has letters, digits, `-`, `_` and `.` of ASCII")
        }
    }
}

/// A version as frameworks write it: `0.4.2`, and also `0.4`, `v1.2.3`, `0.4.2.dev3`, `1.0rc1`,
/// `2.0+cu12`.
fn version_of(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let (text, build) = text.split_once('+').unwrap_or((text, ""));
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
        .unwrap_or(text.len());
    let (numbers, rest) = text.split_at(end);
    let mut parts: Vec<&str> = numbers.split('.').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() || build.len() > MAX_NAME {
        return None;
    }
    parts.resize(3, "0");
    let mut whole = parts.join(".");
    let rest = rest.trim_matches(['-', '.', '_']);
    if !rest.is_empty() {
        whole = format!("{whole}-{rest}");
    }
    Version::parse(&whole).ok()
}

#[cfg(test)]
mod tests {
    use assay_model::skeleton;

    use super::*;

    fn rule(versions: Option<&str>) -> FrameworkRule {
        FrameworkRule {
            name: "inspect-ai".parse().unwrap(),
            versions: versions.map(|text| VersionReq::parse(text).unwrap()),
        }
    }

    #[test]
    fn a_range_reads_versions_as_frameworks_write_them() {
        let rule = rule(Some(">=0.3.100, <2"));

        for version in ["0.3.100", "0.4.2", "v1.9.9", "1.0", "1", "0.4.2+cu12"] {
            assert!(rule.admits(version), "{version}");
        }
        for version in [
            "0.3.99",
            "2.0.0",
            "0.3",
            "latest",
            "",
            "main",
            "0.3.100.dev1",
            "1.x",
        ] {
            assert!(!rule.admits(version), "{version}");
        }
    }

    #[test]
    fn without_a_range_every_version_will_do() {
        assert!(rule(None).admits("nightly-2026-02-14"));
    }

    /// Row 60 of the threat table.
    #[test]
    fn framework_homoglyph() {
        for text in [
            "inspect\u{2011}ai",
            "\u{456}nspect-ai",
            "inspect ai",
            "",
            &"x".repeat(65),
        ] {
            assert!(text.parse::<FrameworkName>().is_err(), "{text:?}");
        }
        for text in [
            "1nspect-ai",
            "Inspect-AI",
            "inspect_ai",
            "lnspect.ai",
            "inspectai",
        ] {
            assert_eq!(skeleton(text), skeleton("inspect-ai"), "{text}");
        }
        assert_ne!(skeleton("inspect-ai"), skeleton("inspect-evals"));
    }
}
