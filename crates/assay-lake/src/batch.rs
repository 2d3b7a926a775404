//! Rows on their way to columns.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanBuilder, Float64Builder, Int64Builder, RecordBatch, StringBuilder,
    TimestampMicrosecondBuilder,
};

use crate::error::Result;
use crate::table::{ColumnType, Table};

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

enum Builder {
    Text(StringBuilder),
    Number(Float64Builder),
    Integer(Int64Builder),
    Truth(BooleanBuilder),
    Moment(TimestampMicrosecondBuilder),
}

/// Rows of one table that are being gathered.
pub(crate) struct Batch {
    table: Table,
    builders: Vec<Builder>,
    rows: usize,
}

impl Batch {
    /// No rows yet.
    pub(crate) fn new(table: Table) -> Self {
        let builders = table.columns().iter().map(|(_, holds, _)| match holds {
            ColumnType::Text => Builder::Text(StringBuilder::new()),
            ColumnType::Number => Builder::Number(Float64Builder::new()),
            ColumnType::Integer => Builder::Integer(Int64Builder::new()),
            ColumnType::Truth => Builder::Truth(BooleanBuilder::new()),
            ColumnType::Moment => Builder::Moment(TimestampMicrosecondBuilder::new()),
        });
        Self {
            table,
            builders: builders.collect(),
            rows: 0,
        }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Adds a row, in the order of the columns.
    ///
    /// A row of another table is a fault of this program, and the tests of the readers would show it.
    pub(crate) fn push(&mut self, row: &[Cell<'_>]) {
        debug_assert_eq!(row.len(), self.builders.len(), "{:?}", self.table);
        for (builder, cell) in self.builders.iter_mut().zip(row) {
            match (builder, cell) {
                (Builder::Text(builder), Cell::Text(text)) => builder.append_option(*text),
                (Builder::Number(builder), Cell::Number(number)) => builder.append_option(*number),
                (Builder::Integer(builder), Cell::Integer(number)) => {
                    builder.append_option(*number);
                }
                (Builder::Truth(builder), Cell::Truth(truth)) => builder.append_option(*truth),
                (Builder::Moment(builder), Cell::Moment(moment)) => builder.append_option(*moment),
                (
                    Builder::Text(_)
                    | Builder::Number(_)
                    | Builder::Integer(_)
                    | Builder::Truth(_)
                    | Builder::Moment(_),
                    cell,
                ) => debug_assert!(false, "{:?} has no place for {cell:?}", self.table),
            }
        }
        self.rows += 1;
    }

    /// The rows as columns; none are left.
    pub(crate) fn finish(&mut self) -> Result<RecordBatch> {
        let columns = self.builders.iter_mut().map(|builder| -> ArrayRef {
            match builder {
                Builder::Text(builder) => Arc::new(builder.finish()),
                Builder::Number(builder) => Arc::new(builder.finish()),
                Builder::Integer(builder) => Arc::new(builder.finish()),
                Builder::Truth(builder) => Arc::new(builder.finish()),
                Builder::Moment(builder) => Arc::new(builder.finish()),
            }
        });
        let batch = RecordBatch::try_new(self.table.schema(), columns.collect())?;
        self.rows = 0;
        Ok(batch)
    }
}
