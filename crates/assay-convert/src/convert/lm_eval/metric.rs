use std::collections::BTreeMap;

use assay_formats::eee::record::MetricConfig;
use assay_formats::{Kind, Value};
use serde_json::Value as Json;

use super::results::{NO_FILTER, Results, Score, Task};
use crate::convert::metric::MetricFacts;

/// The most bootstrap rounds that the harness runs for metrics over whole corpora, which are slow.
const MAX_CORPUS_ROUNDS: u64 = 100;

/// The keys that every metric has in the configuration of a task.
const OF_EVERY_METRIC: [&str; 4] = ["metric", "aggregation", "higher_is_better", "hf_evaluate"];

/// The metric of a score as a record describes it.
pub(super) fn config(results: &Results<'_>, task: &Task<'_>, score: &Score<'_>) -> MetricConfig {
    let facts = MetricFacts {
        library: "lm_eval",
        name: &score.metric,
        // Some tasks write a metric of a known name on another scale, such as ROUGE out of 100.
        score: score.value,
        higher_is_better: direction(results, task, score),
        ..MetricFacts::default()
    };
    let mut config = facts.config();
    config.metric_parameters = listed(task, score).map(parameters).unwrap_or_default();
    config.evaluation_description = Some(if score.filter == NO_FILTER {
        score.metric.clone().into_owned()
    } else {
        format!("{} (filter: {})", score.metric, score.filter)
    });
    config
}

/// Returns the parameters of a metric beyond the keys that every metric has, such as `ignore_case`.
fn parameters(entry: Value<'_>) -> BTreeMap<String, Json> {
    let entries = entry.entries().filter_map(|(name, value)| {
        let name = name.text()?;
        let is_own = !OF_EVERY_METRIC.contains(&name.as_ref()) && value.kind() != Kind::Null;
        is_own.then(|| {
            let parameter = match serde_json::from_str(value.raw()) {
                // A parameter is one value; of others it is their text.
                Ok(list @ (Json::Array(_) | Json::Object(_))) => list.to_string().into(),
                Ok(scalar) => scalar,
                Err(_) => value.raw().into(),
            };
            (name.into_owned(), parameter)
        })
    });
    entries.collect()
}

/// Returns the direction in the log: for the task, for the metric in the task's configuration, or,
/// for a group, the one of all its tasks.
fn direction(results: &Results<'_>, task: &Task<'_>, score: &Score<'_>) -> Option<bool> {
    let of = |task: &str| {
        results
            .about("higher_is_better", task)?
            .present(&score.metric)?
            .truth()
    };
    let own = of(&task.name).or_else(|| listed(task, score)?.present("higher_is_better")?.truth());
    own.or_else(|| {
        let mut said = task.leaves.iter().map(|leaf| of(leaf));
        let first = said.next()??;
        said.all(|other| other == Some(first)).then_some(first)
    })
}

/// Returns the entry of a metric in the task's configuration.
fn listed<'d>(task: &Task<'d>, score: &Score<'_>) -> Option<Value<'d>> {
    task.config?.present("metric_list")?.items().find(|entry| {
        entry
            .get("metric")
            .is_some_and(|name| name.is_text(&score.metric))
    })
}

/// The method of a standard error.
pub(super) struct Method {
    /// Its name.
    pub(super) name: &'static str,
    /// The rounds of a bootstrap.
    pub(super) rounds: Option<u64>,
}

/// Returns the method by which the harness computes the standard error of a metric: it follows from
/// how samples are aggregated. `None` when the log does not have that.
pub(super) fn method(results: &Results<'_>, task: &Task<'_>, score: &Score<'_>) -> Option<Method> {
    if task.is_group() {
        return Some(Method {
            name: "pooled",
            rounds: None,
        });
    }
    let stated = listed(task, score)
        .and_then(|entry| entry.present("aggregation"))
        .and_then(Value::text);
    let aggregation = match &stated {
        Some(stated) => stated.as_ref(),
        None => default_aggregation(&score.metric)?,
    };
    let rounds = results
        .config("bootstrap_iters")
        .and_then(Value::integer)
        .and_then(|rounds| u64::try_from(rounds).ok());
    let bootstrap = |rounds| {
        Some(Method {
            name: "bootstrap",
            rounds,
        })
    };
    match aggregation {
        "mean" | "acc_all" => Some(Method {
            name: "analytic",
            rounds: None,
        }),
        "median" | "matthews_corrcoef" | "mcc" | "f1" | "perplexity" => bootstrap(rounds),
        "bleu" | "chrf" | "ter" => bootstrap(rounds.map(|rounds| rounds.min(MAX_CORPUS_ROUNDS))),
        _ => None,
    }
}

/// Returns the default aggregation of a metric in the harness.
fn default_aggregation(metric: &str) -> Option<&'static str> {
    Some(match metric {
        "acc" | "acc_norm" | "acc_mutual_info" | "acc_bytes" | "exact_match" | "likelihood" => {
            "mean"
        }
        "perplexity" => "perplexity",
        "f1" => "f1",
        "mcc" => "matthews_corrcoef",
        "bleu" => "bleu",
        "chrf" => "chrf",
        "ter" => "ter",
        _ => return None,
    })
}
