use assay_app::{BoardRow, BoardView, EvalResult};
use assay_formats::hub_api::{self, Badge};
use axum::http::Uri;

use crate::wire;

/// A row as clients read it. `host` is this hub's: what is published elsewhere is external.
pub(super) fn row(view: &BoardView, row: &BoardRow, host: &str) -> hub_api::BoardRow {
    let result = &row.result;
    let none = serde_json::Map::new();
    let entry = result.data.as_object().unwrap_or(&none);
    hub_api::BoardRow {
        rank: row.rank,
        model_id: result.model.clone(),
        value: row.value,
        filename: result.file.clone(),
        verified: result.standing.is_verified(),
        author: wire::account(&result.owner, &result.owner_full_name, result.owner_kind),
        source: source(result, host),
        notes: result.notes.clone(),
        pull_request: result.pull.and_then(|num| u64::try_from(num).ok()),
        task_id: view.task.clone(),
        metric_id: view.metric.clone(),
        metrics: wire::metrics(entry),
        date: result.date.clone(),
        framework: wire::framework(entry),
        submitter: hub_api::Submitter {
            name: submitter(result).to_owned(),
        },
        commit: result.commit,
        standing: (&result.standing).into(),
        badges: badges(result),
    }
}

/// Who brought a result; the owner of the model when the commit does not say.
pub(super) fn submitter(result: &EvalResult) -> &str {
    result.submitter.as_deref().unwrap_or(&result.owner)
}

fn source(result: &EvalResult, host: &str) -> Option<hub_api::BoardSource> {
    let url = result.source_url.clone()?;
    let own = url.parse::<Uri>().is_ok_and(|uri| {
        uri.host()
            .is_some_and(|other| other.eq_ignore_ascii_case(host))
    });
    Some(hub_api::BoardSource {
        url,
        name: result.source_name.clone(),
        is_external: !own,
    })
}

/// What a page shows beside a row. All of it is computed: nothing that a file says sets one.
fn badges(result: &EvalResult) -> Vec<Badge> {
    let shown = [
        (Badge::Verified, result.standing.is_verified()),
        (Badge::Community, result.pull.is_some()),
        (Badge::Leaderboard, result.pending.is_none()),
        (Badge::Source, result.source_url.is_some()),
    ];
    let shown = shown.into_iter().filter(|(_, is_shown)| *is_shown);
    shown.map(|(badge, _)| badge).collect()
}
