use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::Error;

/// A directory for what is not finished. It goes with its owner, and with its process if that is
/// killed.
///
/// Its owner holds a lock on a file in it. The system lets go of the lock when the process ends,
/// however it ends; so a directory whose lock can be had is a dead one, whatever the clock says.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    _alive: File,
    is_kept: bool,
}

/// The file that is locked while the owner lives; and in a repository, while its refs are moved.
pub(crate) const LOCK: &str = "assay.lock";
/// The number of attempts, because a new directory may be removed in the moment before it is
/// locked.
const ATTEMPTS: usize = 8;

impl Scratch {
    /// A new one.
    pub(crate) fn new(parent: &Path) -> Result<Self, Error> {
        for _ in 1..ATTEMPTS {
            if let Ok(scratch) = Self::attempt(parent) {
                return Ok(scratch);
            }
        }
        Self::attempt(parent)
    }

    fn attempt(parent: &Path) -> Result<Self, Error> {
        let directory = tempfile::Builder::new()
            .prefix("")
            .rand_bytes(12)
            .tempdir_in(parent)
            .map_err(Error::disk("make a directory in", parent))?;
        let path = directory.keep();
        let marker = path.join(LOCK);
        let alive = File::create_new(&marker).map_err(Error::disk("make", &marker))?;
        alive.lock().map_err(Error::disk("lock", &marker))?;
        // Whoever clears away has the lock while they do: now we have it, it is either gone or
        // ours.
        std::fs::metadata(&marker).map_err(Error::disk("find", &marker))?;
        Ok(Self {
            path,
            _alive: alive,
            is_kept: false,
        })
    }

    /// Returns the path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Moves it to where it is to stay, with all that is in it.
    pub(crate) fn keep(mut self, path: &Path) -> std::io::Result<()> {
        std::fs::rename(&self.path, path)?;
        self.is_kept = true;
        Ok(())
    }

    /// Removes those of processes that are gone, and says how many there were.
    pub(crate) fn clear(parent: &Path) -> Result<usize, Error> {
        let mut cleared = 0;
        let entries = std::fs::read_dir(parent).map_err(Error::disk("list", parent))?;
        for entry in entries {
            let path = entry.map_err(Error::disk("list", parent))?.path();
            cleared += usize::from(clear_if_dead(&path)?);
        }
        Ok(cleared)
    }
}

fn clear_if_dead(path: &Path) -> Result<bool, Error> {
    let marker = path.join(LOCK);
    let opened = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&marker);
    let Ok(alive) = opened else {
        // It went while we looked.
        return Ok(false);
    };
    match alive.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(source)) => return Err(Error::disk("lock", marker)(source)),
    }
    match std::fs::remove_dir_all(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::disk("remove", path)(error)),
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            // It is cleared away at the next start.
            tracing::warn!(path = %self.path.display(), %error, "failed to remove a directory");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_no_living_owner_is_cleared_away() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::new(parent.path()).unwrap();
        let dead = parent.path().join("dead");
        std::fs::create_dir_all(dead.join("objects")).unwrap();
        std::fs::write(dead.join(LOCK), "").unwrap();
        std::fs::create_dir(parent.path().join("never-locked")).unwrap();

        let cleared = Scratch::clear(parent.path()).unwrap();

        assert_eq!(cleared, 2);
        assert!(living.path().is_dir() && !dead.exists());
    }

    #[test]
    fn one_that_is_dropped_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(parent.path()).unwrap();
        std::fs::write(scratch.path().join("x"), "x").unwrap();

        drop(scratch);

        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
