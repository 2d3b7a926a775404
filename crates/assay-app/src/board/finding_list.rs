//! The results of a board, or of the whole hub, in which the rules find something.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_model::{Benchmark, Code, Finding, RepoId, RepoKey, TaskId};
use assay_store::Viewer;

use super::loaded::{LoadedBoard, MANY};
use super::loaded_result::LoadedResult;
use super::{EvalResult, plan};
use crate::access::Caller;
use crate::error::Error;
use crate::hub::blocking;
use crate::known::KnownBenchmark;
use crate::services::BoardService;

/// After how many results no further benchmark of the hub is looked at: half of what boards may
/// keep in memory.
const MAX_LOOKED_AT: usize = 500_000;

/// A choice of findings to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FindingsQuery {
    /// Only those in results for this benchmark; every benchmark when absent.
    pub benchmark: Option<RepoId>,
    /// Only those in results for this task of the benchmark.
    pub task: Option<String>,
    /// Only those of this rule.
    pub code: Option<Code>,
    /// At most so many results.
    pub limit: usize,
    /// Leave out so many results.
    pub offset: usize,
}

/// Results with findings, of what a caller may see.
#[derive(Debug, Clone)]
pub struct FindingsList {
    /// The benchmark that was asked for, by the name it has now, with its definition.
    pub benchmark: Option<(RepoId, Arc<Benchmark>)>,
    /// The number of all results with findings of the chosen rule.
    pub total: usize,
    /// In how many results each rule finds something, whichever rule was asked for.
    pub codes: Vec<(Code, usize)>,
    /// The number of benchmarks that were left out because those before them have too many results.
    pub left_out: usize,
    /// The results that were asked for, newest first.
    pub results: Vec<ResultWithFindings>,
}

/// A result on a board in which the rules find something.
#[derive(Debug, Clone)]
pub struct ResultWithFindings {
    /// The benchmark, by the name it has now.
    pub benchmark_id: RepoId,
    /// Its definition.
    pub benchmark: Arc<Benchmark>,
    /// The result.
    pub result: Arc<EvalResult>,
    /// Its findings of the chosen rule.
    pub findings: Vec<Finding>,
}

/// A loaded result with the codes of its findings.
struct Marked {
    benchmark: Arc<KnownBenchmark>,
    loaded: Arc<LoadedResult>,
    codes: BTreeSet<Code>,
}

