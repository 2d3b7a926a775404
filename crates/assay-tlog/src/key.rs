use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::note::{NoteError, NoteSignature};

/// The byte that says that a key signs notes.
const ED25519: u8 = 0x01;
/// The byte that says that a key signs when it has seen a checkpoint.
const COSIGNATURE: u8 = 0x04;
/// Maximum length of the name of a key, in bytes.
const MAX_NAME: usize = 255;

/// An error from reading or making a key for notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is not made of its three parts.
    #[error("a key is written `name+hash+base64`, the hash as eight hexadecimal digits")]
    Form,
    /// The name cannot be used.
    #[error(
        "the name of a key has 1 to {MAX_NAME} bytes, no `+`, no spaces and no control characters"
    )]
    Name,
    /// The hash is that of another key.
    #[error("the hash in the key does not belong to the name and the bytes in it")]
    Hash,
    /// It is for another algorithm or purpose.
    #[error("the key is not for this purpose: a log signs with type 1, a witness with type 4")]
    Kind,
    /// The bytes are no key, or one that proves nothing.
    #[error("the bytes are no usable Ed25519 key")]
    Bytes,
    /// A new key needs random bytes, and there are none.
    #[error("this machine gives no random bytes for a new key")]
    Random,
}

/// The secret with which a log signs its checkpoints. It signs nothing else.
#[derive(Clone)]
pub struct NoteKey {
    name: String,
    secret: SigningKey,
}

/// The public key of a log, in the `name+hash+base64` form of signed notes. The name is the origin
/// of the log.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifierKey(PublicKey);

/// The public key of a witness, which signs with the time when it saw a checkpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct WitnessKey(PublicKey);

#[derive(Clone, PartialEq, Eq)]
struct PublicKey {
    name: String,
    kind: u8,
    hash: [u8; 4],
    key: VerifyingKey,
}

impl NoteKey {
    /// A key from its 32 secret bytes. The name is the origin of the log, such as
    /// `hub.example/log/results`.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        check_name(name)?;
        Ok(Self {
            name: name.to_owned(),
            secret: SigningKey::from_bytes(seed),
        })
    }

    /// The name, which is the origin of the log.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The public key.
    pub fn verifier(&self) -> VerifierKey {
        let key = self.secret.verifying_key();
        VerifierKey(PublicKey {
            hash: key_hash(&self.name, ED25519, &key),
            name: self.name.clone(),
            kind: ED25519,
            key,
        })
    }

    /// Signs the text of a note.
    pub(crate) fn sign(&self, text: &str) -> NoteSignature {
        NoteSignature {
            name: self.name.clone(),
            key_hash: self.verifier().0.hash,
            bytes: self.secret.sign(text.as_bytes()).to_bytes().to_vec(),
        }
    }
}

impl fmt::Debug for NoteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoteKey")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl VerifierKey {
    /// The name, which is the origin of the log.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The 32 bytes of the public key.
    pub fn public_bytes(&self) -> [u8; 32] {
        self.0.key.to_bytes()
    }

    /// A key from its name and its 32 public bytes.
    pub fn from_public(name: &str, public: &[u8; 32]) -> Result<Self, KeyError> {
        PublicKey::new(name, ED25519, public).map(Self)
    }

    /// Returns whether the signature names this key. It is not verified.
    pub(crate) fn matches(&self, signature: &NoteSignature) -> bool {
        self.0.matches(signature)
    }

    /// Checks a signature of this key over the text of a note.
    pub(crate) fn verify(&self, text: &str, signature: &NoteSignature) -> Result<(), NoteError> {
        self.0.verify(text.as_bytes(), &signature.bytes)
    }
}

impl WitnessKey {
    /// A key from its name and its 32 public bytes.
    pub fn from_public(name: &str, public: &[u8; 32]) -> Result<Self, KeyError> {
        PublicKey::new(name, COSIGNATURE, public).map(Self)
    }

    /// The first bytes of its hash, by which notes name it.
    pub(crate) fn hash(&self) -> [u8; 4] {
        self.0.hash
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns whether the signature names this key. It is not verified.
    pub(crate) fn matches(&self, signature: &NoteSignature) -> bool {
        self.0.matches(signature)
    }

    /// Checks a signature of this witness over the text of a checkpoint, and returns when it was
    /// made.
    pub(crate) fn verify(&self, text: &str, signature: &NoteSignature) -> Result<u64, NoteError> {
        let (time, signature) = signature
            .bytes
            .split_first_chunk::<8>()
            .ok_or(NoteError::BadSignature)?;
        let time = u64::from_be_bytes(*time);
        self.0.verify(cosigned(text, time).as_bytes(), signature)?;
        Ok(time)
    }
}

/// Returns the message that a witness signs for a checkpoint with this text at this time.
pub(crate) fn cosigned(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

impl PublicKey {
    fn new(name: &str, kind: u8, public: &[u8; 32]) -> Result<Self, KeyError> {
        check_name(name)?;
        let key = VerifyingKey::from_bytes(public).map_err(|_| KeyError::Bytes)?;
        // Under a key of small order one signature fits every text.
        if key.is_weak() {
            return Err(KeyError::Bytes);
        }
        Ok(Self {
            hash: key_hash(name, kind, &key),
            name: name.to_owned(),
            kind,
            key,
        })
    }

    fn read(text: &str, kind: u8) -> Result<Self, KeyError> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(hash), Some(bytes)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(KeyError::Form);
        };
        let hash = read_hash(hash).ok_or(KeyError::Form)?;
        let bytes = STANDARD.decode(bytes).map_err(|_| KeyError::Form)?;
        let (own_kind, public) = bytes.split_first().ok_or(KeyError::Form)?;
        if *own_kind != kind {
            return Err(KeyError::Kind);
        }
        let public: &[u8; 32] = public.try_into().map_err(|_| KeyError::Bytes)?;
        let key = Self::new(name, kind, public)?;
        if key.hash == hash {
            Ok(key)
        } else {
            Err(KeyError::Hash)
        }
    }

