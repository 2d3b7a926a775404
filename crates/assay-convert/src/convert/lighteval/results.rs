use std::collections::HashSet;

use assay_formats::json::{self, Layout, Node};
use assay_formats::{Kind, Value};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::convert::Refusal;
use crate::convert::model_name::{is_path, loaded_model};

/// The beginning of the name of a results file, before its date.
const PREFIX: &str = "results_";
/// The row over all tasks, which lighteval derives from the others.
const ALL: &str = "all";
/// The row over the subsets of a task, which lighteval derives from the others.
const AVERAGE: &str = "_average";

/// The content of a results file.
pub(super) struct Results<'d> {
    root: Value<'d>,
    /// `config_general`.
    pub(super) general: Value<'d>,
    /// The model as the log names it.
    pub(super) model_name: String,
    /// The model as `developer/model`.
    pub(super) model_id: String,
    /// The digest of the path of a model on somebody's disk.
    pub(super) path_digest: Option<String>,
    /// The date in the file name, as it stands there.
    pub(super) date: Option<String>,
    /// The same as Unix seconds. The clock in the log is a counter without a beginning, and of no
    /// use.
    pub(super) time: Option<i64>,
}

/// One task of a results file.
pub(super) struct Task<'d> {
    /// The task as the log names it: `task:subset|shots`, before 0.11 `suite|task:subset|shots`.
    pub(super) key: String,
    /// The suite, where there is one.
    pub(super) suite: Option<String>,
    /// The name of the evaluation: `task:subset`.
    pub(super) name: String,
    /// Number of examples that were shown.
    pub(super) shots: Option<String>,
    /// The scores.
    pub(super) scores: Value<'d>,
    /// Its entry in `config_tasks`.
    pub(super) config: Option<Value<'d>>,
    /// Its version.
    pub(super) version: Option<String>,
}

impl<'d> Results<'d> {
    pub(super) fn of(root: Value<'d>, path: &str) -> Result<Self, Refusal> {
        let general = root.get("config_general");
        let (Some(general), Some(_)) = (general, root.get("results")) else {
            let message = format!(
                "`{path}` has no `config_general` and `results`, as results of lighteval have"
            );
            return Err(Refusal::Nothing(message));
        };
        let model_name = model_name(general).unwrap_or_else(|| "unknown".to_owned());
        let date = date_of(path);
        let loaded = is_path(&model_name).then(|| loaded_model(&model_name));
        Ok(Self {
            root,
            general,
            model_id: model_id(&model_name),
            path_digest: loaded.and_then(|loaded| loaded.path_digest),
            model_name,
            time: date.as_deref().and_then(seconds),
            date,
        })
    }

    /// The tasks, without the rows that are derived from others. Of a key that comes twice the
    /// first counts, so that no two records have one name.
    pub(super) fn tasks(&self) -> Vec<Task<'d>> {
        let mut keys = HashSet::new();
        let rows = self
            .root
            .get("results")
            .into_iter()
            .flat_map(Value::entries);
        rows.filter_map(|(key, scores)| self.task(&key.text()?, scores))
            .filter(|task| keys.insert(task.key.clone()))
            .collect()
    }

    fn task(&self, key: &str, scores: Value<'d>) -> Option<Task<'d>> {
        let parts: Vec<&str> = key.split('|').collect();
        let derived = |part: &&str| part.rsplit(':').next() == Some(AVERAGE);
        if key == ALL || parts.iter().any(derived) || scores.kind() != Kind::Map {
            return None;
        }
        let (suite, name, shots) = match *parts.as_slice() {
            [] => (None, key, None),
            [name] => (None, name, None),
            [name, shots] => (None, name, Some(shots)),
            [suite, name, shots, ..] => (Some(suite), name, Some(shots)),
        };
        // Before 0.11 the key of a configuration has no shots.
        let without_shots = suite.map(|suite| format!("{suite}|{name}"));
        let config = self.root.get("config_tasks").and_then(|configs| {
            let by_key = configs.get(key);
            by_key
                .or_else(|| configs.get(&without_shots?))
                .or_else(|| configs.get(name))
        });
        let versions = self.root.get("versions");
        let version = versions
            .and_then(|versions| versions.present(key))
            .or_else(|| config?.present("version"));
        Some(Task {
            key: key.to_owned(),
            suite: suite.map(str::to_owned),
            name: if name.is_empty() { "unknown" } else { name }.to_owned(),
            shots: shots.map(str::to_owned),
            scores,
            config,
            version: version.map(plain),
        })
    }
}

/// A value as text for details: a string as it is, anything else as JSON.
pub(super) fn plain(value: Value<'_>) -> String {
    match value.text() {
        Some(text) => text.into_owned(),
        None => json::write(&Node::of(value), Layout::Compact),
    }
}

fn model_name(general: Value<'_>) -> Option<String> {
    let named = |map: Value<'_>| {
        map.text_of("model_name")
            .map(|name| name.trim().to_owned())
            .filter(|name| !name.is_empty())
    };
    named(general).or_else(|| named(general.get("model_config")?))
}

/// The model as `developer/model`. A directory of a machine says nothing about who made the model
/// in it.
fn model_id(name: &str) -> String {
    if is_path(name) {
        let id = loaded_model(name).id;
        let is_known = id.contains('/');
        return if is_known {
            id
        } else {
            format!("unknown/{id}")
        };
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
    match *parts.as_slice() {
        [] => "unknown/unknown".to_owned(),
        [only] => format!("unknown/{only}"),
        _ => parts.join("/"),
    }
}

/// The date in the name of a results file.
fn date_of(path: &str) -> Option<String> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.strip_suffix(".json").unwrap_or(file);
    stem.strip_prefix(PREFIX)
        .filter(|date| seconds(date).is_some())
        .map(str::to_owned)
}

/// A date such as `2026-11-15T18-51-49.249581` as Unix seconds. It is a local time of an unknown
/// place; UTC is as close as one can get.
fn seconds(date: &str) -> Option<i64> {
    let (day, clock) = date.split_once('T')?;
    let time: DateTime = format!("{day}T{}", clock.replace('-', ":")).parse().ok()?;
    let zoned = time.to_zoned(TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_comes_from_the_file_name() {
        let date = date_of("out/results/acme/m/results_2026-11-15T18-51-49.249581.json");

        assert_eq!(date.as_deref(), Some("2026-11-15T18-51-49.249581"));
        assert_eq!(date.as_deref().and_then(seconds), Some(1_794_768_709));
        assert_eq!(date_of("results_latest.json"), None);
        assert_eq!(date_of("results_2026-13-45T99-99-99.json"), None);
    }

    #[test]
    fn a_directory_of_a_machine_is_not_a_developer() {
        for (name, expected) in [
            ("acme/model-x", "acme/model-x"),
            ("acme/family/model-x", "acme/family/model-x"),
            ("gpt-4o", "unknown/gpt-4o"),
            ("/home/me/model-x/", "unknown/model-x"),
            ("./checkpoints/step-10", "unknown/step-10"),
            ("/", "unknown/unknown"),
        ] {
            assert_eq!(model_id(name), expected);
        }
    }
}
