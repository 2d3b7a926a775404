use assay_formats::eee::is_portable;
use assay_formats::rows::hex;
use sha2::{Digest, Sha256};

/// The path and the name of a record: all of it follows from the log, so that converting twice
/// makes one record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The directory from the root of the datastore: `data/{benchmark}/{developer}/{model}`.
    pub directory: String,
    /// The UUID that names the record.
    pub uuid: String,
}

impl Identity {
    /// The place of a record for `model_id` (`developer/model`, or a bare name) on `dataset`;
    /// `content` is what tells this record from others of the same model and dataset, such as the
    /// bytes of the log's header.
    pub fn new(dataset: &str, model_id: &str, content: &[&[u8]]) -> Self {
        let (developer, model) = model_id.split_once('/').unwrap_or(("unknown", model_id));
        let directory = format!(
            "data/{}/{}/{}",
            file_safe(dataset),
            file_safe(developer),
            file_safe(model)
        );
        let mut hasher = Sha256::new();
        for part in [dataset.as_bytes(), model_id.as_bytes()]
            .iter()
            .chain(content)
        {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self {
            directory,
            uuid: uuid4(hasher.finalize().as_slice()),
        }
    }

    /// Names the run: `dataset/model/time`, and what tells it from others of that second.
    pub(super) fn evaluation_id(&self, dataset: &str, model: &str, time: Option<&str>) -> String {
        let short = self.uuid.split('-').next().unwrap_or_default();
        format!("{dataset}/{model}/{}-{short}", time.unwrap_or("0"))
    }

    /// The path of the samples file, from the root of the datastore.
    pub fn samples_path(&self) -> String {
        format!("{}/{}_samples.jsonl", self.directory, self.uuid)
    }
}

/// The SHA-256 of a text, in hexadecimal; its first half is enough to tell texts apart.
pub(super) fn digest(text: &str) -> String {
    let mut digits = hex(&Sha256::digest(text.as_bytes()));
    digits.truncate(32);
    digits
}

/// A UUID of the form that file names must have, out of a digest.
fn uuid4(digest: &[u8]) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = hex(&bytes);
    let part = |range: std::ops::Range<usize>| &digits[range];
    format!(
        "{}-{}-{}-{}-{}",
        part(0..8),
        part(8..12),
        part(12..16),
        part(16..20),
        part(20..32)
    )
}

/// A name as a directory that every file system can hold: what it cannot hold becomes `_`.
pub fn file_safe(name: &str) -> String {
    let replaced = |c: char| {
        c.is_control() || matches!(c, '/' | '<' | '>' | ':' | '"' | '\\' | '|' | '?' | '*')
    };
    let mut safe: String = name
        .trim()
        .chars()
        .map(|c| if replaced(c) { '_' } else { c })
        .collect();
    if safe.ends_with(['.', ' ']) {
        safe.pop();
        safe.push('_');
    }
    if safe.is_empty() || safe == "data" || !is_portable(&safe) {
        safe.insert(0, '_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_content_has_the_same_name_and_other_content_another() {
        let identity =
            |content: &str| Identity::new("gsm8k", "acme/model-x", &[content.as_bytes()]);

        assert_eq!(identity("a"), identity("a"));
        assert_ne!(identity("a").uuid, identity("b").uuid);
        assert_eq!(identity("a").directory, "data/gsm8k/acme/model-x");
        assert!(assay_formats::eee::is_companion_path(
            &identity("a").samples_path()
        ));
    }

    #[test]
    fn names_become_directories_that_any_system_can_hold() {
        for (name, expected) in [
            ("a/b:c", "a_b_c"),
            ("dots...", "dots.._"),
            ("con", "_con"),
            ("", "_"),
            ("data", "_data"),
            (" x ", "x"),
        ] {
            assert_eq!(file_safe(name), expected);
            assert!(is_portable(&file_safe(name)));
        }
    }

    #[test]
    fn parts_cannot_be_shifted_into_each_other() {
        let one = Identity::new("a", "b/c", &[b"xy", b"z"]);
        let other = Identity::new("a", "b/c", &[b"x", b"yz"]);

        assert_ne!(one.uuid, other.uuid);
    }
}
