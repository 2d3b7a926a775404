//! Answers in the form that was asked for.

use std::io::{self, Write};

use assay_lake::{Answer, Error};
use assay_render::visible;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::writer::{JsonArray, LineDelimited};
use datafusion::arrow::json::{ArrayWriter, LineDelimitedWriter, WriterBuilder};
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::args::AnswerFormat;

/// Number of characters of a value a table that shows; the other formats show all of it.
const MAX_CELL: usize = 120;
/// How many rows a table shows. More than that is for a program to read, and the widths of columns
/// need all rows at once.
const MAX_ROWS: usize = 10_000;

/// Number of bytes of a Parquet file that wait in memory until they are written.
const MAX_WAITING: usize = 32 << 20;
/// The same for a file that is read while it is written: what waits, waits for every reader.
const MAX_STREAMED: usize = 4 << 20;

/// What became of the rows.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct WrittenRows {
    /// How many were written.
    pub(crate) rows: usize,
    /// Whether there were more than a table shows.
    pub(crate) cut: bool,
}

/// Writes an answer as it comes.
pub(crate) async fn write<W: Write + Send>(
    answer: &mut Answer,
    format: AnswerFormat,
    to: W,
) -> Result<WrittenRows, Error> {
    let schema = answer.schema();
    // Nothing is written before the first rows are there: a question that fails must not leave a
    // header behind, which is an empty table to whoever reads it.
    let mut next = answer.next().await?;
    let mut sink = Sink::new(format, &schema, to)?;
    let mut told = WrittenRows::default();
    while let Some(batch) = next {
        told.rows += batch.num_rows();
        sink.write(&batch)?;
        if format == AnswerFormat::Table && told.rows > MAX_ROWS {
            told.cut = true;
            told.rows = MAX_ROWS;
            break;
        }
        next = answer.next().await?;
    }
    sink.finish()?;
    Ok(told)
}

/// Writes rows in one form.
pub(crate) enum Sink<W: Write + Send> {
    Table(Grid, W),
    Json(ArrayWriter<W>),
    Ndjson(LineDelimitedWriter<W>),
    Csv(Box<csv::Writer<W>>),
    Parquet(Box<ArrowWriter<W>>, usize),
}

impl<W: Write + Send> Sink<W> {
    /// Begins an answer.
    pub(crate) fn new(format: AnswerFormat, schema: &SchemaRef, to: W) -> Result<Self, Error> {
        Ok(match format {
            AnswerFormat::Table => Self::Table(Grid::new(schema), to),
            // An object without a key could mean that there is no such column, so empty values are
            // written out.
            AnswerFormat::Json => Self::Json(
                WriterBuilder::new()
                    .with_explicit_nulls(true)
                    .build::<_, JsonArray>(to),
            ),
            AnswerFormat::Ndjson => Self::Ndjson(
                WriterBuilder::new()
                    .with_explicit_nulls(true)
                    .build::<_, LineDelimited>(to),
            ),
            AnswerFormat::Csv => {
                let mut writer = csv::WriterBuilder::new().with_header(true).build(to);
                // The header is there also when no row is.
                writer.write(&RecordBatch::new_empty(schema.clone()))?;
                Self::Csv(Box::new(writer))
            }
            AnswerFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .build();
                let writer = ArrowWriter::try_new(to, schema.clone(), Some(properties))
                    .map_err(ArrowError::from)?;
                Self::Parquet(Box::new(writer), MAX_WAITING)
            }
        })
    }

    /// The same with little that waits in memory, for who reads it while it is written.
    pub(crate) fn streamed(self) -> Self {
        match self {
            Self::Parquet(writer, _) => Self::Parquet(writer, MAX_STREAMED),
            other => other,
        }
    }

    /// Writes some rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        match self {
            Self::Table(grid, _) => grid.add(batch)?,
            Self::Json(writer) => writer.write(batch)?,
            Self::Ndjson(writer) => writer.write(batch)?,
            Self::Csv(writer) => writer.write(batch)?,
            Self::Parquet(writer, most) => {
                writer.write(batch).map_err(ArrowError::from)?;
                // Rows with long texts must not wait until there are many of them.
                if writer.memory_size().max(writer.in_progress_size()) > *most {
                    writer.flush().map_err(ArrowError::from)?;
                }
            }
        }
        Ok(())
    }

    /// Ends the answer.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self {
            Self::Table(grid, mut to) => grid.print(&mut to).map_err(ArrowError::from)?,
            Self::Json(mut writer) => {
                writer.finish()?;
                writeln!(writer.into_inner()).map_err(ArrowError::from)?;
            }
            Self::Ndjson(mut writer) => writer.finish()?,
            Self::Csv(writer) => writer.into_inner().flush().map_err(ArrowError::from)?,
            Self::Parquet(writer, _) => {
                writer.close().map_err(ArrowError::from)?;
            }
        }
        Ok(())
    }
}

/// Rows as text, until all widths are known.
pub(crate) struct Grid {
    header: Vec<String>,
    /// True if a column holds numbers, which stand to the right.
    numeric: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Grid {
    fn new(schema: &SchemaRef) -> Self {
        let fields = schema.fields();
        Self {
            header: fields.iter().map(|field| visible(field.name())).collect(),
            numeric: fields
                .iter()
                .map(|field| field.data_type().is_numeric())
                .collect(),
            rows: Vec::new(),
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        let options = FormatOptions::default();
        let columns = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options))
            .collect::<Result<Vec<_>, _>>()?;
        let room = MAX_ROWS.saturating_sub(self.rows.len());
        for row in 0..batch.num_rows().min(room) {
            let cells = columns.iter().map(|column| {
                let text = column.value(row).try_to_string()?;
                Ok(cut(&visible(&text)))
            });
            self.rows.push(cells.collect::<Result<_, ArrowError>>()?);
        }
        Ok(())
    }

    fn print(&self, to: &mut impl Write) -> io::Result<()> {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells
                .chain([self.header[column].chars().count()])
                .max()
                .unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        self.print_row(&self.header, &widths, to)?;
        let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        self.print_row(&rules, &widths, to)?;
        for row in &self.rows {
            self.print_row(row, &widths, to)?;
        }
        to.flush()
    }

    fn print_row(&self, row: &[String], widths: &[usize], to: &mut impl Write) -> io::Result<()> {
        let cells = row.iter().zip(widths).zip(&self.numeric);
        let cells = cells.map(|((cell, width), numeric)| {
            if *numeric {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        writeln!(to, "{}", line.trim_end())
    }
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
