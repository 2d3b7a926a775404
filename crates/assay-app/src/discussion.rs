//! Discussions and pull requests: what people say to each other about a repository.

mod comment;
mod events;
mod inbox;
mod limits;
mod merge;
mod record;
mod references;
mod repair;
mod scene;
mod trial;

use std::sync::Arc;

use assay_git::{Expected, RefChange, RefName};
use assay_model::{ObjectId, PullNumber, RepoId, RepoKind, Timestamp};
use assay_store::{AuditAction, DiscussionKind, DiscussionState};

pub(crate) use self::events::removed_comment;
use self::events::{DiscussionEvent, Scene};
pub use self::inbox::{Inbox, Mention, Referable};
pub(crate) use self::merge::{names, trial_plan};
use self::record::next_number;
pub(crate) use self::record::record;
pub use self::references::{Reference, references};
pub(crate) use self::repair::{FoundPull, UNRECORDED, record_found, repair};
pub(crate) use self::trial::Trial;
use crate::access::{Caller, Need, SignedIn};
use crate::diffs::DiffText;
use crate::error::{Conflict, Error};
use crate::hub::Hub;
use crate::index::Touched;
use crate::repo_lookup::Repo;
use crate::secret;
use crate::services::DiscussionService;
use crate::webhook::{Telling, tell_pull};

/// Number of discussions that a page has.
const PAGE: u32 = 50;

impl DiscussionFilter {
    /// Number of discussions that a page has.
    pub const PAGE: u64 = PAGE as u64;
}

/// The status of a discussion or pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// A pull request that its author is still at work on; it has no commit yet.
    Draft,
    /// Under discussion.
    Open,
    /// Over, with nothing taken.
    Closed,
    /// Taken.
    Merged,
}

/// A discussion or a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    /// The repository.
    pub kind: RepoKind,
    /// The repository.
    pub repo: RepoId,
    /// Its number in the repository.
    pub num: PullNumber,
    /// The title of the discussion.
    pub title: String,
    /// The status of the discussion.
    pub status: Status,
    /// True if it is a pull request.
    pub is_pull: bool,
    /// The author; none when the account is gone.
    pub author: Option<String>,
    /// The time of the event.
    pub created: Timestamp,
}

/// Something that happened in a discussion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// 24 hexadecimal digits.
    pub id: String,
    /// The author; none when the account is gone.
    pub author: Option<String>,
    /// The time of the event.
    pub created: Timestamp,
    /// The data of the event.
    pub data: EventData,
}

/// A text that a comment had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
    /// Time at which it was written.
    pub written: Timestamp,
    /// The text, in Markdown.
    pub text: String,
}

/// The kind of an event, with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventData {
    /// Someone said something.
    Comment {
        /// The text, in Markdown; empty when it is hidden.
        text: String,
        /// The number of edits.
        edits: u32,
        /// Time at which it was last changed.
        updated: Timestamp,
        /// True if it was hidden.
        hidden: bool,
        /// The texts it had before, the newest first; none when it is hidden.
        history: Vec<Earlier>,
    },
    /// The status changed.
    Status(Status),
    /// A commit came in.
    Commit {
        /// Its first line.
        subject: String,
        /// The commit.
        oid: ObjectId,
    },
    /// The title changed.
    Title {
        /// Before.
        from: String,
        /// After.
        to: String,
    },
}

/// A discussion to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDiscussion {
    /// The title of the discussion.
    pub title: String,
    /// The first comment, when there is one.
    pub description: String,
    /// True if it is a pull request, to be filled with commits to `refs/pr/N`.
    pub is_pull: bool,
}

/// A filter of discussions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiscussionFilter {
    /// Only pull requests, or only plain discussions.
    pub is_pull: Option<bool>,
    /// Only those still open (drafts too), or only those over (merged too).
    pub open: Option<bool>,
    /// Only those of this author.
    pub author: Option<String>,
    /// The number of discussions to skip.
    pub offset: u64,
}

