//! THE one way a repository changes, whoever asks: git push, API commit, merge, branch or tag.
//!
//! The order is what makes a crash harmless. Objects are in quarantine and are validated there;
//! nothing has happened yet. What is decided on tokens that come for the first time is logged. Then
//! the objects are admitted; in a transaction the discussion is recorded and the refs move by
//! compare-and-swap; and when that is committed, the index is brought up to the refs, which reads
//! git and takes as many short transactions as it needs. A crash before the refs leaves nothing but
//! decisions and objects, which the same change finds again; one after them leaves a repository
//! that is ahead of its records or its index, which catch up when the hub starts.

mod check_size;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use assay_git::{
    CommitInfo, Expected, LargeFileId, ObjectSize, Objects, Quarantine, RefChange, RefName,
};
use assay_model::{Diagnostic, ObjectId, PullNumber, RepoKind, Timestamp};

use crate::access::{Need, SignedIn};
use crate::arrival::check_commits;
use crate::discussion;
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::index::ResultFileReader;
use crate::lock::Locked;
use crate::quota::keep_uploads;
use crate::repo_lookup::Repo;
use crate::rights::check_in;
use crate::trust::{self, Sighting};
use crate::validator::{SharedValidator, Step, Validation};
use crate::webhook::{Telling, tell_pull};

/// The most commits of one change that a pull request lists; of more, the newest.
const MAX_COMMIT_EVENTS: usize = 250;

/// The effect of a change on the records of discussions, in the same transaction as the index.
#[derive(Debug, Clone)]
pub(crate) enum PullEffect {
    /// Nothing.
    None,
    /// A pull request is opened, with the next number, for this branch.
    OpenPull {
        /// Its title.
        title: String,
        /// The first comment.
        description: String,
        /// The branch.
        base: RefName,
    },
    /// Commits came to a pull request; a draft becomes open with its first one.
    CommitsToPull {
        /// The number of the pull request.
        num: PullNumber,
    },
    /// A pull request was merged.
    Merged {
        /// The number of the pull request.
        num: PullNumber,
        /// The comment of the person who merged it.
        comment: Option<String>,
    },
}

impl PullEffect {
    /// Returns the event of the pull request, in a word for subscribers.
    fn action(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::OpenPull { .. } => Some("opened"),
            Self::CommitsToPull { .. } => Some("updated"),
            Self::Merged { .. } => Some("merged"),
        }
    }
}

/// The outcome of a change.
#[derive(Debug, Default)]
pub(crate) struct Published {
    /// Warnings, which refuse nothing.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The pull request that was opened.
    pub(crate) pull: Option<PullNumber>,
}

/// The actor, repository and time of a change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChangeContext<'a> {
    /// The actor.
    pub(crate) actor: &'a SignedIn,
    /// The repository.
    pub(crate) repo: &'a Repo,
    /// The right that the change takes. The actor has to have it when the refs move, not only when
    /// the request began.
    pub(crate) need: Need,
    /// The time of the request, before it was read and before it waited for anyone. The freshness
    /// of tokens is measured by it, so a slow hub makes nobody late.
    pub(crate) received_at: Timestamp,
}

/// Validates, admits, moves refs, records and indexes, for whoever holds the lock of the
/// repository. The ref of a new pull request is named when its number is known, whatever the change
/// says.
pub(crate) async fn publish(
    hub: &Hub,
    locked: &Locked,
    context: ChangeContext<'_>,
    quarantine: Quarantine,
    moves: Vec<RefChange>,
    effect: PullEffect,
) -> Result<Published, Error> {
    hub.count_write(context.actor)?;
    // Nothing is validated or logged for who lost the right while the request came in.
    hub.check_again(context.actor, context.repo.key, context.need)
        .await?;
    let Examined {
        quarantine,
        validation,
        commits,
        sightings,
        large_files,
        incoming,
    } = examine(hub, context.repo, quarantine, &moves, &effect).await?;
    if !validation.errors.is_empty() {
        return Err(Error::Refused(validation.errors));
    }
    let mut warnings = validation.warnings;
    let on_boards = hub
        .boards()
        .stands_out(context.repo.key, validation.results);
    warnings.extend(on_boards.await?);
    let storage = hub.check_storage(context.repo, incoming, 0).await?;
    let change = Change {
        actor: context.actor.clone(),
        repo: context.repo.clone(),
        need: context.need,
        received_at: context.received_at,
        quarantine,
        moves,
        effect,
        commits,
        sightings,
        large_files,
        storage,
    };
    let (hub, locked) = (hub.shared()?, locked.clone());
    // A client that goes away must not leave refs without their records, so from here on nobody can
    // stop it.
    let work = tokio::spawn(async move {
        let result = make(&hub, change).await;
        drop(locked);
        result
    });
    let pull = work.await.map_err(Error::internal)??;
    Ok(Published { warnings, pull })
}

