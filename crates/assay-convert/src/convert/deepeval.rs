//! DeepEval: a test run as JSON, with the verdict of each metric on each test case.

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::record::{Details, EvaluationResult, Judge, ModelInfo};
use assay_formats::eee::row::{Performance, Row};

use super::detect::Evidence;
use super::document::Document;
use super::judging::llm_scoring;
use super::metric::{Correctness, MetricFacts, mark};
use super::run::{Run, RunProgress, insert_setup};
use super::served_model::named_model;
use super::task_writer::{TaskWriter, named_data, scored_result, unscored_row};
use super::{Converted, Converter, Harness, HarnessInfo, Log, Refusal};

/// Keys of the hyperparameters that name the evaluated model.
const MODEL_KEYS: [&str; 3] = ["model", "Model", "model_name"];
/// The dataset of a run that names none.
const NO_DATASET: &str = "deepeval";
/// What the share of cases that pass a metric's threshold is called, behind the name of the metric.
const PASS_RATE: &str = "pass_rate";
/// The text of a row for a case whose metric broke.
const SCORE_STATUS: &str = "score_status";

/// The converter.
pub(super) struct DeepEval;

impl Converter for DeepEval {
    fn info(&self) -> &'static HarnessInfo {
        &HarnessInfo {
            word: "deepeval",
            title: "DeepEval",
            framework: "deepeval",
            library: "deepeval",
            source_name: "DeepEval",
            log: "test_run_*.json",
        }
    }

    fn detect(&self, evidence: &Evidence) -> bool {
        evidence.has_key("testCases") && evidence.has_key("metricsScores")
    }

    fn convert(&self, log: &Log<'_>) -> Result<Vec<Converted>, Refusal> {
        convert(log).map(|converted| vec![converted])
    }
}

/// The values of one metric in the cases of a run.
#[derive(Default)]
struct Tally {
    sum: f64,
    scored: u64,
    passed: u64,
    broke: u64,
    threshold: Option<f64>,
    judge: Option<String>,
}

/// Converts one test run.
fn convert(log: &Log<'_>) -> Result<Converted, Refusal> {
    let document = Document::read(log, log.path)?;
    let root = document.root();
    let cases: Vec<Value<'_>> = root
        .get("testCases")
        .into_iter()
        .flat_map(Value::items)
        .collect();
    let tallies = tallies(&cases);
    if tallies.values().all(|tally| tally.scored == 0) {
        let message = format!(
            "`{}` has no test case with a score that is a number",
            log.path
        );
        return Err(Refusal::Nothing(message));
    }
    let alias = root
        .text_of("datasetAlias")
        .filter(|own| !own.trim().is_empty());
    let dataset = alias.unwrap_or(NO_DATASET.into());
    let run = run(root, &cases);
    let model = run.model.name.clone();
    let results = results(&tallies, &dataset, &model);
    let mut writer = TaskWriter::begin(log, run, &dataset, &[document.bytes()])?;
    let turns = root
        .get("conversationalTestCases")
        .into_iter()
        .flat_map(Value::items);
    writer.warn_times(
        "a test case of several turns was left out",
        turns.count() as u64,
    );
    if writer.wants_rows() {
        for (index, case) in cases.iter().enumerate() {
            write_rows(&mut writer, *case, index, &results)?;
        }
    }
    writer.finish(results.into_iter().map(|own| own.result).collect())
}

fn metrics(case: Value<'_>) -> impl Iterator<Item = (String, Value<'_>)> {
    let metrics = case
        .present("metricsData")
        .into_iter()
        .flat_map(Value::items);
    metrics.filter_map(|own| Some((own.text_of("name")?.into_owned(), own)))
}

