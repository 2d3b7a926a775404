use assay_app::{Caller, Need, Repo};
use assay_model::{RepoId, RepoKind};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;

use super::PathParams;
use crate::error::Failure;
use crate::state::AppState;

/// The repository that a path names: its kind from where the route hangs, its name from `{namespace}/{name}`, with or
/// without `.git`. A name that no repository can have is not found, with no query.
#[derive(Debug, Clone)]
pub(crate) struct RepoName {
    /// What it holds.
    pub(crate) kind: RepoKind,
    /// Its name, as the client spells it.
    pub(crate) id: RepoId,
}

#[derive(Deserialize)]
struct RepoParams {
    namespace: String,
    name: String,
}

/// The repository that the path of a page names by `{namespace}/{name}`, whatever it holds. A name that no repository can
/// have is not found, with no query.
#[derive(Debug, Clone)]
pub(crate) struct PageRepo(pub(crate) RepoId);

impl FromRequestParts<AppState> for PageRepo {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let PathParams(RepoParams { namespace, name }) =
            PathParams::<RepoParams>::from_request_parts(parts, state).await?;
        let id = format!("{namespace}/{name}").parse();
        id.map(Self).map_err(|_| Failure::no_repo())
    }
}

impl RepoName {
    /// Lets a caller in, or not.
    pub(crate) async fn open(
        &self,
        state: &AppState,
        caller: &Caller,
        need: Need,
    ) -> Result<Repo, Failure> {
        Ok(state.hub.repo(caller, self.kind, &self.id, need).await?)
    }
}

impl FromRequestParts<AppState> for RepoName {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Failure> {
        let kind = parts.extensions.get::<RepoKind>().copied();
        let kind = kind.ok_or_else(Failure::no_route)?;
        let PathParams(RepoParams { namespace, name }) =
            PathParams::<RepoParams>::from_request_parts(parts, state).await?;
        let name = name.strip_suffix(".git").unwrap_or(&name);
        let id = format!("{namespace}/{name}")
            .parse()
            .map_err(|_| Failure::no_repo())?;
        Ok(Self { kind, id })
    }
}
