//! The decision when a token first comes to a repository, logged before anything else happens.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_git::{EntryKind, Error as GitError, Objects};
use assay_model::{Benchmark, ObjectId, RepoId, RepoKind, RepoPath, Standing, Timestamp};
use assay_store::{Evidence, LogKind, Tx};
use assay_trust::{
    BenchmarkAt, Canonical, Decide, Facts, RepoUid, RepoView, ResultsLeaf, Submission, TrustState,
    Unverified, World,
};

use super::evidence::form;
use super::standings::{Case, of_token};
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::index::{DEFINITION_FILE, MAX_BYTES, ResultFileReader, definition};
use crate::repo_lookup::Repo;

/// An entry with a token in a tree that a ref is to point at.
#[derive(Debug, Clone)]
pub(crate) struct Sighting {
    /// The file.
    pub(crate) path: RepoPath,
    /// The token.
    pub(crate) token: String,
    /// The evidence of the entry.
    pub(crate) evidence: Evidence,
    /// True if the repository has the commit of the model that the entry names, or gets it with
    /// this change.
    pub(crate) has_model_revision: bool,
}

/// A benchmark at a commit.
#[derive(Debug, Clone)]
enum BenchmarkLookup {
    Elsewhere,
    Missing,
    Known(Arc<Benchmark>),
}

impl BenchmarkLookup {
    fn at(&self) -> BenchmarkAt<'_> {
        match self {
            Self::Elsewhere => BenchmarkAt::Elsewhere,
            Self::Missing => BenchmarkAt::Missing,
            Self::Known(benchmark) => BenchmarkAt::Known(benchmark),
        }
    }
}

