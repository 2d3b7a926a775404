//! What a pull request would change, and making it so.

use assay_git::{
    Error as GitError, Expected, FastForward, MergePlan, Merged, Objects, Quarantine, RefName,
    Repository, Signature,
};
use assay_model::{ObjectId, Timestamp};
use assay_store::Status as Stored;

use super::events::{self, Scene};
use super::record::merged;
use super::{Event, EventData, PullDetails, Status, limits, told};
use crate::access::{Caller, Need, SignedIn};
use crate::commit::signature;
use crate::door::Repo;
use crate::error::Error;
use crate::hub::Hub;
use crate::index::{Afresh, index};
use crate::publish::{Errand, Note, RefMove, publish};
use crate::webhook::{Watching, tell_pull};

/// How long a diff may be, in bytes; what is longer is cut.
const MAX_DIFF: usize = 4 << 20;

/// What git knows of a pull request.
#[derive(Default)]
struct Outlook {
    conflicts: Vec<String>,
    diff: Option<String>,
}

/// What a merge came to.
enum Outcome {
    /// The commit is in the quarantine.
    Commit {
        head: ObjectId,
        commit: ObjectId,
        quarantine: Quarantine,
    },
    /// The base has all of it already.
    UpToDate(ObjectId),
    /// These files stand in the way.
    Conflict(Vec<String>),
}

impl Hub {
    /// One discussion with everything that happened.
    pub async fn discussion(
        &self,
        repo: &Repo,
        num: i64,
        diff: bool,
    ) -> Result<PullDetails, Error> {
        let held = self
            .stored_discussion(repo, super::record::number(num)?)
            .await?;
        let happened = self.store.events_of(repo.key, held.num).await?;
        let outlook = if held.is_pull {
            let facts = held.clone();
            self.with_git(repo.key, move |git| Ok(outlook(git, &facts, diff)?))
                .await?
        } else {
            Outlook::default()
        };
        Ok(PullDetails {
            discussion: told(repo, &held),
            events: happened.iter().filter_map(events::read).collect(),
            base: held.base,
            merge_commit: held.merge_commit,
            conflicts: outlook.conflicts,
            diff: outlook.diff,
        })
    }

    /// Merges a pull request: its results become the repository's own.
    pub async fn merge(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        comment: Option<&str>,
    ) -> Result<(Event, ObjectId), Error> {
        self.check(caller, repo, Need::Write).await?;
        let actor = caller.signed_in()?;
        let received_at = self.now();
        comment.map_or(Ok(()), limits::comment)?;
        let comment = comment
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned);
        let locked = self.lock(repo.key).await?;
        let (held, scene) = self.scene(caller, repo, num).await?;
        check_mergeable(&held)?;
        let base = base_of(&held);
        let plan = plan(actor, &held, scene.now);
        let pull = RefName::pull(u64::from(held.num));
        let onto = base.clone();
        let outcome = self
            .with_git(repo.key, move |git| attempt(git, &onto, &pull, &plan))
            .await?;
        let commit = match outcome {
            Outcome::Conflict(files) => return Err(conflict(&files)),
            Outcome::UpToDate(head) => {
                self.record_merged(caller, repo, scene, comment.as_deref())
                    .await?;
                head
            }
            Outcome::Commit {
                head,
                commit,
                quarantine,
            } => {
                let moves = vec![RefMove {
                    name: base,
                    expected: Expected::At(head),
                    new: Some(commit),
                }];
                let note = Note::Merged { num, comment };
                let errand = Errand {
                    actor,
                    repo,
                    need: Need::Write,
                    received_at,
                };
                publish(self, &locked, errand, quarantine, moves, note).await?;
                commit
            }
        };
        Ok((self.merge_event(repo, held.num).await?, commit))
    }

    /// Records the merge of a pull request whose commits are on the base already. No commit merged it, and none may be
    /// said to: who brought the entries of that commit would be told wrong.
    async fn record_merged(
        &self,
        caller: &Caller,
        repo: &Repo,
        scene: Scene,
        comment: Option<&str>,
    ) -> Result<(), Error> {
        let mut tx = self.begin_change(caller, repo.key, Need::Write).await?;
        let watching = Watching::begin(&mut tx, repo).await?;
        merged(&mut tx, scene, comment, None).await?;
        let touched = index(&self.sources(), &mut tx, repo.key, Afresh::Pull(scene.num)).await?;
        if let Some(watching) = watching {
            watching.end(&mut tx, repo, scene.now).await?;
        }
        tell_pull(&mut tx, repo, scene.num, "merged", caller.name(), scene.now).await?;
        tx.commit().await?;
        self.touch(&touched);
        Ok(())
    }

    async fn merge_event(&self, repo: &Repo, num: u32) -> Result<Event, Error> {
        let happened = self.store.events_of(repo.key, num).await?;
        happened
            .iter()
            .rev()
            .filter_map(events::read)
            .find(|event| event.data == EventData::Status(Status::Merged))
            .ok_or_else(|| Error::internal("a merge left no event"))
    }
}

