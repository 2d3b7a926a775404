//! Removes secrets from everything that is written.
//!
//! The text that is looked at is JSON on its way out, so that one place serves all harnesses. Keys that are called like
//! secrets lose their values, tokens of well-known services are recognised by how they begin, and addresses lose their
//! user names and passwords. In records, which hold configuration, addresses lose their queries as well, and short words
//! such as `token` and `password` count as secrets; in samples, which hold questions and answers, only what is certain.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// What stands in place of a secret.
const REDACTED: &[u8] = b"[redacted]";

/// The kind of text that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Configuration: a record.
    Record,
    /// Questions and answers: rows of samples.
    Rows,
}

/// How the tokens of a service look.
struct TokenForm {
    /// How they begin.
    prefix: &'static str,
    /// The fewest characters behind that.
    least: usize,
    /// The characters, beside letters and digits.
    others: &'static [u8],
    /// Whether a digit must be among them, because words begin alike.
    needs_digit: bool,
}

const fn token(
    prefix: &'static str,
    least: usize,
    others: &'static [u8],
    needs_digit: bool,
) -> TokenForm {
    TokenForm {
        prefix,
        least,
        others,
        needs_digit,
    }
}

/// The tokens that are recognised.
static TOKENS: &[TokenForm] = &[
    token("sk-", 16, b"_-", true),
    token("sk_live_", 12, b"", false),
    token("sk_test_", 12, b"", false),
    token("hf_", 20, b"", false),
    token("api_org_", 20, b"", false),
    token("ghp_", 20, b"", false),
    token("gho_", 20, b"", false),
    token("ghu_", 20, b"", false),
    token("ghs_", 20, b"", false),
    token("ghr_", 20, b"", false),
    token("github_pat_", 20, b"_", false),
    token("glpat-", 16, b"_-", false),
    token("xoxb-", 10, b"-", true),
    token("xoxp-", 10, b"-", true),
    token("xoxa-", 10, b"-", true),
    token("AKIA", 16, b"", false),
    token("ASIA", 16, b"", true),
    token("AIza", 30, b"_-", false),
    token("ya29.", 20, b"_-", false),
    token("gsk_", 20, b"", false),
    token("r8_", 30, b"", false),
    token("nvapi-", 20, b"_-", false),
    token("pplx-", 30, b"", false),
    token("xai-", 30, b"", false),
    token("evp_", 16, b"_-", false),
    token("dapi", 32, b"", true),
    token("eyJ", 40, b"_-.", false),
    token("Bearer ", 16, b"_-.~+/=", true),
    token("bearer ", 16, b"_-.~+/=", true),
    token("Basic ", 16, b"+/=", false),
];

/// Words in the keys of secrets, in the spellings that are met.
const KEY_WORDS: &[&str] = &[
    "api_key",
    "apikey",
    "apiKey",
    "api-key",
    "API_KEY",
    "APIKEY",
    "ApiKey",
    "access_key",
    "accessKey",
    "ACCESS_KEY",
    "private_key",
    "privateKey",
    "PRIVATE_KEY",
    "secret",
    "Secret",
    "SECRET",
    "_token",
    "Token",
    "_TOKEN",
    "uthorization",
    "AUTHORIZATION",
    "X-Amz-Signature",
];
/// Words that are secrets in configuration and anything elsewhere.
const SHORT_WORDS: &[&str] = &[
    "token",
    "TOKEN",
    "password",
    "Password",
    "PASSWORD",
    "passwd",
    "passphrase",
    "credential",
    "Credential",
    "cookie",
    "Cookie",
    "auth",
    "Auth",
    "AUTH",
];
/// How an address goes on behind its scheme.
const ADDRESS: &str = "://";
/// How a private key begins and ends.
const PEM: &str = "-----BEGIN ";
const PEM_END: &[u8] = b"-----END ";

/// What makes a word in front of `token` a secret: others, such as `eos_token`, are no secrets.
const TOKEN_OWNERS: [&str; 22] = [
    "hf",
    "huggingface",
    "hugging_face",
    "hub",
    "auth",
    "access",
    "refresh",
    "bearer",
    "api",
    "id",
    "session",
    "github",
    "gh",
    "gitlab",
    "slack",
    "bot",
    "wandb",
    "secret",
    "security",
    "jwt",
    "openai",
    "anthropic",
];

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

/// Removes the secrets from JSON text; returns the new text and how many there were, or nothing when there are none.
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

