use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use zeroize::Zeroizing;

use crate::key::{KeyError, WitnessKey, cosigned};
use crate::note::NoteSignature;

/// The secret with which a witness signs the checkpoints that it has seen. It signs nothing else.
#[derive(Clone)]
pub struct Cosigner {
    secret: SigningKey,
    key: WitnessKey,
}

impl Cosigner {
    /// A key from its 32 secret bytes.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        let secret = SigningKey::from_bytes(seed);
        let key = WitnessKey::from_public(name, secret.verifying_key().as_bytes())?;
        Ok(Self { secret, key })
    }

    /// A new key.
    pub fn generate(name: &str) -> Result<Self, KeyError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed).map_err(|_| KeyError::Random)?;
        Self::from_seed(name, &seed)
    }

    /// The public key, which those who rely on the witness are told.
    pub fn key(&self) -> &WitnessKey {
        &self.key
    }

    /// The secret and its name as text, for a file that only its owner reads.
    pub(crate) fn to_text(&self) -> Zeroizing<String> {
        let seed = Zeroizing::new(STANDARD.encode(self.secret.as_bytes()));
        Zeroizing::new(format!("{} {}\n", self.key.name(), *seed))
    }

    /// The secret in such a file.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let (name, seed) = text.strip_suffix('\n')?.split_once(' ')?;
        let bytes = Zeroizing::new(STANDARD.decode(seed).ok()?);
        let seed: &[u8; 32] = bytes.as_slice().try_into().ok()?;
        Self::from_seed(name, seed).ok()
    }

    /// Signs the text of a checkpoint, as of a time in seconds since 1970.
    pub(crate) fn sign(&self, text: &str, seconds: u64) -> NoteSignature {
        let mut bytes = seconds.to_be_bytes().to_vec();
        let signature = self.secret.sign(cosigned(text, seconds).as_bytes());
        bytes.extend_from_slice(&signature.to_bytes());
        NoteSignature {
            name: self.key.name().to_owned(),
            key_hash: self.key.hash(),
            bytes,
        }
    }
}

impl fmt::Debug for Cosigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cosigner")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published vector: its secret is 32 times 3.
    const LINE: &str = "— witness.example/w1 2e1ixQAAAABqsTv44H6C52XQT6Z775OK48kS+fKGmqcctZ5IybiNLjRypJFfg358iBTiuM79rdMWjA2CL39gh7Cry0DGug/M80XaDQ==";
    const KEY: &str = "witness.example/w1+d9ed62c5+BO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR";

    #[test]
    fn a_secret_reads_as_it_was_kept_and_is_not_shown() {
        let cosigner = Cosigner::from_seed("witness.example/w1", &[3; 32]).unwrap();

        let read = Cosigner::from_text(&cosigner.to_text()).unwrap();

        assert_eq!(read.key().to_string(), KEY);
        assert_eq!(
            format!("{read:?}"),
            format!("Cosigner {{ key: {KEY}, .. }}")
        );
        assert!(Cosigner::from_text("witness.example/w1 AAAA\n").is_none());
    }

    #[test]
    fn a_cosignature_is_that_of_the_published_vector() {
        let cosigner = Cosigner::from_seed("witness.example/w1", &[3; 32]).unwrap();
        let text = "hub.example/log/results\n2\nkRed4f+ZGkCCfsf3y2tnTa+1Sco7UNk4we/Kv1vFKyA=\n";

        let line = cosigner.sign(text, 1_790_000_120).to_string();

        assert_eq!(line, LINE);
    }
}