/// A change that nothing speaks against.
struct Change {
    actor: SignedIn,
    repo: Repo,
    need: Need,
    received_at: Timestamp,
    quarantine: Quarantine,
    moves: Vec<RefChange>,
    effect: PullEffect,
    commits: Vec<CommitInfo>,
    sightings: Vec<Sighting>,
    /// Uploads that the new commits name.
    large_files: BTreeSet<LargeFileId>,
    /// The size of the repository's git objects after the change.
    storage: ObjectSize,
}

/// Makes a change, and returns the number of the pull request that it opens.
async fn make(hub: &Hub, change: Change) -> Result<Option<PullNumber>, Error> {
    let Change {
        actor,
        repo,
        need,
        received_at,
        quarantine,
        mut moves,
        effect,
        commits,
        sightings,
        large_files,
        storage,
    } = change;
    trust::admit(hub, &repo, sightings, received_at).await?;
    let now = hub.now();
    let telling = Telling::begin(&hub.store, &repo, now).await?;
    let opens_pull = matches!(effect, PullEffect::OpenPull { .. });
    if opens_pull {
        // Nothing of a pull request that is one too many may stay.
        let mut tx = hub.store.begin().await?;
        Hub::check_open_pulls(&mut tx, &hub.config.limits, &repo, &actor).await?;
        tx.rollback().await?;
    }
    // Objects that no ref leads to do nobody any harm, so they need not wait for the turn to write.
    blocking(move || Ok(quarantine.admit()?)).await?;
    let mut tx = hub.store.begin().await?;
    check_in(&mut tx, &actor, repo.key, need, now).await?;
    let mut touched = hub.trust.follow(&mut tx, None).await?;
    if opens_pull {
        Hub::check_open_pulls(&mut tx, &hub.config.limits, &repo, &actor).await?;
    }
    let recorded = discussion::record(&mut tx, &actor, &repo, &effect, &commits, now).await?;
    let pull = match &effect {
        PullEffect::OpenPull { .. } => recorded,
        PullEffect::None | PullEffect::CommitsToPull { .. } | PullEffect::Merged { .. } => None,
    };
    if let Some(num) = pull {
        name_pull(&mut moves, num);
    }
    move_refs(hub, &repo, moves).await?;
    // From here on the change is in git, whatever becomes of its records.
    let finished = async {
        tx.touch_repository(repo.key, now).await?;
        tx.set_storage(repo.key, storage.bytes, storage.objects)
            .await?;
        keep_uploads(&mut tx, repo.key, &large_files).await?;
        if let (Some(num), Some(action)) = (recorded, effect.action()) {
            tell_pull(&mut tx, &repo, num, action, Some(&actor.name), now).await?;
        }
        tx.commit().await?;
        touched.touch_repository(&repo);
        hub.boards().touch(&touched);
        hub.index_repository(repo.key, telling.as_ref()).await
    };
    if let Err(error) = finished.await {
        hub.catch_up_later(repo.key);
        return Err(error.after_refs_moved());
    }
    Ok(pull)
}

/// The commits that the records of discussions are told of.
#[derive(Debug, Clone, Copy)]
enum ReportedCommits {
    Nothing,
    /// The one that merged.
    Tip,
    /// All new ones.
    Line,
}

impl ReportedCommits {
    fn of(effect: &PullEffect) -> Self {
        match effect {
            PullEffect::None => Self::Nothing,
            PullEffect::Merged { .. } => Self::Tip,
            PullEffect::OpenPull { .. } | PullEffect::CommitsToPull { .. } => Self::Line,
        }
    }
}

/// The facts of a change that were read before anything happened.
struct Examined {
    quarantine: Quarantine,
    validation: Validation,
    /// The commits that a pull request is told of, oldest first; of a merge the one that it made.
    commits: Vec<CommitInfo>,
    /// The entries with tokens that refs are to point at.
    sightings: Vec<Sighting>,
    /// Uploads that the new commits name.
    large_files: BTreeSet<LargeFileId>,
    /// The size of the new git objects.
    incoming: ObjectSize,
}

