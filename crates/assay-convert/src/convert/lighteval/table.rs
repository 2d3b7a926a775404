//! A Parquet file read one row group at a time, with only the columns that are asked for in memory.

use std::io::{Cursor, Read, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::FOOTER_SIZE;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedRowGroupReader;
use parquet::record::Row;
use parquet::record::reader::TreeBuilder;
use parquet::schema::types::{SchemaDescriptor, Type};

use super::nesting::{MAX_DEPTH, is_too_deep};
use crate::convert::{LogFile, Logs};

/// Maximum size of the description at the end of a file, in bytes.
const MAX_FOOTER_BYTES: u64 = 64 << 20;
/// Maximum size of the columns that are needed in one row group, in bytes as stored.
const MAX_ROW_GROUP_BYTES: u64 = 2 << 30;
/// Number of rows that are taken apart at a time.
const ROWS_AT_A_TIME: usize = 64;

/// A test whether a column is needed, by the name of its group and its own.
pub(super) type Wanted<'w> = dyn Fn(&str, &str) -> bool + 'w;

/// The reason why the reading of rows ended early.
pub(super) enum Stop<E> {
    /// The file is not what it should be.
    Damaged(String),
    /// The rows were not taken.
    Caller(E),
}

/// A Parquet file.
pub(super) struct Table<'a> {
    file: Box<dyn LogFile + 'a>,
    length: u64,
    metadata: ParquetMetaData,
    properties: Arc<ReaderProperties>,
}

impl<'a> Table<'a> {
    pub(super) fn open(logs: &'a dyn Logs, path: &str) -> Result<Self, String> {
        let mut file = logs.open(path).map_err(|error| error.to_string())?;
        let (pieces, length) = footer(&mut *file).map_err(|error| error.to_string())?;
        let metadata = described(&pieces)?;
        Ok(Self {
            file,
            length,
            metadata,
            properties: Arc::new(ReaderProperties::builder().build()),
        })
    }

    /// Returns the number of rows by the file's own account.
    pub(super) fn count(&self) -> Option<u64> {
        u64::try_from(self.metadata.file_metadata().num_rows()).ok()
    }

    /// Returns whether there is a column of this name.
    pub(super) fn has(&self, column: &str) -> bool {
        self.schema()
            .get_fields()
            .iter()
            .any(|field| field.name() == column)
    }

    /// Hands out every row with the columns `wanted`, each given by the name of its group and its
    /// own. Rows before a fault are handed out.
    pub(super) fn rows<E>(
        mut self,
        wanted: &Wanted<'_>,
        progress: &dyn Fn(u64),
        mut visit: impl FnMut(&Row) -> Result<(), E>,
    ) -> Result<(), Stop<E>> {
        let projection = guarded(|| projected(self.schema(), wanted)).map_err(Stop::Damaged)?;
        for index in 0..self.metadata.num_row_groups() {
            let group = self.metadata.row_group(index).clone();
            let pieces = self.pieces(&group, wanted).map_err(Stop::Damaged)?;
            progress(pieces.size());
            let pieces = Arc::new(pieces);
            let properties = Arc::clone(&self.properties);
            let reader =
                guarded(|| SerializedRowGroupReader::new(pieces, &group, None, properties))
                    .map_err(Stop::Damaged)?;
            let tree = TreeBuilder::new().with_batch_size(ROWS_AT_A_TIME);
            let mut rows = guarded(|| tree.as_iter(Arc::clone(&projection), &reader))
                .map_err(Stop::Damaged)?;
            while let Some(row) = guarded(|| rows.next().transpose()).map_err(Stop::Damaged)? {
                visit(&row).map_err(Stop::Caller)?;
            }
        }
        Ok(())
    }

    fn schema(&self) -> &Type {
        self.metadata.file_metadata().schema()
    }

