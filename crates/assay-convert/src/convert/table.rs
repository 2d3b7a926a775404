//! Leaderboards as tables: a declarative mapping says which column is what, and every row becomes a
//! record.
//!
//! A table has no time and no samples: its records are documentation, and hold scores alone.

mod mapping;
mod record;
mod rows;

use std::collections::BTreeSet;

use super::{Converted, Datastore, Identity, RecordWriter, Refusal};
pub use mapping::{Mapping, MappingError};
pub use rows::{MAX_BYTES, TableError, TableRow, read_rows};

/// Converts the rows of a table, one by one.
#[derive(Debug)]
pub struct TableConverter<'m> {
    mapping: &'m Mapping,
    retrieved: String,
    /// The UUIDs of the records so far.
    seen: BTreeSet<String>,
}

/// The outcome of a row.
#[derive(Debug)]
pub enum ConvertedRow {
    /// A record was made.
    Record {
        /// The record.
        converted: Converted,
        /// Number of cells of its metrics that hold no number.
        without_number: u64,
    },
    /// The mapping leaves it out by `only`.
    LeftOut,
    /// There is no record of it, for this reason.
    Skipped(String),
}

impl<'m> TableConverter<'m> {
    /// Begins a table that was retrieved at a time, in Unix seconds.
    pub fn new(mapping: &'m Mapping, retrieved: String) -> Self {
        Self {
            mapping,
            retrieved,
            seen: BTreeSet::new(),
        }
    }

    /// Converts the next row.
    pub fn convert(
        &mut self,
        row: &TableRow,
        datastore: &dyn Datastore,
    ) -> Result<ConvertedRow, Refusal> {
        if !self.mapping.wants(row) {
            return Ok(ConvertedRow::LeftOut);
        }
        let made = match record::record_of(self.mapping, row, &self.retrieved) {
            Ok(made) => made,
            Err(reason) => return Ok(ConvertedRow::Skipped(reason)),
        };
        if !self.seen.insert(made.identity.uuid.clone()) {
            let reason = "an earlier row has the same values in all columns that the mapping names";
            return Ok(ConvertedRow::Skipped(reason.to_owned()));
        }
        let writer = RecordWriter::begin(datastore, made.identity)?;
        Ok(ConvertedRow::Record {
            converted: writer.finish(made.record)?,
            without_number: made.without_number,
        })
    }
}

/// A record that was made of a row.
struct RowRecord {
    identity: Identity,
    record: assay_formats::eee::record::Record,
    without_number: u64,
}
