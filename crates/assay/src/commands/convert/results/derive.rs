use std::path::PathBuf;

use assay_convert::convert::Options;
use assay_convert::entry::{About, Candidate, Choice, MetricPair, entry};
use assay_model::{Benchmark, Entry, RepoId, TaskId};

use super::{Problem, candidates};
use crate::commands::convert::Source;
use crate::commands::convert::discover::discover;
use crate::commands::convert::logs::DiskLogs;
use crate::commands::convert::work::Worker;

/// A request to make one entry of logs and records.
#[derive(Clone, Copy)]
pub(crate) struct EntryRequest<'a> {
    /// Logs, run directories, or directories to look for logs in.
    pub(crate) logs: &'a [PathBuf],
    /// Every Eval Ever records: path and text.
    pub(crate) records: &'a [(String, String)],
    /// The harness that wrote the logs.
    pub(crate) source: Source,
    /// The benchmark.
    pub(crate) benchmark: &'a RepoId,
    /// The task.
    pub(crate) task: &'a TaskId,
    /// The model.
    pub(crate) model: &'a RepoId,
    /// The definition of the benchmark.
    pub(crate) definition: Option<&'a Benchmark>,
    /// The scores of metrics, where the person names them.
    pub(crate) pairs: &'a [MetricPair],
    /// The name of the evaluation, where a log has several.
    pub(crate) evaluation: Option<&'a str>,
    /// Facts that no log has.
    pub(crate) about: About<'a>,
    /// Number of threads to that use.
    pub(crate) jobs: usize,
}

/// An entry that logs gave, and what a person should know of it.
#[derive(Debug)]
pub(crate) struct Derived {
    /// The entry; the commit of the model stands in it when the log tells it.
    pub(crate) entry: Entry,
    /// Changes that were made on the way.
    pub(crate) changes: Vec<String>,
    /// Suspicions.
    pub(crate) warnings: Vec<String>,
}

/// Takes the scores of one task out of logs and records.
pub(crate) fn derive(asked: EntryRequest<'_>) -> Result<Derived, Problem> {
    let candidates = all_candidates(asked)?;
    let choice = Choice {
        benchmark: asked.benchmark,
        task: asked.task,
        model: asked.model,
        definition: asked.definition,
        pairs: asked.pairs,
        evaluation: asked.evaluation,
    };
    let mut chosen = choice.choose(&candidates)?;
    let (entry, remarks) = entry(&choice, &chosen, asked.about)?;
    chosen.warnings.extend(remarks.warnings);
    Ok(Derived {
        entry,
        changes: remarks.changes,
        warnings: chosen.warnings,
    })
}

fn all_candidates(asked: EntryRequest<'_>) -> Result<Vec<Candidate>, Problem> {
    let found = discover(&DiskLogs, asked.logs, asked.source);
    if !found.missing.is_empty() {
        return Err(Problem::Failed(found.missing));
    }
    // Of what the converter can be told, nothing gets into an entry.
    let options = Options {
        samples: false,
        jobs: asked.jobs,
        ..Options::default()
    };
    let worker = Worker {
        logs: &DiskLogs,
        options: &options,
        out: None,
        dry_run: true,
        overwrite: false,
        progress: &|_| {},
    };
    let mut all = candidates(&worker, &found)?;
    for (path, text) in asked.records {
        let read = Candidate::read_all(path, None, text);
        all.extend(read.map_err(|error| Problem::Refused(vec![format!("{path}: {error}")]))?);
    }
    Ok(all)
}
