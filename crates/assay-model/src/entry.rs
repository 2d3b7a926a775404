use crate::{Date, MetricId, Number, RepoId, Revision, TaskId, ValueType};

/// One run in a result file: which benchmark and task, which scores, and where they come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The benchmark.
    pub dataset: RepoId,
    /// The task of the benchmark.
    pub task: TaskId,
    /// The commit of the benchmark.
    pub dataset_revision: Option<Revision>,
    /// The commit of the model.
    pub model_revision: Option<Revision>,
    /// The scores, in the order listed.
    pub scores: Vec<Score>,
    /// What ran the evaluation.
    pub framework: Option<Framework>,
    /// The signed token, unread.
    pub token: Option<String>,
    /// Where the scores are published.
    pub source: Option<Source>,
    /// When the evaluation ran.
    pub date: Option<Date>,
    /// The setup in words.
    pub notes: Option<String>,
    /// The subset of the benchmark, where one repository holds several.
    pub subset: Option<String>,
    /// How many samples were evaluated.
    pub sample_size: Option<u64>,
}

/// One metric value.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The metric; none for the single `value` of the live dialect, which stands for the primary metric.
    pub metric: Option<MetricId>,
    /// The value.
    pub value: Number,
    /// The value as it was written: `20.90` shows how many digits the author meant to give.
    pub literal: String,
    /// The subset it applies to.
    pub slice: Option<String>,
    /// What kind of number it is, when that is declared.
    pub value_type: Option<ValueType>,
    /// How many samples it was computed from.
    pub sample_size: Option<u64>,
}

/// What ran the evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Framework {
    /// Such as `inspect-ai`.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The command line.
    pub command: Option<String>,
}

/// Where the scores are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The address.
    pub url: String,
    /// The name for people.
    pub name: Option<String>,
    /// The user that the live dialect credits.
    pub user: Option<String>,
    /// The organisation that the live dialect credits.
    pub org: Option<String>,
}
