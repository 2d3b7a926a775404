//! One column of a stretch of rows, page by page.

use std::io::Write as _;

use parquet::basic::{Encoding, PageType, Type};
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, LevelHistogram, OffsetIndexBuilder, PageEncodingStats,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use super::bounds::{Boundaries, Bounds};
use super::codec::{Codec, Press};
use super::hybrid::{write_hybrid, write_run};
use super::outlet::Outlet;
use super::page::Head;

/// A column of a stretch of rows that is being written.
pub(super) struct Chunk<'w> {
    file: &'w mut Outlet,
    /// How many bytes the file has.
    file_bytes: &'w mut u64,
    press: &'w mut Press,
    codec: Codec,
    column: ColumnDescPtr,
    has_bounds: bool,
    /// What a page may say of the rows that it has, before it is packed.
    head: Vec<u8>,
    /// All that is written, when somebody wants it.
    copy: Option<Vec<u8>>,
    boundaries: Boundaries,
    column_index: ColumnIndexBuilder,
    offset_index: OffsetIndexBuilder,
    dictionary_at: Option<i64>,
    data_at: Option<i64>,
    encodings: Vec<PageEncodingStats>,
    bytes: i64,
    packed: i64,
    rows: i64,
    nulls: i64,
}

/// What the end of a file says of a column.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) metadata: ColumnChunkMetaData,
    pub(super) column_index: ColumnIndexMetaData,
    pub(super) offset_index: OffsetIndexMetaData,
}

impl Written {
    /// The same of a column that begins at this byte of a file.
    pub(super) fn moved_to(&self, at: u64) -> Result<Self> {
        let (begins, _) = self.metadata.byte_range();
        let by = at.cast_signed() - begins.cast_signed();
        let dictionary_at = self.metadata.dictionary_page_offset();
        let metadata = self.metadata.clone().into_builder();
        let mut offset_index = self.offset_index.clone();
        for page in &mut offset_index.page_locations {
            page.offset += by;
        }
        Ok(Self {
            metadata: metadata
                .set_data_page_offset(self.metadata.data_page_offset() + by)
                .set_dictionary_page_offset(dictionary_at.map(|at| at + by))
                .build()?,
            column_index: self.column_index.clone(),
            offset_index,
        })
    }
}

/// The rows of a page.
pub(super) struct Page<'p> {
    /// Levels and values.
    pub(super) body: &'p [u8],
    /// How many rows it has.
    pub(super) rows: usize,
    /// How many of them are empty.
    pub(super) nulls: usize,
    /// How the values are spelled.
    pub(super) encoding: Encoding,
    /// The least and the greatest value, where there is one and somebody asks.
    pub(super) bounds: Option<Bounds>,
}

impl<'w> Chunk<'w> {
    /// Nothing written yet.
    pub(super) fn new(
        (file, file_bytes): (&'w mut Outlet, &'w mut u64),
        press: &'w mut Press,
        codec: Codec,
        column: ColumnDescPtr,
        has_bounds: bool,
    ) -> Self {
        Self {
            file,
            file_bytes,
            press,
            codec,
            has_bounds,
            head: Vec::new(),
            copy: None,
            boundaries: Boundaries::new(),
            column_index: ColumnIndexBuilder::new(column.physical_type()),
            offset_index: OffsetIndexBuilder::new(),
            column,
            dictionary_at: None,
            data_at: None,
            encodings: Vec::new(),
            bytes: 0,
            packed: 0,
            rows: 0,
            nulls: 0,
        }
    }

    /// Keeps all that is written from here on.
    pub(super) fn keep_copy(&mut self) {
        self.copy = Some(Vec::new());
    }

    /// Whether rows may be empty.
    pub(super) fn is_nullable(&self) -> bool {
        self.column.max_def_level() > 0
    }

    /// Whether somebody asks for the least and the greatest values.
    pub(super) fn has_bounds(&self) -> bool {
        self.has_bounds
    }

    /// Writes the values that pages refer to by number.
    pub(super) fn dictionary(&mut self, body: &[u8], values: usize) -> Result<()> {
        let (at, _) = self.write(body, true, values, Encoding::PLAIN)?;
        self.dictionary_at = Some(at);
        Ok(())
    }

    /// Writes a page of rows.
    pub(super) fn page(&mut self, page: Page<'_>) -> Result<()> {
        let (at, size) = self.write(page.body, false, page.rows, page.encoding)?;
        self.data_at.get_or_insert(at);
        let [rows, nulls] = [page.rows, page.nulls].map(whole);
        self.rows += rows;
        self.nulls += nulls;
        self.offset_index.append_row_count(rows);
        self.offset_index.append_offset_and_size(at, size);
        if !self.has_bounds {
            return Ok(());
        }
        let in_index = page.bounds.as_ref().map(Bounds::in_index);
        match in_index {
            Some(Some((least, greatest))) => {
                self.column_index.append(false, least, greatest, nulls);
            }
            None if rows == nulls => self.column_index.append(true, vec![], vec![], nulls),
            // What cannot be told of one page is told of none.
            Some(None) | None => self.column_index.to_invalid(),
        }
        self.column_index
            .append_histograms(&None, &self.histogram(rows, nulls));
        if let Some(bounds) = page.bounds {
            self.boundaries.add(bounds);
        }
        Ok(())
    }

