use sha2::{Digest, Sha256};

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
    let write = |text: &mut Vec<u8>, part: &str| {
        serde_json::to_writer(text, part).expect("text can always be written");
    };
    text.extend_from_slice(b"{\"raw\":");
    write(&mut text, raw);
    text.extend_from_slice(b",\"reference\":[");
    for (position, answer) in reference.iter().enumerate() {
        if position > 0 {
            text.push(b',');
        }
        write(&mut text, answer.as_ref());
    }
    text.extend_from_slice(b"]}");
    hex(&Sha256::digest(&text))
}