async fn examine(
    hub: &Hub,
    repo: &Repo,
    quarantine: Quarantine,
    moves: &[RefChange],
    effect: &PullEffect,
) -> Result<Examined, Error> {
    let validator = SharedValidator::new(hub, repo.kind, Some(repo.key)).await?;
    let uploads = hub.store.uploads_of_repository(repo.key).await?;
    let uploads: BTreeSet<LargeFileId> = uploads
        .iter()
        .map(|upload| LargeFileId::from_bytes(*upload.oid.as_bytes()))
        .collect();
    let base = match effect {
        PullEffect::OpenPull { base, .. } => base.clone(),
        PullEffect::None | PullEffect::CommitsToPull { .. } | PullEffect::Merged { .. } => {
            RefName::main()
        }
    };
    let told = ReportedCommits::of(effect);
    let moves = moves.to_vec();
    let limits = hub.config.limits;
    let kind = repo.kind;
    let files = hub.sources.files.of_repository(repo.key);
    hub.with_git(repo.key, move |git| {
        let objects = quarantine.objects();
        let result_files = ResultFileReader::new(&objects, files);
        let head = git.find_ref(&base)?.map(|head| head.target);
        let mut validation = Validation::default();
        let mut commits = Vec::new();
        let mut sightings = Vec::new();
        let mut large_files = BTreeSet::new();
        let mut new_commits = HashSet::new();
        for change in &moves {
            let Some(new) = change.new else {
                continue;
            };
            let old = match change.expected {
                Expected::At(old) => Some(old),
                Expected::Absent | Expected::Any => head,
            };
            match told {
                ReportedCommits::Nothing => {}
                ReportedCommits::Tip => commits = vec![objects.commit(new)?],
                ReportedCommits::Line => commits = commits_since(&objects, old, new)?,
            }
            // A tag may be new and its commit not.
            let commit = objects.commit_behind(new)?.unwrap_or(new);
            match kind {
                RepoKind::Model => {
                    check_size::count_results(&result_files, old, commit)?;
                    sightings.extend(trust::sightings(&result_files, old, commit)?);
                }
                RepoKind::Dataset => {}
            }
            let arrival = git.arrival(&objects, commit, old)?;
            new_commits.extend(arrival.commits.iter().copied());
            check_size::count_commits(new_commits.len(), limits.push_commits)?;
            if !uploads.is_empty() {
                let named = objects.large_files_of(&arrival.commits)?;
                large_files.extend(named.intersection(&uploads));
            }
            check_commits(&objects, &quarantine, &limits, &arrival)?;
            // Where a ref points already, the files were validated when it came there. That the
            // repository has a commit is not enough: it may have come below one that mended it, or
            // with a ref that was refused.
            if arrival.is_tip {
                continue;
            }
            let found = validator.get().step(&result_files, Step { old, new })?;
            validation.errors.extend(found.errors);
            validation.warnings.extend(found.warnings);
            validation.results.extend(found.results);
        }
        drop(result_files);
        drop(objects);
        let incoming = quarantine.object_size()?;
        Ok(Examined {
            quarantine,
            validation,
            commits,
            sightings,
            large_files,
            incoming,
        })
    })
    .await
}

/// The commits of the first-parent line that are new, oldest first. The last one is always the tip,
/// also when a pull request was taken back to where it has been before.
fn commits_since(
    objects: &Objects,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<Vec<CommitInfo>, Error> {
    let until = match old {
        Some(old) => objects.merge_base(old, new)?,
        None => None,
    };
    let mut commits = objects.first_parents(new, until)?;
    if commits.is_empty() {
        commits.push(objects.commit(new)?);
    }
    commits.truncate(MAX_COMMIT_EVENTS);
    commits.reverse();
    Ok(commits)
}

fn name_pull(moves: &mut [RefChange], num: PullNumber) {
    for change in moves {
        change.name = RefName::pull(num);
        // The number was given a moment ago, so a ref of this name can only be what a crash has
        // left.
        change.expected = Expected::Any;
    }
}

/// Moves the refs, whose objects are there already, so that a ref never points at something that is
/// not.
async fn move_refs(hub: &Hub, repo: &Repo, moves: Vec<RefChange>) -> Result<(), Error> {
    let git = Arc::clone(&hub.git);
    let key = repo.key;
    blocking(move || {
        git.get(key)?.update_refs(&moves)?;
        Ok(())
    })
    .await
}
