use std::fmt::Write as _;

use assay_app::{BoardRow, BoardView};
use serde_json::json;

use super::parquet_file;
use super::row::{row, submitter};

/// How a leaderboard is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The bare list that clients of a hub insist on.
    Client,
    /// A table with commas.
    Csv,
    /// The rows with what made them.
    Json,
    /// One row a line.
    Ndjson,
    /// Columns.
    Parquet,
    /// A table for a README.
    Markdown,
}

type WriteError = Box<dyn std::error::Error + Send + Sync>;

/// The columns of tables, in order.
pub(super) const COLUMNS: [&str; 15] = [
    "rank",
    "model",
    "value",
    "metric",
    "task",
    "verified",
    "pull_request",
    "date",
    "submitter",
    "source_url",
    "source_name",
    "framework",
    "file",
    "commit",
    "notes",
];

impl Format {
    /// Those that are asked for by the ending of the address.
    pub(super) const FILES: [Self; 5] = [
        Self::Csv,
        Self::Json,
        Self::Ndjson,
        Self::Parquet,
        Self::Markdown,
    ];

    /// The ending of the address.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Client | Self::Json => "json",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
            Self::Markdown => "md",
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Client | Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Ndjson => "application/x-ndjson",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::Markdown => "text/markdown; charset=utf-8",
        }
    }

    /// The bytes of a board; equal boards give equal bytes.
    pub(super) fn write(self, view: &BoardView, host: &str) -> Result<Vec<u8>, WriteError> {
        match self {
            Self::Client => Ok(serde_json::to_vec(&rows(view, host))?),
            Self::Json => Ok(serde_json::to_vec(&json!({
                "benchmark": view.benchmark_id,
                "name": view.benchmark.name,
                "revision": view.revision,
                "task": view.task,
                "metric": view.metric,
                "policy": view.policy,
                "asOf": view.as_of,
                "total": view.total,
                "rows": rows(view, host),
            }))?),
            Self::Ndjson => {
                let mut bytes = Vec::new();
                for row in rows(view, host) {
                    serde_json::to_writer(&mut bytes, &row)?;
                    bytes.push(b'\n');
                }
                Ok(bytes)
            }
            Self::Csv => csv(view),
            Self::Parquet => parquet_file::write(view),
            Self::Markdown => Ok(markdown(view).into_bytes()),
        }
    }
}

fn rows(view: &BoardView, host: &str) -> Vec<assay_formats::hub_api::BoardRow> {
    view.rows.iter().map(|own| row(view, own, host)).collect()
}

fn csv(view: &BoardView) -> Result<Vec<u8>, WriteError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in &view.rows {
        writer.write_record(cells(view, row))?;
    }
    Ok(writer.into_inner()?)
}

/// The cells of a row as text, in the order of [`COLUMNS`].
fn cells(view: &BoardView, row: &BoardRow) -> [String; COLUMNS.len()] {
    let result = &row.result;
    [
        row.rank.to_string(),
        result.model.to_string(),
        row.value.to_string(),
        view.metric.to_string(),
        view.task.to_string(),
        result.standing.is_verified().to_string(),
        result.pull.map(|num| num.to_string()).unwrap_or_default(),
        result.date.clone(),
        submitter(result).to_owned(),
        result.source_url.clone().unwrap_or_default(),
        result.source_name.clone().unwrap_or_default(),
        framework(row).unwrap_or_default(),
        result.file.clone(),
        result.commit.to_string(),
        result.notes.clone().unwrap_or_default(),
    ]
}

/// The framework with its version.
pub(super) fn framework(row: &BoardRow) -> Option<String> {
    let written = row.result.data.get("framework")?;
    let name = written.get("name")?.as_str()?;
    Some(match written.get("version").and_then(|own| own.as_str()) {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    })
}

fn markdown(view: &BoardView) -> String {
    let mut text = format!(
        "# {}\n\nTask `{}`, metric `{}`, policy `{}`, revision `{}`.\n\n",
        cell(&view.benchmark.name),
        view.task,
        view.metric,
        view.policy,
        view.revision
    );
    text.push_str("| Rank | Model | Value | Standing | Date | Source |\n");
    text.push_str("| ---: | --- | ---: | --- | --- | --- |\n");
    for row in &view.rows {
        let result = &row.result;
        let standing = match (result.standing.is_verified(), result.pull) {
            (true, _) => "verified".to_owned(),
            (false, Some(num)) => format!("community (#{num})"),
            (false, None) => "unverified".to_owned(),
        };
        let source = result.source_url.as_deref().unwrap_or_default();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {standing} | {} | {} |",
            row.rank,
            cell(result.model.as_str()),
            row.value,
            cell(&result.date),
            cell(source),
        );
    }
    text
}

/// A text that stays in its cell and means nothing there.
fn cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '\\' | '`' | '<' | '[' | ']' | '*' => {
                cell.push('\\');
                cell.push(character);
            }
            _ if character.is_control() => cell.push(' '),
            _ => cell.push(character),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_of_markdown_holds_any_text() {
        assert_eq!(cell("a|b\n<b>[x](y)`"), "a\\|b \\<b>\\[x\\](y)\\`");
        assert_eq!(cell("alice/small"), "alice/small");
    }
}
