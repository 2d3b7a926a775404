//! The depth of the columns of a Parquet file, known before it is decoded: the decoder recurses
//! with the nesting, and a stack that overflows cannot be caught.

/// The greatest depth of columns; lists of groups of lists take two levels each.
pub(super) const MAX_DEPTH: usize = 64;
/// The greatest depth of values that are passed over.
const MAX_SKIP_DEPTH: usize = 32;
/// The number of the list of columns in the description of a file.
const SCHEMA: i64 = 2;
/// The number of the count of children in the description of a column.
const CHILDREN: i64 = 5;

/// The types of values on the wire.
const INTEGERS: std::ops::RangeInclusive<u8> = 4..=6;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Returns whether the description of a file, in the compact form of Thrift, has columns that nest
/// too deep; nothing if it is none.
pub(super) fn is_too_deep(description: &[u8]) -> Option<bool> {
    let mut reader = Reader { rest: description };
    let mut last = 0;
    while let Some((number, kind)) = reader.field(&mut last)? {
        if (number, kind) == (SCHEMA, LIST) {
            // A file may hold the list twice, and which one counts is for the decoder to say: both
            // must do.
            if reader.is_schema_too_deep()? {
                return Some(true);
            }
        } else {
            reader.skip(kind, 0)?;
        }
    }
    Some(false)
}

struct Reader<'b> {
    rest: &'b [u8],
}

impl Reader<'_> {
    /// Passes over the list of columns, which stand in the order in which their tree is walked.
    fn is_schema_too_deep(&mut self) -> Option<bool> {
        let (count, kind) = self.list()?;
        // For each column that is open, how many of its children are still to come.
        let mut open: Vec<i64> = Vec::new();
        for _ in 0..count {
            if kind != STRUCT {
                return None;
            }
            while open.last().is_some_and(|children| *children <= 0) {
                open.pop();
            }
            if let Some(children) = open.last_mut() {
                *children -= 1;
            }
            open.push(self.children()?);
            if open.len() > MAX_DEPTH {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Passes over the description of a column and returns how many children it has.
    fn children(&mut self) -> Option<i64> {
        let (mut last, mut children) = (0, 0);
        while let Some((number, kind)) = self.field(&mut last)? {
            if number == CHILDREN && INTEGERS.contains(&kind) {
                children = self.integer()?;
            } else {
                self.skip(kind, 0)?;
            }
        }
        Some(children)
    }

    /// The number and type of the next field of a struct; nothing at its end.
    #[expect(
        clippy::option_option,
        reason = "the end of a struct is not the end of the bytes"
    )]
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 0x0f);
        if kind == 0 {
            return Some(None);
        }
        *last = match step {
            0 => self.integer()?,
            step => last.checked_add(i64::from(step))?,
        };
        Some(Some((*last, kind)))
    }

    /// The length of a list and the type of its items.
    fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            0x0f => self.varint()?,
            count => u64::from(count),
        };
        Some((count, byte & 0x0f))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MAX_SKIP_DEPTH {
            return None;
        }
        match kind {
            // The type of a field that is true or false is its value.
            1 | 2 => Some(()),
            3 => self.take(1),
            4..=6 => self.varint().map(drop),
            7 => self.take(8),
            8 => {
                let length = self.varint()?;
                self.take(length)
            }
            9 | 10 => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_item(kind, depth + 1))
            }
            11 => {
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.skip_item(kinds >> 4, depth + 1)?;
                    self.skip_item(kinds & 0x0f, depth + 1)
                })
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Passes over an item of a list or map, in which true and false have a byte of their own.
    fn skip_item(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => self.take(1),
            kind => self.skip(kind, depth),
        }
    }

    fn integer(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, length: u64) -> Option<()> {
        self.rest = self.rest.get(usize::try_from(length).ok()?..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A description with columns that have so many children each.
    fn description(children: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0xfc, u8::try_from(children.len()).unwrap()];
        for children in children {
            bytes.extend([0x48, 1, b'a', 0x15, children * 2, 0]);
        }
        bytes.extend([0x16, 0, 0x19, 0x0c, 0]);
        bytes
    }

    #[test]
    fn columns_beside_each_other_do_not_nest() {
        let mut beside = vec![60];
        beside.extend([0; 60]);

        assert_eq!(is_too_deep(&description(&beside)), Some(false));
        assert_eq!(is_too_deep(&description(&[1; 64])), Some(false));
        assert_eq!(is_too_deep(&description(&[1; 65])), Some(true));
        assert_eq!(is_too_deep(&description(&[1; 3])[..9]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic_or_hang(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
            is_too_deep(&bytes);
        }
    }
}