    /// What there is to say at the end of the file, and what was to be kept.
    pub(super) fn finish(mut self) -> Result<(Written, Option<Vec<u8>>)> {
        let histogram = self.histogram(self.rows, self.nulls);
        let mut metadata = ColumnChunkMetaData::builder(self.column.clone())
            .set_compression(self.codec.named())
            .set_encodings(self.all_encodings())
            .set_page_encoding_stats(self.encodings)
            .set_total_compressed_size(self.packed)
            .set_total_uncompressed_size(self.bytes)
            .set_num_values(self.rows)
            .set_data_page_offset(self.data_at.unwrap_or_default())
            .set_dictionary_page_offset(self.dictionary_at);
        let mut column_index = ColumnIndexMetaData::NONE;
        if self.has_bounds {
            self.column_index
                .set_boundary_order(self.boundaries.order());
            if self.column_index.valid() {
                column_index = self.column_index.build()?;
            }
            let nulls = self.nulls.unsigned_abs();
            let empty = empty(self.column.physical_type(), nulls);
            metadata = metadata
                .set_statistics(self.boundaries.statistics(nulls, empty))
                .set_definition_level_histogram(histogram);
        }
        let written = Written {
            metadata: metadata.build()?,
            column_index,
            offset_index: self.offset_index.build(),
        };
        Ok((written, self.copy))
    }

    fn write(
        &mut self,
        body: &[u8],
        is_dictionary: bool,
        values: usize,
        encoding: Encoding,
    ) -> Result<(i64, i32)> {
        let packed = self.press.pack(self.codec, body)?;
        let head = Head {
            is_dictionary,
            values: small(values)?,
            encoding,
            bytes: small(body.len())?,
            packed: small(packed.len())?,
        };
        let at = self.file_bytes.cast_signed();
        self.head.clear();
        head.write(&mut self.head);
        self.file.write_all(&self.head)?;
        self.file.write_all(packed)?;
        if let Some(copy) = &mut self.copy {
            copy.extend_from_slice(&self.head);
            copy.extend_from_slice(packed);
        }
        let size = small(self.head.len() + packed.len())?;
        *self.file_bytes += (self.head.len() + packed.len()) as u64;
        self.packed += i64::from(size);
        self.bytes += whole(self.head.len() + body.len());
        let page_type = if is_dictionary {
            PageType::DICTIONARY_PAGE
        } else {
            PageType::DATA_PAGE
        };
        match self.encodings.last_mut() {
            Some(last) if last.page_type == page_type && last.encoding == encoding => {
                last.count += 1;
            }
            Some(_) | None => self.encodings.push(PageEncodingStats {
                page_type,
                encoding,
                count: 1,
            }),
        }
        Ok((at, size))
    }

    fn all_encodings(&self) -> Vec<Encoding> {
        let mut encodings = vec![Encoding::RLE];
        for stats in &self.encodings {
            if !encodings.contains(&stats.encoding) {
                encodings.push(stats.encoding);
            }
        }
        encodings
    }

    fn histogram(&self, rows: i64, nulls: i64) -> Option<LevelHistogram> {
        let mut histogram = LevelHistogram::try_new(self.column.max_def_level())?;
        histogram.increment_by(0, nulls);
        histogram.increment_by(1, rows - nulls);
        Some(histogram)
    }
}

/// Writes that all rows of a page have a value, or none has.
pub(super) fn write_same_level(rows: usize, is_present: bool, out: &mut Vec<u8>) {
    with_length(out, |out| write_run(rows, u32::from(is_present), 1, out));
}

/// Writes which rows of a page have a value: 1 stands for one.
pub(super) fn put_levels_of(rows: usize, nulls: usize, levels: &[u32], out: &mut Vec<u8>) {
    if nulls == 0 || nulls == rows {
        write_same_level(rows, nulls == 0, out);
    } else {
        with_length(out, |out| write_hybrid(levels, 1, out));
    }
}

/// Writes which rows of a page have a value.
pub(super) fn put_levels(
    rows: usize,
    nulls: usize,
    is_present: impl Iterator<Item = bool>,
    levels: &mut Vec<u32>,
    out: &mut Vec<u8>,
) {
    levels.clear();
    if nulls > 0 {
        levels.extend(is_present.map(u32::from));
    }
    put_levels_of(rows, nulls, levels, out);
}

fn with_length(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; size_of::<u32>()]);
    write(out);
    let length = u32::try_from(out.len() - at - size_of::<u32>())
        .expect("the levels of a page are far fewer");
    out[at..at + size_of::<u32>()].copy_from_slice(&length.to_le_bytes());
}

/// The statistics of a column without values.
fn empty(holds: Type, nulls: u64) -> Statistics {
    let nulls = Some(nulls);
    match holds {
        Type::BOOLEAN => Statistics::new::<bool>(None, None, None, nulls, false),
        Type::INT64 => Statistics::new::<i64>(None, None, None, nulls, false),
        Type::DOUBLE => Statistics::new::<f64>(None, None, None, nulls, false),
        _ => Statistics::new::<ByteArray>(None, None, None, nulls, false),
    }
}

/// A count as the end of a file has it.
pub(super) fn whole(count: usize) -> i64 {
    (count as u64).cast_signed()
}

/// A size as the head of a page has it.
fn small(size: usize) -> Result<i32> {
    i32::try_from(size)
        .map_err(|_| ParquetError::General(format!("a page of {size} bytes is too large")))
}
