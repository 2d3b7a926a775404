//! YAML as JSON, as `PyYAML` reads it where tools differ.

use serde_json::{Map, Number, Value as Json};

use super::MAX_CARD_BYTES;
use crate::{Kind, Value};

/// The cost of a value beside its text, in bytes.
const VALUE_COST: usize = 8;

/// A mapping as JSON. None when it holds too much: a few aliases can stand for any amount of text.
pub(super) fn object(map: Value<'_>) -> Option<Map<String, Json>> {
    Converter {
        left: MAX_CARD_BYTES,
    }
    .object(map)
}

struct Converter {
    /// Number of bytes that may still be made.
    left: usize,
}

impl Converter {
    fn spend(&mut self, text: usize) -> Option<()> {
        self.left = self.left.checked_sub(text + VALUE_COST)?;
        Some(())
    }

    fn object(&mut self, map: Value<'_>) -> Option<Map<String, Json>> {
        let mut object = Map::new();
        for (key, value) in map.entries() {
            let key = key.text().unwrap_or_default();
            self.spend(key.len())?;
            // Of a key that is there twice the last counts, as in Python.
            object.insert(key.into_owned(), self.value(value)?);
        }
        Some(object)
    }

    /// The recursion is as deep as the reader of YAML allows.
    fn value(&mut self, value: Value<'_>) -> Option<Json> {
        self.spend(0)?;
        Some(match value.kind() {
            Kind::Null => Json::Null,
            Kind::Bool => Json::Bool(value.truth() == Some(true)),
            Kind::Number => self.number(value)?,
            Kind::String => {
                let text = value.text().unwrap_or_default();
                self.spend(text.len())?;
                Json::String(text.into_owned())
            }
            Kind::List => Json::Array(
                value
                    .items()
                    .map(|item| self.value(item))
                    .collect::<Option<_>>()?,
            ),
            Kind::Map => Json::Object(self.object(value)?),
        })
    }

    /// A number that JSON has; the letters of one that it has not, or that no tool in use agrees
    /// on.
    fn number(&mut self, value: Value<'_>) -> Option<Json> {
        let raw = value.raw();
        let number = if value.is_loose() {
            old_number(raw)
        } else {
            plain_number(raw)
        };
        if let Some(number) = number.filter(|_| !value.is_non_finite()) {
            return Some(Json::Number(number));
        }
        self.spend(raw.len())?;
        Some(Json::String(raw.to_owned()))
    }
}

fn plain_number(text: &str) -> Option<Number> {
    if let Ok(integer) = text.parse::<i64>() {
        return Some(integer.into());
    }
    Number::from_f64(text.parse().ok()?)
}

/// A number as only YAML 1.1 writes it: `1_000`, `0x1F`, `017`, `1:30`, `.5`.
fn old_number(text: &str) -> Option<Number> {
    let digits = text.replace('_', "");
    let (sign, digits) = match digits.as_bytes().first()? {
        b'-' => (-1, &digits[1..]),
        b'+' => (1, &digits[1..]),
        _ => (1, digits.as_str()),
    };
    if digits.contains('.') {
        return old_float(sign, digits);
    }
    let integer = match (digits.get(..2), digits.as_bytes().first()?) {
        (Some("0b"), _) => i64::from_str_radix(&digits[2..], 2).ok()?,
        (Some("0x"), _) => i64::from_str_radix(&digits[2..], 16).ok()?,
        (Some(_), b'0') => i64::from_str_radix(&digits[1..], 8).ok()?,
        (_, _) => sixtieths(digits)?,
    };
    Some((sign * integer).into())
}

/// A whole number in base 60, or in base 10 when it has no colon.
fn sixtieths(digits: &str) -> Option<i64> {
    digits.split(':').try_fold(0_i64, |sum, part| {
        let is_plain = part.bytes().all(|byte| byte.is_ascii_digit());
        let part: i64 = part.parse().ok().filter(|_| is_plain)?;
        sum.checked_mul(60)?.checked_add(part)
    })
}

fn old_float(sign: i64, digits: &str) -> Option<Number> {
    // Python wants a sign in the exponent, and takes the number for text without one.
    let has_bare_exponent = digits
        .split_once(['e', 'E'])
        .is_some_and(|(_, exponent)| !exponent.starts_with(['+', '-']));
    if has_bare_exponent {
        return None;
    }
    let value = digits.split(':').try_fold(0.0, |sum, part| {
        let part: f64 = part.parse().ok()?;
        Some(sum * 60.0 + part)
    })?;
    Number::from_f64(if sign < 0 { -value } else { value })
}
