//! All models on the questions that they share.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use assay_board::paired::{LEAST_QUESTIONS, SEED, SharedScores, joint_ranks};
use assay_model::Direction;
use datafusion::arrow::array::{Array as _, AsArray as _};
use datafusion::arrow::datatypes::Float64Type;
use serde::Serialize;

use super::mean;
use super::pairs::quoted;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// The samples that models are ranked by.
#[derive(Debug, Clone, Default)]
pub struct RankScope {
    /// Only samples of this task, or of the benchmark of this name.
    pub task: Option<String>,
    /// Only samples of this benchmark.
    pub benchmark: Option<String>,
    /// Only scores of this metric; by default the one that most models have.
    pub metric: Option<String>,
}

/// The ranks of models on the same questions.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranking {
    /// The metric; none when results name none.
    pub metric: Option<String>,
    /// True if a lower score is better.
    pub lower_is_better: bool,
    /// The number of questions that all of these models answered.
    pub questions: usize,
    /// The number of pairs of models.
    pub pairs: usize,
    /// The number of pairs of which one model is better, at 95 % for all pairs together.
    pub separated: usize,
    /// The models, from the best mean to the worst.
    pub models: Vec<RankedModel>,
    /// Models that answered too few of the questions.
    pub left_out: Vec<LeftOut>,
}

/// A model among others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedModel {
    /// The model.
    pub model: String,
    /// Its mean score on the shared questions.
    pub mean: f64,
    /// Its rank by the mean; equal means share a rank.
    pub rank: usize,
    /// The best rank that chance leaves open, at 95 % for all models together.
    pub best_rank: usize,
    /// The worst.
    pub worst_rank: usize,
    /// The group of models that cannot be told from its leader, from 1.
    pub tier: usize,
}

/// A model that was not ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The model.
    pub model: String,
    /// The number of questions that it answered.
    pub questions: usize,
}

/// The scores of one metric: of each model, by the hash of the question. Epochs of a question count
/// as one.
type Scores = BTreeMap<String, HashMap<Arc<str>, f64>>;

/// A model and its scores.
type ModelScores = (String, HashMap<Arc<str>, f64>);

/// Ranks all models on the questions that they share. Scores are read in one scan.
pub async fn rank_all(engine: &Engine, scope: &RankScope) -> Result<Ranking> {
    let (metric, scores) = scores(engine, scope).await?;
    let direction = direction(engine, scope, metric.as_deref()).await?;
    let (ranked, shared, left_out) = shared(scores);
    let questions = shared.len();
    let values: Vec<f64> = ranked
        .iter()
        .flat_map(|(_, own)| shared.iter().filter_map(|question| own.get(question)))
        .copied()
        .collect();
    let means: Vec<f64> = values
        .chunks(questions.max(1))
        .map(|scores| mean(scores.iter().copied()))
        .collect();
    let table = SharedScores::new(ranked.len(), questions, values)
        .map_err(|error| Error::Compare(error.to_string()))?;
    let found = joint_ranks(&table, direction, SEED);
    let is_better = |mean: f64, other: f64| match direction {
        Direction::HigherIsBetter => mean > other,
        Direction::LowerIsBetter => mean < other,
    };
    let ranked = ranked.into_iter().zip(&found.models).zip(&means);
    let mut models: Vec<RankedModel> = ranked
        .map(|(((model, _), own), own_mean)| RankedModel {
            model,
            mean: *own_mean,
            rank: 1 + means
                .iter()
                .filter(|other| is_better(**other, *own_mean))
                .count(),
            best_rank: own.interval.best,
            worst_rank: own.interval.worst,
            tier: own.interval.tier,
        })
        .collect();
    models.sort_by(|one, other| (one.rank, &one.model).cmp(&(other.rank, &other.model)));
    Ok(Ranking {
        metric,
        lower_is_better: direction == Direction::LowerIsBetter,
        questions,
        pairs: models.len() * (models.len() - 1) / 2,
        separated: found.separated,
        models,
        left_out,
    })
}

