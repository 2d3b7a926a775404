//! In which order rows are written.
//!
//! The general sort of the engine compares column by column, through a function for each, and most of our columns are the same in
//! all rows. Most rows differ in the first eight bytes of the first column that is not; these are sorted as numbers, and only
//! rows that agree there are compared as a whole.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray as _, RecordBatch, UInt32Array, make_comparator,
};
use datafusion::arrow::compute::{SortOptions, concat, interleave, take};
use datafusion::arrow::datatypes::{DataType, Int64Type};

use crate::batch::{Column, Rows};
use crate::error::Result;
use crate::table::Table;

/// How many bytes of a text are compared as one number.
const PREFIX: usize = size_of::<u64>();

/// A column of all blocks together.
enum Whole {
    /// All rows have the one value of this array.
    Same(ArrayRef),
    /// The values of each block.
    Each(Vec<ArrayRef>),
}

/// The rows of some blocks of a table as one batch, sorted. Rows that are equal in all columns that count keep their order.
pub(crate) fn sorted(table: Table, blocks: &[Rows]) -> Result<RecordBatch> {
    let rows = blocks.iter().map(|block| block.len).sum();
    let columns = (0..table.columns().len())
        .map(|column| whole(blocks, column))
        .collect::<Result<Vec<Whole>>>()?;
    let schema = table.schema_of_views();
    let mut keys = Vec::new();
    for name in table.sorted_by() {
        if let Whole::Each(parts) = &columns[schema.index_of(name)?] {
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            keys.push(concat(&parts)?);
        }
    }
    let places: Vec<(usize, usize)> = blocks
        .iter()
        .enumerate()
        .flat_map(|(number, block)| (0..block.len).map(move |row| (number, row)))
        .collect();
    let order: Vec<(usize, usize)> = order(&keys, rows)?
        .into_iter()
        .map(|row| places[row])
        .collect();
    let columns = columns.into_iter().map(|column| match column {
        Whole::Same(value) => repeated(&value, rows),
        Whole::Each(parts) => {
            let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
            Ok(interleave(&parts, &order)?)
        }
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// What all blocks have in a column.
fn whole(blocks: &[Rows], column: usize) -> Result<Whole> {
    let mut of_blocks = blocks.iter().map(|block| &block.columns[column]);
    if let Some(Column::Same(first)) = of_blocks.next()
        && of_blocks.all(|other| matches!(other, Column::Same(value) if value == first))
    {
        return Ok(Whole::Same(Arc::clone(first)));
    }
    let parts = blocks.iter().map(|block| match &block.columns[column] {
        Column::Each(array) => Ok(Arc::clone(array)),
        Column::Same(value) => repeated(value, block.len),
    });
    Ok(Whole::Each(parts.collect::<Result<_>>()?))
}

/// So many times the one value of an array.
fn repeated(value: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    Ok(take(value, &UInt32Array::from(vec![0; rows]), None)?)
}

/// The numbers of the rows in the order of their keys.
fn order(keys: &[ArrayRef], rows: usize) -> Result<Vec<usize>> {
    let Some(first) = keys.first() else {
        return Ok((0..rows).collect());
    };
    let comparators = keys
        .iter()
        .map(|key| make_comparator(key, key, SortOptions::default()))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    let compare = |row: usize, other: usize| -> Ordering {
        let mut compared = comparators.iter().map(|compare| compare(row, other));
        compared
            .find(|ordering| ordering.is_ne())
            .unwrap_or_else(|| row.cmp(&other))
    };
    let mut numbered: Vec<(u64, usize)> = prefixes(first).into_iter().zip(0..rows).collect();
    numbered.sort_unstable();
    // Rows that agree are mostly the pieces of one sample, which came in order.
    for alike in numbered.chunk_by_mut(|(prefix, _), (other, _)| prefix == other) {
        let is_sorted = alike.is_sorted_by(|(_, row), (_, other)| compare(*row, *other).is_le());
        if !is_sorted {
            alike.sort_unstable_by(|(_, row), (_, other)| compare(*row, *other));
        }
    }
    Ok(numbered.into_iter().map(|(_, row)| row).collect())
}

/// A number for each row, never larger for a row that comes first. What is empty comes first of all.
fn prefixes(key: &ArrayRef) -> Vec<u64> {
    let rows = 0..key.len();
    if let Some(texts) = key.as_string_view_opt() {
        return rows
            .map(|row| {
                if texts.is_null(row) {
                    return 0;
                }
                let bytes = texts.value(row).as_bytes();
                let mut prefix = [0; PREFIX];
                let length = bytes.len().min(PREFIX);
                prefix[..length].copy_from_slice(&bytes[..length]);
                u64::from_be_bytes(prefix)
            })
            .collect();
    }
    match key.data_type() {
        DataType::Int64 => {
            let numbers = key.as_primitive::<Int64Type>();
            rows.map(|row| {
                if numbers.is_null(row) {
                    return 0;
                }
                numbers.value(row).cast_unsigned() ^ (1 << 63)
            })
            .collect()
        }
        // The comparators tell them all apart.
        _ => vec![0; key.len()],
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Int64Array, StringViewArray};
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

            let ours = order(&keys, rows.len()).unwrap();

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
