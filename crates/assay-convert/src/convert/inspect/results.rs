//! The results of a log: one for each scorer, metric and reducer.

use assay_formats::eee::record::{MetricConfig, ScoreDetails, StandardError, Uncertainty};
use assay_formats::{Kind, Value};

use super::super::known_metric;
use super::super::metric::{MetricFacts, is_within};
use super::group::Members;
use super::judges;
use super::message::{compact, detail};

/// The package that metrics without an entry in the registry are of.
const LIBRARY: &str = "inspect_ai";
/// The metric of reducers that ask whether one of several answers is right.
const PASS: &str = "pass@k";
/// The reducer that leaves a metric what it is.
const MEAN: &str = "mean";

/// Metrics that say how sure another one is; they are no results of their own.
const DISPERSION: [&str; 6] = [
    "stderr",
    "bootstrap_stderr",
    "std",
    "stddev",
    "bootstrap_std",
    "var",
];

/// One result, before it is known whether its rows keep to its bounds.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Aggregate {
    /// Names the result.
    pub(super) id: String,
    /// The scorer whose scores it sums up.
    pub(super) scorer: String,
    /// The scorer again, or the key of the scorer's map.
    pub(super) name: String,
    /// The samples that count for it.
    pub(super) members: Members,
    /// True if its metric counts right answers, so that a sample with 1 is right and one with 0 is
    /// wrong.
    pub(super) counts_right_answers: bool,
    /// The arguments of the scorer, as JSON.
    pub(super) scorer_args: Option<String>,
    /// The metric.
    pub(super) metric: MetricConfig,
    /// The score.
    pub(super) score: ScoreDetails,
}

impl Aggregate {
    /// Returns whether a score lies within the bounds that are known.
    pub(super) fn is_within(&self, score: f64) -> bool {
        is_within(&self.metric, score)
    }
}

/// Reads the results of a header; `warn` is told of every metric that is left out.
pub(super) fn aggregates(root: Value<'_>, mut warn: impl FnMut(String)) -> Vec<Aggregate> {
    let Some(results) = root.present("results") else {
        return Vec::new();
    };
    let scores: Vec<Value<'_>> = match results.present("scores") {
        Some(scores) => scores.items().collect(),
        // The oldest logs have one scorer, and its metrics beside it.
        None => results
            .present("metrics")
            .map(|_| results)
            .into_iter()
            .collect(),
    };
    let has_reducers = scores.iter().enumerate().any(|(position, one)| {
        scores[..position]
            .iter()
            .any(|other| names(*one) == names(*other) && reducer(*one) != reducer(*other))
    });
    let mut found: Vec<Aggregate> = Vec::new();
    for entry in scores {
        let read = Entry {
            root,
            scores: entry,
            has_reducers,
        };
        for (key, metric) in entry.get("metrics").into_iter().flat_map(Value::entries) {
            let Some(key) = key.text().filter(|key| !is_dispersion(key)) else {
                continue;
            };
            match read.aggregate(&key, metric) {
                Some(aggregate) => found.push(aggregate),
                None => warn(format!(
                    "the metric `{key}` is no finite number and was left out"
                )),
            }
        }
    }
    name_apart(&mut found);
    found
}

/// Two results that would have one name get a number each.
fn name_apart(found: &mut [Aggregate]) {
    for position in 1..found.len() {
        let (before, rest) = found.split_at_mut(position);
        let own = &mut rest[0];
        let base = own.id.clone();
        let mut number = 2;
        while before.iter().any(|other| other.id == own.id) {
            own.id = format!("{base}#{number}");
            number += 1;
        }
    }
}

/// A metric without the package that it was registered by.
fn plain_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn is_dispersion(key: &str) -> bool {
    DISPERSION.contains(&plain_name(key))
}

/// The scorer and the name of an entry.
fn names(entry: Value<'_>) -> (String, String) {
    let text = |key: &str| {
        let value = entry.present(key)?;
        // The oldest logs have a map with the name of the scorer.
        let name = value.text().or_else(|| value.text_of("name"));
        name.map(std::borrow::Cow::into_owned)
    };
    let scorer = text("scorer").or_else(|| text("name"));
    let name = text("name").or_else(|| text("scorer"));
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    (or_unknown(scorer), or_unknown(name))
}

fn reducer(entry: Value<'_>) -> Option<String> {
    entry.text_of("reducer").map(std::borrow::Cow::into_owned)
}

/// The metric that is computed for each group, where the log says so.
fn measured(metric: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    metric
        .present("group")
        .and_then(|_| metric.get("params")?.get("metric")?.text_of("name"))
        .map(|name| plain_name(&name).to_owned().into())
}

/// The metric's value: a number, or the number in a map as newer logs have.
fn number(metric: Value<'_>) -> Option<f64> {
    metric.number().or_else(|| metric.number_of("value"))
}

#[derive(Clone, Copy)]
struct Entry<'d> {
    root: Value<'d>,
    scores: Value<'d>,
    has_reducers: bool,
}