fn check_mergeable(held: &assay_store::Discussion) -> Result<(), Error> {
    let why = match (held.is_pull, held.status) {
        (false, _) => "is not a pull request",
        (true, Stored::Open) => return Ok(()),
        (true, Stored::Draft) => "is a draft: open it first",
        (true, Stored::Closed) => "is closed: open it again first",
        (true, Stored::Merged) => "is merged already",
    };
    Err(Error::Invalid(format!("discussion {} {why}", held.num)))
}

pub(super) fn base_of(held: &assay_store::Discussion) -> RefName {
    let base = held.base.as_deref().map(str::parse);
    base.and_then(Result::ok).unwrap_or_else(RefName::main)
}

fn conflict(files: &[String]) -> Error {
    let names: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    Error::Conflict(format!(
        "the pull request conflicts with its base in {}; bring it up to date first",
        names.join(", ")
    ))
}

fn plan(actor: &SignedIn, held: &assay_store::Discussion, now: Timestamp) -> MergePlan {
    let signature = signature(Some(actor), now);
    MergePlan {
        message: format!("{} (#{})", held.title, held.num),
        author: signature.clone(),
        committer: signature,
        fast_forward: FastForward::Never,
    }
}

/// Merges a pull request into its base, in a quarantine.
fn attempt(
    git: &Repository,
    base: &RefName,
    pull: &RefName,
    plan: &MergePlan,
) -> Result<Outcome, Error> {
    let missing = |name: &RefName| Error::Conflict(format!("there is no `{name}` to merge"));
    let head = git.find_ref(base)?.ok_or_else(|| missing(base))?.target;
    let tip = git.find_ref(pull)?.ok_or_else(|| missing(pull))?.target;
    let quarantine = git.quarantine();
    Ok(match quarantine.merge(head, tip, plan)? {
        Merged::UpToDate => Outcome::UpToDate(head),
        Merged::Commit(commit) | Merged::FastForward(commit) => Outcome::Commit {
            head,
            commit,
            quarantine,
        },
        Merged::Conflict(files) => Outcome::Conflict(names(files)),
    })
}

pub(super) fn names(files: Vec<assay_model::RepoPath>) -> Vec<String> {
    files
        .into_iter()
        .map(|file| file.as_str().to_owned())
        .collect()
}

/// A merge that nobody will see.
pub(super) fn trial_plan(when: Timestamp) -> MergePlan {
    let nobody = Signature {
        name: "merge".to_owned(),
        email: String::new(),
        when,
    };
    MergePlan {
        message: "trial".to_owned(),
        author: nobody.clone(),
        committer: nobody,
        fast_forward: FastForward::Never,
    }
}

/// What stands in the way of a pull request, and what it changes.
fn outlook(
    git: &Repository,
    held: &assay_store::Discussion,
    diff: bool,
) -> Result<Outlook, GitError> {
    let mut outlook = Outlook::default();
    let base = base_of(held);
    let pull = RefName::pull(u64::from(held.num));
    let (Some(head), Some(tip)) = (git.find_ref(&base)?, git.find_ref(&pull)?) else {
        return Ok(outlook);
    };
    let objects = git.objects();
    let onto = before_merge(&objects, held)?.unwrap_or(head.target);
    if diff {
        let from = objects.merge_base(onto, tip.target)?.unwrap_or(onto);
        outlook.diff = Some(objects.diff(from, tip.target, MAX_DIFF)?.text);
    }
    let is_open = match held.status {
        Stored::Draft | Stored::Open => true,
        Stored::Closed | Stored::Merged => false,
    };
    if is_open && !objects.is_ancestor(onto, tip.target)? {
        let trial = trial_plan(Timestamp::from_millis(0));
        if let Merged::Conflict(files) = git.quarantine().merge(onto, tip.target, &trial)? {
            outlook.conflicts = names(files);
        }
    }
    Ok(outlook)
}

/// Where the base was before it took the pull request.
fn before_merge(
    objects: &Objects,
    held: &assay_store::Discussion,
) -> Result<Option<ObjectId>, GitError> {
    match held.merge_commit {
        Some(commit) if objects.contains(commit)? => {
            Ok(objects.commit(commit)?.parents.first().copied())
        }
        Some(_) | None => Ok(None),
    }
}
