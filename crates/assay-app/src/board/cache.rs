//! A cache of parts of the index. Everything here can be dropped at any moment and is read again
//! when needed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use assay_git::Repositories;
use assay_model::{RepoId, RepoKey};
use assay_store::Store;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use parking_lot::{Mutex, MutexGuard};

use super::EvalResult;
use super::changes::Changes;
use super::loaded::LoadedBoard;
use super::loaded_result::FullResultCache;
use super::lru_cache::{CacheLimit, LruCache};
use crate::error::Error;
use crate::index::Touched;
use crate::known::{Known, KnownBenchmark};

/// Number of models' results that are kept.
const MAX_MODELS: u64 = 8192;
/// The boards that are kept. What they take is mostly that of their results; the number of boards
/// bounds the rest.
const ROOM: CacheLimit = CacheLimit {
    boards: 16_384,
    results: 1_000_000,
};
/// The number of models of a board that are read again one by one; beyond that the board is read as
/// a whole.
const MAX_STALE: usize = 32;
/// The age of the last look at the changes of other processes up to which anything kept is given.
/// Beyond that nobody knows whether a repository was made private elsewhere.
const TRUSTED_FOR: Duration = Duration::from_secs(5);
/// The number of boards that can be read from the store at once. Two that share a lock wait for
/// each other.
const READ_AT_ONCE: usize = 64;

type ModelResults = Arc<Vec<Arc<EvalResult>>>;

/// Benchmarks, boards and results of models, as far as someone asked for them.
pub(crate) struct BoardCache {
    kept: Mutex<Kept>,
    /// Held while the benchmarks are read from the store, so that a crowd of readers reads them
    /// once.
    reading_known: tokio::sync::Mutex<()>,
    /// The same for boards: a large one keeps few others waiting.
    reading: BoardLocks,
    /// The newest change of another process that is taken account of.
    others: AtomicU64,
    /// The whole results that were shown last.
    pub(super) wholes: FullResultCache,
    /// The repositories, which tell what commits a benchmark has.
    git: Arc<Repositories>,
}

/// One at a time, for each board.
#[derive(Debug)]
struct BoardLocks([tokio::sync::Mutex<()>; READ_AT_ONCE]);

impl Default for BoardLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| tokio::sync::Mutex::default()))
    }
}

impl BoardLocks {
    async fn of(&self, RepoKey(key): RepoKey) -> tokio::sync::MutexGuard<'_, ()> {
        let place = key.unsigned_abs() % READ_AT_ONCE as u64;
        let place = usize::try_from(place).unwrap_or_default();
        self.0[place].lock().await
    }
}

#[derive(Debug)]
struct Kept {
    /// Goes up with every change.
    version: u64,
    changes: Changes,
    known: Option<Arc<Known>>,
    stale_benchmarks: BTreeSet<RepoKey>,
    boards: LruCache<KeptBoard>,
    models: Cache<RepoKey, ModelResults>,
    /// The changes since the beginning of each reading under way. A reading that is missing here
    /// began before everything was forgotten.
    meanwhile: BTreeMap<u64, Touched>,
    /// Number of readings that have begun.
    readings: u64,
    /// Time at which the changes of other processes were last looked for with success.
    looked: Instant,
}

/// Something that is being read from the store, and what changes meanwhile.
struct Reading<'b> {
    boards: &'b BoardCache,
    number: u64,
}

impl<'b> Reading<'b> {
    fn begin(boards: &'b BoardCache, kept: &mut Kept) -> Self {
        kept.readings += 1;
        let number = kept.readings;
        kept.meanwhile.insert(number, Touched::default());
        Self { boards, number }
    }

    /// Returns the changes meanwhile; `None` when everything changed.
    fn end(&self, kept: &mut Kept) -> Option<Touched> {
        kept.meanwhile.remove(&self.number)
    }
}

impl Drop for Reading<'_> {
    /// Ends the reading, because its caller may have gone away before everything was read.
    fn drop(&mut self) {
        self.boards.kept().meanwhile.remove(&self.number);
    }
}

#[derive(Debug)]
struct KeptBoard {
    board: Arc<LoadedBoard>,
    stale: BTreeSet<RepoKey>,
}

impl BoardCache {
    /// A number that changes with everything that can be seen.
    pub(crate) fn generation(&self) -> u64 {
        self.kept().changes.generation()
    }

