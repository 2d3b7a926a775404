use assay_model::{MetricId, RepoId, TaskId};
use serde::{Deserialize, Serialize};

/// The difference of a board between two moments: the answer of `GET
/// /api/datasets/{id}/leaderboard/changes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardDiff {
    /// The benchmark.
    pub dataset_id: RepoId,
    /// The task.
    pub task_id: TaskId,
    /// The metric that ranks.
    pub metric_id: MetricId,
    /// The policy that chose among several results of a model.
    pub policy: String,
    /// The earlier board.
    pub before: BoardState,
    /// The later board.
    pub after: BoardState,
    /// The number of rows that differ, whether they are listed or not.
    pub counts: RowChangeCounts,
    /// Rows of the later board in its order, then those that went.
    pub rows: Vec<RowChange>,
    /// The page of this difference.
    pub url: String,
}

/// A board at one of two moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardState {
    /// When.
    pub at: String,
    /// The number of rows.
    pub rows: usize,
    /// The first row whose value nothing puts in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leader: Option<BoardLeader>,
}

/// The first row of a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BoardLeader {
    /// The model.
    pub model_id: RepoId,
    /// Its value.
    pub value: f64,
}

/// The number of rows that differ, by how they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RowChangeCounts {
    /// Rows that came.
    pub came: usize,
    /// Rows that went.
    pub went: usize,
    /// Rows with another value.
    pub changed: usize,
    /// Rows with the same value and another rank.
    pub moved: usize,
}

/// A row that differs between two moments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RowChange {
    /// The model.
    pub model_id: RepoId,
    /// `came`, `went`, `changed` (another value) or `moved` (the same value and another rank).
    pub kind: String,
    /// The rank on the earlier board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_before: Option<usize>,
    /// The rank on the later board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank_after: Option<usize>,
    /// The value on the earlier board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_before: Option<f64>,
    /// The value on the later board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_after: Option<f64>,
    /// The page of the result behind the later value. Absent for rows that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// The differences of all boards between two moments: the answer of `GET /api/assay/changes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HubDiff {
    /// The boards that differ, the last changed first.
    pub boards: Vec<BoardDiff>,
    /// Whether more boards have changed since the earlier moment than were looked at.
    pub has_more: bool,
}
