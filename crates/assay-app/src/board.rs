//! Leaderboards and the results of models.

pub(crate) mod brought;
mod cache;
mod changes;
mod diff;
mod finding_list;
mod loaded;
mod loaded_result;
mod lru_cache;
mod model;
mod moment;
mod movements;
mod news;
mod on_boards;
mod place;
mod plan;
mod preview;
mod record;
mod result;
mod signed;

use std::ops::Range;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use assay_board::{Estimate, Group, RankInterval, Setups};
use assay_model::{
    Benchmark, Entry, Finding, MetricId, ObjectId, PullNumber, RepoId, RepoKey, RepoKind, Standing,
    TaskId, Timestamp,
};
use serde_json::Value as Json;

pub use self::brought::{
    BroughtEntry, BroughtEvaluation, BroughtFile, BroughtRecord, BroughtResults, EvaluationChoice,
    entry_text,
};
pub(crate) use self::cache::BoardCache;
pub use self::diff::{
    BoardDiff, BoardState, HubDiff, Moments, RowChange, RowChangeCounts, RowChangeKind,
};
pub use self::finding_list::{FindingsList, FindingsQuery, ResultWithFindings};
use self::loaded::{LoadedBoard, LoadedTask, Ranked};
pub use self::loaded_result::{LoadedResult, SearchText};
pub use self::movements::{BoardChange, BoardChanges, ChangedBoards, Displaced};
pub use self::news::{News, NewsQuery};
pub(crate) use self::on_boards::ChangedFile;
pub use self::place::BoardPlace;
use self::plan::Plan;
pub(crate) use self::preview::Ends;
pub use self::preview::{BoardPreview, Preview, RankMove};
pub use self::record::BoardRecord;
pub(crate) use self::result::rewritten;
use crate::access::Caller;
use crate::account::AccountKind;
use crate::error::{Error, Missing};
use crate::hub::Hub;
use crate::index::{DEFINITION_FILE, Touched};
use crate::known::KnownBenchmark;
use crate::repo_lookup::Repo;
use crate::services::BoardService;

/// The interval at which the database is asked whether another process has changed it.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// A request for a leaderboard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BoardQuery {
    /// The task; the first one of the benchmark when absent.
    pub task: Option<String>,
    /// The metric; the primary one when absent.
    pub metric: Option<String>,
    /// The policy by name; `authoritative` when absent.
    pub policy: Option<String>,
    /// Only verified rows.
    pub verified: bool,
    /// Only models whose card names no base model.
    pub base_models_only: bool,
    /// The board as it stood at a date, a moment, or a commit of the benchmark.
    pub as_of: Option<String>,
    /// At most so many rows.
    pub limit: Option<usize>,
    /// Leave out so many rows.
    pub offset: usize,
    /// Also the words of every row: for who looks for some, or sorts by them.
    pub words: bool,
}

/// A leaderboard, ready to be shown.
#[derive(Debug, Clone)]
pub struct BoardView {
    /// The benchmark.
    pub benchmark_id: RepoId,
    /// Its definition.
    pub benchmark: Arc<Benchmark>,
    /// The commit of the definition.
    pub revision: ObjectId,
    /// The task.
    pub task: TaskId,
    /// The metric that ranks.
    pub metric: MetricId,
    /// The name of the policy.
    pub policy: &'static str,
    /// The moment it shows, when that is not now.
    pub as_of: Option<Timestamp>,
    /// The total number of rows.
    pub total: usize,
    ranked: Ranked,
    asked: Range<usize>,
    plan: Plan,
    task_results: Arc<LoadedTask>,
}

/// One row of a leaderboard.
#[derive(Debug, Clone)]
pub struct BoardRow {
    /// The rank; equal values share it.
    pub rank: usize,
    /// Between which ranks it lies, when it is known how uncertain the value is.
    pub rank_interval: Option<RankInterval>,
    /// The value of the metric that ranks.
    pub value: f64,
    /// The 95 % interval round it, when it is known how uncertain it is: a page is drawn to the
    /// scale of all of them.
    pub estimate: Option<Estimate>,
    /// The group of the row: ranks are those within it.
    pub group: Arc<Group>,
    /// Number of runs that the value is the mean of. They are of one setup, and nothing tells which
    /// of them is the better one.
    pub runs: usize,
    /// The setups of the model in the group.
    pub setups: Setups,
    /// True if a finding that follows from a file alone puts the value of one of the runs in doubt.
    is_doubted: bool,
    /// The model, which is looked for among thousands of rows.
    pub(crate) key: RepoKey,
    /// The result behind it.
    pub loaded: Arc<LoadedResult>,
}

