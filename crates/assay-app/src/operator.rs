//! What the operator does to the index as a whole.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use assay_model::{RepoId, RepoKey, RepoKind};
use assay_store::{DumpRow, Store, Tx};
use sha2::{Digest as _, Sha256};

use crate::access::{Caller, Need};
use crate::error::{Error, Missing};
use crate::hub::Hub;
use crate::index::{Afresh, DEFINITION_FILE, Sources, Touched, index, touched_by};
use crate::trust::Sizes;

/// What the comparison calls differences in what is known of the logs.
const NO_REPOSITORY: RepoKey = RepoKey(0);
/// How many keys are asked for at a time.
const KEYS: u32 = 1000;
/// How many repositories are replaced in the index in one transaction.
const REPLACED: usize = 32;
/// How many differences are told.
const MAX_DIFFERENCES: usize = 1000;

/// What a rebuild of the index went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reindexed {
    /// Repositories.
    pub repositories: u64,
    /// Entries.
    pub entries: u64,
    /// Benchmarks.
    pub benchmarks: u64,
}

/// One line in which the live index and a rebuilt one differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDifference {
    /// The row that only the live index has, or that differs.
    pub live: Option<String>,
    /// The row that only the rebuilt index has.
    pub rebuilt: Option<String>,
}

impl Hub {
    /// Marks a benchmark as official, or takes the mark away. For operators.
    pub async fn set_official(
        &self,
        caller: &Caller,
        benchmark: &RepoId,
        official: bool,
    ) -> Result<(), Error> {
        caller.check_operator()?;
        let repo = self
            .repo(caller, RepoKind::Dataset, benchmark, Need::Read)
            .await?;
        let mut tx = self.begin_as(caller).await?;
        if official {
            let known = tx.benchmark(repo.key).await?;
            if !known.is_some_and(|known| known.valid) {
                return Err(Error::NotFound(Missing::Leaderboard(format!(
                    "`{benchmark}` is no benchmark: it has no valid `{DEFINITION_FILE}` on its main branch"
                ))));
            }
            tx.mark_official(repo.key, self.now()).await?;
        } else {
            tx.unmark_official(repo.key).await?;
        }
        let touched = touched_by(&mut tx, repo.key, RepoKind::Dataset, &repo.id).await?;
        tx.commit().await?;
        self.touch(&touched);
        Ok(())
    }

    /// Builds the index again from the repositories, beside the live one, and replaces what differs. Everyone can go on
    /// reading and writing meanwhile.
    pub async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Reindexed, Error> {
        self.follow_logs().await?;
        let compared = self.compare_with_rebuilt(None, progress).await?;
        let keys: Vec<RepoKey> = compared.keys.into_iter().collect();
        if keys.contains(&NO_REPOSITORY) {
            self.forget_logs().await?;
        }
        // The index of a repository depends on no other, so they need not all change at once; who wants to write waits
        // for a few of them only.
        for some in keys.chunks(REPLACED) {
            let mut tx = self.store.begin().await?;
            renew(&self.sources(), &mut tx, some).await?;
            tx.commit().await?;
        }
        self.boards.forget();
        let mut tx = self.store.begin().await?;
        let counts = tx.counts().await?;
        tx.rollback().await?;
        Ok(Reindexed {
            repositories: counts.models + counts.datasets,
            entries: counts.entries,
            benchmarks: counts.benchmarks,
        })
    }

