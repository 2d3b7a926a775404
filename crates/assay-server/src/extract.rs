//! Extractors of handlers. Text becomes a type here; a name that cannot exist is not found, with no
//! query.

mod base;
mod body;
mod caller;
mod lenient_bool;
mod path_params;
mod query;
mod rate_limit_key;
mod repo;

pub(crate) use base::Base;
pub(crate) use body::{JsonBody, OptionalJson, paths_info};
pub(crate) use caller::CallerExt;
pub(crate) use lenient_bool::LenientBool;
pub(crate) use path_params::PathParams;
pub(crate) use query::Query;
pub(crate) use rate_limit_key::RateLimitKey;
pub(crate) use repo::{PageRepo, RepoName};
