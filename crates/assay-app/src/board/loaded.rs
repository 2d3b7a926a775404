//! The results of one benchmark, in memory, and the boards made of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use assay_board::{Question, Report, rank};
use assay_model::{RepoKey, TaskId, Timestamp};
use assay_store::{AccountId, BoardEntry, Store, Viewer};

use super::{BoardRow, EvalResult, result};
use crate::error::Error;
use crate::known::KnownBenchmark;

/// How many ranked boards are kept of one benchmark.
const MAX_RANKED: usize = 64;

/// The rows of a board, best first.
pub(super) type Ranked = Arc<Vec<BoardRow>>;

/// The results of a benchmark at one moment.
#[derive(Debug)]
pub(super) struct LoadedBoard {
    benchmark: Arc<KnownBenchmark>,
    results: Vec<Held>,
    tasks: BTreeMap<TaskId, Reports>,
    /// What everyone sees, by what was asked.
    ranked: Mutex<HashMap<Asked, Ranked>>,
}

/// What a ranked board depends on, beside the results.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) task: TaskId,
    pub(super) metric: String,
    pub(super) policy: assay_board::Policy,
    pub(super) verified_only: bool,
    pub(super) base_models_only: bool,
}

/// A result, and who may see it.
#[derive(Debug, Clone)]
struct Held {
    key: RepoKey,
    /// The account whose friends alone see it; none when everyone does.
    private_to: Option<AccountId>,
    result: Arc<EvalResult>,
    report: Report,
}

/// The reports of a task: what everyone sees, and what some see as well.
#[derive(Debug, Default)]
struct Reports {
    public: Vec<Report>,
    private: Vec<(AccountId, Report)>,
}

impl LoadedBoard {
    /// Reads every result.
    pub(super) async fn load(
        store: &Store,
        benchmark: &Arc<KnownBenchmark>,
    ) -> Result<Self, Error> {
        let name = benchmark.id.as_str().to_ascii_lowercase();
        let rows = store.entries_of_board(&name, None, None).await?;
        Ok(Self::new(benchmark, held(&rows, benchmark)))
    }

    /// The results as they were at a moment.
    pub(super) async fn load_at(
        store: &Store,
        benchmark: &Arc<KnownBenchmark>,
        task: &TaskId,
        at: Timestamp,
    ) -> Result<Self, Error> {
        let name = benchmark.id.as_str().to_ascii_lowercase();
        let rows = store.entries_of_board(&name, Some(task), Some(at)).await?;
        Ok(Self::new(benchmark, held(&rows, benchmark)))
    }

    /// Reads the results of some models again.
    pub(super) async fn reload(
        &self,
        store: &Store,
        models: &BTreeSet<RepoKey>,
    ) -> Result<Self, Error> {
        let name = self.benchmark.id.as_str().to_ascii_lowercase();
        let mut results: Vec<Held> = self
            .results
            .iter()
            .filter(|held| !models.contains(&held.key))
            .cloned()
            .collect();
        for model in models {
            let rows = store.entries_on_board(&name, *model).await?;
            results.extend(held(&rows, &self.benchmark));
        }
        Ok(Self::new(&self.benchmark, results))
    }

    fn new(benchmark: &Arc<KnownBenchmark>, results: Vec<Held>) -> Self {
        let mut tasks: BTreeMap<TaskId, Reports> = BTreeMap::new();
        for (handle, held) in results.iter().enumerate() {
            let reports = match tasks.get_mut(&held.result.task) {
                Some(reports) => reports,
                None => tasks.entry(held.result.task.clone()).or_default(),
            };
            let mut report = held.report.clone();
            report.handle = handle;
            match held.private_to {
                None => reports.public.push(report),
                Some(owner) => reports.private.push((owner, report)),
            }
        }
        Self {
            benchmark: Arc::clone(benchmark),
            results,
            tasks,
            ranked: Mutex::default(),
        }
    }

    /// Whether it was made for this very definition, name and visibility.
    pub(super) fn is_of(&self, benchmark: &Arc<KnownBenchmark>) -> bool {
        Arc::ptr_eq(&self.benchmark, benchmark)
    }

    /// Whether a viewer sees more of a task than everyone does.
    pub(super) fn sees_more(&self, task: &TaskId, viewer: &Viewer) -> bool {
        self.tasks.get(task).is_some_and(|reports| {
            reports
                .private
                .iter()
                .any(|(owner, _)| sees(viewer, *owner))
        })
    }

    /// The board that everyone sees.
    pub(super) fn public(&self, asked: &Asked, question: &Question) -> Ranked {
        let kept = || self.ranked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ranked) = kept().get(asked) {
            return Arc::clone(ranked);
        }
        let empty = Vec::new();
        let reports = self
            .tasks
            .get(&asked.task)
            .map_or(&empty, |reports| &reports.public);
        let ranked = Arc::new(self.rows(reports, question));
        let mut kept = kept();
        if kept.len() >= MAX_RANKED {
            kept.clear();
        }
        kept.insert(asked.clone(), Arc::clone(&ranked));
        ranked
    }

    /// The board that a viewer sees who sees more than everyone.
    pub(super) fn private(&self, task: &TaskId, question: &Question, viewer: &Viewer) -> Ranked {
        let Some(reports) = self.tasks.get(task) else {
            return Ranked::default();
        };
        let own = reports.private.iter();
        let own = own.filter(|(owner, _)| sees(viewer, *owner));
        let visible: Vec<Report> = reports
            .public
            .iter()
            .chain(own.map(|(_, report)| report))
            .cloned()
            .collect();
        Arc::new(self.rows(&visible, question))
    }

    fn rows(&self, reports: &[Report], question: &Question) -> Vec<BoardRow> {
        let board = rank(reports, question);
        let rows = board.rows().iter().map(|row| BoardRow {
            rank: row.rank(),
            value: row.value(),
            result: Arc::clone(&self.results[row.report().handle].result),
        });
        rows.collect()
    }
}

fn sees(viewer: &Viewer, owner: AccountId) -> bool {
    viewer.sees_all || viewer.accounts.contains(&owner)
}

/// The results of rows. A model that the operator has closed is on no board.
fn held(rows: &[BoardEntry], benchmark: &KnownBenchmark) -> Vec<Held> {
    let definition = &benchmark.definition;
    rows.iter()
        .filter(|row| !row.disabled)
        .map(|row| Held {
            key: row.key,
            private_to: row.private.then_some(row.owner.id),
            result: Arc::new(result::on_board(row, &benchmark.id, definition)),
            report: result::report(row, definition, 0),
        })
        .collect()
}
