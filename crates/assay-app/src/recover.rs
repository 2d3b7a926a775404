//! Catching up after a crash: refs move in git first, and what the records and the index missed is
//! made up for here.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use assay_git::{Reference, Repositories};
use assay_model::RepoKey;
use assay_store::{IndexedRef, RecordedRepository};

use crate::damage::{Damage, read_refs};
use crate::discussion;
use crate::error::Error;
use crate::facts::RepoFacts;
use crate::hub::{Hub, blocking};

/// Number of repositories that are looked at in one go.
const CHUNK: u32 = 512;
/// The time after a failure at which the hub first tries to catch up with git.
const CATCH_UP_FIRST: Duration = Duration::from_secs(1);
/// The longest pause between two tries.
const CATCH_UP_PAUSE: Duration = Duration::from_mins(1);
/// The number of tries: for about a quarter of an hour.
const CATCH_UP_TRIES: usize = 20;
/// By which rules the index is derived. A change of what it says of the same repositories is
/// another number, so that a hub with an older index derives it again when it starts.
const INDEX_VERSION: &str = "8";
/// The setting that holds by which rules the index was derived.
const INDEX_VERSION_SETTING: &str = "index_version";

impl Hub {
    /// Catches up with what a crash left behind. A disk that cannot be written must not keep the
    /// hub from being read: then it is tried again later.
    pub(crate) async fn catch_up_or_wait(&self) -> Result<(), Error> {
        let caught_up = async {
            let git = Arc::clone(&self.git);
            blocking(move || Ok(git.recover()?)).await?;
            self.large_files.recover().await?;
            self.recover().await?;
            self.renew_outdated().await
        };
        match caught_up.await {
            Ok(()) => {
                self.is_behind.store(false, Ordering::Relaxed);
                Ok(())
            }
            Err(error @ (Error::NoSpace(_) | Error::ReadOnly(_))) => {
                if !self.is_behind.swap(true, Ordering::Relaxed) {
                    let cause = error.hidden_cause().map(ToString::to_string);
                    tracing::error!(
                        cause,
                        "what the last run left undone stays so until the disk can be written: {error}"
                    );
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Indexes every repository whose refs are not those that were indexed, finishes what was under
    /// way when the hub ended, and sets aside what is not recorded.
    pub(crate) async fn recover(&self) -> Result<(), Error> {
        self.operations().sort_out_directories().await?;
        self.write_missing_facts().await?;
        self.operations().follow_logs().await?;
        let mut last = None;
        loop {
            let keys = self.store.repository_keys(last, CHUNK).await?;
            let Some(end) = keys.last().copied() else {
                return Ok(());
            };
            last = Some(end);
            for (key, read) in self.refs_of(keys).await? {
                // A repository that is damaged must not keep the hub from starting, and tells
                // nothing of its results.
                let refs = match read {
                    Ok(refs) => refs,
                    Err(faults) => {
                        self.operations().note_damage(key, faults);
                        continue;
                    }
                };
                if !self.is_behind(key, &refs).await? {
                    continue;
                }
                match self.catch_up(key).await {
                    Ok(()) => {}
                    // The disk or the database is at fault, and the repository is not damaged.
                    Err(error @ (Error::NoSpace(_) | Error::ReadOnly(_))) => return Err(error),
                    Err(error @ Error::Busy(_)) => {
                        tracing::warn!(%key, ?error, "repository {key} cannot be caught up with yet");
                        self.catch_up_later(key);
                    }
                    Err(error) => self
                        .operations()
                        .note_damage(key, vec![Damage::of_error(&error)]),
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
            self.operations().reindex(&|_, _| {}).await?;
        }
        let mut tx = self.store.begin().await?;
        tx.set_setting(INDEX_VERSION_SETTING, Some(INDEX_VERSION))
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Writes down the facts of repositories whose file is missing or says something else.
    async fn write_missing_facts(&self) -> Result<(), Error> {
        let mut last = None;
        loop {
            let some = self.store.recorded_repositories(last, CHUNK).await?;
            let Some(end) = some.last().map(|recorded| recorded.repository.key) else {
                return Ok(());
            };
            last = Some(end);
            let git = Arc::clone(&self.git);
            for key in blocking(move || outdated_facts(&git, &some)).await? {
                // Under the lock, so that nobody changes the records in between.
                let _locked = self.lock(key).await?;
                self.note_facts(key).await;
            }
        }
    }

    /// Reads the refs of some repositories, or what is wrong with them.
    pub(crate) async fn refs_of(
        &self,
        keys: Vec<RepoKey>,
    ) -> Result<Vec<(RepoKey, Result<Vec<Reference>, Vec<Damage>>)>, Error> {
        let git = Arc::clone(&self.git);
        let read = move |key| (key, read_refs(&git, key));
        blocking(move || Ok(keys.into_iter().map(read).collect())).await
    }

    /// Returns those of these repositories whose index is behind their refs: being written, or left
    /// so by a crash.
    pub(crate) async fn behind_of(&self, keys: &[RepoKey]) -> Result<Vec<RepoKey>, Error> {
        let mut behind = Vec::new();
        for (key, read) in self.refs_of(keys.to_vec()).await? {
            if let Ok(refs) = read
                && self.is_behind(key, &refs).await?
            {
                behind.push(key);
            }
        }
        Ok(behind)
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

    /// Catches up with a change that is in git and could not be recorded or indexed, as soon as
    /// that works again. Whoever made it was told, and may have left.
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

/// The repositories whose file of facts does not say what the records say.
fn outdated_facts(git: &Repositories, some: &[RecordedRepository]) -> Result<Vec<RepoKey>, Error> {
    let mut outdated = Vec::new();
    for recorded in some {
        let key = recorded.repository.key;
        let facts = RepoFacts::of_record(recorded).to_json()?;
        let path = git.path(key);
        if path.is_dir() && assay_git::read_facts(&path)?.as_deref() != Some(&facts) {
            outdated.push(key);
        }
    }
    Ok(outdated)
}
