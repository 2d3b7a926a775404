//! The least and the greatest value of a page, by which a query leaves pages out.

use parquet::basic::BoundaryOrder;
use parquet::data_type::ByteArray;
use parquet::file::statistics::{Statistics, ValueStatistics};

use crate::batch::Cell;

/// How many bytes of a text are written down.
const KEPT_OF_TEXT: usize = 64;

/// The least and the greatest of some values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bounds {
    /// Of doubles.
    Numbers(f64, f64),
    /// Of whole numbers.
    Integers(i64, i64),
    /// Of true and false.
    Truths(bool, bool),
    /// Of texts.
    Texts(Vec<u8>, Vec<u8>),
}

/// How the bounds of pages follow each other.
#[derive(Debug)]
pub(super) struct Boundaries {
    whole: Option<Bounds>,
    last: Option<Bounds>,
    ascending: bool,
    descending: bool,
}

impl Bounds {
    /// The bounds of one value, unless there is none.
    pub(super) fn of_cell(cell: Cell<'_>) -> Option<Self> {
        match cell {
            Cell::Text(text) => Self::of_texts(text.into_iter().map(str::as_bytes)),
            Cell::Number(number) => Self::of_numbers(number.into_iter()),
            Cell::Integer(number) | Cell::Moment(number) => Self::of_integers(number.into_iter()),
            Cell::Truth(truth) => Self::of_truths(truth.into_iter()),
        }
    }

    /// The bounds of doubles, none of which is a NaN. Zero has two signs, and readers may take either for the lesser.
    pub(super) fn of_numbers(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (least, greatest) = extremes(values.filter(|value| !value.is_nan()))?;
        let least = if least == 0.0 { -0.0 } else { least };
        let greatest = if greatest == 0.0 { 0.0 } else { greatest };
        Some(Self::Numbers(least, greatest))
    }

    /// The bounds of whole numbers.
    pub(super) fn of_integers(values: impl Iterator<Item = i64>) -> Option<Self> {
        extremes(values).map(|(least, greatest)| Self::Integers(least, greatest))
    }

    /// The bounds of truths.
    pub(super) fn of_truths(values: impl Iterator<Item = bool>) -> Option<Self> {
        extremes(values).map(|(least, greatest)| Self::Truths(least, greatest))
    }

    /// The bounds of texts.
    pub(super) fn of_texts<'t>(values: impl Iterator<Item = &'t [u8]>) -> Option<Self> {
        extremes(values).map(|(least, greatest)| Self::Texts(least.to_owned(), greatest.to_owned()))
    }

    /// What the index of pages says.
    pub(super) fn in_index(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        Some(match self {
            Self::Numbers(least, greatest) => (
                least.to_le_bytes().to_vec(),
                greatest.to_le_bytes().to_vec(),
            ),
            Self::Integers(least, greatest) => (
                least.to_le_bytes().to_vec(),
                greatest.to_le_bytes().to_vec(),
            ),
            Self::Truths(least, greatest) => (vec![u8::from(*least)], vec![u8::from(*greatest)]),
            Self::Texts(least, greatest) => (below(least)?, above(greatest)?),
        })
    }

    fn join(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Numbers(least, greatest), Self::Numbers(low, high)) => {
                Self::Numbers(least.min(*low), greatest.max(*high))
            }
            (Self::Integers(least, greatest), Self::Integers(low, high)) => {
                Self::Integers(least.min(*low), greatest.max(*high))
            }
            (Self::Truths(least, greatest), Self::Truths(low, high)) => {
                Self::Truths(least & low, greatest | high)
            }
            (Self::Texts(least, greatest), Self::Texts(low, high)) => {
                Self::Texts(least.min(low.clone()), greatest.max(high.clone()))
            }
            (
                own @ (Self::Numbers(..) | Self::Integers(..) | Self::Truths(..) | Self::Texts(..)),
                _,
            ) => own,
        }
    }

    /// Whether neither bound is greater than that of the other.
    fn is_below(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Numbers(least, greatest), Self::Numbers(low, high)) => {
                least <= low && greatest <= high
            }
            (Self::Integers(least, greatest), Self::Integers(low, high)) => {
                least <= low && greatest <= high
            }
            (Self::Truths(least, greatest), Self::Truths(low, high)) => {
                least <= low && greatest <= high
            }
            (Self::Texts(least, greatest), Self::Texts(low, high)) => {
                least <= low && greatest <= high
            }
            (Self::Numbers(..) | Self::Integers(..) | Self::Truths(..) | Self::Texts(..), _) => {
                false
            }
        }
    }
}

