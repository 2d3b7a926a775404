//! The record of a log.

use std::collections::BTreeMap;

use assay_formats::Value;
use assay_formats::eee::record::{
    Details, EvaluationResult, Library, Record, ScoreDetails, SourceMetadata, Uncertainty,
};

use super::super::{Identity, Options};
use super::excerpt::Document;
use super::group::Members;
use super::results::{Aggregate, metric_config};
use super::sample::{Frame, Tally};
use super::{dataset, generation, judges, model, results, time};

/// The name of the harness.
const LIBRARY: &str = "inspect_ai";

/// The header of a log and what follows from it.
pub(super) struct Header {
    document: Document,
    pub(super) frame: Frame,
    pub(super) warnings: Vec<String>,
}

impl Header {
    /// Reads a header; `None` when it is none.
    pub(super) fn new(text: String) -> Option<Self> {
        let document = Document::new(text)?;
        let mut warnings = Vec::new();
        let frame = {
            let root = document.root()?;
            let eval = root.present("eval")?;
            let aggregates = results::aggregates(root, |warning| warnings.push(warning));
            frame(root, eval, aggregates)
        };
        Some(Self {
            document,
            frame,
            warnings,
        })
    }

    /// The map at the top.
    pub(super) fn root(&self) -> Option<Value<'_>> {
        self.document.root()
    }

    fn eval(&self) -> Option<Value<'_>> {
        self.root()?.present("eval")
    }

    /// The version of the format, when the log says.
    pub(super) fn version(&self) -> Option<i64> {
        self.root()?.get("version")?.integer()
    }

    /// How the run ended.
    pub(super) fn status(&self) -> String {
        let status = self.root().and_then(|root| root.text_of("status"));
        status.map_or_else(|| "started".to_owned(), std::borrow::Cow::into_owned)
    }

    /// Whether the results are there but none of them is a number.
    pub(super) fn has_results(&self) -> bool {
        let scores = self
            .root()
            .and_then(|root| root.present("results")?.present("scores"));
        scores.is_some_and(|scores| scores.items().next().is_some())
    }

    /// Whether an id of a sample is a whole number. A log that does not list its ids shows it by their letters.
    pub(super) fn numbers(&self) -> impl Fn(&str) -> bool + use<> {
        let ids = self
            .eval()
            .and_then(|eval| eval.present("dataset")?.present("sample_ids"));
        let texts: std::collections::BTreeSet<String> = ids
            .into_iter()
            .flat_map(Value::items)
            .filter_map(|id| Some(id.text()?.into_owned()))
            .collect();
        move |id: &str| {
            !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) && !texts.contains(id)
        }
    }

    /// Where the record goes. The same run with the same results is the same record, in whichever form its log is kept.
    pub(super) fn identity(&self) -> Identity {
        let eval = self.eval();
        let fact = |key: &str| {
            let fact = eval.and_then(|eval| eval.text_of(key));
            fact.unwrap_or_default().into_owned()
        };
        let mut content: Vec<String> = ["eval_id", "run_id", "task_id", "created", "task"]
            .map(fact)
            .into();
        content.push(self.status());
        for aggregate in &self.frame.aggregates {
            content.push(aggregate.id.clone());
            content.push(format!("{:?}", aggregate.score.score));
        }
        let content: Vec<&[u8]> = content.iter().map(String::as_bytes).collect();
        let dataset = eval.map(dataset::dataset_name).unwrap_or_default();
        Identity::new(&dataset, &self.frame.model_id, &content)
    }

    /// The record. `warn` is told when the log names no time at all.
    pub(super) fn record(
        &self,
        options: &Options,
        aggregates: Vec<Aggregate>,
        served: Option<&str>,
        warn: impl FnOnce(&str),
    ) -> Option<Record> {
        let root = self.root()?;
        let eval = self.eval()?;
        let times = Times::of(root);
        let retrieved = options
            .retrieved_timestamp
            .clone()
            .or_else(|| times.end.map(time::stamp));
        if retrieved.is_none() {
            warn("the log names no time, so `retrieved_timestamp` is 0");
        }
        let mut model_info = model::model_info(&self.frame.model);
        // What was asked for and what answered may differ, as `gpt-4o` and one of its dated versions do.
        let asked = self.frame.model.rsplit('/').next();
        if let Some(served) = served.filter(|served| served.rsplit('/').next() != asked) {
            model_info
                .additional_details
                .insert("served_model".to_owned(), served.to_owned());
        }
        if let Some(name) = &options.inference_engine {
            model_info.inference_engine = Some(assay_formats::eee::record::Engine {
                name: Some(name.clone()),
                version: options.inference_engine_version.clone(),
            });
        }
        let unbounded = aggregates
            .iter()
            .filter(|result| result.is_unbounded())
            .count();
        let mut record = Record::new(
            self.frame.evaluation_id.clone(),
            retrieved.unwrap_or_else(|| "0".to_owned()),
            source_metadata(options, unbounded),
            library(eval, options),
            model_info,
        );
        record.evaluation_timestamp = times.start.map(time::stamp);
        let source_data = dataset::source_data(eval, aggregates.len());
        let generation = generation::generation(root);
        record.evaluation_results = aggregates
            .into_iter()
            .map(|aggregate| EvaluationResult {
                evaluation_result_id: aggregate.id,
                evaluation_name: self.frame.evaluation_name.clone(),
                source_data: source_data.clone(),
                evaluation_timestamp: times.start.map(time::stamp),
                metric_config: aggregate.metric,
                score_details: aggregate.score,
                generation_config: Some(generation.clone()),
            })
            .collect();
        Some(record)
    }
}

