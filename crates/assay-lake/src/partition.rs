//! Which directory the rows of a benchmark and a model lie in.

use assay_formats::rows::{Algorithm, Hasher};
use serde::{Deserialize, Serialize};

/// How many characters of a name a directory keeps, for people who look at it.
const KEPT_OF_NAME: usize = 48;
/// How many digits of a digest tell two names apart that look alike once they are cut and cleaned.
const DIGITS: usize = 12;

/// A benchmark and a model, whose samples lie together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Partition {
    /// The benchmark.
    pub benchmark: String,
    /// The model.
    pub model: String,
}

impl Partition {
    /// The directory of its files, below that of the table.
    ///
    /// Names come from strangers, so a directory has only what every file system can hold. The columns have the names as they
    /// are; nobody reads them out of a path.
    pub(crate) fn directory(&self) -> String {
        format!("{}/{}", slug(&self.benchmark), slug(&self.model))
    }
}

fn slug(name: &str) -> String {
    let clean: String = name
        .chars()
        .take(KEPT_OF_NAME)
        .map(|character| match character {
            'a'..='z' | '0'..='9' | '-' | '_' => character,
            'A'..='Z' => character.to_ascii_lowercase(),
            _ => '-',
        })
        .collect();
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(name.as_bytes());
    let digest = hasher.hex();
    format!("{clean}.{}", &digest[..DIGITS])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_to_a_file_system_have_directories_of_their_own() {
        let names = ["Acme/X", "acme/x", "acme-x", "../..", "a\u{0}b", "con", ""];

        let slugs: std::collections::BTreeSet<String> = names.into_iter().map(slug).collect();

        assert_eq!(slugs.len(), names.len());
        for slug in slugs {
            assert!(slug.bytes().all(|byte| byte.is_ascii_lowercase()
                || byte.is_ascii_digit()
                || b"-_.".contains(&byte)));
            assert!(!slug.starts_with("..") && slug.len() <= KEPT_OF_NAME + 1 + DIGITS);
        }
    }
}