/// Reads the scores of the metric that was asked for, or of the one that most models have.
async fn scores(engine: &Engine, scope: &RankScope) -> Result<(Option<String>, Scores)> {
    let sql = format!(
        "SELECT metric, model, sample_hash, avg(score) AS score FROM instances \
         WHERE score IS NOT NULL AND sample_hash IS NOT NULL{} GROUP BY metric, model, sample_hash",
        condition(scope)
    );
    let mut metrics: BTreeMap<Option<String>, Scores> = BTreeMap::new();
    let mut hashes: HashSet<Arc<str>> = HashSet::new();
    for batch in engine.all(&sql).await? {
        let text = |column: usize| batch.column(column).as_string_view_opt();
        let means = batch.column(3).as_primitive_opt::<Float64Type>();
        let columns = (text(0), text(1), text(2), means);
        let (Some(metric), Some(model), Some(hash), Some(means)) = columns else {
            continue;
        };
        for row in 0..batch.num_rows() {
            let metric = metric.is_valid(row).then(|| metric.value(row).to_owned());
            let known = hashes.get(hash.value(row)).map(Arc::clone);
            let hash = known.unwrap_or_else(|| hash.value(row).into());
            hashes.insert(Arc::clone(&hash));
            let models = metrics.entry(metric).or_default();
            let own = models.entry(model.value(row).to_owned()).or_default();
            own.insert(hash, means.value(row));
        }
    }
    // Of equals the first by name, so that two runs choose alike.
    let size = |scores: &Scores| -> (usize, usize) {
        (scores.len(), scores.values().map(HashMap::len).sum())
    };
    let chosen = metrics.into_iter().reduce(|best, next| {
        if size(&next.1) > size(&best.1) {
            next
        } else {
            best
        }
    });
    chosen.ok_or_else(|| {
        Error::Compare(
            "there are no such samples; `assay query \"SELECT benchmark, task, metric, count(*) FROM instances GROUP BY ALL\"` lists what there is"
                .to_owned(),
        )
    })
}

/// Chooses the models that are ranked, and the questions that all of them answered. Models come in
/// from the one with the most answers on; one that would leave less than half of the first one's
/// questions is left out.
fn shared(scores: Scores) -> (Vec<ModelScores>, Vec<Arc<str>>, Vec<LeftOut>) {
    let mut models: Vec<ModelScores> = scores.into_iter().collect();
    models.sort_by_key(|(_, own)| std::cmp::Reverse(own.len()));
    let most = models.first().map_or(0, |(_, own)| own.len());
    let least = most.div_ceil(2).max(LEAST_QUESTIONS);
    let mut shared: Option<HashSet<Arc<str>>> = None;
    let (mut ranked, mut left_out) = (Vec::new(), Vec::new());
    for (model, own) in models {
        let common: HashSet<Arc<str>> = match &shared {
            None => own.keys().cloned().collect(),
            Some(shared) => shared
                .iter()
                .filter(|question| own.contains_key(*question))
                .cloned()
                .collect(),
        };
        if common.len() < least {
            let questions = own.len();
            left_out.push(LeftOut { model, questions });
        } else {
            shared = Some(common);
            ranked.push((model, own));
        }
    }
    // Two runs must weight the same questions alike, so they stand in the order of their hashes.
    let mut shared: Vec<Arc<str>> = shared.into_iter().flatten().collect();
    shared.sort_unstable();
    (ranked, shared, left_out)
}

/// The direction of a metric, as results or the definition of a benchmark say.
async fn direction(engine: &Engine, scope: &RankScope, metric: Option<&str>) -> Result<Direction> {
    let named = match metric {
        Some(metric) => format!("metric = {}", quoted(metric)),
        None => "metric IS NULL".to_owned(),
    };
    let sql = format!(
        "SELECT lower_is_better FROM results WHERE {named} AND lower_is_better IS NOT NULL{} \
         UNION SELECT lower_is_better FROM metrics WHERE {named}{}",
        condition(scope),
        match &scope.benchmark {
            Some(benchmark) => format!(" AND benchmark = {}", quoted(benchmark)),
            None => String::new(),
        }
    );
    let mut said = HashSet::new();
    for batch in engine.all(&sql).await? {
        if let Some(column) = batch.column(0).as_boolean_opt() {
            said.extend(column.iter().flatten());
        }
    }
    let mut said = said.into_iter();
    match (said.next(), said.next()) {
        (Some(true), None) => Ok(Direction::LowerIsBetter),
        (Some(false), None) => Ok(Direction::HigherIsBetter),
        (found, _) => Err(Error::Compare(format!(
            "{} which way {} improves; `--benchmark`, `--task` and `--metric` narrow it down",
            match found {
                Some(_) => "results disagree about",
                None => "no result says",
            },
            metric.map_or_else(|| "this metric".to_owned(), |metric| format!("`{metric}`"))
        ))),
    }
}

/// The condition on rows of `instances` and `results`, after others.
fn condition(scope: &RankScope) -> String {
    let benchmark = scope.benchmark.as_deref().map(quoted);
    let task = scope.task.as_deref().map(quoted);
    let metric = scope.metric.as_deref().map(quoted);
    let parts = [
        benchmark.map(|benchmark| format!(" AND benchmark = {benchmark}")),
        task.map(|task| format!(" AND (task = {task} OR benchmark = {task})")),
        metric.map(|metric| format!(" AND metric = {metric}")),
    ];
    parts.into_iter().flatten().collect()
}
