//! Rows of one table on their way to one Parquet file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use assay_formats::rows::{Algorithm, Hasher};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;

use crate::batch::Rows;
use crate::error::{Error, Result};
use crate::lake::{TABLES, UNFINISHED};
use crate::manifest::DataFile;
use crate::order::sorted;
use crate::partition::Partition;
use crate::table::{ColumnType, Table};

/// How many rows are sorted and written together at most. A stretch of rows is what a query can leave out.
pub(crate) const MAX_GROUP_ROWS: usize = 1 << 18;
/// How much memory rows may take before they are sorted and written.
const MAX_GROUP_BYTES: usize = 96 << 20;
/// How many rows a page has at most, which is the finest that a query can leave out.
const PAGE_ROWS: usize = 1 << 14;
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

/// One Parquet file in the making.
pub(crate) struct Writer {
    table: Table,
    partition: Option<Partition>,
    /// Where it will lie, from the directory of the lake.
    relative: String,
    path: PathBuf,
    unfinished: PathBuf,
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
        let directory = match &partition {
            Some(partition) => format!("{TABLES}/{}/{}", table.as_str(), partition.directory()),
            None => format!("{TABLES}/{}", table.as_str()),
        };
        let relative = format!("{directory}/{name}.parquet");
        let path = lake.join(&relative);
        let unfinished = path.with_extension(UNFINISHED);
        let directory = lake.join(directory);
        fs_err::create_dir_all(&directory).map_err(Error::io("make", &directory))?;
        let file = File::create(&unfinished).map_err(Error::io("write", &unfinished))?;
        let file = Hashed {
            file,
            hasher: Hasher::new(Algorithm::Sha256),
        };
        let parquet = ArrowWriter::try_new(file, table.schema(), Some(properties(table)))
            .map_err(Error::parquet("write", &unfinished))?;
        Ok(Self {
            table,
            partition,
            relative,
            path,
            unfinished,
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

    /// Puts the file in its place. Nobody sees it before a manifest names it, and that brings it to the disk first.
    pub(crate) fn finish(mut self) -> Result<Option<DataFile>> {
        self.flush()?;
        let doing = "write";
        if self.rows == 0 {
            drop(self.parquet);
            fs_err::remove_file(&self.unfinished).map_err(Error::io("remove", &self.unfinished))?;
            return Ok(None);
        }
        let Hashed { file, hasher } = self
            .parquet
            .into_inner()
            .map_err(Error::parquet(doing, &self.unfinished))?;
        let place = || {
            let bytes = file.metadata()?.len();
            std::fs::rename(&self.unfinished, &self.path)?;
            Ok(bytes)
        };
        let bytes = place().map_err(Error::io(doing, &self.path))?;
        Ok(Some(DataFile {
            table: self.table,
            path: self.relative,
            partition: self.partition,
            rows: self.rows,
            bytes,
            digest: hasher.hex(),
        }))
    }

    /// Sorts what waits and writes it as one stretch of rows.
    fn flush(&mut self) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let batch = sorted(self.table, &self.waiting)?;
        self.waiting.clear();
        (self.waiting_rows, self.waiting_bytes) = (0, 0);
        self.rows += batch.num_rows() as u64;
        self.parquet
            .write(&batch)
            .and_then(|()| self.parquet.flush())
            .map_err(Error::parquet("write", &self.unfinished))
    }
}

/// A file whose digest is known when it is written.
struct Hashed {
    file: File,
    hasher: Hasher,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn properties(table: Table) -> WriterProperties {
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
        if WITHOUT_BOUNDS.contains(name) && table.is_partitioned() {
            properties = properties.set_column_statistics_enabled(column, EnabledStatistics::None);
        }
    }
    properties.build()
}