    /// Reads the columns of a row group that are needed.
    fn pieces(&mut self, group: &RowGroupMetaData, wanted: &Wanted<'_>) -> Result<Pieces, String> {
        let mut pieces = Pieces {
            length: self.length,
            parts: Vec::new(),
        };
        for column in group.columns() {
            let path = column.column_path().parts();
            let name = |at: usize| path.get(at).map_or("", String::as_str);
            if !wanted(name(0), name(1)) {
                continue;
            }
            let first = column
                .dictionary_page_offset()
                .unwrap_or(column.data_page_offset());
            let start = u64::try_from(first).unwrap_or(u64::MAX);
            let length = u64::try_from(column.compressed_size()).unwrap_or(u64::MAX);
            let is_inside = start
                .checked_add(length)
                .is_some_and(|end| end <= self.length);
            if !is_inside || pieces.size().saturating_add(length) > MAX_ROW_GROUP_BYTES {
                return Err(format!(
                    "the column `{}` does not fit",
                    column.column_path()
                ));
            }
            let bytes =
                read_at(&mut *self.file, start, length).map_err(|error| error.to_string())?;
            pieces.parts.push((start, bytes));
        }
        Ok(pieces)
    }
}

/// Parts of a file that are in memory.
struct Pieces {
    length: u64,
    parts: Vec<(u64, Bytes)>,
}

impl Pieces {
    fn size(&self) -> u64 {
        self.parts.iter().map(|(_, bytes)| bytes.len() as u64).sum()
    }

    /// Returns the bytes in memory from `start` on.
    fn from(&self, start: u64) -> ParquetResult<Bytes> {
        self.parts
            .iter()
            .find_map(|(at, bytes)| {
                let skipped = usize::try_from(start.checked_sub(*at)?).ok()?;
                (skipped < bytes.len()).then(|| bytes.slice(skipped..))
            })
            .ok_or_else(|| ParquetError::EOF(format!("byte {start} belongs to no column")))
    }
}

impl Length for Pieces {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Pieces {
    type T = Cursor<Bytes>;

    fn get_read(&self, start: u64) -> ParquetResult<Cursor<Bytes>> {
        self.from(start).map(Cursor::new)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.from(start)?;
        if bytes.len() < length {
            let message = format!("{length} bytes at {start} are more than the column has");
            return Err(ParquetError::EOF(message));
        }
        Ok(bytes.slice(..length))
    }
}

/// Understands the description of a file, unless its columns nest deeper than those of any real
/// file.
fn described(pieces: &Pieces) -> Result<ParquetMetaData, String> {
    let description = pieces
        .parts
        .first()
        .and_then(|(_, bytes)| bytes.get(..bytes.len().checked_sub(FOOTER_SIZE)?));
    match description.and_then(is_too_deep) {
        Some(false) => {}
        Some(true) => return Err(format!("its columns nest deeper than {MAX_DEPTH}")),
        None => return Err("its description cannot be decoded".to_owned()),
    }
    guarded(|| {
        let mut reader = ParquetMetaDataReader::new();
        reader.try_parse(pieces)?;
        reader.finish()
    })
}

/// Reads the description at the end of a file. Its length stands in front of the last four bytes.
fn footer(file: &mut dyn LogFile) -> std::io::Result<(Pieces, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let tail = length.min(FOOTER_SIZE as u64);
    let last = read_at(file, length - tail, tail)?;
    let said = last
        .first_chunk()
        .map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
    let wanted = (said + tail).min(length).min(MAX_FOOTER_BYTES);
    let bytes = read_at(file, length - wanted, wanted)?;
    let parts = vec![(length - wanted, bytes)];
    Ok((Pieces { length, parts }, length))
}

fn read_at(file: &mut dyn LogFile, start: u64, length: u64) -> std::io::Result<Bytes> {
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes.into())
}

/// The schema with only the fields that are wanted.
fn projected(schema: &Type, wanted: &Wanted<'_>) -> ParquetResult<Arc<SchemaDescriptor>> {
    let mut groups = Vec::new();
    for group in schema.get_fields() {
        if !group.is_group() {
            continue;
        }
        let fields: Vec<_> = group
            .get_fields()
            .iter()
            .filter(|field| wanted(group.name(), field.name()))
            .cloned()
            .collect();
        if fields.is_empty() {
            continue;
        }
        let info = group.get_basic_info();
        let mut builder = Type::group_type_builder(group.name()).with_fields(fields);
        if info.has_repetition() {
            builder = builder.with_repetition(info.repetition());
        }
        if info.has_id() {
            builder = builder.with_id(Some(info.id()));
        }
        groups.push(Arc::new(builder.build()?));
    }
    let root = Type::group_type_builder(schema.name())
        .with_fields(groups)
        .build()?;
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root))))
}

/// Calls into the decoder, which panics on some damaged files where it should fail.
fn guarded<T>(work: impl FnOnce() -> ParquetResult<T>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(_) => Err("its pages cannot be decoded".to_owned()),
    }
}