/// Returns whether a commit is there: what a name in hexadecimal digits points at, and nothing that
/// git would have to guess.
pub(crate) fn has_commit(objects: &Objects, revision: &str) -> Result<bool, Error> {
    let Ok(id) = revision.parse::<ObjectId>() else {
        return Ok(false);
    };
    if !objects.contains(id)? {
        return Ok(false);
    }
    match objects.commit(id) {
        // A tag of a commit is another object than the commit.
        Ok(commit) => Ok(commit.id == id),
        Err(GitError::BadObject { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The entries with tokens in the result files that one commit has and another has not. What a file
/// says is read as the index reads it.
pub(crate) fn sightings(
    result_files: &ResultFileReader<'_>,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<Vec<Sighting>, Error> {
    let objects = result_files.objects;
    let folder = result_files.folder(new)?;
    let before = match old {
        Some(old) if objects.contains(old)? => Some(old),
        Some(_) | None => None,
    };
    if folder.is_none() || before.map(|old| result_files.folder(old)).transpose()? == Some(folder) {
        return Ok(Vec::new());
    }
    let known = match before {
        Some(old) => result_files.files(old)?,
        None => Vec::new(),
    };
    let mut sightings = Vec::new();
    for file in result_files.files(new)? {
        if known.contains(&file) {
            continue;
        }
        for said in result_files.read(file.kind, file.blob)?.submissions() {
            sightings.extend(sighting(objects, &file.path, said)?);
        }
    }
    Ok(sightings)
}

/// An entry as it is seen in a file; none when it has no token.
pub(super) fn sighting(
    objects: &Objects,
    path: &RepoPath,
    said: &crate::index::Submission,
) -> Result<Option<Sighting>, Error> {
    let (Some(token), Some(evidence)) = (&said.entry.token, &said.evidence) else {
        return Ok(None);
    };
    let has_model_revision = match &said.entry.model_revision {
        Some(revision) => has_commit(objects, revision.as_str())?,
        None => false,
    };
    Ok(Some(Sighting {
        path: path.clone(),
        token: token.clone(),
        evidence: evidence.clone(),
        has_model_revision,
    }))
}

/// Decides on every token that comes to a repository for the first time, and returns when the
/// decisions are durable. A token that fails refuses nothing: its entry is published and stays
/// unverified.
///
/// Call it before any ref moves. If the change fails after that, the decisions stay and do no harm:
/// the same change again only sees them again.
pub(crate) async fn admit(
    hub: &Hub,
    repo: &Repo,
    sightings: Vec<Sighting>,
    received_at: Timestamp,
) -> Result<(), Error> {
    if sightings.is_empty() {
        return Ok(());
    }
    let mut tx = hub.store.begin().await?;
    let touched = hub.trust.follow(&mut tx, None).await?;
    let decisions = decide(hub, &mut tx, repo, sightings, received_at).await?;
    tx.commit().await?;
    hub.boards().touch(&touched);
    let leaves = decisions
        .into_iter()
        .map(|(_, decide)| ResultsLeaf::Decide(decide).to_json())
        .collect();
    hub.evidence().log_results(leaves).await?;
    Ok(())
}

/// Returns the standings that entries with tokens would have if they were pushed now: nothing is
/// decided, and nothing is logged.
pub(crate) async fn preview(
    hub: &Hub,
    repo: &Repo,
    sightings: Vec<Sighting>,
    received_at: Timestamp,
) -> Result<Vec<Standing>, Error> {
    let mut tx = hub.store.begin().await?;
    hub.trust.follow(&mut tx, None).await?;
    let cases = cases(hub, &mut tx, repo, &sightings).await?;
    let decided = decide(hub, &mut tx, repo, sightings, received_at).await?;
    let state = hub.trust.state_at(tx.log_cursor(LogKind::Control).await?)?;
    tx.rollback().await?;
    let mut decided: BTreeMap<usize, Decide> = decided.into_iter().collect();
    let standings = cases.into_iter().enumerate().map(|(place, case)| {
        let canonical = form(&case.evidence, case.token.as_deref());
        let mut facts = facts(&case, canonical.as_ref());
        if let Some(decide) = decided.remove(&place) {
            facts.decision = Some((facts.results_size, decide));
        }
        case.verdict(canonical.as_ref(), &facts, &state)
    });
    Ok(standings.collect())
}

/// The decisions that are to be logged, by the place of the sighting.
async fn decide(
    hub: &Hub,
    tx: &mut Tx,
    repo: &Repo,
    sightings: Vec<Sighting>,
    received_at: Timestamp,
) -> Result<Vec<(usize, Decide)>, Error> {
    let state = hub.trust.state_at(tx.log_cursor(LogKind::Control).await?)?;
    let cases = cases(hub, tx, repo, &sightings).await?;
    let mut benchmarks = BTreeMap::new();
    let mut worlds = Vec::with_capacity(cases.len());
    for (case, sighting) in cases.iter().zip(&sightings) {
        let named = named_benchmark(case);
        let found = match &named {
            None => BenchmarkLookup::Missing,
            Some(named) => {
                if !benchmarks.contains_key(named) {
                    let found = benchmark_at(hub, tx, repo, &named.0, &named.1).await?;
                    benchmarks.insert(named.clone(), found);
                }
                benchmarks
                    .get(named)
                    .cloned()
                    .unwrap_or(BenchmarkLookup::Missing)
            }
        };
        worlds.push((sighting.has_model_revision, found));
    }
    blocking(move || {
        let mut decided = Vec::new();
        for (place, (case, world)) in cases.iter().zip(&worlds).enumerate() {
            let decide = decide_one(case, world, &state, received_at);
            // One push may bring one entry by several refs.
            let is_new = |decide: &Decide| decided.iter().all(|(_, known)| known != decide);
            decided.extend(decide.filter(is_new).map(|decide| (place, decide)));
        }
        Ok(decided)
    })
    .await
}

fn decide_one(
    case: &Case,
    (has_model_revision, benchmark): &(bool, BenchmarkLookup),
    state: &TrustState,
    received_at: Timestamp,
) -> Option<Decide> {
    let canonical = form(&case.evidence, case.token.as_deref());
    let facts = facts(case, canonical.as_ref());
    let submission = Submission {
        path: &case.path,
        canonical: canonical.as_ref(),
        is_repeat: case.evidence.repeated,
    };
    let repo = RepoView {
        uid: case.uid,
        name: &case.name,
    };
    let world = World {
        received_at,
        model_revision_exists: *has_model_revision,
        benchmark: benchmark.at(),
    };
    assay_trust::admit(&submission, &repo, &facts, state, &world)
}

fn facts(case: &Case, canonical: Result<&Canonical, &Unverified>) -> Facts {
    let entry = canonical.ok().map(Canonical::digest);
    case.of_token.facts(case.results_size, case.uid, entry)
}

async fn cases(
    hub: &Hub,
    tx: &mut Tx,
    repo: &Repo,
    sightings: &[Sighting],
) -> Result<Vec<Case>, Error> {
    let results = hub.trust.results();
    let results_size = tx.log_cursor(LogKind::Results).await?;
    let Some(repository) = tx.repository(repo.key).await? else {
        return Err(Error::NotFound(crate::error::Missing::Repo));
    };
    let mut cases = Vec::with_capacity(sightings.len());
    for sighting in sightings {
        let of_token = match &sighting.evidence.jti {
            Some(jti) => Arc::new(of_token(tx, &results, jti).await?),
            None => Arc::default(),
        };
        cases.push(Case {
            uid: RepoUid::from_bytes(repository.uid),
            name: repository.id.clone(),
            path: sighting.path.clone(),
            token: Some(sighting.token.clone()),
            evidence: sighting.evidence.clone(),
            of_token,
            results_size,
        });
    }
    Ok(cases)
}

/// The benchmark and its commit, as the entry names them; none when it names none in full.
fn named_benchmark(case: &Case) -> Option<(RepoId, String)> {
    let canonical = form(&case.evidence, case.token.as_deref()).ok()?;
    let subject = canonical.subject(&case.name).ok()?;
    let revision = subject.benchmark_revision.to_string();
    Some((subject.benchmark_repo, revision))
}

/// Returns the definition of a benchmark of this hub at a commit. A benchmark that viewers of the
/// model may not see counts as missing.
async fn benchmark_at(
    hub: &Hub,
    tx: &mut Tx,
    repo: &Repo,
    id: &RepoId,
    revision: &str,
) -> Result<BenchmarkLookup, Error> {
    let Some(found) = tx.find_repository(RepoKind::Dataset, id).await? else {
        return Ok(BenchmarkLookup::Elsewhere);
    };
    let dataset = found.repository;
    let is_hidden = dataset.settings.private || dataset.settings.disabled;
    if is_hidden && !(repo.private && dataset.owner == repo.owner) {
        return Ok(BenchmarkLookup::Elsewhere);
    }
    let revision = revision.to_owned();
    hub.with_git(dataset.key, move |git| {
        let objects = git.objects();
        if !has_commit(&objects, &revision)? {
            return Ok(BenchmarkLookup::Missing);
        }
        let commit: ObjectId = revision.parse().map_err(Error::internal)?;
        let path: RepoPath = DEFINITION_FILE.parse().map_err(Error::internal)?;
        let entry = objects.entry(commit, &path)?;
        let Some(entry) = entry.filter(|entry| matches!(entry.kind, EntryKind::File(_))) else {
            return Ok(BenchmarkLookup::Missing);
        };
        let bytes = match objects.read(entry.oid, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(GitError::BlobTooLarge { .. }) => return Ok(BenchmarkLookup::Missing),
            Err(error) => return Err(error.into()),
        };
        Ok(
            definition(bytes).map_or(BenchmarkLookup::Missing, |(_, benchmark)| {
                BenchmarkLookup::Known(Arc::new(benchmark))
            }),
        )
    })
    .await
}
