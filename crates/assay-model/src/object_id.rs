use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A git object (commit, tree or blob), by its full SHA-1 hash.
///
/// ```
/// # use assay_model::ObjectId;
/// let id: ObjectId = "5503434ddd753f426f4b38109466949a1217c2bb".parse()?;
/// assert_eq!(id.to_string(), "5503434ddd753f426f4b38109466949a1217c2bb");
/// assert!("5503434".parse::<ObjectId>().is_err());
/// # Ok::<(), assay_model::ObjectIdError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId([u8; 20]);

/// The text is not the full hash of a git object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a git object is named by {} lower-case hexadecimal digits",
    ObjectId::DIGITS
)]
pub struct ObjectIdError;

impl ObjectId {
    /// Number of digits that the text has.
    pub const DIGITS: usize = 40;

    /// The object of this hash.
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// The hash.
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }
}

impl FromStr for ObjectId {
    type Err = ObjectIdError;

    fn from_str(text: &str) -> Result<Self, ObjectIdError> {
        let digits = text.as_bytes();
        if digits.len() != Self::DIGITS {
            return Err(ObjectIdError);
        }
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = (nibble(pair[0])? << 4) | nibble(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Result<u8, ObjectIdError> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(ObjectIdError),
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ObjectId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
