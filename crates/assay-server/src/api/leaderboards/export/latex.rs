//! A leaderboard as a table of LaTeX, for papers.

use std::fmt::Write as _;

use assay_app::BoardView;
use assay_hub_api::{
    BoardRow, CellFormat, Column, Digits, MetricColumn, ValueInterval, interval_decimals,
};
use assay_model::Direction;

use crate::web::is_hidden;

/// Writes the rows as a `tabular` with rules of booktabs. The best value of a metric is bold,
/// within each group.
pub(super) fn write(view: &BoardView, metrics: Vec<MetricColumn>, rows: &[BoardRow]) -> String {
    let mut columns = Column::for_document(metrics, rows);
    // Notes are too long for a table on paper.
    columns.retain(|column| !column.is_beside() && column.format() != CellFormat::Notes);
    let digits: Vec<Digits> = columns.iter().map(|column| column.digits(rows)).collect();
    let mut text = String::new();
    for (what, words) in [
        ("Benchmark", view.benchmark_id.as_str()),
        ("Task", view.task.as_str()),
        ("Metric", view.metric.as_str()),
        ("Policy", view.policy),
        ("Definition", &view.revision.to_string()),
    ] {
        line(&mut text, &format!("% {what}: {}", one_line(words)));
    }
    line(&mut text, "% Needs \\usepackage{booktabs}.");
    let places: String = columns
        .iter()
        .map(|column| if column.is_number() { 'r' } else { 'l' })
        .collect();
    line(&mut text, &format!("\\begin{{tabular}}{{{places}}}"));
    line(&mut text, "\\toprule");
    let headings = columns
        .iter()
        .map(|column| escaped(&super::heading(column)));
    line(&mut text, &row_of(headings));
    for group in rows.chunk_by(|one, next| one.group == next.group) {
        line(&mut text, "\\midrule");
        if let Some(name) = group.first().and_then(|row| row.group.as_deref()) {
            let name = escaped(name);
            let width = columns.len();
            line(
                &mut text,
                &format!("\\multicolumn{{{width}}}{{l}}{{\\emph{{{name}}}}} \\\\"),
            );
        }
        let best: Vec<Option<f64>> = columns.iter().map(|column| best(column, group)).collect();
        for row in group {
            let cells = columns.iter().zip(&digits).zip(&best);
            let cells = cells.map(|((column, digits), best)| cell(column, row, *digits, *best));
            line(&mut text, &row_of(cells));
        }
    }
    line(&mut text, "\\bottomrule");
    line(&mut text, "\\end{tabular}");
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a text can always be written to");
}

fn row_of(cells: impl Iterator<Item = String>) -> String {
    format!("{} \\\\", cells.collect::<Vec<_>>().join(" & "))
}

/// The best value of a metric among some rows, where there are others to be better than.
fn best(column: &Column, rows: &[BoardRow]) -> Option<f64> {
    let Column::Metric(metric) = column else {
        return None;
    };
    let values: Vec<f64> = rows
        .iter()
        .filter_map(|row| column.value(row).number())
        .collect();
    if values.len() < 2 {
        return None;
    }
    match metric.direction? {
        Direction::HigherIsBetter => values.into_iter().max_by(f64::total_cmp),
        Direction::LowerIsBetter => values.into_iter().min_by(f64::total_cmp),
    }
}

fn cell(column: &Column, row: &BoardRow, digits: Digits, best: Option<f64>) -> String {
    let is_plain = column.format() == CellFormat::Plain;
    let Some(value) = column.value(row).number().filter(|_| is_plain) else {
        return escaped(&column.text(row, digits));
    };
    let mut text = column.text(row, digits);
    // A thousands separator is no punctuation, and a minus is no hyphen.
    text = text.replace(',', "{,}");
    if let Some((figure, exponent)) = text.split_once('e') {
        text = format!("{figure} \\times 10^{{{exponent}}}");
    }
    if best.is_some_and(|best| best.total_cmp(&value).is_eq()) {
        text = format!("\\mathbf{{{text}}}");
    }
    let is_ranking = matches!(column, Column::Metric(metric) if metric.ranks);
    if let Some(interval) = row.value_interval.as_ref().filter(|_| is_ranking) {
        text.push_str(&plus_minus(value, interval));
    }
    format!("${text}$")
}

/// The arms of an interval: one number when they are alike, else one below and one above.
fn plus_minus(value: f64, interval: &ValueInterval) -> String {
    let (below, above) = (value - interval.low, interval.high - value);
    let decimals = interval_decimals(interval.high - interval.low);
    let (below, above) = (format!("{below:.decimals$}"), format!("{above:.decimals$}"));
    if below == above {
        format!(" \\pm {above}")
    } else {
        format!("_{{-{below}}}^{{+{above}}}")
    }
}

/// Returns text that LaTeX takes for nothing but text.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut last = None;
    for character in text.chars() {
        match character {
            '\\' => safe.push_str("\\textbackslash{}"),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '<' => safe.push_str("\\textless{}"),
            '>' => safe.push_str("\\textgreater{}"),
            '|' => safe.push_str("\\textbar{}"),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => {
                safe.push('\\');
                safe.push(character);
            }
            // Two hyphens would be one dash, and so with other ligatures of quotation marks.
            '-' | '`' | '\'' | ',' if last == Some(character) => {
                safe.push_str("{}");
                safe.push(character);
            }
            _ if character.is_control() || is_hidden(character) => safe.push(' '),
            _ => safe.push(character),
        }
        last = Some(character);
    }
    safe
}

/// Text for a comment, which ends at the end of its line.
fn one_line(text: &str) -> String {
    let ends_line = |character: char| matches!(character, '\u{2028}' | '\u{2029}');
    let blank =
        |character: char| character.is_control() || is_hidden(character) || ends_line(character);
    text.replace(blank, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_command() {
        assert_eq!(
            escaped("\\input{/etc/passwd}_100%&$x^2~#"),
            "\\textbackslash{}input\\{/etc/passwd\\}\\_100\\%\\&\\$x\\textasciicircum{}2\\textasciitilde{}\\#"
        );
        assert_eq!(escaped("a--b\nc\u{202e}d"), "a-{}-b c d");
        assert_eq!(one_line("a\n\\input{b}\r\u{2028}c"), "a \\input{b}  c");
    }

    #[test]
    fn arms_of_an_interval_are_one_number_when_they_are_alike() {
        let interval = |low, high| ValueInterval {
            low,
            high,
            confidence: 0.95,
            method: "wilson".into(),
        };

        assert_eq!(plus_minus(50.0, &interval(47.0, 53.0)), " \\pm 3.0");
        assert_eq!(plus_minus(0.9, &interval(0.8, 0.95)), "_{-0.100}^{+0.050}");
    }
}
