//! A record as columns.

use std::borrow::Cow;
use std::collections::HashMap;

use assay_formats::Value;
use assay_formats::eee::{setup_of, uuid_of};

use assay_model::Setup;
use serde_json::Value as Json;

use crate::batch::{Batch, Cell};
use crate::moment::microseconds;
use crate::partition::Partition;
use crate::place::RecordPlace;
use crate::results::setup_text;
use crate::value::{at, integer_at, number_at, text_at};

/// What a benchmark is called when neither the path nor the record names one.
const UNKNOWN: &str = "unknown";
/// Which rows of `results` come from a record.
const ORIGIN: &str = "record";

/// What the samples of a record need to know of it.
#[derive(Debug)]
pub(crate) struct RecordFacts {
    /// What rows carry as `record_id`.
    pub(crate) id: String,
    /// The benchmark and model.
    pub(crate) partition: Partition,
    /// The place of the record, which gives names.
    place: RecordPlace,
    /// The metric of each result that has an id.
    metrics: HashMap<String, Option<String>>,
    /// The metric of each task that has only one.
    only_metric: HashMap<String, Option<String>>,
    /// The metric of all results, when they have the same.
    single_metric: Option<String>,
}

/// What is known of a record beside what it says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) path: &'a str,
    pub(crate) digest: &'a str,
    pub(crate) samples_digest: Option<&'a str>,
    pub(crate) instances: u64,
}

impl RecordFacts {
    /// Reads what a record says of itself.
    pub(crate) fn read(record: Value<'_>, path: &str, digest: &str, place: &RecordPlace) -> Self {
        let (mut metrics, mut only_metric) = (HashMap::new(), HashMap::new());
        for result in results(record) {
            let metric = metric(result);
            if let Some(id) = text_at(result, &["evaluation_result_id"]) {
                metrics.insert(id.into_owned(), metric.clone());
            }
            let task = text_at(result, &["evaluation_name"]).unwrap_or_default();
            only_metric
                .entry(task.into_owned())
                .and_modify(|known: &mut Option<String>| {
                    // Two results of one task: a row that names neither could belong to both.
                    if *known != metric {
                        *known = None;
                    }
                })
                .or_insert(metric);
        }
        Self {
            id: id_of(path, digest),
            partition: Partition {
                benchmark: benchmark(record, place),
                model: place
                    .model_name(text_at(record, &["model_info", "id"]).unwrap_or_default())
                    .into_owned(),
            },
            place: place.clone(),
            single_metric: single_metric(record),
            metrics,
            only_metric,
        }
    }

    /// The metric of a row.
    pub(crate) fn metric(&self, result_id: Option<&str>, task: Option<&str>) -> Option<&str> {
        let of_result = result_id.and_then(|id| self.metrics.get(id));
        let of_task = || task.and_then(|task| self.only_metric.get(task));
        let known = of_result.or_else(of_task).unwrap_or(&self.single_metric);
        known.as_deref()
    }

