use assay_model::{Finding, MetricId, ObjectId, RepoId, TaskId};
use serde::{Deserialize, Serialize};

/// A result in which the rules find something: an item of `GET /api/datasets/{id}/findings` and
/// `GET /api/assay/findings`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultFindings {
    /// The benchmark.
    pub dataset_id: RepoId,
    /// The task.
    pub task_id: TaskId,
    /// The model.
    pub model_id: RepoId,
    /// The value of the primary metric, or of the first one listed.
    pub value: f64,
    /// The metric that the value is of. Absent when neither the result nor the benchmark says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric_id: Option<MetricId>,
    /// The file.
    pub filename: String,
    /// The index of the entry in the file, from 0.
    pub ordinal: u32,
    /// The open pull request in the model's repository that brings it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u32>,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// The page of the result.
    pub url: String,
    /// The findings of the rules.
    pub findings: Vec<Finding>,
}
