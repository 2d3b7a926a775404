//! Answers on their way out: complete before they are sent, or as they are made.

use std::io::{self, BufWriter, Seek as _, Write};
use std::sync::{Arc, Mutex, PoisonError};

use assay_cli::complain;
use assay_formats::lake_api::{Ask, Format, ROWS_HEADER, TRUNCATED_HEADER};
use assay_lake::{Answer, Engine, Error};
use assay_model::chain;
use assay_render::visible;
use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderValue, Response};
use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::io::ReaderStream;

use super::refuse::Refused;
use crate::args::AnswerFormat;
use crate::output::Sink;

/// Number of pieces of an that answer are made before somebody takes them.
const PIECES_AHEAD: usize = 2;

/// How much of an answer there is.
#[derive(Debug, Default, Clone, Copy)]
struct Extent {
    rows: usize,
    truncated: bool,
}

/// Sends an answer when it is complete, with its extent in the headers.
pub(super) async fn whole(
    engine: Engine,
    mut answer: Answer,
    ask: &Ask,
) -> Result<Response<Body>, Refused> {
    let mut spool = Spool::new(ask.budget.bytes).map_err(|error| Refused::ours(&error))?;
    let extent = match fill(&mut answer, ask, &mut spool).await {
        Ok(extent) => extent,
        Err(_) if spool.is_full => return Err(Refused::size(ask.budget.bytes)),
        Err(error) => return Err(error.into()),
    };
    drop((answer, engine));
    let (file, bytes) = spool.finish().map_err(|error| Refused::ours(&error))?;
    let body = Body::from_stream(ReaderStream::new(tokio::fs::File::from_std(file)));
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static(ask.format.media_type()),
    );
    headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes));
    headers.insert(ROWS_HEADER, HeaderValue::from(extent.rows));
    let truncated = if extent.truncated { "true" } else { "false" };
    headers.insert(TRUNCATED_HEADER, HeaderValue::from_static(truncated));
    Ok(response)
}

/// Sends an answer as it is made. One that fails on the way breaks off, so that half of it is not
/// taken for all.
pub(super) fn stream(engine: Engine, mut answer: Answer, ask: &Ask) -> Response<Body> {
    let (format, most) = (ask.format, ask.budget.rows);
    let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(PIECES_AHEAD);
    tokio::spawn(async move {
        let poured = pour(&mut answer, format, most, &sender).await;
        if let Err(error) = poured {
            complain(&visible(&chain(&error)));
            let _ = sender.send(Err(io::Error::other("broken off"))).await;
        }
        drop(engine);
    });
    let pieces = stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    response
}

async fn fill(answer: &mut Answer, ask: &Ask, spool: &mut Spool) -> Result<Extent, Error> {
    let schema = answer.schema();
    begin(ask.format, &schema, spool)?;
    let mut sink = Sink::new(form(ask.format), &schema, &mut *spool)?;
    let mut extent = Extent::default();
    while let Some(batch) = answer.next().await? {
        sink.write(&extent.admit(&batch, ask.budget.rows))?;
        if extent.truncated {
            break;
        }
    }
    sink.finish()?;
    end(ask.format, extent, spool)?;
    Ok(extent)
}

async fn pour(
    answer: &mut Answer,
    format: Format,
    most: usize,
    sender: &mpsc::Sender<io::Result<Bytes>>,
) -> Result<(), Error> {
    let schema = answer.schema();
    let mut waiting = Waiting::default();
    begin(format, &schema, &mut waiting)?;
    let mut sink = Sink::new(form(format), &schema, waiting.clone())?.streamed();
    let mut extent = Extent::default();
    while let Some(batch) = answer.next().await? {
        sink.write(&extent.admit(&batch, most))?;
        let piece = waiting.take();
        // Nobody listens any more: that is the end, and no fault.
        if !piece.is_empty() && sender.send(Ok(piece)).await.is_err() {
            return Ok(());
        }
        if extent.truncated {
            break;
        }
    }
    sink.finish()?;
    end(format, extent, &mut waiting)?;
    let _ = sender.send(Ok(waiting.take())).await;
    Ok(())
}

impl Extent {
    /// Counts rows, and returns those that are within the budget.
    fn admit(&mut self, batch: &RecordBatch, most: usize) -> RecordBatch {
        let room = most.saturating_sub(self.rows);
        self.truncated = batch.num_rows() > room;
        let admitted = batch.slice(0, batch.num_rows().min(room));
        self.rows += admitted.num_rows();
        admitted
    }
}

/// What stands before the rows: in JSON, the columns.
fn begin(format: Format, schema: &SchemaRef, to: &mut impl Write) -> Result<(), Error> {
    if format != Format::Json {
        return Ok(());
    }
    let columns: Vec<Value> = schema
        .fields()
        .iter()
        .map(|field| json!({ "name": field.name(), "type": kind(field.data_type()) }))
        .collect();
    write!(to, "{{\"columns\":{},\"rows\":", Value::from(columns)).map_err(written)
}

/// What stands behind the rows: in JSON, whether there are more.
fn end(format: Format, extent: Extent, to: &mut impl Write) -> Result<(), Error> {
    match format {
        Format::Json => writeln!(to, ",\"truncated\":{}}}", extent.truncated).map_err(written),
        Format::Ndjson | Format::Csv | Format::Parquet => Ok(()),
    }
}

fn written(error: io::Error) -> Error {
    Error::Arrow(error.into())
}

fn form(format: Format) -> AnswerFormat {
    match format {
        Format::Json => AnswerFormat::Json,
        Format::Ndjson => AnswerFormat::Ndjson,
        Format::Csv => AnswerFormat::Csv,
        Format::Parquet => AnswerFormat::Parquet,
    }
}

/// What a column holds, in a word that readers of JSON know.
fn kind(holds: &DataType) -> &'static str {
    match holds {
        DataType::Boolean => "boolean",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text",
        DataType::Timestamp(..) | DataType::Date32 | DataType::Date64 => "moment",
        holds if holds.is_integer() => "integer",
        holds if holds.is_numeric() => "number",
        _ => "other",
    }
}

/// A file without a name that holds an answer until it is complete.
struct Spool {
    file: BufWriter<std::fs::File>,
    left: u64,
    is_full: bool,
}

impl Spool {
    fn new(most: u64) -> io::Result<Self> {
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile()?),
            left: most,
            is_full: false,
        })
    }

    fn finish(self) -> io::Result<(std::fs::File, u64)> {
        let mut file = self
            .file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let bytes = file.stream_position()?;
        file.rewind()?;
        Ok((file, bytes))
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            self.is_full = true;
            return Err(io::Error::other("the answer is too large"));
        };
        let written = self.file.write(bytes)?;
        self.left = left;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Bytes that were made and not sent yet.
#[derive(Debug, Clone, Default)]
struct Waiting(Arc<Mutex<Vec<u8>>>);

impl Waiting {
    fn take(&self) -> Bytes {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Bytes::from(std::mem::take(&mut *bytes))
    }
}

impl Write for Waiting {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
