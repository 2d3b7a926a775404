use std::fmt;
use std::str::FromStr;

/// The id of an event in a discussion: 24 lower-case hexadecimal digits, because clients lower-case
/// what they send back.
///
/// ```
/// # use assay_store::EventId;
/// assert!("65f0c0ffee0123456789abcd".parse::<EventId>().is_ok());
/// assert!("65F0C0FFEE0123456789ABCD".parse::<EventId>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(String);

/// The text is not the id of an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the id of an event is {} lower-case hexadecimal digits",
    EventId::DIGITS
)]
pub struct EventIdError;

impl EventId {
    /// Number of digits that it has.
    pub const DIGITS: usize = 24;

    /// An id of twelve random bytes, which the caller draws.
    pub fn from_bytes(bytes: [u8; 12]) -> Self {
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
        Self(digits.collect())
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EventId {
    type Err = EventIdError;

    fn from_str(text: &str) -> Result<Self, EventIdError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == Self::DIGITS && text.bytes().all(is_digit) {
            Ok(Self(text.to_owned()))
        } else {
            Err(EventIdError)
        }
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
