//! simple-evals: the metrics of one benchmark and one model, as `BENCHMARK_MODEL.json`.

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult, Uncertainty};

use super::detect::Evidence;
use super::document::{Document, file_name};
use super::metric::MetricFacts;
use super::model_name::repository_model;
use super::run::{Run, RunProgress, insert_setup};
use super::task_writer::{TaskWriter, named_data, scored_result, set_standard_error};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};

/// The score that simple-evals shows.
const SCORE: &str = "score";
/// What stands behind the name of a metric: its deviation, its error by resampling, and how many
/// samples it rests on.
const DEVIATION: &str = ":std";
const BOOTSTRAP: &str = ":bootstrap_std";
const SAMPLES: &str = ":n_samples";
/// What the name of a run on a few examples ends in.
const DEBUG: &str = "_DEBUG";

/// The converter.
pub(super) struct SimpleEvals;

impl Converter for SimpleEvals {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "simple-evals",
            title: "simple-evals",
            framework: "simple-evals",
            library: "simple-evals",
            source_name: "simple-evals",
            log: "BENCHMARK_MODEL.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_key(SCORE) && evidence.has_key("score:std")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log).map(|converted| vec![converted])
    }
}

/// Converts one file.
fn convert(log: &Log<'_>) -> Result<Converted, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let name = file_name(log.path);
    let stem = name.strip_suffix(".json").unwrap_or(name);
    let (stem, is_debug) = match stem.strip_suffix(DEBUG) {
        Some(stem) => (stem, true),
        None => (stem, false),
    };
    let Some((dataset, model)) = stem
        .split_once('_')
        .filter(|(a, b)| !a.is_empty() && !b.is_empty())
    else {
        return Err(Refusal::Nothing(format!(
            "`{}` does not say which benchmark and model it is of; name it `BENCHMARK_MODEL.json` as simple-evals does",
            log.path
        )));
    };
    let results = results(root, dataset);
    if results.is_empty() {
        let message = format!("`{}` has no score that is a number", log.path);
        return Err(Refusal::Nothing(message));
    }
    let mut run = Run::new(Harness::SimpleEvals, repository_model(model));
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        ..RunProgress::default()
    };
    if is_debug {
        insert_setup(&mut run.setup, "limit", "debug");
    }
    TaskWriter::begin(log, run, dataset, &[document.bytes()])?.finish(results)
}

fn results(root: Value<'_>, dataset: &str) -> Vec<EvaluationResult> {
    let mut results: Vec<EvaluationResult> = Vec::new();
    for (key, value) in root.entries() {
        let (Some(name), Some(score)) = (key.text(), value.number()) else {
            continue;
        };
        let is_known = results.iter().any(|own| own.evaluation_result_id == name);
        if is_known
            || [DEVIATION, BOOTSTRAP, SAMPLES]
                .iter()
                .any(|own| name.ends_with(own))
        {
            continue;
        }
        let facts = MetricFacts {
            library: "simple_evals",
            name: &name,
            base: None,
            score,
            higher_is_better: (name == SCORE).then_some(true),
        };
        let beside = |ending: &str| root.number_of(&format!("{name}{ending}"));
        let deviation = beside(DEVIATION).filter(|own| *own >= 0.0);
        let samples = root
            .present(&format!("{name}{SAMPLES}"))
            .and_then(Value::integer);
        let samples = samples.and_then(|count| u64::try_from(count).ok());
        let data = named_data(dataset, Details::new());
        let mut result = scored_result(
            name.to_string(),
            dataset,
            data,
            facts.config(),
            score,
            samples,
        );
        if deviation.is_some() {
            let uncertainty = &mut result.score_details.uncertainty;
            uncertainty
                .get_or_insert_with(Uncertainty::default)
                .standard_deviation = deviation;
        }
        if let Some(error) = beside(BOOTSTRAP).filter(|own| *own >= 0.0) {
            set_standard_error(&mut result, error, Some("bootstrap"));
        }
        results.push(result);
    }
    results
}