impl Boundaries {
    /// No page yet.
    pub(super) fn new() -> Self {
        Self {
            whole: None,
            last: None,
            ascending: true,
            descending: true,
        }
    }

    /// Takes in what the next page has that has values at all.
    pub(super) fn add(&mut self, page: Bounds) {
        if let Some(last) = &self.last {
            self.ascending &= last.is_below(&page);
            self.descending &= page.is_below(last);
        }
        self.whole = Some(match self.whole.take() {
            Some(whole) => whole.join(&page),
            None => page.clone(),
        });
        self.last = Some(page);
    }

    /// The order of the pages.
    pub(super) fn order(&self) -> BoundaryOrder {
        match (self.ascending, self.descending) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        }
    }

    /// What all pages have, and how many rows are empty. A column without values is told by its type alone.
    pub(super) fn statistics(self, nulls: u64, empty: Statistics) -> Statistics {
        fn exact<T>(least: T, greatest: T, nulls: u64) -> ValueStatistics<T> {
            ValueStatistics::new(Some(least), Some(greatest), None, Some(nulls), false)
        }
        match self.whole {
            None => empty,
            Some(Bounds::Numbers(least, greatest)) => {
                let own = exact(least, greatest, nulls);
                Statistics::Double(own.with_backwards_compatible_min_max(true))
            }
            Some(Bounds::Integers(least, greatest)) => {
                let own = exact(least, greatest, nulls);
                Statistics::Int64(own.with_backwards_compatible_min_max(true))
            }
            Some(Bounds::Truths(least, greatest)) => {
                Statistics::Boolean(exact(least, greatest, nulls))
            }
            Some(Bounds::Texts(least, greatest)) => {
                let (low, high) = (below(&least), above(&greatest));
                let own = ValueStatistics::new(
                    low.clone().map(ByteArray::from),
                    high.clone().map(ByteArray::from),
                    None,
                    Some(nulls),
                    false,
                );
                let own = own
                    .with_min_is_exact(low.is_some_and(|low| low == least))
                    .with_max_is_exact(high.is_some_and(|high| high == greatest));
                Statistics::ByteArray(own)
            }
        }
    }
}

/// The least and the greatest. Rows are mostly sorted, so a value is most often the new greatest.
fn extremes<T: Copy + PartialOrd>(mut values: impl Iterator<Item = T>) -> Option<(T, T)> {
    let first = values.next()?;
    let both = values.fold((first, first), |(least, greatest), value| {
        if value >= greatest {
            (least, value)
        } else if value < least {
            (value, greatest)
        } else {
            (least, greatest)
        }
    });
    Some(both)
}

/// A short text that is not greater.
fn below(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() <= KEPT_OF_TEXT {
        return Some(text.to_owned());
    }
    let text = std::str::from_utf8(text).ok()?;
    Some(text[..text.floor_char_boundary(KEPT_OF_TEXT)].into())
}

/// A short text that is not less, where there is one.
fn above(text: &[u8]) -> Option<Vec<u8>> {
    if text.len() <= KEPT_OF_TEXT {
        return Some(text.to_owned());
    }
    let text = std::str::from_utf8(text).ok()?;
    let kept = &text[..text.floor_char_boundary(KEPT_OF_TEXT)];
    kept.char_indices().rev().find_map(|(start, character)| {
        let next = char::from_u32(u32::from(character) + 1)?;
        (next.len_utf8() == character.len_utf8()).then(|| {
            let mut longer = kept[..start].to_owned();
            longer.push(next);
            longer.into_bytes()
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_down_of_long_texts_still_bounds_them(text in "(\\PC|\u{10ffff}|\u{7f}){0,40}") {
            let bytes = text.as_bytes();

            let low = below(bytes).unwrap();
            let high = above(bytes);

            prop_assert!(low.as_slice() <= bytes && low.len() <= KEPT_OF_TEXT);
            prop_assert!(std::str::from_utf8(&low).is_ok());
            if let Some(high) = high {
                prop_assert!(high.as_slice() >= bytes && high.len() <= KEPT_OF_TEXT);
                prop_assert!(std::str::from_utf8(&high).is_ok());
            }
        }
    }
}
