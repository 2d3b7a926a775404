use assay_model::{RepoKey, Timestamp};
use serde_json::Value as Json;

use crate::{AccountId, Author, Error, EventId, Tx};

/// What happened in a discussion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// Someone wrote.
    Comment,
    /// It was opened, closed, reopened or merged.
    StatusChange,
    /// A commit was added to a pull request.
    Commit,
    /// It was given another title.
    TitleChange,
}

/// Something that happened in a discussion.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What it is known by.
    pub id: EventId,
    /// The repository.
    pub key: RepoKey,
    /// The discussion.
    pub num: u32,
    /// Its place in the discussion, from 1.
    pub seq: u32,
    /// What happened.
    pub kind: EventKind,
    /// Who did it, unless that account is gone.
    pub author: Option<Author>,
    /// When.
    pub created: Timestamp,
    /// What the kind says about it.
    pub data: Json,
}

/// An event that is to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// What it will be known by.
    pub id: EventId,
    /// The repository.
    pub key: RepoKey,
    /// The discussion.
    pub num: u32,
    /// What happened.
    pub kind: EventKind,
    /// Who did it.
    pub author: Option<AccountId>,
    /// When.
    pub created: Timestamp,
    /// What the kind says about it.
    pub data: Json,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Comment,
        Self::StatusChange,
        Self::Commit,
        Self::TitleChange,
    ];

    /// The word for it, as clients read it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::StatusChange => "status-change",
            Self::Commit => "commit",
            Self::TitleChange => "title-change",
        }
    }
}

words!(
    EventKind,
    "`comment`, `status-change`, `commit` or `title-change`"
);

questions! {
    /// The events of a discussion, in the order in which they were added.
    fn events_of(key: RepoKey, num: u32) -> Vec<Event>;
    /// One event.
    fn event(id: &EventId) -> Option<Event>;
}

impl Tx {
    /// Adds an event at the end of its discussion. The answer is its place. [`Error::Taken`] when the id is in use,
    /// [`Error::Related`] when there is no such discussion.
    pub async fn add_event(&mut self, new: &NewEvent) -> Result<u32, Error> {
        let _ = new;
        todo!()
    }

    /// Writes what an event says anew, as when a comment is edited or hidden. The answer is whether it exists.
    pub async fn set_event(&mut self, id: &EventId, data: &Json) -> Result<bool, Error> {
        let _ = (id, data);
        todo!()
    }
}
