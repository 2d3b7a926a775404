//! One stretch of rows that is written column by column.

use std::io::Write as _;

use parquet::basic::Encoding;
use parquet::errors::Result;
use parquet::file::metadata::RowGroupMetaData;

use super::Sheet;
use super::bounds::Bounds;
use super::chunk::{Chunk, Page, Written, whole, write_same_level};
use super::codec::{Codec, Press};
use super::hybrid::write_run;
use super::numbers::Dictionary;
use super::texts::put_text;
use crate::batch::Cell;
use crate::table::ColumnType;
use crate::writer::{PAGE_ROWS, has_bounds};

/// The number that stands for no value among places in a list.
pub(crate) const NONE: u32 = u32::MAX;

/// Memory that one stretch of rows after another is written in.
pub(crate) struct Desk {
    press: Press,
    scratch: Scratch,
}

/// What a column is put together in.
#[derive(Default)]
pub(super) struct Scratch {
    /// How many rows a page has at most.
    pub(super) page_rows: usize,
    pub(super) body: Vec<u8>,
    pub(super) places: Vec<u32>,
    pub(super) levels: Vec<u32>,
    pub(super) dictionary: Dictionary,
}

/// A stretch of rows that is being written. Its columns come in the order of the table.
pub(crate) struct Group<'w> {
    sheet: &'w mut Sheet,
    desk: &'w mut Desk,
    rows: usize,
    /// Where it begins in the file.
    at: i64,
    written: Vec<Written>,
    /// Copies of columns, while they are wanted.
    copies: Option<Vec<Copied>>,
}

/// A column as it was written, to be written again.
pub(crate) struct Copied {
    bytes: Vec<u8>,
    written: Written,
}

impl Copied {
    /// How much memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

impl Desk {
    /// Nothing lies on it.
    pub(crate) fn new() -> std::io::Result<Self> {
        Self::with_pages_of(PAGE_ROWS)
    }

    /// Pages will have so many rows at most.
    pub(crate) fn with_pages_of(page_rows: usize) -> std::io::Result<Self> {
        Ok(Self {
            press: Press::new()?,
            scratch: Scratch {
                page_rows,
                ..Scratch::default()
            },
        })
    }
}

impl<'w> Group<'w> {
    pub(super) fn new(sheet: &'w mut Sheet, desk: &'w mut Desk, rows: usize) -> Self {
        Self {
            at: sheet.bytes.cast_signed(),
            sheet,
            desk,
            rows,
            written: Vec::new(),
            copies: None,
        }
    }

    /// Writes columns, and keeps a copy of each.
    pub(crate) fn copied(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<Vec<Copied>> {
        self.copies = Some(Vec::new());
        let written = write(self);
        let copies = self.copies.take().unwrap_or_default();
        written.map(|()| copies)
    }

    /// Writes columns again that were written into another stretch of as many rows.
    pub(crate) fn again(&mut self, columns: &[Copied]) -> Result<()> {
        for column in columns {
            debug_assert_eq!(
                column.written.metadata.num_values(),
                whole(self.rows),
                "a column has as many rows as its stretch"
            );
            self.written
                .push(column.written.moved_to(self.sheet.bytes)?);
            self.sheet.file.write_all(&column.bytes)?;
            self.sheet.bytes += column.bytes.len() as u64;
        }
        Ok(())
    }

    /// A column that has one value in all rows. It costs the same for one row and for all of them.
    pub(crate) fn same(&mut self, cell: Cell<'_>) -> Result<()> {
        let rows = self.rows;
        self.column(Codec::Bare, |chunk, scratch| {
            let (mut value, bounds) = (Vec::new(), Bounds::of_cell(cell));
            let body = &mut scratch.body;
            body.clear();
            if chunk.is_nullable() {
                write_same_level(rows, bounds.is_some(), body);
            }
            match cell {
                Cell::Text(Some(text)) => put_text(text.as_bytes(), &mut value),
                Cell::Number(Some(number)) => value.extend_from_slice(&number.to_le_bytes()),
                Cell::Integer(Some(number)) | Cell::Moment(Some(number)) => {
                    value.extend_from_slice(&number.to_le_bytes());
                }
                // The format has no lists of these.
                Cell::Truth(Some(truth)) => {
                    let byte = if truth { u8::MAX } else { 0 };
                    body.resize(body.len() + rows.div_ceil(8), byte);
                }
                Cell::Text(None)
                | Cell::Number(None)
                | Cell::Integer(None)
                | Cell::Moment(None)
                | Cell::Truth(None) => {}
            }
            let mut encoding = Encoding::PLAIN;
            if !value.is_empty() {
                encoding = Encoding::RLE_DICTIONARY;
                chunk.dictionary(&value, 1)?;
                body.push(0);
                write_run(rows, 0, 0, body);
            }
            chunk.page(Page {
                body,
                rows,
                nulls: if bounds.is_some() { 0 } else { rows },
                encoding,
                bounds,
            })
        })
    }

    /// Ends the stretch.
    pub(crate) fn finish(self) -> Result<()> {
        let mut group = RowGroupMetaData::builder(self.sheet.schema.clone())
            .set_num_rows(whole(self.rows))
            .set_file_offset(self.at);
        if let Ok(ordinal) = i16::try_from(self.sheet.groups.len()) {
            group = group.set_ordinal(ordinal);
        }
        let (mut column_indexes, mut offset_indexes, mut bytes) = (vec![], vec![], 0);
        for column in self.written {
            bytes += column.metadata.uncompressed_size();
            group = group.add_column_metadata(column.metadata);
            column_indexes.push(column.column_index);
            offset_indexes.push(column.offset_index);
        }
        self.sheet
            .groups
            .push(group.set_total_byte_size(bytes).build()?);
        self.sheet.column_indexes.push(column_indexes);
        self.sheet.offset_indexes.push(offset_indexes);
        self.sheet.rows += self.rows as u64;
        Ok(())
    }

    /// What the next column holds.
    pub(crate) fn holds(&self) -> ColumnType {
        let (_, holds, _) = self.sheet.table().columns()[self.written.len()];
        holds
    }

    /// Where different numbers are told apart.
    pub(super) fn dictionary(&mut self) -> &mut Dictionary {
        &mut self.desk.scratch.dictionary
    }

    /// Writes the next column.
    pub(super) fn column(
        &mut self,
        codec: Codec,
        write: impl FnOnce(&mut Chunk<'_>, &mut Scratch) -> Result<()>,
    ) -> Result<()> {
        let table = self.sheet.table();
        let number = self.written.len();
        let (name, ..) = table.columns()[number];
        let mut chunk = Chunk::new(
            (&mut self.sheet.file, &mut self.sheet.bytes),
            &mut self.desk.press,
            codec,
            self.sheet.schema.column(number),
            has_bounds(table, name),
        );
        if self.copies.is_some() {
            chunk.keep_copy();
        }
        write(&mut chunk, &mut self.desk.scratch)?;
        let (written, bytes) = chunk.finish()?;
        if let Some(copies) = &mut self.copies {
            copies.push(Copied {
                bytes: bytes.unwrap_or_default(),
                written: written.clone(),
            });
        }
        self.written.push(written);
        Ok(())
    }
}
