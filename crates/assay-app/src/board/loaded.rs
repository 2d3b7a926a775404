//! The results of one benchmark, in memory, and the boards made of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use assay_board::{
    Contender, Estimate, Fingerprint, Group, Policy, Row, Uncertainty, rank, rank_intervals,
    uncertainty_of,
};
use assay_git::Repositories;
use assay_model::{Metric, RepoId, RepoKey, TaskId, Timestamp};
use assay_store::{AccountId, EntryId, RankingRow, Store, Viewer};
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::loaded_result::{self, LoadedResult};
use super::plan::Plan;
use super::signed;
use super::{BoardRecord, BoardRow};
use crate::error::Error;
use crate::hub::blocking;
use crate::known::KnownBenchmark;

/// Number of ranked boards that are kept of one task.
const MAX_RANKED: usize = 64;
/// A task with so many results is ranked where it keeps nobody else waiting.
pub(super) const MANY: usize = 1000;

/// The rows of a board, best first.
pub(super) type Ranked = Arc<Vec<BoardRow>>;
/// The records of a board, oldest first.
pub(super) type Records = Arc<Vec<BoardRecord>>;

/// The results of a benchmark at one moment.
#[derive(Debug)]
pub(super) struct LoadedBoard {
    benchmark: Arc<KnownBenchmark>,
    tasks: BTreeMap<TaskId, Arc<LoadedTask>>,
}

/// The results of one task.
#[derive(Debug, Default)]
pub(super) struct LoadedTask {
    /// The results that everyone sees.
    public: Vec<Arc<LoadedResult>>,
    /// The results that the friends of an account see as well.
    private: Vec<(AccountId, Arc<LoadedResult>)>,
    /// The rankings that everyone sees, by request.
    ranked: Mutex<HashMap<RankingKey, Arc<OnceCell<Ranked>>>>,
    /// The records, by what was asked.
    records: Mutex<HashMap<RankingKey, Arc<OnceCell<Records>>>>,
}

/// The inputs of a ranked board, beside the results.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RankingKey {
    pub(super) metric: String,
    pub(super) policy: Policy,
    pub(super) verified_only: bool,
    pub(super) base_models_only: bool,
}

impl LoadedBoard {
    /// Reads every result.
    pub(super) async fn load(
        store: &Store,
        git: &Arc<Repositories>,
        benchmark: &Arc<KnownBenchmark>,
    ) -> Result<Self, Error> {
        let rows = store
            .ranking_rows_of_board(&benchmark.name(), None, None)
            .await?;
        Self::new(store, git, benchmark, BTreeMap::new(), rows).await
    }

    /// The results of a task as they were at a moment.
    pub(super) async fn load_at(
        store: &Store,
        git: &Arc<Repositories>,
        benchmark: &Arc<KnownBenchmark>,
        task: &TaskId,
        at: Timestamp,
    ) -> Result<Self, Error> {
        let rows = store
            .ranking_rows_of_board(&benchmark.name(), Some(task), Some(at))
            .await?;
        // What held then counts as holding, whatever became of it.
        let held = rows
            .into_iter()
            .map(|row| RankingRow { until: None, ..row });
        Self::new(store, git, benchmark, BTreeMap::new(), held.collect()).await
    }

    /// Reads the results of some models again. Tasks that they have no part in stay as they are,
    /// ranks and all.
    pub(super) async fn reload(
        &self,
        store: &Store,
        git: &Arc<Repositories>,
        models: &BTreeSet<RepoKey>,
    ) -> Result<Self, Error> {
        let mut rows = Vec::new();
        for model in models {
            rows.extend(
                store
                    .ranking_rows_of_model(&self.benchmark.name(), *model)
                    .await?,
            );
        }
        let mut tasks = self.tasks.clone();
        for (task, loaded) in &self.tasks {
            if loaded.has_any(models) || rows.iter().any(|row| row.task == *task) {
                tasks.insert(task.clone(), Arc::new(loaded.without(models)));
            }
        }
        Self::new(store, git, &self.benchmark, tasks, rows).await
    }

