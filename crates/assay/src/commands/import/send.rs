//! A plan, made true on a hub.

use std::collections::{BTreeMap, BTreeSet};

use assay_formats::each;
use assay_hub_api::client::{Client, ClientError, CommitFile};
use assay_hub_api::{CreateRepo, NewOrganisation};
use assay_model::{RepoId, RepoKind};
use parking_lot::Mutex;
use serde::Serialize;

use super::definition::eval_yaml;
use super::plan::{BenchmarkPlan, Content, FilePlan, ModelPlan, Plan, RecordPlan};
use crate::commands::hub::HubCommandError;
use crate::progress::Progress;

/// Number of records that go into one commit, at most.
const RECORDS_PER_COMMIT: usize = 500;
/// Number of bytes of records that go into one commit, at most.
const BYTES_PER_COMMIT: u64 = 16 << 20;
/// Maximum size of a file that goes into a commit itself, in bytes. Larger ones are sent beside
/// git.
const MAX_INLINE_BYTES: u64 = 8 << 20;
/// Number of files of a repository that are looked at, to see which are there.
const MAX_FILES: usize = 1_000_000;

/// The outcome of an import.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// Records that are on the hub now, with their samples.
    pub(crate) records: u64,
    pub(crate) benchmarks: u64,
    pub(crate) models: u64,
    pub(crate) entries: u64,
    /// Repositories that are new or have changed.
    pub(crate) changed: u64,
    /// Repositories that were as they should be.
    pub(crate) unchanged: u64,
    /// The refusals of the hub, a sentence each.
    pub(crate) failures: Vec<String>,
}

