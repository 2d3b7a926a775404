use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_model::{Durability, ObjectId, RepoKey};
use gix::odb::store::init::{Options, Slots};
use parking_lot::{Mutex, RwLock};

use crate::{Error, LargeFile};

/// A repository on disk, with the parts of it that are open.
#[derive(Debug)]
pub(crate) struct Base {
    pub(crate) key: RepoKey,
    pub(crate) git_dir: PathBuf,
    /// The directory of its quarantines; a rename must reach the repository from there.
    pub(crate) scratch: PathBuf,
    pub(crate) refs: gix::refs::file::Store,
    pub(crate) facts: Arc<Facts>,
    pub(crate) durability: Durability,
    store: RwLock<Arc<Store>>,
}

/// gix's store, which does not print.
pub(crate) struct Store(Arc<gix::odb::Store>);

/// A place to read objects from; each thread needs its own.
pub(crate) type Handle = gix::odb::HandleArc;

/// A cache of facts of blobs by their hash, in any repository: a listing needs them for every file.
#[derive(Debug, Default)]
pub(crate) struct Facts(Mutex<HashMap<ObjectId, BlobFacts>>);

/// The facts of a blob that a listing shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobFacts {
    pub(crate) size: u64,
    pub(crate) large: Option<LargeFile>,
}

/// The number of packs that a store can hold beyond those it found when it was opened; beyond that
/// it is opened again.
const SPARE_PACKS: usize = 32;
/// Number of blobs that are known before all are forgotten; some ten megabytes.
const MAX_FACTS: usize = 100_000;
/// The largest thing that a pack may make us reserve memory for.
const MAX_ALLOCATION: usize = 1 << 30;

impl Base {
    pub(crate) fn open(
        key: RepoKey,
        git_dir: PathBuf,
        scratch: PathBuf,
        facts: Arc<Facts>,
        durability: Durability,
    ) -> Result<Self, Error> {
        let store = Store::open(&git_dir.join("objects"))?;
        let options = gix::refs::store::init::Options {
            // A bare repository keeps no log of its refs.
            write_reflog: gix::refs::store::WriteReflog::Disable,
            ..Default::default()
        };
        let refs = gix::refs::file::Store::at_opts(git_dir.clone(), gix::hash::Kind::Sha1, options);
        Ok(Self {
            key,
            git_dir,
            scratch,
            refs,
            facts,
            durability,
            store: RwLock::new(Arc::new(store)),
        })
    }

    pub(crate) fn objects_dir(&self) -> PathBuf {
        self.git_dir.join("objects")
    }

    pub(crate) fn handle(&self) -> Handle {
        let store = self.store.read();
        store.handle()
    }

    /// Opens the objects again: more packs may have come than the store has room for.
    pub(crate) fn reopen(&self) -> Result<(), Error> {
        let store = Arc::new(Store::open(&self.objects_dir())?);
        *self.store.write() = store;
        Ok(())
    }
}

impl Store {
    pub(crate) fn open(objects: &Path) -> Result<Self, Error> {
        let options = Options {
            slots: Slots::AsNeededByDiskState {
                multiplier: 1.5,
                minimum: SPARE_PACKS,
            },
            alloc_limit_bytes: Some(MAX_ALLOCATION),
            ..Options::default()
        };
        let none = &mut std::iter::empty();
        let store =
            gix::odb::Store::at_opts(objects.to_owned(), gix::hash::Kind::Sha1, none, options)
                .map_err(Error::disk("open", objects))?;
        Ok(Self(Arc::new(store)))
    }

    pub(crate) fn handle(&self) -> Handle {
        self.0.to_cache_arc()
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Facts {
    pub(crate) fn get(&self, blob: ObjectId) -> Option<BlobFacts> {
        let facts = self.0.lock();
        facts.get(&blob).copied()
    }

    pub(crate) fn set(&self, blob: ObjectId, known: BlobFacts) {
        let mut facts = self.0.lock();
        if facts.len() >= MAX_FACTS {
            facts.clear();
        }
        facts.insert(blob, known);
    }
}
