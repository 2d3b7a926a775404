//! What the operator does to the index as a whole.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use assay_model::{RepoId, RepoKey, RepoKind};
use assay_store::{AuditAction, AuditSubject, DumpRow, Store};
use sha2::{Digest as _, Sha256};

use crate::access::{Caller, Need};
use crate::damage::{Damage, DamagedRepository, read_refs};
use crate::error::{Error, Missing};
use crate::hub::{Hub, alongside, blocking};
use crate::index::{DEFINITION_FILE, Extent, Sources, index, touched_by};
use crate::trust::Sizes;

/// What the comparison calls differences in what is known of the logs.
const NO_REPOSITORY: RepoKey = RepoKey(0);
/// How many keys are asked for at a time.
const KEYS: u32 = 1000;
/// How often a comparison looks again at repositories that others were writing to.
const LOOKS: usize = 3;
/// How long it waits for them each time.
const WRITERS_PATIENCE: Duration = Duration::from_millis(500);
/// How long it waits before it asks whether they are done.
const WRITERS_PAUSE: Duration = Duration::from_millis(20);
/// How many differences are told.
const MAX_DIFFERENCES: usize = 1000;

/// What a rebuild of the index went through.
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
        let action = if official {
            AuditAction::OfficialMarked
        } else {
            AuditAction::OfficialUnmarked
        };
        self.audit(&mut tx, caller, action, repo.audited()).await?;
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
        let mut damaged = compared.damaged;
        if keys.contains(&NO_REPOSITORY) {
            self.forget_logs().await?;
        }
        let replaced = keys.len();
        // The index of a repository depends on no other, so they need not all change at once.
        for key in keys {
            let _locked = self.lock(key).await?;
            for (key, faults) in renew(&self.sources, &self.store, &[key]).await? {
                // It could be read a moment ago. What was indexed of it stays.
                self.note_damage(key, faults);
                damaged.push(key);
            }
        }
        self.boards.forget();
        let mut tx = self.store.begin().await?;
        let counts = tx.counts().await?;
        let subject = AuditSubject::hub().with(format!("{replaced} repositories replaced"));
        self.audit(&mut tx, &self.shell(), AuditAction::IndexRebuilt, subject)
            .await?;
        tx.commit().await?;
        Ok(Reindexed {
            repositories: counts.models + counts.datasets,
            entries: counts.entries,
            benchmarks: counts.benchmarks,
            damaged: self.describe_damage(damaged).await?,
        })
    }

    /// Builds the index again beside the live one and says where they differ, and which repositories cannot be read.
    pub async fn check_index(
        &self,
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
        let mut keys: Vec<RepoKey> = compared.keys.into_iter().collect();
        let mut looks = 0;
        loop {
            self.wait_for_writers(&keys).await?;
            looks += 1;
            // Refs move only inside a transaction, and the index changes in none but one. So while we hold one, nothing
            // moves: what differs now differs in truth, unless a change was still being indexed.
            let mut tx = self.store.begin().await?;
            let compared = self.compare_with_rebuilt(Some(&keys), progress);
            let compared = alongside(&mut tx, compared).await?;
            tx.rollback().await?;
            let different: Vec<RepoKey> = compared.keys.into_iter().collect();
            if looks >= LOOKS || !self.is_any_behind(&different).await? {
                return Ok(IndexCheck {
                    differences: compared.differences,
                    damaged,
                });
            }
            keys = different;
        }
    }

    /// Waits until changes of these repositories that may be under way are indexed. What a crash has left stays behind,
    /// so there is an end to it.
    async fn wait_for_writers(&self, keys: &[RepoKey]) -> Result<(), Error> {
        let until = tokio::time::Instant::now() + WRITERS_PATIENCE;
        while tokio::time::Instant::now() < until && self.is_any_behind(keys).await? {
            tokio::time::sleep(WRITERS_PAUSE).await;
        }
        Ok(())
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
        if keys.is_none() {
            tx.drop_index().await?;
            self.trust.follow(&mut tx, Some(sizes)).await?;
        }
        tx.commit().await?;
        let damaged = match keys {
            Some(keys) => renew(&self.sources, &rebuilt, keys).await?,
            None => rebuild(&self.sources, &rebuilt, progress).await?,
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
    /// The repositories that cannot be read, of which nothing is said.
    damaged: Vec<RepoKey>,
}

/// Repositories that could not be indexed, and why.
type NotIndexed = BTreeMap<RepoKey, Vec<Damage>>;

/// Makes the index of some repositories anew. One that is damaged must not keep the others from being indexed.
async fn renew(sources: &Sources, store: &Store, keys: &[RepoKey]) -> Result<NotIndexed, Error> {
    let mut damaged = NotIndexed::new();
    for key in keys.iter().copied().filter(|key| *key != NO_REPOSITORY) {
        if let Err(faults) = index_or_tell(sources, store, key, Extent::Everything).await? {
            damaged.insert(key, faults);
        }
    }
    Ok(damaged)
}

/// Makes the index of every repository where none has any.
async fn rebuild(
    sources: &Sources,
    store: &Store,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<NotIndexed, Error> {
    let counts = store.counts().await?;
    let total = counts.models + counts.datasets;
    let (mut done, mut last) = (0, None);
    let mut damaged = NotIndexed::new();
    loop {
        let keys = store.repository_keys(last, KEYS).await?;
        let Some(end) = keys.last().copied() else {
            return Ok(damaged);
        };
        last = Some(end);
        for key in keys {
            if let Err(faults) = index_or_tell(sources, store, key, Extent::New).await? {
                damaged.insert(key, faults);
            }
            done += 1;
            progress(done, total);
        }
    }
}

/// Indexes a repository, or tells what is wrong with it.
async fn index_or_tell(
    sources: &Sources,
    store: &Store,
    key: RepoKey,
    extent: Extent,
) -> Result<Result<(), Vec<Damage>>, Error> {
    let git = Arc::clone(&sources.git);
    if let Err(faults) = blocking(move || Ok(read_refs(&git, key))).await? {
        return Ok(Err(faults));
    }
    match index(sources, store, key, extent, None).await {
        Ok(_) => Ok(Ok(())),
        Err(error) => Ok(Err(vec![Damage::of_error(&error)])),
    }
}

/// The rows in which two indexes differ, whatever their order. Rows are told apart by a digest, so that two indexes that
/// agree need little memory; only when they do not, they are read again for the words.
async fn compare(live: &Store, rebuilt: &Store, damaged: &NotIndexed) -> Result<Compared, Error> {
    let mut balance: HashMap<[u8; 16], i32> = HashMap::new();
    for (store, weight) in [(live, 1), (rebuilt, -1)] {
        let mut dump = store.index_dump().await?;
        while let Some(row) = dump.next().await? {
            if damaged.contains_key(&row.key) {
                continue;
            }
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
