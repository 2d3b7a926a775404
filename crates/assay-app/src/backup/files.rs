//! The files of a data directory that a backup has, repositories and the database excepted.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use assay_git::LargeFileId;
use assay_store::Database;
use walkdir::{DirEntry, WalkDir};

use crate::error::Error;

/// The directories that have nothing to keep: what is under way, and what is made again from the
/// rest.
const LEFT_OUT: [&str; 6] = [
    "tmp",
    "xet",
    "repos/tmp",
    "trust/mirror/tmp",
    "lake",
    "lake-sources",
];
/// The directories that have bare repositories, which are copied in their own way.
pub(crate) const REPOSITORIES: [&str; 2] = ["repos", "trust/mirror"];
/// The file with the largest checkpoint that was ever signed. It tells a log from an older copy of
/// it, so no copy has it.
const LARGEST_CHECKPOINT: &str = "checkpoint.largest";
/// The file with the last checkpoint of a log.
const LAST_CHECKPOINT: &str = "checkpoint.last";
/// The beginning of the names of checkpoints that witnesses signed.
const WITNESSED: &str = "witnessed-";
/// The beginnings of the names of files that are not finished.
const UNFINISHED: [&str; 3] = [".tmp", ".upload-", ".leaving-"];
/// The directory of large files.
const LARGE_FILES: &str = "lfs";

/// Paths that are left out of a backup beside those that every backup leaves out. They are relative
/// to the data directory.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeftOut {
    /// Directories, such as that of a lake.
    pub(crate) directories: Vec<String>,
    /// The file of the database, when it is here. Those beside it, such as its write-ahead log, go
    /// with it.
    pub(crate) database: Option<String>,
}

impl LeftOut {
    /// Returns those of these directories that are in a data directory.
    pub(crate) fn new(data: &Path, directories: &[PathBuf], database: &Database) -> Self {
        let data = fs_err::canonicalize(data).unwrap_or_else(|_| data.to_owned());
        let within = |path: &PathBuf| relative(&data, &fs_err::canonicalize(path).ok()?);
        Self {
            directories: directories.iter().filter_map(within).collect(),
            database: match database {
                Database::File(path) => within(path),
                Database::Server(_) => None,
            },
        }
    }

    fn has(&self, path: &str) -> bool {
        let is_database = |file: &String| {
            let rest = path.strip_prefix(file.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        self.directories.iter().any(|own| own == path)
            || self.database.as_ref().is_some_and(is_database)
    }
}

/// A file of the data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataFile {
    /// The path from the data directory on, with `/` between its parts.
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) modified_ns: i64,
    pub(crate) mode: u32,
}

/// Lists the files of a data directory by folder: a folder for each directory of large files, and
/// one for all others. The files of a folder are in the order in which they are to be read.
pub(crate) fn data_files(
    data: &Path,
    left_out: &LeftOut,
) -> Result<BTreeMap<String, Vec<DataFile>>, Error> {
    let is_wanted = |entry: &DirEntry| {
        let Some(path) = relative(data, entry.path()) else {
            return true;
        };
        let is_directory = entry.file_type().is_dir();
        !left_out.has(&path)
            && if is_directory {
                !LEFT_OUT.contains(&path.as_str()) && !is_repository(&path)
            } else {
                is_kept(&path)
            }
    };
    let mut folders: BTreeMap<String, Vec<DataFile>> = BTreeMap::new();
    // A part of the directory may lie on another disk.
    let walk = WalkDir::new(data).follow_links(true).sort_by_file_name();
    for entry in walk.into_iter().filter_entry(is_wanted) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if has_gone(&error) => continue,
            Err(error) => return Err(Error::internal(error)),
        };
        let facts = match entry.metadata() {
            Ok(facts) => facts,
            Err(error) if has_gone(&error) => continue,
            Err(error) => return Err(Error::internal(error)),
        };
        if let Some(path) = relative(data, entry.path()).filter(|_| facts.is_file()) {
            let folder = folder_of(&path).to_owned();
            folders.entry(folder).or_default().push(DataFile {
                path,
                size: facts.len(),
                modified_ns: nanoseconds(facts.modified().unwrap_or(UNIX_EPOCH)),
                mode: mode_of(&facts),
            });
        }
    }
    for files in folders.values_mut() {
        files.sort_by_key(|file| reading_order(&file.path));
    }
    Ok(folders)
}

/// The path of a large file in a data directory.
pub(crate) fn large_file_path(oid: LargeFileId) -> String {
    let oid = oid.to_string();
    format!("{LARGE_FILES}/{}/{}/{oid}", &oid[..2], &oid[2..4])
}

