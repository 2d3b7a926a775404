//! Rows on their way to columns.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array as _, ArrayRef, AsArray as _, BooleanBuilder, Float64Builder, Int64Builder, RecordBatch,
    StringViewArray, StringViewBuilder, TimestampMicrosecondBuilder, new_null_array,
};
use datafusion::arrow::compute::partition;

use crate::error::Result;
use crate::table::{ColumnType, Table};

/// How much memory is taken at a time for the long texts of a column.
const TEXT_BYTES: u32 = 256 << 10;

/// One value of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cell<'a> {
    /// Text.
    Text(Option<&'a str>),
    /// A double.
    Number(Option<f64>),
    /// A whole number.
    Integer(Option<i64>),
    /// True or false.
    Truth(Option<bool>),
    /// Microseconds since 1970 in UTC.
    Moment(Option<i64>),
}

/// Rows of one table that are being gathered.
pub(crate) struct Batch {
    table: Table,
    lanes: Vec<Lane>,
    rows: usize,
}

/// Rows of one table, column by column. Text is held as views, which can be put in order without
/// being copied.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The columns, in the order of the table.
    pub(crate) columns: Vec<Column>,
    /// How many rows there are.
    pub(crate) len: usize,
}

/// One column of some rows.
#[derive(Debug)]
pub(crate) enum Column {
    /// All rows have the one value of this array.
    Same(ArrayRef),
    /// A value for each row.
    Each(ArrayRef),
}

impl Batch {
    /// No rows yet.
    pub(crate) fn new(table: Table) -> Self {
        let lanes = table
            .columns()
            .iter()
            .map(|(_, holds, _)| Lane::new(*holds));
        Self {
            table,
            lanes: lanes.collect(),
            rows: 0,
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Adds a row, in the order of the columns.
    ///
    /// A row of another table is a fault of this program, and the tests of the readers would show
    /// it.
    pub(crate) fn push(&mut self, row: &[Cell<'_>]) {
        debug_assert_eq!(row.len(), self.lanes.len(), "{:?}", self.table);
        for (lane, cell) in self.lanes.iter_mut().zip(row) {
            lane.push(*cell, self.rows);
        }
        self.rows += 1;
    }

    /// The rows as columns; none are left.
    pub(crate) fn finish(&mut self) -> Rows {
        let columns = self.lanes.iter_mut().map(Lane::finish).collect();
        Rows {
            columns,
            len: std::mem::take(&mut self.rows),
        }
    }
}

impl Rows {
    /// Reads the rows of a file of a table. Columns that came later than the file are empty.
    pub(crate) fn read(table: Table, batch: &RecordBatch) -> Result<Self> {
        let schema = table.schema();
        let columns = schema.fields().iter().map(|field| {
            let Some(column) = batch.column_by_name(field.name()) else {
                let none = new_null_array(field.data_type(), 1);
                return Ok(Column::Same(views_of(&none)));
            };
            let column = &views_of(column);
            let is_same = partition(std::slice::from_ref(column))?.len() == 1;
            Ok(if is_same {
                Column::Same(column.slice(0, 1))
            } else {
                Column::Each(Arc::clone(column))
            })
        });
        Ok(Self {
            columns: columns.collect::<Result<_>>()?,
            len: batch.num_rows(),
        })
    }

    /// Returns the number of bytes that they take in memory, or more.
    pub(crate) fn bytes(&self) -> usize {
        let columns = self.columns.iter().map(|column| match column {
            Column::Same(array) | Column::Each(array) => array.get_array_memory_size(),
        });
        columns.sum()
    }
}

/// Text as views; other columns as they are.
fn views_of(column: &ArrayRef) -> ArrayRef {
    let texts = column.as_string_opt::<i32>();
    let views = texts.map(|texts| Arc::new(StringViewArray::from(texts)) as ArrayRef);
    views.unwrap_or_else(|| Arc::clone(column))
}

/// One column that is being gathered. Most columns have the same value in most blocks of rows, so a
/// value is only written down once another one came.
struct Lane {
    builder: Builder,
    /// The value of all rows so far.
    same: Option<OwnedValue>,
}

enum Builder {
    Text(StringViewBuilder),
    Number(Float64Builder),
    Integer(Int64Builder),
    Truth(BooleanBuilder),
    Moment(TimestampMicrosecondBuilder),
}

/// A value that outlives its row.
enum OwnedValue {
    Text(Option<String>),
    Number(Option<f64>),
    Integer(Option<i64>),
    Truth(Option<bool>),
    Moment(Option<i64>),
}

impl Lane {
    fn new(holds: ColumnType) -> Self {
        let builder = match holds {
            ColumnType::Text => {
                Builder::Text(StringViewBuilder::new().with_fixed_block_size(TEXT_BYTES))
            }
            ColumnType::Number => Builder::Number(Float64Builder::new()),
            ColumnType::Integer => Builder::Integer(Int64Builder::new()),
            ColumnType::Truth => Builder::Truth(BooleanBuilder::new()),
            ColumnType::Moment => Builder::Moment(TimestampMicrosecondBuilder::new()),
        };
        Self {
            builder,
            same: None,
        }
    }

    /// Adds the value of a row after so many others.
    fn push(&mut self, cell: Cell<'_>, rows: usize) {
        match &self.same {
            Some(same) if same.is(cell) => return,
            Some(same) => {
                for _ in 0..rows {
                    self.builder.push(same.cell());
                }
                self.same = None;
            }
            None if rows == 0 => {
                self.same = Some(OwnedValue::new(cell));
                return;
            }
            None => {}
        }
        self.builder.push(cell);
    }

    fn finish(&mut self) -> Column {
        match self.same.take() {
            Some(same) => {
                self.builder.push(same.cell());
                Column::Same(self.builder.finish())
            }
            None => Column::Each(self.builder.finish()),
        }
    }
}

impl Builder {
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Self::Text(builder), Cell::Text(text)) => builder.append_option(text),
            (Self::Number(builder), Cell::Number(number)) => builder.append_option(number),
            (Self::Integer(builder), Cell::Integer(number)) => builder.append_option(number),
            (Self::Truth(builder), Cell::Truth(truth)) => builder.append_option(truth),
            (Self::Moment(builder), Cell::Moment(moment)) => builder.append_option(moment),
            (
                Self::Text(_)
                | Self::Number(_)
                | Self::Integer(_)
                | Self::Truth(_)
                | Self::Moment(_),
                cell,
            ) => debug_assert!(false, "this column has no place for {cell:?}"),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(builder) => Arc::new(builder.finish()),
            Self::Number(builder) => Arc::new(builder.finish()),
            Self::Integer(builder) => Arc::new(builder.finish()),
            Self::Truth(builder) => Arc::new(builder.finish()),
            Self::Moment(builder) => Arc::new(builder.finish()),
        }
    }
}

