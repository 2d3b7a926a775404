use std::sync::Arc;

use assay_hub_api::{BoardRow, Cell, CellKind, Column};
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

/// Columns that every row has a value in; all others may be null.
const REQUIRED: [&str; 10] = [
    "rank",
    "model_id",
    "value",
    "metric_id",
    "task_id",
    "verified",
    "date",
    "submitter",
    "filename",
    "commit",
];

/// Writes the rows as one row group.
pub(super) fn parquet(columns: &[Column], rows: &[BoardRow]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(field).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("leaderboard").with_fields(fields);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let schema = Arc::new(schema.build()?);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in columns {
        let cells: Vec<Cell<'_>> = rows.iter().map(|row| column.value(row)).collect();
        write_column(&mut group, column, &cells)?;
    }
    group.close()?;
    file.into_inner()
}

fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let (kind, note) = match column.kind() {
        CellKind::Integer => (Physical::INT64, ConvertedType::NONE),
        CellKind::Number => (Physical::DOUBLE, ConvertedType::NONE),
        CellKind::Bool => (Physical::BOOLEAN, ConvertedType::NONE),
        CellKind::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
    };
    let repetition = if REQUIRED.contains(&column.id()) {
        Repetition::REQUIRED
    } else {
        Repetition::OPTIONAL
    };
    let field = Type::primitive_type_builder(column.id(), kind)
        .with_converted_type(note)
        .with_repetition(repetition);
    Ok(Arc::new(field.build()?))
}

fn write_column(
    group: &mut Group<'_>,
    column: &Column,
    cells: &[Cell<'_>],
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = cells
        .iter()
        .map(|cell| i16::from(*cell != Cell::Empty))
        .collect();
    let levels = (!REQUIRED.contains(&column.id())).then_some(levels.as_slice());
    match column.kind() {
        CellKind::Integer => write_values::<Int64Type>(group, cells, levels, |cell| match cell {
            Cell::Integer(number) => Some(*number),
            _ => None,
        }),
        CellKind::Number => write_values::<DoubleType>(group, cells, levels, |cell| match cell {
            Cell::Number(number) => Some(*number),
            _ => None,
        }),
        CellKind::Bool => write_values::<BoolType>(group, cells, levels, |cell| match cell {
            Cell::Bool(truth) => Some(*truth),
            _ => None,
        }),
        CellKind::Text => write_values::<ByteArrayType>(group, cells, levels, |cell| match cell {
            Cell::Text(text) => Some(ByteArray::from(text.as_bytes().to_vec())),
            _ => None,
        }),
    }
}

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

fn write_values<T: DataType>(
    group: &mut Group<'_>,
    cells: &[Cell<'_>],
    levels: Option<&[i16]>,
    value: impl Fn(&Cell<'_>) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General(
            "the schema has fewer columns".to_owned(),
        ));
    };
    let values: Vec<T::T> = cells.iter().filter_map(value).collect();
    column.typed::<T>().write_batch(&values, levels, None)?;
    column.close()
}
