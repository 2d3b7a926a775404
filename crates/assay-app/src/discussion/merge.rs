//! The changes of a pull request, and merging them.

use assay_git::{
    Error as GitError, Expected, FastForward, MergePlan, Merged, Objects, Quarantine, RefChange,
    RefName, Repository, Signature,
};
use assay_model::{ObjectId, PullNumber, Timestamp};
use assay_store::Status as Stored;

use super::events::{self, Scene};
use super::record::merged;
use super::{Event, EventData, EventPage, PullDetails, Status, limits, told};
use crate::access::{Caller, Need, SignedIn};
use crate::commit::signature;
use crate::diffs::Obstacles;
use crate::error::{Conflict, Error};
use crate::publish::{ChangeContext, PullEffect, publish};
use crate::repo_lookup::Repo;
use crate::services::DiscussionService;
use crate::webhook::{Telling, tell_pull};

/// The commits that a pull request is about.
struct Outlook {
    /// The commit at which the pull request set out.
    from: ObjectId,
    /// The commit that it would be merged into.
    onto: ObjectId,
    tip: ObjectId,
    /// True if a merge has to be tried to know what stands in its way.
    is_uncertain: bool,
}

/// The outcome of a merge.
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

/// Among how many of the last events that of a merge is looked for, which was made a moment ago.
const MERGE_EVENTS: u32 = 20;

impl DiscussionService<'_> {
    /// One discussion with a page of what happened.
    pub async fn discussion(
        self,
        repo: &Repo,
        num: PullNumber,
        diff: bool,
        page: EventPage,
    ) -> Result<PullDetails, Error> {
        let held = self.stored_discussion(repo, num).await?;
        let happened = self.events_within(repo, held.num, page).await?;
        let total = self.hub.store.count_events(repo.key, held.num).await?;
        let mut details = PullDetails {
            discussion: told(repo, &held),
            events: happened.iter().filter_map(events::read).collect(),
            events_total: total,
            base: held.base.clone(),
            merge_commit: held.merge_commit,
            conflicts: Vec::new(),
            is_untried: false,
            diff: None,
        };
        if !held.is_pull {
            return Ok(details);
        }
        let outlook = self
            .hub
            .with_git(repo.key, move |git| Ok(outlook(git, &held)?));
        let Some(outlook) = outlook.await? else {
            return Ok(details);
        };
        if diff {
            let found = self
                .hub
                .repositories()
                .diff_between(repo.key, outlook.from, outlook.tip);
            details.diff = Some(found.await?);
        }
        if outlook.is_uncertain {
            let tried =
                self.hub
                    .repositories()
                    .obstacles_between(repo.key, outlook.onto, outlook.tip);
            match &*tried.await? {
                Obstacles::Files(files) => details.conflicts.clone_from(files),
                Obstacles::Unknown => details.is_untried = true,
            }
        }
        Ok(details)
    }

    /// Returns the number of events of a discussion.
    pub async fn count_events(self, repo: &Repo, num: PullNumber) -> Result<u64, Error> {
        Ok(self.hub.store.count_events(repo.key, num).await?)
    }

    /// A page of events, or as many of them as a client may get at once.
    async fn events_within(
        self,
        repo: &Repo,
        num: PullNumber,
        page: EventPage,
    ) -> Result<Vec<assay_store::Event>, Error> {
        let mut happened = Vec::new();
        let mut length = 0;
        let mut left = page.limit;
        while left > 0 && length <= limits::MAX_DISCUSSION {
            let offset = page.offset + happened.len() as u64;
            let limit = left.min(EventPage::SIZE);
            let some = self
                .hub
                .store
                .events_page(repo.key, num, offset, limit)
                .await?;
            let is_last = some.len() < limit as usize;
            left -= limit;
            length += some.iter().map(events::length).sum::<u64>();
            happened.extend(some);
            if is_last {
                break;
            }
        }
        Ok(happened)
    }

    /// Merges a pull request: its results become the repository's own.
    pub async fn merge(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
        comment: Option<&str>,
    ) -> Result<(Event, ObjectId), Error> {
        self.hub.check(caller, repo, Need::Write).await?;
        let actor = caller.signed_in()?;
        let received_at = self.hub.now();
        comment.map_or(Ok(()), limits::comment)?;
        let comment = comment
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned);
        let locked = self.hub.lock(repo.key).await?;
        let (held, scene) = self.scene(caller, repo, num).await?;
        check_mergeable(&held)?;
        let base = base_of(&held);
        let plan = plan(actor, &held, scene.now);
        let pull = RefName::pull(held.num);
        let onto = base.clone();
        let outcome = self
            .hub
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
                let moves = vec![RefChange {
                    name: base,
                    expected: Expected::At(head),
                    new: Some(commit),
                }];
                let effect = PullEffect::Merged { num, comment };
                let context = ChangeContext {
                    actor,
                    repo,
                    need: Need::Write,
                    received_at,
                };
                publish(self.hub, &locked, context, quarantine, moves, effect).await?;
                commit
            }
        };
        Ok((self.merge_event(repo, held.num).await?, commit))
    }

    /// Records the merge of a pull request whose commits are on the base already. No commit merged
    /// it, and none may be said to: who brought the entries of that commit would be told wrong.
    async fn record_merged(
        self,
        caller: &Caller,
        repo: &Repo,
        scene: Scene,
        comment: Option<&str>,
    ) -> Result<(), Error> {
        let telling = Telling::begin(&self.hub.store, repo, scene.now).await?;
        let mut tx = self.hub.begin_change(caller, repo.key, Need::Write).await?;
        merged(&mut tx, scene, comment, None).await?;
        scene.forget_index(&mut tx).await?;
        tell_pull(&mut tx, repo, scene.num, "merged", caller.name(), scene.now).await?;
        tx.commit().await?;
        self.index_after(repo, telling.as_ref()).await
    }

    async fn merge_event(self, repo: &Repo, num: PullNumber) -> Result<Event, Error> {
        let happened = self
            .hub
            .store
            .last_events(repo.key, num, MERGE_EVENTS)
            .await?;
        happened
            .iter()
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
    Error::Conflict(Conflict::Merge(names))
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
    let missing = |name: &RefName| Error::Conflict(Conflict::NothingToMerge(name.clone()));
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

pub(crate) fn names(files: Vec<assay_model::RepoPath>) -> Vec<String> {
    files
        .into_iter()
        .map(|file| file.as_str().to_owned())
        .collect()
}

/// A merge that nobody will see.
pub(crate) fn trial_plan(when: Timestamp) -> MergePlan {
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

/// The commits that a pull request is about; none when one of them is not there.
fn outlook(git: &Repository, held: &assay_store::Discussion) -> Result<Option<Outlook>, GitError> {
    let base = base_of(held);
    let pull = RefName::pull(held.num);
    let (Some(head), Some(tip)) = (git.find_ref(&base)?, git.find_ref(&pull)?) else {
        return Ok(None);
    };
    let (objects, tip) = (git.objects(), tip.target);
    let onto = before_merge(&objects, held)?.unwrap_or(head.target);
    let is_open = match held.status {
        Stored::Draft | Stored::Open => true,
        Stored::Closed | Stored::Merged => false,
    };
    Ok(Some(Outlook {
        from: objects.merge_base(onto, tip)?.unwrap_or(onto),
        onto,
        tip,
        is_uncertain: is_open && !objects.is_ancestor(onto, tip)?,
    }))
}

/// Returns the base before it took the pull request.
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