    /// Returns the generation counter, bumped by changes that invalidate everything.
    pub(crate) fn generation_of_everything(&self) -> u64 {
        self.kept().changes.of_everything()
    }

    /// A number that changes with the board of this name.
    pub(crate) fn generation_of_board(&self, id: &RepoId) -> u64 {
        let kept = self.kept();
        let known = kept.fresh_known();
        match known.as_ref().and_then(|known| known.named(id.as_str())) {
            Some(benchmark) => kept.changes.of_board(benchmark.key),
            None => kept.changes.generation(),
        }
    }

    /// A number that changes with the results of the model of this name.
    pub(crate) fn generation_of_model(&self, id: &RepoId) -> u64 {
        self.kept().changes.of_model(id.as_str())
    }

    /// Forgets what a change touched. Call it after the change was committed.
    pub(crate) fn touch(&self, touched: &Touched) {
        let mut kept = self.kept();
        kept.version += 1;
        for meanwhile in kept.meanwhile.values_mut() {
            meanwhile.merge(touched.clone());
        }
        kept.stale_benchmarks.extend(&touched.datasets);
        for key in &touched.datasets {
            kept.boards.remove(*key);
        }
        if !touched.datasets.is_empty() {
            // Whether a result is pending depends on the benchmark it names.
            kept.models = cache_of_models();
        }
        for key in &touched.models {
            kept.models.invalidate(key);
        }
        // Who knows no benchmarks has read no board since everything was forgotten.
        let names = touched.boards.iter();
        let keys: Vec<RepoKey> = names
            .filter_map(|name| kept.known.as_ref()?.named(name))
            .map(|benchmark| benchmark.key)
            .collect();
        for key in &keys {
            if let Some(board) = kept.boards.get_mut(*key) {
                board.stale.extend(&touched.models);
            }
        }
        // What a name stands for is uncertain until the benchmarks have been read again.
        if kept.fresh_known().is_some() && !touched.visibility {
            kept.changes.only(&keys, &touched.model_names);
        } else {
            kept.changes.all();
        }
    }

    /// Nothing is kept yet, and other processes have changed something until this generation.
    pub(crate) fn since(others: u64, git: Arc<Repositories>) -> Self {
        Self {
            kept: Mutex::default(),
            reading_known: tokio::sync::Mutex::default(),
            reading: BoardLocks::default(),
            others: others.into(),
            wholes: FullResultCache::default(),
            git,
        }
    }

    /// Forgets everything if another process changed something, and this is the first to hear of
    /// it. The number says what the database has at this moment.
    pub(crate) fn note_others(&self, generation: u64) {
        let is_news = self.others.fetch_max(generation, Ordering::AcqRel) < generation;
        let mut kept = self.locked();
        // What was kept while nobody looked is forgotten even if there is no news: it may have been
        // made of anything.
        if is_news || kept.looked.elapsed() > TRUSTED_FOR {
            kept.forget();
        }
        kept.looked = Instant::now();
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        self.locked().forget();
    }

    /// The benchmarks that the hub knows.
    pub(crate) async fn known(&self, store: &Store) -> Result<Arc<Known>, Error> {
        if let Some(known) = self.kept().fresh_known() {
            return Ok(known);
        }
        let _one_at_a_time = self.reading_known.lock().await;
        let (reading, known, stale) = {
            let mut kept = self.kept();
            if let Some(known) = kept.fresh_known() {
                return Ok(known);
            }
            let stale = kept.stale_benchmarks.clone();
            let known = kept.known.clone();
            (Reading::begin(self, &mut kept), known, stale)
        };
        let read = match known {
            Some(known) => known.reload(store, &stale).await?,
            None => Known::load(store).await?,
        };
        let read = Arc::new(read);
        let mut kept = self.kept();
        if let Some(meanwhile) = reading.end(&mut kept) {
            kept.known = Some(Arc::clone(&read));
            kept.stale_benchmarks = meanwhile.datasets;
        }
        drop(kept);
        Ok(read)
    }

