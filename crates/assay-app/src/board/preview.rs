//! The effect on the boards of a pull request, or of a file that is about to be submitted, if it
//! were merged now.
//!
//! The files are validated by the same rules, the entries are derived from the merged commit by the
//! same function as the index, and both boards are ranked by the same one as every board: what is
//! shown is what a merge would make.

mod scene;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_board::{Movement, Question, RankableResult, changes, rank};
use assay_git::{self as git, CommitPlan, FileMode, Objects, RefName};
use assay_model::{
    Diagnostic, Direction, MetricId, ObjectId, PullNumber, RepoId, RepoKind, RepoPath, TaskId,
};
use assay_store::{BoardEntry, Branch, IndexedEntry, NewEntry};

use self::scene::Scene;
use super::plan::task_metric;
use super::{EvalResult, result, signed};
use crate::access::Caller;
use crate::commit::signature;
use crate::discussion::Trial;
use crate::error::{Error, Limit, Missing};
use crate::index::{self, ResultFileReader, entries_after};
use crate::known::KnownBenchmark;
use crate::repo_lookup::Repo;
use crate::services::BoardService;
use crate::validator::{SharedValidator, Step, Validation};

/// The most files of a submission that is previewed.
const MAX_FILES: usize = 20;
/// The most bytes of a submission that is previewed, all files together.
const MAX_BYTES: usize = 4 << 20;
/// The most boards whose ranks are compared; a pull request that touches more is told so.
const MAX_BOARDS: usize = 24;

/// The effect of a change.
#[derive(Debug, Clone, Default)]
pub struct Preview {
    /// Findings in the files that it changes, errors first.
    pub findings: Vec<Diagnostic>,
    /// The results that it adds, each with its standing.
    pub added: Vec<Arc<EvalResult>>,
    /// The results that it takes away.
    pub removed: Vec<Arc<EvalResult>>,
    /// The boards that it touches, and who moves there.
    pub boards: Vec<BoardPreview>,
    /// The number of further boards that it touches.
    pub more_boards: usize,
    /// The files that stand in the way of a merge; then there is nothing to compare.
    pub conflicts: Vec<String>,
}

/// The effect on one board.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardPreview {
    /// The benchmark.
    pub benchmark: RepoId,
    /// Its name for people.
    pub benchmark_name: String,
    /// The task.
    pub task: TaskId,
    /// The metric that ranks.
    pub metric: MetricId,
    /// The label of the metric.
    pub metric_name: String,
    /// The direction in which it improves.
    pub direction: Direction,
    /// Number of models that the board has before and after.
    pub models: (usize, usize),
    /// Everyone whose rank or value changes, in the order of the later board.
    pub moves: Vec<RankMove>,
}

/// The effect on one model on a board.
#[derive(Debug, Clone, PartialEq)]
pub struct RankMove {
    /// The model.
    pub model: RepoId,
    /// True if it is the one that the change is made to.
    pub own: bool,
    /// Its rank before; none when it was not on the board.
    pub from: Option<usize>,
    /// Its rank after; none when it leaves the board.
    pub to: Option<usize>,
    /// Its value before.
    pub value_before: Option<f64>,
    /// Its value after.
    pub value_after: Option<f64>,
}

impl Preview {
    /// True when validation would refuse it.
    pub fn is_refused(&self) -> bool {
        self.findings
            .iter()
            .any(|finding| finding.severity == assay_model::Severity::Error)
    }
}

/// The facts of a change that are read from git.
#[derive(Default)]
struct Examined {
    validation: Validation,
    /// All entries of main after the change; none when they stay as they are.
    entries: Option<Vec<NewEntry>>,
    conflicts: Vec<String>,
}

