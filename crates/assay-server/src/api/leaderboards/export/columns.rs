use std::sync::Arc;

use assay_hub_api::BoardRow;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{best_rank, framework, rank_method, source_name, source_url, worst_rank};

/// The columns. A later version may add some at the end; none changes its name or type.
const SCHEMA: &str = "message leaderboard {
    required int64 rank;
    required binary model_id (UTF8);
    required double value;
    required binary metric_id (UTF8);
    required binary task_id (UTF8);
    required boolean verified;
    optional int64 pull_request;
    required binary date (UTF8);
    optional binary source_url (UTF8);
    optional binary source_name (UTF8);
    optional binary framework (UTF8);
    optional binary notes (UTF8);
    required binary submitter (UTF8);
    required binary filename (UTF8);
    required binary commit (UTF8);
    optional int64 best_rank;
    optional int64 worst_rank;
    optional binary rank_method (UTF8);
}";

/// Writes the rows as one row group.
pub(super) fn parquet(rows: &[BoardRow]) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    required::<Int64Type>(&mut group, rows, |row| number(row.rank))?;
    text(&mut group, rows, |row| row.model_id.as_str())?;
    required::<DoubleType>(&mut group, rows, |row| row.value)?;
    text(&mut group, rows, |row| row.metric_id.as_str())?;
    text(&mut group, rows, |row| row.task_id.as_str())?;
    required::<BoolType>(&mut group, rows, |row| row.verified)?;
    optional::<Int64Type>(&mut group, rows, |row| {
        row.pull_request.and_then(|num| i64::try_from(num).ok())
    })?;
    text(&mut group, rows, |row| &row.date)?;
    optional_text(&mut group, rows, source_url)?;
    optional_text(&mut group, rows, source_name)?;
    optional_text(&mut group, rows, framework)?;
    optional_text(&mut group, rows, |row| row.notes.as_deref())?;
    text(&mut group, rows, |row| &row.submitter.name)?;
    text(&mut group, rows, |row| &row.filename)?;
    required::<ByteArrayType>(&mut group, rows, |row| bytes(&row.commit.to_string()))?;
    optional::<Int64Type>(&mut group, rows, |row| best_rank(row).map(number))?;
    optional::<Int64Type>(&mut group, rows, |row| worst_rank(row).map(number))?;
    optional_text(&mut group, rows, rank_method)?;
    group.close()?;
    file.into_inner()
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn required<T: DataType>(
    group: &mut Group<'_>,
    rows: &[BoardRow],
    value: impl Fn(&BoardRow) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = rows.iter().map(value).collect();
    column::<T>(group, &values, None)
}

fn optional<T: DataType>(
    group: &mut Group<'_>,
    rows: &[BoardRow],
    value: impl Fn(&BoardRow) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    column::<T>(group, &values, Some(&levels))
}

fn text<'r>(
    group: &mut Group<'_>,
    rows: &'r [BoardRow],
    value: impl Fn(&'r BoardRow) -> &'r str,
) -> Result<(), ParquetError> {
    let values: Vec<ByteArray> = rows.iter().map(|row| bytes(value(row))).collect();
    column::<ByteArrayType>(group, &values, None)
}

fn optional_text(
    group: &mut Group<'_>,
    rows: &[BoardRow],
    value: impl Fn(&BoardRow) -> Option<&str>,
) -> Result<(), ParquetError> {
    optional::<ByteArrayType>(group, rows, |row| value(row).map(bytes))
}

fn column<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General(
            "the schema has fewer columns".to_owned(),
        ));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

fn bytes(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
