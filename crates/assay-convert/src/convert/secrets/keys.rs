//! Keys that are called like secrets, and their values.

use super::{REDACTED, Scope, Span};

/// Words in the keys of secrets, in the spellings that are met.
pub(super) const KEY_WORDS: &[&str] = &[
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
pub(super) const SHORT_WORDS: &[&str] = &[
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

/// The words in front of `token` that make it a secret: others, such as `eos_token`, are no
/// secrets.
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

/// Finds the value of a key that is called like a secret: `"key": "value"`, however often it was
/// escaped, or `key=value`.
pub(super) fn key_span(text: &[u8], start: usize, end: usize, scope: Scope) -> Option<Span> {
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

/// The inside of a string at a place, whose quotes may be escaped; of anything else, what reaches
/// to the next mark.
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
pub(in super::super) fn is_secret_key(key: &str, scope: Scope) -> bool {
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