fn token_span(text: &[u8], start: usize, end: usize, form: &TokenForm) -> Option<Span> {
    // `task-` holds `sk-`.
    if start > 0 && (text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_') {
        return None;
    }
    let rest = &text[end..];
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || form.others.contains(byte))
        .count();
    let body = &rest[..length];
    let has_digit = body.iter().any(u8::is_ascii_digit);
    // A signed token has three parts.
    let has_parts = form.prefix != "eyJ" || memchr::memchr_iter(b'.', body).count() == 2;
    let is_token = length >= form.least && (has_digit || !form.needs_digit) && has_parts;
    is_token.then_some(Span {
        start,
        end: end + length,
        instead: REDACTED,
    })
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

/// Finds the value of a key that is called like a secret: `"key": "value"`, however often it was escaped, or `key=value`.
fn key_span(text: &[u8], start: usize, end: usize, scope: Scope) -> Option<Span> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let before = text[..start]
        .iter()
        .rev()
        .take_while(|b| is_name(b))
        .count();
    let after = text[end..].iter().take_while(|b| is_name(b)).count();
    let name = &text[start - before..end + after];
    let name = std::str::from_utf8(name).ok()?;
    if !is_secret_key(name, scope) {
        return None;
    }
    let mut at = start - before + name.len();
    let skip = |at: usize, wanted: &[u8]| {
        at + text[at..]
            .iter()
            .take_while(|byte| wanted.contains(byte))
            .count()
    };
    let quote = skip(at, b"\\");
    let is_quoted = matches!(text.get(quote), Some(b'"' | b'\''));
    if is_quoted {
        at = skip(quote + 1, b" ");
        if text.get(at) != Some(&b':') {
            return None;
        }
        at = skip(at + 1, b" ");
    } else if text.get(at) == Some(&b'=') {
        at += 1;
    } else {
        return None;
    }
    let (value, end) = value_at(text, at)?;
    let body = &text[value..end];
    let is_nothing = body.is_empty()
        || body == REDACTED
        || matches!(
            body,
            b"null" | b"None" | b"true" | b"false" | b"True" | b"False"
        )
        || body
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.');
    (!is_nothing).then_some(Span {
        start: value,
        end,
        instead: REDACTED,
    })
}

/// The inside of a string at a place, whose quotes may be escaped; of anything else, what reaches to the next mark.
fn value_at(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let slashes = text.get(at..)?.iter().take_while(|b| **b == b'\\').count();
    let opening = at + slashes;
    if let Some(quote @ (b'"' | b'\'')) = text.get(opening).copied() {
        let start = opening + 1;
        let mut end = start;
        loop {
            end += memchr::memchr(quote, text.get(end..)?)?;
            let escapes = text[start..end]
                .iter()
                .rev()
                .take_while(|b| **b == b'\\')
                .count();
            if escapes <= slashes {
                return Some((start, end - escapes));
            }
            end += 1;
        }
    }
    let length = text[at..]
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || b"\"\\'&,;}]){[".contains(byte))
        .unwrap_or(text.len() - at);
    Some((at, at + length))
}

/// Returns whether a key is called like a secret.
pub(super) fn is_secret_key(key: &str, scope: Scope) -> bool {
    let mut plain = String::with_capacity(key.len() + 4);
    let mut was_lower = false;
    for character in key.chars() {
        if character.is_ascii_uppercase() && was_lower {
            plain.push('_');
        }
        was_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        plain.push(match character {
            '-' | '.' | ' ' => '_',
            other => other.to_ascii_lowercase(),
        });
    }
    let plain = plain.trim_matches('_');
    let ends = |word: &str| {
        plain
            .strip_suffix(word)
            .is_some_and(|front| front.is_empty() || front.ends_with('_'))
    };
    let owned = plain.strip_suffix("_token").is_some_and(|owner| {
        TOKEN_OWNERS
            .iter()
            .any(|own| owner == *own || owner.ends_with(&format!("_{own}")))
    });
    let certain = [
        "api_key",
        "apikey",
        "access_key",
        "access_key_id",
        "private_key",
        "secret_key",
        "client_secret",
        "authorization",
        "x_amz_signature",
        "secret_access_key",
    ];
    if owned || certain.iter().any(|word| ends(word)) {
        return true;
    }
    let short = [
        "token",
        "secret",
        "secrets",
        "password",
        "passwd",
        "passphrase",
        "credential",
        "credentials",
        "cookie",
        "auth",
    ];
    let is_other_token = plain.ends_with("_token");
    scope == Scope::Record && !is_other_token && short.iter().any(|word| ends(word))
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
