//! Limits on what accounts and repositories may store and how often they may write.

use std::collections::{BTreeSet, HashMap};

use assay_git::{LargeFileId, ObjectSize};
use assay_model::{RepoKey, Timestamp};
use assay_store::{AccountId, Sha256, StorageUse, Tx};
use parking_lot::Mutex;

use crate::access::SignedIn;
use crate::config::Limits;
use crate::error::{Denied, Error, Limit, Quota};
use crate::hub::Hub;
use crate::large::Uploader;
use crate::repo_lookup::Repo;

/// The length of a window in which writes are counted, in seconds.
const WRITE_WINDOW_SECONDS: i64 = 60;
/// The most accounts whose writes are counted one by one. Beyond it, the counts of ended windows
/// are dropped.
const MAX_COUNTED: usize = 10_000;

/// Writes by account in the present window.
#[derive(Debug, Default)]
pub(crate) struct WriteCounts {
    counts: Mutex<HashMap<AccountId, (i64, u64)>>,
}

impl WriteCounts {
    /// Counts a write of an account, or returns the seconds to wait when there were too many.
    fn count(&self, account: AccountId, now: Timestamp, limit: u64) -> Result<(), u64> {
        let window = now.seconds().div_euclid(WRITE_WINDOW_SECONDS);
        let mut counts = self.counts.lock();
        if counts.len() >= MAX_COUNTED {
            counts.retain(|_, (own, _)| *own == window);
        }
        let (own, count) = counts.entry(account).or_insert((window, 0));
        if *own != window {
            (*own, *count) = (window, 0);
        }
        if *count >= limit {
            let next = (window + 1) * WRITE_WINDOW_SECONDS;
            return Err(u64::try_from(next - now.seconds()).unwrap_or(1));
        }
        *count += 1;
        Ok(())
    }
}

impl Hub {
    /// Counts a write of an account, and refuses it when there were too many in this minute.
    pub(crate) fn count_write(&self, actor: &SignedIn) -> Result<(), Error> {
        let limit = self.config.limits.writes_per_minute;
        if limit == 0 || actor.operator {
            return Ok(());
        }
        let counted = self.writes.count(actor.account, self.now(), limit);
        counted.map_err(|after_seconds| Error::RateLimited { after_seconds })
    }

    /// Refuses objects and large files that would take a repository or its owner beyond a quota.
    /// Returns the size of the repository's git objects with the new ones, for [`Tx::set_storage`].
    pub(crate) async fn check_storage(
        &self,
        repo: &Repo,
        incoming: ObjectSize,
        large_bytes: u64,
    ) -> Result<ObjectSize, Error> {
        let used = self.storage_of(repo.key).await?;
        let git = ObjectSize {
            bytes: used.git_bytes.saturating_add(incoming.bytes),
            objects: used.git_objects.saturating_add(incoming.objects),
        };
        let limits = &self.config.limits;
        let added = incoming.bytes.saturating_add(large_bytes);
        let bytes = used.bytes().saturating_add(added);
        refuse_beyond(limits.repository_objects, git.objects, |limit| {
            Quota::RepositoryObjects {
                repo: repo.id.clone(),
                most: limit,
            }
        })?;
        refuse_beyond(limits.repository_bytes, bytes, |limit| {
            Quota::RepositoryBytes {
                repo: repo.id.clone(),
                most: limit,
            }
        })?;
        if limits.account_bytes > 0 {
            let of_account = self.store.storage_of_account(repo.owner).await?;
            let bytes = of_account.bytes().saturating_add(added);
            refuse_beyond(limits.account_bytes, bytes, |limit| {
                let owner = repo.id.namespace().unwrap_or_default();
                Quota::AccountBytes {
                    owner: owner.to_owned(),
                    most: limit,
                }
            })?;
        }
        Ok(git)
    }

    /// Refuses an upload that no commit names yet beyond what an account may have waiting, and
    /// large files of accounts that may not write to the repository beyond what a pull request of
    /// theirs may bring.
    pub(crate) async fn check_upload(
        &self,
        repo: &Repo,
        uploader: Uploader,
        size: u64,
    ) -> Result<(), Error> {
        let limits = &self.config.limits;
        let file = if uploader.may_write {
            limits.large_file_bytes
        } else {
            limits.stranger_file_bytes
        };
        if size > file {
            return Err(Error::TooLarge(Limit::LargeFile { most: file }));
        }
        self.check_waiting(repo, uploader, size).await
    }

