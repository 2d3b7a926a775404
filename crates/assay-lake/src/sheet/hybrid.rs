//! Runs of equal numbers, and numbers in as few bits as they need: the encoding that Parquet has for levels and for places in a
//! dictionary.

use super::group::NONE;

/// How many numbers are packed at a time.
const PACKED_AT_ONCE: usize = 8;

/// How many bits the numbers below a count need.
pub(super) fn width_of(count: usize) -> u32 {
    match count {
        0 | 1 => 0,
        _ => usize::BITS - (count - 1).leading_zeros(),
    }
}

/// Writes a number so many times, as one run.
pub(super) fn write_run(count: usize, value: u32, width: u32, out: &mut Vec<u8>) {
    write_varint(count << 1, out);
    let bytes = value.to_le_bytes();
    out.extend_from_slice(&bytes[..width.div_ceil(8) as usize]);
}

/// Writes numbers of so many bits, in runs where there are some.
pub(super) fn write_hybrid(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let (mut packed_from, mut at) = (0, 0);
    while at < values.len() {
        let rest = &values[at..];
        let run = match rest.first_chunk::<PACKED_AT_ONCE>() {
            Some(chunk) if chunk.iter().all(|value| *value == chunk[0]) => {
                rest.iter().take_while(|value| **value == chunk[0]).count()
            }
            Some(_) | None => 0,
        };
        if run == 0 {
            at = (at + PACKED_AT_ONCE).min(values.len());
            continue;
        }
        write_packed(&values[packed_from..at], width, out);
        write_run(run, rest[0], width, out);
        at += run;
        packed_from = at;
    }
    write_packed(&values[packed_from..], width, out);
}

/// Writes the places of values in a list, without those of rows that are empty.
pub(super) fn put_places(
    places: &[u32],
    nulls: usize,
    width: u32,
    present: &mut Vec<u32>,
    out: &mut Vec<u8>,
) {
    out.push(width.to_le_bytes()[0]);
    if nulls == 0 {
        return write_hybrid(places, width, out);
    }
    present.clear();
    present.extend(places.iter().filter(|place| **place != NONE));
    write_hybrid(present, width, out);
}

/// Writes numbers in so many bits each. What is missing from the last eight is zero, so only the last numbers of a page may be
/// fewer.
fn write_packed(values: &[u32], width: u32, out: &mut Vec<u8>) {
    if values.is_empty() {
        return;
    }
    let groups = values.len().div_ceil(PACKED_AT_ONCE);
    write_varint(groups << 1 | 1, out);
    let end = out.len() + groups * width as usize;
    out.reserve(groups * width as usize + size_of::<u32>());
    let (mut waiting, mut bits) = (0_u64, 0);
    for value in values {
        waiting |= u64::from(*value) << bits;
        bits += width;
        if bits >= u32::BITS {
            out.extend_from_slice(&low_half(waiting).to_le_bytes());
            waiting >>= u32::BITS;
            bits -= u32::BITS;
        }
    }
    out.extend_from_slice(&low_half(waiting).to_le_bytes());
    out.resize(end, 0);
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the other half is written next"
)]
fn low_half(bits: u64) -> u32 {
    bits as u32
}

fn write_varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads numbers back as the format is described.
    fn read(mut bytes: &[u8], width: u32, count: usize) -> Vec<u32> {
        let mut values = Vec::new();
        while values.len() < count {
            let mut header = 0_usize;
            for shift in (0..).step_by(7) {
                let (byte, rest) = bytes.split_first().unwrap();
                bytes = rest;
                header |= usize::from(byte & 0x7f) << shift;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            if header & 1 == 0 {
                let (value, rest) = bytes.split_at(width.div_ceil(8) as usize);
                let mut whole = [0; 4];
                whole[..value.len()].copy_from_slice(value);
                values.extend(std::iter::repeat_n(u32::from_le_bytes(whole), header >> 1));
                bytes = rest;
            } else {
                let (packed, rest) = bytes.split_at((header >> 1) * width as usize);
                let bit = |at: usize| u32::from(packed[at / 8] >> (at % 8) & 1);
                for number in 0..(header >> 1) * PACKED_AT_ONCE {
                    let start = number * width as usize;
                    let bits = (0..width as usize).map(|own| bit(start + own) << own);
                    values.push(bits.sum());
                }
                bytes = rest;
            }
        }
        assert!(bytes.is_empty());
        values.truncate(count);
        values
    }

    proptest! {
        #[test]
        fn numbers_come_back(
            width in 0_u32..=32,
            runs in prop::collection::vec((any::<u32>(), 1_usize..40), 0..40),
            singles in prop::collection::vec(any::<u32>(), 0..50),
        ) {
            let mask = u32::try_from((1_u64 << width) - 1).unwrap();
            let runs = runs.into_iter().flat_map(|(value, count)| std::iter::repeat_n(value, count));
            let values: Vec<u32> = runs.chain(singles).map(|value| value & mask).collect();

            let mut bytes = Vec::new();
            write_hybrid(&values, width, &mut bytes);

            prop_assert_eq!(read(&bytes, width, values.len()), values);
        }
    }

    #[test]
    fn a_width_holds_every_number_below_the_count() {
        let widths = [0, 1, 2, 3, 4, 5, 8, 9, 256, 257].map(width_of);

        assert_eq!(widths, [0, 0, 1, 2, 2, 3, 3, 4, 8, 9]);
    }
}