impl BoardService<'_> {
    /// Lists the results in which the rules find something: by the file alone, or by the scale that
    /// the benchmark declares now.
    pub async fn findings(
        self,
        caller: &Caller,
        query: &FindingsQuery,
    ) -> Result<FindingsList, Error> {
        let viewer = self.hub.repositories().viewer(caller).await?;
        let mut benchmark = None;
        let benchmarks = match &query.benchmark {
            Some(id) => {
                let known = self.visible_benchmark(caller, id).await?;
                benchmark = Some((known.id.clone(), Arc::clone(&known.definition)));
                vec![known]
            }
            None => self.visible_benchmarks(caller, &viewer).await?,
        };
        let mut marked = Vec::new();
        let mut looked_at = 0;
        let mut left_out = 0;
        for known in benchmarks {
            if looked_at >= MAX_LOOKED_AT {
                left_out += 1;
                continue;
            }
            let tasks = match query.task.as_deref() {
                Some(task) => vec![plan::asked_task(&known.definition, &known.id, Some(task))?],
                None => known
                    .definition
                    .tasks
                    .iter()
                    .map(|task| task.id.clone())
                    .collect(),
            };
            let board = self.hub.board_cache.board(&self.hub.store, &known).await?;
            looked_at += board.len();
            marked.extend(mark(board, known, tasks, viewer.clone()).await?);
        }
        let codes = count(&marked);
        marked.retain(|one| query.code.is_none_or(|code| one.codes.contains(&code)));
        marked.sort_by(|one, other| newest_first(&one.loaded, &other.loaded));
        let total = marked.len();
        let page = marked.into_iter().skip(query.offset).take(query.limit);
        Ok(FindingsList {
            benchmark,
            total,
            codes,
            left_out,
            results: self.with_findings(page.collect(), query.code).await?,
        })
    }

    /// Every benchmark that the caller may see, by name.
    pub(super) async fn visible_benchmarks(
        self,
        caller: &Caller,
        viewer: &Viewer,
    ) -> Result<Vec<Arc<KnownBenchmark>>, Error> {
        let known = self.hub.board_cache.known(&self.hub.store).await?;
        let mut visible = Vec::new();
        for benchmark in known.all() {
            let may_be_own = viewer.sees_all || viewer.accounts.contains(&benchmark.owner);
            if benchmark.public {
                visible.push(Arc::clone(benchmark));
            } else if may_be_own {
                match self.visible_benchmark(caller, &benchmark.id).await {
                    Ok(benchmark) => visible.push(benchmark),
                    // It went away meanwhile, or is closed.
                    Err(Error::NotFound(_) | Error::Moved { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        visible.sort_by_key(|benchmark| benchmark.name());
        Ok(visible)
    }

    /// The whole results of some with findings, in their order. One that was deleted meanwhile is
    /// left out.
    async fn with_findings(
        self,
        page: Vec<Marked>,
        code: Option<Code>,
    ) -> Result<Vec<ResultWithFindings>, Error> {
        let mut of_benchmark: BTreeMap<RepoKey, Vec<usize>> = BTreeMap::new();
        for (place, one) in page.iter().enumerate() {
            of_benchmark
                .entry(one.benchmark.key)
                .or_default()
                .push(place);
        }
        let mut whole: Vec<Option<Arc<EvalResult>>> = vec![None; page.len()];
        for places in of_benchmark.values() {
            let known = &page[places[0]].benchmark;
            let (id, definition) = (&known.id, &known.definition);
            let loaded: Vec<&Arc<LoadedResult>> =
                places.iter().map(|place| &page[*place].loaded).collect();
            let wholes = &self.hub.board_cache.wholes;
            let read = wholes.of(&self.hub.store, id, definition, &loaded).await?;
            for (place, result) in places.iter().zip(read) {
                whole[*place] = result;
            }
        }
        let results = page.into_iter().zip(whole).filter_map(|(one, result)| {
            let result = result?;
            let is_asked = |found: &&Finding| code.is_none_or(|code| found.code == code);
            Some(ResultWithFindings {
                benchmark_id: one.benchmark.id.clone(),
                benchmark: Arc::clone(&one.benchmark.definition),
                findings: result.findings.iter().filter(is_asked).cloned().collect(),
                result,
            })
        });
        Ok(results.collect())
    }
}

/// The results of some tasks in which the rules find something, where a large board keeps nobody
/// else waiting.
async fn mark(
    board: Arc<LoadedBoard>,
    benchmark: Arc<KnownBenchmark>,
    tasks: Vec<TaskId>,
    viewer: Viewer,
) -> Result<Vec<Marked>, Error> {
    let is_large = board.len() >= MANY;
    let mark = move || {
        let mut marked = Vec::new();
        for task in tasks {
            let task = board.task(&task);
            for loaded in task.visible_to(&viewer) {
                let codes = loaded.codes(&benchmark.definition);
                if !codes.is_empty() {
                    marked.push(Marked {
                        benchmark: Arc::clone(&benchmark),
                        loaded: Arc::clone(loaded),
                        codes,
                    });
                }
            }
        }
        Ok(marked)
    };
    if is_large {
        blocking(mark).await
    } else {
        mark()
    }
}

fn count(marked: &[Marked]) -> Vec<(Code, usize)> {
    let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
    for code in marked.iter().flat_map(|one| &one.codes) {
        *counts.entry(*code).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// The order of a list. Two entries of one file differ in their place in it.
fn newest_first(one: &LoadedResult, other: &LoadedResult) -> std::cmp::Ordering {
    let (one, other) = (&one.rankable, &other.rankable);
    let place = |own: &assay_board::RankableResult| (own.key, own.origin, own.ordinal);
    let by_time = other.since.cmp(&one.since);
    let by_file = || one.file.as_str().cmp(other.file.as_str());
    by_time
        .then_with(by_file)
        .then_with(|| place(one).cmp(&place(other)))
}
