use sha2::{Digest, Sha256};

use crate::json::write_string;
use crate::rows::hex;

/// The mark behind which some datasets, such as GSM8K, give the final answer of a worked solution.
const FINAL_ANSWER: &str = "####";

/// Identifies a question in the results of every harness: the SHA-256 of the canonical JSON (RFC
/// 8785) of `{"raw": question, "reference": [answers]}`.
///
/// White space around texts does not count, nor does the order of answers or the solution in front
/// of a final answer: harnesses differ in these for one question. The answers are part of the
/// recipe because many questions share a text, such as "Which of these is true?", and questions
/// about images and files are often told apart by nothing else.
///
/// ```
/// # use assay_formats::eee::sample_hash;
/// let hash = sample_hash("What is one plus one?", &["2"]);
/// assert_eq!(hash, "5cf336fe44ddc267a6d0a06064755faeb09454d89b2affb155533a494270f107");
/// assert_eq!(hash, sample_hash(" What is one plus one?\n", &["One and one: 2 #### 2", "2 "]));
/// ```
pub fn sample_hash<T: AsRef<str>>(raw: &str, reference: &[T]) -> String {
    let mut answers: Vec<&str> = reference
        .iter()
        .map(|text| final_answer(text.as_ref()))
        .collect();
    answers.sort_unstable();
    answers.dedup();
    let mut text = Vec::with_capacity(raw.len() + 64);
    text.extend_from_slice(b"{\"raw\":");
    write_string(raw.trim(), &mut text);
    text.extend_from_slice(b",\"reference\":[");
    for (position, answer) in answers.into_iter().enumerate() {
        if position > 0 {
            text.push(b',');
        }
        write_string(answer, &mut text);
    }
    text.extend_from_slice(b"]}");
    hex(&Sha256::digest(&text))
}

/// Returns whether a text of JSON, between its quotes, goes into the hash just as it is spelled.
pub fn is_hashed_as_spelled(inside: &str) -> bool {
    let is_plain = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_graphic);
    let bytes = inside.as_bytes();
    // An escape at the end is at most `\u0020`.
    let end = &bytes[bytes.len().saturating_sub(6)..];
    is_plain(bytes.first())
        && is_plain(bytes.last())
        && bytes.first() != Some(&b'\\')
        && !end.contains(&b'\\')
        && !inside.contains(FINAL_ANSWER)
}

fn final_answer(text: &str) -> &str {
    let last = text.rsplit(FINAL_ANSWER).next().unwrap_or_default().trim();
    if last.is_empty() { text.trim() } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_in_any_order_are_one_question_and_other_answers_another() {
        let hash = sample_hash("Name a colour", &["red", "blue"]);

        assert_eq!(hash, sample_hash("Name a colour", &["blue", " red", "red"]));
        assert_ne!(hash, sample_hash("Name a colour", &["red"]));
        assert_ne!(hash, sample_hash("Name a  colour", &["red", "blue"]));
        assert_ne!(sample_hash("", &["a"]), sample_hash("", &["#### "]));
    }

    #[test]
    fn what_must_be_changed_before_it_is_hashed_is_not_hashed_as_spelled() {
        for plain in ["", "a", "a \\n and so on", "What is 2+2?"] {
            assert!(is_hashed_as_spelled(plain), "{plain}");
        }
        for other in [
            " a", "a ", "a\\n", "\\ta", "a\\u0020", "\u{a0}a", "1 #### 1",
        ] {
            assert!(!is_hashed_as_spelled(other), "{other}");
        }
    }
}
