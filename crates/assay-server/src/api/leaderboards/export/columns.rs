use std::sync::Arc;

use assay_hub_api::{BOARD_COLUMNS, BoardColumn, BoardRow, Cell, CellKind};
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

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
pub(super) fn parquet(rows: &[BoardRow]) -> Result<Vec<u8>, ParquetError> {
    let schema = Arc::new(parse_message_type(&schema())?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    for column in &BOARD_COLUMNS {
        let cells: Vec<Cell<'_>> = rows.iter().map(|row| (column.value)(row)).collect();
        write_column(&mut group, column, &cells)?;
    }
    group.close()?;
    file.into_inner()
}

fn schema() -> String {
    let fields = BOARD_COLUMNS.iter().map(|column| {
        let needed = if REQUIRED.contains(&column.id) {
            "required"
        } else {
            "optional"
        };
        let (kind, note) = match column.kind {
            CellKind::Integer => ("int64", ""),
            CellKind::Number => ("double", ""),
            CellKind::Bool => ("boolean", ""),
            CellKind::Text => ("binary", " (UTF8)"),
        };
        format!("{needed} {kind} {}{note};\n", column.id)
    });
    format!("message leaderboard {{\n{}}}", fields.collect::<String>())
}

fn write_column(
    group: &mut Group<'_>,
    column: &BoardColumn,
    cells: &[Cell<'_>],
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = cells
        .iter()
        .map(|cell| i16::from(*cell != Cell::Empty))
        .collect();
    let levels = (!REQUIRED.contains(&column.id)).then_some(levels.as_slice());
    match column.kind {
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