fn tallies(cases: &[Value<'_>]) -> BTreeMap<String, Tally> {
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for (name, metric) in cases.iter().flat_map(|case| metrics(*case)) {
        let tally = tallies.entry(name).or_default();
        tally.threshold = tally.threshold.or(metric.number_of("threshold"));
        let judge = metric
            .text_of("evaluationModel")
            .filter(|own| !own.is_empty());
        tally.judge = tally.judge.take().or(judge.map(Into::into));
        let Some(score) = metric.number_of("score") else {
            tally.broke += 1;
            continue;
        };
        tally.sum += score;
        tally.scored += 1;
        tally.passed += u64::from(is_passed(metric));
    }
    tallies
}

fn is_passed(metric: Value<'_>) -> bool {
    metric.present("success").and_then(Value::truth) == Some(true)
}

/// A result, and which metric of the cases it is of.
struct OfMetric {
    result: EvaluationResult,
    metric: String,
    is_rate: bool,
}

/// The mean score of each metric, and the share of cases that it passes. Cases whose metric broke
/// count in neither, as in DeepEval.
fn results(tallies: &BTreeMap<String, Tally>, dataset: &str, model: &str) -> Vec<OfMetric> {
    let mut results = Vec::new();
    for (name, tally) in tallies.iter().filter(|(_, tally)| tally.scored > 0) {
        #[expect(clippy::cast_precision_loss, reason = "nobody writes that many cases")]
        let (scored, passed) = (tally.scored as f64, tally.passed as f64);
        for (is_rate, score) in [(false, tally.sum / scored), (true, passed / scored)] {
            let id = if is_rate {
                format!("{name}:{PASS_RATE}")
            } else {
                name.clone()
            };
            let facts = MetricFacts {
                library: "deepeval",
                name: &id,
                base: is_rate.then_some(PASS_RATE),
                score,
                higher_is_better: Some(true),
            };
            let mut config = facts.config();
            if let Some(threshold) = tally.threshold {
                mark(&mut config, "threshold", &threshold.to_string());
            }
            let judges = tally.judge.iter().map(|name| Judge {
                model_info: named_model(name),
                temperature: None,
            });
            config.llm_scoring = llm_scoring(judges.collect(), Some(model), None, None);
            let data = named_data(dataset, Details::new());
            let mut result = scored_result(id, dataset, data, config, score, Some(tally.scored));
            if tally.broke > 0 {
                let details = &mut result.score_details.details;
                details.insert("errors".to_owned(), tally.broke.to_string());
            }
            results.push(OfMetric {
                result,
                metric: name.clone(),
                is_rate,
            });
        }
    }
    results
}

fn run(root: Value<'_>, cases: &[Value<'_>]) -> Run {
    let parameters = root.present("hyperparameters");
    let named = MODEL_KEYS.iter().find_map(|key| parameters?.text_of(key));
    let model = match named {
        Some(name) => named_model(&name),
        None => ModelInfo::new("unknown".to_owned(), "unknown/unknown".to_owned()),
    };
    let mut run = Run::new(Harness::DeepEval, model);
    for (key, value) in parameters.into_iter().flat_map(Value::entries) {
        let (Some(key), Some(text)) = (key.text(), value.text()) else {
            continue;
        };
        if !MODEL_KEYS.contains(&key.as_ref()) {
            insert_setup(&mut run.setup, &key.replace(' ', "_"), &text);
        }
    }
    let facts = [
        ("identifier", "identifier"),
        ("datasetVersion", "dataset_version"),
    ];
    for (key, name) in facts {
        if let Some(text) = root.text_of(key) {
            run.source_details
                .insert(name.to_owned(), text.into_owned());
        }
    }
    let broke =
        |case: &&Value<'_>| metrics(**case).any(|(_, own)| own.number_of("score").is_none());
    let failed = cases.iter().filter(broke).count() as u64;
    let all = cases.len() as u64;
    run.progress = RunProgress {
        status: Some("success".to_owned()),
        planned: Some(all),
        completed: Some(all - failed),
        scored: Some(all - failed),
        failed: Some(failed),
    };
    run
}

fn write_rows(
    writer: &mut TaskWriter<'_>,
    case: Value<'_>,
    index: usize,
    results: &[OfMetric],
) -> Result<(), Refusal> {
    let mut row = case_row(case, index);
    for own in results {
        let Some((_, metric)) = metrics(case).find(|(name, _)| *name == own.metric) else {
            continue;
        };
        let score = metric.number_of("score");
        let is_right = score.is_some() && is_passed(metric);
        row.error = match score {
            Some(_) => None,
            None => Some(metric.text_of("error").unwrap_or("the metric broke".into())),
        };
        for (key, value) in [
            ("explanation", metric.text_of("reason")),
            (SCORE_STATUS, row.error.is_some().then(|| "failed".into())),
        ] {
            row.metadata.remove(key);
            row.metadata.extend(value.map(|value| (key.into(), value)));
        }
        let number = match score {
            Some(_) if own.is_rate => f64::from(u8::from(is_right)),
            Some(score) => score,
            None => 0.0,
        };
        // The threshold of a metric is what says which answers are right.
        writer.row(
            &mut row,
            &own.result,
            number,
            Correctness::from_grade(is_right),
        )?;
    }
    Ok(())
}

fn case_row(case: Value<'_>, index: usize) -> Row<'_> {
    let name = case.text_of("name").filter(|name| !name.trim().is_empty());
    let id = name.unwrap_or_else(|| format!("case-{index}").into());
    let question = case.text_of("input").unwrap_or_default();
    let expected = case.text_of("expectedOutput").into_iter().collect();
    let mut row = unscored_row(id, question, expected);
    if let (Some(answer), Some(output)) = (case.text_of("actualOutput"), &mut row.output) {
        output.raw.push(answer);
    }
    row.performance = case.number_of("completionTime").map(|seconds| Performance {
        generation_time_ms: Some(seconds * 1000.0),
        ..Performance::default()
    });
    row
}
