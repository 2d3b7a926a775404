//! A leaderboard as a file: for spreadsheets, scripts, columns and documents.

mod columns;

use std::error::Error;
use std::fmt::Write as _;

use assay_app::BoardView;
use assay_hub_api::BoardRow;
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
}

impl Form {
    /// Those that are files.
    pub(super) const FILES: [Self; 5] = [
        Self::Csv,
        Self::Json,
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
        Form::Csv => csv(rows)?.into(),
        Form::Parquet => columns::parquet(rows)?.into(),
        Form::Markdown => markdown(view, rows).into(),
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

/// The columns of a spreadsheet and of Parquet, in order.
const COLUMNS: [&str; 18] = [
    "rank",
    "model_id",
    "value",
    "metric_id",
    "task_id",
    "verified",
    "pull_request",
    "date",
    "source_url",
    "source_name",
    "framework",
    "notes",
    "submitter",
    "filename",
    "commit",
    "best_rank",
    "worst_rank",
    "rank_method",
];

fn csv(rows: &[BoardRow]) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS)?;
    for row in rows {
        writer.write_record([
            row.rank.to_string(),
            row.model_id.to_string(),
            row.value.to_string(),
            inert(row.metric_id.as_str()),
            inert(row.task_id.as_str()),
            row.verified.to_string(),
            row.pull_request
                .map(|num| num.to_string())
                .unwrap_or_default(),
            inert(&row.date),
            inert(source_url(row).unwrap_or_default()),
            inert(source_name(row).unwrap_or_default()),
            inert(framework(row).unwrap_or_default()),
            inert(row.notes.as_deref().unwrap_or_default()),
            inert(&row.submitter.name),
            inert(&row.filename),
            row.commit.to_string(),
            best_rank(row)
                .map(|rank| rank.to_string())
                .unwrap_or_default(),
            worst_rank(row)
                .map(|rank| rank.to_string())
                .unwrap_or_default(),
            rank_method(row).unwrap_or_default().to_owned(),
        ])?;
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

fn markdown(view: &BoardView, rows: &[BoardRow]) -> String {
    let mut text = format!(
        "| rank | model | {} | standing | date | source | rank interval |\n|---:|---|---:|---|---|---|---:|\n",
        escaped(view.metric.as_str())
    );
    for row in rows {
        let standing = match (row.verified, row.pull_request) {
            (true, _) => "verified".to_owned(),
            (false, Some(num)) => format!("community (#{num})"),
            (false, None) => "unverified".to_owned(),
        };
        writeln!(
            text,
            "| {} | {} | {} | {standing} | {} | {} | {} |",
            row.rank,
            escaped(row.model_id.as_str()),
            row.value,
            escaped(&row.date),
            escaped(source_name(row).or(source_url(row)).unwrap_or_default()),
            rank_interval(row),
        )
        .expect("a text can always be written to");
    }
    text
}

/// Returns text that Markdown takes for nothing but text. What could be HTML is written as entities: they stay text also
/// where a reader takes Markdown for HTML.
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

/// Between which ranks a row lies, in words; empty when that is not known.
fn rank_interval(row: &BoardRow) -> String {
    let found = row.rank_interval.as_ref();
    found.map_or_else(String::new, |found| {
        format!("{} to {}", found.best, found.worst)
    })
}

fn best_rank(row: &BoardRow) -> Option<usize> {
    row.rank_interval.as_ref().map(|found| found.best)
}

fn worst_rank(row: &BoardRow) -> Option<usize> {
    row.rank_interval.as_ref().map(|found| found.worst)
}

fn rank_method(row: &BoardRow) -> Option<&str> {
    row.rank_interval
        .as_ref()
        .map(|found| found.method.as_ref())
}

fn source_url(row: &BoardRow) -> Option<&str> {
    row.source.as_ref().map(|source| source.url.as_str())
}

fn source_name(row: &BoardRow) -> Option<&str> {
    row.source.as_ref()?.name.as_deref()
}

fn framework(row: &BoardRow) -> Option<&str> {
    row.framework.as_ref()?.name.as_deref()
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
