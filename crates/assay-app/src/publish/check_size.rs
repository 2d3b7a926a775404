//! Limits on the size of one change: they bound the cost of indexing it, whoever makes it.

use assay_model::ObjectId;

use crate::error::{Error, Limit};
use crate::index::{MAX_ENTRIES, ResultFileReader};

/// The fewest bytes of a result file that an entry takes: one that repeats another by an alias.
const ENTRY_BYTES: u64 = 4;

/// Refuses a change that brings more commits than it may, whichever of its refs they lead to.
pub(super) fn count_commits(commits: usize, most: usize) -> Result<(), Error> {
    if commits > most {
        return Err(Error::TooLarge(Limit::PushedCommits { most }));
    }
    Ok(())
}

/// Refuses a commit whose result files have more entries than are indexed. Files that cannot have
/// so many by their sizes are not read.
pub(super) fn count_results(
    result_files: &ResultFileReader<'_>,
    old: Option<ObjectId>,
    new: ObjectId,
) -> Result<(), Error> {
    let objects = result_files.objects;
    let folder = result_files.folder(new)?;
    let before = match old {
        Some(old) if objects.contains(old)? => result_files.folder(old)?,
        Some(_) | None => None,
    };
    if folder == before {
        return Ok(());
    }
    let files = result_files.files(new)?;
    let mut bytes = 0;
    for file in &files {
        bytes += objects.size(file.blob)?;
    }
    if bytes <= MAX_ENTRIES as u64 * ENTRY_BYTES {
        return Ok(());
    }
    let mut entries = 0;
    for file in &files {
        entries += result_files.read(file.kind, file.blob)?.submissions().len();
        if entries > MAX_ENTRIES {
            return Err(Error::TooLarge(Limit::ResultEntries { most: MAX_ENTRIES }));
        }
    }
    Ok(())
}
