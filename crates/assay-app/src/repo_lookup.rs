//! The one door to a repository.

use assay_model::{RepoId, RepoKey, RepoKind};
use assay_store::{self as store, AccountId, AuditSubject};

use crate::access::{self, Caller, CallerKind, Need, Relation, Subject};
use crate::error::{Error, Missing};
use crate::hub::Hub;
use crate::services::RepositoryService;

/// The number that no account has.
const NOBODY: AccountId = AccountId(0);

/// Refs that a pull request has, or that a client names to open one.
const PULL_REFS: [&str; 2] = ["refs/pr/", "refs/for/"];

/// A repository that the caller sees: to have one is to have been let in. What else the caller may
/// do with it is decided by the method that does it.
#[derive(Debug, Clone)]
pub struct Repo {
    pub(crate) key: RepoKey,
    pub(crate) kind: RepoKind,
    pub(crate) id: RepoId,
    pub(crate) private: bool,
    pub(crate) owner: AccountId,
    pub(crate) creator: Option<AccountId>,
    pub(crate) disabled: bool,
}

impl Repo {
    fn of(repository: store::Repository) -> Self {
        Self {
            key: repository.key,
            kind: repository.kind,
            id: repository.id,
            private: repository.settings.private,
            owner: repository.owner,
            creator: repository.creator,
            disabled: repository.settings.disabled,
        }
    }

    /// Returns the kind of the repository.
    pub fn kind(&self) -> RepoKind {
        self.kind
    }

    /// Its name, as its owner spells it.
    pub fn id(&self) -> &RepoId {
        &self.id
    }

    /// The repository as the audit log names it.
    pub(crate) fn audited(&self) -> AuditSubject {
        AuditSubject::repo(self.kind, &self.id, self.key)
    }

    /// Returns whether only some may see it.
    pub fn is_private(&self) -> bool {
        self.private
    }
}

/// The rights of a caller in a repository that they see, for pages that offer acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepoPermissions {
    /// May change its branches and tags, and merge.
    pub writes: bool,
    /// May rename or delete it, and change its settings.
    pub manages: bool,
}

impl RepositoryService<'_> {
    /// Opens a repository for someone who is going to send files: to the revision that is named, or
    /// to a pull request when none is. It refuses strangers before their upload; whether the change
    /// itself may be made is decided when it is made.
    pub async fn open_for_upload(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        revision: Option<&str>,
    ) -> Result<Repo, Error> {
        let is_of_pull = |name: &str| PULL_REFS.iter().any(|start| name.starts_with(start));
        let need = match revision {
            Some(name) if !is_of_pull(name) => Need::Write,
            Some(_) | None => Need::Discuss,
        };
        self.hub.repo_for(caller, kind, id, need).await
    }

    /// Opens a repository for those who may change its branches.
    pub async fn open_to_write(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
    ) -> Result<Repo, Error> {
        self.hub.repo_for(caller, kind, id, Need::Write).await
    }

    /// Opens a repository for those who may change its settings.
    pub async fn open_to_manage(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
    ) -> Result<Repo, Error> {
        self.hub.repo_for(caller, kind, id, Need::Admin).await
    }

    /// Returns what a caller may do with a repository that they see.
    pub async fn permissions(self, caller: &Caller, repo: &Repo) -> RepoPermissions {
        let may = async |need| self.hub.check(caller, repo, need).await.is_ok();
        RepoPermissions {
            writes: may(Need::Write).await,
            manages: may(Need::Admin).await,
        }
    }
}

impl Hub {
    /// Opens a repository that the caller sees. An invisible one is missing, a renamed one is
    /// `Moved`.
    pub async fn repo(&self, caller: &Caller, kind: RepoKind, id: &RepoId) -> Result<Repo, Error> {
        self.repo_for(caller, kind, id, Need::Read).await
    }

    /// Lets a caller in, or not: the one door to a repository.
    pub(crate) async fn repo_for(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        need: Need,
    ) -> Result<Repo, Error> {
        let looked_up = self.store.look_up_repository(kind, id).await?;
        let Some(looked_up) = looked_up else {
            return Err(Error::NotFound(Missing::Repo));
        };
        let found = looked_up.found;
        let mut repo = Repo::of(found.repository);
        if looked_up.is_stand_in {
            // What does not exist takes the way of what may not be seen, so that the time does not
            // tell the two apart.
            repo.private = true;
            repo.owner = NOBODY;
            self.check(caller, &repo, Need::Read).await.ok();
            return Err(Error::NotFound(Missing::Repo));
        }
        if found.moved {
            self.check(caller, &repo, Need::Read).await?;
            return Err(Error::Moved { kind, to: repo.id });
        }
        self.check(caller, &repo, need).await?;
        Ok(repo)
    }

    /// Returns whether a caller who was let in may do more.
    pub(crate) async fn check(
        &self,
        caller: &Caller,
        repo: &Repo,
        need: Need,
    ) -> Result<(), Error> {
        let is_open = !repo.private && !repo.disabled && need == Need::Read;
        let relation = if is_open {
            Relation::Stranger
        } else {
            self.relation(caller, repo.owner).await?
        };
        let subject = Subject {
            id: &repo.id,
            private: repo.private,
            disabled: repo.disabled,
            relation,
            created: is_creator(caller, repo),
        };
        access::decide(caller, &subject, need).into_result()
    }

    /// Returns the relation of a caller to a namespace.
    pub(crate) async fn relation(
        &self,
        caller: &Caller,
        owner: AccountId,
    ) -> Result<Relation, Error> {
        let user = match &caller.inner {
            CallerKind::User(user) => user,
            CallerKind::Anonymous | CallerKind::Shell => return Ok(Relation::Stranger),
        };
        if user.account == owner {
            return Ok(Relation::Owner);
        }
        let role = self.store.role_in(owner, user.account).await?;
        Ok(role.map_or(Relation::Stranger, Relation::Member))
    }
}

fn is_creator(caller: &Caller, repo: &Repo) -> bool {
    match &caller.inner {
        CallerKind::User(user) => repo.creator == Some(user.account),
        CallerKind::Anonymous | CallerKind::Shell => false,
    }
}