impl OwnedValue {
    fn new(cell: Cell<'_>) -> Self {
        match cell {
            Cell::Text(text) => Self::Text(text.map(str::to_owned)),
            Cell::Number(number) => Self::Number(number),
            Cell::Integer(number) => Self::Integer(number),
            Cell::Truth(truth) => Self::Truth(truth),
            Cell::Moment(moment) => Self::Moment(moment),
        }
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Text(text) => Cell::Text(text.as_deref()),
            Self::Number(number) => Cell::Number(*number),
            Self::Integer(number) => Cell::Integer(*number),
            Self::Truth(truth) => Cell::Truth(*truth),
            Self::Moment(moment) => Cell::Moment(*moment),
        }
    }

    /// Returns whether it is this value to the bit.
    fn is(&self, cell: Cell<'_>) -> bool {
        match (self.cell(), cell) {
            (Cell::Text(own), Cell::Text(other)) => own == other,
            (Cell::Number(own), Cell::Number(other)) => {
                own.map(f64::to_bits) == other.map(f64::to_bits)
            }
            (Cell::Truth(own), Cell::Truth(other)) => own == other,
            (Cell::Integer(own), Cell::Integer(other))
            | (Cell::Moment(own), Cell::Moment(other)) => own == other,
            (
                Cell::Text(_)
                | Cell::Number(_)
                | Cell::Integer(_)
                | Cell::Truth(_)
                | Cell::Moment(_),
                _,
            ) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_older_than_a_column_is_read_with_that_column_empty() {
        let mut batch = Batch::new(Table::Metrics);
        let row = Table::Metrics
            .columns()
            .iter()
            .map(|(_, holds, _)| match holds {
                ColumnType::Text => Cell::Text(Some("text")),
                ColumnType::Number => Cell::Number(Some(1.0)),
                ColumnType::Integer => Cell::Integer(Some(1)),
                ColumnType::Truth => Cell::Truth(Some(true)),
                ColumnType::Moment => Cell::Moment(Some(1)),
            });
        batch.push(&row.collect::<Vec<_>>());
        let arrays = batch
            .finish()
            .columns
            .into_iter()
            .map(|column| match column {
                Column::Same(array) | Column::Each(array) => array,
            });
        let whole =
            RecordBatch::try_new(Table::Metrics.schema_of_views(), arrays.collect()).unwrap();
        let last = whole.num_columns() - 1;
        let older = whole.project(&(0..last).collect::<Vec<_>>()).unwrap();

        let rows = Rows::read(Table::Metrics, &older).unwrap();

        assert_eq!((rows.columns.len(), rows.len), (last + 1, 1));
        assert!(matches!(&rows.columns[last], Column::Same(array) if array.is_null(0)));
        assert!(matches!(&rows.columns[0], Column::Same(array) if !array.is_null(0)));
        let schema = Table::Metrics.schema();
        assert!(Table::Metrics.may_have(&schema));
        assert!(Table::Metrics.may_have(&schema.project(&(0..last).collect::<Vec<_>>()).unwrap()));
        assert!(!Table::Metrics.may_have(&schema.project(&[0, 1]).unwrap()));
        assert!(!Table::Metrics.may_have(&Table::Results.schema()));
    }
}
