use assay_model::{MetricId, RepoId, TaskId};
use serde::{Deserialize, Serialize};

use super::ValueInterval;

/// Models side by side: the answer of `GET /api/assay/compare`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// The models, in the order of the request.
    pub models: Vec<RepoId>,
    /// Names that no visible model has.
    pub missing: Vec<String>,
    /// The boards that any of the models is on.
    pub boards: Vec<ComparedBoard>,
    /// The page of this comparison.
    pub url: String,
}

/// A board with the rows of the models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComparedBoard {
    /// The benchmark.
    pub dataset_id: RepoId,
    /// The task.
    pub task_id: TaskId,
    /// The metric that ranks.
    pub metric_id: MetricId,
    /// `higher` or `lower`: which values are better.
    pub better: String,
    /// The rows of those models that are on the board, in the order of the models.
    pub rows: Vec<ComparedRow>,
}

/// The row of a model on a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComparedRow {
    /// The model.
    pub model_id: RepoId,
    /// The rank.
    pub rank: usize,
    /// The number of rows it is ranked with.
    pub of: usize,
    /// The value.
    pub value: f64,
    /// The 95 % interval round the value. Absent when it is not known how uncertain it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_interval: Option<ValueInterval>,
    /// True if the signed evidence was checked and holds.
    pub verified: bool,
    /// The difference from the first model that is on the board. Absent for that model itself and
    /// for rows that are ranked apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<ComparedDifference>,
}

/// The difference of two values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ComparedDifference {
    /// The value minus that of the first model.
    pub value: f64,
    /// The lower end of its 95 % interval, when it is known how uncertain both values are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// `better`, `worse`, `no clear difference` (the interval has zero in it) or `uncertainty not
    /// known`.
    pub verdict: String,
}
