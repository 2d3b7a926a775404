use std::fs::File;
use std::path::Path;

use crate::error::Error;

/// The mark that a process works in a data directory. The system takes it away when the process ends, however it ends.
///
/// Several may work in one directory: a server, and beside it the commands of its operator. What is shared, the database
/// and git's refs, has locks of its own. Temporary files have not; so they are cleared away only by who finds nobody else.
#[derive(Debug)]
pub(crate) struct Tenant {
    _mark: File,
}

/// The file that is locked. It is empty, and stays.
const MARK: &str = "lock";

impl Tenant {
    /// Comes in, and clears the directory of temporary files if nobody else is there.
    pub(crate) fn enter(data: &Path) -> Result<Self, Error> {
        let temporary = data.join("tmp");
        fs_err::create_dir_all(&temporary).map_err(Error::internal)?;
        let mark = fs_err::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(data.join(MARK))
            .map_err(Error::internal)?
            .into_parts()
            .0;
        if mark.try_lock().is_ok() {
            clear(&temporary)?;
            mark.unlock().map_err(Error::internal)?;
        }
        // Whoever comes in between finds nothing of ours yet.
        mark.lock_shared().map_err(Error::internal)?;
        Ok(Self { _mark: mark })
    }
}

fn clear(directory: &Path) -> Result<(), Error> {
    for entry in fs_err::read_dir(directory).map_err(Error::internal)? {
        let entry = entry.map_err(Error::internal)?;
        let is_directory = entry.file_type().map_err(Error::internal)?.is_dir();
        let removed = if is_directory {
            fs_err::remove_dir_all(entry.path())
        } else {
            fs_err::remove_file(entry.path())
        };
        // What cannot be removed is in nobody's way.
        if let Err(error) = removed {
            tracing::warn!(%error, "a temporary file stays behind");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leave_something(data: &Path) {
        fs_err::create_dir_all(data.join("tmp/check-index1")).unwrap();
        fs_err::write(data.join("tmp/check-index1/live.db"), "x").unwrap();
        fs_err::write(data.join("tmp/upload-1"), "x").unwrap();
    }

    fn is_clear(data: &Path) -> bool {
        fs_err::read_dir(data.join("tmp")).unwrap().next().is_none()
    }

    #[test]
    fn whoever_comes_alone_clears_away_what_others_have_left() {
        let data = tempfile::tempdir().unwrap();
        leave_something(data.path());

        let _tenant = Tenant::enter(data.path()).unwrap();

        assert!(is_clear(data.path()));
    }

    #[test]
    fn whoever_finds_somebody_leaves_everything_where_it_is() {
        let data = tempfile::tempdir().unwrap();
        let first = Tenant::enter(data.path()).unwrap();
        leave_something(data.path());

        let second = Tenant::enter(data.path()).unwrap();
        drop(first);
        let third = Tenant::enter(data.path()).unwrap();

        assert!(!is_clear(data.path()));
        drop((second, third));
        let _alone = Tenant::enter(data.path()).unwrap();
        assert!(is_clear(data.path()));
    }
}
