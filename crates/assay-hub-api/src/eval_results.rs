use assay_model::{MetricId, Number, RepoId, StatedUncertainty, TaskId, ValueType};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json};

use super::known_items::known_items;

/// One item of a model's `evalResults`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EvalResult {
    /// The file.
    pub filename: String,
    /// True if the signed evidence was checked and holds.
    pub verified: bool,
    /// The standing of the signed evidence, with its reason.
    pub standing: super::BoardStanding,
    /// The entry.
    pub data: ResultData,
    /// The open pull request that brings it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<u32>,
    /// What pages show beside it. `leaderboard` means that the board of its benchmark has it.
    #[serde(default, deserialize_with = "known_items")]
    pub badges: Vec<super::Badge>,
}

/// An entry in both dialects at once: clients in use read `value` and `verifyToken` and pass over
/// the rest, those of the target format find `metrics` and `verify_token`.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultData {
    /// The benchmark.
    pub dataset: ResultDataset,
    /// The value of the primary metric; the first listed when the entry lacks that. Clients stumble
    /// without it.
    pub value: Number,
    /// The metric that `value` is of.
    pub metric_id: Option<MetricId>,
    /// Every value.
    pub metrics: Vec<ResultMetric>,
    /// The signed token.
    pub token: Option<String>,
    /// The date of the evaluation, or when the file was created.
    pub date: Option<String>,
    /// The source. Clients stumble over one without an address.
    pub source: Option<ResultSource>,
    /// The setup in words.
    pub notes: Option<String>,
    /// The program that ran the evaluation.
    pub framework: Option<ResultFramework>,
    /// The commit of the model.
    pub model_revision: Option<String>,
    /// The other keys of the file. A key that has a field of its own is not repeated.
    pub extra: Map<String, Json>,
}

/// The benchmark and task of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResultDataset {
    /// The benchmark.
    pub id: RepoId,
    /// The task.
    pub task_id: TaskId,
    /// The commit of the benchmark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// One value of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResultMetric {
    /// The metric.
    pub metric_id: MetricId,
    /// The value.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub value: Number,
    /// The subset it applies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slice: Option<String>,
    /// The kind of number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// Number of samples that it was computed from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample_size: Option<u64>,
    /// The uncertainty that the entry states, in the unit of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub uncertainty: Option<StatedUncertainty>,
    /// The parameters of the metric, such as a range of thresholds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metric_context: Option<Json>,
    /// The normalisation of texts for this metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalization: Option<String>,
}

/// The source of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResultSource {
    /// The address.
    pub url: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The user that it credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The organisation that it credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
}

/// The program that ran an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ResultFramework {
    /// Such as `inspect-ai`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// The keys that clients give a meaning to. What a file says under them is told only after it was
/// understood.
const OWN_KEYS: [&str; 13] = [
    "dataset",
    "value",
    "metricId",
    "metrics",
    "verifyToken",
    "verify_token",
    "date",
    "source",
    "notes",
    "framework",
    "model_revision",
    "data",
    "error",
];

impl Serialize for ResultData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut data = serializer.serialize_map(None)?;
        data.serialize_entry("dataset", &self.dataset)?;
        data.serialize_entry("value", &self.value.get())?;
        entry(&mut data, "metricId", self.metric_id.as_ref())?;
        if !self.metrics.is_empty() {
            data.serialize_entry("metrics", &self.metrics)?;
        }
        entry(&mut data, "verifyToken", self.token.as_ref())?;
        entry(&mut data, "verify_token", self.token.as_ref())?;
        entry(&mut data, "date", self.date.as_ref())?;
        entry(&mut data, "source", self.source.as_ref())?;
        entry(&mut data, "notes", self.notes.as_ref())?;
        entry(&mut data, "framework", self.framework.as_ref())?;
        entry(&mut data, "model_revision", self.model_revision.as_ref())?;
        let others = self.extra.iter();
        for (key, value) in others.filter(|(key, _)| !OWN_KEYS.contains(&key.as_str())) {
            data.serialize_entry(key, value)?;
        }
        data.end()
    }
}