/// The large file of a path in a data directory; `None` when the path is that of another file.
pub(crate) fn large_file_of(path: &str) -> Option<LargeFileId> {
    let oid = path.rsplit('/').next()?.parse().ok()?;
    (large_file_path(oid) == path).then_some(oid)
}

/// A moment as nanoseconds since 1970.
pub(crate) fn nanoseconds(moment: SystemTime) -> i64 {
    let since = moment.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The path of a file from a directory on; none for the directory itself, and for names that are no
/// text, which the hub gives to nothing.
fn relative(data: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(data).ok()?.to_str()?;
    (!path.is_empty()).then(|| path.replace(std::path::MAIN_SEPARATOR, "/"))
}

fn is_repository(path: &str) -> bool {
    REPOSITORIES.iter().any(|root| {
        let rest = path
            .strip_prefix(root)
            .and_then(|rest| rest.strip_prefix('/'));
        let parts = rest.and_then(|rest| rest.split_once('/'));
        parts.is_some_and(|(shard, name)| {
            let key = name.strip_suffix(".git").map(str::parse::<i64>);
            shard.len() == 2 && matches!(key, Some(Ok(_)))
        })
    })
}

/// Returns whether git or another program holds a file of this name as a lock.
fn has_lock_ending(name: &str) -> bool {
    std::path::Path::new(name)
        .extension()
        .is_some_and(|ending| ending == "lock")
}

fn is_kept(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_lock = name == "lock" || name.ends_with("-lock") || has_lock_ending(name);
    let is_unfinished = UNFINISHED.iter().any(|start| name.starts_with(start));
    let is_database = path == "hub.db" || path.starts_with("hub.db-");
    !is_lock && !is_unfinished && !is_database && name != LARGEST_CHECKPOINT
}

/// Large files are many, and a directory of them that has not changed is listed in one line.
pub(crate) fn folder_of(path: &str) -> &str {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let (first, second) = (slashes.next(), slashes.next());
    match (first, second) {
        (Some(first), Some(second)) if &path[..first] == LARGE_FILES => &path[..second],
        _ => "",
    }
}

/// A log only grows. So what says how long it is, is read before the log itself.
fn reading_order(path: &str) -> (u8, String) {
    let name = path.rsplit('/').next().unwrap_or(path);
    let rank = if name.starts_with(WITNESSED) {
        0
    } else if name == LAST_CHECKPOINT {
        1
    } else {
        2
    };
    (rank, path.to_owned())
}

fn has_gone(error: &walkdir::Error) -> bool {
    let kind = error.io_error().map(std::io::Error::kind);
    kind == Some(ErrorKind::NotFound)
}

#[cfg(unix)]
fn mode_of(facts: &Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    facts.permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn mode_of(_: &Metadata) -> u32 {
    0o600
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_listed_but_what_is_under_way_locked_or_made_again() {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path();
        for path in [
            "hub.json",
            "hub.db",
            "hub.db-wal",
            "records.db",
            "records.db-wal",
            "lock",
            "server-lock",
            "tmp/upload-1",
            "lake-sources/a.json",
            "elsewhere/lake.json",
            "repos/01/1.git/HEAD",
            "repos/tmp/x/HEAD",
            "repos/.unrecorded/2026/1.git/HEAD",
            "lfs/ab/cd/abcd",
            "lfs/.upload-1",
            "trust/lock",
            "trust/passphrase",
            "trust/witnessed-results",
            "trust/mirror/01/1.git/HEAD",
            "trust/results/checkpoint.last",
            "trust/results/checkpoint.largest",
            "trust/results/entries",
        ] {
            let path = data.join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "x").unwrap();
        }

        let database = Database::File(data.join("records.db"));
        let left_out = LeftOut::new(data, &[data.join("elsewhere")], &database);
        let folders = data_files(data, &left_out).unwrap();

        let paths = |folder: &str| -> Vec<&str> {
            let files = folders[folder].iter();
            files.map(|file| file.path.as_str()).collect()
        };
        assert_eq!(folders.len(), 2);
        assert_eq!(paths("lfs/ab"), ["lfs/ab/cd/abcd"]);
        assert_eq!(
            paths(""),
            [
                "trust/witnessed-results",
                "trust/results/checkpoint.last",
                "hub.json",
                "repos/.unrecorded/2026/1.git/HEAD",
                "trust/passphrase",
                "trust/results/entries",
            ]
        );
    }
}
