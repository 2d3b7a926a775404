use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::lake::{Change, Lake};

/// Removes all rows of files that were found below some directories and are there no more. Returns how many files that were.
pub fn forget_missing(lake: &Lake, directories: &[PathBuf]) -> Result<u64> {
    let mut writing = lake.write()?;
    let sources = writing.manifest.sources.iter();
    let gone: BTreeSet<String> = sources
        .filter(|(_, source)| {
            let path = Path::new(&source.path);
            let is_meant = directories
                .iter()
                .any(|directory| path.starts_with(directory));
            is_meant && !path.is_file()
        })
        .map(|(id, _)| id.clone())
        .collect();
    if gone.is_empty() {
        return Ok(0);
    }
    let forgotten = writing.commit(Change {
        removed: gone,
        ..Change::default()
    })?;
    writing.clean_now_and_then()?;
    Ok(forgotten)
}
