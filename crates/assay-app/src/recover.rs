//! Catching up after a crash: refs move in git first, and what the records and the index missed is made up for here.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use assay_git::{Reference, Repositories};
use assay_model::RepoKey;
use assay_store::IndexedRef;

use crate::discussion;
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::index::public;

/// How many repositories are looked at in one go.
const CHUNK: u32 = 512;
/// How long after a failure the hub first tries to catch up with what is in git.
const CATCH_UP_FIRST: Duration = Duration::from_secs(1);
/// The longest pause between two tries.
const CATCH_UP_PAUSE: Duration = Duration::from_mins(1);
/// How often it is tried: for about a quarter of an hour.
const CATCH_UP_TRIES: usize = 20;
/// By which rules the index is derived. A change of what it says of the same repositories is another number, so that a
/// hub with an older index derives it again when it starts.
const INDEX_VERSION: &str = "4";
/// The setting that holds by which rules the index was derived.
const INDEX_VERSION_SETTING: &str = "index_version";

impl Hub {
    /// Indexes every repository whose refs are not those that were indexed, and clears away what was never recorded.
    pub(crate) async fn recover(&self) -> Result<(), Error> {
        self.clear_unrecorded().await?;
        self.follow_logs().await?;
        let mut last = None;
        loop {
            let keys = self.store.repository_keys(last, CHUNK).await?;
            let Some(end) = keys.last().copied() else {
                return Ok(());
            };
            last = Some(end);
            for (key, refs) in self.refs_of(keys).await? {
                if !self.is_behind(key, &refs).await? {
                    continue;
                }
                // A repository that is damaged must not keep the hub from starting.
                if let Err(error) = self.catch_up(key).await {
                    tracing::error!(%key, ?error, "the index of repository {key} stays behind");
                }
            }
        }
    }

    /// Derives the index again when it was derived by other rules.
    pub(crate) async fn renew_outdated(&self) -> Result<(), Error> {
        let held = self.store.setting(INDEX_VERSION_SETTING).await?;
        if held.as_deref() == Some(INDEX_VERSION) {
            return Ok(());
        }
        if !self.store.repository_keys(None, 1).await?.is_empty() {
            tracing::info!("the index was derived by other rules and is derived again");
            self.reindex(&|_, _| {}).await?;
        }
        let mut tx = self.store.begin().await?;
        tx.set_setting(INDEX_VERSION_SETTING, Some(INDEX_VERSION))
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Removes the directories of repositories that were being made or deleted when the hub died. Repositories are made
    /// inside a transaction, so while we hold one, no living process is making any.
    async fn clear_unrecorded(&self) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        let git = Arc::clone(&self.git);
        let mut unrecorded: BTreeSet<RepoKey> = blocking(move || Ok(git.keys()?))
            .await?
            .into_iter()
            .collect();
        let mut last = None;
        loop {
            let keys = tx.repository_keys(last, CHUNK).await?;
            last = keys.last().copied();
            for key in &keys {
                unrecorded.remove(key);
            }
            if last.is_none() {
                break;
            }
        }
        let git = Arc::clone(&self.git);
        blocking(move || {
            for key in unrecorded {
                tracing::warn!(%key, "repository {key} is not recorded and is removed");
                delete(&git, key)?;
            }
            Ok(())
        })
        .await?;
        tx.rollback().await?;
        Ok(())
    }

    async fn refs_of(&self, keys: Vec<RepoKey>) -> Result<Vec<(RepoKey, Vec<Reference>)>, Error> {
        let git = Arc::clone(&self.git);
        blocking(move || Ok(read_refs(&git, keys))).await
    }

    /// Whether the index of one of these repositories is behind its refs: being written, or left so by a crash.
    pub(crate) async fn is_any_behind(&self, keys: &[RepoKey]) -> Result<bool, Error> {
        for (key, refs) in self.refs_of(keys.to_vec()).await? {
            if self.is_behind(key, &refs).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn is_behind(&self, key: RepoKey, refs: &[Reference]) -> Result<bool, Error> {
        let indexed = self.store.indexed_refs(key).await?;
        let same = |(held, found): (&IndexedRef, &Reference)| {
            held.name == found.name.as_str() && held.target == found.target
        };
        Ok(indexed.len() != refs.len() || !indexed.iter().zip(refs).all(same))
    }

    async fn catch_up(&self, key: RepoKey) -> Result<(), Error> {
        tracing::info!(%key, "the index of repository {key} is behind and catches up");
        let _locked = self.lock(key).await?;
        let mut tx = self.store.begin().await?;
        if tx.repository(key).await?.is_none() {
            return Ok(());
        }
        let git = Arc::clone(&self.git);
        let repository = blocking(move || Ok(git.get(key)?)).await?;
        discussion::repair(&mut tx, repository, key, self.now()).await?;
        tx.commit().await?;
        self.index_repository(key, None).await
    }

    /// Catches up with a change that is in git and could not be recorded or indexed, as soon as that works again. Whoever
    /// made it was told, and may have left.
    pub(crate) fn catch_up_later(&self, key: RepoKey) {
        let Ok(hub) = self.shared() else {
            return;
        };
        let hub = Arc::downgrade(&hub);
        tokio::spawn(async move {
            let mut pause = CATCH_UP_FIRST;
            for _ in 0..CATCH_UP_TRIES {
                tokio::time::sleep(pause).await;
                pause = (2 * pause).min(CATCH_UP_PAUSE);
                let Some(hub) = hub.upgrade() else {
                    return;
                };
                match hub.catch_up(key).await {
                    Ok(()) => return,
                    Err(error) => {
                        tracing::warn!(%key, ?error, "repository {key} cannot be caught up with yet");
                    }
                }
            }
            tracing::error!(%key, "the index of repository {key} stays behind until the next start");
        });
    }
}

/// Deletes the directory of a repository that is not recorded any more, unless somebody else has done so.
pub(crate) fn delete(git: &Repositories, key: RepoKey) -> Result<(), Error> {
    match git.delete(key) {
        Ok(()) | Err(assay_git::Error::NoRepository(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The refs of repositories. One that cannot be read has none to catch up with.
fn read_refs(git: &Repositories, keys: Vec<RepoKey>) -> Vec<(RepoKey, Vec<Reference>)> {
    let mut read = Vec::with_capacity(keys.len());
    for key in keys {
        match git.get(key).and_then(|repository| repository.refs()) {
            Ok(refs) => read.push((key, public(refs))),
            Err(error) => tracing::error!(%key, ?error, "repository {key} cannot be read"),
        }
    }
    read
}
