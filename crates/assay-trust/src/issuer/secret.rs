//! Secrets that machines show: a prefix that scanners know, a public part to look them up by, 256
//! random bits, and a check sum that tells a typing error from a guess without asking the database.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// A secret as its holder has it. It prints as its public part alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    kind: SecretKind,
    id: SecretId,
    text: Zeroizing<String>,
}

/// The stored hash of a secret.
#[derive(Clone, Copy)]
pub struct SecretHash([u8; 32]);

/// The part of a secret that is no secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretId(String);

/// The purpose of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// The issue endpoint, for months: a scoped personal token.
    Personal,
    /// The token endpoint: the secret of an OAuth client.
    Client,
    /// The issue endpoint, for minutes: what the token endpoint gives.
    Access,
}

/// The text is no secret of ours. Which part of it is wrong is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is no secret of this issuer")]
pub struct SecretError;

/// Number of letters that the public part has, about 71 bits.
const ID_LETTERS: usize = 12;
/// Number of letters that the secret part has: 43 of them hold 256 bits.
const SECRET_LETTERS: usize = 43;
/// Number of letters that the check sum has.
const CHECK_LETTERS: usize = 6;
/// The letters and digits.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl SecretKind {
    /// Returns the prefix of every secret of this kind.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Personal => "evp",
            Self::Client => "evc",
            Self::Access => "eva",
        }
    }

    fn of_prefix(text: &str) -> Option<Self> {
        [Self::Personal, Self::Client, Self::Access]
            .into_iter()
            .find(|kind| kind.prefix() == text)
    }
}

impl Secret {
    /// Number of random bytes a secret that is made of. Some are thrown away, so that no letter is
    /// likelier than another.
    pub const ENTROPY: usize = 128;

    /// Makes a secret of random bytes; none when too few of them could be used, which fresh bytes
    /// mend.
    pub fn of_entropy(kind: SecretKind, entropy: &[u8; Self::ENTROPY]) -> Option<Self> {
        let mut letters = entropy
            .iter()
            .filter(|byte| **byte < 248)
            .map(|byte| char::from(ALPHABET[usize::from(byte % 62)]));
        let id: String = letters.by_ref().take(ID_LETTERS).collect();
        let secret: Zeroizing<String> = Zeroizing::new(letters.take(SECRET_LETTERS).collect());
        if secret.len() < SECRET_LETTERS {
            return None;
        }
        let body = Zeroizing::new(format!("{}_{id}_{}", kind.prefix(), *secret));
        let text = Zeroizing::new(format!("{}{}", *body, check_sum(&body)));
        Some(Self {
            kind,
            id: SecretId(id),
            text,
        })
    }

    /// Returns the purpose of the secret.
    pub fn kind(&self) -> SecretKind {
        self.kind
    }

    /// Its public part.
    pub fn id(&self) -> &SecretId {
        &self.id
    }

    /// The whole text: for whoever it was made for, once.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Returns the hash to store.
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.text.as_bytes()).into())
    }

    /// Returns whether it is the one that a hash was kept of. It takes as long whatever the answer
    /// is, also when there is none.
    pub fn is(&self, kept: Option<&SecretHash>) -> bool {
        let nothing = SecretHash([0; 32]);
        let same = self.hash().0.ct_eq(&kept.unwrap_or(&nothing).0);
        bool::from(same) && kept.is_some()
    }
}

impl SecretId {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl SecretHash {
    /// A hash that was kept.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to keep.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(..)")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}_..", self.kind.prefix(), self.id.0)
    }
}

impl fmt::Display for SecretId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SecretId {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        if text.len() == ID_LETTERS && is_plain(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(SecretError)
        }
    }
}

impl FromStr for Secret {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        let (prefix, rest) = text.split_once('_').ok_or(SecretError)?;
        let kind = SecretKind::of_prefix(prefix).ok_or(SecretError)?;
        let (id, secret) = rest.split_once('_').ok_or(SecretError)?;
        let id: SecretId = id.parse()?;
        if secret.len() != SECRET_LETTERS + CHECK_LETTERS || !is_plain(secret) {
            return Err(SecretError);
        }
        let (body, check) = text.split_at(text.len() - CHECK_LETTERS);
        if check_sum(body) != check {
            return Err(SecretError);
        }
        Ok(Self {
            kind,
            id,
            text: Zeroizing::new(text.to_owned()),
        })
    }
}

fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn check_sum(text: &str) -> String {
    let mut sum = crc32fast::hash(text.as_bytes());
    let mut letters = [b'0'; CHECK_LETTERS];
    for letter in letters.iter_mut().rev() {
        *letter = ALPHABET[(sum % 62) as usize];
        sum /= 62;
    }
    letters.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(kind: SecretKind, first: u8) -> Secret {
        let mut entropy = [0; Secret::ENTROPY];
        for (byte, value) in entropy.iter_mut().zip(first..) {
            *byte = value;
        }
        Secret::of_entropy(kind, &entropy).unwrap()
    }

    #[test]
    fn a_secret_is_read_as_it_was_made() {
        for kind in [SecretKind::Personal, SecretKind::Client, SecretKind::Access] {
            let made = secret(kind, 1);

            let read: Secret = made.reveal().parse().unwrap();

            assert_eq!(read, made);
            assert_eq!(read.kind(), kind);
            assert!(made.reveal().starts_with(kind.prefix()));
            assert!(!format!("{made:?}").contains(&made.reveal()[17..]));
        }
    }

    #[test]
    fn any_changed_letter_is_noticed_before_anything_is_looked_up() {
        let made = secret(SecretKind::Personal, 1);
        let text = made.reveal();

        for at in 4..text.len() {
            let mut changed = text.as_bytes().to_vec();
            changed[at] = if changed[at] == b'x' { b'y' } else { b'x' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(changed.parse::<Secret>(), Err(SecretError), "{changed}");
        }
        for text in [
            "",
            "evp_",
            "evp_a_b",
            "hf_abc",
            &text[1..],
            &text[..text.len() - 1],
        ] {
            assert_eq!(text.parse::<Secret>(), Err(SecretError), "{text}");
        }
    }

    /// Row 71 of the threat table: the comparison is of digests, by a function whose time does not
    /// depend on them, and it is made even when there is nothing to compare with.
    #[test]
    fn pat_compare_constant_time() {
        let (one, other) = (
            secret(SecretKind::Personal, 1),
            secret(SecretKind::Personal, 2),
        );

        assert!(one.is(Some(&one.hash())));
        assert!(!one.is(Some(&other.hash())));
        assert!(!one.is(None));
        let mut near = *one.hash().as_bytes();
        near[31] ^= 1;
        assert!(!one.is(Some(&SecretHash::from_bytes(near))));
        // Nothing else compares: a hash has no `PartialEq` that somebody could reach for.
        let source = include_str!("secret.rs");
        assert!(source.contains("ct_eq"));
        let hash = source.split("pub struct SecretHash").next().unwrap();
        assert!(hash.trim_end().ends_with("#[derive(Clone, Copy)]"));
    }

    #[test]
    fn bytes_that_would_favour_some_letters_are_thrown_away() {
        assert!(Secret::of_entropy(SecretKind::Access, &[255; Secret::ENTROPY]).is_none());
    }
}
