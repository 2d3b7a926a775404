//! Indexes that are made anew, and in what they differ.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use assay_model::RepoKey;
use assay_store::{DumpRow, Store};
use sha2::{Digest as _, Sha256};

use super::IndexDifference;
use crate::damage::{Damage, read_refs};
use crate::error::Error;
use crate::hub::blocking;
use crate::index::{Extent, Sources, index};

/// The key under which the comparison reports differences in the logs.
pub(super) const NO_REPOSITORY: RepoKey = RepoKey(0);
/// Number of keys that are asked for at a time.
const KEYS: u32 = 1000;
/// Number of differences that are told.
const MAX_DIFFERENCES: usize = 1000;

/// In what two indexes differ.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// The repositories.
    pub(super) keys: BTreeSet<RepoKey>,
    /// The rows, up to [`MAX_DIFFERENCES`].
    pub(super) differences: Vec<IndexDifference>,
    /// The repositories that cannot be read, of which nothing is said.
    pub(super) damaged: Vec<RepoKey>,
}

/// Repositories that could not be indexed, and why.
pub(super) type NotIndexed = BTreeMap<RepoKey, Vec<Damage>>;

/// Makes the index of some repositories anew. One that is damaged must not keep the others from
/// being indexed.
pub(super) async fn renew(
    sources: &Sources,
    store: &Store,
    keys: &[RepoKey],
) -> Result<NotIndexed, Error> {
    let mut damaged = NotIndexed::new();
    for key in keys.iter().copied().filter(|key| *key != NO_REPOSITORY) {
        if let Err(faults) = index_or_tell(sources, store, key, Extent::Everything).await? {
            damaged.insert(key, faults);
        }
    }
    Ok(damaged)
}

/// Makes the index of every repository where none has any.
pub(super) async fn rebuild(
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
        // The repository is not damaged: somebody else was in the way, or the disk cannot be
        // written.
        Err(error @ (Error::Busy(_) | Error::NoSpace(_) | Error::ReadOnly(_))) => Err(error),
        Err(error) => Ok(Err(vec![Damage::of_error(&error)])),
    }
}

/// The rows in which two indexes differ, whatever their order. Rows are told apart by a digest, so
/// that two indexes that agree need little memory; only when they do not, they are read again for
/// the words.
pub(super) async fn compare(
    live: &Store,
    rebuilt: &Store,
    damaged: &NotIndexed,
) -> Result<Compared, Error> {
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
