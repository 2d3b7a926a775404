//! Synchronisation to the disk before anything is acknowledged.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_model::Durability;

use crate::Error;

/// Number of files that are waited for at once. A disk makes many durable in the time of one.
const AT_ONCE: usize = 8;

/// Waits until the bytes of a file are on the disk. It is done before the file gets its name, so
/// that whatever has a name is whole, also after a loss of power.
pub(crate) fn file(durability: Durability, path: &Path) -> Result<(), Error> {
    match durability {
        Durability::Fast => Ok(()),
        Durability::Full => sync(path),
    }
}

/// Waits until the bytes of several files are on the disk.
pub(crate) fn files(durability: Durability, paths: &[PathBuf]) -> Result<(), Error> {
    match durability {
        Durability::Fast => Ok(()),
        Durability::Full => sync_all(paths),
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
        // Elsewhere a directory cannot be opened, and names are kept with the files.
        if !cfg!(unix) {
            return Ok(());
        }
        // One that went with the last of its names is told by the directory that it was in.
        let there = |path: &PathBuf| path.is_dir();
        let paths: Vec<PathBuf> = self.paths.into_iter().filter(there).collect();
        match sync_all(&paths) {
            Err(Error::Disk { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(()),
            synced => synced,
        }
    }
}

fn sync(path: &Path) -> Result<(), Error> {
    File::open(path)
        .and_then(|file| file.sync_all())
        .map_err(Error::disk("sync", path))
}

fn sync_all(paths: &[PathBuf]) -> Result<(), Error> {
    if let [] | [_] = paths {
        return paths.iter().try_for_each(|path| sync(path));
    }
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Error> {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            sync(path)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..paths.len().min(AT_ONCE))
            .map(|_| scope.spawn(work))
            .collect();
        for thread in threads {
            match thread.join() {
                Ok(done) => done?,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_synced_is_an_error_and_only_where_it_has_to_last() {
        let directory = tempfile::tempdir().unwrap();
        let mut paths: Vec<PathBuf> = (0..20)
            .map(|number| directory.path().join(number.to_string()))
            .collect();
        for path in &paths {
            std::fs::write(path, "x").unwrap();
        }

        let all = files(Durability::Full, &paths);
        paths.push(directory.path().join("absent"));
        let absent = files(Durability::Full, &paths);
        let fast = files(Durability::Fast, &paths);

        assert!(all.is_ok() && fast.is_ok());
        assert!(matches!(absent, Err(Error::Disk { .. })), "{absent:?}");
    }
}
