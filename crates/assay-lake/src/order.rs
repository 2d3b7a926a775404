//! The order in which rows are written.
//!
//! The general sort of the engine compares rows column by column, through a function for each. Here
//! rows are sorted by the first eight bytes of one column at a time, as numbers, and only those
//! that agree are looked at further.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray as _, Int64Array, StringViewArray, UInt32Array,
};
use datafusion::arrow::compute::{concat, interleave, take};
use datafusion::arrow::datatypes::Int64Type;

use crate::batch::{Column, Rows};
use crate::error::Result;
use crate::table::Table;

/// The number of bytes of a text that are compared as one number.
const PREFIX: usize = size_of::<u64>();

/// Blocks of rows of a table, and the order of all their rows. Columns are put in order one by one.
pub(crate) struct Sorted<'b> {
    blocks: &'b [Rows],
    rows: usize,
    /// The block and the row in it of each row, in order.
    order: Vec<(usize, usize)>,
}

/// A column of all blocks together.
enum JoinedColumn {
    /// All rows have the one value of this array.
    Same(ArrayRef),
    /// The values of each block.
    Each(Vec<ArrayRef>),
}

/// A column that rows are sorted by.
enum Key {
    Text(StringViewArray),
    Integer(Int64Array),
}

impl<'b> Sorted<'b> {
    /// Sorts the rows of some blocks. Rows that are equal in all columns that count keep their
    /// order.
    pub(crate) fn new(table: Table, blocks: &'b [Rows]) -> Result<Self> {
        let rows = blocks.iter().map(|block| block.len).sum();
        let schema = table.schema_of_views();
        let mut keys = Vec::new();
        for name in table.sorted_by() {
            if let JoinedColumn::Each(parts) = whole(blocks, schema.index_of(name)?)? {
                let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
                keys.extend(Key::new(&concat(&parts)?));
            }
        }
        let places: Vec<(usize, usize)> = blocks
            .iter()
            .enumerate()
            .flat_map(|(number, block)| (0..block.len).map(move |row| (number, row)))
            .collect();
        let order = order(&keys, rows);
        Ok(Self {
            blocks,
            rows,
            order: order.into_iter().map(|row| places[row]).collect(),
        })
    }

    /// Returns a column of the table in this order.
    pub(crate) fn column(&self, index: usize) -> Result<ArrayRef> {
        match whole(self.blocks, index)? {
            JoinedColumn::Same(value) => repeated(&value, self.rows),
            JoinedColumn::Each(parts) => {
                let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
                Ok(interleave(&parts, &self.order)?)
            }
        }
    }
}

/// What all blocks have in a column.
fn whole(blocks: &[Rows], column: usize) -> Result<JoinedColumn> {
    let mut of_blocks = blocks.iter().map(|block| &block.columns[column]);
    if let Some(Column::Same(first)) = of_blocks.next()
        && of_blocks.all(|other| matches!(other, Column::Same(value) if value == first))
    {
        return Ok(JoinedColumn::Same(Arc::clone(first)));
    }
    let parts = blocks.iter().map(|block| match &block.columns[column] {
        Column::Each(array) => Ok(Arc::clone(array)),
        Column::Same(value) => repeated(value, block.len),
    });
    Ok(JoinedColumn::Each(parts.collect::<Result<_>>()?))
}

/// So many times the one value of an array.
fn repeated(value: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    Ok(take(value, &UInt32Array::from(vec![0; rows]), None)?)
}

/// Returns the numbers of the rows in the order of their keys.
fn order(keys: &[Key], rows: usize) -> Vec<usize> {
    let mut numbered: Vec<(u64, usize)> = (0..rows).map(|row| (0, row)).collect();
    sort_by(keys, &mut numbered);
    numbered.into_iter().map(|(_, row)| row).collect()
}

/// Sorts rows by the first key, and those that are equal in it by the others.
fn sort_by(keys: &[Key], rows: &mut [(u64, usize)]) {
    let Some((key, others)) = keys.split_first() else {
        rows.sort_unstable_by_key(|(_, row)| *row);
        return;
    };
    if rows.len() < 2 {
        return;
    }
    for (prefix, row) in rows.iter_mut() {
        *prefix = key.prefix(*row);
    }
    let is_sorted = rows.is_sorted();
    if !is_sorted {
        rows.sort_unstable();
    }
    for alike in rows.chunk_by_mut(|(prefix, _), (other, _)| prefix == other) {
        if alike.len() < 2 {
            continue;
        }
        let is_one = alike
            .windows(2)
            .all(|pair| key.value(pair[0].1) == key.value(pair[1].1));
        if is_one {
            sort_by(others, alike);
            continue;
        }
        alike.sort_unstable_by_key(|(_, row)| (key.value(*row), *row));
        let equal =
            |one: &(u64, usize), other: &(u64, usize)| key.value(one.1) == key.value(other.1);
        for equal in alike.chunk_by_mut(equal) {
            sort_by(others, equal);
        }
    }
}

impl Key {
    fn new(column: &ArrayRef) -> Option<Self> {
        let texts = column.as_string_view_opt().cloned().map(Self::Text);
        let integers = || column.as_primitive_opt::<Int64Type>().cloned();
        texts.or_else(|| integers().map(Self::Integer))
    }

    /// Returns a number that is never larger for a row that comes first. What is empty comes first
    /// of all.
    fn prefix(&self, row: usize) -> u64 {
        match self {
            Self::Text(texts) if texts.is_valid(row) => {
                let bytes = texts.value(row).as_bytes();
                let mut prefix = [0; PREFIX];
                let length = bytes.len().min(PREFIX);
                prefix[..length].copy_from_slice(&bytes[..length]);
                u64::from_be_bytes(prefix)
            }
            Self::Integer(numbers) if numbers.is_valid(row) => {
                numbers.value(row).cast_unsigned() ^ (1 << 63)
            }
            Self::Text(_) | Self::Integer(_) => 0,
        }
    }

    /// Returns what rows are told apart by that have the same prefix.
    fn value(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Text(texts) => texts.is_valid(row).then(|| texts.value(row).as_bytes()),
            Self::Integer(numbers) => numbers.is_valid(row).then_some(&[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::compute::{SortColumn, lexsort_to_indices};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_come_in_the_order_of_the_general_sort(
            rows in prop::collection::vec(
                (prop::option::of("[ab]{0,10}"), prop::option::of("(same-prefix)?[a-c]{0,2}"), prop::option::of(any::<i64>())),
                0..60,
            )
        ) {
            let keys: [ArrayRef; 3] = [
                Arc::new(rows.iter().map(|row| row.0.as_deref()).collect::<StringViewArray>()),
                Arc::new(rows.iter().map(|row| row.1.as_deref()).collect::<StringViewArray>()),
                Arc::new(rows.iter().map(|row| row.2).collect::<Int64Array>()),
            ];

            let ours: Vec<Key> = keys.iter().filter_map(Key::new).collect();
            let ours = order(&ours, rows.len());

            // Its order of equal rows is not defined, so the number of the row decides.
            let numbers: ArrayRef = Arc::new((0..).take(rows.len()).collect::<Int64Array>());
            let columns: Vec<SortColumn> = keys
                .iter()
                .chain([&numbers])
                .map(|key| SortColumn { values: Arc::clone(key), options: None })
                .collect();
            let expected = lexsort_to_indices(&columns, None).unwrap();
            let expected: Vec<usize> = expected.values().iter().map(|row| *row as usize).collect();
            prop_assert_eq!(ours, expected);
        }
    }
}
