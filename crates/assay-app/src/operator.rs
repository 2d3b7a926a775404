//! Operations on the index as a whole, for the operator.

mod compare;

use std::time::Duration;

use assay_model::{RepoId, RepoKey, RepoKind};
use assay_store::{AuditAction, AuditSubject, Store};

use self::compare::{Compared, NO_REPOSITORY, NotIndexed, compare, rebuild, renew};
use crate::access::Caller;
use crate::damage::DamagedRepository;
use crate::error::{Error, Missing};
use crate::hub::alongside;
use crate::index::{DEFINITION_FILE, touched_by};
use crate::services::OperationService;
use crate::trust::Sizes;

/// The number of times that the index of one repository is made anew before another process that
/// writes to it wins.
const RENEWALS: u32 = 10;
/// The number of times that a comparison looks at repositories that are behind and whose refs do
/// not move.
const LOOKS: usize = 3;
/// The number of times that it looks at repositories that others are writing to.
const MAX_LOOKS: usize = 30;
/// The time that it waits for them each time.
const WRITERS_PATIENCE: Duration = Duration::from_millis(500);
/// The time between two looks whether they are done.
const WRITERS_PAUSE: Duration = Duration::from_millis(20);

/// The outcome of a rebuild of the index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reindexed {
    /// Repositories.
    pub repositories: u64,
    /// Entries.
    pub entries: u64,
    /// Benchmarks.
    pub benchmarks: u64,
    /// The repositories that cannot be read, whose index stays as it was.
    pub damaged: Vec<DamagedRepository>,
}

/// The outcome of comparing the live index with a rebuilt one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexCheck {
    /// The lines in which they differ.
    pub differences: Vec<IndexDifference>,
    /// The repositories that cannot be read, which are not compared.
    pub damaged: Vec<DamagedRepository>,
}

/// One line in which the live index and a rebuilt one differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDifference {
    /// The row that only the live index has, or that differs.
    pub live: Option<String>,
    /// The row that only the rebuilt index has.
    pub rebuilt: Option<String>,
}