/// A row of a leaderboard with the whole of its result.
#[derive(Debug, Clone)]
pub struct FullRow {
    /// The row.
    pub row: BoardRow,
    /// The result behind it.
    pub result: Arc<EvalResult>,
}

/// The leader of a board.
#[derive(Debug, Clone, Copy)]
pub struct Leader<'v> {
    /// The first row whose value nothing puts in doubt; none when there is no such row.
    pub row: Option<&'v BoardRow>,
    /// Number of rows before it that are passed over, because a finding puts their value in doubt.
    pub passed: usize,
}

/// The number of rows in doubt that are passed over before a board is said to have no leader.
const MAX_PASSED: usize = 1000;

impl BoardView {
    /// Returns the number of rows of a row's group.
    pub fn ranked_with(&self, row: &BoardRow) -> usize {
        let alike = self.ranked.iter().filter(|other| other.group == row.group);
        alike.count()
    }

    /// The rows that were asked for, best first.
    pub fn rows(&self) -> &[BoardRow] {
        &self.ranked[self.asked.clone()]
    }

    /// Returns the leader of the requested rows, as every page, feed and message announces it.
    pub fn leader(&self) -> Leader<'_> {
        let first = self.rows().first();
        let beside = |row: &&BoardRow| first.is_some_and(|first| first.group == row.group);
        let rows = self.rows().iter().take(MAX_PASSED).take_while(beside);
        let mut passed = 0;
        for row in rows {
            if !self.is_doubtful(row) {
                let row = Some(row);
                return Leader { row, passed };
            }
            passed += 1;
        }
        Leader { row: None, passed }
    }

    /// Returns whether a finding puts the value of a row in doubt: one that follows from a file
    /// alone, or one by the scale that the benchmark declares now.
    pub fn is_doubtful(&self, row: &BoardRow) -> bool {
        row.is_doubted || row.loaded.is_off_scale(&self.benchmark)
    }
}

/// One result of a model, with where it comes from.
#[derive(Debug, Clone)]
pub struct EvalResult {
    /// The model.
    pub model: RepoId,
    /// The number of parameters by the card. Only boards look it up.
    pub parameters: Option<u64>,
    /// The models that its card says it is made from. Only boards look that up.
    pub base_models: Vec<String>,
    /// The owner of its namespace.
    pub owner: String,
    /// The owner's name for people.
    pub owner_full_name: String,
    /// The kind of the owner: a user or an organisation.
    pub owner_kind: AccountKind,
    /// The file.
    pub file: String,
    /// The index of the entry in the file, from 0.
    pub ordinal: u32,
    /// The pull request it lives in, while that is open.
    pub pull: Option<PullNumber>,
    /// The standing of the signed evidence.
    pub standing: Standing,
    /// The benchmark it names.
    pub dataset: RepoId,
    /// The task it names.
    pub task: TaskId,
    /// The reason why it is on no board yet, when the hub does not know the benchmark or task.
    pub pending: Option<String>,
    /// The value of the primary metric, or of the first one listed.
    pub value: f64,
    /// The metric that `value` is of.
    pub value_metric: Option<MetricId>,
    /// The entry. On a board it has no token: the standing says what became of it.
    pub entry: Entry,
    /// The findings of the rules: the warnings that follow from its file alone, then departures
    /// from the scale that its benchmark declares now.
    pub findings: Vec<Finding>,
    /// All that was written, when that was looked up: boards hold many results, and few of them are
    /// asked for it.
    written: Option<Json>,
    /// `value` as a number that is whole when it was written so.
    value_as_written: Json,
    /// The date of the evaluation: as written, or when the file was created.
    pub date: String,
    /// The same as a moment.
    pub moment: Timestamp,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// The time of that commit.
    pub committed: Timestamp,
    /// The account that brought it.
    pub submitter: Option<String>,
    /// The address of the source.
    pub source_url: Option<String>,
    /// The name of the source.
    pub source_name: Option<String>,
    /// The setup in words.
    pub notes: Option<String>,
}