impl BoardService<'_> {
    /// Returns the effect of merging a pull request now. One that is closed has none.
    pub async fn preview_pull(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
    ) -> Result<Preview, Error> {
        let Some(trial) = self.hub.discussions().trial(repo, num).await? else {
            return Ok(Preview::default());
        };
        let validator = SharedValidator::new(self.hub, repo.kind, Some(repo.key)).await?;
        let current = self.on_main(repo).await?;
        let held = current.clone();
        let now = self.hub.now();
        let pull = trial.num();
        let diffs = Arc::clone(&self.hub.diffs);
        let files = self.hub.sources.files.of_repository(repo.key);
        let examined = self
            .hub
            .with_git(repo.key, move |git| {
                let mut examined = Examined::default();
                let Some(ends) = trial.ends(git)? else {
                    return Ok(examined);
                };
                let step = Step {
                    old: Some(ends.from),
                    new: ends.tip,
                };
                let objects = git.objects();
                let result_files = ResultFileReader::new(&objects, files.clone());
                examined.validation = validator.get().step(&result_files, step)?;
                let quarantine = git.quarantine();
                if diffs.is_hopeless(ends.onto, ends.tip) {
                    return Ok(examined);
                }
                let tried = match Trial::merged(&quarantine, ends, now) {
                    Err(assay_git::Error::OutOfTime { .. }) => {
                        diffs.note_hopeless(ends.onto, ends.tip);
                        return Ok(examined);
                    }
                    tried => tried?,
                };
                match tried {
                    Ok(commit) => {
                        let objects = quarantine.objects();
                        let submitter = trial.author();
                        let result_files = ResultFileReader::new(&objects, files);
                        examined.entries =
                            entries_after(&result_files, ends.onto, &held, commit, submitter)?;
                    }
                    Err(conflicts) => examined.conflicts = conflicts,
                }
                Ok(examined)
            })
            .await?;
        self.previewed(caller, repo, Some(pull), current, examined)
            .await
    }

    /// Returns the effect of committing these files to `main`; nothing is kept.
    pub async fn preview_files(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        files: Vec<(RepoPath, Vec<u8>)>,
    ) -> Result<Preview, Error> {
        let repo = self.hub.repo(caller, kind, id).await?;
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        if files.len() > MAX_FILES || bytes > MAX_BYTES {
            return Err(Error::TooLarge(Limit::Preview {
                files: MAX_FILES,
                bytes: MAX_BYTES as u64,
            }));
        }
        let validator = SharedValidator::new(self.hub, repo.kind, Some(repo.key)).await?;
        let current = self.on_main(&repo).await?;
        let held = current.clone();
        let kept = self.hub.sources.files.of_repository(repo.key);
        let author = signature(caller.signed_in().ok(), self.hub.now());
        let submitter = caller.signed_in().ok().map(|user| user.account);
        let examined = self
            .hub
            .with_git(repo.key, move |git| {
                let head = git.find_ref(&RefName::main())?;
                let head = head
                    .ok_or_else(|| Error::NotFound(Missing::Revision("main".to_owned())))?
                    .target;
                let put = |(path, bytes)| git::TreeEdit::Put {
                    path,
                    blob: git::Blob::Bytes(bytes),
                    mode: FileMode::Regular,
                };
                let quarantine = git.quarantine();
                let commit = quarantine.write(&CommitPlan {
                    parents: vec![head],
                    base: Some(head),
                    operations: files.into_iter().map(put).collect(),
                    message: "preview".to_owned(),
                    author: author.clone(),
                    committer: author,
                })?;
                let objects = quarantine.objects();
                let result_files = ResultFileReader::new(&objects, kept);
                Ok(Examined {
                    validation: validator.get().step(
                        &result_files,
                        Step {
                            old: Some(head),
                            new: commit,
                        },
                    )?,
                    entries: entries_after(&result_files, head, &held, commit, submitter)?,
                    conflicts: Vec::new(),
                })
            })
            .await?;
        self.previewed(caller, &repo, None, current, examined).await
    }

    /// The entries of main as they are indexed.
    async fn on_main(self, repo: &Repo) -> Result<Vec<IndexedEntry>, Error> {
        let mut rows = self.hub.store.entries_of_model(repo.key, None).await?;
        rows.retain(|row| row.branch == Branch::Main);
        Ok(rows)
    }

    async fn previewed(
        self,
        caller: &Caller,
        repo: &Repo,
        pull: Option<PullNumber>,
        current: Vec<IndexedEntry>,
        examined: Examined,
    ) -> Result<Preview, Error> {
        let Validation {
            errors,
            warnings,
            results,
        } = examined.validation;
        let on_boards = if errors.is_empty() {
            self.stands_out(repo.key, results).await?
        } else {
            Vec::new()
        };
        let mut preview = Preview {
            findings: errors
                .into_iter()
                .chain(warnings)
                .chain(on_boards)
                .collect(),
            conflicts: examined.conflicts,
            ..Preview::default()
        };
        let Some(mut entries) = examined.entries else {
            return Ok(preview);
        };
        let Some(scene) = self.scene_of(caller, repo, pull).await? else {
            return Ok(preview);
        };
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let versions = entries.iter_mut().collect();
        signed::check_versions(
            &self.hub.git,
            &known,
            |benchmark| benchmark.public,
            versions,
        )
        .await?;
        let (added, removed) = differing(&current, &entries);
        let touched: BTreeSet<(String, TaskId)> = added
            .iter()
            .copied()
            .chain(removed.iter().copied())
            .map(board_of)
            .collect();
        let mut boards: BTreeMap<(RepoId, TaskId), Arc<KnownBenchmark>> = BTreeMap::new();
        for (dataset, task) in touched {
            let benchmark = known.named(&dataset).filter(|known| {
                known.public
                    || scene.viewer.sees_all
                    || scene.viewer.accounts.contains(&known.owner)
            });
            if let Some(benchmark) = benchmark
                && benchmark.definition.task(task.as_str()).is_some()
            {
                boards.insert((benchmark.id.clone(), task), Arc::clone(benchmark));
            }
        }
        preview.more_boards = boards.len().saturating_sub(MAX_BOARDS);
        for ((_, task), benchmark) in boards.into_iter().take(MAX_BOARDS) {
            preview
                .boards
                .extend(self.compared(&scene, &benchmark, &task, &entries).await?);
        }
        let tell = |entry: &NewEntry| Arc::new(scene.result(entry, &known));
        preview.added = added.into_iter().map(tell).collect();
        preview.removed = removed.into_iter().map(tell).collect();
        Ok(preview)
    }

    /// Returns the facts of the model of a change, and of the viewer.
    async fn scene_of(
        self,
        caller: &Caller,
        repo: &Repo,
        pull: Option<PullNumber>,
    ) -> Result<Option<Scene>, Error> {
        let Some(repository) = self.hub.store.repository(repo.key).await? else {
            return Ok(None);
        };
        let account = self.hub.store.account(repository.owner).await?;
        let card = self.hub.store.card(repo.key).await?;
        Ok(Some(Scene {
            repo: repo.clone(),
            pull,
            viewer: self.hub.repositories().viewer(caller).await?,
            owner: result::owner_of(&repository, account),
            base_models: card.as_ref().map(|card| card.base_models.clone()),
            parameters: card.and_then(|card| card.parameters),
        }))
    }

    /// A board before and after.
    async fn compared(
        self,
        scene: &Scene,
        benchmark: &KnownBenchmark,
        task: &TaskId,
        entries: &[NewEntry],
    ) -> Result<Option<BoardPreview>, Error> {
        let mut rows = self
            .hub
            .store
            .entries_of_board(&benchmark.name(), Some(task), None)
            .await?;
        rows.retain(|row| scene.sees(row));
        let (mut before, mut after) = scene.sides(rows, benchmark, task, entries);
        signed::check_entries(&self.hub.git, benchmark.key, &mut before).await?;
        signed::check_entries(&self.hub.git, benchmark.key, &mut after).await?;
        let (before, after) = (rankable(&before), rankable(&after));
        let scores = || {
            before
                .iter()
                .chain(&after)
                .map(|result| result.scores.as_slice())
        };
        let Some(metric) = task_metric(&benchmark.definition, scores) else {
            return Ok(None);
        };
        let mut question = Question::by(metric);
        let comparable_by = &benchmark.definition.comparable_by;
        question.comparable_by.clone_from(comparable_by);
        let (earlier, later) = (rank(&before, &question), rank(&after, &question));
        let changes = changes(&earlier, &later).map_err(Error::internal)?;
        let moves = changes.into_iter().map(|change| {
            let (from, to) = match change.movement {
                Movement::Entered { to } => (None, Some(to)),
                Movement::Rose { from, to } | Movement::Fell { from, to } => (Some(from), Some(to)),
                Movement::Held { at } => (Some(at), Some(at)),
                Movement::Left { from } => (Some(from), None),
            };
            RankMove {
                model: change.model.clone(),
                own: change.key == scene.repo.key,
                from,
                to,
                value_before: change.value_before,
                value_after: change.value_after,
            }
        });
        Ok(Some(BoardPreview {
            benchmark: benchmark.id.clone(),
            benchmark_name: benchmark.definition.name.clone(),
            task: task.clone(),
            metric: metric.id.clone(),
            metric_name: metric.display_name.clone(),
            direction: metric.direction,
            moves: moves.collect(),
            models: (earlier.rows().len(), later.rows().len()),
        }))
    }
}

