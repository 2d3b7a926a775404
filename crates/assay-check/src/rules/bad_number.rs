use assay_formats::{Kind, Value};
use assay_model::{Number, NumberError};

use crate::rule::rule;
use crate::sink::{Draft, Sink};
use crate::suggest::quote;

rule! {
    /// A score is not a number that can be compared exactly
    ///
    /// A token is bound to exact scores, so every tool must read the same number. A score is
    /// written in plain decimal digits, `-12.5`, or with a fraction and a signed exponent,
    /// `1.25e-7`. The message ends with the reason that the verifier gives:
    ///
    /// - `yaml_ambiguous_scalar`: readers of YAML disagree on what it is: `1e3`, `.5`, `1_000`,
    ///   `017`, `1:30`.
    /// - `number_excess_precision`: more than 17 significant digits, which a double cannot hold.
    /// - `number_unsafe_integer`: a whole number beyond 2^53 - 1.
    /// - `number_too_long`: more than 32 characters.
    /// - `number_out_of_range`, `number_underflow`: too large or too small for a double.
    ///
    /// ## What to do
    ///
    /// Write the number plainly. `assay validate --fix` does where only one meaning is possible; it
    /// never turns a fraction into a percentage or the other way round.
    BAD_NUMBER = (314, "bad-number", Error)
}

/// Reports a score that is not a plain number; returns whether it did.
pub(crate) fn check(value: Value<'_>, sink: &mut Sink<'_>) -> bool {
    // A number that is not finite was already reported as such when it was read.
    if value.kind() != Kind::Number || value.is_non_finite() {
        return false;
    }
    let Err(error) = value.raw().parse::<Number>() else {
        return false;
    };
    sink.report(&BAD_NUMBER, value, || {
        let draft = Draft::new(format!(
            "{} cannot be compared exactly: {error} ({})",
            quote(value.raw()),
            error.reason()
        ));
        match error {
            NumberError::Ambiguous => match plain(value.raw()) {
                Some(plain) => draft
                    .help(format!("write `{plain}`"))
                    .replace(value.range(), plain),
                None => draft.help("write it in plain decimal digits, such as `12.5`"),
            },
            NumberError::ExcessPrecision | NumberError::TooLong => match rounded(value.raw()) {
                Some(rounded) => draft.help(format!(
                    "write `{rounded}`, which is all that a double holds of it"
                )),
                None => draft.help(format!(
                    "write at most {} significant digits",
                    Number::MAX_DIGITS
                )),
            },
            NumberError::UnsafeInteger => {
                draft.help("write it with a fraction and an exponent, such as `1.5e+20`")
            }
            NumberError::OutOfRange | NumberError::Underflow => draft.help("check the exponent"),
        }
    });
    true
}

/// The plain spelling of a literal that has only one meaning as a number. Octal, hexadecimal and
/// sexagesimal ones have several.
fn plain(raw: &str) -> Option<String> {
    let (sign, unsigned) = match raw.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", raw.strip_prefix('+').unwrap_or(raw)),
    };
    let digits = unsigned.replace('_', "");
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits.as_str(), None),
    };
    let (integer, fraction) = match (mantissa.split_once('.'), exponent) {
        (Some((integer, fraction)), _) => (integer, Some(fraction)),
        (None, Some(_)) => (mantissa, Some("")),
        (None, None) => (mantissa, None),
    };
    if fraction.is_none() && integer.len() > 1 && integer.starts_with('0') {
        return None;
    }
    let or_zero = |digits: &str| if digits.is_empty() { "0" } else { digits }.to_owned();
    let mut text = format!("{sign}{}", or_zero(integer.trim_start_matches('0')));
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(&or_zero(fraction));
    }
    if let Some(exponent) = exponent {
        text.push('e');
        if !exponent.starts_with(['+', '-']) {
            text.push('+');
        }
        text.push_str(exponent);
    }
    text.parse::<Number>().is_ok().then_some(text)
}

/// Returns the value that a double holds of a literal, where it can be written plainly.
fn rounded(raw: &str) -> Option<String> {
    let number = Number::new(raw.parse().ok()?)?.to_string();
    number.parse::<Number>().is_ok().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_with_one_meaning_has_a_plain_spelling() {
        for (raw, expected) in [
            ("1e3", "1.0e+3"),
            ("1E-3", "1.0e-3"),
            ("1.5e5", "1.5e+5"),
            ("+1.5", "1.5"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("5.", "5.0"),
            ("01.5", "1.5"),
            ("1_000", "1000"),
            ("1_000.5", "1000.5"),
            ("+7", "7"),
        ] {
            assert_eq!(plain(raw).as_deref(), Some(expected), "{raw}");
        }
    }

    #[test]
    fn a_literal_with_several_meanings_has_none() {
        for raw in [
            "017", "0o17", "0x1F", "0b11", "1:30", "1:30.5", "007", "1e999",
        ] {
            assert_eq!(plain(raw), None, "{raw}");
        }
    }
}
