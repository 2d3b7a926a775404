//! The samples that two models share, and how each did on them.

use std::collections::{BTreeMap, BTreeSet};

use datafusion::arrow::array::{Array as _, AsArray as _};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};

use super::Question;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// How one model did on one sample, over all its epochs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Did {
    /// The mean of its scores.
    pub(super) score: f64,
    /// Whether more than half of its epochs are right.
    pub(super) right: bool,
}

/// A sample that both have answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) hash: String,
    pub(super) a: Did,
    pub(super) b: Did,
}

impl Pair {
    /// Returns whether both scores say no more than right or wrong.
    pub(super) fn is_right_or_wrong(&self) -> bool {
        [self.a, self.b]
            .iter()
            .all(|did| did.score.to_bits() == f64::from(u8::from(did.right)).to_bits())
    }
}

/// What is compared with what.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) metric_a: Option<String>,
    pub(super) metric_b: Option<String>,
    pub(super) others: Vec<String>,
    pub(super) samples_a: u64,
    pub(super) samples_b: u64,
}

/// How many samples a model has by each metric.
type Metrics = BTreeMap<Option<String>, u64>;

impl Scope {
    /// Chooses the scores that are compared: by the metric that both have on the most samples, or,
    /// when they share none, by the only one that each has.
    pub(super) async fn find(engine: &Engine, question: &Question) -> Result<Self> {
        let a = metrics(engine, question, &question.model_a).await?;
        let b = metrics(engine, question, &question.model_b).await?;
        let (metric_a, metric_b) = chosen(question, &a, &b)?;
        let shared: BTreeSet<&Option<String>> =
            a.keys().filter(|metric| b.contains_key(*metric)).collect();
        let others = shared
            .into_iter()
            .filter(|metric| **metric != metric_a)
            .filter_map(Clone::clone)
            .collect();
        Ok(Self {
            samples_a: a[&metric_a],
            samples_b: b[&metric_b],
            metric_a,
            metric_b,
            others,
        })
    }
}

fn chosen(
    question: &Question,
    a: &Metrics,
    b: &Metrics,
) -> Result<(Option<String>, Option<String>)> {
    let shared = a.iter().filter_map(|(metric, samples)| {
        let least = samples.min(b.get(metric)?);
        Some((least, metric))
    });
    // Of equals the first by name, so that two runs choose alike.
    let best = shared.reduce(|best, next| if next.0 > best.0 { next } else { best });
    if let Some((_, metric)) = best {
        return Ok((metric.clone(), metric.clone()));
    }
    let only = |metrics: &Metrics| match metrics.len() {
        1 => metrics.keys().next().cloned(),
        _ => None,
    };
    match (only(a), only(b)) {
        (Some(a), Some(b)) => Ok((a, b)),
        _ => Err(Error::Compare(format!(
            "`{}` has scores by {} and `{}` by {}: none is the same, and `--metric` can name only one",
            question.model_a,
            listed(a),
            question.model_b,
            listed(b)
        ))),
    }
}

fn listed(metrics: &Metrics) -> String {
    let names = metrics.keys().map(|metric| match metric {
        Some(metric) => format!("`{metric}`"),
        None => "no named metric".to_owned(),
    });
    names.collect::<Vec<_>>().join(", ")
}

async fn metrics(engine: &Engine, question: &Question, model: &str) -> Result<Metrics> {
    let sql = format!(
        "SELECT metric, count(DISTINCT sample_hash) AS samples FROM instances WHERE {} GROUP BY metric",
        condition(question, model)
    );
    let mut metrics = Metrics::new();
    for batch in engine.all(&sql).await? {
        let names = batch.column(0).as_string_view_opt();
        let samples = batch.column(1).as_primitive_opt::<Int64Type>();
        let (Some(names), Some(samples)) = (names, samples) else {
            continue;
        };
        for (name, samples) in names.iter().zip(samples.values()) {
            let samples = u64::try_from(*samples).unwrap_or_default();
            metrics.insert(name.map(str::to_owned), samples);
        }
    }
    if metrics.is_empty() {
        return Err(Error::Compare(format!(
            "`{model}` has no such samples; `assay query \"SELECT model, task, metric, count(*) FROM instances GROUP BY ALL\"` lists what there is"
        )));
    }
    Ok(metrics)
}

/// The shared samples, in the order of their hashes.
pub(super) async fn pairs(
    engine: &Engine,
    question: &Question,
    scope: &Scope,
) -> Result<Vec<Pair>> {
    let side = |model: &str, metric: &Option<String>| {
        format!(
            "SELECT sample_hash, avg(score) AS score, \
             avg(CASE WHEN is_correct THEN 1.0 ELSE 0.0 END) AS share \
             FROM instances WHERE {} AND {} AND score IS NOT NULL GROUP BY sample_hash",
            condition(question, model),
            match metric {
                Some(metric) => format!("metric = {}", quoted(metric)),
                None => "metric IS NULL".to_owned(),
            }
        )
    };
    let sql = format!(
        "SELECT a.sample_hash, a.score, a.share, b.score, b.share FROM ({}) AS a JOIN ({}) AS b \
         ON a.sample_hash = b.sample_hash ORDER BY a.sample_hash",
        side(&question.model_a, &scope.metric_a),
        side(&question.model_b, &scope.metric_b)
    );
    let mut pairs = Vec::new();
    for batch in engine.all(&sql).await? {
        let hashes = batch.column(0).as_string_view_opt();
        let number = |column: usize| batch.column(column).as_primitive_opt::<Float64Type>();
        let columns = (hashes, number(1), number(2), number(3), number(4));
        let (Some(hashes), Some(score_a), Some(share_a), Some(score_b), Some(share_b)) = columns
        else {
            continue;
        };
        let did = |score: f64, share: f64| Did {
            score,
            right: share > 0.5,
        };
        pairs.extend((0..hashes.len()).map(|row| Pair {
            hash: hashes.value(row).to_owned(),
            a: did(score_a.value(row), share_a.value(row)),
            b: did(score_b.value(row), share_b.value(row)),
        }));
    }
    Ok(pairs)
}

/// Which rows of a model are asked about.
fn condition(question: &Question, model: &str) -> String {
    let mut parts = vec![
        format!("model = {}", quoted(model)),
        "sample_hash IS NOT NULL".to_owned(),
    ];
    if let Some(benchmark) = &question.benchmark {
        parts.push(format!("benchmark = {}", quoted(benchmark)));
    }
    if let Some(task) = &question.task {
        let task = quoted(task);
        parts.push(format!("(task = {task} OR benchmark = {task})"));
    }
    if let Some(metric) = &question.metric {
        parts.push(format!("metric = {}", quoted(metric)));
    }
    parts.join(" AND ")
}

/// A text as a literal of SQL.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