impl<'de> Deserialize<'de> for ResultData {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawData::deserialize(deserializer)?;
        let mut extra = raw.extra;
        extra.retain(|key, _| !OWN_KEYS.contains(&key.as_str()));
        Ok(Self {
            dataset: raw.dataset,
            value: raw.value,
            metric_id: raw.metric_id,
            metrics: raw.metrics,
            token: raw.verify_token,
            date: raw.date,
            source: raw.source,
            notes: raw.notes,
            framework: raw.framework,
            model_revision: raw.model_revision,
            extra,
        })
    }
}

/// The keys of an entry as they are written.
#[derive(Deserialize)]
struct RawData {
    dataset: ResultDataset,
    value: Number,
    #[serde(rename = "metricId")]
    metric_id: Option<MetricId>,
    #[serde(default)]
    metrics: Vec<ResultMetric>,
    verify_token: Option<String>,
    date: Option<String>,
    source: Option<ResultSource>,
    notes: Option<String>,
    framework: Option<ResultFramework>,
    model_revision: Option<String>,
    #[serde(flatten)]
    extra: Map<String, Json>,
}

fn entry<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    value: Option<&impl Serialize>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(key, value),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Badge, BoardStanding};

    fn data() -> ResultData {
        ResultData {
            dataset: ResultDataset {
                id: "alice/Bench".parse().unwrap(),
                task_id: "default".parse().unwrap(),
                revision: None,
            },
            value: "72.25".parse().unwrap(),
            metric_id: None,
            metrics: Vec::new(),
            token: None,
            date: None,
            source: None,
            notes: None,
            framework: None,
            model_revision: None,
            extra: Map::new(),
        }
    }

    #[test]
    fn t2_the_live_client_finds_the_value_and_the_token() {
        let metrics = [("wer", "3.5"), ("accuracy", "72.25")];
        let item = EvalResult {
            filename: ".eval_results/bench.yaml".to_owned(),
            verified: false,
            standing: BoardStanding {
                state: "unverified".to_owned(),
                verified: false,
                reason: Some("bad_signature".to_owned()),
                detail: None,
                hint: None,
                attested: None,
            },
            data: ResultData {
                metric_id: Some("accuracy".parse().unwrap()),
                metrics: metrics
                    .map(|(id, value)| ResultMetric {
                        metric_id: id.parse().unwrap(),
                        value: value.parse().unwrap(),
                        slice: None,
                        value_type: None,
                        sample_size: None,
                        uncertainty: None,
                        metric_context: None,
                        normalization: None,
                    })
                    .to_vec(),
                token: Some("eyJ".to_owned()),
                date: Some("2026-02-15".to_owned()),
                ..data()
            },
            pull_request: Some(1),
            badges: vec![Badge::Community],
        };

        let json = serde_json::to_value(&item).unwrap();

        assert_eq!(EvalResult::deserialize(&json).unwrap(), item);
        assert_eq!(
            json,
            json!({
                "filename": ".eval_results/bench.yaml",
                "verified": false,
                "standing": {"state": "unverified", "verified": false, "reason": "bad_signature"},
                "pullRequest": 1,
                "badges": ["community"],
                "data": {
                    "dataset": {"id": "alice/Bench", "task_id": "default"},
                    "value": 72.25,
                    "metricId": "accuracy",
                    "metrics": [{"metric_id": "wer", "value": 3.5}, {"metric_id": "accuracy", "value": 72.25}],
                    "verifyToken": "eyJ",
                    "verify_token": "eyJ",
                    "date": "2026-02-15",
                },
            })
        );
    }

    #[test]
    fn what_else_the_file_says_is_kept_but_not_under_a_key_that_clients_trust() {
        let extra =
            json!({"run": {"seed": 7}, "value": "high", "source": {"name": "x"}, "error": "no"});
        let Json::Object(extra) = extra else {
            panic!("an object was written");
        };
        let data = ResultData { extra, ..data() };

        let json = serde_json::to_string(&data).unwrap();

        assert_eq!(
            json,
            r#"{"dataset":{"id":"alice/Bench","task_id":"default"},"value":72.25,"run":{"seed":7}}"#
        );
    }
}
