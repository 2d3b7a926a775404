//! Answers that anonymous readers get again and again, kept as bytes until something they can see has changed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use axum::http::HeaderMap;
use axum::response::Response;
use bytes::Bytes;

/// The most answers that are kept.
const MAX_ANSWERS: usize = 4096;
/// The most bytes that are kept, all answers together.
const MAX_BYTES: usize = 256 << 20;
/// The longest address that an answer is kept for.
const MAX_KEY: usize = 1024;

/// Answers by address, all of one generation of the hub.
#[derive(Default)]
pub(crate) struct Rendered {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    generation: u64,
    bytes: usize,
    answers: HashMap<String, Answer>,
}

/// An answer that can be given again.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// Its headers.
    pub(crate) headers: HeaderMap,
    /// Its bytes.
    pub(crate) body: Bytes,
}

impl Rendered {
    /// The answer kept for an address, unless something has changed since.
    pub(crate) fn get(&self, generation: u64, key: &str) -> Option<Answer> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.generation != generation {
            return None;
        }
        kept.answers.get(key).cloned()
    }

    /// Keeps an answer. `generation` is the one from before the answer was computed, so that a change on the way makes it
    /// stale at once.
    pub(crate) fn put(&self, generation: u64, key: String, answer: Answer) {
        if key.len() > MAX_KEY || answer.body.len() > MAX_BYTES / 4 {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.generation > generation {
            return;
        }
        let is_full = kept.answers.len() >= MAX_ANSWERS
            || kept.bytes.saturating_add(answer.body.len()) > MAX_BYTES;
        if kept.generation < generation || is_full {
            kept.answers.clear();
            kept.bytes = 0;
            kept.generation = generation;
        }
        kept.bytes += answer.body.len();
        if let Some(old) = kept.answers.insert(key, answer) {
            kept.bytes -= old.body.len();
        }
    }
}

impl axum::response::IntoResponse for Answer {
    fn into_response(self) -> Response {
        (self.headers, self.body).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &'static str) -> Answer {
        Answer {
            headers: HeaderMap::new(),
            body: Bytes::from_static(text.as_bytes()),
        }
    }

    #[test]
    fn an_answer_is_given_again_until_the_hub_has_changed() {
        let rendered = Rendered::default();
        rendered.put(3, "/a".to_owned(), answer("old"));

        assert_eq!(rendered.get(3, "/a").unwrap().body, "old");
        assert!(rendered.get(4, "/a").is_none());
        assert!(rendered.get(3, "/b").is_none());
    }

    #[test]
    fn an_answer_that_was_overtaken_is_not_kept() {
        let rendered = Rendered::default();
        rendered.put(4, "/a".to_owned(), answer("new"));
        rendered.put(3, "/a".to_owned(), answer("old"));

        assert_eq!(rendered.get(4, "/a").unwrap().body, "new");
    }

    #[test]
    fn the_number_of_answers_is_bounded() {
        let rendered = Rendered::default();

        for number in 0..=MAX_ANSWERS {
            rendered.put(1, format!("/{number}"), answer("x"));
        }

        let kept = rendered.kept.lock().unwrap();
        assert_eq!((kept.answers.len(), kept.bytes), (1, 1));
    }
}
