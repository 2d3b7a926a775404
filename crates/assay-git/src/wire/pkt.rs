//! Lines with their length before them.

use super::WireError;

/// The most bytes that a line carries.
pub(super) const MAX_PAYLOAD: usize = 65_516;

/// The line that ends a section.
pub(super) const FLUSH: &[u8] = b"0000";

/// One line of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line with data.
    Data(&'a [u8]),
    /// The end of a section.
    Flush,
}

/// Writes a line. What does not fit in one is cut off.
pub(super) fn write(out: &mut Vec<u8>, payload: &[u8]) {
    let payload = &payload[..payload.len().min(MAX_PAYLOAD)];
    out.extend_from_slice(format!("{:04x}", payload.len() + 4).as_bytes());
    out.extend_from_slice(payload);
}

/// Reads a line, and says how many bytes it took; `None` when it is not all there.
pub(super) fn read(bytes: &[u8]) -> Result<Option<(Line<'_>, usize)>, WireError> {
    let Some(digits) = bytes.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = length(*digits)?;
    if length == 0 {
        return Ok(Some((Line::Flush, 4)));
    }
    Ok(bytes
        .get(4..length)
        .map(|payload| (Line::Data(payload), length)))
}

/// Returns the length of a line with its prefix; 0 for a flush. A push has no other lines of less
/// than four.
pub(super) fn length(digits: [u8; 4]) -> Result<usize, WireError> {
    let mut length = 0;
    for digit in digits {
        let digit = char::from(digit).to_digit(16).ok_or(WireError::Line)?;
        length = length * 16 + digit as usize;
    }
    match length {
        0 => Ok(0),
        4..=65_520 => Ok(length),
        _ => Err(WireError::Line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back() {
        let mut bytes = Vec::new();
        write(&mut bytes, b"hello\n");
        bytes.extend_from_slice(FLUSH);

        let (line, used) = read(&bytes).unwrap().unwrap();

        assert_eq!((line, used), (Line::Data(b"hello\n"), 10));
        assert_eq!(read(&bytes[used..]), Ok(Some((Line::Flush, 4))));
    }

    #[test]
    fn a_line_that_is_not_all_there_is_waited_for() {
        for part in ["", "00", "000a", "000ahello"] {
            assert_eq!(read(part.as_bytes()), Ok(None), "{part:?}");
        }
    }

    #[test]
    fn lengths_that_no_line_has_are_refused() {
        for digits in [
            b"0001", b"0002", b"0003", b"zzzz", b"-001", b"ffff", b"fff1",
        ] {
            assert_eq!(length(*digits), Err(WireError::Line), "{digits:?}");
        }
    }
}
