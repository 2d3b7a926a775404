use std::fmt;
use std::str::FromStr;

use assay_model::{ObjectId, RepoId, RepoKey, RepoKind, Timestamp};

use crate::{AccountId, Card, Repository};

/// Who looks, as far as private repositories go. Who may see what is decided by the caller; this is the outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Viewer {
    /// Whether they see everything.
    pub sees_all: bool,
    /// The accounts whose private repositories they see.
    pub accounts: Vec<AccountId>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Newest first.
    Created,
    /// Last changed first.
    Updated,
    /// By name, whatever its case.
    Name,
}

/// Which benchmarks to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BenchmarkFilter {
    /// Datasets with a valid definition.
    Any,
    /// Those among them that the operator has marked.
    Official,
}

/// Which repositories to list. Every condition must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// What they hold.
    pub kind: RepoKind,
    /// Their namespace, whatever its case.
    pub author: Option<String>,
    /// Texts that their ids contain, whatever their case.
    pub search: Vec<String>,
    /// Tags that their cards have, exactly.
    pub tags: Vec<String>,
    /// Whether they must be benchmarks.
    pub benchmark: Option<BenchmarkFilter>,
    /// Who looks.
    pub viewer: Viewer,
    /// The order.
    pub sort: Sort,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// The most that a page holds.
    pub limit: u32,
}

/// Where a page ended: the sort key of its last repository. Clients carry it about as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cursor {
    /// In a list by [`Sort::Created`].
    Created(Timestamp, RepoKey),
    /// In a list by [`Sort::Updated`].
    Updated(Timestamp, RepoKey),
    /// In a list by [`Sort::Name`].
    Name(RepoId),
}

/// The text is not a cursor that this store has made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the cursor is not one that this hub has made")]
pub struct CursorError;

/// A repository in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The repository.
    pub repository: Repository,
    /// What its card says, when it is indexed.
    pub card: Option<Card>,
    /// The commit of its main branch that is indexed.
    pub head: Option<ObjectId>,
    /// Whether it is a benchmark: its definition is valid.
    pub benchmark: bool,
    /// Whether the operator has marked it.
    pub official: bool,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// The repositories.
    pub items: Vec<Listed>,
    /// Where the next page begins, unless this is the last.
    pub next: Option<Cursor>,
}

impl Filter {
    /// Every public repository of a kind, newest first.
    pub fn new(kind: RepoKind, limit: u32) -> Self {
        Self {
            kind,
            author: None,
            search: Vec::new(),
            tags: Vec::new(),
            benchmark: None,
            viewer: Viewer::default(),
            sort: Sort::Created,
            after: None,
            limit,
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created(at, key) => write!(f, "c{}.{key}", at.millis()),
            Self::Updated(at, key) => write!(f, "u{}.{key}", at.millis()),
            Self::Name(name) => write!(f, "n{name}"),
        }
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let moment = |rest: &str| {
            let (millis, key) = rest.split_once('.')?;
            let millis = Timestamp::from_millis(millis.parse().ok()?);
            Some((millis, RepoKey(key.parse().ok()?)))
        };
        let name = |rest: &str| rest.parse::<RepoId>().ok();
        let cursor = match text.split_at_checked(1) {
            Some(("c", rest)) => moment(rest).map(|(at, key)| Self::Created(at, key)),
            Some(("u", rest)) => moment(rest).map(|(at, key)| Self::Updated(at, key)),
            Some(("n", rest)) => name(rest).map(Self::Name),
            _ => None,
        };
        cursor.ok_or(CursorError)
    }
}

questions! {
    /// One page of a list.
    fn repositories(filter: &Filter) -> Page;
    /// How many repositories a list has on all its pages.
    fn count_repositories(filter: &Filter) -> u64;
    /// One repository as lists show it.
    fn listed(key: RepoKey) -> Option<Listed>;
}
