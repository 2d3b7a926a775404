use assay_model::RepoKind;

use crate::repository::RepoInfo;

/// Which repositories to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// What they hold.
    pub kind: RepoKind,
    /// The namespace.
    pub author: Option<String>,
    /// Parts of the name, all of them.
    pub search: Vec<String>,
    /// Tags, all of them.
    pub tags: Vec<String>,
    /// The order.
    pub sort: ListSort,
    /// How many at most.
    pub limit: Option<usize>,
    /// Where the last page ended.
    pub cursor: Option<String>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum ListSort {
    /// Newest first.
    #[default]
    Created,
    /// Last changed first.
    Updated,
    /// By name.
    Name,
}

/// Some repositories.
#[derive(Debug, Clone)]
pub struct ListPage {
    /// The repositories.
    pub repositories: Vec<RepoInfo>,
    /// Where this page ends, when there are more.
    pub next: Option<String>,
}