    /// Builds the index again beside the live one and says where they differ.
    pub async fn check_index(
        &self,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<IndexDifference>, Error> {
        self.follow_logs().await?;
        let compared = self.compare_with_rebuilt(None, progress).await?;
        if compared.keys.is_empty() {
            return Ok(Vec::new());
        }
        // A change may have been under way. Refs move only inside a transaction, so while we hold one, nothing moves:
        // what differs now differs in truth.
        let keys: Vec<RepoKey> = compared.keys.into_iter().collect();
        let tx = self.store.begin().await?;
        let compared = self.compare_with_rebuilt(Some(&keys), progress).await;
        tx.rollback().await?;
        Ok(compared?.differences)
    }

    /// Compares the live index with one in which some repositories, or all, are indexed anew.
    async fn compare_with_rebuilt(
        &self,
        keys: Option<&[RepoKey]>,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Compared, Error> {
        let directory = tempfile::Builder::new()
            .prefix("check-index")
            .tempdir_in(self.config.data.join("tmp"))
            .map_err(Error::internal)?;
        let (live, rebuilt) = (
            directory.path().join("live.db"),
            directory.path().join("rebuilt.db"),
        );
        self.store.copy_to(&live).await?;
        let live = Store::open(&live).await?;
        live.copy_to(&rebuilt).await?;
        let rebuilt = Store::open(&rebuilt).await?;
        let mut tx = rebuilt.begin().await?;
        // What the logs say beyond this is not known to the live index either.
        let sizes = Sizes::known(&mut tx).await?;
        if keys.is_some_and(|keys| keys.contains(&NO_REPOSITORY)) {
            tx.forget_logs().await?;
            self.trust.follow(&mut tx, Some(sizes)).await?;
        }
        match keys {
            Some(keys) => renew(&self.sources(), &mut tx, keys).await?,
            None => rebuild(&self.sources(), &mut tx, sizes, progress).await?,
        }
        tx.commit().await?;
        let compared = compare(&live, &rebuilt).await;
        live.close().await;
        rebuilt.close().await;
        compared
    }
}

impl Hub {
    /// Brings the index up to the logs, as they are now.
    pub(crate) async fn follow_logs(&self) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        let touched = self.trust.follow(&mut tx, None).await?;
        tx.commit().await?;
        self.touch(&touched);
        Ok(())
    }

    /// Takes in both logs from their first leaf.
    async fn forget_logs(&self) -> Result<(), Error> {
        let mut tx = self.store.begin().await?;
        tx.forget_logs().await?;
        let touched = self.trust.follow(&mut tx, None).await?;
        tx.commit().await?;
        self.touch(&touched);
        Ok(())
    }
}

/// In what two indexes differ.
#[derive(Debug, Default)]
struct Compared {
    /// The repositories.
    keys: BTreeSet<RepoKey>,
    /// The rows, up to [`MAX_DIFFERENCES`].
    differences: Vec<IndexDifference>,
}

/// Makes the index of some repositories anew.
async fn renew(sources: &Sources, tx: &mut Tx, keys: &[RepoKey]) -> Result<(), Error> {
    for key in keys.iter().filter(|key| **key != NO_REPOSITORY) {
        tx.drop_index_of(*key).await?;
        index_or_tell(sources, tx, *key).await;
    }
    Ok(())
}

/// Makes the index of every repository anew.
async fn rebuild(
    sources: &Sources,
    tx: &mut Tx,
    sizes: Sizes,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), Error> {
    tx.drop_index().await?;
    sources.trust.follow(tx, Some(sizes)).await?;
    let counts = tx.counts().await?;
    let total = counts.models + counts.datasets;
    let (mut done, mut last) = (0, None);
    loop {
        let keys = tx.repository_keys(last, KEYS).await?;
        let Some(end) = keys.last().copied() else {
            return Ok(());
        };
        last = Some(end);
        for key in keys {
            index_or_tell(sources, tx, key).await;
            done += 1;
            progress(done, total);
        }
    }
}

/// Indexes a repository. One that is damaged must not keep all others from being indexed.
async fn index_or_tell(sources: &Sources, tx: &mut Tx, key: RepoKey) {
    if let Err(error) = index_existing(sources, tx, key).await {
        tracing::error!(%key, ?error, "repository {key} could not be indexed");
    }
}

/// Indexes a repository, unless its directory is gone: what is left of a deletion that was cut short has no index.
pub(crate) async fn index_existing(
    sources: &Sources,
    tx: &mut Tx,
    key: RepoKey,
) -> Result<Touched, Error> {
    if !sources.git.path(key).is_dir() {
        tracing::warn!(%key, "repository {key} has no directory and is not indexed");
        return Ok(Touched::default());
    }
    index(sources, tx, key, Afresh::Moved).await
}

/// The rows in which two indexes differ, whatever their order. Rows are told apart by a digest, so that two indexes that
/// agree need little memory; only when they do not, they are read again for the words.
async fn compare(live: &Store, rebuilt: &Store) -> Result<Compared, Error> {
    let mut balance: HashMap<[u8; 16], i32> = HashMap::new();
    for (store, weight) in [(live, 1), (rebuilt, -1)] {
        let mut dump = store.index_dump().await?;
        while let Some(row) = dump.next().await? {
            match balance.entry(digest(&row)) {
                Entry::Occupied(mut held) => {
                    *held.get_mut() += weight;
                    if *held.get() == 0 {
                        held.remove();
                    }
                }
                Entry::Vacant(place) => {
                    place.insert(weight);
                }
            }
        }
    }
    let mut compared = Compared::default();
    if balance.is_empty() {
        return Ok(compared);
    }
    for (store, is_live) in [(live, true), (rebuilt, false)] {
        let mut dump = store.index_dump().await?;
        while let Some(row) = dump.next().await? {
            let weight = balance.get(&digest(&row)).copied().unwrap_or_default();
            let is_odd = if is_live { weight > 0 } else { weight < 0 };
            if !is_odd {
                continue;
            }
            compared.keys.insert(row.key);
            if compared.differences.len() < MAX_DIFFERENCES {
                let text = Some(format!("{} {} {}", row.table, row.key, row.text));
                compared.differences.push(IndexDifference {
                    live: text.clone().filter(|_| is_live),
                    rebuilt: text.filter(|_| !is_live),
                });
            }
        }
    }
    Ok(compared)
}

fn digest(row: &DumpRow) -> [u8; 16] {
    let mut hasher = Sha256::new();
    hasher.update(row.table);
    hasher.update([0]);
    hasher.update(row.key.0.to_be_bytes());
    hasher.update(&row.text);
    let digest: [u8; 32] = hasher.finalize().into();
    let mut half = [0; 16];
    half.copy_from_slice(&digest[..16]);
    half
}
