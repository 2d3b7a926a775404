use std::collections::{BTreeMap, BTreeSet};

use assay_formats::{Kind, Tape, Value, json};
use csv::ReaderBuilder;

use super::mapping::{Mapping, TableFormat};

/// The deepest level of maps in a row that is read.
const MAX_DEPTH: usize = 8;
/// The largest table, in bytes.
pub const MAX_BYTES: usize = 256 << 20;

/// A row: the text of each column that has one and that the mapping reads. Inner keys of JSON are
/// joined by dots.
pub type TableRow = BTreeMap<String, String>;

/// A reason to refuse a table.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Larger than [`MAX_BYTES`].
    #[error("the table is larger than {} bytes", MAX_BYTES)]
    TooLarge,
    /// Another form than the mapping says.
    #[error("{0}")]
    Form(String),
    /// Columns are missing.
    #[error(
        "the table has no column {}; it has {}; name one of these in the mapping, or list the column under `optional`",
        quoted(.missing),
        quoted(.found)
    )]
    Columns {
        /// The columns that the mapping names and no row has.
        missing: Vec<String>,
        /// The columns of the table.
        found: Vec<String>,
    },
}

/// Number of columns that a message names.
const SHOWN: usize = 20;

fn quoted(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`"));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(", …");
    }
    text
}

/// The columns of a table, also those without any text, and its rows.
#[derive(Default)]
struct WholeTable {
    columns: BTreeSet<String>,
    rows: Vec<TableRow>,
}

/// Reads the rows of a table, and checks that it has the columns that the mapping names.
pub fn read_rows(mapping: &Mapping, bytes: &[u8]) -> Result<Vec<TableRow>, TableError> {
    if bytes.len() > MAX_BYTES {
        return Err(TableError::TooLarge);
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut table = match mapping.format {
        TableFormat::Csv => separated(bytes, b',')?,
        TableFormat::Tsv => separated(bytes, b'\t')?,
        TableFormat::Json => json_rows(mapping, bytes)?,
    };
    if table.rows.is_empty() {
        return Err(TableError::Form("the table has no rows".to_owned()));
    }
    let wanted: BTreeSet<&str> = mapping.columns().collect();
    let missing: BTreeSet<&str> = wanted
        .iter()
        .copied()
        .filter(|name| !table.columns.contains(*name))
        .filter(|name| !mapping.optional.iter().any(|own| own == name))
        .collect();
    if !missing.is_empty() {
        return Err(TableError::Columns {
            missing: missing.into_iter().map(str::to_owned).collect(),
            found: table.columns.into_iter().collect(),
        });
    }
    for row in &mut table.rows {
        row.retain(|name, _| wanted.contains(name.as_str()));
    }
    Ok(table.rows)
}

fn separated(bytes: &[u8], delimiter: u8) -> Result<WholeTable, TableError> {
    let failed = |error: csv::Error| TableError::Form(error.to_string());
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(bytes);
    let header = reader.headers().map_err(failed)?.clone();
    let mut table = WholeTable {
        columns: header.iter().map(|name| name.trim().to_owned()).collect(),
        rows: Vec::new(),
    };
    for record in reader.records() {
        let record = record.map_err(failed)?;
        let cells = header.iter().zip(&record);
        let cells = cells.map(|(name, cell)| (name.trim().to_owned(), cell.trim().to_owned()));
        let row = cells.filter(|(_, cell)| !cell.is_empty()).collect();
        table.rows.push(row);
    }
    Ok(table)
}

fn json_rows(mapping: &Mapping, bytes: &[u8]) -> Result<WholeTable, TableError> {
    let form = TableError::Form;
    let text = std::str::from_utf8(bytes).map_err(|error| form(error.to_string()))?;
    let mut tape = Tape::new();
    let faults = json::parse(text, &mut tape);
    let Some(root) = tape.root(text) else {
        let at = faults.first().map_or(0, |fault| fault.range.start);
        let before = text.get(..at).unwrap_or_default();
        let line = before.lines().count().max(1);
        return Err(form(format!(
            "the table is no JSON: line {line} cannot be read"
        )));
    };
    let at = |place: &str| {
        find(root, place).ok_or_else(|| form(format!("the document has nothing at `{place}`")))
    };
    let rows = at(&mapping.rows)?;
    let mut table = WholeTable::default();
    if let Some(place) = &mapping.headers {
        let headers = at(place)?.items();
        let headers: Vec<String> = headers
            .map(|name| text_of(name).unwrap_or_default())
            .collect();
        table.columns.extend(headers.iter().cloned());
        table.rows = rows.items().map(|row| listed(&headers, row)).collect();
        return Ok(table);
    }
    match (rows.kind(), &mapping.key) {
        (Kind::List, _) => rows.items().for_each(|row| table.push(row)),
        (Kind::Map, Some(key)) => {
            table.columns.insert(key.clone());
            for (name, value) in rows.entries() {
                table.push(value);
                if let Some(row) = table.rows.last_mut() {
                    row.insert(key.clone(), text_of(name).unwrap_or_default());
                }
            }
        }
        (Kind::Map, None) if mapping.rows.is_empty() => table.push(rows),
        (kind, _) => {
            let place = match mapping.rows.as_str() {
                "" => "the document".to_owned(),
                place => format!("`{place}`"),
            };
            return Err(form(format!(
                "{place} is {}, not a list of rows",
                kind.words()
            )));
        }
    }
    Ok(table)
}

/// The value at a place: keys joined by dots.
fn find<'d>(root: Value<'d>, place: &str) -> Option<Value<'d>> {
    let mut value = root;
    for key in place.split('.').filter(|key| !key.is_empty()) {
        value = value.entries().find(|(name, _)| name.is_text(key))?.1;
    }
    Some(value)
}

fn listed(headers: &[String], row: Value<'_>) -> TableRow {
    let cells = headers.iter().zip(row.items());
    cells
        .filter_map(|(name, cell)| Some((name.clone(), text_of(cell)?)))
        .collect()
}

impl WholeTable {
    /// Adds a JSON map as a row.
    fn push(&mut self, value: Value<'_>) {
        let mut row = TableRow::new();
        self.add(&mut row, "", value, 0);
        self.rows.push(row);
    }

    fn add(&mut self, row: &mut TableRow, prefix: &str, value: Value<'_>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for (key, value) in value.entries() {
            let key = text_of(key).unwrap_or_default();
            let name = if prefix.is_empty() {
                key
            } else {
                format!("{prefix}.{key}")
            };
            if value.kind() == Kind::Map {
                self.add(row, &name, value, depth + 1);
                continue;
            }
            if let Some(text) = text_of(value) {
                row.insert(name.clone(), text);
            }
            self.columns.insert(name);
        }
    }
}

/// The text of a scalar; none for nothing, blanks, lists and maps.
fn text_of(value: Value<'_>) -> Option<String> {
    let text = match value.kind() {
        Kind::Null | Kind::List | Kind::Map => return None,
        Kind::Bool | Kind::Number | Kind::String => match value.text() {
            Some(text) => text.trim().to_owned(),
            None => value.raw().trim().to_owned(),
        },
    };
    (!text.is_empty()).then_some(text)
}
