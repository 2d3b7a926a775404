//! The plan of a request: its task, metric and moment.

use std::str::FromStr as _;
use std::sync::Arc;

use assay_board::{Policy, Question};
use assay_model::{Benchmark, Metric, RepoId, RepoKey, Score, TaskId, Timestamp};

use super::loaded::RankingKey;
use super::loaded_result::LoadedResult;
use super::{BoardQuery, moment};
use crate::error::{Error, Missing};
use crate::hub::blocking;
use crate::index::{self, DEFINITION_FILE, MAX_BYTES};
use crate::known::KnownBenchmark;
use crate::services::BoardService;

/// A request held against a definition.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) benchmark: Arc<KnownBenchmark>,
    pub(super) task: TaskId,
    pub(super) asked: RankingKey,
    pub(super) question: Question,
    pub(super) as_of: Option<Timestamp>,
}

impl Plan {
    /// The metric that ranks.
    pub(super) fn metric(&self) -> Option<&Metric> {
        let definition = &self.benchmark.definition;
        definition.metric(self.question.metric.as_str())
    }
}

impl Plan {
    /// The same by the metric that the results of the task have, when nobody asked for one.
    pub(super) fn for_results(mut self, query: &BoardQuery, results: &[Arc<LoadedResult>]) -> Self {
        let definition = Arc::clone(&self.benchmark.definition);
        let scores = || results.iter().map(|result| result.scores());
        if query.metric.is_some() {
            return self;
        }
        if let Some(metric) = task_metric(&definition, scores)
            && metric.id != self.question.metric
        {
            metric.id.as_str().clone_into(&mut self.asked.metric);
            self.question = Question {
                policy: self.question.policy,
                verified_only: self.question.verified_only,
                base_models_only: self.question.base_models_only,
                comparable_by: self.question.comparable_by,
                ..Question::by(metric)
            };
        }
        self
    }
}

impl BoardService<'_> {
    /// Returns the plan of a request for a benchmark.
    pub(super) async fn plan(
        self,
        benchmark: Arc<KnownBenchmark>,
        query: &BoardQuery,
    ) -> Result<Plan, Error> {
        let (benchmark, as_of) = match &query.as_of {
            None => (benchmark, None),
            Some(text) => self.as_of(benchmark, text).await?,
        };
        let definition = &benchmark.definition;
        let task = asked_task(definition, &benchmark.id, query.task.as_deref())?;
        let metric = asked_metric(definition, &benchmark.id, query.metric.as_deref())?;
        let policy = match query.policy.as_deref() {
            None => Policy::default(),
            Some(text) => {
                Policy::from_str(text).map_err(|error| Error::Invalid(error.to_string()))?
            }
        };
        let mut question = Question::by(metric);
        question.policy = policy;
        question.verified_only = query.verified;
        question.base_models_only = query.base_models_only;
        question.comparable_by.clone_from(&definition.comparable_by);
        let asked = RankingKey {
            metric: metric.id.as_str().to_owned(),
            policy,
            verified_only: question.verified_only,
            base_models_only: question.base_models_only,
        };
        Ok(Plan {
            benchmark,
            task,
            asked,
            question,
            as_of,
        })
    }

    /// The moment that is asked for. A commit of the benchmark also brings the definition that it
    /// had.
    async fn as_of(
        self,
        benchmark: Arc<KnownBenchmark>,
        text: &str,
    ) -> Result<(Arc<KnownBenchmark>, Option<Timestamp>), Error> {
        if let Some(at) = moment::moment(text) {
            return Ok((benchmark, Some(at)));
        }
        let (git, key, revision) = (Arc::clone(&self.hub.git), benchmark.key, text.to_owned());
        let found = blocking(move || Ok(definition_at(&git, key, &revision)?)).await?;
        let (commit, definition) = found.ok_or_else(|| {
            Error::Invalid(format!(
                "`{text}` is no date and no commit of `{}` with a valid definition",
                benchmark.id
            ))
        })?;
        let past = KnownBenchmark {
            definition: Arc::new(definition),
            revision: commit.id,
            ..(*benchmark).clone()
        };
        Ok((Arc::new(past), Some(commit.committed)))
    }
}

/// The metric that ranks a task unless another is asked for: the primary one, or where no result
/// has it, the first that one has. Tasks of one benchmark need not share a metric.
pub(super) fn task_metric<'d, 's, I: Iterator<Item = &'s [Score]>>(
    definition: &'d Benchmark,
    results: impl Fn() -> I,
) -> Option<&'d Metric> {
    let has = |metric: &&Metric| {
        results().any(|scores| {
            let mut names = scores.iter().map(|score| score.metric.as_ref());
            names.any(|name| name.map_or(metric.primary, |name| *name == metric.id))
        })
    };
    let primary = definition.primary();
    primary
        .filter(has)
        .or_else(|| definition.metrics.iter().find(has))
        .or(primary)
}

/// The task of this name; the first one when no name is asked for.
pub(super) fn asked_task(
    definition: &Benchmark,
    id: &RepoId,
    asked: Option<&str>,
) -> Result<TaskId, Error> {
    let task = match asked {
        None => definition.tasks.first(),
        Some(task) => definition.task(task),
    };
    let known = || {
        let ids = definition.tasks.iter().map(|task| format!("`{}`", task.id));
        ids.collect::<Vec<_>>().join(", ")
    };
    task.map(|task| task.id.clone()).ok_or_else(|| {
        Error::NotFound(Missing::Leaderboard(format!(
            "`{id}` has no task `{}`; its tasks are {}",
            asked.unwrap_or_default(),
            known()
        )))
    })
}

fn asked_metric<'d>(
    definition: &'d Benchmark,
    id: &RepoId,
    asked: Option<&str>,
) -> Result<&'d Metric, Error> {
    let metric = match asked {
        None => definition.primary(),
        Some(metric) => definition.metric(metric),
    };
    let known = || {
        let ids = definition
            .metrics
            .iter()
            .map(|metric| format!("`{}`", metric.id));
        ids.collect::<Vec<_>>().join(", ")
    };
    metric.ok_or_else(|| {
        Error::NotFound(Missing::Leaderboard(format!(
            "`{id}` has no metric `{}`; its metrics are {}",
            asked.unwrap_or_default(),
            known()
        )))
    })
}

/// The definition at a revision, with its commit; none when there is no such commit or no valid
/// definition.
fn definition_at(
    git: &assay_git::Repositories,
    key: RepoKey,
    revision: &str,
) -> Result<Option<(assay_git::CommitInfo, Benchmark)>, assay_git::Error> {
    let repository = git.get(key)?;
    let Some(commit) = repository.resolve(revision)? else {
        return Ok(None);
    };
    let objects = repository.objects();
    let path = DEFINITION_FILE
        .parse()
        .expect("the names of our own files are paths");
    let Some(entry) = objects.entry(commit, &path)? else {
        return Ok(None);
    };
    if entry.size > MAX_BYTES {
        return Ok(None);
    }
    let bytes = objects.read(entry.oid, MAX_BYTES)?;
    let commit = objects.commit(commit)?;
    Ok(index::definition(bytes).map(|(_, definition)| (commit, definition)))
}
