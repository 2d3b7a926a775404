//! What has to be on the disk before anybody hears that it is.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use assay_model::Durability;

use crate::Error;

/// Waits until the bytes of a file are on the disk. It is done before the file gets its name, so that whatever has a name is
/// whole, also after a loss of power.
pub(crate) fn file(durability: Durability, path: &Path) -> Result<(), Error> {
    match durability {
        Durability::Fast => Ok(()),
        Durability::Full => File::open(path)
            .and_then(|file| file.sync_all())
            .map_err(Error::disk("sync", path)),
    }
}

/// Directories that have new names in them.
#[derive(Debug)]
pub(crate) struct Directories {
    durability: Durability,
    paths: BTreeSet<PathBuf>,
}

impl Directories {
    pub(crate) fn new(durability: Durability) -> Self {
        Self {
            durability,
            paths: BTreeSet::new(),
        }
    }

    /// Notes the directory that a path is in.
    pub(crate) fn of(&mut self, path: &Path) {
        if self.durability == Durability::Full {
            self.paths.extend(path.parent().map(Path::to_owned));
        }
    }

    /// Waits until all names are on the disk.
    pub(crate) fn sync(self) -> Result<(), Error> {
        for path in self.paths {
            // Elsewhere a directory cannot be opened, and names are kept with the files.
            #[cfg(unix)]
            File::open(&path)
                .and_then(|directory| directory.sync_all())
                .map_err(Error::disk("sync", path))?;
            #[cfg(not(unix))]
            drop(path);
        }
        Ok(())
    }
}
