//! The other setups and runs of the models on a page.

use std::collections::{HashMap, HashSet};

use assay_app::{BoardQuery, BoardRow, BoardView, FullRow};
use assay_board::{Group, Policy};
use assay_hub_api::Digits;
use assay_model::{RepoId, Setup};

use super::columns::differing_keys;
use crate::error::Failure;
use crate::state::AppState;
use crate::web::{Visitor, links, show};

/// The number of results of a model that a row unfolds to.
const MAX_UNFOLDED: usize = 20;

/// A result that a row stands for beside the one that it shows.
#[derive(Debug, Clone)]
pub(crate) struct Unfolded {
    /// The value.
    pub(crate) value: String,
    /// The page with its evidence.
    pub(crate) to: String,
    /// The setup in words.
    pub(crate) setup: String,
}

/// Every result of the models of some rows that stand for several, by model.
pub(super) async fn unfolded(
    state: &AppState,
    visitor: &Visitor,
    view: &BoardView,
    query: &BoardQuery,
    rows: &[&BoardRow],
) -> Result<HashMap<RepoId, Vec<Unfolded>>, Failure> {
    let folded = rows.iter().filter(|row| is_folded(row));
    let folded: HashSet<(&RepoId, &Group)> = folded
        .map(|row| (row.loaded.model(), row.group.as_ref()))
        .collect();
    if folded.is_empty() {
        return Ok(HashMap::new());
    }
    let query = BoardQuery {
        task: Some(view.task.as_str().to_owned()),
        metric: Some(view.metric.as_str().to_owned()),
        policy: Some(Policy::All.as_str().to_owned()),
        ..query.clone()
    };
    let id = &view.benchmark_id;
    let all = state
        .hub
        .boards()
        .leaderboard(&visitor.caller, id, &query)
        .await?;
    let mut counts: HashMap<&RepoId, usize> = HashMap::new();
    let own = all.rows().iter().filter(|row| {
        if !folded.contains(&(row.loaded.model(), row.group.as_ref())) {
            return false;
        }
        let count = counts.entry(row.loaded.model()).or_default();
        *count += 1;
        *count <= MAX_UNFOLDED
    });
    let whole = state.hub.boards().full_rows(&all, own).await?;
    let keys = differing_keys(&all);
    let mut models: HashMap<RepoId, Vec<FullRow>> = HashMap::new();
    for row in whole {
        models
            .entry(row.result.model.clone())
            .or_default()
            .push(row);
    }
    let models = models.into_iter().map(|(model, rows)| {
        let digits = Digits::of(rows.iter().map(|row| row.row.value));
        let told = rows.iter().map(|FullRow { row, result }| Unfolded {
            value: show::with_minus(&digits.written(row.value)),
            to: links::result(result),
            setup: setup_words(row.loaded.setup(), &keys),
        });
        (model, told.collect())
    });
    Ok(models.collect())
}

/// Returns whether a row stands for several results.
fn is_folded(row: &BoardRow) -> bool {
    row.setups.count > 1 || row.runs > 1
}

/// The settings that differ on the board.
fn setup_words(setup: &Setup, keys: &[&str]) -> String {
    let known = keys.iter().filter_map(|key| {
        let value = setup.get(key)?;
        Some(format!("{}: {value}", Setup::heading(key).to_lowercase()))
    });
    let words: Vec<String> = known.collect();
    if words.is_empty() {
        return "setup not reported".to_owned();
    }
    show::shortened(&words.join(", "), 160)
}
