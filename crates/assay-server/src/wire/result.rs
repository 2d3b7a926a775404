use assay_app::EvalResult;
use assay_hub_api as hub_api;
use assay_model::{Number, ValueType};
use serde_json::{Map, Value};

/// A result as a model's page lists it. The entry is told key by key: what a client's parser cannot
/// read is left out, so that one odd file never breaks the page for everybody.
pub(crate) fn eval_result(result: &EvalResult) -> hub_api::EvalResult {
    hub_api::EvalResult {
        filename: result.file.clone(),
        verified: result.standing.is_verified(),
        standing: super::standing(&result.standing),
        data: data(result),
        pull_request: result.pull,
        badges: super::board::badges(result),
    }
}

fn data(result: &EvalResult) -> hub_api::ResultData {
    let data = result.data();
    let entry = &data;
    hub_api::ResultData {
        dataset: hub_api::ResultDataset {
            id: result.dataset.clone(),
            task_id: result.task.clone(),
            revision: text(entry.get("dataset").and_then(|own| own.get("revision"))),
        },
        value: number(result.value),
        metric_id: result.value_metric.clone(),
        metrics: metrics(entry),
        token: text(entry.get("verifyToken")).or_else(|| text(entry.get("verify_token"))),
        date: Some(result.date.clone()),
        source: source(result, entry),
        notes: result.notes.clone(),
        framework: framework(entry),
        model_revision: text(entry.get("model_revision")),
        extra: data,
    }
}

/// Every value of an entry that names its metric.
fn metrics(entry: &Map<String, Value>) -> Vec<hub_api::ResultMetric> {
    let listed = entry.get("metrics").and_then(Value::as_array);
    let read = |metric: &Value| {
        Some(hub_api::ResultMetric {
            metric_id: metric.get("metric_id")?.as_str()?.parse().ok()?,
            value: Number::new(metric.get("value")?.as_f64()?)?,
            slice: text(metric.get("slice")),
            value_type: value_type(metric.get("value_type")),
            sample_size: metric.get("sample_size").and_then(Value::as_u64),
            uncertainty: metric
                .get("uncertainty")
                .and_then(|stated| serde_json::from_value(stated.clone()).ok()),
            metric_context: metric.get("metric_context").cloned(),
            normalization: text(metric.get("normalization")),
        })
    };
    listed.into_iter().flatten().filter_map(read).collect()
}

/// Returns the source of the entry, when it has an address: clients stumble over one without.
fn source(result: &EvalResult, entry: &Map<String, Value>) -> Option<hub_api::ResultSource> {
    let written = entry.get("source");
    Some(hub_api::ResultSource {
        url: result.source_url.clone()?,
        name: result.source_name.clone(),
        user: text(written.and_then(|own| own.get("user"))),
        org: text(written.and_then(|own| own.get("org"))),
    })
}

/// Returns the program that ran the evaluation.
fn framework(entry: &Map<String, Value>) -> Option<hub_api::ResultFramework> {
    let written = entry.get("framework")?.as_object()?;
    Some(hub_api::ResultFramework {
        name: text(written.get("name")),
        version: text(written.get("version")),
        command: text(written.get("command")),
    })
}

fn value_type(value: Option<&Value>) -> Option<ValueType> {
    value?.as_str()?.parse().ok()
}

fn text(value: Option<&Value>) -> Option<String> {
    value?.as_str().map(str::to_owned)
}

/// The index keeps finite numbers only.
fn number(value: f64) -> Number {
    Number::new(value).unwrap_or_else(|| Number::new(0.0).expect("zero is a finite number"))
}