impl BoardService<'_> {
    /// A leaderboard, of what the caller may see.
    pub async fn leaderboard(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        query: &BoardQuery,
    ) -> Result<Arc<BoardView>, Error> {
        let (plan, task) = self.planned_results(caller, benchmark, query).await?;
        if query.words {
            let dataset = plan.benchmark.name();
            loaded_result::read_words(&self.hub.store, &dataset, &plan.task, task.all()).await?;
        }
        let ranked = self.ranked(caller, &task, &plan).await?;
        Ok(Arc::new(view(plan, query, ranked, task)))
    }

    /// Some rows of a leaderboard with the whole of their results. A row whose model was deleted
    /// meanwhile is left out.
    pub async fn full_rows(
        self,
        view: &BoardView,
        rows: impl IntoIterator<Item = &BoardRow>,
    ) -> Result<Vec<FullRow>, Error> {
        let rows: Vec<&BoardRow> = rows.into_iter().collect();
        let results: Vec<&Arc<LoadedResult>> = rows.iter().map(|row| &row.loaded).collect();
        let (id, definition) = (&view.benchmark_id, &view.benchmark);
        let whole = self
            .hub
            .board_cache
            .wholes
            .of(&self.hub.store, id, definition, &results);
        let whole = rows.into_iter().zip(whole.await?);
        let whole = whole.filter_map(|(row, result)| {
            Some(FullRow {
                row: row.clone(),
                result: result?,
            })
        });
        Ok(whole.collect())
    }

    /// Every result of a model: on main and in open pull requests.
    pub async fn model_results(self, repo: &Repo) -> Result<Arc<Vec<Arc<EvalResult>>>, Error> {
        let version = match self.hub.board_cache.model(repo.key) {
            Ok(results) => return Ok(results),
            Err(version) => version,
        };
        let results = Arc::new(self.read_model(repo.key).await?);
        self.hub.board_cache.keep_model(repo.key, version, &results);
        Ok(results)
    }

    /// A number that goes up whenever something that anonymous readers see has changed.
    pub fn generation(self) -> u64 {
        self.hub.board_cache.generation()
    }

    /// A number that goes up whenever anything may have changed, and not only some boards and
    /// models.
    pub fn generation_of_everything(self) -> u64 {
        self.hub.board_cache.generation_of_everything()
    }

    /// A number that goes up whenever what anonymous readers see of a board has changed: for caches
    /// of rendered answers.
    pub fn generation_of_board(self, benchmark: &RepoId) -> u64 {
        self.hub.board_cache.generation_of_board(benchmark)
    }

    /// A number that goes up whenever what anonymous readers see of a model's results has changed.
    pub fn generation_of_model(self, model: &RepoId) -> u64 {
        self.hub.board_cache.generation_of_model(model)
    }

    /// The benchmark that a dataset defines, with the commit of its definition.
    pub async fn benchmark(self, repo: &Repo) -> Result<Option<(Arc<Benchmark>, ObjectId)>, Error> {
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        Ok(known
            .of(repo.key)
            .map(|known| (Arc::clone(&known.definition), known.revision)))
    }

    /// Returns the definition of a benchmark, if the caller may see it. None when there is no such
    /// benchmark, by this name.
    pub async fn definition(
        self,
        caller: &Caller,
        id: &RepoId,
    ) -> Result<Option<Arc<Benchmark>>, Error> {
        match self.visible_benchmark(caller, id).await {
            Ok(known) => Ok(Some(Arc::clone(&known.definition))),
            Err(Error::NotFound(_) | Error::Moved { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Forgets what a change touched. Call it after the change was committed.
    pub(crate) fn touch(self, touched: &Touched) {
        self.hub.board_cache.touch(touched);
    }
}

impl Hub {
    /// Keeps an eye on the database and on the logs as long as the hub lives. Each has a task of
    /// its own: work on the logs may wait for others, and what they change must be noticed
    /// meanwhile.
    pub(crate) fn watch(hub: &Arc<Self>) {
        let noticing = Arc::downgrade(hub);
        tokio::spawn(async move {
            while noticing.strong_count() > 0 {
                notice_for(&noticing, WATCH_EVERY).await;
            }
        });
        let hub = Arc::downgrade(hub);
        tokio::spawn(async move {
            let mut turn: u64 = 0;
            loop {
                tokio::time::sleep(WATCH_EVERY).await;
                let Some(hub) = hub.upgrade() else {
                    return;
                };
                if let Err(error) = hub.evidence().keep_logs(turn).await {
                    tracing::warn!(?error, "the logs cannot be kept up with");
                }
                turn += 1;
            }
        });
    }
}

impl BoardService<'_> {
    /// Notices what other processes changed.
    pub(crate) async fn notice_changes(self) -> Result<(), Error> {
        self.hub.store.generation().await?;
        self.hub
            .board_cache
            .note_others(self.hub.store.generation_of_others());
        Ok(())
    }

    /// A benchmark, if the caller may see it. One that everyone sees is found in memory.
    async fn visible_benchmark(
        self,
        caller: &Caller,
        id: &RepoId,
    ) -> Result<Arc<KnownBenchmark>, Error> {
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let named = known.named(id.as_str());
        let is_current =
            |known: &&Arc<KnownBenchmark>| known.id.as_str().eq_ignore_ascii_case(id.as_str());
        if let Some(benchmark) = named.filter(|known| known.public).filter(is_current) {
            return Ok(Arc::clone(benchmark));
        }
        let repo = self.hub.repo(caller, RepoKind::Dataset, id).await?;
        known.of(repo.key).cloned().ok_or_else(|| {
            Error::NotFound(Missing::Leaderboard(format!(
                "`{id}` is no benchmark: it has no valid `{DEFINITION_FILE}` on its main branch"
            )))
        })
    }

    /// Returns what a query means for a benchmark that the caller may see, and the results of the
    /// task at the moment that is asked for. The results of private models are among them.
    async fn planned_results(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        query: &BoardQuery,
    ) -> Result<(Plan, Arc<LoadedTask>), Error> {
        let benchmark = self.visible_benchmark(caller, benchmark).await?;
        let plan = self.plan(benchmark, query).await?;
        let board = match plan.as_of {
            None => {
                self.hub
                    .board_cache
                    .board(&self.hub.store, &plan.benchmark)
                    .await?
            }
            Some(at) => {
                let (benchmark, task) = (&plan.benchmark, &plan.task);
                Arc::new(
                    LoadedBoard::load_at(&self.hub.store, &self.hub.git, benchmark, task, at)
                        .await?,
                )
            }
        };
        let task = board.task(&plan.task);
        Ok((plan.for_results(query, task.everyones()), task))
    }

    /// Returns the rows that the caller may see. Callers without access to any private model on the
    /// board get the public ranking.
    async fn ranked(
        self,
        caller: &Caller,
        task: &Arc<LoadedTask>,
        plan: &Plan,
    ) -> Result<Ranked, Error> {
        if task.has_private() && !caller.is_anonymous() {
            let viewer = self.hub.repositories().viewer(caller).await?;
            if let Some(ranked) = task.private(plan, &viewer) {
                return Ok(ranked);
            }
        }
        task.public(plan).await
    }
}

fn view(
    plan: Plan,
    query: &BoardQuery,
    ranked: Ranked,
    task_results: Arc<LoadedTask>,
) -> BoardView {
    let from = query.offset.min(ranked.len());
    let most = ranked.len() - from;
    let limit = query.limit.unwrap_or(most).min(most);
    BoardView {
        benchmark_id: plan.benchmark.id.clone(),
        benchmark: Arc::clone(&plan.benchmark.definition),
        revision: plan.benchmark.revision,
        task: plan.task.clone(),
        metric: plan.question.metric.clone(),
        policy: plan.asked.policy.as_str(),
        as_of: plan.as_of,
        total: ranked.len(),
        asked: from..from + limit,
        ranked,
        plan,
        task_results,
    }
}

/// Notices what other processes change, for this long: at once where the database tells, else at
/// the end.
async fn notice_for(hub: &Weak<Hub>, time: Duration) {
    let end = Instant::now() + time;
    while let Some(store) = hub.upgrade().map(|hub| hub.store.clone()) {
        store
            .wait_for_news(end.saturating_duration_since(Instant::now()))
            .await;
        let Some(hub) = hub.upgrade() else {
            return;
        };
        if let Err(error) = hub.boards().notice_changes().await {
            tracing::warn!(?error, "the database cannot be watched for changes");
        }
        if Instant::now() >= end {
            return;
        }
    }
}
