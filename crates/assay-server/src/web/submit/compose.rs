//! A result file made of the fields of the form.

use assay_formats::{Tape, eval_results, yaml};
use assay_model::RepoId;

use super::super::form::Form;
use super::super::yaml::Yaml;

/// Number of metrics that the form has fields for.
const MAX_METRICS: usize = 20;
/// The longest name of a file that is made of a benchmark's, in characters.
const MAX_STEM: usize = 60;

/// One entry, as it was filled in.
pub(super) fn entry(form: &Form) -> String {
    let mut file = Yaml::default();
    file.open(0, "- dataset");
    file.text(4, "id", form.get("benchmark"));
    file.text(4, "task_id", form.get("task"));
    file.text(4, "revision", form.get("benchmark_revision"));
    file.text(2, "model_revision", form.get("model_revision"));
    let metrics: Vec<(&str, &str)> = form
        .all("metric")
        .zip(form.all("value"))
        .filter(|(_, value)| !value.is_empty())
        .take(MAX_METRICS)
        .collect();
    match metrics.as_slice() {
        [("", value)] => file.number(2, "value", value),
        [] => file.text(2, "value", " "),
        metrics => {
            file.open(2, "metrics");
            for (metric, value) in metrics {
                file.text(4, "- metric_id", metric);
                file.number(6, "value", value);
            }
        }
    }
    let (name, version) = (form.get("framework"), form.get("framework_version"));
    if !(name.is_empty() && version.is_empty()) {
        file.open(2, "framework");
        file.text(4, "name", name);
        file.text(4, "version", version);
        file.text(4, "command", form.get("command"));
    }
    file.text(2, eval_results::TOKEN_KEYS[0], form.get("token"));
    let (url, source) = (form.get("source_url"), form.get("source_name"));
    if !(url.is_empty() && source.is_empty()) {
        file.open(2, "source");
        file.text(4, "url", url);
        file.text(4, "name", source);
    }
    file.text(2, "date", form.get("date"));
    file.text(2, "notes", form.get("notes"));
    file.number(2, "sample_size", form.get("sample_size"));
    file.finish()
}

/// The benchmark that a file names first.
pub(super) fn benchmark_of(text: &str) -> Option<String> {
    let mut tape = Tape::new();
    yaml::parse(text, &mut tape);
    let entries = tape.root(text).and_then(eval_results::read)?;
    Some(entries.first()?.dataset.as_str().to_owned())
}

/// A name for the file, without its ending: the one that the benchmark's results have.
pub(super) fn stem(form: &Form, text: &str) -> String {
    let named = match form.get("benchmark") {
        "" => benchmark_of(text).unwrap_or_default(),
        benchmark => benchmark.to_owned(),
    };
    if let Ok(benchmark) = named.parse::<RepoId>() {
        let name = benchmark.result_file_name();
        return name.trim_end_matches(".yaml").to_owned();
    }
    let name = named.rsplit('/').next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' => character,
            _ => '-',
        })
        .take(MAX_STEM)
        .collect();
    let plain = plain.trim_matches(['-', '.']);
    if plain.is_empty() { "results" } else { plain }.to_owned()
}
