//! Tokens of well-known services.

use super::{REDACTED, Span};

/// The form of the tokens of a service.
pub(super) struct TokenForm {
    /// The prefix of the tokens.
    pub(super) prefix: &'static str,
    /// The fewest characters behind that.
    least: usize,
    /// The characters, beside letters and digits.
    others: &'static [u8],
    /// True if a digit must be among them, because words begin alike.
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
pub(super) static TOKENS: &[TokenForm] = &[
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

/// Finds the token that begins with a prefix.
pub(super) fn token_span(text: &[u8], start: usize, end: usize, form: &TokenForm) -> Option<Span> {
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
