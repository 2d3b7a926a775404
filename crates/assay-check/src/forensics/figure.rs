use assay_formats::Value;

/// A literal with more decimals than this was printed by a machine, and may end in the noise of
/// doubles.
const HAND_WRITTEN_DIGITS: i32 = 12;
/// The relative distance of a double from the short decimal it stands for: `0.1 + 0.2` is not quite
/// `0.3`.
const NOISE: f64 = 1e-15;

/// A number as written: its value, and how much the last digit is worth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure<'d> {
    /// The value.
    pub(crate) value: f64,
    /// The value of one step of the last written digit.
    pub(crate) unit: f64,
    /// The place of the number.
    pub(crate) at: Value<'d>,
}

impl<'d> Figure<'d> {
    /// Reads a number; nothing when it is none.
    pub(crate) fn of(at: Value<'d>) -> Option<Self> {
        let value = at.number()?;
        Some(Self {
            value,
            unit: last_digit(at.raw(), value),
            at,
        })
    }

    /// The number as it was written.
    pub(crate) fn text(self) -> &'d str {
        self.at.raw()
    }

    /// Returns the number of decimals that were written.
    pub(crate) fn decimals(self) -> i32 {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the exponent of a double has three digits"
        )]
        let decimals = -self.unit.log10().round() as i32;
        decimals.max(0)
    }
}

/// Returns the value of one step of the last digit of a literal.
fn last_digit(literal: &str, value: f64) -> f64 {
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let decimals = mantissa
        .split_once('.')
        .map_or(0, |(_, decimals)| decimals.len());
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let decimals = i32::try_from(decimals).unwrap_or(i32::MAX);
    let places = decimals.saturating_sub(exponent).clamp(-300, 300);
    // `19.39 / 100` prints as 0.19390000000000002, which says no more than 0.1939 does.
    (0..places.min(HAND_WRITTEN_DIGITS))
        .filter(|_| places > HAND_WRITTEN_DIGITS)
        .find(|&fewer| {
            let scale = 10_f64.powi(fewer);
            ((value * scale).round() / scale - value).abs() <= NOISE * value.abs()
        })
        .map_or_else(|| 10_f64.powi(-places), |fewer| 10_f64.powi(-fewer))
}

/// A computed number for a note: four significant digits are enough to follow the arithmetic.
pub(crate) fn plain(value: f64) -> String {
    const DIGITS: i32 = 4;
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the exponent of a double has three digits"
    )]
    let places = DIGITS - 1 - value.abs().log10().floor() as i32;
    if !(-12..=12).contains(&places) {
        return format!("{value:.3e}");
    }
    let scale = 10_f64.powi(places);
    ((value * scale).round() / scale).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_digit_is_worth_what_was_written() {
        for (literal, unit) in [
            ("0.734", 1e-3),
            ("73.40", 1e-2),
            ("5", 1.0),
            ("1.5e-3", 1e-4),
            ("2e3", 1e3),
        ] {
            let found = last_digit(literal, literal.parse().unwrap());

            assert!((found / unit - 1.0).abs() < 1e-9, "{literal}: {found}");
        }
    }

    #[test]
    fn the_noise_of_doubles_is_not_precision() {
        let value = 0.193_900_000_000_000_02;
        let third = 1.0 / 3.0;

        assert!((last_digit("0.19390000000000002", value) - 1e-4).abs() < 1e-12);
        assert!(last_digit("0.3333333333333333", third) < 1e-15);
    }

    #[test]
    fn hostile_literals_have_a_last_digit_too() {
        for literal in ["1e999999999999", "1e-999999999999", "0.0", "-0", "1e400"] {
            let unit = last_digit(literal, literal.parse().unwrap());

            assert!(unit > 0.0 && unit.is_finite(), "{literal}: {unit}");
        }
    }

    #[test]
    fn notes_show_four_digits() {
        assert_eq!(plain(0.088_345_123), "0.08835");
        assert_eq!(plain(12_345.678), "12350");
        assert_eq!(plain(0.0), "0");
        assert_eq!(plain(1e-30), "1.000e-30");
    }
}
