//! Removes secrets from everything that is written.
//!
//! The text that is looked at is JSON on its way out, so that one place serves all harnesses. Keys
//! that are called like secrets lose their values, tokens of well-known services are recognised by
//! how they begin, and addresses lose their user names and passwords. In records, which hold
//! configuration, addresses lose their queries as well, and short words such as `token` and
//! `password` count as secrets; in samples, which hold questions and answers, only what is certain.

mod keys;
mod tokens;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

pub(super) use self::keys::is_secret_key;
use self::keys::{KEY_WORDS, SHORT_WORDS, key_span};
use self::tokens::{TOKENS, token_span};

/// The text in place of a secret.
const REDACTED: &[u8] = b"[redacted]";

/// The kind of text that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Configuration: a record.
    Record,
    /// Questions and answers: rows of samples.
    Rows,
}

/// The text behind the scheme of an address.
const ADDRESS: &str = "://";
/// The first and last line of a private key.
const PEM: &str = "-----BEGIN ";
const PEM_END: &[u8] = b"-----END ";

static IN_RECORDS: LazyLock<AhoCorasick> = LazyLock::new(|| searcher(Scope::Record));
static IN_ROWS: LazyLock<AhoCorasick> = LazyLock::new(|| searcher(Scope::Rows));

fn searcher(scope: Scope) -> AhoCorasick {
    let tokens = TOKENS.iter().map(|form| form.prefix);
    let words = KEY_WORDS.iter().copied();
    let short = SHORT_WORDS.iter().copied();
    let short = short.filter(|_| scope == Scope::Record);
    AhoCorasick::new(tokens.chain(words).chain(short).chain([ADDRESS, PEM]))
        .expect("a short list of short words can be searched for")
}

/// Removes the secrets from JSON text; returns the new text and how many there were, or nothing
/// when there are none.
pub(super) fn redact(text: &[u8], scope: Scope) -> Option<(Vec<u8>, u64)> {
    let searcher = match scope {
        Scope::Record => &*IN_RECORDS,
        Scope::Rows => &*IN_ROWS,
    };
    let mut found: Vec<Span> = Vec::new();
    for hit in searcher.find_iter(text) {
        // An address adds two spans: its user name and its query.
        let is_inside = |span: &Span| (span.start..span.end).contains(&hit.start());
        if !found.iter().rev().take(2).any(is_inside) {
            found.extend(span(text, hit.start(), hit.end(), scope));
            if scope == Scope::Record && text[hit.start()..hit.end()] == *ADDRESS.as_bytes() {
                found.extend(query_of(text, hit.end()));
            }
        }
    }
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|span| span.start);
    let mut clean = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut count = 0;
    for span in found {
        if span.start < at {
            continue;
        }
        clean.extend_from_slice(&text[at..span.start]);
        clean.extend_from_slice(span.instead);
        at = span.end;
        count += 1;
    }
    clean.extend_from_slice(&text[at..]);
    Some((clean, count))
}

/// A part of a text that goes.
struct Span {
    start: usize,
    end: usize,
    instead: &'static [u8],
}

fn span(text: &[u8], start: usize, end: usize, scope: Scope) -> Option<Span> {
    let hit = &text[start..end];
    if hit == ADDRESS.as_bytes() {
        return user_of(text, end);
    }
    if hit == PEM.as_bytes() {
        let length = memchr::memmem::find(&text[end..], PEM_END)?;
        let is_private = memchr::memmem::find(&text[end..end + length], b"PRIVATE KEY").is_some();
        return is_private.then_some(Span {
            start,
            end: end + length,
            instead: REDACTED,
        });
    }
    let form = TOKENS.iter().find(|form| form.prefix.as_bytes() == hit);
    let by_form = form.and_then(|form| token_span(text, start, end, form));
    by_form.or_else(|| key_span(text, start, end, scope))
}

/// The address whose scheme ends at a place.
fn address(text: &[u8], start: usize) -> &[u8] {
    let rest = &text[start..];
    let length = rest
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b"\"\\'<>)(|,;`".contains(byte))
        .unwrap_or(rest.len());
    &rest[..length]
}

