//! Numbers, whatever they mean, as the 64 bits that they are.

use parquet::basic::Encoding;
use parquet::errors::Result;

use super::bounds::Bounds;
use super::chunk::{Page, put_levels};
use super::codec::Codec;
use super::group::{Group, NONE};
use super::hybrid::{put_places, width_of};
use crate::table::ColumnType;

/// How many different numbers are told apart at most before they are written one by one.
const MAX_DIFFERENT: usize = 1 << 14;
/// A list of different numbers is worth its bytes when each comes so many times.
const WORTH_TIMES: usize = 4;
/// Spreads numbers over a table: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The different numbers of a column, and which of them each row has.
#[derive(Debug, Default)]
pub(super) struct Dictionary {
    values: Vec<u64>,
    places: Vec<u32>,
    /// The place of a number, near where its bits lead.
    table: Vec<u32>,
}

impl Group<'_> {
    /// A column of numbers, whole numbers or truths, as the bits that they are.
    pub(crate) fn numbers(&mut self, values: &[Option<u64>]) -> Result<()> {
        let holds = self.holds();
        let is_listed = holds != ColumnType::Truth && self.dictionary().take_in(values);
        let is_unlike = !is_listed && holds != ColumnType::Truth;
        let codec = if is_unlike {
            Codec::Unlike
        } else {
            Codec::Small
        };
        self.column(codec, |chunk, scratch| {
            let body = &mut scratch.body;
            let list = scratch.dictionary.values();
            if is_listed {
                body.clear();
                write_plain(list.iter().copied(), body);
                chunk.dictionary(body, list.len())?;
            }
            let width = width_of(list.len());
            let mut places = scratch.dictionary.places().chunks(scratch.page_rows);
            for values in values.chunks(scratch.page_rows) {
                body.clear();
                let nulls = values.iter().filter(|value| value.is_none()).count();
                if chunk.is_nullable() {
                    let levels = values.iter().map(Option::is_some);
                    put_levels(values.len(), nulls, levels, &mut scratch.levels, body);
                }
                let present = values.iter().copied().flatten();
                let bounds = chunk
                    .has_bounds()
                    .then(|| bounds_of(holds, present.clone()));
                let mut encoding = Encoding::PLAIN;
                if is_listed {
                    let places = places.next().unwrap_or_default();
                    put_places(places, nulls, width, &mut scratch.places, body);
                    encoding = Encoding::RLE_DICTIONARY;
                } else if holds == ColumnType::Truth {
                    write_bits(present.map(|bits| bits != 0), body);
                } else {
                    write_plain(present, body);
                }
                chunk.page(Page {
                    body,
                    rows: values.len(),
                    nulls,
                    encoding,
                    bounds: bounds.flatten(),
                })?;
            }
            Ok(())
        })
    }
}

impl Dictionary {
    /// Takes the numbers of all rows in, unless too many of them are different.
    pub(super) fn take_in(&mut self, numbers: &[Option<u64>]) -> bool {
        let limit = MAX_DIFFERENT.min(numbers.len() / WORTH_TIMES);
        let slots = (2 * limit.max(1)).next_power_of_two();
        let shift = u64::BITS - slots.trailing_zeros();
        self.values.clear();
        self.places.clear();
        self.table.clear();
        self.table.resize(slots, NONE);
        for number in numbers {
            let Some(number) = *number else {
                self.places.push(NONE);
                continue;
            };
            // There are always empty slots, since no more than half of them are ever taken.
            let mut slot = usize::try_from(number.wrapping_mul(SPREAD) >> shift).unwrap_or(0);
            let place = loop {
                match self.table[slot] {
                    NONE if self.values.len() == limit => return false,
                    NONE => {
                        let place = u32::try_from(self.values.len()).unwrap_or(NONE);
                        self.table[slot] = place;
                        self.values.push(number);
                        break place;
                    }
                    place if self.values[place as usize] == number => break place,
                    _ => slot = (slot + 1) % slots,
                }
            };
            self.places.push(place);
        }
        true
    }

    /// The different numbers.
    pub(super) fn values(&self) -> &[u64] {
        &self.values
    }

    /// The place of the number of each row.
    pub(super) fn places(&self) -> &[u32] {
        &self.places
    }
}

/// The least and the greatest of some numbers.
pub(super) fn bounds_of(holds: ColumnType, values: impl Iterator<Item = u64>) -> Option<Bounds> {
    match holds {
        ColumnType::Number => Bounds::of_numbers(values.map(f64::from_bits)),
        ColumnType::Integer | ColumnType::Moment => {
            Bounds::of_integers(values.map(u64::cast_signed))
        }
        ColumnType::Truth => Bounds::of_truths(values.map(|bits| bits != 0)),
        ColumnType::Text => None,
    }
}

/// Writes truths as bits.
pub(super) fn write_bits(truths: impl Iterator<Item = bool>, out: &mut Vec<u8>) {
    for (position, truth) in truths.enumerate() {
        if position % 8 == 0 {
            out.push(0);
        }
        if let Some(last) = out.last_mut() {
            *last |= u8::from(truth) << (position % 8);
        }
    }
}

/// Writes numbers one by one.
pub(super) fn write_plain(values: impl Iterator<Item = u64>, out: &mut Vec<u8>) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}
