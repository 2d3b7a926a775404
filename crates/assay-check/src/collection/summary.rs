//! The summary of a record by which it is compared with others.

use assay_formats::Value;

use crate::digest;
use crate::forensics::{Figure, Unit};
use crate::layout::Location;
use crate::parts::ResultParts;
use crate::rules::{other_benchmark, other_model, other_name};

/// Digests and numbers of one record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordSummary {
    /// Digest of the evaluation id.
    pub(crate) id: Option<u64>,
    /// Digest of the id of the model, without regard to case.
    pub(crate) model: u64,
    /// Digest of everything but scores, times and where the record came from: equal for two records
    /// of one run.
    pub(crate) run: u64,
    /// Digest of the folder of the benchmark, and whether the evaluation id names it.
    pub(crate) folder: Option<(u64, bool)>,
    /// Digest of the folder.
    pub(crate) place: u64,
    /// True if the evaluation id names the model.
    pub(crate) names_model: Option<bool>,
    /// True if the name of the model and its id agree.
    pub(crate) name_fits: Option<bool>,
    /// Results with a score.
    pub(crate) results: Vec<ResultSummary>,
}

/// Numbers of one result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ResultSummary {
    /// Its position in the record.
    pub(crate) number: usize,
    /// Digest of benchmark, evaluation and metric: equal for results that belong on one board.
    pub(crate) evaluation: u64,
    /// Digest of the same without the dataset.
    pub(crate) name: u64,
    /// Digest of the name of the dataset.
    pub(crate) dataset: Option<u64>,
    pub(crate) score: f64,
    /// The worth of the last written digit.
    pub(crate) step: f64,
    pub(crate) lower_is_better: Option<bool>,
    /// Digest of the declared bounds.
    pub(crate) bounds: Option<u64>,
    pub(crate) width: Option<f64>,
    /// Number of samples.
    pub(crate) samples: Option<u64>,
    /// Declared unit, as a kind of scale.
    pub(crate) unit: Option<u8>,
}

impl RecordSummary {
    /// Reads a record; nothing when it names no model or has no results.
    pub(crate) fn of(record: Value<'_>, path: &str, location: &Location<'_>) -> Option<Self> {
        // Records of two datastores are not held against each other.
        let root = path.strip_suffix(location.path).unwrap_or_default();
        let [id, model, results] =
            record.parts(["evaluation_id", "model_info", "evaluation_results"]);
        let model_id = model?.text_of("id")?.to_lowercase();
        let evaluation_id = id.and_then(Value::text);
        // Two benchmarks may share a folder, and one benchmark may lie in several places.
        let benchmark = evaluation_id
            .as_deref()
            .and_then(|id| id.split_once('/'))
            .map_or("", |(benchmark, _)| benchmark);
        let folder = location
            .layout
            .as_ref()
            .map_or("", |layout| layout.benchmark);
        let benchmark = digest::texts(&[root, folder, benchmark]);
        let results = results?
            .items()
            .enumerate()
            .filter_map(|(number, result)| ResultSummary::of(number, result, benchmark))
            .collect();
        Some(Self {
            id: id.map(|id| digest::mix(digest::texts(&[root]), digest::text(id))),
            model: digest::texts(&[&model_id]),
            run: digest::mix(digest::texts(&[root, folder]), digest::run(record)),
            folder: evaluation_id
                .as_deref()
                .and_then(|id| other_benchmark::names_folder(id, location))
                .map(|names_it| (digest::texts(&[root, folder]), names_it)),
            names_model: evaluation_id
                .as_deref()
                .filter(|_| location.layout.is_some())
                .and_then(|id| other_model::names_model(id, &model_id)),
            name_fits: model?
                .text_of("name")
                .filter(|_| location.layout.is_some())
                .and_then(|name| other_name::fits(&name, &model_id)),
            place: digest::texts(&[root, folder]),
            results,
        })
    }

    /// Digest of the evaluations of the record, in order.
    pub(crate) fn template(&self) -> u64 {
        self.results
            .iter()
            .fold(self.results.len() as u64, |sum, result| {
                digest::mix(sum, result.evaluation)
            })
    }
}

impl ResultSummary {
    fn of(number: usize, result: Value<'_>, benchmark: u64) -> Option<Self> {
        let parts = ResultParts::of(result);
        let score = Figure::of(parts.score?)?;
        let metric = parts.metric?;
        let dataset = parts.data.dataset_name.map(digest::text);
        let name = [parts.name, metric.id, metric.name, metric.description]
            .into_iter()
            .fold(benchmark, |sum, text| {
                digest::mix(sum, text.map_or(0, digest::text))
            });
        let ends = metric.bounds.min.zip(metric.bounds.max);
        Some(Self {
            number,
            evaluation: digest::mix(name, dataset.unwrap_or_default()),
            name,
            dataset,
            score: score.value,
            step: score.unit,
            lower_is_better: metric.lower_is_better.and_then(Value::truth),
            bounds: ends
                .map(|(min, max)| digest::mix((min + 0.0).to_bits(), (max + 0.0).to_bits())),
            width: ends
                .map(|(min, max)| max - min)
                .filter(|width| *width > 0.0),
            samples: parts
                .uncertainty
                .samples
                .and_then(Value::integer)
                .and_then(|count| u64::try_from(count).ok())
                .filter(|count| *count > 0),
            unit: metric
                .unit
                .and_then(|unit| Unit::named(&unit.text()?))
                .map(|unit| match unit {
                    Unit::Proportion => 0,
                    Unit::Percent | Unit::PercentagePoints => 1,
                }),
        })
    }
}
