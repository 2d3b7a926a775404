use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{Date, MetricId, Number, Provenance, RepoId, Revision, Setup, TaskId, ValueType};

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
    /// The program that ran the evaluation.
    pub framework: Option<Framework>,
    /// The signed token, unread.
    pub token: Option<String>,
    /// The place where the scores are published.
    pub source: Option<Source>,
    /// The date of the evaluation.
    pub date: Option<Date>,
    /// The setup in words.
    pub notes: Option<String>,
    /// The subset of the benchmark, where one repository holds several.
    pub subset: Option<String>,
    /// Number of samples that were evaluated.
    pub sample_size: Option<u64>,
    /// The normalisation of texts before they were compared.
    pub normalization: Option<String>,
    /// The listed setup, without the fields above; [`Entry::full_setup`] has all of it.
    pub setup: Setup,
    /// The evaluator, the dates and the cost.
    pub provenance: Provenance,
}

impl Entry {
    /// Returns a result that says nothing but its scores.
    pub fn new(dataset: RepoId, task: TaskId, scores: Vec<Score>) -> Self {
        Self {
            dataset,
            task,
            dataset_revision: None,
            model_revision: None,
            scores,
            framework: None,
            token: None,
            source: None,
            date: None,
            notes: None,
            subset: None,
            sample_size: None,
            normalization: None,
            setup: Setup::default(),
            provenance: Provenance::default(),
        }
    }

    /// Returns the listed setup together with framework, subset, normalisation and dataset
    /// revision.
    pub fn full_setup(&self) -> Setup {
        let mut setup = self.setup.clone();
        let framework = self.framework.as_ref().and_then(|own| own.name.as_deref());
        let fields = [
            (Setup::FRAMEWORK, framework),
            (Setup::SUBSET, self.subset.as_deref()),
            (Setup::NORMALIZATION, self.normalization.as_deref()),
            (
                Setup::DATASET_REVISION,
                self.dataset_revision.as_ref().map(Revision::as_str),
            ),
        ];
        for (key, value) in fields {
            if let Some(value) = value {
                setup.insert(key, value);
            }
        }
        setup
    }
}

/// One metric value.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The metric; none for the single `value` of the live dialect, which stands for the primary
    /// metric.
    pub metric: Option<MetricId>,
    /// The value.
    pub value: Number,
    /// The value as it was written: `20.90` shows how many digits the author meant to give.
    pub literal: String,
    /// The subset it applies to.
    pub slice: Option<String>,
    /// The kind of number, when it is declared.
    pub value_type: Option<ValueType>,
    /// Number of samples that it was computed from.
    pub sample_size: Option<u64>,
    /// The uncertainty that the entry states.
    pub uncertainty: StatedUncertainty,
    /// The context of the metric, where the entry gives one. Ranking needs none of it.
    pub context: Option<Box<MetricContext>>,
}

impl Score {
    /// Returns a score that says nothing but its value, which is written in the shortest way.
    pub fn new(metric: Option<MetricId>, value: Number) -> Self {
        Self {
            metric,
            value,
            literal: value.to_literal(),
            slice: None,
            value_type: None,
            sample_size: None,
            uncertainty: StatedUncertainty::default(),
            context: None,
        }
    }
}

/// The context of a metric value, as its entry gives it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricContext {
    /// The parameters of the metric, such as a range of thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Json>,
    /// The normalisation of texts for this metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalization: Option<String>,
}

/// The uncertainty that an entry states for a score, in the unit of the score.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StatedUncertainty {
    /// The standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<Number>,
    /// The ends of an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<StatedInterval>,
    /// The method behind error or interval, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
}

/// An interval that an entry gives for a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StatedInterval {
    /// The lower end.
    pub low: Number,
    /// The upper end.
    pub high: Number,
    /// The confidence, such as 0.95; that where none is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Number>,
}

/// The program that ran an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Framework {
    /// Such as `inspect-ai`.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The command line.
    pub command: Option<String>,
}

/// The place where scores are published.
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
