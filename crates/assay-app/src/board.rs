//! Leaderboards and the results of models.

mod cache;
mod loaded;
mod moment;
mod result;

use std::collections::HashSet;
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use assay_board::{Policy, Question};
use assay_model::{
    Benchmark, Entry, Metric, MetricId, ObjectId, RepoId, RepoKey, RepoKind, Standing, TaskId,
    Timestamp,
};
use assay_store::{Branch, IndexedEntry};
use serde_json::Value as Json;

pub(crate) use self::cache::Boards;
use self::loaded::{Asked, LoadedBoard, LoadedTask, Ranked};
use self::result::ModelFacts;
use crate::access::{Caller, Need};
use crate::account::AccountKind;
use crate::door::Repo;
use crate::error::{Error, Missing};
use crate::hub::{Hub, blocking};
use crate::index::{self, DEFINITION_FILE, MAX_BYTES, Touched};
use crate::known::KnownBenchmark;

/// How often the database is asked whether another process has changed it.
const WATCH_EVERY: Duration = Duration::from_millis(200);

/// Which leaderboard to show, and how.
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
    /// Also models whose card names a base model.
    pub derived_models: bool,
    /// The board as it stood at a date, a moment, or a commit of the benchmark.
    pub as_of: Option<String>,
    /// At most so many rows.
    pub limit: Option<usize>,
    /// Leave out so many rows.
    pub offset: usize,
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
    /// How many rows there are in all.
    pub total: usize,
    /// The rows, best first.
    pub rows: Vec<BoardRow>,
}

/// One row of a leaderboard.
#[derive(Debug, Clone)]
pub struct BoardRow {
    /// The rank; equal values share it.
    pub rank: usize,
    /// The value of the metric that ranks.
    pub value: f64,
    /// The result behind it.
    pub result: Arc<EvalResult>,
}

/// One result of a model, with where it comes from.
#[derive(Debug, Clone)]
pub struct EvalResult {
    /// The model.
    pub model: RepoId,
    /// Whose namespace it is in.
    pub owner: String,
    /// The owner's name for people.
    pub owner_full_name: String,
    /// Whether the owner is a user or an organisation.
    pub owner_kind: AccountKind,
    /// The file.
    pub file: String,
    /// Which entry of the file, from 0.
    pub ordinal: u32,
    /// The pull request it lives in, while that is open.
    pub pull: Option<i64>,
    /// What the signed evidence says.
    pub standing: Standing,
    /// The benchmark it names.
    pub dataset: RepoId,
    /// The task it names.
    pub task: TaskId,
    /// Why it is on no board yet, when the hub does not know the benchmark or task.
    pub pending: Option<String>,
    /// The value of the primary metric, or of the first one listed.
    pub value: f64,
    /// The metric that `value` is of.
    pub value_metric: Option<MetricId>,
    /// What the entry says. On a board it has no token: the standing tells what became of that.
    pub entry: Entry,
    /// The entry in the words of the file, with the keys that clients read. Among the results of a model it has all that
    /// was written, on a board what is in `entry`.
    pub data: Json,
    /// When the evaluation was made: as written, or when the file was created.
    pub date: String,
    /// The commit that brought it.
    pub commit: ObjectId,
    /// When that was.
    pub committed: Timestamp,
    /// Who brought it.
    pub submitter: Option<String>,
    /// Where it is published.
    pub source_url: Option<String>,
    /// What that is called.
    pub source_name: Option<String>,
    /// The setup in words.
    pub notes: Option<String>,
}

/// What a query asks of which definition.
struct Plan {
    benchmark: Arc<KnownBenchmark>,
    task: TaskId,
    asked: Asked,
    question: Question,
    as_of: Option<Timestamp>,
}

impl Hub {
    /// A leaderboard, of what the caller may see.
    pub async fn leaderboard(
        &self,
        caller: &Caller,
        benchmark: &RepoId,
        query: &BoardQuery,
    ) -> Result<Arc<BoardView>, Error> {
        let benchmark = self.visible_benchmark(caller, benchmark).await?;
        let plan = self.plan(benchmark, query).await?;
        let board = match plan.as_of {
            None => self.boards.board(&self.store, &plan.benchmark).await?,
            Some(at) => {
                let (benchmark, task) = (&plan.benchmark, &plan.task);
                Arc::new(LoadedBoard::load_at(&self.store, benchmark, task, at).await?)
            }
        };
        let ranked = self.ranked(caller, &board.task(&plan.task), &plan).await?;
        Ok(Arc::new(view(&plan, query, &ranked)))
    }

    /// Every result of a model: on main and in open pull requests.
    pub async fn model_results(&self, repo: &Repo) -> Result<Arc<Vec<Arc<EvalResult>>>, Error> {
        let version = match self.boards.model(repo.key) {
            Ok(results) => return Ok(results),
            Err(version) => version,
        };
        let results = Arc::new(self.read_model(repo.key).await?);
        self.boards.keep_model(repo.key, version, &results);
        Ok(results)
    }

    /// A number that changes whenever something that anonymous readers see has changed: for caches of rendered answers.
    pub fn generation(&self) -> u64 {
        self.boards.generation()
    }

    /// The benchmark that a dataset defines, with the commit of its definition.
    pub async fn benchmark(
        &self,
        repo: &Repo,
    ) -> Result<Option<(Arc<Benchmark>, ObjectId)>, Error> {
        let known = self.boards.known(&self.store).await?;
        Ok(known
            .of(repo.key)
            .map(|known| (Arc::clone(&known.definition), known.revision)))
    }

