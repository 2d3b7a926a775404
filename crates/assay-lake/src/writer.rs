//! Rows of one table on their way to one Parquet file.

use std::path::Path;

use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;

use crate::batch::Rows;
use crate::draft::{Draft, Hashed};
use crate::error::{Error, Result};
use crate::manifest::DataFile;
use crate::order::sorted;
use crate::partition::Partition;
use crate::table::{ColumnType, Table};

/// How many rows are sorted and written together at most. A stretch of rows is what a query can leave out.
pub(crate) const MAX_GROUP_ROWS: usize = 1 << 18;
/// How much memory rows may take before they are sorted and written.
pub(crate) const MAX_GROUP_BYTES: usize = 96 << 20;
/// How many rows a page has at most, which is the finest that a query can leave out.
pub(crate) const PAGE_ROWS: usize = 1 << 14;
/// How hard the compression tries. Level 3 packed words 5 % smaller and took twice as long over digests.
const ZSTD_LEVEL: i32 = 1;
/// The columns with what people and models wrote, which is seldom the same twice.
const LONG_TEXTS: [&str; 3] = ["content", "reasoning", "tool_calls"];
/// The columns of samples whose least and greatest values rule nothing out: rows are not sorted by them.
const WITHOUT_BOUNDS: [&str; 10] = [
    "content",
    "metadata",
    "part",
    "position",
    "reasoning",
    "role",
    "sample_id",
    "tool_call_id",
    "tool_calls",
    "turn",
];
/// What rows are sorted by within a task. A sample has one row of scores and several of text.
const HASH: &str = "sample_hash";
/// How many bytes of hashes a stretch of texts may have in its dictionary.
const HASHES_BYTES: usize = 32 << 20;

/// One Parquet file in the making, of rows that come in any order.
pub(crate) struct Writer {
    draft: Draft,
    parquet: ArrowWriter<Hashed>,
    waiting: Vec<Rows>,
    waiting_rows: usize,
    waiting_bytes: usize,
    rows: u64,
}

impl Writer {
    /// Begins a file. `name` must be new in the lake.
    pub(crate) fn create(
        lake: &Path,
        table: Table,
        partition: Option<Partition>,
        name: &str,
    ) -> Result<Self> {
        let (draft, file) = Draft::create(lake, table, partition, name)?;
        let parquet = ArrowWriter::try_new(file, table.schema(), Some(properties(table)))
            .map_err(Error::parquet("write", draft.unfinished()))?;
        Ok(Self {
            draft,
            parquet,
            waiting: Vec::new(),
            waiting_rows: 0,
            waiting_bytes: 0,
            rows: 0,
        })
    }

    /// Adds rows, in any order.
    pub(crate) fn add(&mut self, rows: Rows) -> Result<()> {
        if rows.len == 0 {
            return Ok(());
        }
        self.waiting_rows += rows.len;
        self.waiting_bytes += rows.bytes();
        self.waiting.push(rows);
        if self.waiting_rows >= MAX_GROUP_ROWS || self.waiting_bytes >= MAX_GROUP_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Puts the file in its place, unless it has no rows.
    pub(crate) fn finish(mut self) -> Result<Option<DataFile>> {
        self.flush()?;
        let file = self
            .parquet
            .into_inner()
            .map_err(Error::parquet("write", self.draft.unfinished()))?;
        self.draft.place(file, self.rows)
    }

    /// Sorts what waits and writes it as one stretch of rows.
    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let batch = sorted(self.draft.table, &self.waiting)?;
        self.waiting.clear();
        (self.waiting_rows, self.waiting_bytes) = (0, 0);
        self.rows += batch.num_rows() as u64;
        self.parquet
            .write(&batch)
            .and_then(|()| self.parquet.flush())
            .map_err(Error::parquet("write", self.draft.unfinished()))
    }
}

/// Whether the least and the greatest values of a column are written down.
pub(crate) fn has_bounds(table: Table, column: &str) -> bool {
    !(table.is_partitioned() && WITHOUT_BOUNDS.contains(&column))
}

/// How files are written.
pub(crate) fn properties(table: Table) -> WriterProperties {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).unwrap_or_default();
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_dictionary_enabled(true)
        .set_max_row_group_row_count(Some(MAX_GROUP_ROWS))
        .set_data_page_row_count_limit(PAGE_ROWS);
    for (name, holds, _) in table.columns() {
        let column = ColumnPath::from(*name);
        if LONG_TEXTS.contains(name) && *holds == ColumnType::Text {
            properties = properties.set_column_dictionary_enabled(column.clone(), false);
        }
        if *name == HASH {
            properties = match table {
                Table::Messages => {
                    properties.set_column_dictionary_page_size_limit(column.clone(), HASHES_BYTES)
                }
                _ => properties.set_column_dictionary_enabled(column.clone(), false),
            };
        }
        if !has_bounds(table, name) {
            properties = properties.set_column_statistics_enabled(column, EnabledStatistics::None);
        }
    }
    properties.build()
}
