use assay_app::{BoardDiff, BoardState, RowChange};
use assay_board::Movement;
use assay_hub_api as hub_api;
use assay_model::Timestamp;

use crate::base_url::BaseUrl;
use crate::web;

/// Writes how a board differs between two moments; `now` stands for a later moment that nobody
/// named.
pub(crate) fn board_diff(diff: &BoardDiff, now: Timestamp, base: &BaseUrl) -> hub_api::BoardDiff {
    let counts = diff.counts;
    let address = web::board_diff_page(
        &diff.benchmark_id,
        &diff.task,
        diff.before.at,
        diff.after.at,
    );
    hub_api::BoardDiff {
        dataset_id: diff.benchmark_id.clone(),
        task_id: diff.task.clone(),
        metric_id: diff.metric.clone(),
        policy: diff.policy.to_owned(),
        before: board_state(&diff.before, now),
        after: board_state(&diff.after, now),
        counts: hub_api::RowChangeCounts {
            came: counts.came,
            went: counts.went,
            changed: counts.changed,
            moved: counts.moved,
        },
        rows: diff.rows.iter().map(|row| row_change(row, base)).collect(),
        url: format!("{base}{address}"),
    }
}

fn board_state(state: &BoardState, now: Timestamp) -> hub_api::BoardState {
    let leader = state.leader.as_ref();
    hub_api::BoardState {
        at: state.at.unwrap_or(now).to_string(),
        rows: state.rows,
        leader: leader.map(|(model, value)| hub_api::BoardLeader {
            model_id: model.clone(),
            value: *value,
        }),
    }
}

fn row_change(row: &RowChange, base: &BaseUrl) -> hub_api::RowChange {
    let (rank_before, rank_after) = ranks(row.movement);
    let result = row.result.as_ref().filter(|_| rank_after.is_some());
    hub_api::RowChange {
        model_id: row.model.clone(),
        kind: row.kind.as_str().to_owned(),
        rank_before,
        rank_after,
        value_before: row.value_before,
        value_after: row.value_after,
        url: result.map(|result| format!("{base}{}", web::result_page(result))),
    }
}

/// Returns the ranks before and after.
pub(crate) fn ranks(movement: Movement) -> (Option<usize>, Option<usize>) {
    match movement {
        Movement::Entered { to } => (None, Some(to)),
        Movement::Rose { from, to } | Movement::Fell { from, to } => (Some(from), Some(to)),
        Movement::Held { at } => (Some(at), Some(at)),
        Movement::Left { from } => (Some(from), None),
    }
}
