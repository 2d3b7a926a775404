use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The error of a text that is no such identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not {0}")]
pub struct IdError(&'static str);

/// The identity of a token: 128 random bits, written as 22 characters of base64url.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Jti([u8; 16]);

/// The identity of a repository that no name can bring back: 128 random bits, written as 32
/// hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoUid([u8; 16]);

/// The identity of a public key: its RFC 7638 thumbprint, 43 characters of base64url.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kid([u8; 32]);

/// A framework integration that may be given tokens, such as `inspect-ai`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IntegrationId(String);

/// The longest name of an integration, in bytes.
const MAX_INTEGRATION: usize = 64;

macro_rules! bytes_id {
    ($name:ident, $size:literal, $write:expr, $read:expr, $words:literal) => {
        impl $name {
            /// From its bytes.
            pub fn from_bytes(bytes: [u8; $size]) -> Self {
                Self(bytes)
            }

            /// Its bytes.
            pub fn as_bytes(&self) -> &[u8; $size] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let write: fn(&[u8]) -> String = $write;
                f.write_str(&write(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                let read: fn(&str) -> Option<[u8; $size]> = $read;
                read(text).map(Self).ok_or(IdError($words))
            }
        }
    };
}

bytes_id!(
    Jti,
    16,
    base64url,
    unbase64url,
    "the identity of a token, 22 characters of base64url"
);
bytes_id!(
    Kid,
    32,
    base64url,
    unbase64url,
    "the identity of a key, 43 characters of base64url"
);
bytes_id!(
    RepoUid,
    16,
    assay_formats::rows::hex,
    unhex,
    "the identity of a repository, 32 hexadecimal digits"
);

impl IntegrationId {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IntegrationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for IntegrationId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let is_plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_slug = (1..=MAX_INTEGRATION).contains(&text.len())
            && text.bytes().all(is_plain)
            && !text.starts_with('-')
            && !text.ends_with('-');
        if is_slug {
            Ok(Self(text.to_owned()))
        } else {
            Err(IdError(
                "the name of an integration: a-z, 0-9 and `-` inside",
            ))
        }
    }
}

fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads base64url in the one spelling that its writer gives it.
fn unbase64url<const N: usize>(text: &str) -> Option<[u8; N]> {
    let bytes: [u8; N] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    (base64url(&bytes) == text).then_some(bytes)
}

/// Reads lower-case hexadecimal digits.
pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != N * 2 {
        return None;
    }
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}
