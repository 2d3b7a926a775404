//! Copies of repositories under another name, with their history.

use std::collections::BTreeSet;
use std::sync::Arc;

use assay_git::{Expected, LargeFileId, RefChange, RefKind, RefName};
use assay_model::ObjectId;
use assay_store::{self as store, Sha256};

use crate::access::{Caller, Need};
use crate::error::{Error, Missing};
use crate::publish::{ChangeContext, PullEffect, publish};
use crate::purge::commits_behind;
use crate::repo_info::RepoInfo;
use crate::repo_lookup::Repo;
use crate::repository::{NewRepository, Visibility};
use crate::services::RepositoryService;

/// The branches, tags and large files that a copy gets.
struct Copied {
    refs: Vec<(RefName, ObjectId)>,
    large_files: BTreeSet<LargeFileId>,
}

impl RepositoryService<'_> {
    /// Makes a repository with the branches, tags and large files of another one that the caller
    /// can read. What is in it is validated as in a push. Discussions, pull requests and settings
    /// stay where they are, and the copy is as visible as its source unless `visibility` says
    /// otherwise.
    pub async fn duplicate_repository(
        self,
        caller: &Caller,
        source: &Repo,
        to: &assay_model::RepoId,
        visibility: Option<Visibility>,
    ) -> Result<RepoInfo, Error> {
        self.hub.check(caller, source, Need::Read).await?;
        let is_private = self.info(source.key, None).await?.private;
        let same = if is_private {
            Visibility::Private
        } else {
            Visibility::Public
        };
        let new = NewRepository {
            kind: source.kind,
            namespace: to.namespace().map(ToOwned::to_owned),
            name: to.name().to_owned(),
            visibility: visibility.unwrap_or(same),
            description: None,
        };
        let made = self.create_repository(caller, new).await?;
        let copy = self
            .hub
            .repo_for(caller, made.kind, &made.id, Need::Write)
            .await?;
        match self.copy_content(caller, source, &copy).await {
            Ok(()) => self.info(copy.key, None).await,
            Err(error) => {
                // Nobody asked for an empty one.
                let removed = self.remove_copy(caller, &copy).await;
                if let Err(left) = removed {
                    tracing::warn!(repo = %copy.id, error = %left, "a copy that failed stays, and is empty");
                }
                Err(error)
            }
        }
    }

    async fn copy_content(self, caller: &Caller, source: &Repo, copy: &Repo) -> Result<(), Error> {
        let copied = self
            .hub
            .with_git(source.key, |git| {
                let is_copied = |name: &RefName| match RefKind::of(name) {
                    RefKind::Branch | RefKind::Tag => true,
                    RefKind::Pull | RefKind::Other => false,
                };
                let refs = git.ref_values()?;
                let refs = refs.into_iter().filter(|(name, _)| is_copied(name));
                let leading = git.refs()?.into_iter();
                let leading = leading.filter(|reference| is_copied(&reference.name));
                let commits = commits_behind(git, leading.collect())?;
                let commits: Vec<ObjectId> = commits.into_iter().collect();
                Ok(Copied {
                    refs: refs.collect(),
                    large_files: git.objects().large_files_of(&commits)?,
                })
            })
            .await?;
        self.lend_large_files(caller, source, copy, &copied.large_files)
            .await?;
        let locked = self.hub.lock(copy.key).await?;
        let (git, from, to) = (Arc::clone(&self.hub.git), source.key, copy.key);
        let tips: Vec<ObjectId> = copied.refs.iter().map(|(_, value)| *value).collect();
        let (quarantine, first) = crate::hub::blocking(move || {
            let target = git.get(to)?;
            let quarantine = target.quarantine();
            quarantine.copy_from(&git.get(from)?, &tips)?;
            Ok((quarantine, target.ref_value(&RefName::main())?))
        })
        .await?;
        let moves = copied.refs.into_iter().map(|(name, value)| RefChange {
            expected: match first {
                Some(first) if name == RefName::main() => Expected::At(first),
                Some(_) | None => Expected::Absent,
            },
            name,
            new: Some(value),
        });
        let context = ChangeContext {
            actor: caller.signed_in()?,
            repo: copy,
            need: Need::Write,
            received_at: self.hub.now(),
        };
        let moves = moves.collect();
        publish(
            self.hub,
            &locked,
            context,
            quarantine,
            moves,
            PullEffect::None,
        )
        .await?;
        Ok(())
    }

    /// Records the large files of the source as uploads for the copy, which its commits then name.
    async fn lend_large_files(
        self,
        caller: &Caller,
        source: &Repo,
        copy: &Repo,
        named: &BTreeSet<LargeFileId>,
    ) -> Result<(), Error> {
        let mut files = Vec::new();
        for oid in named {
            let hash = Sha256::from_bytes(*oid.as_bytes());
            if let Some(size) = self.hub.store.large_object(source.key, &hash).await? {
                files.push((hash, size));
            }
        }
        let uploader = self.uploader(caller, copy).await?;
        let bytes = files.iter().map(|(_, size)| size).sum();
        self.hub.check_waiting(copy, uploader, bytes).await?;
        let mut tx = self.hub.begin_upload(copy.key, uploader).await?;
        for (oid, size) in files {
            // One that the source has lost since would be nobody's, and may be collected.
            if !tx.large_object_in_use(&oid).await? {
                return Err(Error::NotFound(Missing::Other(
                    "a large file was deleted while it was copied; try again".to_owned(),
                )));
            }
            tx.add_upload(&store::Upload {
                key: copy.key,
                oid,
                size,
                account: uploader.account,
                uploaded: self.hub.now(),
            })
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn remove_copy(self, caller: &Caller, copy: &Repo) -> Result<(), Error> {
        let id = copy.id().clone();
        self.delete_repository(caller, copy.kind(), &id).await
    }
}
