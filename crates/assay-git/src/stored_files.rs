use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::scratch::LOCK;
use crate::{Error, Repository};

/// A file of a repository that a copy of it must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The path from the directory of the repository, with `/` between its parts.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// Time at which it was last written.
    pub modified: SystemTime,
    /// True if it is an object or a pack, which never changes under its name.
    pub is_object: bool,
}

/// The endings of the files of a pack that cannot be made again from others.
const PACK_FILES: [&str; 2] = ["pack", "idx"];
/// Number of digits of a hash that are the name of the directory of a loose object.
const FAN_DIGITS: usize = 2;
/// Number of digits of a hash that are the name of the file of a loose object.
const NAME_DIGITS: usize = 38;

impl Repository {
    /// Lists the files of the repository except its refs: loose objects first, then packs, then all
    /// others.
    ///
    /// A repack writes the new pack before it removes anything. So an object that is missing among
    /// the loose ones, because it was packed a moment ago, is in a pack of the list. Whatever else
    /// changes meanwhile is found by [`check_connected`](crate::check_connected).
    pub fn stored_files(&self) -> Result<Vec<StoredFile>, Error> {
        stored_files(self.path())
    }
}

/// Lists the files of the repository in a directory.
pub(crate) fn stored_files(git_dir: &Path) -> Result<Vec<StoredFile>, Error> {
    let mut files = Vec::new();
    for (fan, facts) in &entries(git_dir, "objects")? {
        if !facts.is_dir() || !is_hash_part(fan, FAN_DIGITS) {
            continue;
        }
        for (name, facts) in entries(git_dir, &format!("objects/{fan}"))? {
            if facts.is_file() && is_hash_part(&name, NAME_DIGITS) {
                files.push(file(format!("objects/{fan}/{name}"), &facts, true));
            }
        }
    }
    files.extend(packs(git_dir)?);
    others(git_dir, "", &mut files)?;
    Ok(files)
}

/// Lists the packs that have an index, which is written last and removed first.
fn packs(git_dir: &Path) -> Result<Vec<StoredFile>, Error> {
    let found = entries(git_dir, "objects/pack")?;
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let is_whole = |stem: &str| {
        let has = |ending: &&str| names.binary_search(&format!("{stem}.{ending}")).is_ok();
        PACK_FILES.iter().all(has)
    };
    let packs = found.into_iter().filter_map(|(name, facts)| {
        let (stem, ending) = name.rsplit_once('.')?;
        let is_kept = facts.is_file() && PACK_FILES.contains(&ending) && is_whole(stem);
        is_kept.then(|| file(format!("objects/pack/{name}"), &facts, true))
    });
    Ok(packs.collect())
}

/// Adds the files below a directory that are neither objects nor refs nor locks.
fn others(git_dir: &Path, folder: &str, files: &mut Vec<StoredFile>) -> Result<(), Error> {
    for (name, facts) in entries(git_dir, folder)? {
        let path = if folder.is_empty() {
            name.clone()
        } else {
            format!("{folder}/{name}")
        };
        let is_left_out = matches!(path.as_str(), "objects" | "refs" | "packed-refs" | LOCK)
            || has_ending(&name, "lock");
        if is_left_out {
            continue;
        }
        if facts.is_dir() {
            others(git_dir, &path, files)?;
        } else if facts.is_file() {
            files.push(file(path, &facts, false));
        }
    }
    Ok(())
}

fn file(path: String, facts: &Metadata, is_object: bool) -> StoredFile {
    StoredFile {
        path,
        size: facts.len(),
        modified: facts.modified().unwrap_or(SystemTime::UNIX_EPOCH),
        is_object,
    }
}

/// The names and facts of what is in a directory, in the order of the names. One that is not there
/// has nothing; what goes meanwhile is left out.
fn entries(git_dir: &Path, folder: &str) -> Result<Vec<(String, Metadata)>, Error> {
    let path = git_dir.join(folder);
    let listed = match std::fs::read_dir(&path) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound && path != git_dir => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(Error::disk("list", path)(error)),
    };
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry.map_err(Error::disk("list", &path))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            continue;
        };
        match entry.metadata() {
            Ok(facts) => found.push((name.to_owned(), facts)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::disk("find", entry.path())(error)),
        }
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(found)
}

fn is_hash_part(name: &str, digits: usize) -> bool {
    name.len() == digits && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name).extension().is_some_and(|own| own == ending)
}
