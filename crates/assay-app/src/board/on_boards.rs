//! Values of a change that stand out on the boards that they are for.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_check::{BoardValue, Boards, Context};
use assay_model::{Diagnostic, MetricId, RepoId, RepoKey, RepoPath, TaskId};

use super::loaded::LoadedTask;
use crate::error::Error;
use crate::hub::blocking;
use crate::index::ReadFile;
use crate::known::KnownBenchmark;
use crate::services::BoardService;

/// The most boards that one change is held against. Those are the first by name.
const MAX_BOARDS: usize = 24;

/// A result file of a change, with its path.
pub(crate) type ChangedFile = (Arc<str>, Arc<ReadFile>);

/// Boards by the name of the benchmark, in lower case, and the task.
type BoardsByTask = BTreeMap<(String, TaskId), (Arc<KnownBenchmark>, Arc<LoadedTask>)>;

/// The public boards that the results of a model are held against.
struct LoadedBoards {
    model: RepoKey,
    /// The file that is held against them: what it replaces says nothing of it.
    file: Option<RepoPath>,
    tasks: BoardsByTask,
}

impl BoardService<'_> {
    /// Returns what stands out in the files of a change to a model, against the boards that
    /// everyone sees.
    pub(crate) async fn stands_out(
        self,
        model: RepoKey,
        files: Vec<ChangedFile>,
    ) -> Result<Vec<Diagnostic>, Error> {
        let tasks = self.boards_of(&files).await?;
        if tasks.is_empty() {
            return Ok(Vec::new());
        }
        blocking(move || {
            let mut boards = LoadedBoards {
                model,
                file: None,
                tasks,
            };
            let mut found = Vec::new();
            for (path, read) in files {
                boards.file = path.parse().ok();
                if let Some(file) = read.validated() {
                    let findings = file.check_on_boards(&path, &boards, Context::DEFAULT_LIMIT);
                    found.extend_from_slice(findings.diagnostics());
                }
            }
            Ok(found)
        })
        .await
    }

    /// The boards that everyone sees of those that files are for.
    async fn boards_of(self, files: &[ChangedFile]) -> Result<BoardsByTask, Error> {
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let mut tasks = BTreeMap::new();
        let mut asked: BTreeMap<(String, TaskId), Arc<KnownBenchmark>> = BTreeMap::new();
        for (_, read) in files {
            for valid in read
                .validated()
                .and_then(|file| file.entries())
                .into_iter()
                .flatten()
            {
                let entry = valid.entry();
                let benchmark = known.named(entry.dataset.as_str());
                if let Some(benchmark) = benchmark.filter(|benchmark| benchmark.public) {
                    let name = entry.dataset.as_str().to_ascii_lowercase();
                    asked.insert((name, entry.task.clone()), Arc::clone(benchmark));
                }
            }
        }
        for ((name, task), benchmark) in asked.into_iter().take(MAX_BOARDS) {
            let board = self
                .hub
                .board_cache
                .board(&self.hub.store, &benchmark)
                .await?;
            let loaded = board.task(&task);
            tasks.insert((name, task), (benchmark, loaded));
        }
        Ok(tasks)
    }
}

impl Boards for LoadedBoards {
    fn values(
        &self,
        dataset: &RepoId,
        task: &TaskId,
        metric: Option<&MetricId>,
    ) -> Vec<BoardValue<'_>> {
        let name = dataset.as_str().to_ascii_lowercase();
        let Some((benchmark, loaded)) = self.tasks.get(&(name, task.clone())) else {
            return Vec::new();
        };
        let primary = benchmark.definition.primary().map(|metric| &metric.id);
        let Some(metric) = metric.or(primary) else {
            return Vec::new();
        };
        let values = loaded.everyones().iter().filter_map(|result| {
            let is_own = result.rankable.key == self.model;
            if is_own && self.file.as_ref() == Some(&result.rankable.file) {
                return None;
            }
            let mut scores = result.scores().iter().filter(|score| score.slice.is_none());
            let named = |own: Option<&MetricId>| own.or(primary) == Some(metric);
            let score = scores.find(|score| named(score.metric.as_ref()))?;
            Some(BoardValue {
                model: result.model(),
                is_own,
                value: score.value.get(),
            })
        });
        values.collect()
    }
}
