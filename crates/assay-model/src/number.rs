use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A finite number that every tool reads alike, and its one canonical spelling.
///
/// Two numbers are the same claim if and only if they print the same: `20.90`, `20.9` and `2.09e+1`
/// do. The spelling is that of RFC 8785, so a signature made in another language can agree byte for
/// byte.
///
/// `FromStr` reads the literal as people submit it, which JSON, YAML 1.1 and YAML 1.2 must all read
/// as the same number: `-?(0|[1-9][0-9]*)(\.[0-9]+([eE][+-][0-9]+)?)?`.
///
/// ```
/// # use assay_model::{Number, NumberError};
/// assert_eq!("20.90".parse::<Number>()?.to_string(), "20.9");
/// assert_eq!("1e3".parse::<Number>(), Err(NumberError::Ambiguous));
/// # Ok::<(), NumberError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(f64);

// A number is never NaN, so it always equals itself.
impl Eq for Number {}

/// The error of a literal that cannot be compared exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NumberError {
    /// YAML 1.1, YAML 1.2 and JSON do not agree on what it is.
    #[error("tools do not agree on how to read it")]
    Ambiguous,
    /// More characters than a double can need.
    #[error("it has more than {max} characters", max = Number::MAX_LENGTH)]
    TooLong,
    /// More digits than a double can hold.
    #[error("it has more than {max} significant digits, which a double cannot hold", max = Number::MAX_DIGITS)]
    ExcessPrecision,
    /// An integer that a double cannot hold exactly.
    #[error("integers beyond 2^53 - 1 are not exact in every tool")]
    UnsafeInteger,
    /// Too large for a double.
    #[error("it is too large for a double")]
    OutOfRange,
    /// Not zero, but too small for a double.
    #[error("it is not zero, but too small for a double")]
    Underflow,
}

impl NumberError {
    /// The name that the verification rules give this reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Ambiguous => "yaml_ambiguous_scalar",
            Self::TooLong => "number_too_long",
            Self::ExcessPrecision => "number_excess_precision",
            Self::UnsafeInteger => "number_unsafe_integer",
            Self::OutOfRange => "number_out_of_range",
            Self::Underflow => "number_underflow",
        }
    }
}

/// Room for the canonical spelling of one number.
#[derive(Clone)]
pub struct Spelling(ryu_js::Buffer);

impl Spelling {
    /// Empty room.
    pub fn new() -> Self {
        Self(ryu_js::Buffer::new())
    }
}

impl Default for Spelling {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spelling")
    }
}

impl Number {
    /// The most characters a submitted literal may have.
    pub const MAX_LENGTH: usize = 32;
    /// The most significant digits a submitted literal may have.
    pub const MAX_DIGITS: usize = 17;
    /// The largest integer that every double-based tool holds exactly: 2^53 - 1.
    pub const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;

    /// A number from a double, unless that is infinite or not a number. Minus zero becomes zero.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// Reads a literal as JSON spells it, by the rules of [`FromStr`]: requests are JSON, where
    /// `1e3` is a number.
    ///
    /// ```
    /// # use assay_model::{Number, NumberError};
    /// assert_eq!(Number::from_json("1e3").map(Number::get), Ok(1000.0));
    /// assert_eq!(Number::from_json("1e400"), Err(NumberError::OutOfRange));
    /// ```
    pub fn from_json(text: &str) -> Result<Self, NumberError> {
        let literal = Literal::split_json(text).ok_or(NumberError::Ambiguous)?;
        literal.read(text)
    }

    /// The double.
    pub fn get(self) -> f64 {
        self.0
    }

    /// The canonical spelling, without a string of its own.
    pub fn spell(self, room: &mut Spelling) -> &str {
        room.0.format_finite(self.0)
    }

    /// The shortest spelling that a result file may hold: the canonical one, except that an
    /// exponent follows a fraction and integers that are not exact in every tool have one.
    ///
    /// ```
    /// # use assay_model::Number;
    /// let spelled = |value| Number::new(value).map(Number::to_literal);
    /// assert_eq!(spelled(20.9).as_deref(), Some("20.9"));
    /// assert_eq!(spelled(1e-7).as_deref(), Some("1.0e-7"));
    /// assert_eq!(spelled(1e20).as_deref(), Some("1.0e+20"));
    /// ```
    pub fn to_literal(self) -> String {
        let canonical = self.to_string();
        let is_plain = !canonical.contains('e');
        if is_plain && (canonical.contains('.') || self.0.abs() <= Self::MAX_INTEGER) {
            return canonical;
        }
        let scientific = format!("{:e}", self.0);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let fraction = if mantissa.contains('.') { "" } else { ".0" };
        let sign = if exponent.starts_with('-') { "" } else { "+" };
        format!("{mantissa}{fraction}e{sign}{exponent}")
    }

    /// The number times a power of ten, as if the point had been moved in its spelling: 0.29
    /// becomes 29 and not 28.999999999999996. None when it is too large.
    ///
    /// ```
    /// # use assay_model::Number;
    /// let share = Number::new(0.29).and_then(|share| share.shifted(2));
    /// assert_eq!(share, Number::new(29.0));
    /// ```
    pub fn shifted(self, places: i32) -> Option<Self> {
        let scientific = format!("{:e}", self.0);
        let (mantissa, exponent) = scientific.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let moved = format!("{mantissa}e{}", exponent.checked_add(places)?);
        Self::new(moved.parse().ok()?)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let literal = Literal::split(text).ok_or(NumberError::Ambiguous)?;
        literal.read(text)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spell(&mut Spelling::new()))
    }
}

