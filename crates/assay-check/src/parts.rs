//! One result of a record taken apart once, so that no rule has to look for what another has found.

use assay_formats::Value;

use crate::bounds::Bounds;

/// A result, its parts at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResultParts<'d> {
    pub(crate) id: Option<Value<'d>>,
    pub(crate) name: Option<Value<'d>>,
    pub(crate) timestamp: Option<Value<'d>>,
    pub(crate) data: DataParts<'d>,
    /// `None` when the result has no metric at all.
    pub(crate) metric: Option<MetricParts<'d>>,
    pub(crate) score: Option<Value<'d>>,
    pub(crate) uncertainty: UncertaintyParts<'d>,
    /// Further facts about the score.
    pub(crate) details: Option<Value<'d>>,
    /// The settings of generation.
    pub(crate) generation: Option<Value<'d>>,
}

/// The dataset of a result.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct DataParts<'d> {
    pub(crate) dataset_name: Option<Value<'d>>,
    pub(crate) url: Option<Value<'d>>,
    pub(crate) repository: Option<Value<'d>>,
    pub(crate) samples_number: Option<Value<'d>>,
    pub(crate) sample_ids: Option<Value<'d>>,
}

/// The metric of a result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MetricParts<'d> {
    pub(crate) root: Value<'d>,
    pub(crate) id: Option<Value<'d>>,
    pub(crate) name: Option<Value<'d>>,
    pub(crate) kind: Option<Value<'d>>,
    pub(crate) unit: Option<Value<'d>>,
    pub(crate) description: Option<Value<'d>>,
    pub(crate) lower_is_better: Option<Value<'d>>,
    pub(crate) score_type: Option<Value<'d>>,
    pub(crate) min_score: Option<Value<'d>>,
    pub(crate) max_score: Option<Value<'d>>,
    pub(crate) level_names: Option<Value<'d>>,
    pub(crate) has_unknown_level: Option<Value<'d>>,
    pub(crate) llm_scoring: Option<Value<'d>>,
    /// The bounds as numbers.
    pub(crate) bounds: Bounds,
}

/// The uncertainty of a score.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct UncertaintyParts<'d> {
    pub(crate) standard_error: Option<Value<'d>>,
    pub(crate) interval: Option<Value<'d>>,
    pub(crate) standard_deviation: Option<Value<'d>>,
    pub(crate) samples: Option<Value<'d>>,
    pub(crate) bootstrap_samples: Option<Value<'d>>,
}

impl<'d> ResultParts<'d> {
    /// Takes a result apart.
    pub(crate) fn of(result: Value<'d>) -> Self {
        let [id, name, data, timestamp, metric, scored, generation] = result.parts([
            "evaluation_result_id",
            "evaluation_name",
            "source_data",
            "evaluation_timestamp",
            "metric_config",
            "score_details",
            "generation_config",
        ]);
        let [score, uncertainty, details] = scored.map_or([None; 3], |scored| {
            scored.parts(["score", "uncertainty", "details"])
        });
        Self {
            id,
            name,
            timestamp,
            data: data.map(DataParts::of).unwrap_or_default(),
            metric: metric.map(MetricParts::of),
            score,
            uncertainty: uncertainty.map(UncertaintyParts::of).unwrap_or_default(),
            details,
            generation,
        }
    }
}

impl<'d> DataParts<'d> {
    fn of(data: Value<'d>) -> Self {
        let [dataset_name, repository, samples_number, sample_ids, url] = data.parts([
            "dataset_name",
            "hf_repo",
            "samples_number",
            "sample_ids",
            "url",
        ]);
        Self {
            dataset_name,
            url,
            repository,
            samples_number,
            sample_ids,
        }
    }
}

impl<'d> MetricParts<'d> {
    /// Takes a metric apart.
    pub(crate) fn of(root: Value<'d>) -> Self {
        let [
            description,
            id,
            name,
            kind,
            unit,
            lower_is_better,
            score_type,
            level_names,
            has_unknown_level,
            min_score,
            max_score,
            llm_scoring,
        ] = root.parts([
            "evaluation_description",
            "metric_id",
            "metric_name",
            "metric_kind",
            "metric_unit",
            "lower_is_better",
            "score_type",
            "level_names",
            "has_unknown_level",
            "min_score",
            "max_score",
            "llm_scoring",
        ]);
        Self {
            root,
            id,
            name,
            kind,
            unit,
            description,
            lower_is_better,
            score_type,
            min_score,
            max_score,
            level_names,
            has_unknown_level,
            llm_scoring,
            bounds: Bounds::of(min_score, max_score),
        }
    }

    /// Returns whether a score of -1 stands for an unknown level.
    pub(crate) fn has_unknown_level(&self) -> bool {
        self.has_unknown_level.and_then(Value::truth) == Some(true)
    }

    /// Returns whether the epochs of a sample were reduced by something else than their mean, such
    /// as `max` or `pass_at_2`.
    pub(crate) fn is_reduced(&self) -> bool {
        let details = self.root.get("additional_details");
        let reducer = details.and_then(|details| details.text_of("reducer"));
        reducer.is_some_and(|reducer| reducer != "mean")
    }

    /// Returns whether scores are of this type.
    pub(crate) fn is_scored_as(&self, score_type: &str) -> bool {
        self.score_type.is_some_and(|own| own.is_text(score_type))
    }
}

impl<'d> UncertaintyParts<'d> {
    fn of(uncertainty: Value<'d>) -> Self {
        let [
            standard_error,
            interval,
            standard_deviation,
            samples,
            bootstrap_samples,
        ] = uncertainty.parts([
            "standard_error",
            "confidence_interval",
            "standard_deviation",
            "num_samples",
            "num_bootstrap_samples",
        ]);
        Self {
            standard_error,
            interval,
            standard_deviation,
            samples,
            bootstrap_samples,
        }
    }
}
