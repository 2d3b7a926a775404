//! The public keys of an identity provider: a state that is told what was fetched and says when to
//! fetch again.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_model::Timestamp;
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use serde::Deserialize;
use serde_json::Value as Json;

use super::jwt::PublicKey;

/// The largest key set that is read, in bytes.
pub const MAX_KEY_SET_BYTES: usize = 64 * 1024;
/// The most keys of one set.
const MAX_KEYS: usize = 64;
/// The least time between two attempts, whatever is asked for, in milliseconds.
const COOLDOWN: i64 = 60_000;
/// Maximum age of a set before it is fetched again by the way, in milliseconds.
const FRESH: i64 = 60 * 60_000;
/// Maximum age of a set before it is no longer believed, in milliseconds.
const MAX_AGE: i64 = 24 * 60 * 60_000;

/// Fetches the document at an address. It blocks; what addresses are good enough is for whoever
/// implements it.
pub trait Fetch: Send + Sync {
    /// The body, at most [`MAX_KEY_SET_BYTES`] of it.
    fn fetch(&self, url: &str) -> Result<Vec<u8>, FetchError>;
}

/// The reason why a document could not be fetched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(pub String);

/// The keys of a provider, by name.
#[derive(Debug, Clone)]
pub struct KeySet(BTreeMap<String, PublicKey>);

/// The reason why a document is no usable key set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeySetError {
    /// It is too large, no JSON, or has too many keys.
    #[error("the key set cannot be read: {0}")]
    Malformed(&'static str),
    /// Two keys have one name: which of them is meant is not for us to guess.
    #[error("the key set has two keys called `{0}`")]
    Twice(String),
    /// No key in it could be used.
    #[error("the key set has no key for RS256, ES256 or EdDSA")]
    Empty,
}

/// The next step for a key that a token names.
#[derive(Debug, Clone)]
pub enum Look {
    /// Use this set.
    Keys(Arc<KeySet>),
    /// Fetch the set, tell the cache, and look again.
    Fetch,
    /// There is no set, and it is too soon to try again; why the last attempt failed.
    Unavailable(String),
}

/// The cached keys of one provider.
#[derive(Debug, Clone, Default)]
pub struct KeyCache {
    keys: Option<(Arc<KeySet>, i64)>,
    tried: Option<i64>,
    failure: Option<String>,
}

impl KeyCache {
    /// Says what to do for a key. When the answer is to fetch, the attempt counts from now on,
    /// however it ends.
    pub fn look(&mut self, kid: Option<&str>, now: Timestamp) -> Look {
        let now = now.millis();
        let held = self.keys.as_ref().filter(|(_, at)| now - at < MAX_AGE);
        let may_try = self.tried.is_none_or(|tried| now - tried >= COOLDOWN);
        let is_enough = held.is_some_and(|(keys, at)| now - at < FRESH && keys.has(kid));
        if !is_enough && may_try {
            self.tried = Some(now);
            return Look::Fetch;
        }
        match held {
            Some((keys, _)) => Look::Keys(Arc::clone(keys)),
            None => Look::Unavailable(self.failure.clone().unwrap_or_default()),
        }
    }

    /// Tells what an attempt brought. Only a set that can be used takes the place of the one
    /// before.
    pub fn fetched(&mut self, document: Result<Vec<u8>, FetchError>, now: Timestamp) {
        let read = document
            .map_err(|error| error.to_string())
            .and_then(|bytes| KeySet::read(&bytes).map_err(|error| error.to_string()));
        match read {
            Ok(keys) => {
                self.keys = Some((Arc::new(keys), now.millis()));
                self.failure = None;
            }
            Err(failure) => self.failure = Some(failure),
        }
    }

    /// Returns the reason why the last attempt failed, for the operator.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<Json>,
}

impl KeySet {
    /// Reads a key set. Keys of kinds that are not used here are passed over.
    pub fn read(bytes: &[u8]) -> Result<Self, KeySetError> {
        if bytes.len() > MAX_KEY_SET_BYTES {
            return Err(KeySetError::Malformed("it is too large"));
        }
        let document: Document = serde_json::from_slice(bytes)
            .map_err(|_| KeySetError::Malformed("it is no JSON object with a list of keys"))?;
        if document.keys.len() > MAX_KEYS {
            return Err(KeySetError::Malformed("it has too many keys"));
        }
        let mut keys = BTreeMap::new();
        let mut names = Vec::new();
        for value in document.keys {
            let Some(name) = value.get("kid").and_then(Json::as_str) else {
                continue;
            };
            if names.iter().any(|other| other == name) {
                return Err(KeySetError::Twice(name.chars().take(64).collect()));
            }
            names.push(name.to_owned());
            if let Some(key) = of_json(&value) {
                keys.insert(name.to_owned(), key);
            }
        }
        if keys.is_empty() {
            return Err(KeySetError::Empty);
        }
        Ok(Self(keys))
    }

