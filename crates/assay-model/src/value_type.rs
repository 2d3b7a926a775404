use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::Number;

/// The kind of number of a metric value.
///
/// ```
/// # use assay_model::{Number, ValueType};
/// let attempts: Number = "4.5".parse()?;
/// assert_eq!("int".parse(), Ok(ValueType::Int));
/// assert!(!ValueType::Int.takes(attempts));
/// # Ok::<(), assay_model::NumberError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Any number.
    Float,
    /// A whole number.
    Int,
    /// From 0 to 100.
    Percentage,
    /// A place in an order: 1, 2, 3.
    Rank,
}

/// The error of a text that is not a kind of number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a value type is `float`, `int`, `percentage` or `rank`")]
pub struct ValueTypeError;

impl ValueType {
    /// All of them, in the order of the format.
    pub const ALL: [Self; 4] = [Self::Float, Self::Int, Self::Percentage, Self::Rank];

    /// The word in the file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Int => "int",
            Self::Percentage => "percentage",
            Self::Rank => "rank",
        }
    }

    /// Returns the name of its values for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Float => "a number",
            Self::Int => "a whole number",
            Self::Percentage => "a number from 0 to 100",
            Self::Rank => "a whole number from 1",
        }
    }

    /// Returns whether a value can be of this kind.
    pub fn takes(self, value: Number) -> bool {
        let value = value.get();
        match self {
            Self::Float => true,
            Self::Int => value.fract() == 0.0,
            Self::Percentage => (0.0..=100.0).contains(&value),
            Self::Rank => value.fract() == 0.0 && value >= 1.0,
        }
    }
}

impl FromStr for ValueType {
    type Err = ValueTypeError;

    fn from_str(text: &str) -> Result<Self, ValueTypeError> {
        Self::ALL
            .into_iter()
            .find(|value_type| value_type.as_str() == text)
            .ok_or(ValueTypeError)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
