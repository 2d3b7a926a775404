//! Short numbers, read faster than any.

/// Number of bytes that a number has at most whose digits a double holds exactly, whatever they
/// are.
const SHORT_NUMBER: usize = 16;
/// The powers of ten that a double holds exactly, as far as [`short_number`] needs them.
const TENS: [f64; SHORT_NUMBER] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// A number of a few digits, perhaps with a point among them, and nothing else.
///
/// Its digits and the power of ten are both exact, so the one division rounds as a correct reader
/// does.
#[inline]
pub(super) fn short_number(bytes: &[u8]) -> Option<f64> {
    if bytes.is_empty() || bytes.len() > SHORT_NUMBER {
        return None;
    }
    let (mut digits, mut point) = (0_u64, None);
    for (position, byte) in bytes.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            digits = digits * 10 + u64::from(digit);
        } else if *byte == b'.' && point.is_none() && position > 0 {
            point = Some(position);
        } else {
            return None;
        }
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "a number below 10^15 is exact in a double"
    )]
    let whole = digits as f64;
    match point {
        None if bytes.len() < SHORT_NUMBER => Some(whole),
        Some(point) if point + 1 < bytes.len() => Some(whole / TENS[bytes.len() - point - 1]),
        None | Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_same(text: &str) -> bool {
        let general: Result<f64, _> = text.parse();
        match short_number(text.as_bytes()) {
            Some(short) => general.is_ok_and(|general| general.to_bits() == short.to_bits()),
            None => true,
        }
    }

    #[test]
    fn what_is_read_is_what_the_general_reader_reads() {
        for text in [
            "0",
            "7",
            "0.1",
            "0.3",
            "1.0",
            "99999999999999.9",
            "999999999999999",
        ] {
            assert!(short_number(text.as_bytes()).is_some(), "{text}");
            assert!(is_same(text), "{text}");
        }
    }

    #[test]
    fn what_is_longer_or_spelled_otherwise_is_left_to_the_general_reader() {
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "1e3",
            "1.2.3",
            "9999999999999999",
            "0.00000000000000001",
        ] {
            assert_eq!(short_number(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_short_number_is_read_to_the_last_bit(text in "[0-9]{0,16}(\\.[0-9]{0,16})?") {
            prop_assert!(is_same(&text));
        }
    }
}
