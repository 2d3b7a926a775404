//! Facts of the hub about the model and the benchmarks: their commits, and the definition of a
//! benchmark at one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_check::{Benchmarks, Lookup};
use assay_hub_api::client::{Client, ClientError};
use assay_model::{Benchmark, Entry, RepoId, RepoKind, Revision};

use super::SubmitError;
use crate::hub_benchmarks::definition;

/// The branch that counts when none is named.
const MAIN: &str = "main";
/// The file that defines a benchmark.
const DEFINITION: &str = "eval.yaml";

/// The full commit behind a branch, tag or commit of a repository.
pub(super) fn commit_of(
    client: &Client,
    kind: RepoKind,
    id: &RepoId,
    named: Option<&str>,
) -> Result<Revision, SubmitError> {
    let revision = named.unwrap_or(MAIN);
    let info = client
        .repo_at(kind, id, revision)
        .map_err(|error| about(kind, id, error))?;
    let commit = info.sha.and_then(|sha| sha.to_string().parse().ok());
    commit.filter(Revision::is_full).ok_or_else(|| {
        SubmitError::refused(format!(
            "{} `{id}` has no commit at `{revision}`",
            word(kind)
        ))
    })
}

/// Benchmarks at the commits that entries name, each asked for once.
#[derive(Default)]
pub(crate) struct Definitions {
    known: BTreeMap<(RepoId, Revision), Arc<Benchmark>>,
}

impl Definitions {
    /// Returns the definition of a benchmark at a commit.
    pub(super) fn get(
        &mut self,
        client: &Client,
        id: &RepoId,
        revision: &Revision,
    ) -> Result<Arc<Benchmark>, SubmitError> {
        let key = (id.clone(), revision.clone());
        if let Some(known) = self.known.get(&key) {
            return Ok(Arc::clone(known));
        }
        let path = format!("/datasets/{id}/resolve/{revision}/{DEFINITION}");
        let text = client.bytes(&path).map_err(|error| match &error {
            ClientError::Refused {
                status: 404,
                code: Some(code),
                ..
            } if code == "EntryNotFound" => SubmitError::refused(format!(
                "the dataset `{id}` has no `{DEFINITION}` at `{revision}`, so it is no benchmark: add one with its tasks and \
                 metrics (`assay schema eval-yaml` has the format), or name another benchmark"
            )),
            _ => about(RepoKind::Dataset, id, error),
        })?;
        match definition(text) {
            Lookup::Known(benchmark) => {
                self.known.insert(key, Arc::clone(&benchmark));
                Ok(benchmark)
            }
            Lookup::Broken | Lookup::Unknown { .. } | Lookup::NoList => {
                Err(SubmitError::refused(format!(
                    "the `{DEFINITION}` of `{id}` at `{revision}` has errors, so nothing can be measured by it"
                )))
            }
        }
    }
}

impl Definitions {
    /// Gets to know the benchmark of an entry, as of the commit that the entry names.
    pub(super) fn learn(&mut self, client: &Client, entry: &Entry) -> Result<(), SubmitError> {
        match &entry.dataset_revision {
            Some(revision) => self.get(client, &entry.dataset, revision).map(|_| ()),
            None => Ok(()),
        }
    }
}

impl Benchmarks for Definitions {
    fn find(&self, id: &RepoId) -> Lookup {
        let mut of_this = self.known.iter().filter(|((own, _), _)| own == id);
        match (of_this.next(), of_this.next()) {
            (Some((_, benchmark)), None) => Lookup::Known(Arc::clone(benchmark)),
            // With entries for several commits of a benchmark, which of its definitions counts is
            // for the hub to say.
            (Some(_), Some(_)) | (None, _) => Lookup::NoList,
        }
    }
}

/// A refusal with the name of what was asked for: the hub only says that it is not there.
fn about(kind: RepoKind, id: &RepoId, error: ClientError) -> SubmitError {
    match error {
        ClientError::Refused {
            status: 404,
            code: Some(code),
            message,
            ..
        } if kind == RepoKind::Model && code == "RepoNotFound" => SubmitError::refused(format!(
            "{message}: create it with `assay hub repo create {id}`"
        )),
        ClientError::Refused {
            status: 401 | 403 | 404,
            message,
            ..
        } => SubmitError::refused(format!("{} `{id}`: {message}", word(kind))),
        other @ (ClientError::Refused { .. }
        | ClientError::Address(_)
        | ClientError::Transport { .. }
        | ClientError::Body { .. }
        | ClientError::TooLarge { .. }
        | ClientError::Shape { .. }
        | ClientError::Elsewhere { .. }
        | ClientError::Redirects { .. }
        | ClientError::File { .. }) => other.into(),
    }
}

fn word(kind: RepoKind) -> &'static str {
    match kind {
        RepoKind::Model => "the model",
        RepoKind::Dataset => "the benchmark",
    }
}
