//! The effect of a change of a repository on its discussions, in the same transaction as the index.

use assay_git::{CommitInfo, RefName};
use assay_model::{ObjectId, PullNumber, Timestamp};
use assay_store::{NewDiscussion, Tx};

use super::Status;
use super::events::{DiscussionEvent, Scene};
use super::limits;
use crate::access::SignedIn;
use crate::error::{Conflict, Error, Missing};
use crate::publish::PullEffect;
use crate::repo_lookup::Repo;

/// Number of commits of one push that are told of one by one. The tip is always among them: the
/// index reads it.
const MAX_COMMITS_TOLD: usize = 250;

/// Records what a change means for the discussions of a repository. The answer is the number of the
/// pull request.
///
/// `new_commits` are those that the moved ref did not have before, oldest first: the last one is
/// where it points now.
pub(crate) async fn record(
    tx: &mut Tx,
    actor: &SignedIn,
    repo: &Repo,
    effect: &PullEffect,
    new_commits: &[CommitInfo],
    now: Timestamp,
) -> Result<Option<PullNumber>, Error> {
    let scene = |num: PullNumber| Scene {
        key: repo.key,
        num,
        actor: Some(actor.account),
        now,
    };
    match effect {
        PullEffect::None => Ok(None),
        PullEffect::OpenPull {
            title,
            description,
            base,
        } => {
            let num = open_pull(tx, actor, repo, (title, description), base, now).await?;
            tell_commits(tx, scene(num), new_commits).await?;
            Ok(Some(num))
        }
        PullEffect::CommitsToPull { num } => {
            tell_commits(tx, scene(*num), new_commits).await?;
            publish_draft(tx, scene(*num)).await?;
            Ok(Some(*num))
        }
        PullEffect::Merged { num, comment } => {
            let head = new_commits.last().map(|commit| commit.id);
            merged(tx, scene(*num), comment.as_deref(), head).await?;
            Ok(Some(*num))
        }
    }
}

async fn open_pull(
    tx: &mut Tx,
    actor: &SignedIn,
    repo: &Repo,
    (title, description): (&str, &str),
    base: &RefName,
    now: Timestamp,
) -> Result<PullNumber, Error> {
    limits::comment(description)?;
    let num = next_number(tx, repo).await?;
    let opened_at = tx.indexed_ref(repo.key, base.as_str()).await?;
    tx.add_discussion(&NewDiscussion {
        key: repo.key,
        num,
        title: limits::pull_title(title),
        status: assay_store::Status::Open,
        is_pull: true,
        author: Some(actor.account),
        created: now,
        base: Some(base.as_str().to_owned()),
        opened_at,
    })
    .await?;
    if !description.is_empty() {
        let scene = Scene {
            key: repo.key,
            num,
            actor: Some(actor.account),
            now,
        };
        scene
            .tell(tx, &DiscussionEvent::Comment(description))
            .await?;
    }
    Ok(num)
}

/// The next number of a repository.
pub(super) async fn next_number(tx: &mut Tx, repo: &Repo) -> Result<PullNumber, Error> {
    tx.next_number(repo.key)
        .await?
        .ok_or(Error::NotFound(Missing::Repo))
}

pub(super) async fn tell_commits(
    tx: &mut Tx,
    scene: Scene,
    new_commits: &[CommitInfo],
) -> Result<(), Error> {
    let skipped = new_commits.len().saturating_sub(MAX_COMMITS_TOLD);
    for commit in &new_commits[skipped..] {
        let told = DiscussionEvent::Commit {
            subject: &commit.title,
            oid: commit.id,
        };
        scene.tell(tx, &told).await?;
    }
    Ok(())
}

/// A draft is a pull request that has no commit yet; its first one makes it an open one, because
/// many tools never do.
pub(super) async fn publish_draft(tx: &mut Tx, scene: Scene) -> Result<(), Error> {
    let (draft, open) = (assay_store::Status::Draft, assay_store::Status::Open);
    let moved = tx
        .move_discussion(scene.key, scene.num, draft, open, None, scene.now)
        .await?;
    if moved {
        scene
            .tell(tx, &DiscussionEvent::Status(Status::Open))
            .await?;
    }
    Ok(())
}

/// Records that a pull request was merged into a branch whose head this is.
pub(super) async fn merged(
    tx: &mut Tx,
    scene: Scene,
    comment: Option<&str>,
    head: Option<ObjectId>,
) -> Result<(), Error> {
    if let Some(comment) = comment {
        scene.tell(tx, &DiscussionEvent::Comment(comment)).await?;
    }
    let (open, merged) = (assay_store::Status::Open, assay_store::Status::Merged);
    let moved = tx
        .move_discussion(scene.key, scene.num, open, merged, head.as_ref(), scene.now)
        .await?;
    if !moved {
        return Err(Error::Conflict(Conflict::PullClosed(scene.num)));
    }
    scene
        .tell(tx, &DiscussionEvent::Status(Status::Merged))
        .await?;
    Ok(())
}