/// The parts of a literal that fits a grammar.
struct Literal<'a> {
    integer: &'a str,
    fraction: &'a str,
    has_exponent: bool,
}

impl<'a> Literal<'a> {
    /// The number, unless the letters say more than a double can hold.
    fn read(&self, text: &str) -> Result<Number, NumberError> {
        if text.len() > Number::MAX_LENGTH {
            return Err(NumberError::TooLong);
        }
        if self.significant_digits() > Number::MAX_DIGITS {
            return Err(NumberError::ExcessPrecision);
        }
        let value: f64 = text.parse().map_err(|_| NumberError::Ambiguous)?;
        if self.fraction.is_empty() && !self.has_exponent && value.abs() > Number::MAX_INTEGER {
            return Err(NumberError::UnsafeInteger);
        }
        if value == 0.0 && !self.is_zero() {
            return Err(NumberError::Underflow);
        }
        Number::new(value).ok_or(NumberError::OutOfRange)
    }

    fn split(text: &'a str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (integer, rest) = match unsigned.split_once('.') {
            Some((integer, rest)) => (integer, Some(rest)),
            None => (unsigned, None),
        };
        if !digits(integer) || (integer.len() > 1 && integer.starts_with('0')) {
            return None;
        }
        let Some(rest) = rest else {
            return Some(Self {
                integer,
                fraction: "",
                has_exponent: false,
            });
        };
        let (fraction, exponent) = match rest.split_once(['e', 'E']) {
            Some((fraction, exponent)) => (fraction, Some(exponent)),
            None => (rest, None),
        };
        let exponent_fits =
            exponent.is_none_or(|text| text.strip_prefix(['+', '-']).is_some_and(digits));
        (digits(fraction) && exponent_fits).then_some(Self {
            integer,
            fraction,
            has_exponent: exponent.is_some(),
        })
    }

    /// Takes a number of JSON apart, where an exponent needs neither a fraction before it nor a
    /// sign.
    fn split_json(text: &'a str) -> Option<Self> {
        let digits =
            |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (text, None),
        };
        let exponent_fits =
            exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
        let literal = Self::split(mantissa)?;
        (exponent_fits && !literal.has_exponent).then_some(Self {
            has_exponent: exponent.is_some(),
            ..literal
        })
    }

    fn significant_digits(&self) -> usize {
        let fraction = self.fraction.trim_end_matches('0');
        let integer = self.integer.trim_start_matches('0');
        if integer.is_empty() {
            fraction.trim_start_matches('0').len()
        } else {
            integer.len() + fraction.len()
        }
    }

    fn is_zero(&self) -> bool {
        self.integer
            .bytes()
            .chain(self.fraction.bytes())
            .all(|byte| byte == b'0')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_published_vectors_hold() {
        let canonical = [
            ("20.90", "20.9"),
            ("20.9", "20.9"),
            ("2.09e+1", "20.9"),
            ("20.900000001", "20.900000001"),
            ("4", "4"),
            ("4.0", "4"),
            ("-0.0", "0"),
            ("0.1", "0.1"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("1.0e-07", "1e-7"),
            ("1.0e+21", "1e+21"),
            ("1.0e+20", "100000000000000000000"),
            ("9007199254740991", "9007199254740991"),
            ("5.0e-324", "5e-324"),
        ];
        for (literal, expected) in canonical {
            assert_eq!(
                literal.parse::<Number>().map(|number| number.to_string()),
                Ok(expected.to_owned()),
                "{literal}"
            );
        }
    }

    #[test]
    fn the_published_refusals_hold() {
        let refused = [
            ("9007199254740993", NumberError::UnsafeInteger),
            ("20.9000000000000000001", NumberError::ExcessPrecision),
            ("1.0e+400", NumberError::OutOfRange),
            ("1.0e-400", NumberError::Underflow),
        ];
        for (literal, expected) in refused {
            assert_eq!(literal.parse::<Number>(), Err(expected), "{literal}");
        }
        for literal in [
            "1e3", "+1.5", "01.5", ".5", "5.", "1_000", "0x1F", ".inf", ".nan", "", "-", "1.5e5",
            "--1",
        ] {
            assert_eq!(
                literal.parse::<Number>(),
                Err(NumberError::Ambiguous),
                "{literal}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_canonical_spelling_reads_back_as_the_same_double(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
            let number = Number::new(value).expect("the strategy makes finite values");

            let back: f64 = number.to_string().parse().expect("a canonical number is a number");

            prop_assert_eq!(back.to_bits(), (value + 0.0).to_bits());
        }

        #[test]
        fn the_literal_is_read_back_as_the_same_number(value in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO) {
            let number = Number::new(value).expect("the strategy makes finite values");

            let back: Result<Number, NumberError> = number.to_literal().parse();

            prop_assert_eq!(back, Ok(number));
        }

        #[test]
        fn moving_the_point_moves_it_in_the_decimal_spelling(digits in -1_000_000_000_000_i64..1_000_000_000_000) {
            let read = |exponent: &str| format!("{digits}{exponent}").parse().ok().and_then(Number::new);
            let share = read("e-6").expect("the strategy makes finite values");

            prop_assert_eq!(share.shifted(2), read("e-4"));
            prop_assert_eq!(share.shifted(-2), read("e-8"));
        }
    }
}
