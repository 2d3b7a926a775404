//! A leaderboard as a file: for spreadsheets, scripts, columns and documents.

mod columns;
mod latex;

use std::error::Error;
use std::fmt::Write as _;

use assay_app::BoardView;
use assay_hub_api::{BoardRow, Cell, Column, Digits, MetricColumn};
use bytes::Bytes;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The array that clients read.
    Client,
    /// The same, as a file.
    Json,
    /// One row a line.
    Lines,
    /// For spreadsheets.
    Csv,
    /// For columns.
    Parquet,
    /// For documents.
    Markdown,
    /// For papers.
    Latex,
}

impl Form {
    /// Those that are files.
    pub(super) const FILES: [Self; 6] = [
        Self::Csv,
        Self::Json,
        Self::Latex,
        Self::Lines,
        Self::Markdown,
        Self::Parquet,
    ];

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Client | Self::Json => "application/json",
            Self::Lines => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Latex => "application/x-tex; charset=utf-8",
        }
    }

    /// The ending of the file that a browser saves it as; none for what is not a file.
    pub(super) fn suffix(self) -> Option<&'static str> {
        match self {
            Self::Client => None,
            Self::Json => Some("json"),
            Self::Lines => Some("ndjson"),
            Self::Csv => Some("csv"),
            Self::Parquet => Some("parquet"),
            Self::Markdown => Some("md"),
            Self::Latex => Some("tex"),
        }
    }
}

/// Writes the rows.
pub(super) fn write(
    view: &BoardView,
    rows: &[BoardRow],
    form: Form,
) -> Result<Bytes, Box<dyn Error + Send + Sync>> {
    Ok(match form {
        Form::Client | Form::Json => serde_json::to_vec(rows)?.into(),
        Form::Lines => lines(rows)?.into(),
        Form::Csv => csv(&Column::for_files(metrics(view), rows), rows)?.into(),
        Form::Parquet => columns::parquet(&Column::for_files(metrics(view), rows), rows)?.into(),
        Form::Markdown => markdown(&Column::for_document(metrics(view), rows), rows).into(),
        Form::Latex => latex::write(view, metrics(view), rows).into(),
    })
}

fn lines(rows: &[BoardRow]) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut text, row)?;
        text.push(b'\n');
    }
    Ok(text)
}

/// The metrics of the benchmark as columns.
fn metrics(view: &BoardView) -> Vec<MetricColumn> {
    let all = view.benchmark.metrics.iter();
    all.map(|metric| MetricColumn::from_metric(metric, &view.metric))
        .collect()
}

fn csv(columns: &[Column], rows: &[BoardRow]) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.iter().map(|column| inert(column.id())))?;
    for row in rows {
        let cells = columns.iter().map(|column| match column.value(row) {
            Cell::Text(text) => inert(&text),
            cell => cell.into_text().into_owned(),
        });
        writer.write_record(cells)?;
    }
    Ok(writer.into_inner()?)
}

/// A cell that a spreadsheet does not take for a formula.
fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        return format!("'{text}");
    }
    text.to_owned()
}

/// A table for documents.
fn markdown(columns: &[Column], rows: &[BoardRow]) -> String {
    let mut text = String::new();
    let headings: Vec<String> = columns
        .iter()
        .map(heading)
        .map(|text| escaped(&text))
        .collect();
    let rules: Vec<&str> = columns
        .iter()
        .map(|column| if column.is_number() { "---:" } else { "---" })
        .collect();
    let digits: Vec<Digits> = columns.iter().map(|column| column.digits(rows)).collect();
    write_line(&mut text, &format!(" {} ", headings.join(" | ")));
    write_line(&mut text, &rules.join("|"));
    for row in rows {
        let cells: Vec<String> = columns
            .iter()
            .zip(&digits)
            .map(|(column, digits)| escaped(&column.text(row, *digits)))
            .collect();
        write_line(&mut text, &format!(" {} ", cells.join(" | ")));
    }
    text
}

/// The heading of a column, with its unit.
fn heading(column: &Column) -> String {
    match column {
        Column::Metric(metric) if !metric.unit_sign().is_empty() => {
            format!("{} ({})", metric.heading, metric.unit_sign())
        }
        Column::Metric(_) | Column::Fixed(_) | Column::Setup { .. } => column.heading().to_owned(),
    }
}

fn write_line(text: &mut String, line: &str) {
    writeln!(text, "|{line}|").expect("a text can always be written to");
}

/// Returns text that Markdown takes for nothing but text. What could be HTML is written as
/// entities: they stay text also where a reader takes Markdown for HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => {
                safe.push('\\');
                safe.push(character);
            }
            _ if character.is_control() => safe.push(' '),
            _ => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_looks_like_a_formula_is_made_text() {
        assert_eq!(inert("=HYPERLINK(\"x\")"), "'=HYPERLINK(\"x\")");
        assert_eq!(inert("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(inert("no tools"), "no tools");
    }

    #[test]
    fn a_name_cannot_break_a_row_of_a_document() {
        assert_eq!(escaped("a|b\n[x](y)"), "a\\|b \\[x\\](y)");
        assert_eq!(
            escaped("<img src=x onerror=\"alert(1)\"> & `b`"),
            "&lt;img src=x onerror=&quot;alert(1)&quot;&gt; &amp; \\`b\\`"
        );
    }
}