/// When a run began and ended.
struct Times {
    start: Option<f64>,
    end: Option<f64>,
}

impl Times {
    fn of(root: Value<'_>) -> Self {
        let stats = root.present("stats");
        let read = |map: Option<Value<'_>>, key: &str| time::unix_seconds(&map?.text_of(key)?);
        let start = read(stats, "started_at").or_else(|| read(root.present("eval"), "created"));
        Self {
            start,
            end: read(stats, "completed_at").or(start),
        }
    }
}

fn frame(root: Value<'_>, eval: Value<'_>, aggregates: Vec<Aggregate>) -> Frame {
    let model = eval.text_of("model").unwrap_or_default().into_owned();
    let info = model::model_info(&model);
    let start = Times::of(root).start;
    let named = |key: &str| eval.text_of(key).filter(|name| !name.trim().is_empty());
    let evaluation_name = named("task_display_name")
        .or_else(|| named("task"))
        .map_or_else(|| dataset::dataset_name(eval), std::borrow::Cow::into_owned);
    Frame {
        evaluation_id: format!(
            "{}/{}/{}",
            dataset::dataset_name(eval),
            info.name.replace('/', "_"),
            start.map_or_else(|| "0".to_owned(), time::stamp)
        ),
        evaluation_name,
        model_id: info.id,
        model,
        judges: judges::names(root),
        aggregates,
    }
}

fn source_metadata(options: &Options, unbounded: usize) -> SourceMetadata {
    let mut additional_details = Details::new();
    if unbounded > 0 {
        additional_details.insert(
            "metrics_with_unknown_bounds".to_owned(),
            unbounded.to_string(),
        );
    }
    SourceMetadata {
        source_name: Some(
            options
                .source_name
                .clone()
                .unwrap_or_else(|| LIBRARY.to_owned()),
        ),
        source_type: "evaluation_run",
        source_organization_name: options.organization.clone(),
        source_organization_url: options.organization_url.clone(),
        source_organization_logo_url: options.organization_logo_url.clone(),
        evaluator_relationship: options.relationship.as_str(),
        additional_details,
    }
}

fn library(eval: Value<'_>, options: &Options) -> Library {
    let packages: Vec<String> = eval
        .get("packages")
        .into_iter()
        .flat_map(Value::entries)
        .filter_map(|(name, version)| Some(format!("{}:{}", name.text()?, version.text()?)))
        .collect();
    let version = if packages.is_empty() {
        options
            .library_version
            .clone()
            .unwrap_or_else(|| "unknown".to_owned())
    } else {
        packages.join(",")
    };
    Library {
        name: options
            .library_name
            .clone()
            .unwrap_or_else(|| LIBRARY.to_owned()),
        version,
        additional_details: Details::new(),
    }
}

/// The results of a log that has none of its own: for each scorer the mean over the samples that it scored.
#[derive(Debug, Default)]
pub(super) struct Means {
    sums: BTreeMap<String, Mean>,
}

#[derive(Debug)]
struct Mean {
    scorer: String,
    name: String,
    sum: f64,
    /// The mean so far, for sums that are too large to be held.
    running: f64,
    rows: u32,
    samples: u32,
}

impl Means {
    /// Counts a score.
    pub(super) fn add(&mut self, tally: Tally) {
        let mean = self.sums.entry(tally.id).or_insert(Mean {
            scorer: tally.scorer,
            name: tally.name,
            sum: 0.0,
            running: 0.0,
            rows: 0,
            samples: 0,
        });
        mean.sum += tally.score;
        mean.rows = mean.rows.saturating_add(1);
        let rows = f64::from(mean.rows);
        mean.running += tally.score / rows - mean.running / rows;
        mean.samples = mean.samples.saturating_add(u32::from(tally.is_first_epoch));
    }

    /// The means as results that say where they come from.
    pub(super) fn aggregates(self, status: &str) -> Vec<Aggregate> {
        self.sums
            .into_iter()
            .map(|(id, mean)| {
                let score = if mean.sum.is_finite() {
                    mean.sum / f64::from(mean.rows.max(1))
                } else {
                    mean.running
                };
                let mut metric = metric_config("mean", score);
                metric.evaluation_description = Some(format!(
                    "mean over the samples that were scored, computed from them because the log has status `{status}` and no results"
                ));
                let details = [("status", status), ("computed_from", "samples")];
                let samples = if mean.samples == 0 { mean.rows } else { mean.samples };
                Aggregate {
                    id,
                    scorer: mean.scorer,
                    name: mean.name,
                    members: Members::All,
                    metric,
                    score: ScoreDetails {
                        score,
                        details: details.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
                        uncertainty: Some(Uncertainty {
                            num_samples: Some(u64::from(samples)),
                            ..Uncertainty::default()
                        }),
                    },
                }
            })
            .filter(|aggregate| aggregate.score.score.is_finite())
            .collect()
    }
}
