use std::sync::Arc;

use assay_app::{BoardRow, BoardView};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::format::framework;
use super::row::submitter;

/// The columns: what must be there is required, what may be absent is optional.
const SCHEMA: &str = "message leaderboard {
    required int64 rank;
    required binary model (utf8);
    required double value;
    required binary metric (utf8);
    required binary task (utf8);
    required boolean verified;
    optional int64 pull_request;
    required binary date (utf8);
    required binary submitter (utf8);
    optional binary source_url (utf8);
    optional binary source_name (utf8);
    optional binary framework (utf8);
    required binary file (utf8);
    required binary commit (utf8);
    optional binary notes (utf8);
}";

type WriteError = Box<dyn std::error::Error + Send + Sync>;
type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

/// The bytes of a board as columns.
pub(super) fn write(view: &BoardView) -> Result<Vec<u8>, WriteError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by("assay".to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    columns(view, &mut group)?;
    group.close()?;
    Ok(writer.into_inner()?)
}

fn columns(view: &BoardView, group: &mut Group<'_>) -> Result<(), WriteError> {
    let rows = &view.rows;
    let ranks = rows
        .iter()
        .map(|row| i64::try_from(row.rank).unwrap_or(i64::MAX));
    let ranks: Vec<i64> = ranks.collect();
    let values: Vec<f64> = rows.iter().map(|row| row.value).collect();
    let verified: Vec<bool> = rows
        .iter()
        .map(|row| row.result.standing.is_verified())
        .collect();
    let pulls: Vec<Option<i64>> = rows.iter().map(|row| row.result.pull).collect();

    numbers(group, &ranks)?;
    texts(group, rows, |row| row.result.model.to_string())?;
    let mut column = group.next_column()?.ok_or("a column is missing")?;
    column
        .typed::<DoubleType>()
        .write_batch(&values, None, None)?;
    column.close()?;
    texts(group, rows, |_| view.metric.to_string())?;
    texts(group, rows, |_| view.task.to_string())?;
    let mut column = group.next_column()?.ok_or("a column is missing")?;
    column
        .typed::<BoolType>()
        .write_batch(&verified, None, None)?;
    column.close()?;
    optional_numbers(group, &pulls)?;
    texts(group, rows, |row| row.result.date.clone())?;
    texts(group, rows, |row| submitter(&row.result).to_owned())?;
    optional_texts(group, rows, |row| row.result.source_url.clone())?;
    optional_texts(group, rows, |row| row.result.source_name.clone())?;
    optional_texts(group, rows, framework)?;
    texts(group, rows, |row| row.result.file.clone())?;
    texts(group, rows, |row| row.result.commit.to_string())?;
    optional_texts(group, rows, |row| row.result.notes.clone())
}

fn numbers(group: &mut Group<'_>, values: &[i64]) -> Result<(), WriteError> {
    let mut column = group.next_column()?.ok_or("a column is missing")?;
    column
        .typed::<Int64Type>()
        .write_batch(values, None, None)?;
    Ok(column.close()?)
}

fn optional_numbers(group: &mut Group<'_>, values: &[Option<i64>]) -> Result<(), WriteError> {
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let present: Vec<i64> = values.iter().copied().flatten().collect();
    let mut column = group.next_column()?.ok_or("a column is missing")?;
    column
        .typed::<Int64Type>()
        .write_batch(&present, Some(&levels), None)?;
    Ok(column.close()?)
}

fn texts(
    group: &mut Group<'_>,
    rows: &[BoardRow],
    cell: impl Fn(&BoardRow) -> String,
) -> Result<(), WriteError> {
    let values: Vec<ByteArray> = rows
        .iter()
        .map(|row| ByteArray::from(cell(row).into_bytes()))
        .collect();
    let mut column = group.next_column()?.ok_or("a column is missing")?;
    column
        .typed::<ByteArrayType>()
        .write_batch(&values, None, None)?;
    Ok(column.close()?)
}

fn optional_texts(
    group: &mut Group<'_>,
    rows: &[BoardRow],
    cell: impl Fn(&BoardRow) -> Option<String>,
) -> Result<(), WriteError> {
    let cells: Vec<Option<String>> = rows.iter().map(cell).collect();
    let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
    let present: Vec<ByteArray> = cells
        .into_iter()
        .flatten()
        .map(|text| ByteArray::from(text.into_bytes()))
        .collect();
    let mut column = group.next_column()?.ok_or("a column is missing")?;
    column
        .typed::<ByteArrayType>()
        .write_batch(&present, Some(&levels), None)?;
    Ok(column.close()?)
}
