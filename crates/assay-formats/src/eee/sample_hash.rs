use sha2::{Digest, Sha256};

use crate::json::write_string;
use crate::rows::hex;

/// What tells one question from another, in every harness alike: the SHA-256 of the canonical JSON (RFC 8785) of
/// `{"raw": question, "reference": [answers]}`.
///
/// ```
/// # use assay_formats::eee::sample_hash;
/// assert_eq!(
///     sample_hash("What is one plus one?", &["2"]),
///     "5cf336fe44ddc267a6d0a06064755faeb09454d89b2affb155533a494270f107"
/// );
/// ```
pub fn sample_hash<T: AsRef<str>>(raw: &str, reference: &[T]) -> String {
    let mut text = Vec::with_capacity(raw.len() + 64);
    text.extend_from_slice(b"{\"raw\":");
    write_string(raw, &mut text);
    text.extend_from_slice(b",\"reference\":[");
    for (position, answer) in reference.iter().enumerate() {
        if position > 0 {
            text.push(b',');
        }
        write_string(answer.as_ref(), &mut text);
    }
    text.extend_from_slice(b"]}");
    hex(&Sha256::digest(&text))
}
