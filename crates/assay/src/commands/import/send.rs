//! A plan, made true on a hub.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use assay_formats::each;
use assay_model::{RepoId, RepoKind};
use serde::Serialize;
use serde_json::json;

use super::definition::eval_yaml;
use super::plan::{BenchmarkPlan, ModelPlan, Plan};
use crate::client::{Client, ClientError, segment};
use crate::commands::hub::HubCommandError;
use crate::progress::Progress;

/// How many records go into one commit, at most.
const RECORDS_PER_COMMIT: usize = 500;
/// How many bytes of records go into one commit, at most.
const BYTES_PER_COMMIT: usize = 16 << 20;
/// How many files of a repository are looked at, to see which are there.
const MAX_FILES: usize = 1_000_000;

/// What came of an import.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub(super) benchmarks: u64,
    pub(super) models: u64,
    pub(super) entries: u64,
    /// Repositories that are new or have changed.
    pub(super) changed: u64,
    /// Repositories that were as they should be.
    pub(super) unchanged: u64,
    /// What the hub refused, a sentence each.
    pub(super) failures: Vec<String>,
}

impl Report {
    /// What a plan would come to.
    pub(super) fn planned(plan: &Plan) -> Self {
        let entries = plan
            .models
            .values()
            .flat_map(|model| model.entries.values());
        Self {
            benchmarks: plan.benchmarks.len() as u64,
            models: plan.models.len() as u64,
            entries: entries.map(|entries| entries.len() as u64).sum(),
            ..Self::default()
        }
    }
}

/// Sends a plan to a hub, several repositories at a time.
pub(super) struct Sender<'a> {
    pub(super) client: &'a Client,
    pub(super) progress: &'a Progress,
    pub(super) jobs: usize,
}

/// What became of a repository.
enum Step {
    Changed,
    Unchanged,
}

