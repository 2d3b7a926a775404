use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use assay_store::Database;

use crate::error::Error;

/// The mark that a process works in a data directory. The system takes it away when the process
/// ends, however it ends.
///
/// Several may work in one directory: a server, and beside it the commands of its operator. What is
/// shared, the database and git's refs, has locks of its own. Temporary files have not; so they are
/// cleared away only by who finds nobody else.
#[derive(Debug)]
pub(crate) struct DataDirLock {
    _mark: File,
}

/// The mark that a server works in a data directory. With a database in a file there is at most
/// one; with one that tells each server of the changes of the others there are several.
#[derive(Debug)]
pub struct ServerMark {
    _mark: File,
}

/// The file that everyone locks who works here. It is empty, and stays.
const MARK: &str = "lock";
/// The file that a server locks.
const SERVER_MARK: &str = "server-lock";
/// The number of times that a server that finds another looks again. One that was stopped may leave
/// a `git` behind that is not yet quite started, and holds what it inherited until it is.
const TRIES: u32 = 20;
/// The time between two looks.
const BETWEEN_TRIES: Duration = Duration::from_millis(25);

/// The number of servers that may work in a data directory: one or several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Servers {
    /// One.
    One,
    /// Any number, all on one database of a server.
    Several,
}

impl Servers {
    /// Returns the number of may that work with a database; none is the file in the data directory.
    pub fn with(database: Option<&Database>) -> Self {
        match database {
            None | Some(Database::File(_)) => Self::One,
            Some(Database::Server(_)) => Self::Several,
        }
    }
}

impl ServerMark {
    /// Marks a directory as that of this server, which makes the directory if need be. The mark
    /// goes with the process, however that ends.
    pub fn set(data: &Path, servers: Servers) -> Result<Self, Error> {
        make_data_directory(data)?;
        let mark = open_mark(&data.join(SERVER_MARK))?;
        let lock = || match servers {
            Servers::One => mark.try_lock(),
            Servers::Several => mark.try_lock_shared(),
        };
        let mut locked = lock();
        for _ in 0..TRIES {
            if !matches!(locked, Err(TryLockError::WouldBlock)) {
                break;
            }
            std::thread::sleep(BETWEEN_TRIES);
            locked = lock();
        }
        match locked {
            Ok(()) => Ok(Self { _mark: mark }),
            Err(TryLockError::WouldBlock) => Err(Error::Operator(format!(
                "another server works in `{}`; stop it first, or name another directory with `--data`",
                data.display()
            ))),
            Err(TryLockError::Error(error)) => Err(Error::internal(error)),
        }
    }
}

impl ServerMark {
    /// Marks the directory of a database as that of a server, if one has ever worked there.
    pub(crate) fn beside(database: &Path) -> Result<Option<Self>, Error> {
        match database.parent() {
            Some(data) if data.join(SERVER_MARK).is_file() => {
                Self::set(data, Servers::One).map(Some)
            }
            Some(_) | None => Ok(None),
        }
    }
}

impl DataDirLock {
    /// Comes in, and clears the directory of temporary files if nobody else is there.
    pub(crate) fn enter(data: &Path) -> Result<Self, Error> {
        make_data_directory(data)?;
        let temporary = data.join("tmp");
        fs_err::create_dir_all(&temporary).map_err(Error::internal)?;
        let mark = open_mark(&data.join(MARK))?;
        if mark.try_lock().is_ok() {
            clear(&temporary)?;
            mark.unlock().map_err(Error::internal)?;
        }
        // Whoever comes in between finds nothing of ours yet.
        mark.lock_shared().map_err(Error::internal)?;
        Ok(Self { _mark: mark })
    }
}

/// Locks a file that is made if need be; `None` when another process has locked it. The lock goes
/// with the file.
pub(crate) fn lock_alone(path: &Path) -> Result<Option<File>, Error> {
    let file = open_mark(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(Error::internal(error)),
    }
}

fn open_mark(path: &Path) -> Result<File, Error> {
    let opened = fs_err::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path);
    Ok(opened.map_err(Error::internal)?.into_parts().0)
}

/// Makes the directory so that only its owner can look into it: private repositories lie there as
/// they are. One that is there keeps the permissions that somebody gave it, and whoever reads the
/// log hears of them.
pub fn make_data_directory(data: &Path) -> Result<(), Error> {
    if data.is_dir() {
        warn_if_open(data);
        return Ok(());
    }
    if let Some(parent) = data
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        fs_err::create_dir_all(parent).map_err(Error::internal)?;
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, OWNER_ONLY);
    match builder.create(data) {
        // Somebody else was faster.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(Error::internal),
    }
}

/// The permissions of a directory that only its owner may use.
#[cfg(unix)]
const OWNER_ONLY: u32 = 0o700;

#[cfg(unix)]
fn warn_if_open(data: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if let Ok(facts) = fs_err::metadata(data)
        && facts.permissions().mode() & 0o077 != 0
    {
        tracing::warn!(
            data = %data.display(),
            "others on this machine can look into `{}`; `chmod 700` keeps private repositories private",
            data.display()
        );
    }
}

#[cfg(not(unix))]
fn warn_if_open(_: &Path) {}

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

        let _tenant = DataDirLock::enter(data.path()).unwrap();

        assert!(is_clear(data.path()));
    }

    #[test]
    fn whoever_finds_somebody_leaves_everything_where_it_is() {
        let data = tempfile::tempdir().unwrap();
        let first = DataDirLock::enter(data.path()).unwrap();
        leave_something(data.path());

        let second = DataDirLock::enter(data.path()).unwrap();
        drop(first);
        let third = DataDirLock::enter(data.path()).unwrap();

        assert!(!is_clear(data.path()));
        drop((second, third));
        let _alone = DataDirLock::enter(data.path()).unwrap();
        assert!(is_clear(data.path()));
    }

    #[test]
    fn there_is_one_server_in_a_directory_and_others_may_come_in_beside_it() {
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("new/data");

        let first = ServerMark::set(&data, Servers::One).unwrap();
        let second = ServerMark::set(&data, Servers::Several);
        let beside = DataDirLock::enter(&data);

        let Err(Error::Operator(told)) = second else {
            panic!("{second:?}");
        };
        assert!(told.contains("another server works in"), "{told}");
        beside.unwrap();
        drop(first);
        let _shared = ServerMark::set(&data, Servers::Several).unwrap();
        let _too = ServerMark::set(&data, Servers::Several).unwrap();
        assert!(ServerMark::set(&data, Servers::One).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_new_directory_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let data = parent.path().join("data");

        let _tenant = DataDirLock::enter(&data).unwrap();

        let mode = fs_err::metadata(&data).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, OWNER_ONLY);
    }
}