/// Some discussions, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionPage {
    /// The discussions.
    pub discussions: Vec<Discussion>,
    /// The total number after the filters.
    pub count: u64,
    /// The number before this page.
    pub start: u64,
}

/// A discussion with what happened, and what a pull request would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullDetails {
    /// The discussion.
    pub discussion: Discussion,
    /// A page of what happened, oldest first.
    pub events: Vec<Event>,
    /// The total number of events.
    pub events_total: u64,
    /// The ref that a pull request wants to change, such as `refs/heads/main`.
    pub base: Option<String>,
    /// The commit that took it.
    pub merge_commit: Option<ObjectId>,
    /// The files that stand in the way of a merge.
    pub conflicts: Vec<String>,
    /// True if it is not known what stands in the way, because it takes too long to find out.
    pub is_untried: bool,
    /// The changes as text, when that was asked for.
    pub diff: Option<Arc<DiffText>>,
}

/// The part of the events of a discussion that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventPage {
    /// Number of events that come before it.
    pub offset: u64,
    /// Number of it that has at most.
    pub limit: u32,
}

impl EventPage {
    /// Number of events that a page has for people.
    pub const SIZE: u32 = 50;
    /// Number of events clients that get at once. A discussion cannot have more.
    pub const MOST: u32 = limits::MAX_EVENTS;

    /// All that a discussion can have.
    pub fn all() -> Self {
        Self {
            offset: 0,
            limit: Self::MOST,
        }
    }
}

impl Status {
    pub(crate) fn stored(self) -> assay_store::Status {
        match self {
            Self::Draft => assay_store::Status::Draft,
            Self::Open => assay_store::Status::Open,
            Self::Closed => assay_store::Status::Closed,
            Self::Merged => assay_store::Status::Merged,
        }
    }

    fn read(status: assay_store::Status) -> Self {
        match status {
            assay_store::Status::Draft => Self::Draft,
            assay_store::Status::Open => Self::Open,
            assay_store::Status::Closed => Self::Closed,
            assay_store::Status::Merged => Self::Merged,
        }
    }

    fn of(word: &str) -> Option<Self> {
        assay_store::Status::ALL
            .into_iter()
            .find(|status| status.as_str() == word)
            .map(Self::read)
    }

    /// The word for it, as clients read it.
    pub fn as_str(self) -> &'static str {
        self.stored().as_str()
    }
}

