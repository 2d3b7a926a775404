use assay_cli::Exit;
use assay_model::Timestamp;
use assay_trust::{CLOCK_SKEW, Claims, Reason, Unverified, UnverifiedToken, claims_of};
use serde_json::json;

use super::trust::Trusted;
use super::{Report, VERSION, claims_document, claims_in_words, reason_document, reason_in_words};
use crate::clock;

/// The check of a signature: made, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signature {
    /// It holds, and the hub trusts its issuer.
    Trusted,
    /// It holds under a key that was given.
    Holds,
    /// There was no key to check it with.
    Unchecked,
}

impl Signature {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Holds => "holds",
            Self::Unchecked => "unchecked",
        }
    }

    /// Returns the reason why the verdict is not certain.
    pub(super) fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Trusted => None,
            Self::Holds => Some(
                "the signature holds under the keys that were given; whether a hub trusts them, only `--hub` can tell",
            ),
            Self::Unchecked => Some(
                "no signature was checked: give the keys of the issuer with `--keys`, or a hub with `--hub`",
            ),
        }
    }
}

/// Returns the claims of a token, as far as they can be believed.
pub(super) fn claims(token: &str, trusted: &Trusted) -> Result<(Claims, Signature), Unverified> {
    if let Some(control) = &trusted.control {
        let (claims, _) = claims_of(token, &control.state)?;
        return Ok((claims, Signature::Trusted));
    }
    let token = UnverifiedToken::read(token)?;
    if trusted.keys.is_empty() {
        return Ok((token.unverified_claims()?, Signature::Unchecked));
    }
    let key = trusted.keys.iter().find(|key| key.kid() == token.kid());
    let Some(key) = key else {
        let detail = format!("key `{}` is not among those that were given", token.kid());
        return Err(Unverified::new(Reason::UnknownKey, detail));
    };
    Ok((token.verify(key)?, Signature::Holds))
}

/// Verifies a token by itself: its form, its signature, and what it says of its own time.
pub(super) fn verify(token: &str, trusted: &Trusted) -> Report {
    let (claims, signature) = match claims(token, trusted) {
        Ok(held) => held,
        Err(unverified) => {
            return Report {
                text: format!(
                    "the token does not hold\n  {}\n",
                    reason_in_words(&unverified)
                ),
                json: json!({
                    "version": VERSION, "kind": "token", "state": "unverified",
                    "why": reason_document(&unverified),
                }),
                exit: Exit::Errors,
                doubts: Vec::new(),
            };
        }
    };
    let mut doubts: Vec<String> = signature.doubt().map(str::to_owned).into_iter().collect();
    let now = clock::now();
    doubts.extend(time_doubt(&claims, now));
    let word = match signature {
        Signature::Trusted | Signature::Holds => "the signature of the token holds",
        Signature::Unchecked => "the token has its form; nothing else was checked",
    };
    Report {
        text: format!("{word}\n{}", claims_in_words(&claims)),
        json: json!({
            "version": VERSION, "kind": "token", "state": "holds",
            "signature": signature.as_str(),
            "expired": now.seconds() > claims.exp,
            "claims": claims_document(&claims),
        }),
        exit: if doubts.is_empty() {
            Exit::Clean
        } else {
            Exit::Warnings
        },
        doubts,
    }
}

/// Returns whether a push with this token would come too early or too late.
fn time_doubt(claims: &Claims, now: Timestamp) -> Option<String> {
    if now.seconds() > claims.exp + CLOCK_SKEW {
        let until = Timestamp::from_seconds(claims.exp);
        return Some(format!(
            "the token held until {until}: what a hub sees for the first time from now on stays unverified"
        ));
    }
    (now.seconds() < claims.nbf - CLOCK_SKEW).then(|| {
        let from = Timestamp::from_seconds(claims.nbf);
        format!("the token holds from {from} on")
    })
}