    /// Refuses bytes beyond what an account may have waiting, or beyond what the repository may
    /// take.
    pub(crate) async fn check_waiting(
        &self,
        repo: &Repo,
        uploader: Uploader,
        bytes: u64,
    ) -> Result<(), Error> {
        let limits = &self.config.limits;
        let limit = if uploader.may_write {
            limits.waiting_bytes
        } else {
            limits.stranger_waiting_bytes
        };
        let waiting = self.store.bytes_waiting(uploader.account).await?;
        refuse_beyond(limit, waiting.saturating_add(bytes), |limit| {
            Quota::Waiting { most: limit }
        })?;
        self.check_storage(repo, ObjectSize::default(), bytes)
            .await?;
        Ok(())
    }

    /// Counts an upload as a write of its account, and refuses too many.
    pub(crate) fn count_upload(&self, uploader: Uploader) -> Result<(), Error> {
        let limit = self.config.limits.writes_per_minute;
        if limit == 0 {
            return Ok(());
        }
        let counted = self.writes.count(uploader.account, self.now(), limit);
        counted.map_err(|after_seconds| Error::RateLimited { after_seconds })
    }

    /// Refuses one more pull request of an account that has as many open ones in a repository as it
    /// may.
    pub(crate) async fn check_open_pulls(
        tx: &mut Tx,
        limits: &Limits,
        repo: &Repo,
        author: &SignedIn,
    ) -> Result<(), Error> {
        let limit = limits.open_pulls;
        if limit == 0 || author.operator {
            return Ok(());
        }
        if tx.open_pulls_by(repo.key, author.account).await? >= limit {
            return Err(Error::Denied(Denied::OpenPulls {
                most: limit,
                repo: repo.id.clone(),
            }));
        }
        Ok(())
    }

    /// Returns the storage of a repository. Its git objects are measured the first time.
    pub(crate) async fn storage_of(&self, key: RepoKey) -> Result<StorageUse, Error> {
        if let Some(known) = self.store.storage_of_repository(key).await? {
            return Ok(known);
        }
        self.measure_storage(key).await?;
        Ok(self
            .store
            .storage_of_repository(key)
            .await?
            .unwrap_or_default())
    }

    /// Measures the git objects of a repository on the disk.
    pub(crate) async fn measure_storage(&self, key: RepoKey) -> Result<(), Error> {
        let size = self.with_git(key, |git| Ok(git.object_size()?)).await?;
        let mut tx = self.store.begin().await?;
        tx.set_storage(key, size.bytes, size.objects).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Refuses what is beyond a limit; 0 is no limit.
fn refuse_beyond(limit: u64, wanted: u64, quota: impl FnOnce(u64) -> Quota) -> Result<(), Error> {
    if limit > 0 && wanted > limit {
        return Err(Error::OverQuota(quota(limit)));
    }
    Ok(())
}

/// Gives a repository the uploads that its commits name now.
pub(crate) async fn keep_uploads(
    tx: &mut Tx,
    key: RepoKey,
    named: &BTreeSet<LargeFileId>,
) -> Result<(), Error> {
    for oid in named {
        let hash = Sha256::from_bytes(*oid.as_bytes());
        // Another process may have named it a moment ago.
        if let Some(size) = tx.upload(key, &hash).await? {
            tx.add_large_object(key, &hash, size).await?;
            tx.remove_upload(key, &hash).await?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_are_counted_by_account_and_minute() {
        let counts = WriteCounts::default();
        let at = |seconds| Timestamp::from_seconds(seconds);
        let (one, other) = (AccountId(1), AccountId(2));

        let counted = [at(60), at(61), at(70)].map(|now| counts.count(one, now, 2));

        assert_eq!(counted, [Ok(()), Ok(()), Err(50)]);
        assert_eq!(counts.count(other, at(71), 2), Ok(()));
        assert_eq!(counts.count(one, at(120), 2), Ok(()));
    }

    #[test]
    fn a_crowd_of_accounts_does_not_grow_the_table_without_end() {
        let counts = WriteCounts::default();
        for account in 0..i64::try_from(MAX_COUNTED).unwrap() {
            counts
                .count(AccountId(account), Timestamp::from_seconds(0), 1)
                .unwrap();
        }

        counts
            .count(AccountId(-1), Timestamp::from_seconds(60), 1)
            .unwrap();

        assert_eq!(counts.counts.lock().len(), 1);
    }
}