    /// Every result for a benchmark.
    pub(super) async fn board(
        &self,
        store: &Store,
        benchmark: &Arc<KnownBenchmark>,
    ) -> Result<Arc<LoadedBoard>, Error> {
        if let Some(board) = self.kept().fresh_board(benchmark) {
            return Ok(board);
        }
        let _one_at_a_time = self.reading.of(benchmark.key).await;
        let (reading, old) = {
            let mut kept = self.kept();
            if let Some(board) = kept.fresh_board(benchmark) {
                return Ok(board);
            }
            let old = kept.boards.ask(benchmark.key);
            let old = old.filter(|old| old.board.is_of(benchmark) && old.stale.len() <= MAX_STALE);
            let old = old.map(|old| (Arc::clone(&old.board), old.stale.clone()));
            (Reading::begin(self, &mut kept), old)
        };
        let read = match old {
            Some((board, stale)) => board.reload(store, &self.git, &stale).await?,
            None => LoadedBoard::load(store, &self.git, benchmark).await?,
        };
        let read = Arc::new(read);
        let mut kept = self.kept();
        let meanwhile = reading.end(&mut kept);
        let meanwhile = meanwhile.filter(|touched| !touched.datasets.contains(&benchmark.key));
        if let Some(meanwhile) = meanwhile {
            kept.keep_board(benchmark.key, Arc::clone(&read), meanwhile.models);
        }
        drop(kept);
        Ok(read)
    }

    /// The results of a model, if they are kept, and the version to keep them with otherwise.
    pub(super) fn model(&self, key: RepoKey) -> Result<ModelResults, u64> {
        let kept = self.kept();
        kept.models.get(&key).ok_or(kept.version)
    }

    /// Keeps the results of a model, unless something changed since they were asked for.
    pub(super) fn keep_model(&self, key: RepoKey, version: u64, results: &ModelResults) {
        let kept = self.kept();
        if kept.version == version {
            kept.models.insert(key, Arc::clone(results));
        }
    }

    /// Returns the cache; empty when nobody could look for the changes of others for too long.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        let mut kept = self.locked();
        if kept.looked.elapsed() > TRUSTED_FOR {
            kept.forget();
        }
        kept
    }

    fn locked(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }
}

/// Builds a cache of models; those that nobody asked for the longest go when there are too many.
fn cache_of_models() -> Cache<RepoKey, ModelResults> {
    Cache::builder()
        .max_capacity(MAX_MODELS)
        .eviction_policy(EvictionPolicy::lru())
        .build()
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            version: 0,
            changes: Changes::default(),
            known: None,
            stale_benchmarks: BTreeSet::new(),
            boards: LruCache::new(ROOM),
            models: cache_of_models(),
            meanwhile: BTreeMap::new(),
            readings: 0,
            looked: Instant::now(),
        }
    }
}

impl Kept {
    /// Forgets everything.
    fn forget(&mut self) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.all();
        *self = Self {
            version: self.version + 1,
            readings: self.readings,
            looked: self.looked,
            changes,
            ..Self::default()
        };
    }

    /// Keeps a board. What changed while it was read is read again when it is asked for.
    fn keep_board(&mut self, key: RepoKey, board: Arc<LoadedBoard>, stale: BTreeSet<RepoKey>) {
        let results = board.len();
        self.boards.keep(key, results, KeptBoard { board, stale });
    }

    fn fresh_known(&self) -> Option<Arc<Known>> {
        self.known
            .clone()
            .filter(|_| self.stale_benchmarks.is_empty())
    }

    fn fresh_board(&mut self, benchmark: &Arc<KnownBenchmark>) -> Option<Arc<LoadedBoard>> {
        let kept = self.boards.ask(benchmark.key)?;
        (kept.stale.is_empty() && kept.board.is_of(benchmark)).then(|| Arc::clone(&kept.board))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_looked_after_is_not_given() {
        let directory = tempfile::tempdir().unwrap();
        let git = Arc::new(Repositories::new(directory.path()).unwrap());
        let boards = BoardCache::since(3, git);
        let results: ModelResults = Arc::default();
        let keep = |boards: &BoardCache| {
            let version = boards.model(RepoKey(1)).unwrap_err();
            boards.keep_model(RepoKey(1), version, &results);
            assert!(boards.model(RepoKey(1)).is_ok(), "it is kept");
        };
        keep(&boards);
        let before = boards.generation();

        let long_ago = Instant::now().checked_sub(TRUSTED_FOR * 2).unwrap();
        boards.locked().looked = long_ago;

        assert!(boards.model(RepoKey(1)).is_err());
        assert_ne!(boards.generation(), before, "nor are pages made of it");
        boards.note_others(3);
        keep(&boards);
        boards.note_others(3);
        assert!(boards.model(RepoKey(1)).is_ok(), "there is no news");
    }
}
