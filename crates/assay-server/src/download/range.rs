use axum::http::HeaderValue;

/// The requested bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All of them: no range, or one that we do not know how to read.
    Whole,
    /// Some of them; at least one.
    Some {
        /// The first.
        start: u64,
        /// The number of bytes.
        length: u64,
    },
    /// Only such as are not there.
    Beyond,
}

/// Reads a `Range` header. Several ranges at once are answered with the whole file, as the standard
/// allows.
pub(super) fn of(header: Option<&HeaderValue>, size: u64) -> Part {
    let text = header.and_then(|value| value.to_str().ok());
    let Some(range) = text.and_then(|text| text.strip_prefix("bytes=")) else {
        return Part::Whole;
    };
    let Some((first, last)) = range.trim().split_once('-') else {
        return Part::Whole;
    };
    match (number(first), number(last)) {
        (Some(start), Some(end)) if start <= end => {
            some(start, end.saturating_add(1).min(size), size)
        }
        (Some(start), None) if last.is_empty() => some(start, size, size),
        (None, Some(length)) if first.is_empty() => some(size.saturating_sub(length), size, size),
        (_, _) => Part::Whole,
    }
}

fn some(start: u64, end: u64, size: u64) -> Part {
    if start >= size || start >= end {
        return Part::Beyond;
    }
    Part::Some {
        start,
        length: end - start,
    }
}

fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, size: u64) -> Part {
        of(Some(&HeaderValue::from_str(text).unwrap()), size)
    }

    fn part(start: u64, length: u64) -> Part {
        Part::Some { start, length }
    }

    #[test]
    fn a_range_is_cut_to_the_file() {
        assert_eq!(read("bytes=0-3", 10), part(0, 4));
        assert_eq!(read("bytes=2-", 10), part(2, 8));
        assert_eq!(read("bytes=-3", 10), part(7, 3));
        assert_eq!(read("bytes=-30", 10), part(0, 10));
        assert_eq!(read("bytes=5-99", 10), part(5, 5));
        assert_eq!(read("bytes=9-18446744073709551615", 10), part(9, 1));
    }

    #[test]
    fn a_range_past_the_end_is_beyond() {
        for text in ["bytes=10-", "bytes=10-12", "bytes=-0"] {
            assert_eq!(read(text, 10), Part::Beyond, "{text}");
        }
        assert_eq!(read("bytes=0-", 0), Part::Beyond);
    }

    #[test]
    fn what_is_no_single_range_is_the_whole_file() {
        for text in [
            "bytes=5-2",
            "bytes=0-1,4-5",
            "bytes=a-b",
            "bytes=",
            "bytes=-",
            "lines=0-1",
            "bytes=+1-2",
            "bytes=0-99999999999999999999",
        ] {
            assert_eq!(read(text, 10), Part::Whole, "{text}");
        }
        assert_eq!(of(None, 10), Part::Whole);
    }
}