impl OperationService<'_> {
    /// Marks a benchmark as official, or takes the mark away. For operators.
    pub async fn set_official(
        self,
        caller: &Caller,
        benchmark: &RepoId,
        official: bool,
    ) -> Result<(), Error> {
        caller.check_operator()?;
        let repo = self.hub.repo(caller, RepoKind::Dataset, benchmark).await?;
        let mut tx = self.hub.begin_as(caller).await?;
        if official {
            let known = tx.benchmark(repo.key).await?;
            if !known.is_some_and(|known| known.valid) {
                return Err(Error::NotFound(Missing::Leaderboard(format!(
                    "`{benchmark}` is no benchmark: it has no valid `{DEFINITION_FILE}` on its main branch"
                ))));
            }
            tx.mark_official(repo.key, self.hub.now()).await?;
        } else {
            tx.unmark_official(repo.key).await?;
        }
        let action = if official {
            AuditAction::OfficialMarked
        } else {
            AuditAction::OfficialUnmarked
        };
        self.audit(&mut tx, caller, action, repo.audited()).await?;
        let touched = touched_by(&mut tx, repo.key, RepoKind::Dataset, &repo.id).await?;
        tx.commit().await?;
        self.hub.boards().touch(&touched);
        Ok(())
    }

    /// Builds the index again from the repositories, beside the live one, and replaces what
    /// differs. Everyone can go on reading and writing meanwhile.
    pub async fn reindex(self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Reindexed, Error> {
        self.follow_logs().await?;
        let compared = self.compare_with_rebuilt(None, progress).await?;
        let keys: Vec<RepoKey> = compared.keys.into_iter().collect();
        let mut damaged = compared.damaged;
        if keys.contains(&NO_REPOSITORY) {
            self.forget_logs().await?;
        }
        let replaced = keys.len();
        // The index of a repository depends on no other, so they need not all change at once.
        for key in keys {
            for (key, faults) in Box::pin(self.renew_repository(key)).await? {
                // It could be read a moment ago. What was indexed of it stays.
                self.note_damage(key, faults);
                damaged.push(key);
            }
        }
        self.hub.board_cache.forget();
        let mut tx = self.hub.store.begin().await?;
        let counts = tx.counts().await?;
        let subject = AuditSubject::hub().with(format!("{replaced} repositories replaced"));
        self.audit(
            &mut tx,
            &self.hub.shell(),
            AuditAction::IndexRebuilt,
            subject,
        )
        .await?;
        tx.commit().await?;
        Ok(Reindexed {
            repositories: counts.models + counts.datasets,
            entries: counts.entries,
            benchmarks: counts.benchmarks,
            damaged: self.describe_damage(damaged).await?,
        })
    }

    /// Makes the index of a repository anew. Another process that writes to it all the time may
    /// come first again and again; then nothing is left to do if its index is right.
    async fn renew_repository(self, key: RepoKey) -> Result<NotIndexed, Error> {
        let mut tries = 0;
        loop {
            let renewed = {
                let _locked = self.hub.lock(key).await?;
                renew(&self.hub.sources, &self.hub.store, &[key]).await
            };
            tries += 1;
            match renewed {
                Err(Error::Busy(_)) if tries < RENEWALS => {
                    let differences = self.lasting_differences(vec![key], &|_, _| {}).await?;
                    if differences.is_empty() {
                        return Ok(NotIndexed::new());
                    }
                }
                renewed => return renewed,
            }
        }
    }

    /// Builds the index again beside the live one and says where they differ, and which
    /// repositories cannot be read.
    pub async fn check_index(
        self,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<IndexCheck, Error> {
        self.follow_logs().await?;
        let compared = self.compare_with_rebuilt(None, progress).await?;
        let damaged = self.describe_damage(compared.damaged).await?;
        if compared.keys.is_empty() {
            return Ok(IndexCheck {
                differences: Vec::new(),
                damaged,
            });
        }
        let keys = compared.keys.into_iter().collect();
        let differences = self.lasting_differences(keys, progress).await?;
        Ok(IndexCheck {
            differences,
            damaged,
        })
    }

    /// Returns where the index of some repositories differs from a rebuilt one while nobody writes.
    async fn lasting_differences(
        self,
        mut keys: Vec<RepoKey>,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<IndexDifference>, Error> {
        let mut differences = Vec::new();
        let (mut looks, mut still, mut seen) = (0, 0, Vec::new());
        loop {
            self.wait_for_writers(&keys).await?;
            // Refs move only inside a transaction, and the index changes in none but one. So while
            // we hold one, nothing moves: what differs now differs in truth, unless a change was
            // still being indexed.
            let mut tx = self.hub.store.begin().await?;
            let looked = async {
                let behind = self.hub.behind_of(&keys).await?;
                let refs = self.hub.refs_of(behind.clone()).await?;
                Ok((behind, refs))
            };
            let (mut behind, refs) = alongside(&mut tx, looked).await?;
            // Where refs move, somebody is at work, who indexes them. What a crash has left stays
            // as it is.
            looks += 1;
            still = if refs == seen { still + 1 } else { 1 };
            if still >= LOOKS || looks >= MAX_LOOKS {
                behind.clear();
            }
            keys.retain(|key| !behind.contains(key));
            if !keys.is_empty() {
                let compared = self.compare_with_rebuilt(Some(&keys), progress);
                differences.extend(alongside(&mut tx, compared).await?.differences);
            }
            tx.rollback().await?;
            if behind.is_empty() {
                return Ok(differences);
            }
            (keys, seen) = (behind, refs);
        }
    }

    /// Waits until changes of these repositories that may be under way are indexed. What a crash
    /// has left stays behind, so there is an end to it.
    async fn wait_for_writers(self, keys: &[RepoKey]) -> Result<(), Error> {
        let until = tokio::time::Instant::now() + WRITERS_PATIENCE;
        while tokio::time::Instant::now() < until && !self.hub.behind_of(keys).await?.is_empty() {
            tokio::time::sleep(WRITERS_PAUSE).await;
        }
        Ok(())
    }

    /// Compares the live index with one in which some repositories, or all, are indexed anew.
    async fn compare_with_rebuilt(
        self,
        keys: Option<&[RepoKey]>,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Compared, Error> {
        let directory = tempfile::Builder::new()
            .prefix("check-index")
            .tempdir_in(self.hub.config.data.join("tmp"))
            .map_err(Error::internal)?;
        let (live, rebuilt) = (
            directory.path().join("live.db"),
            directory.path().join("rebuilt.db"),
        );
        self.hub.store.copy_to(&live).await?;
        let live = Store::open(&live).await?;
        live.copy_to(&rebuilt).await?;
        let rebuilt = Store::open(&rebuilt).await?;
        let mut tx = rebuilt.begin().await?;
        // What the logs say beyond this is not known to the live index either.
        let sizes = Sizes::known(&mut tx).await?;
        if keys.is_some_and(|keys| keys.contains(&NO_REPOSITORY)) {
            tx.forget_logs().await?;
            self.hub.trust.follow(&mut tx, Some(sizes)).await?;
        }
        if keys.is_none() {
            tx.drop_index().await?;
            self.hub.trust.follow(&mut tx, Some(sizes)).await?;
        }
        tx.commit().await?;
        let damaged = match keys {
            Some(keys) => renew(&self.hub.sources, &rebuilt, keys).await?,
            None => rebuild(&self.hub.sources, &rebuilt, progress).await?,
        };
        let compared = compare(&live, &rebuilt, &damaged).await;
        live.close().await;
        rebuilt.close().await;
        let mut compared = compared?;
        compared.damaged = damaged.keys().copied().collect();
        for (key, fault) in damaged {
            self.note_damage(key, fault);
        }
        Ok(compared)
    }
}

impl OperationService<'_> {
    /// Brings the index up to the logs, as they are now.
    pub(crate) async fn follow_logs(self) -> Result<(), Error> {
        let mut tx = self.hub.store.begin().await?;
        let touched = self.hub.trust.follow(&mut tx, None).await?;
        tx.commit().await?;
        self.hub.boards().touch(&touched);
        Ok(())
    }

    /// Takes in both logs from their first leaf.
    async fn forget_logs(self) -> Result<(), Error> {
        let mut tx = self.hub.store.begin().await?;
        tx.forget_logs().await?;
        let touched = self.hub.trust.follow(&mut tx, None).await?;
        tx.commit().await?;
        self.hub.boards().touch(&touched);
        Ok(())
    }
}
