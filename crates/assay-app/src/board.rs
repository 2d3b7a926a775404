use std::sync::Arc;

use assay_model::{Benchmark, MetricId, ObjectId, RepoId, Standing, TaskId, Timestamp};
use serde_json::Value as Json;

use crate::account::AccountKind;

/// Which leaderboard to show, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BoardQuery {
    /// The task; the first one of the benchmark when absent.
    pub task: Option<String>,
    /// The metric; the primary one when absent.
    pub metric: Option<String>,
    /// The policy by name; `authoritative` when absent.
    pub policy: Option<String>,
    /// Only verified rows.
    pub verified: bool,
    /// Also models whose card names a base model.
    pub derived_models: bool,
    /// The board as it stood at a date, a moment, or a commit of the benchmark.
    pub as_of: Option<String>,
    /// At most so many rows.
    pub limit: Option<usize>,
    /// Leave out so many rows.
    pub offset: usize,
}

/// A leaderboard, ready to be shown.
#[derive(Debug, Clone)]
pub struct BoardView {
    /// The benchmark.
    pub benchmark_id: RepoId,
    /// Its definition.
    pub benchmark: Arc<Benchmark>,
    /// The commit of the definition.
    pub revision: ObjectId,
    /// The task.
    pub task: TaskId,
    /// The metric that ranks.
    pub metric: MetricId,
    /// The name of the policy.
    pub policy: &'static str,
    /// The moment it shows, when that is not now.
    pub as_of: Option<Timestamp>,
    /// How many rows there are in all.
    pub total: usize,
    /// The rows, best first.
    pub rows: Vec<BoardRow>,
}

/// One row of a leaderboard.
#[derive(Debug, Clone)]
pub struct BoardRow {
    /// The rank; equal values share it.
    pub rank: usize,
    /// The value of the metric that ranks.
    pub value: f64,
    /// The result behind it.
    pub result: Arc<EvalResult>,
}

/// One result of a model, with where it comes from.
#[derive(Debug, Clone)]
pub struct EvalResult {
    /// The model.
    pub model: RepoId,
    /// Whose namespace it is in.
    pub owner: String,
    /// The owner's name for people.
    pub owner_full_name: String,
    /// Whether the owner is a user or an organisation.
    pub owner_kind: AccountKind,
    /// The file.
    pub file: String,
    /// Which entry of the file.
    pub ordinal: usize,
    /// The pull request it lives in, while that is open.
    pub pull: Option<i64>,
    /// What the signed evidence says.
    pub standing: Standing,
    /// The benchmark it names.
    pub dataset: RepoId,
    /// The task it names.
    pub task: TaskId,
    /// Why it is on no board yet, when the hub does not know the benchmark or task.
    pub pending: Option<String>,
    /// The value of the primary metric, or of the first one listed.
    pub value: f64,
    /// The metric that `value` is of.
    pub value_metric: Option<MetricId>,
    /// The entry as it was written, with the keys of the live dialect beside it.
    pub data: Json,
    /// When the evaluation was made: as written, or when the file was created.
    pub date: String,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// When that was.
    pub committed: Timestamp,
    /// Who brought it.
    pub submitter: Option<String>,
    /// Where it is published.
    pub source_url: Option<String>,
    /// What that is called.
    pub source_name: Option<String>,
    /// The setup in words.
    pub notes: Option<String>,
}
