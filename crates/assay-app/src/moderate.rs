//! Requests of pages beside those of the API: the namespaces of a caller, the changes of a commit,
//! and results that an operator takes off the boards.

use std::sync::Arc;

use assay_model::{ObjectId, RepoId, RepoKind, Role};
use assay_store::{AuditAction, AuditSubject};

use crate::access::Caller;
use crate::account::{Account, Membership};
use crate::diffs::DiffText;
use crate::error::Error;
use crate::file::{LastCommit, resolve};
use crate::index::touched_by;
use crate::repo_lookup::Repo;
use crate::services::AccountService;

/// A commit with what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitDetails {
    /// The commit.
    pub commit: LastCommit,
    /// The parents of the commit.
    pub parents: Vec<ObjectId>,
    /// The changes against the first parent, as text; none for a first commit.
    pub diff: Option<Arc<DiffText>>,
}

impl Caller {
    /// Returns whether the caller runs the hub and may do so in this way.
    pub fn runs_the_hub(&self) -> bool {
        self.check_operator().is_ok()
    }
}

impl AccountService<'_> {
    /// The organisations of the caller, with what they may do there.
    pub async fn memberships(self, caller: &Caller) -> Result<Vec<Membership>, Error> {
        let user = caller.signed_in()?;
        let organisations = self.hub.store.organisations_of(user.account).await?;
        Ok(organisations
            .into_iter()
            .map(|member| Membership {
                organisation: Account::of(member.account),
                role: member.role,
            })
            .collect())
    }

    /// The namespaces in which the caller may make repositories, their own first.
    pub async fn homes(self, caller: &Caller) -> Result<Vec<String>, Error> {
        let mut homes = vec![caller.signed_in()?.name.clone()];
        for membership in self.memberships(caller).await? {
            if membership.role >= Role::Contribute {
                homes.push(membership.organisation.name);
            }
        }
        Ok(homes)
    }

    /// A commit and what it changed.
    pub async fn commit_details(self, repo: &Repo, revision: &str) -> Result<CommitDetails, Error> {
        let revision = revision.to_owned();
        let commit = self
            .hub
            .with_git(repo.key, move |git| {
                let id = resolve(git, &revision)?;
                Ok(git.objects().commit(id)?)
            })
            .await?;
        let parents = commit.parents.clone();
        let diff = match parents.first() {
            Some(parent) => Some(
                self.hub
                    .repositories()
                    .diff_between(repo.key, *parent, commit.id)
                    .await?,
            ),
            None => None,
        };
        Ok(CommitDetails {
            commit: LastCommit::of(commit),
            parents,
            diff,
        })
    }

    /// Closes a repository to everyone but the operator, and takes its results off the boards; or
    /// opens it again.
    pub async fn set_disabled(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        disabled: bool,
    ) -> Result<(), Error> {
        caller.check_operator()?;
        let repo = self.hub.repo(caller, kind, id).await?;
        let _locked = self.hub.lock(repo.key).await?;
        let mut tx = self.hub.begin_as(caller).await?;
        let Some(repository) = tx.repository(repo.key).await? else {
            return Err(Error::NotFound(crate::error::Missing::Repo));
        };
        let mut settings = repository.settings;
        settings.disabled = disabled;
        tx.set_repository(repo.key, &settings).await?;
        let action = if disabled {
            AuditAction::RepoClosed
        } else {
            AuditAction::RepoOpened
        };
        self.hub
            .operations()
            .audit(&mut tx, caller, action, repo.audited())
            .await?;
        if disabled {
            self.hub.note_facts_before(&mut tx, repo.key).await?;
        }
        let touched = touched_by(&mut tx, repo.key, kind, &repo.id).await?;
        tx.commit().await?;
        self.hub.boards().touch(&touched);
        self.hub.note_facts(repo.key).await;
        Ok(())
    }

    /// Lets a user in again.
    pub async fn enable_account(self, caller: &Caller, name: &str) -> Result<(), Error> {
        caller.check_operator()?;
        let mut account = self.account_named(name).await?;
        account.disabled = false;
        let mut tx = self.hub.begin_as(caller).await?;
        tx.update_account(&account).await?;
        let subject = AuditSubject::account(&account.name);
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::AccountEnabled, subject)
            .await?;
        tx.commit().await?;
        self.hub.sessions.forget();
        Ok(())
    }
}
