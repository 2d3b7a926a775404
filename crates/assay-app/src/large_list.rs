//! The large files of a repository, for those who want to know what takes the space.

use std::collections::BTreeSet;

use assay_git::LargeFileId;
use assay_model::{ObjectId, Timestamp};
use assay_store::Sha256;

use crate::access::{Caller, Need};
use crate::error::{Conflict, Error, Limit, Missing};
use crate::large::parse_oid;
use crate::purge::commits_behind;
use crate::repo_lookup::Repo;
use crate::services::RepositoryService;

/// The most large files that are deleted at once.
const MAX_DELETED: usize = 1000;

/// A large file of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LargeFileFacts {
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Its size.
    pub size: u64,
    /// A path that it has, or had in the past; none when no commit names it.
    pub path: Option<String>,
    /// Time at which the last commit was made that names it.
    pub named: Option<Timestamp>,
}

impl RepositoryService<'_> {
    /// Lists the large files of a repository, with what commits call them. For those who may write.
    pub async fn large_files(
        self,
        caller: &Caller,
        repo: &Repo,
    ) -> Result<Vec<LargeFileFacts>, Error> {
        self.hub.check(caller, repo, Need::Write).await?;
        let held = self.hub.store.large_objects(repo.key).await?;
        let named = self
            .hub
            .with_git(repo.key, |git| {
                let commits = all_commits(&commits_behind(git, git.refs()?)?);
                Ok(git.objects().find_large_files(&commits)?)
            })
            .await?;
        let mut files = Vec::with_capacity(held.len());
        for hash in held {
            let oid = LargeFileId::from_bytes(*hash.as_bytes());
            let found = named.get(&oid);
            files.push(LargeFileFacts {
                sha256: oid.to_string(),
                size: self
                    .hub
                    .store
                    .large_object(repo.key, &hash)
                    .await?
                    .unwrap_or_default(),
                path: found.map(|(path, _)| path.to_string()),
                named: found.map(|(_, named)| *named),
            });
        }
        Ok(files)
    }

    /// Takes large files away from a repository that no commit of it names. One that is named
    /// refuses all of them: the history of a repository is not written anew.
    pub async fn delete_large_files(
        self,
        caller: &Caller,
        repo: &Repo,
        sha256: &[String],
    ) -> Result<(), Error> {
        self.hub.check(caller, repo, Need::Admin).await?;
        if sha256.len() > MAX_DELETED {
            return Err(Error::TooLarge(Limit::DeletedFiles { most: MAX_DELETED }));
        }
        let wanted: Result<Vec<LargeFileId>, Error> =
            sha256.iter().map(|text| parse_oid(text)).collect();
        let wanted = wanted?;
        let _locked = self.hub.lock(repo.key).await?;
        let named = self
            .hub
            .with_git(repo.key, |git| {
                let commits = all_commits(&commits_behind(git, git.refs()?)?);
                Ok(git.objects().large_files_of(&commits)?)
            })
            .await?;
        if let Some(oid) = wanted.iter().find(|oid| named.contains(oid)) {
            return Err(Error::Conflict(Conflict::LargeFileInHistory(*oid)));
        }
        let mut tx = self.hub.begin_change(caller, repo.key, Need::Admin).await?;
        for oid in &wanted {
            let hash = Sha256::from_bytes(*oid.as_bytes());
            if !tx.remove_large_object(repo.key, &hash).await? {
                let text = format!("`{}` has no large file {oid}", repo.id());
                return Err(Error::NotFound(Missing::Other(text)));
            }
        }
        tx.commit().await?;
        Ok(())
    }
}

fn all_commits(commits: &BTreeSet<ObjectId>) -> Vec<ObjectId> {
    commits.iter().copied().collect()
}
