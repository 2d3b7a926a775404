//! The head of every page of a repository.

use assay_app::Repo;
use assay_model::{RepoId, RepoKind};

use super::{Visitor, links};
use crate::error::Failure;
use crate::extract::RepoName;
use crate::state::AppState;

/// The name of a repository and the way to its other pages.
#[derive(Debug, Clone)]
pub(crate) struct RepoHead {
    /// The kind of the repository.
    pub(crate) kind: RepoKind,
    /// Its name.
    pub(crate) id: RepoId,
    /// The account in whose namespace it is.
    pub(crate) owner: String,
    /// True if only some may see it.
    pub(crate) private: bool,
    /// True if the visitor may change it.
    pub(crate) writes: bool,
    /// True if the visitor may change its settings.
    pub(crate) manages: bool,
    here: Tab,
}

/// The pages of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    /// The results of a model, or the leaderboards of a benchmark.
    Front,
    /// Its files and their history.
    Files,
    /// Pull requests and discussions.
    Discussions,
    /// Settings.
    Settings,
}

impl RepoHead {
    /// The top of a page of a repository that the visitor may see.
    pub(crate) async fn of(
        state: &AppState,
        visitor: &Visitor,
        repo: &Repo,
        here: Tab,
    ) -> Result<Self, Failure> {
        let repositories = state.hub.repositories();
        let permissions = repositories.permissions(&visitor.caller, repo).await;
        Ok(Self {
            kind: repo.kind(),
            id: repo.id().clone(),
            owner: repo.id().namespace().unwrap_or_default().to_owned(),
            private: repo.is_private(),
            writes: permissions.writes,
            manages: permissions.manages,
            here,
        })
    }

    /// The address of its first page.
    pub(crate) fn front(&self) -> String {
        links::repo(self.kind, &self.id)
    }

    /// Returns the links of the tabs: address, name, and whether this page is it.
    pub(crate) fn tabs(&self) -> Vec<(String, &'static str, bool)> {
        let front = self.front();
        let first = match self.kind {
            RepoKind::Model => "Results",
            RepoKind::Dataset => "Leaderboards",
        };
        let mut tabs = vec![
            (front.clone(), first, self.here == Tab::Front),
            (
                format!("{front}/tree/main"),
                "Files",
                self.here == Tab::Files,
            ),
            (
                format!("{front}/discussions"),
                "Pull requests",
                self.here == Tab::Discussions,
            ),
        ];
        if self.manages {
            tabs.push((
                format!("{front}/settings"),
                "Settings",
                self.here == Tab::Settings,
            ));
        }
        tabs
    }
}

/// Opens the repository that an address names, for a visitor who may see it.
pub(crate) async fn open(
    state: &AppState,
    visitor: &Visitor,
    name: &RepoName,
) -> Result<Repo, Failure> {
    name.open(state, &visitor.caller).await
}
