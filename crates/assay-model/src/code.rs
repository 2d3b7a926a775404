use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The stable name of a rule, `AY` and three digits; never reused once published.
///
/// ```
/// # use assay_model::Code;
/// let code: Code = "ay101".parse()?;
/// assert_eq!(code.to_string(), "AY101");
/// # Ok::<(), assay_model::CodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u16);

impl Code {
    /// The highest number a code can carry: it is printed with three digits.
    pub const MAX: u16 = 999;

    /// Makes a code from its number.
    ///
    /// # Panics
    /// At compile time, when a constant is out of range.
    pub const fn new(number: u16) -> Self {
        assert!(
            number >= 1 && number <= Self::MAX,
            "a code has three digits"
        );
        Self(number)
    }

    /// The number behind the letters.
    pub const fn number(self) -> u16 {
        self.0
    }
}

/// The error of a text that is not a code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a rule code; codes look like `AY101`")]
pub struct CodeError(String);

impl FromStr for Code {
    type Err = CodeError;

    fn from_str(text: &str) -> Result<Self, CodeError> {
        let refuse = || CodeError(text.to_owned());
        let upper = text.trim().to_ascii_uppercase();
        let digits = upper.strip_prefix("AY").ok_or_else(refuse)?;
        if digits.len() != 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refuse());
        }
        let number: u16 = digits.parse().map_err(|_| refuse())?;
        if number == 0 {
            Err(refuse())
        } else {
            Ok(Self(number))
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AY{:03}", self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ay_and_three_digits_is_a_code() {
        for text in ["AY1", "AY0001", "AY000", "EV101", "AYx01", "", "AY+01"] {
            assert!(text.parse::<Code>().is_err(), "{text}");
        }
        assert_eq!("AY999".parse::<Code>(), Ok(Code::new(999)));
    }
}