impl Sender<'_> {
    /// Makes organisations, then benchmarks, then models: a result is judged by a benchmark that is there.
    pub(super) fn send(&self, plan: &Plan) -> Result<Report, HubCommandError> {
        let mut report = Report::planned(plan);
        for name in plan.organisations() {
            let body = json!({ "name": name, "fullname": name });
            tolerate(self.client.send("POST", "/api/assay/organizations", &body))?;
        }
        let benchmarks: Vec<&BenchmarkPlan> = plan.benchmarks.values().collect();
        self.each(
            &mut report,
            &benchmarks,
            |benchmark| &benchmark.id,
            |benchmark| self.benchmark(benchmark),
        );
        let models: Vec<&ModelPlan> = plan.models.values().collect();
        self.each(
            &mut report,
            &models,
            |model| &model.id,
            |model| self.model(model),
        );
        Ok(report)
    }

    fn each<P: Sync>(
        &self,
        report: &mut Report,
        pieces: &[P],
        id: impl Fn(&P) -> &RepoId + Sync,
        step: impl Fn(&P) -> Result<Step, ClientError> + Sync,
    ) {
        let (changed, unchanged) = (AtomicU64::new(0), AtomicU64::new(0));
        let failures = Mutex::new(Vec::new());
        each(self.jobs, pieces, |piece| {
            match step(piece) {
                Ok(Step::Changed) => changed.fetch_add(1, Ordering::Relaxed),
                Ok(Step::Unchanged) => unchanged.fetch_add(1, Ordering::Relaxed),
                Err(error) => {
                    let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
                    failures.push(format!("`{}` was not imported: {error}", id(piece)));
                    0
                }
            };
            self.progress.advance(1);
        });
        report.changed += changed.into_inner();
        report.unchanged += unchanged.into_inner();
        let mut failures = failures
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        failures.sort();
        report.failures.extend(failures);
    }

    fn benchmark(&self, benchmark: &BenchmarkPlan) -> Result<Step, ClientError> {
        let is_new = self.create(&benchmark.id, RepoKind::Dataset)?;
        let definition = eval_yaml(benchmark).into_bytes();
        let mut changed = is_new;
        if is_new
            || self.content(&benchmark.id, "datasets/", "eval.yaml")? != Some(definition.clone())
        {
            changed = true;
            self.commit(
                &benchmark.id,
                RepoKind::Dataset,
                &[("eval.yaml".to_owned(), definition)],
            )?;
        }
        let there = if is_new {
            BTreeSet::new()
        } else {
            self.files(&benchmark.id)?
        };
        let mut batch = Batch::default();
        for (place, path) in &benchmark.records {
            if there.contains(place) {
                continue;
            }
            changed = true;
            let content = read(path).map_err(|reason| ClientError::Answer {
                url: path.to_string(),
                reason,
            })?;
            if batch.is_full(&content) {
                self.commit(&benchmark.id, RepoKind::Dataset, &batch.take())?;
            }
            batch.push(place.clone(), content);
        }
        if !batch.files.is_empty() {
            self.commit(&benchmark.id, RepoKind::Dataset, &batch.take())?;
        }
        Ok(if changed {
            Step::Changed
        } else {
            Step::Unchanged
        })
    }

    fn model(&self, model: &ModelPlan) -> Result<Step, ClientError> {
        let is_new = self.create(&model.id, RepoKind::Model)?;
        let mut files = Vec::new();
        for (path, text) in model.files() {
            let content = text.into_bytes();
            if is_new || self.content(&model.id, "", &path)? != Some(content.clone()) {
                files.push((path, content));
            }
        }
        if files.is_empty() {
            return Ok(Step::Unchanged);
        }
        self.commit(&model.id, RepoKind::Model, &files)?;
        Ok(Step::Changed)
    }

    /// Makes a repository; whether it is new.
    fn create(&self, id: &RepoId, kind: RepoKind) -> Result<bool, ClientError> {
        let body = json!({ "name": id.name(), "organization": id.namespace(), "type": kind });
        tolerate(self.client.send("POST", "/api/repos/create", &body))
    }

    fn commit(
        &self,
        id: &RepoId,
        kind: RepoKind,
        files: &[(String, Vec<u8>)],
    ) -> Result<(), ClientError> {
        let repo = format!("{}/{id}", kind.plural());
        let message = "Import Every Eval Ever records";
        self.client
            .commit(&repo, "main", message, files, false)
            .map(|_| ())
    }

    /// What a file holds now; none when it is not there.
    fn content(
        &self,
        id: &RepoId,
        prefix: &str,
        path: &str,
    ) -> Result<Option<Vec<u8>>, ClientError> {
        let path: Vec<String> = path.split('/').map(segment).collect();
        match self
            .client
            .bytes(&format!("/{prefix}{id}/resolve/main/{}", path.join("/")))
        {
            Ok(content) => Ok(Some(content)),
            Err(ClientError::Refused { status: 404, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The paths of all files of a dataset.
    fn files(&self, id: &RepoId) -> Result<BTreeSet<String>, ClientError> {
        let path = format!("/api/datasets/{id}/tree/main?recursive=true");
        let entries = self.client.list(&path, MAX_FILES)?;
        let paths = entries.iter().filter_map(|entry| entry["path"].as_str());
        Ok(paths.map(str::to_owned).collect())
    }
}

/// Files that go into one commit.
#[derive(Default)]
struct Batch {
    files: Vec<(String, Vec<u8>)>,
    bytes: usize,
}

impl Batch {
    fn is_full(&self, next: &[u8]) -> bool {
        let many = self.files.len() >= RECORDS_PER_COMMIT;
        many || (!self.files.is_empty() && self.bytes + next.len() > BYTES_PER_COMMIT)
    }

    fn push(&mut self, path: String, content: Vec<u8>) {
        self.bytes += content.len();
        self.files.push((path, content));
    }

    fn take(&mut self) -> Vec<(String, Vec<u8>)> {
        std::mem::take(self).files
    }
}

/// Whether something is new; that it is there already is as good.
fn tolerate<T>(answer: Result<T, ClientError>) -> Result<bool, ClientError> {
    match answer {
        Ok(_) => Ok(true),
        Err(ClientError::Refused { status: 409, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    let mut content = Vec::new();
    let read = std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut content));
    read.map(|_| content).map_err(|error| error.to_string())
}
