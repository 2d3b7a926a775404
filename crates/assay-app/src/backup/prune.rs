use std::collections::{BTreeMap, BTreeSet};

use super::contents::{self, Contents};
use super::fetch;
use super::manifest::{self, Digest, Manifest, StoredListing};
use super::place::BackupPlace;
use crate::error::Error;

/// Removes all but the newest whole generations, and every piece that no generation needs any more.
/// Generations with faults stay as long as older ones do. Returns the names of those that were
/// removed.
///
/// Manifests go first: a process that is killed in between leaves pieces that nobody needs, never a
/// generation that lacks some.
pub(super) async fn prune(
    place: &BackupPlace,
    contents: &Contents,
    keep: usize,
) -> Result<Vec<String>, Error> {
    let mut kept = Vec::new();
    let mut removed = Vec::new();
    let mut whole = 0;
    for name in Manifest::names(place).await?.into_iter().rev() {
        if whole >= keep.max(1) {
            removed.push(name);
            continue;
        }
        let manifest = Manifest::read(place, &name).await?;
        whole += usize::from(manifest.faults.is_empty());
        kept.push(manifest);
    }
    let needed = needed_by(contents, &kept).await?;
    Manifest::delete(place, &removed).await?;
    place.sync()?;
    contents.delete_others(&needed).await?;
    for folder in [contents::FOLDER, manifest::FOLDER] {
        place.clear_unfinished(folder)?;
    }
    removed.reverse();
    Ok(removed)
}

/// The pieces that generations need.
async fn needed_by(
    contents: &Contents,
    manifests: &[Manifest],
) -> Result<BTreeMap<Digest, u64>, Error> {
    let mut needed = BTreeMap::new();
    let mut listings = BTreeSet::new();
    for manifest in manifests {
        manifest.database.add_to(&mut needed);
        let repositories = manifest.repositories.iter().map(|own| &own.listing);
        let folders = manifest.folders.iter().map(|own| &own.listing);
        for stored in repositories.chain(folders) {
            stored.add_to(&mut needed);
            listings.insert(stored.chunks.clone());
        }
    }
    for chunks in listings {
        let stored = StoredListing { size: 0, chunks };
        let listing = fetch::listing(contents, &stored).await?;
        // What a damaged listing names is not known, so nothing can be said to be unneeded.
        let listing = listing.map_err(|fault| {
            Error::Operator(format!(
                "nothing is removed from `{}`: {fault}; `assay admin backup --verify` tells more",
                contents.address()
            ))
        })?;
        listing.add_to(&mut needed);
    }
    Ok(needed)
}