    /// Forgets what a change touched. Call it after the change was committed.
    pub(crate) fn touch(&self, touched: &Touched) {
        self.boards.touch(touched);
    }

    /// Keeps an eye on the database as long as the hub lives.
    pub(crate) fn watch(hub: &Arc<Self>) {
        let hub = Arc::downgrade(hub);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(WATCH_EVERY).await;
                let Some(hub) = hub.upgrade() else {
                    return;
                };
                if let Err(error) = hub.notice_changes().await {
                    tracing::warn!(?error, "the database cannot be watched for changes");
                }
            }
        });
    }

    /// Notices what other processes changed.
    pub(crate) async fn notice_changes(&self) -> Result<(), Error> {
        let seen = self.store.seen_generation();
        if self.store.generation().await? > seen {
            self.boards.forget();
        }
        Ok(())
    }

    /// A benchmark, if the caller may see it. One that everyone sees is found in memory.
    async fn visible_benchmark(
        &self,
        caller: &Caller,
        id: &RepoId,
    ) -> Result<Arc<KnownBenchmark>, Error> {
        let known = self.boards.known(&self.store).await?;
        let named = known.named(id.as_str());
        let is_current =
            |known: &&Arc<KnownBenchmark>| known.id.as_str().eq_ignore_ascii_case(id.as_str());
        if let Some(benchmark) = named.filter(|known| known.public).filter(is_current) {
            return Ok(Arc::clone(benchmark));
        }
        let repo = self.repo(caller, RepoKind::Dataset, id, Need::Read).await?;
        known.of(repo.key).cloned().ok_or_else(|| {
            Error::NotFound(Missing::Leaderboard(format!(
                "`{id}` is no benchmark: it has no valid `{DEFINITION_FILE}` on its main branch"
            )))
        })
    }

    async fn plan(
        &self,
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
        question.base_models_only = !query.derived_models;
        let asked = Asked {
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

    /// The moment that is asked for. A commit of the benchmark also brings the definition that it had.
    async fn as_of(
        &self,
        benchmark: Arc<KnownBenchmark>,
        text: &str,
    ) -> Result<(Arc<KnownBenchmark>, Option<Timestamp>), Error> {
        if let Some(at) = moment::moment(text) {
            return Ok((benchmark, Some(at)));
        }
        let (git, key, revision) = (Arc::clone(&self.git), benchmark.key, text.to_owned());
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

    /// The rows that the caller sees. Who is related to no private model on the board sees what everyone sees.
    async fn ranked(
        &self,
        caller: &Caller,
        task: &LoadedTask,
        plan: &Plan,
    ) -> Result<Ranked, Error> {
        if task.has_private() && !caller.is_anonymous() {
            let viewer = self.viewer(caller).await?;
            if let Some(ranked) = task.private(&plan.question, &viewer) {
                return Ok(ranked);
            }
        }
        Ok(task.public(&plan.asked, &plan.question))
    }

    async fn read_model(&self, key: RepoKey) -> Result<Vec<Arc<EvalResult>>, Error> {
        let Some(repository) = self.store.repository(key).await? else {
            return Err(Error::NotFound(Missing::Repo));
        };
        let account = self.store.account(repository.owner).await?;
        let owner = result::owner_of(&repository, account);
        let known = self.boards.known(&self.store).await?;
        let rows = without_echoes(self.store.entries_of_model(key, None).await?);
        let mut results = Vec::with_capacity(rows.len());
        for row in rows {
            let submitter = match row.version.submitter {
                Some(id) => self.store.account(id).await?.map(|account| account.name),
                None => None,
            };
            // Whoever sees a private model sees the private benchmarks of its namespace; nobody else is told of them.
            let dataset = row.version.entry.dataset.clone();
            let benchmark = known.named(dataset.as_str()).filter(|benchmark| {
                benchmark.public
                    || (repository.settings.private && benchmark.owner == repository.owner)
            });
            let definition = benchmark
                .map(|benchmark| &*benchmark.definition)
                .ok_or_else(|| format!("this hub has no benchmark `{dataset}` yet"));
            let model = ModelFacts {
                id: &repository.id,
                owner: &owner,
            };
            let result = result::of_model(model, row, submitter.as_deref(), definition);
            results.push(Arc::new(result));
        }
        Ok(results)
    }
}

/// Leaves out what a pull request says and main says as well.
fn without_echoes(rows: Vec<IndexedEntry>) -> Vec<IndexedEntry> {
    let on_main: HashSet<[u8; 32]> = rows
        .iter()
        .filter(|row| row.branch == Branch::Main)
        .map(|row| index::digest(&row.version.data))
        .collect();
    let is_news = |row: &IndexedEntry| {
        row.branch == Branch::Main || !on_main.contains(&index::digest(&row.version.data))
    };
    rows.into_iter().filter(is_news).collect()
}

fn asked_task(definition: &Benchmark, id: &RepoId, asked: Option<&str>) -> Result<TaskId, Error> {
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

/// The definition at a revision, with its commit; none when there is no such commit or no valid definition.
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

fn view(plan: &Plan, query: &BoardQuery, ranked: &Ranked) -> BoardView {
    let limit = query.limit.unwrap_or(usize::MAX);
    BoardView {
        benchmark_id: plan.benchmark.id.clone(),
        benchmark: Arc::clone(&plan.benchmark.definition),
        revision: plan.benchmark.revision,
        task: plan.task.clone(),
        metric: plan.question.metric.clone(),
        policy: plan.asked.policy.as_str(),
        as_of: plan.as_of,
        total: ranked.len(),
        rows: ranked
            .iter()
            .skip(query.offset)
            .take(limit)
            .cloned()
            .collect(),
    }
}