impl Entry<'_> {
    fn aggregate(self, key: &str, metric: Value<'_>) -> Option<Aggregate> {
        let (scorer, name) = names(self.scores);
        let label = metric.text_of("name").unwrap_or(key.into());
        let group = metric.text_of("group");
        let members = Members::read(metric, &label);
        let reducer = reducer(self.scores);
        let score = number(metric)?;
        let subject = if name == scorer {
            scorer.clone()
        } else {
            format!("{scorer}/{name}")
        };
        let mut id = format!("{subject}:{key}");
        if let Some(reducer) = reducer.as_deref().filter(|_| self.has_reducers) {
            id.push(':');
            id.push_str(reducer);
        }
        let measured = measured(metric).unwrap_or(plain_name(&label).into());
        let mut config = match reducer.as_deref().filter(|_| self.epochs() > 1) {
            Some(reducer) if reducer != MEAN => reduced_config(&measured, reducer, score),
            _ => metric_config(&measured, score),
        };
        config.evaluation_description = Some(match &group {
            Some(_) => format!("{measured} of `{label}` from scorer {subject}"),
            None => format!("{measured} from scorer {subject}"),
        });
        let asking = judges::Scorer::of_result(self.scores);
        config.llm_scoring = asking.and_then(|scorer| judges::scoring(self.root, scorer));
        for (name, value) in [("reducer", reducer.as_deref()), ("group", group.as_deref())] {
            if let Some(value) = value {
                config
                    .additional_details
                    .insert(name.to_owned(), value.to_owned());
            }
        }
        for (name, value) in metric.get("params").into_iter().flat_map(Value::entries) {
            if let Some(name) = name.text().filter(|_| value.kind() != Kind::Null) {
                config
                    .metric_parameters
                    .insert(name.into_owned(), detail(value).into());
            }
        }
        Some(Aggregate {
            id,
            scorer,
            name,
            counts_right_answers: known_metric(&measured)
                .is_some_and(|known| known.counts_right_answers),
            scorer_args: self
                .scores
                .present("params")
                .filter(|params| !params.is_empty())
                .map(compact),
            metric: config,
            score: ScoreDetails {
                score,
                details: self.details(),
                // How sure the whole is says nothing of a group.
                uncertainty: (members == Members::All).then(|| self.uncertainty()),
            },
            members,
        })
    }

    fn metric(self, wanted: &str) -> Option<f64> {
        self.scores
            .get("metrics")?
            .entries()
            .find(|(key, _)| key.text().is_some_and(|key| plain_name(&key) == wanted))
            .and_then(|(_, metric)| number(metric))
    }

    fn uncertainty(self) -> Uncertainty {
        let analytic = self.metric("stderr").map(|value| (value, "analytic"));
        let error = analytic.or_else(|| Some((self.metric("bootstrap_stderr")?, "bootstrap")));
        Uncertainty {
            standard_error: error
                .filter(|(value, _)| *value >= 0.0)
                .map(|(value, method)| StandardError {
                    value,
                    method: Some(method.to_owned()),
                }),
            standard_deviation: self
                .metric("std")
                .or_else(|| self.metric("stddev"))
                .or_else(|| self.metric("var").map(f64::sqrt))
                .filter(|value| *value >= 0.0),
            num_samples: self.samples(),
            num_bootstrap_samples: None,
        }
    }

    /// Returns the number of samples behind the score: those that were scored, not their epochs.
    fn samples(self) -> Option<u64> {
        let count = |value: Option<Value<'_>>| u64::try_from(value?.integer()?).ok();
        if let Some(scored) = count(self.scores.get("scored_samples")) {
            return Some(scored);
        }
        let results = self.root.get("results")?;
        let completed = count(results.get("completed_samples"))?;
        Some(completed / self.epochs())
    }

    /// Returns the number of epochs of each sample.
    fn epochs(self) -> u64 {
        let config = self.root.get("eval").and_then(|eval| eval.get("config"));
        let epochs = config.and_then(|config| config.get("epochs")?.integer());
        epochs
            .and_then(|epochs| u64::try_from(epochs).ok())
            .unwrap_or(1)
            .max(1)
    }

    fn details(self) -> assay_formats::eee::record::Details {
        let mut details = assay_formats::eee::record::Details::new();
        let unscored = self.scores.get("unscored_samples").and_then(Value::integer);
        if let Some(unscored) = unscored.filter(|count| *count > 0) {
            details.insert("unscored_samples".to_owned(), unscored.to_string());
        }
        if let Some(status) = self
            .root
            .text_of("status")
            .filter(|status| status != "success")
        {
            details.insert("status".to_owned(), status.into_owned());
        }
        details
    }
}

/// A metric by its name in the log.
pub(super) fn metric_config(name: &str, score: f64) -> MetricConfig {
    let facts = MetricFacts {
        library: LIBRARY,
        name,
        score,
        ..MetricFacts::default()
    };
    facts.config()
}

/// A metric whose epochs were reduced by something else than their mean: it is another metric, with
/// a name of its own.
fn reduced_config(name: &str, reducer: &str, score: f64) -> MetricConfig {
    let k = reducer
        .rsplit_once('_')
        .and_then(|(_, k)| k.parse::<u64>().ok());
    let is_pass = reducer.starts_with("pass_at");
    let full = match k {
        Some(k) if is_pass => format!("pass@{k}"),
        _ => format!("{name}_{reducer}"),
    };
    let facts = MetricFacts {
        library: LIBRARY,
        name: &full,
        base: Some(if is_pass { PASS } else { name }),
        score,
        higher_is_better: None,
    };
    let mut config = facts.config();
    if let (Some(known), false) = (facts.known(), is_pass) {
        config.metric_id = Some(format!("{}_{reducer}", known.id));
    }
    if let Some(k) = k {
        config.metric_parameters.insert("k".to_owned(), k.into());
    }
    config
}
