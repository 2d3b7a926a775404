use assay_formats::Value;
use assay_formats::eval_results::{TOKEN_KEYS, token};
use assay_model::Severity;

use crate::rule::rule;
use crate::sink::{Draft, Sink};

rule! {
    /// An entry has its token twice
    ///
    /// `verify_token` and `verifyToken` are two spellings of one key. An entry with both and two
    /// different tokens claims two different proofs, which is an error; with the same token twice
    /// it is a warning.
    ///
    /// ## What to do
    ///
    /// Keep `verify_token`.
    TWO_TOKENS = (304, "two-tokens", Error)
}

rule! {
    /// A token does not have the form of one
    ///
    /// A token is a signed JSON Web Token in its compact form: three parts in the base64url
    /// alphabet, with a point between them. This one was probably cut off or copied with something
    /// around it. The result is shown, but never as verified.
    ///
    /// ## What to do
    ///
    /// Copy the token again, whole, as the issuer gave it; or leave the key out for a result that
    /// is not verified.
    MALFORMED_TOKEN = (305, "malformed-token", Warning)
}

/// Number of characters of base64 that a byte more than full groups would leave: an impossible
/// length.
const IMPOSSIBLE_REST: usize = 1;

pub(crate) fn check(entry: Value<'_>, sink: &mut Sink<'_>) {
    if let [Some(first), Some(second)] = TOKEN_KEYS.map(|key| entry.present(key)) {
        two(first, second, sink);
    }
    let Some((value, text)) = token(entry) else {
        return;
    };
    if !is_compact_jws(&text) {
        sink.report(&MALFORMED_TOKEN, value, || {
            Draft::new("the token is not three base64url parts with points between them")
                .help("copy the token again, whole, as the issuer gave it")
        });
    }
}

fn two(first: Value<'_>, second: Value<'_>, sink: &mut Sink<'_>) {
    let (Some(one), Some(other)) = (first.text(), second.text()) else {
        return;
    };
    if one == other {
        sink.report_as(Severity::Warning, &TWO_TOKENS, second, || {
            Draft::new("the entry has the same token twice").help("keep `verify_token`")
        });
    } else {
        sink.report(&TWO_TOKENS, second, || {
            Draft::new("`verifyToken` is not the token that `verify_token` is")
                .help("keep `verify_token`, with the token of this very run")
        });
    }
}

fn is_compact_jws(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.len() % 4 != IMPOSSIBLE_REST
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    text.split('.').count() == 3 && text.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_base64url_parts_are_a_token() {
        assert!(is_compact_jws("eyJhbGciOiJFZERTQSJ9.eyJhIjoxfQ.c2ln"));
        for text in [
            "",
            "..",
            "a.b.c",
            "eyJh.eyJh",
            "eyJh.eyJh.c2ln.c2ln",
            "eyJh.ey Jh.c2ln",
            "eyJh.eyJ+.c2ln",
            "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9...",
        ] {
            assert!(!is_compact_jws(text), "{text}");
        }
    }
}