impl Report {
    /// Returns the outcome of a plan that is only shown.
    pub(super) fn planned(plan: &Plan) -> Self {
        let entries = plan
            .models
            .values()
            .flat_map(|model| model.entries.values());
        Self {
            records: plan.records(),
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

/// The outcome of a repository.
#[derive(Default)]
struct Outcome {
    /// True if anything was sent.
    changed: bool,
    /// The records that it has now.
    records: u64,
    /// The results that it has now.
    entries: u64,
    /// The refusals of the hub, a sentence each.
    failures: Vec<String>,
}

impl Sender<'_> {
    /// Makes organisations, then benchmarks, then models: a result is validated by a benchmark that
    /// is there.
    pub(super) fn send(&self, plan: &Plan) -> Result<Report, HubCommandError> {
        let mut report = Report::default();
        for name in plan.organisations() {
            // The names are those of another hub, where they live side by side.
            tolerate(self.client.create_organisation(&NewOrganisation {
                name: name.clone(),
                fullname: Some(name.clone()),
                allow_look_alike: true,
            }))?;
        }
        let benchmarks: Vec<&BenchmarkPlan> = plan.benchmarks.values().collect();
        report.benchmarks = self.each(
            &mut report,
            &benchmarks,
            |benchmark| &benchmark.id,
            |benchmark| self.benchmark(benchmark),
        );
        let models: Vec<&ModelPlan> = plan.models.values().collect();
        report.models = self.each(
            &mut report,
            &models,
            |model| &model.id,
            |model| self.model(model),
        );
        Ok(report)
    }

    /// Sends each, and says how many are on the hub now.
    fn each<P: Sync>(
        &self,
        report: &mut Report,
        pieces: &[P],
        id: impl Fn(&P) -> &RepoId + Sync,
        step: impl Fn(&P) -> Result<Outcome, ClientError> + Sync,
    ) -> u64 {
        let outcomes = Mutex::new(Vec::new());
        let failures = Mutex::new(Vec::new());
        each(self.jobs, pieces, |piece| {
            match step(piece) {
                Ok(outcome) => outcomes.lock().push(outcome),
                Err(error) => {
                    let failure = format!("`{}` was not imported: {error}", id(piece));
                    failures.lock().push(failure);
                }
            }
            self.progress.advance(1);
        });
        let outcomes = outcomes.into_inner();
        let mut failures = failures.into_inner();
        let there = outcomes.len() as u64;
        for outcome in outcomes {
            report.changed += u64::from(outcome.changed);
            report.unchanged += u64::from(!outcome.changed);
            report.records += outcome.records;
            report.entries += outcome.entries;
            failures.extend(outcome.failures);
        }
        failures.sort();
        report.failures.extend(failures);
        there
    }

    fn benchmark(&self, benchmark: &BenchmarkPlan) -> Result<Outcome, ClientError> {
        let is_new = self.create(&benchmark.id, RepoKind::Dataset)?;
        let mut outcome = Outcome {
            changed: is_new,
            records: benchmark.records.len() as u64,
            ..Outcome::default()
        };
        let definition = eval_yaml(benchmark).into_bytes();
        if is_new
            || self.content(&benchmark.id, RepoKind::Dataset, "eval.yaml")?
                != Some(definition.clone())
        {
            outcome.changed = true;
            let file = ("eval.yaml".to_owned(), CommitFile::Bytes(definition));
            self.commit(&benchmark.id, RepoKind::Dataset, &[file])?;
        }
        let there = if is_new {
            BTreeSet::new()
        } else {
            self.files(&benchmark.id)?
        };
        let mut batch = Batch::default();
        for record in &benchmark.records {
            if record.files().all(|file| there.contains(&file.place)) {
                continue;
            }
            outcome.changed = true;
            let unit = self.unit(&benchmark.id, record)?;
            if batch.is_full(&unit) {
                self.commit_records(&benchmark.id, batch.take(), &mut outcome)?;
            }
            batch.push(unit);
        }
        self.commit_records(&benchmark.id, batch.take(), &mut outcome)?;
        Ok(outcome)
    }

    /// A record and its samples, which are sent now if they are large.
    fn unit(&self, id: &RepoId, record: &RecordPlan) -> Result<Unit, ClientError> {
        let mut unit = Unit::default();
        for FilePlan { place, content } in record.files() {
            let path = match content {
                Content::File(path) => path.as_path(),
                Content::Text(text) => {
                    unit.bytes += text.len() as u64;
                    let bytes = CommitFile::Bytes(text.as_bytes().to_vec());
                    unit.files.push((place.clone(), bytes));
                    continue;
                }
            };
            let unreadable = |source: std::io::Error| ClientError::File {
                path: path.to_owned(),
                source,
            };
            let size = std::fs::metadata(path).map_err(unreadable)?.len();
            let content = if size > MAX_INLINE_BYTES {
                self.client.upload_large(&format!("datasets/{id}"), path)?
            } else {
                unit.bytes += size;
                CommitFile::Bytes(std::fs::read(path).map_err(unreadable)?)
            };
            unit.files.push((place.clone(), content));
        }
        Ok(unit)
    }

    /// Commits records. Those that the hub refuses are told and left out, and the others are sent
    /// all the same.
    fn commit_records(
        &self,
        id: &RepoId,
        mut units: Vec<Unit>,
        outcome: &mut Outcome,
    ) -> Result<(), ClientError> {
        while !units.is_empty() {
            let files: Vec<_> = units.iter().flat_map(|unit| unit.files.clone()).collect();
            let Err(error) = self.commit(id, RepoKind::Dataset, &files) else {
                return Ok(());
            };
            let refused = refused_files(&error);
            let (bad, good): (Vec<Unit>, Vec<Unit>) = units.into_iter().partition(|unit| {
                unit.files
                    .iter()
                    .any(|(place, _)| refused.contains_key(place))
            });
            if bad.is_empty() {
                return Err(error);
            }
            for unit in bad {
                let found = unit.files.iter().find_map(|(place, _)| {
                    Some(format!("`{place}` was refused: {}", refused.get(place)?))
                });
                outcome.failures.extend(found);
                outcome.records -= 1;
            }
            units = good;
        }
        Ok(())
    }

    fn model(&self, model: &ModelPlan) -> Result<Outcome, ClientError> {
        let is_new = self.create(&model.id, RepoKind::Model)?;
        let mut files = Vec::new();
        if is_new {
            let readme = model.readme().into_bytes();
            files.push(("README.md".to_owned(), CommitFile::Bytes(readme)));
        }
        for (path, text) in model.files() {
            let content = text.into_bytes();
            if is_new || self.content(&model.id, RepoKind::Model, &path)? != Some(content.clone()) {
                files.push((path, CommitFile::Bytes(content)));
            }
        }
        let entries = model.entries.values();
        let outcome = Outcome {
            changed: is_new || !files.is_empty(),
            entries: entries.map(|entries| entries.len() as u64).sum(),
            ..Outcome::default()
        };
        if !files.is_empty() {
            self.commit(&model.id, RepoKind::Model, &files)?;
        }
        Ok(outcome)
    }

    /// Makes a repository; whether it is new.
    fn create(&self, id: &RepoId, kind: RepoKind) -> Result<bool, ClientError> {
        tolerate(self.client.create_repo(&CreateRepo::new(id, kind)))
    }

    fn commit(
        &self,
        id: &RepoId,
        kind: RepoKind,
        files: &[(String, CommitFile)],
    ) -> Result<(), ClientError> {
        let repo = format!("{}/{id}", kind.plural());
        let message = "Import Every Eval Ever records";
        self.client
            .commit(&repo, "main", message, files)
            .map(|_| ())
    }

    /// Returns the current content of a file; none when it is not there.
    fn content(
        &self,
        id: &RepoId,
        kind: RepoKind,
        path: &str,
    ) -> Result<Option<Vec<u8>>, ClientError> {
        self.client.file(kind, id, "main", path)
    }

    /// The paths of all files of a dataset.
    fn files(&self, id: &RepoId) -> Result<BTreeSet<String>, ClientError> {
        let entries = self.client.tree(RepoKind::Dataset, id, "main", MAX_FILES)?;
        Ok(entries
            .into_iter()
            .map(|entry| entry.path.to_string())
            .collect())
    }
}

/// Files that go to the hub together or not at all.
#[derive(Default)]
struct Unit {
    files: Vec<(String, CommitFile)>,
    /// Number of bytes that go into the commit itself.
    bytes: u64,
}

/// The files of one commit.
#[derive(Default)]
struct Batch {
    units: Vec<Unit>,
    bytes: u64,
}

impl Batch {
    fn is_full(&self, next: &Unit) -> bool {
        let many = self.units.len() >= RECORDS_PER_COMMIT;
        many || (!self.units.is_empty() && self.bytes + next.bytes > BYTES_PER_COMMIT)
    }

    fn push(&mut self, unit: Unit) {
        self.bytes += unit.bytes;
        self.units.push(unit);
    }

    fn take(&mut self) -> Vec<Unit> {
        std::mem::take(self).units
    }
}

/// The files in which a hub found what it refuses, with what that is.
fn refused_files(error: &ClientError) -> BTreeMap<String, String> {
    let ClientError::Refused { diagnostics, .. } = error else {
        return BTreeMap::new();
    };
    diagnostics
        .iter()
        .map(|found| {
            let file = found.place.file.to_string();
            (file, format!("{} ({})", found.message, found.code))
        })
        .collect()
}

/// Returns whether something is new; that it is there already is as good.
fn tolerate<T>(answer: Result<T, ClientError>) -> Result<bool, ClientError> {
    match answer {
        Ok(_) => Ok(true),
        Err(ClientError::Refused { status: 409, .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
