//! Private keys at rest: encrypted under a passphrase, and bound to the name of the key.

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::exact::Exact;
use crate::members::Members;
use crate::token::{decode, encode};
use crate::{Json, Kid, Malformed, SigningKey};

/// The cost of trying one passphrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealCost {
    /// Kibibytes of memory.
    memory: u32,
    /// Passes over it.
    passes: u32,
}

/// The reason why a key could not be sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The text is not a sealed key.
    #[error("this is not a sealed key: {0}")]
    Malformed(Malformed),
    /// The passphrase is another, or the text was changed.
    #[error("the passphrase does not open this key, or the file was changed")]
    Refused,
    /// The system has no randomness, or not enough memory.
    #[error("the key cannot be sealed or opened on this system")]
    System,
}

impl SealCost {
    /// For a passphrase that a person thought of: 19 MiB and two passes, the least that OWASP
    /// recommends.
    pub const HUMAN: Self = Self {
        memory: 19 << 10,
        passes: 2,
    };
    /// For a passphrase of 256 random bits, which nobody can guess at any speed.
    pub const RANDOM: Self = Self {
        memory: 64,
        passes: 1,
    };
    /// The most memory that a file may ask for, in kibibytes: a changed file must not exhaust the
    /// machine.
    const MAX_MEMORY: u32 = 1 << 20;
    const MAX_PASSES: u32 = 16;
}

const SALT: usize = 16;
const NONCE: usize = 24;
const VERSION: i64 = 1;

/// The envelope without its content.
struct Envelope {
    cost: SealCost,
    salt: Vec<u8>,
    nonce: [u8; NONCE],
    kid: Kid,
}

impl SigningKey {
    /// The key under a passphrase, as one line of text. Only this passphrase opens it.
    pub fn seal(&self, passphrase: &[u8], cost: SealCost) -> Result<String, SealError> {
        let mut random = [0; SALT + NONCE];
        getrandom::fill(&mut random).map_err(|_| SealError::System)?;
        let (salt, nonce) = random.split_at(SALT);
        let envelope = Envelope {
            cost,
            salt: salt.to_vec(),
            nonce: nonce.try_into().map_err(|_| SealError::System)?,
            kid: self.kid(),
        };
        let mut json = envelope.to_json();
        let (header, seed) = (json.to_jcs(), self.seed());
        let payload = Payload {
            msg: seed.as_slice(),
            aad: header.as_bytes(),
        };
        let sealed = envelope
            .cipher(passphrase)?
            .encrypt(&XNonce::from(envelope.nonce), payload)
            .map_err(|_| SealError::System)?;
        json.set("box", Some(Json::Text(encode(&sealed))));
        Ok(json.to_jcs())
    }

    /// Opens a sealed key.
    pub fn open(text: &str, passphrase: &[u8]) -> Result<Self, SealError> {
        let (envelope, sealed) = Envelope::read(text.trim_end()).map_err(SealError::Malformed)?;
        let header = envelope.to_json().to_jcs();
        let payload = Payload {
            msg: &sealed,
            aad: header.as_bytes(),
        };
        let seed = envelope
            .cipher(passphrase)?
            .decrypt(&XNonce::from(envelope.nonce), payload)
            .map_err(|_| SealError::Refused)?;
        let seed = Zeroizing::new(seed);
        let seed: &[u8; 32] = seed.as_slice().try_into().map_err(|_| SealError::Refused)?;
        let key = Self::from_seed(*seed);
        if key.kid() == envelope.kid {
            Ok(key)
        } else {
            Err(SealError::Refused)
        }
    }
}

impl Envelope {
    /// Everything but the content; it is authenticated with it.
    fn to_json(&self) -> Json {
        Json::map([
            ("v", Json::integer(VERSION)),
            ("kdf", Json::Text("argon2id".to_owned())),
            ("memory", Json::integer(self.cost.memory.into())),
            ("passes", Json::integer(self.cost.passes.into())),
            ("salt", Json::Text(encode(&self.salt))),
            ("nonce", Json::Text(encode(&self.nonce))),
            ("cipher", Json::Text("xchacha20-poly1305".to_owned())),
            ("kid", Json::shown(&self.kid)),
        ])
    }

    fn read(text: &str) -> Result<(Self, Vec<u8>), Malformed> {
        let exact = Exact::read(text).map_err(|_| Malformed::NotAnObject)?;
        let mut members = Members::of(exact.root())?;
        members.version("v", VERSION)?;
        members.constant("kdf", "argon2id")?;
        members.constant("cipher", "xchacha20-poly1305")?;
        let mut bytes = |key| decode(&members.text(key)?).ok_or(Malformed::Wrong(key));
        let (salt, nonce, sealed) = (bytes("salt")?, bytes("nonce")?, bytes("box")?);
        let mut cost = |key, most: u32| {
            let value = u32::try_from(members.index(key)?).ok();
            value
                .filter(|value| (1..=most).contains(value))
                .ok_or(Malformed::Wrong(key))
        };
        let cost = SealCost {
            memory: cost("memory", SealCost::MAX_MEMORY)?,
            passes: cost("passes", SealCost::MAX_PASSES)?,
        };
        let envelope = Self {
            cost,
            salt,
            nonce: nonce.try_into().map_err(|_| Malformed::Wrong("nonce"))?,
            kid: members.parsed("kid")?,
        };
        members.finish().map(|()| (envelope, sealed))
    }

    fn cipher(&self, passphrase: &[u8]) -> Result<XChaCha20Poly1305, SealError> {
        let params = Params::new(self.cost.memory, self.cost.passes, 1, None);
        let params = params.map_err(|_| SealError::System)?;
        let mut key = Zeroizing::new([0; 32]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase, &self.salt, key.as_mut())
            .map_err(|_| SealError::System)?;
        Ok(XChaCha20Poly1305::new((&*key).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSPHRASE: &[u8] = b"a passphrase of the test";

    fn sealed() -> String {
        let key = SigningKey::from_seed([7; 32]);
        key.seal(PASSPHRASE, SealCost::RANDOM).unwrap()
    }

    #[test]
    fn a_sealed_key_opens_with_its_passphrase_and_no_other() {
        let sealed = sealed();

        let opened = SigningKey::open(&sealed, PASSPHRASE).unwrap();

        assert_eq!(opened.kid(), SigningKey::from_seed([7; 32]).kid());
        let other = SigningKey::open(&sealed, b"another passphrase");
        assert_eq!(other.err(), Some(SealError::Refused));
    }

    #[test]
    fn a_changed_file_never_opens() {
        let sealed = sealed();

        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            assert!(SigningKey::open(&text, PASSPHRASE).is_err(), "{at}");
        }
    }

    #[test]
    fn the_secret_is_not_in_the_file_and_no_two_files_are_alike() {
        let seed = encode(&[7; 32]);

        let (one, two) = (sealed(), sealed());

        assert!(!one.contains(&seed));
        assert_ne!(one, two);
    }
}
