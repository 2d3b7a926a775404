//! Rows of one table on their way to one Parquet file.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use datafusion::arrow::array::{ArrayRef, AsArray as _};
use datafusion::arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::Result as ParquetResult;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use crate::batch::Rows;
use crate::draft::{Draft, Hashed};
use crate::error::{Error, Result};
use crate::manifest::DataFile;
use crate::order::Sorted;
use crate::partition::Bounds;
use crate::table::{ColumnType, Table};

/// The most rows of a row group, which is what a query can leave out.
const MAX_GROUP_ROWS: usize = 1 << 18;
/// The most memory that rows take before they are sorted and written.
const MAX_GROUP_BYTES: usize = 96 << 20;
/// The most rows of a page, which is the finest that a query can leave out.
const PAGE_ROWS: usize = 1 << 14;
/// The effort of the compression: files of level 1 were up to a fifth larger than those of `DuckDB`, which takes 3.
const ZSTD_LEVEL: i32 = 2;
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
/// The columns that tell samples apart. Models are asked the same, so a row group of several of them has each value many times.
const NAMES_OF_SAMPLES: [&str; 2] = ["sample_hash", "sample_id"];
/// The most bytes of a dictionary of those.
const NAMES_BYTES: usize = 32 << 20;

/// One Parquet file in the making, of rows that come in any order and from any thread.
///
/// Row groups are sorted, encoded and compressed side by side. Only copying the result into the file is done by one thread at a
/// time.
pub(crate) struct Writer {
    draft: Draft,
    schema: SchemaRef,
    encoders: ArrowRowGroupWriterFactory,
    pending: Mutex<PendingRows>,
    file: Mutex<OpenFile>,
}

/// Rows that wait until they fill a row group.
#[derive(Debug, Default)]
pub(crate) struct PendingRows {
    blocks: Vec<Rows>,
    rows: usize,
    bytes: usize,
}

struct OpenFile {
    parquet: SerializedFileWriter<Hashed>,
    rows: u64,
    bounds: Option<Bounds>,
}

impl PendingRows {
    /// Adds a block of rows.
    pub(crate) fn push(&mut self, rows: Rows) {
        if rows.len > 0 {
            self.rows += rows.len;
            self.bytes += rows.bytes();
            self.blocks.push(rows);
        }
    }

    /// Returns `true` if there are enough rows for a row group.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= MAX_GROUP_ROWS || self.bytes >= MAX_GROUP_BYTES
    }

    /// Moves other rows here.
    fn append(&mut self, mut other: Self) {
        self.blocks.append(&mut other.blocks);
        self.rows += other.rows;
        self.bytes += other.bytes;
    }
}

impl Writer {
    /// Begins a file. `name` must be new in the lake.
    pub(crate) fn create(lake: &Path, table: Table, name: &str) -> Result<Self> {
        let (draft, file) = Draft::create(lake, table, name)?;
        let schema = table.schema_of_views();
        let begin = || -> ParquetResult<_> {
            let columns = ArrowSchemaConverter::new().convert(&table.schema())?;
            let root = columns.root_schema_ptr();
            SerializedFileWriter::new(file, root, properties(table).into())
        };
        let parquet = begin().map_err(Error::parquet("write", draft.path()))?;
        Ok(Self {
            encoders: ArrowRowGroupWriterFactory::new(&parquet, schema.clone()),
            draft,
            schema,
            pending: Mutex::default(),
            file: Mutex::new(OpenFile {
                parquet,
                rows: 0,
                bounds: None,
            }),
        })
    }

    /// Adds rows. Whoever fills a row group writes it.
    pub(crate) fn add(&self, rows: PendingRows) -> Result<()> {
        let mut pending = lock(&self.pending);
        pending.append(rows);
        if !pending.is_full() {
            return Ok(());
        }
        let full = std::mem::take(&mut *pending);
        drop(pending);
        self.write(&full)
    }

    /// Puts the file in its place, unless it has no rows.
    pub(crate) fn finish(self) -> Result<Option<DataFile>> {
        let rest = std::mem::take(&mut *lock(&self.pending));
        self.write(&rest)?;
        let OpenFile {
            parquet,
            rows,
            bounds,
        } = self
            .file
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let file = parquet
            .into_inner()
            .map_err(Error::parquet("write", self.draft.path()))?;
        self.draft.place(file, rows, bounds)
    }

    /// Sorts rows and writes them as one row group, column by column: no more than one of them is held in order.
    fn write(&self, pending: &PendingRows) -> Result<()> {
        if pending.rows == 0 {
            return Ok(());
        }
        let failed = || Error::parquet("write", self.draft.path());
        let sorted = Sorted::new(self.draft.table, &pending.blocks)?;
        let encoders = self.encoders.create_column_writers(0).map_err(failed())?;
        let mut chunks: Vec<ArrowColumnChunk> = Vec::with_capacity(encoders.len());
        let (mut benchmark, mut model) = (None, None);
        let fields = self.schema.fields().iter().enumerate();
        for ((index, field), mut encoder) in fields.zip(encoders) {
            let column = sorted.column(index)?;
            match field.name().as_str() {
                "benchmark" => benchmark = ends_of(&column),
                "model" => model = ends_of(&column),
                _ => {}
            }
            let encode = || {
                for leaf in compute_leaves(field, &column)? {
                    encoder.write(&leaf)?;
                }
                encoder.close()
            };
            chunks.push(encode().map_err(failed())?);
        }
        let bounds = benchmark
            .zip(model)
            .map(|(benchmark, model)| Bounds { benchmark, model });
        let mut file = lock(&self.file);
        let append = || -> ParquetResult<()> {
            let mut group = file.parquet.next_row_group()?;
            for chunk in chunks {
                chunk.append_to_row_group(&mut group)?;
            }
            group.close()?;
            Ok(())
        };
        append().map_err(failed())?;
        file.bounds = match (file.bounds.take(), bounds) {
            (Some(known), Some(bounds)) => Some(known.union(bounds)),
            (known, bounds) => known.or(bounds),
        };
        file.rows += pending.rows as u64;
        Ok(())
    }
}

/// The least and the greatest text of a column.
fn ends_of(column: &ArrayRef) -> Option<[String; 2]> {
    let texts = column.as_string_view_opt()?;
    let least = texts.iter().flatten().min()?;
    let greatest = texts.iter().flatten().max()?;
    Some([least.to_owned(), greatest.to_owned()])
}

/// A thread that broke off while it held this has said so, and its file never becomes part of the lake.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The settings of the files of a table.
fn properties(table: Table) -> WriterProperties {
    let level = ZstdLevel::try_new(ZSTD_LEVEL).unwrap_or_default();
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_dictionary_enabled(true)
        .set_data_page_row_count_limit(PAGE_ROWS);
    for (name, holds, _) in table.columns() {
        let column = ColumnPath::from(*name);
        if LONG_TEXTS.contains(name) && *holds == ColumnType::Text {
            properties = properties.set_column_dictionary_enabled(column.clone(), false);
        }
        if NAMES_OF_SAMPLES.contains(name) {
            properties =
                properties.set_column_dictionary_page_size_limit(column.clone(), NAMES_BYTES);
        }
        if table.has_samples() && WITHOUT_BOUNDS.contains(name) {
            properties = properties.set_column_statistics_enabled(column, EnabledStatistics::None);
        }
    }
    properties.build()
}