    fn matches(&self, signature: &NoteSignature) -> bool {
        self.name == signature.name && self.hash == signature.key_hash
    }

    fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), NoteError> {
        let signature = Signature::from_slice(signature).map_err(|_| NoteError::BadSignature)?;
        self.key
            .verify_strict(message, &signature)
            .map_err(|_| NoteError::BadSignature)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![self.kind];
        bytes.extend_from_slice(self.key.as_bytes());
        write!(f, "{}+", self.name)?;
        self.hash
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))?;
        write!(f, "+{}", STANDARD.encode(bytes))
    }
}

macro_rules! written {
    ($name:ident, $kind:expr) => {
        impl FromStr for $name {
            type Err = KeyError;

            fn from_str(text: &str) -> Result<Self, KeyError> {
                PublicKey::read(text, $kind).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f)
            }
        }
    };
}

written!(VerifierKey, ED25519);
written!(WitnessKey, COSIGNATURE);

/// Returns whether the name is allowed in a note.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && !name.contains(|c: char| c == '+' || c.is_whitespace() || c.is_control())
}

fn check_name(name: &str) -> Result<(), KeyError> {
    if is_name(name) {
        Ok(())
    } else {
        Err(KeyError::Name)
    }
}

/// Reads eight lower-case hexadecimal digits.
fn read_hash(text: &str) -> Option<[u8; 4]> {
    let number = u32::from_str_radix(text, 16).ok()?;
    (format!("{number:08x}") == text).then_some(number.to_be_bytes())
}

fn key_hash(name: &str, kind: u8, key: &VerifyingKey) -> [u8; 4] {
    let mut hasher = Sha256::new();
    hasher.update(name);
    hasher.update([b'\n', kind]);
    hasher.update(key.as_bytes());
    let digest: [u8; 32] = hasher.finalize().into();
    [digest[0], digest[1], digest[2], digest[3]]
}

#[cfg(test)]
mod tests {
    use super::*;

    const VKEY: &str =
        "hub.example/log/results+28eeb5c9+AYE5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOU";
    const WITNESS: &str =
        "witness.example/w1+d9ed62c5+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR";

    #[test]
    fn a_key_prints_as_the_golden_vector_says() {
        let key = NoteKey::from_seed("hub.example/log/results", &[2; 32]).unwrap();

        assert_eq!(key.verifier().to_string(), VKEY);
        assert_eq!(VKEY.parse::<VerifierKey>().unwrap(), key.verifier());
        assert_eq!(WITNESS.parse::<WitnessKey>().unwrap().to_string(), WITNESS);
    }

    #[test]
    fn a_key_is_read_for_its_own_purpose_only() {
        assert_eq!(WITNESS.parse::<VerifierKey>(), Err(KeyError::Kind));
        assert_eq!(VKEY.parse::<WitnessKey>(), Err(KeyError::Kind));
    }

    #[test]
    fn a_key_under_another_name_or_hash_is_refused() {
        let renamed = VKEY.replace("results", "control");
        let rehashed = VKEY.replace("28eeb5c9", "28eeb5c8");

        assert_eq!(renamed.parse::<VerifierKey>(), Err(KeyError::Hash));
        assert_eq!(rehashed.parse::<VerifierKey>(), Err(KeyError::Hash));
    }

    #[test]
    fn a_hash_has_one_spelling() {
        for hash in [
            "28EEB5C9",
            "28eeb5c",
            "028eeb5c9",
            "+8eeb5c9",
            "28eeb5cg",
            "",
        ] {
            let changed = VKEY.replace("28eeb5c9", hash);

            assert_eq!(
                changed.parse::<VerifierKey>(),
                Err(KeyError::Form),
                "{hash}"
            );
        }
    }

    #[test]
    fn a_key_under_which_everything_is_signed_is_refused() {
        let mut identity = [0; 32];
        identity[0] = 1;

        assert_eq!(
            VerifierKey::from_public("hub.example/log", &identity),
            Err(KeyError::Bytes)
        );
    }

    #[test]
    fn names_that_would_break_a_note_are_refused() {
        for name in ["", "a b", "a+b", "a\nb", "a\u{2003}b", &"a".repeat(256)] {
            assert_eq!(
                NoteKey::from_seed(name, &[2; 32]).unwrap_err(),
                KeyError::Name,
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        let key = NoteKey::from_seed("hub.example/log", &[7; 32]).unwrap();

        assert_eq!(
            format!("{key:?}"),
            "NoteKey { name: \"hub.example/log\", .. }"
        );
    }
}
