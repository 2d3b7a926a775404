//! In which order rows are written.
//!
//! The general sort of the engine compares column by column, through a function for each, and most of our columns are the same in
//! all rows. Most rows differ in the first eight bytes of the first column that is not; these are compared as a number, and only
//! rows that agree there as a whole.

use datafusion::arrow::array::{Array, ArrayRef, AsArray as _, RecordBatch, make_comparator};
use datafusion::arrow::compute::{SortOptions, concat, interleave_record_batch};
use datafusion::arrow::datatypes::{DataType, Int64Type};

use crate::error::Result;
use crate::table::Table;

/// How many bytes of a text are compared as one number.
const PREFIX: usize = size_of::<u64>();

/// The rows of some batches of a table as one batch, sorted. Rows that are equal in all columns that count keep their order.
pub(crate) fn sorted(table: Table, batches: &[RecordBatch]) -> Result<RecordBatch> {
    let mut keys = Vec::new();
    for name in table.sorted_by() {
        let parts: Vec<&dyn Array> = batches
            .iter()
            .filter_map(|batch| Some(batch.column_by_name(name)?.as_ref()))
            .collect();
        let key = concat(&parts)?;
        if !is_constant(&key) {
            keys.push(key);
        }
    }
    let places: Vec<(usize, usize)> = batches
        .iter()
        .enumerate()
        .flat_map(|(batch, rows)| (0..rows.num_rows()).map(move |row| (batch, row)))
        .collect();
    let order = order(&keys, places.len())?;
    let order: Vec<(usize, usize)> = order.into_iter().map(|row| places[row]).collect();
    let batches: Vec<&RecordBatch> = batches.iter().collect();
    Ok(interleave_record_batch(&batches, &order)?)
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
    let mut numbered: Vec<(u64, usize)> = prefixes(first).into_iter().zip(0..rows).collect();
    numbered.sort_unstable_by(|(prefix, row), (other_prefix, other)| {
        let whole = || {
            let mut compared = comparators.iter().map(|compare| compare(*row, *other));
            compared.find(|ordering| ordering.is_ne())
        };
        prefix
            .cmp(other_prefix)
            .then_with(|| whole().unwrap_or_else(|| row.cmp(other)))
    });
    Ok(numbered.into_iter().map(|(_, row)| row).collect())
}

/// A number for each row, never larger for a row that comes first. What is empty comes first of all.
fn prefixes(key: &ArrayRef) -> Vec<u64> {
    let rows = 0..key.len();
    if let Some(texts) = key.as_string_opt::<i32>() {
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

/// Whether all rows have the same value. Those that nobody can tell quickly count as different.
fn is_constant(key: &ArrayRef) -> bool {
    let Some(texts) = key.as_string_opt::<i32>() else {
        return false;
    };
    let mut all = texts.iter();
    let Some(first) = all.next() else {
        return true;
    };
    all.all(|text| text == first)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Int64Array, StringArray};
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
                Arc::new(rows.iter().map(|row| row.0.as_deref()).collect::<StringArray>()),
                Arc::new(rows.iter().map(|row| row.1.as_deref()).collect::<StringArray>()),
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