/// Finds the user name and the password of an address.
fn user_of(text: &[u8], start: usize) -> Option<Span> {
    let whole = address(text, start);
    let host_end = whole.iter().position(|byte| b"/?#".contains(byte));
    let host = &whole[..host_end.unwrap_or(whole.len())];
    let at = host.iter().rposition(|byte| *byte == b'@')?;
    Some(Span {
        start,
        end: start + at + 1,
        instead: b"",
    })
}

/// Finds the query of an address.
fn query_of(text: &[u8], start: usize) -> Option<Span> {
    let whole = address(text, start);
    let query = whole.iter().position(|byte| *byte == b'?')?;
    (query + 1 < whole.len()).then_some(Span {
        start: start + query,
        end: start + whole.len(),
        instead: b"",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str, scope: Scope) -> String {
        let found = redact(text.as_bytes(), scope);
        found.map_or_else(
            || text.to_owned(),
            |(clean, _)| String::from_utf8(clean).unwrap(),
        )
    }

    #[test]
    fn planted_secrets_are_removed_from_records() {
        for (text, expected) in [
            (
                r#"{"api_key": "s3cr3t", "x": 1}"#,
                r#"{"api_key": "[redacted]", "x": 1}"#,
            ),
            (
                r#"{"model_args": "{\"api_key\": \"abc\\\"d\", \"b\": \"c\"}"}"#,
                r#"{"model_args": "{\"api_key\": \"[redacted]\", \"b\": \"c\"}"}"#,
            ),
            (
                r#"{"a": "pretrained=x,token=abc,dtype=f16"}"#,
                r#"{"a": "pretrained=x,token=[redacted],dtype=f16"}"#,
            ),
            (
                r#"{"u": "https://me:pw@host.example/v1?key=1&b=2"}"#,
                r#"{"u": "https://host.example/v1"}"#,
            ),
            (
                r#"{"u": "https://host.example/v1?key=1&b=2"}"#,
                r#"{"u": "https://host.example/v1"}"#,
            ),
            (
                r#"{"u": "https://host.example/sk-abcDEF1234567890abcd/v1?key=1"}"#,
                r#"{"u": "https://host.example/[redacted]/v1"}"#,
            ),
            (
                r#"{"m": "use sk-proj-abcDEF1234567890abcd now"}"#,
                r#"{"m": "use [redacted] now"}"#,
            ),
            (
                r#"{"m": "hf_abcdefghijklmnopqrstuvwxyzABCDEF"}"#,
                r#"{"m": "[redacted]"}"#,
            ),
            (
                r#"{"awsSecretAccessKey": "q"}"#,
                r#"{"awsSecretAccessKey": "[redacted]"}"#,
            ),
            (r#"{"password":"p"}"#, r#"{"password":"[redacted]"}"#),
            (
                r#"{"h": "{'Authorization': 'Bearer abc'}"}"#,
                r#"{"h": "{'Authorization': '[redacted]'}"}"#,
            ),
        ] {
            assert_eq!(clean(text, Scope::Record), expected, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_secret_stays() {
        for text in [
            r#"{"max_tokens": 5, "eos_token": "</s>", "token_usage": {"total_tokens": 7}}"#,
            r#"{"a": "task-oriented-dialogue-benchmark-2024-extended"}"#,
            r#"{"author": "someone", "authority": "x"}"#,
            r#"{"api_key": null, "key": "value", "monkey": "banana"}"#,
            r#"{"u": "https://host.example/a/b"}"#,
        ] {
            assert_eq!(clean(text, Scope::Record), text);
        }
    }

    #[test]
    fn questions_keep_their_words_and_lose_their_tokens() {
        let text = r#"{"raw": "Set {\"password\": \"x\"} at https://a.b/c?q=1", "e": "key sk-ant-api03-AbCd1234EfGh5678IjKl"}"#;

        let expected =
            r#"{"raw": "Set {\"password\": \"x\"} at https://a.b/c?q=1", "e": "key [redacted]"}"#;
        assert_eq!(clean(text, Scope::Rows), expected);
        let signed = r#"{"raw": "https://a.b/c?X-Amz-Signature=abcdef&q=1"}"#;
        let expected = r#"{"raw": "https://a.b/c?X-Amz-Signature=[redacted]&q=1"}"#;
        assert_eq!(clean(signed, Scope::Rows), expected);
    }
}