    /// The key of a name; the only one, when a token names none.
    pub(super) fn get(&self, kid: Option<&str>) -> Option<&PublicKey> {
        match kid {
            Some(kid) => self.0.get(kid),
            None if self.0.len() == 1 => self.0.values().next(),
            None => None,
        }
    }

    fn has(&self, kid: Option<&str>) -> bool {
        self.get(kid).is_some()
    }
}

fn of_json(value: &Json) -> Option<PublicKey> {
    let jwk: Jwk = serde_json::from_value(value.clone()).ok()?;
    match &jwk.common.public_key_use {
        None | Some(PublicKeyUse::Signature) => PublicKey::of(&jwk),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const X: &str = "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w";

    fn set(kids: &[&str]) -> Vec<u8> {
        let keys: Vec<Json> = kids
            .iter()
            .map(|kid| json!({ "kty": "OKP", "crv": "Ed25519", "x": X, "kid": kid, "use": "sig" }))
            .collect();
        json!({ "keys": keys }).to_string().into_bytes()
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn is_fetch(look: &Look) -> bool {
        matches!(look, Look::Fetch)
    }

    /// Row 65 of the threat table: a flood of unknown keys makes one request a minute.
    #[test]
    fn jwks_refresh_cooldown() {
        let mut cache = KeyCache::default();
        assert!(is_fetch(&cache.look(Some("a"), at(0))));
        cache.fetched(Ok(set(&["a"])), at(0));

        let fetches = (1..600)
            .filter(|second| is_fetch(&cache.look(Some(&format!("x{second}")), at(*second))))
            .count();

        assert_eq!(fetches, 9);
        assert!(matches!(cache.look(Some("a"), at(601)), Look::Keys(_)));
    }

    /// Row 65: what cannot be used never takes the place of what can, for a day.
    #[test]
    fn jwks_empty_kept() {
        let mut cache = KeyCache::default();
        cache.look(None, at(0));
        cache.fetched(Ok(set(&["a"])), at(0));
        let twice = set(&["a", "a"]);
        let secret = json!({ "keys": [{ "kty": "oct", "k": "c2VjcmV0", "kid": "b" }] }).to_string();

        for (second, answer) in [
            (3_600, Ok(b"{\"keys\":[]}".to_vec())),
            (7_200, Err(FetchError("no route to host".to_owned()))),
            (10_800, Ok(b"<html>".to_vec())),
            (14_400, Ok(twice)),
            (18_000, Ok(vec![b' '; MAX_KEY_SET_BYTES + 1])),
            (21_600, Ok(secret.into_bytes())),
        ] {
            assert!(is_fetch(&cache.look(Some("a"), at(second))), "{second}");
            cache.fetched(answer, at(second));
            assert!(cache.failure().is_some(), "{second}");
            let Look::Keys(keys) = cache.look(Some("a"), at(second)) else {
                panic!("the set of the first day is kept");
            };
            assert!(keys.has(Some("a")));
        }

        let day = 24 * 3_600;
        assert!(matches!(
            cache.look(Some("a"), at(day - 1)),
            Look::Fetch | Look::Keys(_)
        ));
        cache.look(Some("a"), at(day + 60));
        assert!(matches!(
            cache.look(Some("a"), at(day + 61)),
            Look::Unavailable(_)
        ));
    }

    #[test]
    fn a_key_that_is_new_is_found_after_the_cooldown() {
        let mut cache = KeyCache::default();
        cache.look(Some("a"), at(0));
        cache.fetched(Ok(set(&["a"])), at(0));

        assert!(matches!(cache.look(Some("b"), at(59)), Look::Keys(_)));
        assert!(is_fetch(&cache.look(Some("b"), at(60))));
        cache.fetched(Ok(set(&["a", "b"])), at(60));

        let Look::Keys(keys) = cache.look(Some("b"), at(61)) else {
            panic!("it was fetched");
        };
        assert!(keys.has(Some("b")));
        assert!(!keys.has(None));
    }

    #[test]
    fn two_keys_of_one_name_are_refused_even_when_one_could_not_be_used() {
        let text = json!({ "keys": [
            { "kty": "OKP", "crv": "Ed25519", "x": X, "kid": "a" },
            { "kty": "oct", "k": "c2VjcmV0", "kid": "a" },
        ]});

        let told = KeySet::read(text.to_string().as_bytes()).unwrap_err();

        assert_eq!(told, KeySetError::Twice("a".to_owned()));
    }
}
