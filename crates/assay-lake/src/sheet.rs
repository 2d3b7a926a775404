//! A Parquet file that is written column by column, by hand.
//!
//! The writer of Arrow looks at every cell of every row. Most columns of samples have one value in all rows of a file, or one for
//! all messages of a sample; who knows that beforehand can write down a whole column in a few bytes.

mod bounds;
mod chunk;
mod codec;
mod end;
mod group;
mod hybrid;
mod numbers;
mod outlet;
mod page;
mod runs;
mod texts;

use std::io::Write as _;
use std::path::Path;

use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, encode_arrow_schema};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{FileMetaData, KeyValue, ParquetMetaDataBuilder, RowGroupMetaData};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::SchemaDescPtr;

pub(crate) use self::codec::Codec;
use self::end::end_of;
pub(crate) use self::group::{Copied, Desk, Group, NONE};
pub(crate) use self::outlet::Buffers;
use self::outlet::Outlet;
pub(crate) use self::runs::Run;
use crate::draft::Draft;
use crate::error::{Error, Result};
use crate::manifest::DataFile;
use crate::partition::Partition;
use crate::table::Table;

/// What every Parquet file begins with.
const MAGIC: &[u8] = b"PAR1";
/// The version of the format that its pages are written in.
const FORMAT: i32 = 1;

/// A file in the making.
pub(crate) struct Sheet {
    draft: Draft,
    file: Outlet,
    /// How many bytes of it there are.
    bytes: u64,
    schema: SchemaDescPtr,
    groups: Vec<RowGroupMetaData>,
    column_indexes: Vec<Vec<ColumnIndexMetaData>>,
    offset_indexes: Vec<Vec<OffsetIndexMetaData>>,
    rows: u64,
}

impl Sheet {
    /// Begins a file. `name` must be new in the lake.
    pub(crate) fn create(
        lake: &Path,
        table: Table,
        partition: Partition,
        name: &str,
        buffers: &Buffers,
    ) -> Result<Self> {
        let (draft, file) = Draft::create(lake, table, Some(partition), name)?;
        let mut file = Outlet::new(file, buffers.clone());
        file.write_all(MAGIC)
            .map_err(Error::io("write", draft.unfinished()))?;
        let schema = ArrowSchemaConverter::new()
            .convert(&table.schema())
            .map_err(Error::parquet("write", draft.unfinished()))?;
        Ok(Self {
            draft,
            file,
            schema: schema.into(),
            groups: Vec::new(),
            column_indexes: Vec::new(),
            offset_indexes: Vec::new(),
            bytes: MAGIC.len() as u64,
            rows: 0,
        })
    }

    /// Writes a stretch of so many rows: `write` is handed the columns in the order of the table.
    pub(crate) fn group(
        &mut self,
        desk: &mut Desk,
        rows: usize,
        write: impl FnOnce(&mut Group<'_>) -> ParquetResult<()>,
    ) -> Result<()> {
        let mut group = Group::new(self, desk, rows);
        let written = write(&mut group).and_then(|()| group.finish());
        written.map_err(Error::parquet("write", self.draft.unfinished()))
    }

    /// Puts the file in its place, unless it has no rows.
    pub(crate) fn finish(mut self) -> Result<Option<DataFile>> {
        self.write_end()
            .map_err(Error::parquet("write", self.draft.unfinished()))?;
        let file = self.file.finish();
        let file = file.map_err(Error::io("write", self.draft.unfinished()))?;
        self.draft.place(file, self.rows)
    }

    fn table(&self) -> Table {
        self.draft.table
    }

    /// Writes where everything lies.
    fn write_end(&mut self) -> ParquetResult<()> {
        let schema = encode_arrow_schema(&self.table().schema());
        let file = FileMetaData::new(
            FORMAT,
            self.rows.cast_signed(),
            Some(WriterProperties::new().created_by().to_owned()),
            Some(vec![KeyValue::new(
                ARROW_SCHEMA_META_KEY.to_owned(),
                schema,
            )]),
            self.schema.clone(),
            None,
        );
        let metadata = ParquetMetaDataBuilder::new(file)
            .set_row_groups(std::mem::take(&mut self.groups))
            .set_column_index(Some(std::mem::take(&mut self.column_indexes)))
            .set_offset_index(Some(std::mem::take(&mut self.offset_indexes)))
            .build();
        self.file.write_all(&end_of(&metadata, self.bytes)?)?;
        Ok(())
    }
}
