/// The format of the numbers of one column: with the same number of decimals, thousands separated.
///
/// ```
/// # use assay_hub_api::Digits;
/// assert_eq!(Digits::of([75.25, 80.0]).written(80.0), "80.00");
/// assert_eq!(Digits::of([1500.0, 2.0]).written(1500.0), "1,500");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digits {
    decimals: usize,
    scientific: bool,
}

/// A column keeps the decimals of its values while they have no more digits than this.
const MAX_DIGITS: usize = 7;
/// Numbers from here on, and columns below the other bound, are written with an exponent.
const LARGE: f64 = 1e12;
const SMALL: f64 = 1e-4;

impl Digits {
    /// Chooses the decimals from the values of a column: as many as they have, unless that is more
    /// than helps.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let (greatest, needed) = finite.fold((0.0_f64, 0), |(greatest, needed), value| {
            (greatest.max(value.abs()), needed.max(decimals_of(value)))
        });
        let whole = format!("{greatest:.0}").len();
        let helpful = match greatest {
            _ if greatest >= 1000.0 => 1,
            _ if greatest >= 10.0 => 2,
            _ => 4,
        };
        Self {
            decimals: if whole + needed <= MAX_DIGITS {
                needed
            } else {
                helpful.min(needed)
            },
            scientific: greatest >= LARGE || (greatest > 0.0 && greatest < SMALL),
        }
    }

    /// Writes a number of the column, with a plain minus.
    pub fn written(self, value: f64) -> String {
        if !value.is_finite() {
            return String::new();
        }
        if self.scientific {
            return format!("{value:.2e}");
        }
        let text = format!("{value:.*}", self.decimals);
        let is_zero = text.bytes().all(|byte| !matches!(byte, b'1'..=b'9'));
        let text = text.strip_prefix('-').filter(|_| is_zero).unwrap_or(&text);
        separate_thousands(text)
    }
}

/// Writes a whole number with its thousands separated.
///
/// ```
/// # use assay_hub_api::separate_thousands;
/// assert_eq!(separate_thousands("-1234567.25"), "-1,234,567.25");
/// ```
pub fn separate_thousands(number: &str) -> String {
    let (sign, rest) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (whole, fraction) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    let mut text = sign.to_owned();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

/// Returns the number of decimals that the shortest spelling of a number has.
fn decimals_of(value: f64) -> usize {
    let text = value.to_string();
    text.split_once('.')
        .map_or(0, |(_, decimals)| decimals.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_the_decimals_of_its_values() {
        let shares = Digits::of([0.5, 0.62834, 1.0]);
        let means = Digits::of([0.5, 1.0 / 3.0]);
        let percent = Digits::of([61.5, 100.0 / 3.0]);
        let ratings = Digits::of([1_287.333_333, 990.0]);

        assert_eq!(shares.written(0.5), "0.50000");
        assert_eq!(means.written(0.5), "0.5000");
        assert_eq!(percent.written(61.5), "61.50");
        assert_eq!(ratings.written(1_287.333_333), "1,287.3");
        assert_eq!(ratings.written(990.0), "990.0");
    }

    #[test]
    fn what_rounds_to_nothing_has_no_sign() {
        let digits = Digits::of([0.25, -0.001]);

        assert_eq!(digits.written(-0.0001), "0.000");
        assert_eq!(digits.written(-0.25), "-0.250");
        assert_eq!(digits.written(f64::NAN), "");
    }

    #[test]
    fn the_very_large_and_the_very_small_have_an_exponent() {
        assert_eq!(Digits::of([3e15]).written(3e15), "3.00e15");
        assert_eq!(Digits::of([2e-7, 1e-6]).written(2e-7), "2.00e-7");
        assert_eq!(Digits::of([]).written(0.0), "0");
    }
}
