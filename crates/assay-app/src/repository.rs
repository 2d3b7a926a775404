use std::sync::Arc;

use assay_git::CommitPlan;
use assay_model::{RepoId, RepoKey, RepoKind, Timestamp};
use assay_store::{self as store, AccountId, AuditAction, AuditSubject};

use crate::access::{self, Caller, Need, Relation};
use crate::commit;
use crate::error::{Denied, Error, Existing, Missing};
use crate::hub::blocking;
use crate::index::touched_by;
use crate::name;
use crate::repo_info::RepoInfo;
use crate::services::RepositoryService;
use crate::unrecorded;

/// The longest description of a repository, in bytes.
const DESCRIPTION_BYTES: usize = 4_096;

/// The visibility of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone.
    Public,
    /// Its owner, the members of its organisation and the operator.
    Private,
}

/// A repository to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRepository {
    /// The kind of the repository.
    pub kind: RepoKind,
    /// The namespace; the caller's own when absent.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The visibility of the repository.
    pub visibility: Visibility,
    /// The new description in a sentence.
    pub description: Option<String>,
}

/// The changes of the settings of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The new visibility.
    pub visibility: Option<Visibility>,
    /// The new description in a sentence.
    pub description: Option<String>,
}

impl RepositoryService<'_> {
    /// Makes a repository with a first commit on `main`.
    pub async fn create_repository(
        self,
        caller: &Caller,
        new: NewRepository,
    ) -> Result<RepoInfo, Error> {
        if let Ok(actor) = caller.signed_in() {
            self.hub.count_write(actor)?;
        }
        let namespace = match &new.namespace {
            Some(namespace) => namespace.clone(),
            None => caller.signed_in()?.name.clone(),
        };
        let owner = self.hub.store.account_named(&namespace).await?;
        // The namespace is spelled as its account is.
        let namespace = owner.as_ref().map_or(&*namespace, |owner| &*owner.name);
        let id = name::repository(namespace, &new.name)?;
        let owner = self
            .check_creation(caller, owner.as_ref().map(|owner| owner.id), &id)
            .await?;
        let settings = store::Settings {
            private: new.visibility == Visibility::Private,
            description: checked_description(new.description)?,
            ..store::Settings::default()
        };
        let new = store::NewRepository {
            kind: new.kind,
            id,
            owner,
            creator: caller.signed_in().ok().map(|user| user.account),
            created: self.hub.now(),
            settings,
        };
        let key = self.add_repository(caller, &new).await?;
        self.info(key, None).await
    }

    /// The account that a new repository will belong to, if the caller may make it there.
    async fn check_creation(
        self,
        caller: &Caller,
        owner: Option<AccountId>,
        id: &RepoId,
    ) -> Result<AccountId, Error> {
        // A namespace that does not exist is refused as one that is somebody else's is.
        let relation = match owner {
            Some(owner) => self.hub.relation(caller, owner).await?,
            None => Relation::Stranger,
        };
        access::decide_creation(caller, relation, id).into_result()?;
        let owner = owner.ok_or_else(|| {
            let namespace = id.namespace().unwrap_or_default();
            Error::NotFound(Missing::Other(format!("there is no account `{namespace}`")))
        })?;
        let limit = self.hub.config.limits.repositories;
        if self.hub.store.repositories_owned(owner).await? >= limit {
            return Err(Error::Denied(Denied::RepositoryLimit { most: limit }));
        }
        Ok(owner)
    }

    async fn add_repository(
        self,
        caller: &Caller,
        new: &store::NewRepository,
    ) -> Result<RepoKey, Error> {
        let plan = first_commit(caller, new.created);
        let mut tx = self.hub.begin_as(caller).await?;
        let key = tx.add_repository(new).await.map_err(|error| match error {
            store::Error::Taken { .. } => taken(new.kind, &new.id),
            other => other.into(),
        })?;
        let facts = self.hub.facts_in(&mut tx, key).await?.to_json()?;
        let (git, now) = (Arc::clone(&self.hub.git), new.created);
        blocking(move || {
            // A transaction that was rolled back gave its key back, and an older database gives one
            // that it gave before.
            unrecorded::make_room(&git, key, now)?;
            git.begin_creation(key, &plan, &facts)?;
            Ok(())
        })
        .await?;
        let subject =
            AuditSubject::repo(new.kind, &new.id, key).with(visibility_word(new.settings.private));
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::RepoCreated, subject)
            .await?;
        tx.commit().await?;
        let locked = self.hub.lock(key).await?;
        if let Err(error) = self.hub.index_repository(key, None).await {
            drop(locked);
            self.hub.catch_up_later(key);
            return Err(error);
        }
        self.finish_in_git(key).await;
        Ok(key)
    }

    /// Takes the mark of an unfinished creation or deletion away. One that stays is taken away at
    /// the next start.
    async fn finish_in_git(self, key: RepoKey) {
        let git = Arc::clone(&self.hub.git);
        if let Err(error) = blocking(move || Ok(git.finish(key)?)).await {
            tracing::warn!(%key, ?error, "repository {key} stays marked until the next start");
        }
    }

    /// Deletes a repository.
    pub async fn delete_repository(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
    ) -> Result<(), Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Admin).await?;
        let _locked = self.hub.lock(repo.key).await?;
        let mut tx = self.hub.begin_change(caller, repo.key, Need::Admin).await?;
        let touched = touched_by(&mut tx, repo.key, kind, &repo.id).await?;
        if !tx.remove_repository(repo.key).await? {
            return Err(Error::NotFound(Missing::Repo));
        }
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::RepoDeleted, repo.audited())
            .await?;
        // From here on, a directory without a record is one that somebody wanted to be gone.
        let git = Arc::clone(&self.hub.git);
        blocking(move || match git.begin_deletion(repo.key) {
            Ok(()) | Err(assay_git::Error::NoRepository(_)) => Ok(()),
            Err(error) => Err(error.into()),
        })
        .await?;
        if let Err(error) = tx.commit().await {
            // Who did not answer may still have committed.
            if let Ok(Some(_)) = self.hub.store.repository(repo.key).await {
                self.finish_in_git(repo.key).await;
            }
            return Err(error.into());
        }
        self.hub.boards().touch(&touched);
        let git = Arc::clone(&self.hub.git);
        blocking(move || unrecorded::delete(&git, repo.key)).await
    }

    /// Renames a repository; the old name leads to it until someone takes that name.
    pub async fn move_repository(
        self,
        caller: &Caller,
        kind: RepoKind,
        from: &RepoId,
        to: &RepoId,
    ) -> Result<(), Error> {
        let repo = self.hub.repo_for(caller, kind, from, Need::Admin).await?;
        let Some(namespace) = to.namespace() else {
            return Err(Error::Invalid(format!("`{to}` has no namespace")));
        };
        let owner = self.hub.store.account_named(namespace).await?;
        let namespace = owner.as_ref().map_or(namespace, |owner| &*owner.name);
        let to = name::repository(namespace, to.name())?;
        let owner = owner.as_ref().map(|owner| owner.id);
        // Whoever may rename a repository where it is may do so; to another namespace, they must be
        // welcome there.
        let owner = if owner == Some(repo.owner) {
            repo.owner
        } else {
            self.check_creation(caller, owner, &to).await?
        };
        let _locked = self.hub.lock(repo.key).await?;
        let mut tx = self.hub.begin_change(caller, repo.key, Need::Admin).await?;
        let mut touched = touched_by(&mut tx, repo.key, kind, &repo.id).await?;
        let is_renamed = tx
            .rename_repository(repo.key, &to, owner, self.hub.now())
            .await
            .map_err(|error| match error {
                store::Error::Taken { .. } => taken(kind, &to),
                other => other.into(),
            })?;
        if !is_renamed {
            return Err(Error::NotFound(Missing::Repo));
        }
        // A token that is bound stays so, and one that names the new name may now be told from one
        // that does not.
        touched.merge(
            self.hub
                .trust
                .recompute_all_standings(&mut tx, Some(repo.key))
                .await?,
        );
        touched.merge(touched_by(&mut tx, repo.key, kind, &to).await?);
        let action = if owner == repo.owner {
            AuditAction::RepoRenamed
        } else {
            AuditAction::RepoMoved
        };
        let subject = repo.audited().with(format!("to {to}"));
        self.hub
            .operations()
            .audit(&mut tx, caller, action, subject)
            .await?;
        tx.commit().await?;
        self.hub.boards().touch(&touched);
        self.hub.note_facts(repo.key).await;
        Ok(())
    }

    /// Changes visibility or description.
    pub async fn change_settings(
        self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        settings: Settings,
    ) -> Result<RepoInfo, Error> {
        let repo = self.hub.repo_for(caller, kind, id, Need::Admin).await?;
        let description = checked_description(settings.description)?;
        let _locked = self.hub.lock(repo.key).await?;
        let mut tx = self.hub.begin_change(caller, repo.key, Need::Admin).await?;
        let Some(repository) = tx.repository(repo.key).await? else {
            return Err(Error::NotFound(Missing::Repo));
        };
        let mut own = repository.settings;
        let was_private = own.private;
        if let Some(visibility) = settings.visibility {
            own.private = visibility == Visibility::Private;
        }
        if own.private != was_private {
            let subject = repo.audited().with(visibility_word(own.private));
            self.hub
                .operations()
                .audit(&mut tx, caller, AuditAction::RepoVisibilityChanged, subject)
                .await?;
        }
        if description.is_some() {
            own.description = description;
        }
        tx.set_repository(repo.key, &own).await?;
        if own.private {
            self.hub.note_facts_before(&mut tx, repo.key).await?;
        }
        let touched = touched_by(&mut tx, repo.key, kind, &repo.id).await?;
        tx.commit().await?;
        self.hub.boards().touch(&touched);
        self.hub.note_facts(repo.key).await;
        self.info(repo.key, None).await
    }
}

/// The commit that every repository begins with. It has no files: a `.gitattributes` that nobody
/// asked for would turn files into pointers in the hands of those who use git-lfs.
fn first_commit(caller: &Caller, when: Timestamp) -> CommitPlan {
    let author = commit::signature(caller.signed_in().ok(), when);
    CommitPlan {
        parents: Vec::new(),
        base: None,
        operations: Vec::new(),
        message: "initial commit".to_owned(),
        committer: author.clone(),
        author,
    }
}

/// The visibility of a repository in the words of the audit log.
fn visibility_word(is_private: bool) -> &'static str {
    if is_private { "private" } else { "public" }
}

fn taken(kind: RepoKind, id: &RepoId) -> Error {
    Error::Exists(Existing::Repo {
        kind,
        id: id.clone(),
    })
}

fn checked_description(description: Option<String>) -> Result<Option<String>, Error> {
    match description {
        Some(text) if text.len() > DESCRIPTION_BYTES => Err(Error::Invalid(format!(
            "a description has at most {DESCRIPTION_BYTES} bytes"
        ))),
        description => Ok(description),
    }
}
