use assay_model::{ObjectId, RepoKey, Timestamp};

use crate::{AccountId, AccountKind, Error, Tx};

/// Where a discussion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// A pull request that is not ready.
    Draft,
    /// Open.
    Open,
    /// Closed without a merge.
    Closed,
    /// A pull request that was merged.
    Merged,
}

/// Who wrote something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The account.
    pub id: AccountId,
    /// Its name.
    pub name: String,
    /// The name for people.
    pub fullname: Option<String>,
    /// Who it stands for.
    pub kind: AccountKind,
}

/// A discussion or a pull request of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    /// The repository.
    pub key: RepoKey,
    /// Its number there, from 1.
    pub num: u32,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Whether it is a pull request.
    pub is_pull: bool,
    /// Who opened it, unless that account is gone.
    pub author: Option<Author>,
    /// When it was opened.
    pub created: Timestamp,
    /// When something in it last changed.
    pub updated: Timestamp,
    /// The branch that a pull request is for, such as `refs/heads/main`.
    pub base: Option<String>,
    /// The commit that the base had when a pull request was opened.
    pub opened_at: Option<ObjectId>,
    /// The commit that merged it.
    pub merge_commit: Option<ObjectId>,
    /// When it was closed or merged; none while it is open.
    pub ended: Option<Timestamp>,
}

/// A discussion that is to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDiscussion {
    /// The repository.
    pub key: RepoKey,
    /// Its number, from [`Tx::next_number`].
    pub num: u32,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub status: Status,
    /// Whether it is a pull request.
    pub is_pull: bool,
    /// Who opens it.
    pub author: Option<AccountId>,
    /// When it is opened.
    pub created: Timestamp,
    /// The branch that a pull request is for.
    pub base: Option<String>,
    /// The commit that the base has.
    pub opened_at: Option<ObjectId>,
}

/// Which of the two to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscussionKind {
    /// Discussions that are not pull requests.
    Discussion,
    /// Pull requests.
    Pull,
}

/// Which discussions to list, by where they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscussionState {
    /// Open ones and drafts.
    Open,
    /// Closed and merged ones.
    Closed,
}

/// Which discussions of a repository to list. Every condition must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionFilter {
    /// The repository.
    pub key: RepoKey,
    /// Which of the two.
    pub kind: Option<DiscussionKind>,
    /// Where they stand.
    pub state: Option<DiscussionState>,
    /// The name of who opened them, whatever its case.
    pub author: Option<String>,
    /// How many to pass over.
    pub offset: u64,
    /// The most to return.
    pub limit: u32,
}

/// A part of the discussions of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionPage {
    /// The discussions, newest first.
    pub items: Vec<Discussion>,
    /// How many there are on all pages.
    pub count: u64,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Draft, Self::Open, Self::Closed, Self::Merged];

    /// The word for it, as clients read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Merged => "merged",
        }
    }
}

words!(Status, "`draft`, `open`, `closed` or `merged`");

questions! {
    /// One discussion or pull request.
    fn discussion(key: RepoKey, num: u32) -> Option<Discussion>;
    /// A page of the discussions of a repository, newest first.
    fn discussions(filter: &DiscussionFilter) -> DiscussionPage;
    /// The pull requests of a repository, in the order of their numbers, with those that are closed or merged.
    fn pulls_of(key: RepoKey) -> Vec<Discussion>;
}

impl Tx {
    /// Takes the next number of a repository, from 1 and without gaps: a transaction that is rolled back gives it back.
    /// None when the repository does not exist.
    pub async fn next_number(&mut self, key: RepoKey) -> Result<Option<u32>, Error> {
        let _ = key;
        todo!()
    }

    /// Opens a discussion. A number above those given so far, as a reference in git may have after a crash, counts as
    /// given from now on. [`Error::Taken`] when the number is in use.
    pub async fn add_discussion(&mut self, new: &NewDiscussion) -> Result<(), Error> {
        let _ = new;
        todo!()
    }

    /// Writes a new title. The answer is whether the discussion exists.
    pub async fn rename_discussion(
        &mut self,
        key: RepoKey,
        num: u32,
        title: &str,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let _ = (key, num, title, at);
        todo!()
    }

    /// Moves a discussion from one status to another, with the commit when it is merged. The answer is false, and nothing
    /// is changed, when it is not there or has another status by now.
    pub async fn move_discussion(
        &mut self,
        key: RepoKey,
        num: u32,
        from: Status,
        to: Status,
        merge_commit: Option<&ObjectId>,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let _ = (key, num, from, to, merge_commit, at);
        todo!()
    }

    /// Writes when something in a discussion changed.
    pub async fn touch_discussion(
        &mut self,
        key: RepoKey,
        num: u32,
        at: Timestamp,
    ) -> Result<(), Error> {
        let _ = (key, num, at);
        todo!()
    }
}
