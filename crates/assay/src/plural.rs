//! Numbers and the words behind them.

/// A number with its word: `1 file`, `5,566 files`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        if number == 1 { one } else { many }
    )
}

/// A number with a comma after every three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// An amount of bytes for people: `812 bytes`, `33.2 MB`.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("TB", 1_000_000_000_000),
        ("GB", 1_000_000_000),
        ("MB", 1_000_000),
        ("kB", 1_000),
    ];
    for (unit, size) in UNITS {
        if number >= size {
            // Rounded down, so that 999,999 bytes are not shown as a thousand kilobytes.
            let tenths = number / (size / 10);
            return format!("{}.{} {unit}", grouped(tenths / 10), tenths % 10);
        }
    }
    count(number, "byte", "bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_zero_is_not() {
        assert_eq!(count(0, "file", "files"), "0 files");
        assert_eq!(count(1, "file", "files"), "1 file");
        assert_eq!(count(1_234_567, "file", "files"), "1,234,567 files");
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        let shown: Vec<String> = [7, 12, 123, 1_234, 12_345, 123_456]
            .map(grouped)
            .into_iter()
            .collect();

        assert_eq!(shown, ["7", "12", "123", "1,234", "12,345", "123,456"]);
    }

    #[test]
    fn bytes_take_the_largest_unit_that_fits() {
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(999_999), "999.9 kB");
        assert_eq!(bytes(33_250_000), "33.2 MB");
        assert_eq!(bytes(5_000_000_000_000), "5.0 TB");
    }
}