    /// Returns the task of an evaluation that the record calls so.
    pub(crate) fn task_name<'n>(&self, stated: Cow<'n, str>) -> Cow<'n, str> {
        self.place.task_name(stated)
    }

    /// Adds the row of the record.
    pub(crate) fn push_record(&self, record: Value<'_>, origin: Origin<'_>, batch: &mut Batch) {
        let text = |way: &[&str]| text_at(record, way);
        let moment = |key: &str| text_at(record, &[key]).and_then(|text| microseconds(&text));
        let evaluation_id = text(&["evaluation_id"]);
        let schema_version = text(&["schema_version"]);
        let name = text(&["model_info", "name"]);
        let developer = text(&["model_info", "developer"]);
        let platform = text(&["model_info", "inference_platform"]);
        let engine = text(&["model_info", "inference_engine", "name"])
            .or_else(|| text(&["model_info", "inference_engine"]));
        let deployment = text(&["model_info", "additional_details", "deployment_type"]);
        let availability = text(&["model_info", "additional_details", "model_availability"]);
        let library = text(&["eval_library", "name"]);
        let library_version = text(&["eval_library", "version"]);
        let source_name = text(&["source_metadata", "source_name"]);
        let source_type = text(&["source_metadata", "source_type"]);
        let reported_by = text(&["source_metadata", "source_organization_name"]);
        let relationship = text(&["source_metadata", "evaluator_relationship"]);
        let count = results(record).count();
        batch.push(&[
            Cell::Text(Some(&self.partition.benchmark)),
            Cell::Text(Some(&self.partition.model)),
            Cell::Text(Some(&self.id)),
            Cell::Text(evaluation_id.as_deref()),
            Cell::Text(schema_version.as_deref()),
            Cell::Text(name.as_deref()),
            Cell::Text(developer.as_deref()),
            Cell::Text(platform.as_deref()),
            Cell::Text(engine.as_deref()),
            Cell::Text(deployment.as_deref()),
            Cell::Text(availability.as_deref()),
            Cell::Text(library.as_deref()),
            Cell::Text(library_version.as_deref()),
            Cell::Text(source_name.as_deref()),
            Cell::Text(source_type.as_deref()),
            Cell::Text(reported_by.as_deref()),
            Cell::Text(relationship.as_deref()),
            Cell::Moment(moment("evaluation_timestamp")),
            Cell::Moment(moment("retrieved_timestamp")),
            Cell::Integer(i64::try_from(count).ok()),
            Cell::Integer(i64::try_from(origin.instances).ok()),
            Cell::Text(Some(origin.path)),
            Cell::Text(Some(origin.digest)),
            Cell::Text(origin.samples_digest),
        ]);
    }

    /// Adds a row for each score of the record, and returns how many there are.
    pub(crate) fn push_results(&self, record: Value<'_>, batch: &mut Batch) -> u64 {
        let mut count = 0;
        let whole: Json = serde_json::from_str(record.raw()).unwrap_or_default();
        let list = whole["evaluation_results"].as_array();
        for (position, result) in results(record).enumerate() {
            let own = list.and_then(|list| list.get(position));
            let setup = own.map(|own| setup_of(&whole, own));
            self.push_result(record, (result, setup.as_ref()), position, batch);
            count += 1;
        }
        count
    }

    fn push_result(
        &self,
        record: Value<'_>,
        (result, setup): (Value<'_>, Option<&Setup>),
        position: usize,
        batch: &mut Batch,
    ) {
        let text = |way: &[&str]| text_at(result, way);
        let number = |way: &[&str]| number_at(result, way);
        let uncertainty = |way: &[&str]| {
            let whole = at(result, &["score_details", "uncertainty"])?;
            number_at(whole, way)
        };
        let config = |key: &str| text(&["metric_config", key]);
        let task = self
            .place
            .task_name(text(&["evaluation_name"]).unwrap_or_default());
        let metric = metric(result);
        let (score_type, unit) = (config("score_type"), config("metric_unit"));
        let dataset =
            text(&["source_data", "hf_repo"]).or_else(|| text(&["source_data", "dataset_name"]));
        let library = text_at(record, &["eval_library", "name"]);
        let reported_by = text_at(record, &["source_metadata", "source_organization_name"]);
        let relationship = text_at(record, &["source_metadata", "evaluator_relationship"]);
        let evaluated_at = text(&["evaluation_timestamp"])
            .or_else(|| text_at(record, &["evaluation_timestamp"]))
            .and_then(|text| microseconds(&text));
        let samples = integer_at(result, &["score_details", "uncertainty", "num_samples"])
            .or_else(|| integer_at(result, &["source_data", "samples_number"]));
        let result_id = text(&["evaluation_result_id"]);
        let library_version = text_at(record, &["eval_library", "version"]);
        let source_name = text_at(record, &["source_metadata", "source_name"]);
        let retrieved_at = text_at(record, &["retrieved_timestamp"]);
        let retrieved_at = retrieved_at.and_then(|text| microseconds(&text));
        let uncertainty_method = at(result, &["score_details", "uncertainty"])
            .and_then(|own| text_at(own, &["standard_error", "method"]));
        batch.push(&[
            Cell::Text(Some(&self.partition.benchmark)),
            Cell::Text(Some(&task)),
            Cell::Text(Some(&self.partition.model)),
            Cell::Text(metric.as_deref()),
            Cell::Number(number(&["score_details", "score"])),
            Cell::Truth(at(result, &["metric_config", "lower_is_better"]).and_then(Value::truth)),
            Cell::Text(score_type.as_deref()),
            Cell::Text(unit.as_deref()),
            Cell::Number(number(&["metric_config", "min_score"])),
            Cell::Number(number(&["metric_config", "max_score"])),
            Cell::Number(
                uncertainty(&["standard_error", "value"])
                    .or_else(|| uncertainty(&["standard_error"])),
            ),
            Cell::Number(uncertainty(&["confidence_interval", "lower"])),
            Cell::Number(uncertainty(&["confidence_interval", "upper"])),
            Cell::Number(uncertainty(&["confidence_interval", "confidence_level"])),
            Cell::Number(uncertainty(&["standard_deviation"])),
            Cell::Integer(samples),
            Cell::Text(None),
            Cell::Text(dataset.as_deref()),
            Cell::Text(None),
            Cell::Text(None),
            Cell::Text(library.as_deref()),
            Cell::Text(reported_by.as_deref()),
            Cell::Text(relationship.as_deref()),
            Cell::Moment(evaluated_at),
            Cell::Number(number(&[
                "generation_config",
                "generation_args",
                "temperature",
            ])),
            Cell::Text(Some(ORIGIN)),
            Cell::Text(Some(&self.id)),
            Cell::Text(result_id.as_deref()),
            Cell::Integer(i64::try_from(position).ok()),
            Cell::Integer(i64::try_from(position).ok()),
            Cell::Text(setup.and_then(|setup| setup.get(Setup::SUBSET))),
            Cell::Text(setup.and_then(setup_text).as_deref()),
            Cell::Text(None),
            Cell::Text(None),
            Cell::Text(uncertainty_method.as_deref()),
            Cell::Text(library_version.as_deref()),
            Cell::Text(source_name.as_deref()),
            Cell::Text(None),
            Cell::Moment(None),
            Cell::Moment(retrieved_at),
            Cell::Number(None),
            Cell::Integer(None),
            Cell::Number(None),
            Cell::Text(None),
        ]);
    }
}

/// What a record is known by: its UUID, or its digest when it is named otherwise.
pub(crate) fn id_of(path: &str, digest: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    uuid_of(name).unwrap_or(digest).to_owned()
}

fn results(record: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    record
        .get("evaluation_results")
        .into_iter()
        .flat_map(Value::items)
}

fn metric(result: Value<'_>) -> Option<String> {
    let config = |key: &str| text_at(result, &["metric_config", key]);
    let metric = config("metric_id").or_else(|| config("metric_name"))?;
    Some(metric.into_owned())
}

/// The metric that all results of a record have.
fn single_metric(record: Value<'_>) -> Option<String> {
    let mut all = results(record).map(metric);
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first))
        .then_some(first)
}

/// The benchmark that a record belongs to: the one whose directory it lies in, else the dataset of
/// its first result.
fn benchmark(record: Value<'_>, place: &RecordPlace) -> String {
    if let Some(benchmark) = place.benchmark() {
        return benchmark.to_owned();
    }
    let dataset = results(record)
        .next()
        .and_then(|result| text_at(result, &["source_data", "dataset_name"]));
    dataset.map_or_else(|| UNKNOWN.to_owned(), std::borrow::Cow::into_owned)
}
