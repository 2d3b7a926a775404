use assay_model::{Number, NumberError};

use crate::tape::{Form, Kind};

/// Returns the kind of a scalar without quotes, and whether every tool agrees on it.
///
/// The rules of YAML 1.1 are those of `PyYAML`, which wrote most of the files that we read.
pub(super) fn resolve(text: &str) -> (Kind, Form) {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return (Kind::Null, Form::Plain),
        "true" => return (Kind::Bool, Form::True),
        "false" => return (Kind::Bool, Form::Plain),
        "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
            return (Kind::Bool, Form::LooseTrue);
        }
        "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            return (Kind::Bool, Form::LooseFalse);
        }
        ".nan" | ".NaN" | ".NAN" => return (Kind::Number, Form::NonFinite),
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return (Kind::String, Form::Plain);
    }
    if matches!(unsigned(text), ".inf" | ".Inf" | ".INF") {
        (Kind::Number, Form::NonFinite)
    } else if text.parse::<Number>() != Err(NumberError::Ambiguous) {
        let is_finite = text.parse().is_ok_and(f64::is_finite);
        (
            Kind::Number,
            if is_finite {
                Form::Plain
            } else {
                Form::NonFinite
            },
        )
    } else if is_old_integer(text) || is_old_float(text) || is_core_number(text) {
        (Kind::Number, Form::Loose)
    } else if is_timestamp(text) {
        (Kind::String, Form::Loose)
    } else {
        (Kind::String, Form::Plain)
    }
}

/// Returns whether every tool reads a scalar without quotes as text. YAML 1.1 has a few words of
/// its own that `PyYAML` leaves alone and other tools do not.
///
/// ```
/// # use assay_formats::yaml;
/// assert!(yaml::is_text("gpqa_diamond"));
/// assert!(!yaml::is_text("no") && !yaml::is_text("1.10") && !yaml::is_text("y"));
/// ```
pub fn is_text(text: &str) -> bool {
    resolve(text) == (Kind::String, Form::Plain)
        && !matches!(text, "y" | "Y" | "n" | "N" | "=" | "<<")
}

/// An integer of YAML 1.1: `017`, `0b11`, `0x_1F`, `1_000`, `1:30`.
fn is_old_integer(text: &str) -> bool {
    let text = unsigned(text);
    if let Some(digits) = text.strip_prefix("0b") {
        return some(digits, |byte| matches!(byte, b'0' | b'1' | b'_'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return some(digits, |byte| byte.is_ascii_hexdigit() || byte == b'_');
    }
    if let Some(digits) = text.strip_prefix('0') {
        return digits.is_empty() || some(digits, |byte| matches!(byte, b'0'..=b'7' | b'_'));
    }
    let (whole, sixtieths) = split_sixtieths(text);
    starts_with_digit(whole) && some(whole, is_spaced_digit) && sixtieths.is_none_or(are_sixtieths)
}

/// A float of YAML 1.1: `1_0.5`, `5.`, `.5`, `1:30.5`.
fn is_old_float(text: &str) -> bool {
    if let Some(fraction) = text.strip_prefix('.') {
        let (digits, exponent) = split_exponent(fraction);
        return starts_with_digit(digits)
            && some(digits, is_spaced_digit)
            && exponent.is_none_or(is_signed);
    }
    let Some((integer, fraction)) = unsigned(text).split_once('.') else {
        return false;
    };
    let (whole, sixtieths) = split_sixtieths(integer);
    let (digits, exponent) = split_exponent(fraction);
    starts_with_digit(whole)
        && some(whole, is_spaced_digit)
        && digits.bytes().all(is_spaced_digit)
        && match sixtieths {
            Some(sixtieths) => are_sixtieths(sixtieths) && exponent.is_none(),
            None => exponent.is_none_or(is_signed),
        }
}

/// A number of the core schema of YAML 1.2: `+1`, `007`, `0o17`, `0x1F`, `1e3`, `.5`.
fn is_core_number(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix("0o") {
        return some(digits, |byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return some(digits, |byte| byte.is_ascii_hexdigit());
    }
    let (mantissa, exponent) = split_exponent(unsigned(text));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !integer.is_empty() || !fraction.is_empty();
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    has_digits
        && are_digits(integer)
        && are_digits(fraction)
        && exponent.is_none_or(|text| some(unsigned(text), |byte| byte.is_ascii_digit()))
}

/// A date, or a date and time, of YAML 1.1: `2026-02-14`, `2026-2-4 10:00:00 +1`.
fn is_timestamp(text: &str) -> bool {
    let mut rest = Cursor(text);
    let is_date = rest.digits(4, 4)
        && rest.literal("-")
        && rest.digits(1, 2)
        && rest.literal("-")
        && rest.digits(1, 2);
    if is_date && rest.0.is_empty() {
        return text.len() == "2026-02-14".len();
    }
    let is_time = is_date
        && (rest.one_of("Tt") || rest.blanks())
        && rest.digits(1, 2)
        && rest.literal(":")
        && rest.digits(2, 2)
        && rest.literal(":")
        && rest.digits(2, 2);
    if !is_time {
        return false;
    }
    if rest.literal(".") {
        rest.digits(0, usize::MAX);
    }
    if rest.0.is_empty() {
        return true;
    }
    rest.blanks();
    if rest.literal("Z") {
        return rest.0.is_empty();
    }
    let has_offset = rest.one_of("+-") && rest.digits(1, 2);
    has_offset && (rest.0.is_empty() || rest.literal(":") && rest.digits(2, 2) && rest.0.is_empty())
}

/// The rest of a text that is matched piece by piece.
struct Cursor<'a>(&'a str);

impl Cursor<'_> {
    fn literal(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn one_of(&mut self, letters: &str) -> bool {
        let rest = self.0.strip_prefix(|letter| letters.contains(letter));
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// Takes spaces and tabs; whether there was one.
    fn blanks(&mut self) -> bool {
        let rest = self.0.trim_start_matches([' ', '\t']);
        let found = rest.len() < self.0.len();
        self.0 = rest;
        found
    }

    /// Takes at most `most` digits; whether there were at least `least`.
    fn digits(&mut self, least: usize, most: usize) -> bool {
        let count = self
            .0
            .bytes()
            .take(most)
            .take_while(u8::is_ascii_digit)
            .count();
        self.0 = &self.0[count..];
        count >= least
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn some(text: &str, fits: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(fits)
}

fn is_spaced_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
}

fn is_signed(exponent: &str) -> bool {
    exponent
        .strip_prefix(['-', '+'])
        .is_some_and(|digits| some(digits, |byte| byte.is_ascii_digit()))
}

fn split_exponent(text: &str) -> (&str, Option<&str>) {
    match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    }
}

fn split_sixtieths(text: &str) -> (&str, Option<&str>) {
    match text.split_once(':') {
        Some((whole, sixtieths)) => (whole, Some(sixtieths)),
        None => (text, None),
    }
}

fn are_sixtieths(text: &str) -> bool {
    text.split(':').all(|part| match part.as_bytes() {
        [ones] => ones.is_ascii_digit(),
        [tens, ones] => (b'0'..=b'5').contains(tens) && ones.is_ascii_digit(),
        _ => false,
    })
}
