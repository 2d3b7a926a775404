//! Results in the `model-index` of an old card.

use assay_model::{Entry, Number, Score, Source, Standing, StatedUncertainty};
use serde_json::{Map, Value as Json};

use super::report::Report;
use crate::Value;

/// Number of values of a `model-index` that are read.
pub const MAX_LEGACY_METRICS: usize = 2000;
/// The longest name or address that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 1024;

const KEY: &str = "model-index";

/// A result of an old card. Whatever it claims, nobody has checked it, and its task is not one that
/// a benchmark defines.
#[derive(Debug, Clone, PartialEq)]
pub struct LegacyEntry {
    /// The result. Its task is the configuration of the dataset, or else the kind of task: an old
    /// card has no better.
    pub entry: Entry,
    /// The name that the card gives the dataset.
    pub dataset_name: Option<String>,
    /// The kind of task, such as `text-generation`.
    pub task_type: Option<String>,
    /// True if the card claims that the result is verified.
    pub claims_verified: bool,
}

impl LegacyEntry {
    /// Unverified, whatever it claims.
    pub fn standing(&self) -> Standing {
        Standing::Unverified {
            reason: "legacy".to_owned(),
            detail: "the result is from the `model-index` of a card, which carries no evidence"
                .to_owned(),
        }
    }
}

/// Reads the results of a card, and takes a `model-index` that clients would stumble over out of
/// its data.
pub(super) fn read(
    root: Value<'_>,
    data: &mut Map<String, Json>,
    report: &mut Report,
) -> Vec<LegacyEntry> {
    let Some(index) = root.present(KEY) else {
        return Vec::new();
    };
    if !data.get(KEY).is_some_and(is_sound) {
        report.error("`model-index` is not a list of models with `name` and `results`, each with `task.type`, `dataset.type`, `dataset.name` and `metrics`; it is left out");
        data.shift_remove(KEY);
    }
    let mut entries = Vec::new();
    let (mut left, mut lost) = (MAX_LEGACY_METRICS, 0);
    let models = index.items();
    let results = models.filter_map(|model| model.present("results"));
    for result in results.flat_map(Value::items) {
        match entry(result, &mut left) {
            Some(entry) => entries.push(entry),
            None => lost += 1,
        }
    }
    if lost > 0 {
        report.warn(format!(
            "{lost} of the results in `model-index` have no dataset id or no number, and are left out"
        ));
    }
    entries
}

fn entry(result: Value<'_>, left: &mut usize) -> Option<LegacyEntry> {
    let dataset = result.present("dataset")?;
    let task = result.present("task").and_then(|task| text(task, "type"));
    let names = [text(dataset, "config"), task.clone()];
    let scores = scores(result.present("metrics")?, left);
    if scores.is_empty() {
        return None;
    }
    let metrics = result.present("metrics")?.items();
    let claims = metrics.filter_map(|metric| metric.get("verified")?.truth());
    Some(LegacyEntry {
        entry: Entry {
            dataset_revision: text(dataset, "revision").and_then(|text| text.parse().ok()),
            source: result.present("source").and_then(source),
            ..Entry::new(
                dataset.text_of("type")?.parse().ok()?,
                names.iter().flatten().find_map(|name| name.parse().ok())?,
                scores,
            )
        },
        dataset_name: text(dataset, "name"),
        task_type: task,
        claims_verified: claims.into_iter().any(|claim| claim),
    })
}

/// The values that are finite numbers of a named metric.
fn scores(metrics: Value<'_>, left: &mut usize) -> Vec<Score> {
    let mut scores = Vec::new();
    for metric in metrics.items() {
        let Some(score) = score(metric) else {
            continue;
        };
        if *left == 0 {
            break;
        }
        *left -= 1;
        scores.push(score);
    }
    scores
}

fn score(metric: Value<'_>) -> Option<Score> {
    let value = metric.present("value")?;
    Some(Score {
        metric: Some(metric.text_of("type")?.parse().ok()?),
        value: Number::new(value.number()?)?,
        literal: value.raw().to_owned(),
        slice: None,
        value_type: None,
        sample_size: None,
        uncertainty: StatedUncertainty::default(),
        context: None,
    })
}

fn source(source: Value<'_>) -> Option<Source> {
    Some(Source {
        url: text(source, "url")?,
        name: text(source, "name"),
        user: None,
        org: None,
    })
}

/// A text that is not too long to be what it should be.
fn text(map: Value<'_>, key: &str) -> Option<String> {
    let text = map.text_of(key)?;
    (!text.is_empty() && text.len() <= MAX_TEXT_BYTES).then(|| text.into_owned())
}

/// Returns whether the constructor of a client can read it: some missing or mistyped values make it
/// raise, and then the model cannot be requested at all.
fn is_sound(index: &Json) -> bool {
    let Some(models) = index.as_array() else {
        return false;
    };
    models.iter().all(|model| {
        let results = model.get("results").and_then(Json::as_array);
        model.get("name").is_some() && results.is_some_and(|results| results.iter().all(is_result))
    })
}

fn is_result(result: &Json) -> bool {
    let has = |part: &str, keys: &[&str]| {
        result
            .get(part)
            .and_then(Json::as_object)
            .is_some_and(|part| keys.iter().all(|key| part.contains_key(*key)))
    };
    let is_metric = |metric: &Json| metric.get("type").is_some() && metric.get("value").is_some();
    let metrics = result.get("metrics").and_then(Json::as_array);
    let source = match result.get("source") {
        None | Some(Json::Null) => true,
        Some(Json::Object(source)) => {
            let given = |key: &str| source.get(key).is_some_and(|value| !value.is_null());
            given("url") || !given("name")
        }
        Some(_) => false,
    };
    has("task", &["type"])
        && has("dataset", &["type", "name"])
        && metrics.is_some_and(|metrics| metrics.iter().all(is_metric))
        && source
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_without_results_is_sound_and_one_of_texts_is_not() {
        let sound = |text: &str| is_sound(&serde_json::from_str(text).unwrap());

        assert!(sound(r#"[{"name": "m", "results": []}]"#));
        assert!(sound("[]"));
        for text in [
            r#""m""#,
            "{}",
            r#"["m"]"#,
            r#"[{"results": []}]"#,
            r#"[{"name": "m", "results": ["r"]}]"#,
            r#"[{"name": "m", "results": [{"task": {"type": "t"}, "dataset": {"type": "d", "name": "D"}, "metrics": [], "source": "s"}]}]"#,
            r#"[{"name": "m", "results": [{"task": {"type": "t"}, "dataset": {"type": "d", "name": "D"}, "metrics": [], "source": {"name": "s"}}]}]"#,
            r#"[{"name": "m", "results": [{"task": {"type": "t"}, "dataset": {"type": "d"}, "metrics": []}]}]"#,
        ] {
            assert!(!sound(text), "{text}");
        }
    }
}