    /// Adds rows to tasks, which are their only owners when they are given rows.
    async fn new(
        store: &Store,
        git: &Arc<Repositories>,
        benchmark: &Arc<KnownBenchmark>,
        mut tasks: BTreeMap<TaskId, Arc<LoadedTask>>,
        mut rows: Vec<RankingRow>,
    ) -> Result<Self, Error> {
        // A model that the operator has closed is on no board.
        rows.retain(|row| !row.disabled);
        signed::check_briefs(git, benchmark.key, &mut rows).await?;
        let said = loaded_result::said_twice(store, &rows).await?;
        let mut fresh: BTreeMap<TaskId, LoadedTask> = BTreeMap::new();
        for row in rows {
            let task = fresh.entry(row.task.clone()).or_insert_with(|| {
                let held = tasks.remove(&row.task).map(Arc::try_unwrap);
                held.and_then(Result::ok).unwrap_or_default()
            });
            task.add(row, &said);
        }
        tasks.extend(
            fresh
                .into_iter()
                .map(|(task, loaded)| (task, Arc::new(loaded))),
        );
        Ok(Self {
            benchmark: Arc::clone(benchmark),
            tasks,
        })
    }

    /// Returns whether it was made for this very definition, name and visibility.
    pub(super) fn is_of(&self, benchmark: &Arc<KnownBenchmark>) -> bool {
        Arc::ptr_eq(&self.benchmark, benchmark)
    }

    /// Returns the number of results that it has.
    pub(super) fn len(&self) -> usize {
        self.tasks.values().map(|task| task.len()).sum()
    }

    /// The results of a task.
    pub(super) fn task(&self, task: &TaskId) -> Arc<LoadedTask> {
        self.tasks.get(task).cloned().unwrap_or_default()
    }
}

impl LoadedTask {
    fn add(&mut self, row: RankingRow, said: &HashMap<EntryId, Fingerprint>) {
        let (owner, private) = (row.owner, row.private);
        let said = said.get(&row.id).copied();
        let loaded = Arc::new(LoadedResult::new(row, said));
        if private {
            self.private.push((owner, loaded));
        } else {
            self.public.push(loaded);
        }
    }

    fn len(&self) -> usize {
        self.public.len() + self.private.len()
    }

    /// Every result, whoever sees it.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<LoadedResult>> {
        let private = self.private.iter().map(|(_, loaded)| loaded);
        self.public.iter().chain(private)
    }

    /// The results that everyone sees.
    pub(super) fn everyones(&self) -> &[Arc<LoadedResult>] {
        &self.public
    }

    fn has_any(&self, models: &BTreeSet<RepoKey>) -> bool {
        self.all()
            .any(|loaded| models.contains(&loaded.rankable.key))
    }

    /// The same without the results of some models.
    fn without(&self, models: &BTreeSet<RepoKey>) -> Self {
        let stays = |loaded: &LoadedResult| !models.contains(&loaded.rankable.key);
        let public = self.public.iter().filter(|loaded| stays(loaded));
        let private = self.private.iter().filter(|(_, loaded)| stays(loaded));
        Self {
            public: public.cloned().collect(),
            private: private.cloned().collect(),
            ranked: Mutex::default(),
            records: Mutex::default(),
        }
    }

    /// The result of a model that everyone sees since a moment.
    pub(super) fn result_since(
        &self,
        model: &RepoId,
        since: Timestamp,
    ) -> Option<&Arc<LoadedResult>> {
        let is_asked = |loaded: &&Arc<LoadedResult>| {
            let rankable = &loaded.rankable;
            rankable.since == since && rankable.model == *model
        };
        self.public.iter().find(is_asked)
    }

    /// Returns whether some see more than everyone.
    pub(super) fn has_private(&self) -> bool {
        !self.private.is_empty()
    }

    /// The board that everyone sees. It is ranked once for all who ask for it meanwhile.
    pub(super) async fn public(self: &Arc<Self>, plan: &Plan) -> Result<Ranked, Error> {
        let kept = kept(&self.ranked, &plan.asked);
        let rank = || async {
            if self.public.len() < MANY {
                return Ok(Arc::new(rows(&self.public, plan)));
            }
            let (task, plan) = (Arc::clone(self), plan.clone());
            blocking(move || Ok(Arc::new(rows(&task.public, &plan)))).await
        };
        kept.get_or_try_init(rank).await.map(Arc::clone)
    }

    /// Returns the place of the cached records of a board.
    pub(super) fn kept_records(&self, asked: &RankingKey) -> Arc<OnceCell<Records>> {
        kept(&self.records, asked)
    }

    /// The results that a viewer sees: those that everyone sees, and those of the viewer's
    /// accounts.
    pub(super) fn visible_to<'t>(
        &'t self,
        viewer: &'t Viewer,
    ) -> impl Iterator<Item = &'t Arc<LoadedResult>> {
        self.public.iter().chain(self.private_of(viewer))
    }

    /// The results that a viewer sees and not everyone does.
    fn private_of<'t>(&'t self, viewer: &'t Viewer) -> impl Iterator<Item = &'t Arc<LoadedResult>> {
        let own = self
            .private
            .iter()
            .filter(move |(owner, _)| viewer.sees_all || viewer.accounts.contains(owner));
        own.map(|(_, loaded)| loaded)
    }

    /// The board that a viewer sees, when that is more than everyone sees.
    pub(super) fn private(&self, plan: &Plan, viewer: &Viewer) -> Option<Ranked> {
        // Most viewers see what everyone sees: that is known before the board is copied.
        self.private_of(viewer).next()?;
        let visible: Vec<Arc<LoadedResult>> = self.visible_to(viewer).cloned().collect();
        Some(Arc::new(rows(&visible, plan)))
    }
}

