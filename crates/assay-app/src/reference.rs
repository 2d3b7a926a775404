use std::collections::BTreeMap;

use assay_git::{CommitPlan, Expected, Quarantine, RefChange, RefKind, RefName, TagPlan};
use assay_model::ObjectId;

use crate::access::{Caller, Need};
use crate::commit::{message_of, signature};
use crate::error::{Denied, Error, Existing, Limit, Missing};
use crate::lock::Locked;
use crate::publish::{ChangeContext, PullEffect, publish};
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// The longest message of a tag, in bytes.
const MAX_TAG_MESSAGE: usize = 60 << 10;

/// The refs of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RefList {
    /// Branches.
    pub branches: Vec<RefInfo>,
    /// Tags.
    pub tags: Vec<RefInfo>,
    /// Pull requests.
    pub pulls: Vec<RefInfo>,
}

/// One ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefInfo {
    /// Its short name.
    pub name: String,
    /// Its full name.
    pub full: String,
    /// The commit it names.
    pub target: ObjectId,
    /// The message of a tag, when it has one.
    pub message: Option<String>,
}

impl RepositoryService<'_> {
    /// Branches, tags and pull requests.
    pub async fn refs(self, repo: &Repo) -> Result<RefList, Error> {
        self.hub
            .with_git(repo.key, |git| {
                let mut list = RefList::default();
                let objects = git.objects();
                let values: BTreeMap<RefName, ObjectId> = git.ref_values()?.into_iter().collect();
                for reference in git.refs()? {
                    let value = values.get(&reference.name).copied();
                    let message = match value.filter(|value| *value != reference.target) {
                        Some(tag) => objects.tag_message(tag)?,
                        None => None,
                    };
                    let full = reference.name.as_str().to_owned();
                    let (list, name) = match reference.kind {
                        RefKind::Branch => (&mut list.branches, reference.name.as_branch()),
                        RefKind::Tag => (&mut list.tags, reference.name.as_tag()),
                        RefKind::Pull => (&mut list.pulls, full.strip_prefix("refs/pr/")),
                        RefKind::Other => continue,
                    };
                    list.push(RefInfo {
                        name: name.unwrap_or(&full).to_owned(),
                        full: full.clone(),
                        target: reference.target,
                        message: message.filter(|message| !message.is_empty()),
                    });
                }
                Ok(list)
            })
            .await
    }

    /// Makes a branch.
    pub async fn create_branch(
        self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
        start: Option<&str>,
    ) -> Result<(), Error> {
        let name = RefName::branch(name)
            .and_then(|name| name.check_new().map(|()| name))
            .map_err(|error| Error::Invalid(error.to_string()))?;
        self.create_ref(caller, repo, name, start.unwrap_or("main"))
            .await
    }

    /// Deletes a branch; never `main`.
    pub async fn delete_branch(
        self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
    ) -> Result<(), Error> {
        let full = RefName::branch(name).map_err(|error| Error::Invalid(error.to_string()))?;
        if full == RefName::main() {
            return Err(Error::Denied(Denied::MainStays));
        }
        self.delete_ref(caller, repo, full, name).await
    }

    /// Replaces the history of a branch by one commit with the same files; never that of `main`.
    pub async fn squash_branch(
        self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
        message: &str,
    ) -> Result<(), Error> {
        let full = RefName::branch(name).map_err(|error| Error::Invalid(error.to_string()))?;
        self.hub.check(caller, repo, Need::Write).await?;
        if full == RefName::main() {
            return Err(Error::Denied(Denied::MainHistoryStays));
        }
        let message = message_of(message, "")?;
        let actor = caller.signed_in()?;
        let locked = self.hub.lock(repo.key).await?;
        let head = self.value_of_ref(repo, &full, name).await?;
        let author = signature(Some(actor), self.hub.now());
        let plan = CommitPlan {
            parents: Vec::new(),
            base: Some(head),
            operations: Vec::new(),
            message,
            committer: author.clone(),
            author,
        };
        let (quarantine, squashed) = self
            .hub
            .with_git(repo.key, move |git| {
                let quarantine = git.quarantine();
                let squashed = quarantine.write(&plan)?;
                Ok((quarantine, squashed))
            })
            .await?;
        let change = RefChange {
            name: full,
            expected: Expected::At(head),
            new: Some(squashed),
        };
        self.publish_ref(&locked, caller, repo, quarantine, change)
            .await
    }

    /// Makes a tag, with a message or without.
    pub async fn create_tag(
        self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
        revision: &str,
        message: Option<&str>,
    ) -> Result<(), Error> {
        let full = RefName::tag(name)
            .and_then(|full| full.check_new().map(|()| full))
            .map_err(|error| Error::Invalid(error.to_string()))?;
        let Some(message) = message else {
            return self.create_ref(caller, repo, full, revision).await;
        };
        self.hub.check(caller, repo, Need::Write).await?;
        if message.len() > MAX_TAG_MESSAGE {
            return Err(Error::TooLarge(Limit::TagMessage {
                most: MAX_TAG_MESSAGE,
            }));
        }
        let actor = caller.signed_in()?;
        let locked = self.hub.lock(repo.key).await?;
        let plan = TagPlan {
            name: name.to_owned(),
            target: self.resolve(repo, revision).await?,
            message: message.to_owned(),
            tagger: signature(Some(actor), self.hub.now()),
        };
        let (quarantine, tag) = self
            .hub
            .with_git(repo.key, move |git| {
                let quarantine = git.quarantine();
                let tag = quarantine.write_tag(&plan)?;
                Ok((quarantine, tag))
            })
            .await?;
        let taken = Error::Exists(Existing::Ref(full.clone()));
        let change = RefChange {
            name: full,
            expected: Expected::Absent,
            new: Some(tag),
        };
        match self
            .publish_ref(&locked, caller, repo, quarantine, change)
            .await
        {
            Err(Error::Stale) => Err(taken),
            result => result,
        }
    }

    /// Deletes a tag.
    pub async fn delete_tag(self, caller: &Caller, repo: &Repo, name: &str) -> Result<(), Error> {
        let full = RefName::tag(name).map_err(|error| Error::Invalid(error.to_string()))?;
        self.delete_ref(caller, repo, full, name).await
    }

    async fn create_ref(
        self,
        caller: &Caller,
        repo: &Repo,
        name: RefName,
        revision: &str,
    ) -> Result<(), Error> {
        self.hub.check(caller, repo, Need::Write).await?;
        let locked = self.hub.lock(repo.key).await?;
        let target = self.resolve(repo, revision).await?;
        let taken = Error::Exists(Existing::Ref(name.clone()));
        let change = RefChange {
            name,
            expected: Expected::Absent,
            new: Some(target),
        };
        match self.move_ref(&locked, caller, repo, change).await {
            Err(Error::Stale) => Err(taken),
            result => result,
        }
    }

    async fn delete_ref(
        self,
        caller: &Caller,
        repo: &Repo,
        full: RefName,
        name: &str,
    ) -> Result<(), Error> {
        self.hub.check(caller, repo, Need::Write).await?;
        let locked = self.hub.lock(repo.key).await?;
        let value = self.value_of_ref(repo, &full, name).await?;
        let change = RefChange {
            name: full,
            expected: Expected::At(value),
            new: None,
        };
        self.move_ref(&locked, caller, repo, change).await
    }

    /// Returns the object that a ref points to. `name` is what the caller called it.
    async fn value_of_ref(
        self,
        repo: &Repo,
        full: &RefName,
        name: &str,
    ) -> Result<ObjectId, Error> {
        let wanted = full.clone();
        self.hub
            .with_git(repo.key, move |git| Ok(git.ref_value(&wanted)?))
            .await?
            .ok_or_else(|| Error::NotFound(Missing::Revision(name.to_owned())))
    }

    async fn move_ref(
        self,
        locked: &Locked,
        caller: &Caller,
        repo: &Repo,
        change: RefChange,
    ) -> Result<(), Error> {
        let quarantine = self
            .hub
            .with_git(repo.key, |git| Ok(git.quarantine()))
            .await?;
        self.publish_ref(locked, caller, repo, quarantine, change)
            .await
    }

    /// Moves one ref to what is in quarantine, or to what is there already.
    async fn publish_ref(
        self,
        locked: &Locked,
        caller: &Caller,
        repo: &Repo,
        quarantine: Quarantine,
        change: RefChange,
    ) -> Result<(), Error> {
        let context = ChangeContext {
            actor: caller.signed_in()?,
            repo,
            need: Need::Write,
            received_at: self.hub.now(),
        };
        publish(
            self.hub,
            locked,
            context,
            quarantine,
            vec![change],
            PullEffect::None,
        )
        .await?;
        Ok(())
    }
}
