use assay_hub_api::client::{Client, Document, segment};
use assay_hub_api::{BoardRow, EvalResult, RankInterval, ValueInterval};
use assay_model::Setup;
use assay_render::visible;
use serde_json::Value as Json;

use super::args::{Leaderboard, Proof, Results};
use super::show::day;
use super::{Answer, HubCommandError};
use crate::table::table;

/// The headings of a board.
const HEADINGS: [&str; 13] = [
    "GROUP",
    "RANK",
    "RANKS",
    "MODEL",
    "VALUE",
    "INTERVAL",
    "METRIC",
    "SETUP",
    "SEVERAL",
    "STANDING",
    "EVALUATOR",
    "DATE",
    "SOURCE",
];

/// Shows a leaderboard.
pub(super) fn leaderboard(
    action: &Leaderboard,
    client: &Client,
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
    let Document { value, json } = client.leaderboard(&action.benchmark, &parameters)?;
    Ok(Answer {
        text: shown(&value),
        json,
    })
}

/// The rows as a table. A column that is empty in every row is left out.
fn shown(board: &[BoardRow]) -> String {
    let setups: Vec<&Setup> = board.iter().map(|row| &row.setup).collect();
    let differing = Setup::differing_keys(&setups);
    let mut rows: Vec<Vec<String>> = board
        .iter()
        .map(|one| row(one, &differing).to_vec())
        .collect();
    if rows.is_empty() {
        return "there are no results yet\n".to_owned();
    }
    let mut headings = HEADINGS.to_vec();
    for column in (0..headings.len()).rev() {
        if rows.iter().all(|row| row[column].is_empty()) {
            headings.remove(column);
            for row in &mut rows {
                row.remove(column);
            }
        }
    }
    table(&headings, &rows)
}

fn row(row: &BoardRow, differing: &[&str]) -> [String; HEADINGS.len()] {
    let source = row
        .source
        .as_ref()
        .and_then(|source| source.name.as_deref());
    let shown = row.setup.iter();
    let shown = shown.filter(|(key, _)| differing.contains(&key.as_str()));
    let settings: Vec<String> = shown.map(|(key, value)| format!("{key}={value}")).collect();
    let several = match (row.runs, row.setups.count) {
        (0 | 1, 0 | 1) => String::new(),
        (runs, 0 | 1) => format!("mean of {runs} runs"),
        (_, setups) => format!(
            "{setups} setups, {} to {}",
            value(row.setups.low),
            value(row.setups.high)
        ),
    };
    let interval = row.value_interval.as_ref();
    [
        visible(row.group.as_deref().unwrap_or_default()),
        row.rank.to_string(),
        row.rank_interval.as_ref().map(ranks).unwrap_or_default(),
        row.model_id.to_string(),
        value(row.value),
        interval.map(interval_words).unwrap_or_default(),
        row.metric_id.to_string(),
        visible(&settings.join(" ")),
        several,
        standing(row.verified, row.pull_request),
        row.evaluator
            .as_ref()
            .map(|evaluator| evaluator.relationship.words().to_owned())
            .unwrap_or_default(),
        date(row),
        visible(source.unwrap_or_default()),
    ]
}

/// The day of the evaluation; else that of its publication or retrieval, which is called so.
fn date(row: &BoardRow) -> String {
    match (&row.evaluated, &row.published, &row.retrieved) {
        (None, Some(published), _) => format!("published {}", day(published)),
        (None, None, Some(retrieved)) => format!("retrieved {}", day(retrieved)),
        (Some(_), _, _) | (None, None, None) => day(&row.date),
    }
}

/// An interval, with as many digits as its width bears.
fn interval_words(found: &ValueInterval) -> String {
    let width = found.high - found.low;
    let digits = (1.0 - width.log10().floor()).clamp(0.0, 12.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it lies between 0 and 12"
    )]
    let digits = if width > 0.0 { digits as usize } else { 0 };
    format!("{:.digits$} to {:.digits$}", found.low, found.high)
}

/// Between which ranks a row lies.
fn ranks(interval: &RankInterval) -> String {
    match (interval.best, interval.worst) {
        (best, worst) if best == worst => best.to_string(),
        (best, worst) => format!("{best}-{worst}"),
    }
}

/// A value as JSON spells it.
fn value(value: f64) -> String {
    Json::from(value).to_string()
}

/// Verified, or on whose word: the model's own, or that of an open pull request.
fn standing(is_verified: bool, pull_request: Option<u64>) -> String {
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
    let rows: Vec<Vec<String>> = results.iter().map(result).collect();
    let headings = ["BENCHMARK", "TASK", "VALUE", "STANDING", "DATE", "FILE"];
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
            row["rankInterval"] =
                json!({"best": best, "worst": worst, "confidence": 0.95, "method": "tukey-kramer"});
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
