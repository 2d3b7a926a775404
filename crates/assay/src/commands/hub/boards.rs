use serde_json::Value as Json;

use super::args::{Leaderboard, Proof, Results};
use super::show::{cell, day, table};
use super::{Answer, HubCommandError};
use crate::client::{Client, ask_for, segment};

/// The column that says between which ranks a row lies.
const RANKS: usize = 1;

/// Shows a leaderboard.
pub(super) fn leaderboard(
    action: &Leaderboard,
    client: &Client,
) -> Result<Answer, HubCommandError> {
    let mut path = format!(
        "/api/datasets/{}/leaderboard?limit={}&base_model={}",
        action.benchmark, action.limit, !action.derived
    );
    let asked = [
        ("task_id", &action.task),
        ("metric_id", &action.metric),
        ("policy", &action.policy),
        ("as_of", &action.as_of),
    ];
    for (key, value) in asked {
        if let Some(value) = value {
            ask_for(&mut path, key, value);
        }
    }
    if action.verified {
        ask_for(&mut path, "verified", "true");
    }
    let board = client.get(&path)?;
    Ok(Answer {
        text: shown(&board),
        json: board,
    })
}

/// The rows as a table. The column of rank intervals is there when one is known: a column of nothing says nothing.
fn shown(board: &Json) -> String {
    let mut rows: Vec<Vec<String>> = board.as_array().into_iter().flatten().map(row).collect();
    if rows.is_empty() {
        return "there are no results yet\n".to_owned();
    }
    let mut headings = vec![
        "RANK", "RANKS", "MODEL", "VALUE", "METRIC", "STANDING", "DATE", "SOURCE",
    ];
    if rows.iter().all(|row| row[RANKS].is_empty()) {
        headings.remove(RANKS);
        for row in &mut rows {
            row.remove(RANKS);
        }
    }
    table(&headings, &rows)
}

fn row(row: &Json) -> Vec<String> {
    vec![
        cell(&row["rank"]),
        ranks(row),
        cell(&row["modelId"]),
        cell(&row["value"]),
        cell(&row["metricId"]),
        standing(row),
        day(&row["date"]),
        cell(&row["source"]["name"]),
    ]
}

/// Between which ranks the row lies; empty when the hub does not know.
fn ranks(row: &Json) -> String {
    let found = &row["rankInterval"];
    match (found["best"].as_u64(), found["worst"].as_u64()) {
        (Some(best), Some(worst)) if best == worst => best.to_string(),
        (Some(best), Some(worst)) => format!("{best}-{worst}"),
        (_, _) => String::new(),
    }
}

/// Verified, or on whose word: the model's own, or that of an open pull request.
fn standing(row: &Json) -> String {
    if row["verified"] == true {
        return "verified".to_owned();
    }
    match row["pullRequest"].as_i64() {
        Some(num) => format!("community (#{num})"),
        None => "unverified".to_owned(),
    }
}

/// Shows every result of a model.
pub(super) fn results(action: &Results, client: &Client) -> Result<Answer, HubCommandError> {
    let model = client.get(&format!("/api/models/{}?expand=evalResults", action.model))?;
    let results = model["evalResults"].clone();
    let rows: Vec<Vec<String>> = results
        .as_array()
        .into_iter()
        .flatten()
        .map(result)
        .collect();
    let headings = ["BENCHMARK", "TASK", "VALUE", "STANDING", "DATE", "FILE"];
    Ok(Answer {
        text: if rows.is_empty() {
            "there are no results yet\n".to_owned()
        } else {
            table(&headings, &rows)
        },
        json: results,
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

fn result(item: &Json) -> Vec<String> {
    let data = &item["data"];
    vec![
        cell(&data["dataset"]["id"]),
        cell(&data["dataset"]["task_id"]),
        cell(&data["value"]),
        standing(item),
        day(&data["date"]),
        cell(&item["filename"]),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(rank: u64, ranks: Option<(u64, u64)>) -> Json {
        let mut row = json!({"rank": rank, "modelId": "a/m", "value": 90.5, "metricId": "accuracy", "verified": true});
        if let Some((best, worst)) = ranks {
            row["rankInterval"] = json!({"best": best, "worst": worst});
        }
        row
    }

    #[test]
    fn the_interval_of_a_rank_is_beside_it() {
        let board = json!([row(1, Some((1, 1))), row(2, Some((2, 3))), row(3, None)]);

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
        let text = shown(&json!([row(1, None)]));

        assert!(text.starts_with("RANK  MODEL"), "{text}");
        assert_eq!(shown(&json!([])), "there are no results yet\n");
    }
}
