use assay_model::{ObjectId, RepoId, RepoKind, Timestamp};

/// Where a discussion or pull request stands.
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
    pub num: i64,
    /// What it is called.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Whether it is a pull request.
    pub is_pull: bool,
    /// Who opened it; none when the account is gone.
    pub author: Option<String>,
    /// When.
    pub created: Timestamp,
}

/// Something that happened in a discussion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// 24 hexadecimal digits.
    pub id: String,
    /// Who; none when the account is gone.
    pub author: Option<String>,
    /// When.
    pub created: Timestamp,
    /// What.
    pub data: EventData,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventData {
    /// Someone said something.
    Comment {
        /// The text, in Markdown; empty when it is hidden.
        text: String,
        /// How often it was changed.
        edits: u32,
        /// When it was last changed.
        updated: Timestamp,
        /// Whether it was hidden.
        hidden: bool,
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

/// What to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDiscussion {
    /// What it is called.
    pub title: String,
    /// The first comment, when there is one.
    pub description: String,
    /// Whether it is a pull request, to be filled with commits to `refs/pr/N`.
    pub is_pull: bool,
}

/// Which discussions to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiscussionFilter {
    /// Only pull requests, or only plain discussions.
    pub is_pull: Option<bool>,
    /// Only those still open (drafts too), or only those over (merged too).
    pub open: Option<bool>,
    /// Only those of this author.
    pub author: Option<String>,
    /// How many to leave out.
    pub offset: u64,
}

/// Some discussions, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionPage {
    /// The discussions.
    pub discussions: Vec<Discussion>,
    /// How many there are in all, after the filters.
    pub count: u64,
    /// How many were left out before these.
    pub start: u64,
}

/// A discussion with all that happened, and what a pull request would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullDetails {
    /// The discussion.
    pub discussion: Discussion,
    /// What happened, oldest first.
    pub events: Vec<Event>,
    /// The ref that a pull request wants to change, such as `refs/heads/main`.
    pub base: Option<String>,
    /// The commit that took it.
    pub merge_commit: Option<ObjectId>,
    /// The files that stand in the way of a merge.
    pub conflicts: Vec<String>,
    /// The changes as text, when that was asked for.
    pub diff: Option<String>,
}

#[expect(clippy::todo, clippy::unused_async, reason = "a stand-in")]
pub(crate) async fn record(
    _tx: &mut assay_store::Tx,
    _actor: &crate::access::SignedIn,
    _repo: &crate::repository::Repo,
    note: &crate::publish::Note,
    _new_commits: &[assay_git::CommitInfo],
    _now: Timestamp,
) -> Result<Option<i64>, crate::error::Error> {
    match note {
        crate::publish::Note::None => Ok(None),
        _ => todo!(),
    }
}
