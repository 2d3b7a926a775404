//! One column of rows that are being gathered.

use std::collections::HashMap;

use crate::batch::Cell;
use crate::sheet::NONE;

/// How many texts are compared one by one before they are looked up.
const FEW: usize = 8;

/// Values of one column. Most columns have the same value in all rows, so values are only written down once another one came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lane<T> {
    /// The value of all rows so far.
    first: Option<T>,
    /// The value of each row, once there are two of them.
    values: Vec<T>,
    len: usize,
}

/// Where a text lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Text {
    /// In which of the buffers.
    pub(crate) buffer: u32,
    start: u32,
    /// How many bytes it has; [`NONE`] when there is no text.
    len: u32,
}

/// A column of texts that come again and again.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The different texts.
    pub(crate) texts: Vec<Box<str>>,
    known: HashMap<Box<str>, u32>,
    /// The place of the text of each row, or [`NONE`].
    pub(crate) places: Lane<u32>,
    last: Option<u32>,
}

impl<T> Default for Lane<T> {
    fn default() -> Self {
        Self {
            first: None,
            values: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy + PartialEq> Lane<T> {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds the value of a row.
    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        if !self.values.is_empty() {
            self.values.push(value);
        } else if self.first != Some(value) {
            self.depart(value);
        }
        self.len += 1;
    }

    /// Adds the value of a row. Rows before it that were left out have another.
    #[inline]
    pub(crate) fn put(&mut self, row: usize, value: T, others: T) {
        if self.len < row {
            self.fill(row, others);
        }
        self.push(value);
    }

    /// Gives all rows up to this one the value that have none yet.
    #[cold]
    pub(crate) fn fill(&mut self, rows: usize, value: T) {
        if self.len >= rows {
            return;
        }
        let first = *self.first.get_or_insert(value);
        if !self.values.is_empty() || first != value {
            self.values.resize(self.values.len().max(self.len), first);
            self.values.resize(rows, value);
        }
        self.len = rows;
    }

    /// Adds the first value, or the first that is another one.
    #[cold]
    fn depart(&mut self, value: T) {
        match self.first {
            None => self.first = Some(value),
            Some(first) => {
                self.values.resize(self.len, first);
                self.values.push(value);
            }
        }
    }

    /// Adds the values of other rows, each changed on the way.
    pub(crate) fn append(&mut self, other: &Self, change: impl Fn(T) -> T) {
        let Some(first) = other.first.map(&change) else {
            return;
        };
        let is_same = other.values.is_empty() && self.same().is_none_or(|own| own == first);
        if self.values.is_empty() && is_same {
            self.first = Some(first);
        } else {
            if self.values.is_empty()
                && let Some(own) = self.first
            {
                self.values.resize(self.len, own);
            }
            self.first = self.first.or(Some(first));
            if other.values.is_empty() {
                self.values.resize(self.len + other.len, first);
            } else {
                self.values
                    .extend(other.values.iter().map(|value| change(*value)));
            }
        }
        self.len += other.len;
    }

    /// The value that all rows have, when it is one.
    pub(crate) fn same(&self) -> Option<T> {
        self.first.filter(|_| self.values.is_empty())
    }

    /// The value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        if row >= self.len {
            return None;
        }
        self.values.get(row).copied().or(self.first)
    }

    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.first = None;
        self.values.clear();
        self.len = 0;
    }
}

impl Text {
    /// No text.
    pub(crate) const NONE: Self = Self {
        buffer: 0,
        start: 0,
        len: NONE,
    };

    /// Adds a text to a buffer.
    pub(crate) fn write(text: &[u8], buffer: &mut Vec<u8>) -> Self {
        let start = small(buffer.len());
        buffer.extend_from_slice(text);
        Self {
            buffer: 0,
            start,
            len: small(text.len()),
        }
    }

    /// The same text after its buffer was added to another.
    pub(crate) fn after(self, bytes: usize) -> Self {
        match self.len {
            NONE => self,
            _ => Self {
                start: self.start + small(bytes),
                ..self
            },
        }
    }

    /// The same text in the buffer of this number.
    pub(crate) fn within(self, buffer: usize) -> Self {
        match self.len {
            NONE => self,
            _ => Self {
                buffer: small(buffer),
                ..self
            },
        }
    }

    /// The text, unless there is none.
    #[inline]
    pub(crate) fn of(self, buffer: &[u8]) -> Option<&[u8]> {
        let start = self.start as usize;
        (self.len != NONE).then(|| &buffer[start..start + self.len as usize])
    }
}

impl Names {
    /// Adds the text of a row, and tells its place.
    pub(crate) fn push(&mut self, text: Option<&str>) -> u32 {
        let place = text.map_or(NONE, |text| self.place_of(text));
        self.places.push(place);
        place
    }

    /// Adds the text of a row. Rows before it that were left out have none.
    pub(crate) fn put(&mut self, row: usize, text: &str) {
        let place = self.place_of(text);
        self.places.put(row, place, NONE);
    }

    /// Adds the texts of other rows.
    pub(crate) fn append(&mut self, other: &Self) {
        let places: Vec<u32> = other.texts.iter().map(|text| self.place_of(text)).collect();
        self.places.append(&other.places, |place| {
            places.get(place as usize).copied().unwrap_or(NONE)
        });
    }

    /// What all rows have, when it is one text or none in all of them.
    pub(crate) fn same(&self) -> Option<Cell<'_>> {
        let place = self.places.same()?;
        let text = self.texts.get(place as usize);
        Some(Cell::Text(text.map(|text| &**text)))
    }

    /// A number for each text, in the order of the texts; it is greater than 0.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..small(self.texts.len())).collect();
        places.sort_unstable_by_key(|place| &self.texts[*place as usize]);
        let mut ranks = vec![0; places.len()];
        for (rank, place) in (1..).zip(places) {
            ranks[place as usize] = rank;
        }
        ranks
    }

    /// How many bytes the texts have.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len()).sum()
    }

    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        self.texts.clear();
        self.known.clear();
        self.places.clear();
        self.last = None;
    }

    fn place_of(&mut self, text: &str) -> u32 {
        if let Some(last) = self.last
            && *self.texts[last as usize] == *text
        {
            return last;
        }
        let place = if self.texts.len() <= FEW {
            self.texts
                .iter()
                .position(|known| **known == *text)
                .map(small)
        } else {
            self.known.get(text).copied()
        };
        let place = place.unwrap_or_else(|| {
            let place = small(self.texts.len());
            self.texts.push(text.into());
            self.known.insert(text.into(), place);
            place
        });
        self.last = Some(place);
        place
    }
}

/// A size within rows that are gathered.
pub(crate) fn small(size: usize) -> u32 {
    u32::try_from(size).expect("rows are written long before they have four gigabytes")
}