impl DiscussionService<'_> {
    /// Opens a discussion or a draft pull request.
    pub async fn open_discussion(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        new: NewDiscussion,
    ) -> Result<Discussion, Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Discuss).await?;
        let actor = caller.signed_in()?.clone();
        self.hub.count_write(&actor)?;
        let title = limits::title(&new.title)?;
        limits::comment(&new.description)?;
        let new = NewDiscussion { title, ..new };
        let (hub, own) = (self.hub.shared()?, repo.clone());
        // A client that goes away must not leave a ref without its record, so from here on nobody
        // can stop it.
        let own_caller = caller.clone();
        let work = tokio::spawn(async move {
            hub.discussions()
                .record_discussion(&own_caller, &own, &actor, &new)
                .await
        });
        let num = work.await.map_err(Error::internal)??;
        let opened = self.stored_discussion(&repo, num).await?;
        Ok(told(&repo, &opened))
    }

    /// Gives a discussion its number, and a pull request its ref.
    async fn record_discussion(
        self,
        caller: &Caller,
        repo: &Repo,
        actor: &SignedIn,
        new: &NewDiscussion,
    ) -> Result<u32, Error> {
        let _locked = self.hub.lock(repo.key).await?;
        let mut tx = self
            .hub
            .begin_change(caller, repo.key, Need::Discuss)
            .await?;
        if new.is_pull {
            Hub::check_open_pulls(&mut tx, &self.hub.config.limits, repo, actor).await?;
        }
        let scene = Scene {
            key: repo.key,
            num: next_number(&mut tx, repo).await?,
            actor: Some(actor.account),
            now: self.hub.now(),
        };
        let base = if new.is_pull {
            Some(self.begin_pull(repo, scene.num).await?)
        } else {
            None
        };
        tx.add_discussion(&assay_store::NewDiscussion {
            key: repo.key,
            num: scene.num,
            title: new.title.clone(),
            status: match base {
                Some(_) => assay_store::Status::Draft,
                None => assay_store::Status::Open,
            },
            is_pull: new.is_pull,
            author: Some(actor.account),
            created: scene.now,
            base: base.map(|_| RefName::main().as_str().to_owned()),
            opened_at: base,
        })
        .await?;
        if !new.description.is_empty() {
            scene
                .tell(&mut tx, &DiscussionEvent::Comment(&new.description))
                .await?;
        }
        let sender = Some(actor.name.as_str());
        tell_pull(&mut tx, repo, scene.num, "opened", sender, scene.now).await?;
        tx.commit().await?;
        self.index_after(repo, None).await?;
        Ok(scene.num)
    }

    /// Makes the ref of a pull request without commits: it stands where main stands. The
    /// transaction that gave the number is under way, so a ref of this number can only be what a
    /// crash has left.
    async fn begin_pull(self, repo: &Repo, num: PullNumber) -> Result<ObjectId, Error> {
        self.hub
            .with_git(repo.key, move |git| {
                let head = git
                    .find_ref(&RefName::main())?
                    .ok_or_else(|| Error::Conflict(Conflict::NoMain))?
                    .target;
                git.update_refs(&[RefChange {
                    name: RefName::pull(num),
                    expected: Expected::Any,
                    new: Some(head),
                }])?;
                Ok(head)
            })
            .await
    }

    /// Brings the index up to a change of a discussion that is recorded.
    async fn index_after(self, repo: &Repo, telling: Option<&Telling<'_>>) -> Result<(), Error> {
        let mut touched = Touched::default();
        touched.touch_repository(repo);
        self.hub.boards().touch(&touched);
        let indexed = self.hub.index_repository(repo.key, telling).await;
        if indexed.is_err() {
            self.hub.catch_up_later(repo.key);
        }
        indexed
    }

    /// Discussions, newest first.
    pub async fn discussions(
        self,
        repo: &Repo,
        filter: &DiscussionFilter,
    ) -> Result<DiscussionPage, Error> {
        let page = self
            .hub
            .store
            .discussions(&assay_store::DiscussionFilter {
                key: repo.key,
                kind: filter.is_pull.map(|is_pull| {
                    if is_pull {
                        DiscussionKind::Pull
                    } else {
                        DiscussionKind::Discussion
                    }
                }),
                state: filter.open.map(|open| {
                    if open {
                        DiscussionState::Open
                    } else {
                        DiscussionState::Closed
                    }
                }),
                author: filter.author.clone(),
                offset: filter.offset,
                limit: PAGE,
            })
            .await?;
        Ok(DiscussionPage {
            discussions: page.items.iter().map(|held| told(repo, held)).collect(),
            count: page.count,
            start: filter.offset,
        })
    }

    /// Gives a discussion another title.
    pub async fn retitle(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
        title: &str,
    ) -> Result<Event, Error> {
        let title = limits::title(title)?;
        let (held, scene) = self.managed(caller, repo, num).await?;
        let mut tx = self
            .hub
            .begin_change(caller, repo.key, Need::Discuss)
            .await?;
        tx.rename_discussion(repo.key, scene.num, &title, scene.now)
            .await?;
        limits::has_room(&mut tx, scene, &title).await?;
        let told = DiscussionEvent::Title {
            from: &held.title,
            to: &title,
        };
        let id = scene.tell(&mut tx, &told).await?;
        tx.commit().await?;
        self.stored_event(&id).await
    }

    /// Closes or opens again; results of a closed pull request leave the boards, those of a
    /// reopened one return.
    pub async fn change_status(
        self,
        caller: &Caller,
        repo: &Repo,
        num: PullNumber,
        status: Status,
        comment: Option<&str>,
    ) -> Result<Event, Error> {
        comment.map_or(Ok(()), limits::comment)?;
        let _locked = self.hub.lock(repo.key).await?;
        let (held, scene) = self.managed(caller, repo, num).await?;
        let from = Status::read(held.status);
        // Clients open a draft that its first commit has opened, and close what was closed
        // meanwhile.
        if from == status {
            return self.keep_status(caller, repo, scene, status, comment).await;
        }
        match (from, status) {
            (Status::Draft | Status::Closed, Status::Open)
            | (Status::Draft | Status::Open, Status::Closed) => {}
            (Status::Draft | Status::Open | Status::Closed | Status::Merged, _) => {
                return Err(Error::Invalid(format!(
                    "discussion {num} is {} and cannot become {}",
                    from.as_str(),
                    status.as_str()
                )));
            }
        }
        let telling = Telling::begin(&self.hub.store, repo, scene.now).await?;
        let mut tx = self
            .hub
            .begin_change(caller, repo.key, Need::Discuss)
            .await?;
        if let Some(comment) = comment.filter(|text| !text.trim().is_empty()) {
            limits::has_room(&mut tx, scene, comment).await?;
            scene
                .tell(&mut tx, &DiscussionEvent::Comment(comment))
                .await?;
        }
        let moved = tx
            .move_discussion(
                repo.key,
                scene.num,
                from.stored(),
                status.stored(),
                None,
                scene.now,
            )
            .await?;
        if !moved {
            return Err(Error::Conflict(Conflict::DiscussionChanged(num)));
        }
        let id = scene
            .tell(&mut tx, &DiscussionEvent::Status(status))
            .await?;
        scene.forget_index(&mut tx).await?;
        let action = match status {
            Status::Closed => "closed",
            Status::Draft | Status::Open | Status::Merged => "reopened",
        };
        tell_pull(&mut tx, repo, scene.num, action, caller.name(), scene.now).await?;
        if held.author.as_ref().map(|author| author.id) != scene.actor {
            let action = match status {
                Status::Closed => AuditAction::DiscussionClosed,
                Status::Draft | Status::Open | Status::Merged => AuditAction::DiscussionReopened,
            };
            let subject = repo.audited().with(format!("discussion {num}"));
            self.hub
                .operations()
                .audit(&mut tx, caller, action, subject)
                .await?;
        }
        tx.commit().await?;
        self.index_after(repo, telling.as_ref()).await?;
        self.stored_event(&id).await
    }
}

