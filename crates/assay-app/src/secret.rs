//! Random values: secrets of tokens, keys, ids.

use assay_store::{EventId, Sha256};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::Digest as _;

use crate::error::Error;

/// The prefix of every token: people and secret scanners know it.
pub(crate) const PREFIX: &str = "hf_";
/// Number of letters and digits that follow, about 238 bits.
const LETTERS: usize = 40;
/// The letters and digits.
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Draws the secret of a token.
pub(crate) fn token() -> Result<String, Error> {
    let mut secret = PREFIX.to_owned();
    while secret.len() < PREFIX.len() + LETTERS {
        let bytes: [u8; 64] = bytes()?;
        let missing = PREFIX.len() + LETTERS - secret.len();
        // Bytes beyond the last whole multiple are thrown away, so that no letter is likelier than
        // another.
        let fair = bytes.into_iter().filter(|byte| *byte < 248).take(missing);
        secret.extend(fair.map(|byte| char::from(ALPHABET[usize::from(byte % 62)])));
    }
    Ok(secret)
}

/// Draws the secret of a session of the pages. It looks like no token, so that neither is taken for
/// the other.
pub(crate) fn session() -> Result<String, Error> {
    let bytes: [u8; 32] = bytes()?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Draws a text that nobody can guess, to bind a form to a browser.
pub fn draw_secret() -> Result<String, Error> {
    session()
}

/// Returns the hash of a secret to store.
pub(crate) fn hash(secret: &str) -> Sha256 {
    Sha256::from_bytes(sha2::Sha256::digest(secret).into())
}

/// Draws the id of an event.
pub(crate) fn event_id() -> Result<EventId, Error> {
    Ok(EventId::from_bytes(bytes()?))
}

/// Draws bytes.
pub(crate) fn bytes<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| Error::internal(error.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_long_header_safe_and_never_drawn_twice() {
        let one = token().unwrap();
        let other = token().unwrap();

        let letters = one.strip_prefix(PREFIX).unwrap();
        assert_eq!(letters.len(), LETTERS);
        assert!(letters.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(one, other);
        assert_ne!(hash(&one), hash(&other));
    }
}
