use std::future::Future;
use std::pin::Pin;

use assay_git::{EntryKind, Error as GitError};
use assay_model::{Benchmark, ObjectId, RepoId, RepoKind, RepoPath, Revision};
use assay_trust::Subject;

use super::{Issuer, Refusal, RefusalCode};
use crate::error::Error;
use crate::hub::Hub;
use crate::index::{DEFINITION_FILE, MAX_BYTES, definition};

/// The definition of a benchmark at a commit.
#[derive(Debug, Clone, PartialEq)]
pub enum Defined {
    /// There is no such benchmark, or nobody may know of it.
    NoBenchmark,
    /// There is one, and this is how its name is spelled.
    Spelled(RepoId),
    /// There is no such commit, or no definition at it.
    NoDefinition,
    /// This.
    As(Box<Benchmark>),
}

/// A source of benchmarks.
pub trait BenchmarkSource: Send + Sync {
    /// Returns the definition of a benchmark at a commit.
    fn at<'a>(
        &'a self,
        benchmark: &'a RepoId,
        revision: &'a Revision,
    ) -> Pin<Box<dyn Future<Output = Result<Defined, Error>> + Send + 'a>>;
}

impl BenchmarkSource for Hub {
    fn at<'a>(
        &'a self,
        benchmark: &'a RepoId,
        revision: &'a Revision,
    ) -> Pin<Box<dyn Future<Output = Result<Defined, Error>> + Send + 'a>> {
        Box::pin(self.defined_at(benchmark, revision))
    }
}

impl Hub {
    /// Reads the definition of a public benchmark at a commit. The name is the one that it has now:
    /// what is signed must not depend on a redirect.
    async fn defined_at(&self, id: &RepoId, revision: &Revision) -> Result<Defined, Error> {
        let found = self.store.find_repository(RepoKind::Dataset, id).await?;
        let found = found.filter(|found| {
            let settings = &found.repository.settings;
            !found.moved && !settings.private && !settings.disabled
        });
        let Some(found) = found else {
            return Ok(Defined::NoBenchmark);
        };
        // Names are the same in any case, and what is signed has one spelling.
        if found.repository.id != *id {
            return Ok(Defined::Spelled(found.repository.id));
        }
        let Ok(commit) = revision.as_str().parse::<ObjectId>() else {
            return Ok(Defined::NoDefinition);
        };
        self.with_git(found.repository.key, move |git| {
            let objects = git.objects();
            let is_commit = objects.contains(commit)? && objects.commit(commit).is_ok();
            if !is_commit {
                return Ok(Defined::NoDefinition);
            }
            let path: RepoPath = DEFINITION_FILE.parse().map_err(Error::internal)?;
            let entry = objects.entry(commit, &path)?;
            let Some(entry) = entry.filter(|entry| matches!(entry.kind, EntryKind::File(_))) else {
                return Ok(Defined::NoDefinition);
            };
            let bytes = match objects.read(entry.oid, MAX_BYTES) {
                Ok(bytes) => bytes,
                Err(GitError::BlobTooLarge { .. }) => return Ok(Defined::NoDefinition),
                Err(error) => return Err(error.into()),
            };
            Ok(read(bytes))
        })
        .await
    }
}

impl Defined {
    /// Reads a definition, when it is one.
    pub fn read(bytes: Vec<u8>) -> Self {
        read(bytes)
    }
}

fn read(bytes: Vec<u8>) -> Defined {
    match definition(bytes) {
        Some((_, benchmark)) => Defined::As(Box::new(benchmark)),
        None => Defined::NoDefinition,
    }
}

impl Issuer {
    /// Returns whether the benchmark has the task and every metric at the commit that the claim
    /// names.
    pub(super) async fn check_benchmark(&self, subject: &Subject) -> Result<(), Refusal> {
        let (id, revision) = (&subject.benchmark_repo, &subject.benchmark_revision);
        let unknown = |what: &str| {
            let detail = format!("`{id}` at `{revision}`: {what}");
            Refusal::new(RefusalCode::BenchmarkRevisionUnknown, detail)
        };
        let benchmark = match self.benchmarks.at(id, revision).await? {
            Defined::As(benchmark) => benchmark,
            Defined::NoBenchmark => {
                return Err(unknown("there is no such benchmark").at("/entry/dataset/id"));
            }
            Defined::Spelled(name) => {
                let detail = format!("the benchmark is spelled `{name}`, not `{id}`: write it so");
                let refusal = Refusal::new(RefusalCode::EntryInvalid, detail);
                return Err(refusal.at("/entry/dataset/id"));
            }
            Defined::NoDefinition => {
                let refusal = unknown("there is no such commit, or no valid `eval.yaml` at it");
                return Err(refusal.at("/entry/dataset/revision"));
            }
        };
        let task = subject.task_id.as_str();
        if benchmark.task(task).is_none() {
            let tasks: Vec<&str> = benchmark
                .tasks
                .iter()
                .map(|task| task.id.as_str())
                .collect();
            let detail = format!(
                "`{id}` has no task `{task}`; it has `{}`",
                tasks.join("`, `")
            );
            return Err(Refusal::new(RefusalCode::TaskUnknown, detail).at("/entry/dataset/task_id"));
        }
        for (place, metric) in subject.metrics.iter().enumerate() {
            let name = metric.metric_id.as_str();
            if benchmark.metric(name).is_none() {
                let detail = format!("`{id}` has no metric `{name}`");
                let pointer = format!("/entry/metrics/{place}/metric_id");
                return Err(Refusal::new(RefusalCode::MetricUnknown, detail).at(pointer));
            }
        }
        Ok(())
    }
}