/// Returns the place of the cached answer to a request; the number of answers is limited.
fn kept<T>(
    answers: &Mutex<HashMap<RankingKey, Arc<OnceCell<T>>>>,
    asked: &RankingKey,
) -> Arc<OnceCell<T>> {
    let mut answers = answers.lock();
    if let Some(answer) = answers.get(asked) {
        return Arc::clone(answer);
    }
    if answers.len() >= MAX_RANKED {
        answers.clear();
    }
    Arc::clone(answers.entry(asked.clone()).or_default())
}

/// The rows with their ranks, and between which ranks each of them lies: once for a board, not for
/// each reader.
fn rows(results: &[Arc<LoadedResult>], plan: &Plan) -> Vec<BoardRow> {
    let board = rank(
        results.iter().map(|loaded| &loaded.rankable),
        &plan.question,
    );
    let metric = plan.metric();
    let groups: Vec<Arc<Group>> = board.groups().iter().cloned().map(Arc::new).collect();
    let mut ranked = Vec::with_capacity(board.rows().len());
    // Chance moves a row within its group alone.
    for rows in board
        .rows()
        .chunk_by(|one, next| one.group() == next.group())
    {
        let contenders: Vec<Contender> = rows
            .iter()
            .map(|row| Contender {
                value: row.value(),
                uncertainty: metric.and_then(|metric| uncertainty(row, results, metric)),
            })
            .collect();
        let intervals = rank_intervals(&contenders, plan.question.direction);
        let rows = rows.iter().zip(intervals).zip(&contenders);
        ranked.extend(rows.map(|((row, rank_interval), contender)| BoardRow {
            rank: row.rank(),
            group: Arc::clone(&groups[row.group()]),
            rank_interval,
            value: row.value(),
            runs: row.runs().len(),
            setups: row.setups(),
            estimate: contender.uncertainty.map(|uncertainty| Estimate {
                value: row.value(),
                interval: uncertainty.interval(row.value()),
                method: uncertainty.basis().method(),
            }),
            is_doubted: row.runs().iter().any(|run| results[*run].is_doubted()),
            key: row.result().key,
            loaded: Arc::clone(&results[row.given()]),
        }));
    }
    ranked
}

/// Returns the uncertainty of the value of a row; of a mean, when that of each run is known.
fn uncertainty(
    row: &Row<'_>,
    results: &[Arc<LoadedResult>],
    metric: &Metric,
) -> Option<Uncertainty> {
    let parts: Option<Vec<(f64, Uncertainty)>> = row
        .runs()
        .iter()
        .map(|run| {
            let loaded = &*results[*run];
            let value = match row.runs() {
                [_] => row.value(),
                _ => value_of(loaded, metric)?,
            };
            Some((value, uncertainty_of(loaded, metric, value)?))
        })
        .collect();
    Uncertainty::of_mean(&parts?)
}

/// The value of a metric in a result that is one of several runs.
fn value_of(loaded: &LoadedResult, metric: &Metric) -> Option<f64> {
    let of_whole = || {
        let scores = loaded.rankable.scores.iter();
        scores.filter(|score| score.slice == metric.slice)
    };
    let named = of_whole().find(|score| score.metric.as_ref() == Some(&metric.id));
    let anonymous = || of_whole().find(|score| score.metric.is_none() && metric.primary);
    named.or_else(anonymous).map(|score| score.value.get())
}
