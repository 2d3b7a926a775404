//! The results of one benchmark, in memory, and the boards made of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use assay_board::{Contender, Policy, Report, rank, rank_intervals, uncertainty_of};
use assay_model::{RepoId, RepoKey, TaskId, Timestamp};
use assay_store::{AccountId, BoardEntry, Store, Viewer};

use super::plan::Plan;
use super::{BoardRow, EvalResult, result};
use crate::error::Error;
use crate::known::KnownBenchmark;

/// How many ranked boards are kept of one task.
const MAX_RANKED: usize = 64;

/// The rows of a board, best first.
pub(super) type Ranked = Arc<Vec<BoardRow>>;

/// The results of a benchmark at one moment.
#[derive(Debug)]
pub(super) struct LoadedBoard {
    benchmark: Arc<KnownBenchmark>,
    tasks: BTreeMap<TaskId, Arc<LoadedTask>>,
}

/// The results of one task.
#[derive(Debug, Default)]
pub(super) struct LoadedTask {
    /// What everyone sees.
    public: Vec<Report>,
    /// What the friends of an account see as well.
    private: Vec<(AccountId, Report)>,
    /// The results behind the reports, each known by the handle of its report.
    results: Vec<Arc<EvalResult>>,
    /// What everyone sees, by what was asked.
    ranked: Mutex<HashMap<Asked, Ranked>>,
}

/// What a ranked board depends on, beside the results.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) metric: String,
    pub(super) policy: Policy,
    pub(super) verified_only: bool,
    pub(super) base_models_only: bool,
}

impl LoadedBoard {
    /// Reads every result.
    pub(super) async fn load(
        store: &Store,
        benchmark: &Arc<KnownBenchmark>,
    ) -> Result<Self, Error> {
        let rows = store
            .entries_of_board(&benchmark.name(), None, None)
            .await?;
        Ok(Self::new(benchmark, BTreeMap::new(), rows))
    }

    /// The results of a task as they were at a moment.
    pub(super) async fn load_at(
        store: &Store,
        benchmark: &Arc<KnownBenchmark>,
        task: &TaskId,
        at: Timestamp,
    ) -> Result<Self, Error> {
        let rows = store
            .entries_of_board(&benchmark.name(), Some(task), Some(at))
            .await?;
        // What held then counts as holding, whatever became of it.
        let held = rows
            .into_iter()
            .map(|row| BoardEntry { until: None, ..row });
        Ok(Self::new(benchmark, BTreeMap::new(), held.collect()))
    }

    /// Reads the results of some models again. Tasks that they have no part in stay as they are, ranks and all.
    pub(super) async fn reload(
        &self,
        store: &Store,
        models: &BTreeSet<RepoKey>,
    ) -> Result<Self, Error> {
        let mut rows = Vec::new();
        for model in models {
            rows.extend(
                store
                    .entries_on_board(&self.benchmark.name(), *model)
                    .await?,
            );
        }
        let mut tasks = self.tasks.clone();
        for (task, loaded) in &self.tasks {
            if loaded.has_any(models) || rows.iter().any(|row| row.task == *task) {
                tasks.insert(task.clone(), Arc::new(loaded.without(models)));
            }
        }
        Ok(Self::new(&self.benchmark, tasks, rows))
    }

    /// Adds rows to tasks, which are their only owners when they are given rows.
    fn new(
        benchmark: &Arc<KnownBenchmark>,
        mut tasks: BTreeMap<TaskId, Arc<LoadedTask>>,
        rows: Vec<BoardEntry>,
    ) -> Self {
        let mut fresh: BTreeMap<TaskId, LoadedTask> = BTreeMap::new();
        for row in rows {
            // A model that the operator has closed is on no board.
            if row.disabled {
                continue;
            }
            let task = fresh.entry(row.task.clone()).or_insert_with(|| {
                let held = tasks.remove(&row.task).map(Arc::try_unwrap);
                held.and_then(Result::ok).unwrap_or_default()
            });
            task.add(&row, benchmark);
        }
        tasks.extend(
            fresh
                .into_iter()
                .map(|(task, loaded)| (task, Arc::new(loaded))),
        );
        Self {
            benchmark: Arc::clone(benchmark),
            tasks,
        }
    }

    /// Whether it was made for this very definition, name and visibility.
    pub(super) fn is_of(&self, benchmark: &Arc<KnownBenchmark>) -> bool {
        Arc::ptr_eq(&self.benchmark, benchmark)
    }