fn rankable(rows: &[BoardEntry]) -> Vec<RankableResult> {
    rows.iter().map(result::rankable).collect()
}

/// The entries that are new, and those that go.
fn differing<'e>(
    current: &'e [IndexedEntry],
    entries: &'e [NewEntry],
) -> (Vec<&'e NewEntry>, Vec<&'e NewEntry>) {
    let said = |entry: &NewEntry| (entry.file.clone(), index::digest(&entry.data));
    let held: BTreeSet<_> = current.iter().map(|row| said(&row.version)).collect();
    let kept: BTreeSet<_> = entries.iter().map(said).collect();
    let added = entries.iter().filter(|entry| !held.contains(&said(entry)));
    let versions = current.iter().map(|row| &row.version);
    let removed = versions.filter(|entry| !kept.contains(&said(entry)));
    (added.collect(), removed.collect())
}

fn board_of(entry: &NewEntry) -> (String, TaskId) {
    let dataset = entry.entry.dataset.as_str().to_ascii_lowercase();
    (dataset, entry.entry.task.clone())
}

/// The commits of a trial merge: the ends of a pull request and its target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    /// The head of the branch.
    pub(crate) onto: ObjectId,
    /// The head of the pull request.
    pub(crate) tip: ObjectId,
    /// The commit at which the two part.
    pub(crate) from: ObjectId,
}

impl Ends {
    /// Returns the commit at which two heads part.
    pub(crate) fn of(objects: &Objects, onto: ObjectId, tip: ObjectId) -> Result<Self, git::Error> {
        let from = objects.merge_base(onto, tip)?.unwrap_or(onto);
        Ok(Self { onto, tip, from })
    }
}
