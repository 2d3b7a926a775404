//! The format of numbers, sizes and times, the same on every page.

use assay_board::RankInterval;
pub(crate) use assay_hub_api::parameter_words as parameters;
use assay_hub_api::separate_thousands;
use assay_model::{Score, Timestamp};

/// Number of characters of a number that are shown as they were written.
const MAX_LITERAL: usize = 9;
/// Number of digits after the point a shortened number that has at most.
const DECIMALS: usize = 4;

/// A score: as its author wrote it, unless that is long.
pub(crate) fn score(score: &Score) -> String {
    let literal = score.literal.trim();
    let is_plain = literal.len() <= MAX_LITERAL
        && literal
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    if is_plain {
        with_minus(literal)
    } else {
        number(score.value.get())
    }
}

/// A number with the sign that is as wide as a digit.
pub(crate) fn with_minus(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

/// A number with as many digits as help, a point, and the sign that is as wide as a digit.
pub(crate) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "\u{2013}".to_owned();
    }
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        return format!("{value:.2e}").replace('-', "\u{2212}");
    }
    let decimals = match size {
        _ if size >= 1000.0 => 1,
        _ if size >= 10.0 => 2,
        _ => DECIMALS,
    };
    let mut text = format!("{value:.decimals$}");
    if text.contains('.') {
        let kept = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(kept);
    }
    if text == "-0" {
        return "0".to_owned();
    }
    text.replace('-', "\u{2212}")
}

/// Between which ranks a row lies: as it is shown, and in words.
pub(crate) fn ranks(found: &RankInterval) -> (String, String) {
    let short = if found.best == found.worst {
        format!("{}", found.best)
    } else {
        format!("{}\u{2013}{}", found.best, found.worst)
    };
    let words = format!(
        "95\u{a0}% interval of the rank: {} to {}, {}",
        found.best,
        found.worst,
        found.method.words()
    );
    (short, words)
}

/// An end of an interval, with as many digits as its width deserves.
pub(crate) fn end(value: f64, width: f64) -> String {
    let decimals = match width.abs() {
        wide if wide >= 1.0 => 1,
        wide if wide >= 0.1 => 2,
        wide if wide >= 0.01 => 3,
        _ => DECIMALS,
    };
    let scale = 10_f64.powi(decimals.try_into().unwrap_or(0));
    if !value.is_finite() || value.abs() >= 1e9 {
        return number(value);
    }
    // Rounded first, so that no end is written as less than nothing.
    let rounded = (value * scale).round() / scale + 0.0;
    format!("{rounded:.decimals$}").replace('-', "\u{2212}")
}

/// A number as SVG and CSV want it: a point and a plain minus.
pub(crate) fn plain(value: f64) -> String {
    number(value).replace('\u{2212}', "-")
}

/// A count, with its thousands separated.
pub(crate) fn count(value: usize) -> String {
    separate_thousands(&value.to_string())
}

/// The day of a moment.
pub(crate) fn day(moment: Timestamp) -> String {
    day_of(&moment.to_string()).to_owned()
}

/// A moment to the second.
pub(crate) fn moment(moment: Timestamp) -> String {
    let text = moment.to_string();
    match (text.get(..10), text.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => text,
    }
}

/// The day of a date with or without its time.
pub(crate) fn day_of(date: &str) -> &str {
    let is_date = |text: &&str| text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    date.get(..10).filter(is_date).unwrap_or(date)
}

/// The first digits of a hash, which tell commits apart.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}

/// The beginning of a text, on one line.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(most) {
        line.truncate(at);
        line.push('\u{2026}');
    }
    line
}

/// A text as a sentence of its own.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

/// A word for one and for many.
pub(crate) fn plural<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_as_many_digits_as_help() {
        for (value, text) in [
            (43.6, "43.6"),
            (0.123_456, "0.1235"),
            (-3.25, "\u{2212}3.25"),
            (1234.56, "1234.6"),
            (0.0, "0"),
            (-0.0, "0"),
            (1e-9, "1.00e\u{2212}9"),
            (2.5e12, "2.50e12"),
            (f64::NAN, "\u{2013}"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(plain(-1.5), "-1.5");
    }

    #[test]
    fn the_ends_of_an_interval_are_no_finer_than_the_interval() {
        assert_eq!(end(7.1038, 11.5), "7.1");
        assert_eq!(end(0.912_34, 0.05), "0.912");
        assert_eq!(end(-0.001, 3.0), "0.0");
        assert_eq!(end(-2.0, 3.0), "\u{2212}2.0");
    }

    #[test]
    fn counts_have_their_thousands_separated() {
        assert_eq!(count(999), "999");
        assert_eq!(count(4500), "4,500");
    }

    #[test]
    fn a_day_is_cut_from_a_date_and_nothing_else() {
        assert_eq!(day_of("2026-02-14T10:30:00.000Z"), "2026-02-14");
        assert_eq!(day_of("2026-02-14"), "2026-02-14");
        assert_eq!(day_of("sometime in spring"), "sometime in spring");
    }
}