    /// How many results it has.
    pub(super) fn len(&self) -> usize {
        self.tasks.values().map(|task| task.results.len()).sum()
    }

    /// The results of a task.
    pub(super) fn task(&self, task: &TaskId) -> Arc<LoadedTask> {
        self.tasks.get(task).cloned().unwrap_or_default()
    }
}

impl LoadedTask {
    fn add(&mut self, row: &BoardEntry, benchmark: &KnownBenchmark) {
        let definition = &benchmark.definition;
        let report = result::report(row, definition, self.results.len());
        let shown = result::on_board(row, &benchmark.id, definition);
        self.results.push(Arc::new(shown));
        if row.private {
            self.private.push((row.owner.id, report));
        } else {
            self.public.push(report);
        }
    }

    fn has_any(&self, models: &BTreeSet<RepoKey>) -> bool {
        let private = self.private.iter().map(|(_, report)| report);
        self.public
            .iter()
            .chain(private)
            .any(|report| models.contains(&report.key))
    }

    /// The same without the results of some models.
    fn without(&self, models: &BTreeSet<RepoKey>) -> Self {
        let mut results = Vec::with_capacity(self.results.len());
        let mut keep = |report: &Report| {
            let mut kept = report.clone();
            kept.handle = results.len();
            results.push(Arc::clone(&self.results[report.handle]));
            kept
        };
        let stays = |report: &Report| !models.contains(&report.key);
        let public = self.public.iter().filter(|report| stays(report));
        let public = public.map(&mut keep).collect();
        let private = self.private.iter().filter(|(_, report)| stays(report));
        let private = private
            .map(|(owner, report)| (*owner, keep(report)))
            .collect();
        Self {
            public,
            private,
            results,
            ranked: Mutex::default(),
        }
    }

    /// The result of a model that everyone sees since a moment.
    pub(super) fn result_since(&self, model: &RepoId, since: Timestamp) -> Option<Arc<EvalResult>> {
        let mut reports = self.public.iter();
        let report = reports.find(|report| report.model == *model && report.since == since)?;
        Some(Arc::clone(&self.results[report.handle]))
    }

    /// Whether some see more than everyone.
    pub(super) fn has_private(&self) -> bool {
        !self.private.is_empty()
    }

    /// The board that everyone sees.
    pub(super) fn public(&self, plan: &Plan) -> Ranked {
        let kept = || self.ranked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ranked) = kept().get(&plan.asked) {
            return Arc::clone(ranked);
        }
        let ranked = Arc::new(self.rows(&self.public, plan));
        let mut kept = kept();
        if kept.len() >= MAX_RANKED {
            kept.clear();
        }
        kept.insert(plan.asked.clone(), Arc::clone(&ranked));
        ranked
    }

    /// The board that a viewer sees, when that is more than everyone sees.
    pub(super) fn private(&self, plan: &Plan, viewer: &Viewer) -> Option<Ranked> {
        let sees = |owner: &AccountId| viewer.sees_all || viewer.accounts.contains(owner);
        let own: Vec<&Report> = self
            .private
            .iter()
            .filter(|(owner, _)| sees(owner))
            .map(|(_, report)| report)
            .collect();
        if own.is_empty() {
            return None;
        }
        let visible: Vec<Report> = self.public.iter().chain(own).cloned().collect();
        Some(Arc::new(self.rows(&visible, plan)))
    }

    /// The rows with their ranks, and between which ranks each of them lies: once for a board, not for each reader.
    fn rows(&self, reports: &[Report], plan: &Plan) -> Vec<BoardRow> {
        let board = rank(reports, &plan.question);
        let metric = plan.metric();
        let contenders: Vec<Contender> = board
            .rows()
            .iter()
            .map(|row| {
                let entry = &self.results[row.report().handle].entry;
                Contender {
                    value: row.value(),
                    uncertainty: metric
                        .and_then(|metric| uncertainty_of(entry, metric, row.value())),
                }
            })
            .collect();
        let intervals = rank_intervals(&contenders, plan.question.direction);
        let rows = board.rows().iter().zip(intervals);
        rows.map(|(row, rank_interval)| BoardRow {
            rank: row.rank(),
            rank_interval,
            value: row.value(),
            result: Arc::clone(&self.results[row.report().handle]),
        })
        .collect()
    }
}
