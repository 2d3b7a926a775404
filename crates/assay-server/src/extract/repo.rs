use assay_app::{Caller, Repo};
use assay_model::{RepoId, RepoKind};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Deserialize;

use super::PathParams;
use crate::error::Failure;
use crate::state::AppState;

/// The repository that a path names: its kind from where the route hangs, its name from
/// `{namespace}/{name}`, with or without `.git`. A name that no repository can have is not found,
/// with no query.
#[derive(Debug, Clone)]
pub(crate) struct RepoName {
    /// The kind of the repository.
    pub(crate) kind: RepoKind,
    /// Its name, as the client spells it.
    pub(crate) id: RepoId,
}

#[derive(Deserialize)]
struct RepoParams {
    namespace: String,
    name: String,
}

/// The repository that the path of a page names by `{namespace}/{name}`, whatever it holds. A name
/// that no repository can have is not found, with no query.
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
    /// Opens the repository for a caller who sees it.
    pub(crate) async fn open(&self, state: &AppState, caller: &Caller) -> Result<Repo, Failure> {
        Ok(state.hub.repo(caller, self.kind, &self.id).await?)
    }

    /// Opens the repository for a caller who is going to send files to a revision, or to a pull
    /// request when none is named.
    pub(crate) async fn open_for_upload(
        &self,
        state: &AppState,
        caller: &Caller,
        revision: Option<&str>,
    ) -> Result<Repo, Failure> {
        let repositories = state.hub.repositories();
        let opened = repositories.open_for_upload(caller, self.kind, &self.id, revision);
        Ok(opened.await?)
    }

    /// Opens the repository for a caller who may change its settings.
    pub(crate) async fn open_to_manage(
        &self,
        state: &AppState,
        caller: &Caller,
    ) -> Result<Repo, Failure> {
        let repositories = state.hub.repositories();
        let opened = repositories.open_to_manage(caller, self.kind, &self.id);
        Ok(opened.await?)
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