impl DiscussionService<'_> {
    /// Answers a change to the status that a discussion has: a comment is kept, and nothing else
    /// happens.
    async fn keep_status(
        self,
        caller: &Caller,
        repo: &Repo,
        scene: Scene,
        status: Status,
        comment: Option<&str>,
    ) -> Result<Event, Error> {
        if let Some(comment) = comment.filter(|text| !text.trim().is_empty()) {
            let mut tx = self
                .hub
                .begin_change(caller, repo.key, Need::Discuss)
                .await?;
            limits::has_room(&mut tx, scene, comment).await?;
            scene
                .tell(&mut tx, &DiscussionEvent::Comment(comment))
                .await?;
            tx.commit().await?;
        }
        Ok(Event {
            id: secret::event_id()?.as_str().to_owned(),
            author: caller.name().map(str::to_owned),
            created: scene.now,
            data: EventData::Status(status),
        })
    }
}

/// A discussion as the hub tells it.
fn told(repo: &Repo, held: &assay_store::Discussion) -> Discussion {
    Discussion {
        kind: repo.kind,
        repo: repo.id.clone(),
        num: held.num,
        title: held.title.clone(),
        status: Status::read(held.status),
        is_pull: held.is_pull,
        author: held.author.as_ref().map(|author| author.name.clone()),
        created: held.created,
    }
}
