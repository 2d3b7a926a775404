//! Evidence counts on the board of the benchmark that it was signed for.
//!
//! What was signed names the benchmark and one commit of it. A board shows a result as verified
//! only when the repository of the board has that commit: a benchmark that was deleted and made
//! again, or another one that took the name, starts without evidence. A rename keeps it, and so
//! does a history that was pushed again, because a commit is known by its content.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use assay_git::Repositories;
use assay_model::{RepoKey, Revision, Standing};
use assay_store::{BoardEntry, NewEntry, RankingRow};
use assay_trust::Reason;

use super::EvalResult;
use crate::error::Error;
use crate::hub::blocking;
use crate::known::Known;
use crate::trust::has_commit;

/// Takes the verified mark off entries that were signed for a commit that the repository of the
/// board does not have.
pub(super) async fn check_briefs(
    git: &Arc<Repositories>,
    board: RepoKey,
    rows: &mut [RankingRow],
) -> Result<(), Error> {
    let signed = rows.iter().filter_map(|row| row.signed_for.clone());
    let absent = absent(git, board, signed.collect()).await?;
    for row in rows {
        row.verified &= row
            .signed_for
            .as_ref()
            .is_some_and(|commit| !absent.contains(commit));
    }
    Ok(())
}

/// The same for whole entries.
pub(super) async fn check_entries(
    git: &Arc<Repositories>,
    board: RepoKey,
    rows: &mut [BoardEntry],
) -> Result<(), Error> {
    let signed = rows.iter().filter(|row| row.standing.is_verified());
    let signed = signed.filter_map(|row| row.entry.dataset_revision.clone());
    let absent = absent(git, board, signed.collect()).await?;
    for row in rows {
        if let Some(commit) = row.entry.dataset_revision.as_ref()
            && row.standing.is_verified()
            && absent.contains(commit)
        {
            row.standing = signed_elsewhere(commit);
        }
    }
    Ok(())
}

/// The same for entries of one model, which are for many benchmarks. Those that the hub does not
/// have, or not for who sees the model, have no board.
pub(super) async fn check_versions(
    git: &Arc<Repositories>,
    known: &Known,
    sees: impl Fn(&crate::known::KnownBenchmark) -> bool,
    versions: Vec<&mut NewEntry>,
) -> Result<(), Error> {
    let mut by_board: BTreeMap<RepoKey, Vec<&mut NewEntry>> = BTreeMap::new();
    for version in versions {
        let benchmark = known.named(version.entry.dataset.as_str());
        if let Some(benchmark) = benchmark.filter(|benchmark| sees(benchmark))
            && version.standing.is_verified()
        {
            by_board.entry(benchmark.key).or_default().push(version);
        }
    }
    for (board, versions) in by_board {
        let signed = versions.iter();
        let signed = signed.filter_map(|version| version.entry.dataset_revision.clone());
        let absent = absent(git, board, signed.collect()).await?;
        for version in versions {
            if let Some(commit) = version.entry.dataset_revision.as_ref()
                && absent.contains(commit)
            {
                version.standing = signed_elsewhere(commit);
            }
        }
    }
    Ok(())
}

/// Gives a whole result the mark that it has on its board.
pub(super) fn as_on_board(mut whole: EvalResult, is_verified: bool) -> EvalResult {
    if whole.standing.is_verified()
        && !is_verified
        && let Some(commit) = &whole.entry.dataset_revision
    {
        whole.standing = signed_elsewhere(commit);
    }
    whole
}

/// Returns the commits that a repository does not have.
async fn absent(
    git: &Arc<Repositories>,
    key: RepoKey,
    commits: BTreeSet<Revision>,
) -> Result<HashSet<Revision>, Error> {
    if commits.is_empty() {
        return Ok(HashSet::new());
    }
    let git = Arc::clone(git);
    blocking(move || {
        let objects = git.get(key)?.objects();
        let mut absent = HashSet::new();
        for commit in commits {
            if !has_commit(&objects, commit.as_str())? {
                absent.insert(commit);
            }
        }
        Ok(absent)
    })
    .await
}

fn signed_elsewhere(commit: &Revision) -> Standing {
    Standing::Unverified {
        reason: Reason::BenchmarkRevisionUnknown.code(),
        detail: format!(
            "the benchmark of this board has no commit `{commit}`: it was made again since the result was signed, or is another one of the same name"
        ),
    }
}
