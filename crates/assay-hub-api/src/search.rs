use assay_model::{RepoId, TaskId};
use serde::{Deserialize, Serialize};

/// Benchmarks and models that have some words: the answer of `GET /api/assay/search`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SearchAnswer {
    /// Benchmarks with the words in their name, description, tasks or metrics.
    pub benchmarks: Vec<FoundBenchmark>,
    /// Models with the words in their name, tags or card.
    pub models: Vec<FoundModel>,
    /// Whether there are more models.
    pub more_models: bool,
}

/// A benchmark that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundBenchmark {
    /// The benchmark.
    pub id: RepoId,
    /// Its name.
    pub name: String,
    /// What it measures.
    pub description: String,
    /// Its tasks. Each has a leaderboard.
    pub tasks: Vec<TaskId>,
    /// Its page.
    pub url: String,
}

/// A model that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct FoundModel {
    /// The model.
    pub id: RepoId,
    /// Its page.
    pub url: String,
}
