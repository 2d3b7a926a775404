//! A view of a matrix as a file: every row that it has, in its order.

use std::fmt::Write as _;

use super::table::{Matrix, MatrixColumn, MatrixRow};

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Csv,
    Markdown,
    Latex,
}

impl Format {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Csv, Self::Markdown, Self::Latex];

    /// Returns the format of this name in an address.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }

    /// The name in an address, which ends the name of the file as well.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Markdown => "md",
            Self::Latex => "tex",
        }
    }

    /// The name for people.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Markdown => "Markdown",
            Self::Latex => "LaTeX",
        }
    }

    /// The type of the content.
    pub(super) const fn content_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Latex => "text/x-tex; charset=utf-8",
        }
    }
}

/// Writes rows of a matrix.
pub(super) fn text(
    matrix: &Matrix,
    rows: &[usize],
    format: Format,
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    match format {
        Format::Csv => csv(matrix, rows),
        Format::Markdown => Ok(markdown(matrix, rows)),
        Format::Latex => Ok(latex(matrix, rows)),
    }
}

/// Rank, model and aggregate of a row, and its cells with whether each is the best of its column.
fn cells(matrix: &Matrix, row: &MatrixRow) -> ([String; 3], Vec<(String, bool)>) {
    let first = [
        row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
        row.model.to_string(),
        row.aggregate
            .map(|found| format!("{:.1}", found.value))
            .unwrap_or_default(),
    ];
    let cells = matrix.columns.iter().zip(&row.cells).map(|(column, cell)| {
        let text = cell.map(|cell| column.digits.written(cell.value));
        let is_best = cell.is_some_and(|cell| !cell.is_doubtful && is_best(column, cell.value));
        (text.unwrap_or_default(), is_best)
    });
    (first, cells.collect())
}

fn is_best(column: &MatrixColumn, value: f64) -> bool {
    column
        .best
        .is_some_and(|best| best.total_cmp(&value).is_eq())
}

fn markdown(matrix: &Matrix, rows: &[usize]) -> String {
    let plain = |text: &str| text.replace('|', "\\|").replace(['\r', '\n'], " ");
    let mut text = "| Rank | Model | Aggregate |".to_owned();
    for column in &matrix.columns {
        let _ = write!(text, " {} |", plain(&column.name));
    }
    text.push_str("\n| ---: | :--- | ---: |");
    text.push_str(&" ---: |".repeat(matrix.columns.len()));
    text.push('\n');
    for row in rows {
        let (first, cells) = cells(matrix, &matrix.rows[*row]);
        let _ = write!(text, "| {} |", first.map(|one| plain(&one)).join(" | "));
        for (cell, is_best) in cells {
            let _ = if is_best {
                write!(text, " **{cell}** |")
            } else {
                write!(text, " {cell} |")
            };
        }
        text.push('\n');
    }
    text
}

fn latex(matrix: &Matrix, rows: &[usize]) -> String {
    let mut text = "% Needs \\usepackage{booktabs}.\n\\begin{tabular}{rlr".to_owned();
    text.push_str(&"r".repeat(matrix.columns.len()));
    text.push_str("}\n\\toprule\nRank & Model & Aggregate");
    for column in &matrix.columns {
        let _ = write!(text, " & {}", escape_latex(&column.name));
    }
    text.push_str(" \\\\\n\\midrule\n");
    for row in rows {
        let (first, cells) = cells(matrix, &matrix.rows[*row]);
        text.push_str(&first.map(|one| escape_latex(&one)).join(" & "));
        for (cell, is_best) in cells {
            let cell = escape_latex(&cell);
            let _ = if is_best {
                write!(text, " & \\textbf{{{cell}}}")
            } else {
                write!(text, " & {cell}")
            };
        }
        text.push_str(" \\\\\n");
    }
    text.push_str("\\bottomrule\n\\end{tabular}\n");
    text
}

/// Escapes a text so that nothing in it is a command of LaTeX.
pub(in crate::web) fn escape_latex(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' => found.push_str("\\textbackslash{}"),
            '~' => found.push_str("\\textasciitilde{}"),
            '^' => found.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                found.push('\\');
                found.push(letter);
            }
            letter if letter.is_control() => found.push(' '),
            letter => found.push(letter),
        }
    }
    found
}

fn csv(
    matrix: &Matrix,
    rows: &[usize],
) -> Result<String, Box<dyn std::error::Error + Send + Sync>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let first = ["rank", "model_id", "aggregate", "low", "high", "tasks"];
    let tasks = matrix.columns.iter().map(|column| column.key.as_str());
    writer.write_record(first.into_iter().chain(tasks))?;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in rows {
        let row = &matrix.rows[*row];
        let interval = row.aggregate.and_then(|found| found.interval);
        let mut cells = vec![
            row.rank.map(|rank| rank.to_string()).unwrap_or_default(),
            row.model.to_string(),
            number(row.aggregate.map(|found| found.value)),
            number(interval.map(|one| one.low)),
            number(interval.map(|one| one.high)),
            row.known.to_string(),
        ];
        cells.extend(
            row.cells
                .iter()
                .map(|cell| number(cell.map(|cell| cell.value))),
        );
        writer.write_record(cells)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
