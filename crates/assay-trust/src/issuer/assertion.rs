use assay_model::Timestamp;
use serde_json::{Map, Value as Json};

/// The tolerated difference between two clocks, in seconds.
pub const LEEWAY_SECONDS: i64 = 60;
/// The time that an assertion is remembered after it could last be accepted, in seconds.
pub const RETENTION_MARGIN_SECONDS: i64 = 60;
/// The longest that an assertion may be valid, in seconds: it has to be remembered as long.
const MAX_LIFETIME_SECONDS: i64 = 24 * 60 * 60;

/// The reason why an assertion proves nothing. The operator reads it; the sender learns only that
/// it is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssertionError {
    /// It is no signed token in the compact form, or too large.
    #[error("it is no signed token: {0}")]
    Malformed(&'static str),
    /// A member of the header that is not known here.
    #[error("its header has `{0}`, which is not accepted")]
    Header(String),
    /// The algorithm is not one of those that the issuer uses.
    #[error("it is signed with `{0}`, which this issuer does not use")]
    Algorithm(String),
    /// Nobody of that name is trusted.
    #[error("its issuer `{0}` is not configured")]
    Issuer(String),
    /// The key is not in the set.
    #[error("its key is not in the key set of its issuer")]
    Key,
    /// The key set cannot be had.
    #[error("the key set of its issuer cannot be had: {0}")]
    Keys(String),
    /// The signature does not hold.
    #[error("its signature does not hold")]
    Signature,
    /// It is for somebody else.
    #[error("its audience is not exactly `{0}`")]
    Audience(String),
    /// It is not valid now, or for too long.
    #[error("{0}")]
    Time(&'static str),
    /// A claim is missing or differs from what is required.
    #[error("its claim `{0}` is not as required")]
    Claim(String),
    /// The event that started the run is not allowed to.
    #[error("it was started by `{0}`, which is not in the list of events")]
    Event(String),
    /// No identity is described by it.
    #[error("no identity is described by its claims")]
    Nobody,
    /// It was used before.
    #[error("it was used before")]
    Replayed,
}

/// An assertion whose signature, audience and times held. Whom it describes is another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    pub(super) issuer: String,
    pub(super) jti: String,
    pub(super) expires: i64,
    pub(super) claims: Map<String, Json>,
}

impl Assertion {
    /// Returns the issuer that signed it.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the id that tells it from every other of its issuer.
    pub fn jti(&self) -> &str {
        &self.jti
    }

    /// Until when it has to be remembered. It is the last moment at which it could be accepted, and
    /// a margin: one constant says both how late it is accepted and how long it is remembered.
    pub fn remember_until(&self) -> Timestamp {
        Timestamp::from_seconds(
            self.expires
                .saturating_add(LEEWAY_SECONDS)
                .saturating_add(RETENTION_MARGIN_SECONDS),
        )
    }

    /// A claim that is a text.
    pub fn claim(&self, name: &str) -> Option<&str> {
        self.claims.get(name)?.as_str()
    }
}

/// The times of an assertion, each checked against one leeway. The answer is when it expires, in
/// seconds.
pub(super) fn check_times(
    claims: &Map<String, Json>,
    now: Timestamp,
) -> Result<i64, AssertionError> {
    let now = now.seconds();
    let expires = seconds(claims, "exp")?.ok_or(AssertionError::Claim("exp".to_owned()))?;
    let issued = seconds(claims, "iat")?.ok_or(AssertionError::Claim("iat".to_owned()))?;
    if expires.saturating_add(LEEWAY_SECONDS) < now {
        return Err(AssertionError::Time("it has expired"));
    }
    if issued.saturating_sub(LEEWAY_SECONDS) > now {
        return Err(AssertionError::Time("it was issued in the future"));
    }
    let begins = seconds(claims, "nbf")?;
    if begins.is_some_and(|begins| begins.saturating_sub(LEEWAY_SECONDS) > now) {
        return Err(AssertionError::Time("it is not valid yet"));
    }
    if expires.saturating_sub(issued) > MAX_LIFETIME_SECONDS {
        return Err(AssertionError::Time("it is valid for more than a day"));
    }
    Ok(expires)
}

/// The audience: one text, exactly. A list is refused even when we are its only member.
pub(super) fn check_audience(
    claims: &Map<String, Json>,
    expected: &str,
) -> Result<(), AssertionError> {
    match claims.get("aud") {
        Some(Json::String(audience)) if audience == expected => Ok(()),
        _ => Err(AssertionError::Audience(expected.to_owned())),
    }
}

/// A claim that has to be a text.
pub(super) fn text(claims: &Map<String, Json>, name: &str) -> Result<String, AssertionError> {
    let found = claims.get(name).and_then(Json::as_str);
    found
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| AssertionError::Claim(name.to_owned()))
}

fn seconds(claims: &Map<String, Json>, name: &str) -> Result<Option<i64>, AssertionError> {
    match claims.get(name) {
        None => Ok(None),
        Some(value) => value
            .as_i64()
            .map(Some)
            .ok_or_else(|| AssertionError::Claim(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn claims(value: &Json) -> Map<String, Json> {
        value.as_object().unwrap().clone()
    }

    proptest! {
        /// Row 17 of the threat table: whenever an assertion is accepted, it is remembered at that
        /// moment, and for longer than it can be accepted.
        #[test]
        fn assertion_jti_outlives_leeway(exp in 0_i64..10_000, life in 1_i64..5_000, now in 0_i64..20_000) {
            let claims = claims(&json!({ "exp": exp, "iat": exp - life }));
            let at = Timestamp::from_seconds(now);

            if let Ok(expires) = check_times(&claims, at) {
                let assertion = Assertion {
                    issuer: String::new(), jti: String::new(), expires, claims: claims.clone(),
                };
                prop_assert!(assertion.remember_until() > at);
                let forgotten = assertion.remember_until();
                prop_assert!(check_times(&claims, forgotten).is_err());
            }
        }
    }

    #[test]
    fn times_are_whole_numbers_within_the_leeway() {
        let now = Timestamp::from_seconds(1_000);
        for (value, expected) in [
            (json!({ "exp": 1_000, "iat": 900 }), None),
            (json!({ "exp": 940, "iat": 900 }), None),
            (json!({ "exp": 939, "iat": 900 }), Some("it has expired")),
            (json!({ "exp": 1_300, "iat": 1_060 }), None),
            (
                json!({ "exp": 1_300, "iat": 1_061 }),
                Some("it was issued in the future"),
            ),
            (
                json!({ "exp": 1_300, "iat": 900, "nbf": 1_061 }),
                Some("it is not valid yet"),
            ),
            (
                json!({ "exp": 87_401, "iat": 1_000 }),
                Some("it is valid for more than a day"),
            ),
        ] {
            let told = check_times(&claims(&value), now).err();
            assert_eq!(told, expected.map(AssertionError::Time), "{value}");
        }
        for value in [
            json!({ "iat": 900 }),
            json!({ "exp": 1_300 }),
            json!({ "exp": "1300", "iat": 900 }),
            json!({ "exp": 1_300.5, "iat": 900 }),
            json!({ "exp": 1_300, "iat": 900, "nbf": null }),
        ] {
            let told = check_times(&claims(&value), now);
            assert!(matches!(told, Err(AssertionError::Claim(_))), "{value}");
        }
    }
}
