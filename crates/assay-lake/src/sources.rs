//! The table of the files that were taken in.

use std::collections::BTreeMap;

use bytes::Bytes;
use datafusion::arrow::array::{AsArray as _, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::batch::{Batch, Cell};
use crate::error::{Error, Result};
use crate::manifest::Source;
use crate::partition::Partition;
use crate::table::Table;
use crate::writer::PendingRows;

/// Returns the rows of some sources, by the id that other tables have as `record_id`.
pub(crate) fn rows_of_sources(sources: &BTreeMap<String, Source>) -> PendingRows {
    let mut batch = Batch::new(Table::Sources);
    for (id, source) in sources {
        let integer = |number: u64| Cell::Integer(i64::try_from(number).ok());
        let has_some = !source.speaks_for.is_empty();
        let speaks_for = has_some.then(|| serde_json::json!(source.speaks_for).to_string());
        batch.push(&[
            Cell::Text(Some(&source.partition.benchmark)),
            Cell::Text(Some(&source.partition.model)),
            Cell::Text(Some(id)),
            Cell::Text(Some(&source.path)),
            Cell::Text(Some(&source.digest)),
            Cell::Text(source.samples_digest.as_deref()),
            integer(source.bytes),
            Cell::Text(speaks_for.as_deref()),
            integer(source.results),
            integer(source.instances),
        ]);
    }
    let mut rows = PendingRows::default();
    rows.push(batch.finish());
    rows
}

/// Reads the sources of a file.
pub(crate) fn read_sources(path: &str, file: Bytes) -> Result<Vec<(String, Source)>> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(ParquetRecordBatchReaderBuilder::build)
        .map_err(Error::parquet("read", path))?;
    let mut sources = Vec::new();
    for batch in reader {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let source = source_at(&batch, row).ok_or_else(|| Error::Manifest {
                path: path.into(),
                why: format!("row {} is no source", row + 1),
            })?;
            sources.push(source);
        }
    }
    Ok(sources)
}

fn source_at(batch: &RecordBatch, row: usize) -> Option<(String, Source)> {
    let text = |name: &str| {
        let column = batch.column_by_name(name)?;
        let texts = column.as_string_opt::<i32>()?;
        column.is_valid(row).then(|| texts.value(row).to_owned())
    };
    let number = |name: &str| {
        let column = batch.column_by_name(name)?;
        let numbers = column.as_primitive_opt::<Int64Type>()?;
        u64::try_from(numbers.value(row)).ok()
    };
    let speaks_for = match text("speaks_for") {
        None => Vec::new(),
        Some(text) => serde_json::from_str(&text).ok()?,
    };
    let source = Source {
        path: text("path")?,
        digest: text("digest")?,
        samples_digest: text("samples_digest"),
        bytes: number("bytes")?,
        partition: Partition {
            benchmark: text("benchmark")?,
            model: text("model")?,
        },
        speaks_for,
        results: number("results")?,
        instances: number("instances")?,
    };
    Some((text("record_id")?, source))
}
