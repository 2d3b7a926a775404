use std::borrow::Cow;

use assay_cli::Printer;
use assay_hub_api::client::{BoardAnswer, Client, Document, segment};
use assay_hub_api::{BoardRow, Column, Digits, EvalResult, MetricColumn};
use assay_render::visible;
use serde_json::Value as Json;

use super::args::{Leaderboard, Proof, Results};
use super::show::day;
use super::{Answer, HubCommandError};
use crate::plural::{count, grouped};
use crate::table::table;

/// Columns that would make a terminal scroll; `--format json` has them.
const LEFT_OUT: [&str; 3] = ["framework", "notes", "parameters"];
/// Number of characters that a cell of a board has at most.
const LONG: usize = 48;

/// Shows a leaderboard.
pub(super) fn leaderboard(
    action: &Leaderboard,
    client: &Client,
    printer: &mut Printer,
) -> Result<Answer, HubCommandError> {
    let limit = action.limit.to_string();
    let base_model = if action.base_only { "true" } else { "false" };
    let optional = [
        ("task_id", action.task.as_deref()),
        ("metric_id", action.metric.as_deref()),
        ("policy", action.policy.as_deref()),
        ("as_of", action.as_of.as_deref()),
        ("verified", action.verified.then_some("true")),
    ];
    let mut parameters = vec![("limit", limit.as_str()), ("base_model", base_model)];
    parameters.extend(
        optional
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    );
    let board = client.leaderboard(&action.benchmark, &parameters)?;
    if let Some(line) = heading(&board) {
        printer.aside(&visible(&line));
    }
    let text = match &action.as_of {
        Some(moment) if board.rows.value.is_empty() => format!(
            "the board had no results at `{}`: a result counts from the moment at which it reached the hub\n",
            visible(moment)
        ),
        Some(_) | None => shown(&board.rows.value),
    };
    Ok(Answer {
        text,
        json: board.rows.json,
    })
}

/// Says which board it is, and how many of its rows are shown.
fn heading(board: &BoardAnswer) -> Option<String> {
    let shown = board.rows.value.len() as u64;
    let total = board.total.unwrap_or(shown).max(shown);
    let (task, metric) = (board.task.as_ref()?, board.metric.as_ref()?);
    let policy = board.policy.as_deref().unwrap_or("authoritative");
    Some(format!(
        "task {task}, by {metric}, policy {policy}: {} of {}",
        grouped(shown),
        count(total, "row", "rows")
    ))
}

/// The rows as a table. A column that is empty in every row is left out.
fn shown(rows: &[BoardRow]) -> String {
    if rows.is_empty() {
        return "there are no results yet\n".to_owned();
    }
    let mut columns = Column::for_document(MetricColumn::from_rows(rows), rows);
    columns.retain(|column| !LEFT_OUT.contains(&column.id()));
    let headings: Vec<String> = columns
        .iter()
        .map(|column| visible(&column.heading().to_uppercase()))
        .collect();
    let digits: Vec<Digits> = columns.iter().map(|column| column.digits(rows)).collect();
    let cells = |row: &BoardRow| -> Vec<String> {
        let columns = columns.iter().zip(&digits);
        columns
            .map(|(column, digits)| {
                let text = column.text(row, *digits);
                visible(&shortened(&text))
            })
            .collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    table(&headings, &rows)
}

/// The beginning of a long text.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A value as JSON spells it.
fn value(value: f64) -> String {
    Json::from(value).to_string()
}

/// Verified, or on whose word: the model's own, or that of an open pull request.
fn standing(is_verified: bool, pull_request: Option<u32>) -> String {
    if is_verified {
        return "verified".to_owned();
    }
    match pull_request {
        Some(num) => format!("community (#{num})"),
        None => "unverified".to_owned(),
    }
}

/// Shows every result of a model.
pub(super) fn results(action: &Results, client: &Client) -> Result<Answer, HubCommandError> {
    let Document {
        value: model,
        mut json,
    } = client.model_results(&action.model)?;
    let results = model.eval_results.unwrap_or_default();
    let mut rows: Vec<Vec<String>> = results.iter().map(result).collect();
    let mut headings = vec!["BENCHMARK", "TASK", "VALUE", "STANDING", "DATE", "FILE"];
    // `assay hub proof` asks for the token by its identity.
    if results.iter().any(|item| jti(item).is_some()) {
        headings.push("TOKEN");
        for (row, item) in rows.iter_mut().zip(&results) {
            row.push(visible(jti(item).unwrap_or_default()));
        }
    }
    Ok(Answer {
        text: if rows.is_empty() {
            "there are no results yet\n".to_owned()
        } else {
            table(&headings, &rows)
        },
        json: json["evalResults"].take(),
    })
}

/// Fetches the proof of a result, byte for byte.
pub(super) fn proof(action: &Proof, client: &Client) -> Result<Answer, HubCommandError> {
    let jti = segment(&action.jti);
    let bytes = client.bytes(&format!(
        "/api/models/{}/eval-results/{jti}/proof",
        action.model
    ))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(Answer {
        json: serde_json::from_str(&text).unwrap_or_default(),
        text,
    })
}

/// The identity of the token of a result, when it was attested.
fn jti(item: &EvalResult) -> Option<&str> {
    let attested = item.standing.attested.as_ref()?;
    Some(attested.jti.as_str())
}

fn result(item: &EvalResult) -> Vec<String> {
    let data = &item.data;
    vec![
        data.dataset.id.to_string(),
        data.dataset.task_id.to_string(),
        value(data.value.get()),
        standing(item.verified, item.pull_request),
        data.date.as_ref().map(day).unwrap_or_default(),
        visible(&item.filename),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(rank: u64, ranks: Option<(u64, u64)>) -> BoardRow {
        let mut row = json!({
            "rank": rank, "modelId": "a/m", "value": 90.5, "metricId": "accuracy", "verified": true,
            "filename": ".eval_results/b.yaml", "source": null, "taskId": "default", "metrics": [],
            "author": {
                "_id": "0a", "name": "a", "fullname": "A", "type": "user", "avatarUrl": "/a.svg",
                "isPro": false, "isHf": false,
            },
            "date": "2026-02-15", "submitter": {"name": "a"}, "commit": "01".repeat(20),
            "standing": {"state": "verified", "verified": true}, "badges": ["verified", "of-a-newer-hub"],
        });
        if let Some((best, worst)) = ranks {
            row["rankInterval"] = json!({"best": best, "worst": worst, "confidence": 0.95, "method": "tukey-kramer", "tier": best});
        }
        serde_json::from_value(row).unwrap()
    }

    #[test]
    fn the_interval_of_a_rank_is_beside_it() {
        let board = [row(1, Some((1, 1))), row(2, Some((2, 3))), row(3, None)];

        let text = shown(&board);

        let words: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().take(3).collect())
            .collect();
        assert_eq!(
            words,
            [
                ["RANK", "RANKS", "MODEL"],
                ["1", "1", "a/m"],
                ["2", "2-3", "a/m"],
                ["3", "a/m", "90.5"]
            ]
        );
    }

    #[test]
    fn a_board_without_intervals_has_no_column_of_them() {
        let text = shown(&[row(1, None)]);

        assert!(text.starts_with("RANK  MODEL"), "{text}");
        assert_eq!(shown(&[]), "there are no results yet\n");
    }
}
