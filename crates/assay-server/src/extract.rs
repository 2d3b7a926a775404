//! What handlers ask for. Text becomes a type here; a name that cannot exist is not found, with no query.

mod base;
mod body;
mod caller;
mod flag;
mod query;
mod repo;
mod segments;
mod whence;

pub(crate) use base::Base;
pub(crate) use body::{JsonBody, OptionalJson, paths_info};
pub(crate) use caller::Asker;
pub(crate) use flag::Flag;
pub(crate) use query::Query;
pub(crate) use repo::RepoName;
pub(crate) use segments::Segments;
pub(crate) use whence::Whence;
