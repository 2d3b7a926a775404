//! Repositories that no record names. They are moved out of the way and kept.

use std::io;
use std::path::{Path, PathBuf};

use assay_model::RepoKey;

use crate::repositories::key_of;
use crate::sync::Directories;
use crate::{Error, Repositories};

/// The directory that they are moved to, below that of the repositories.
const UNRECORDED: &str = ".unrecorded";
/// The most directories of one key that can be set aside at one moment.
const MAX_SAME: u32 = 1000;

/// A repository that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetAside {
    /// The time, as the caller of [`Repositories::set_aside`] spelled it.
    pub moment: String,
    /// The key that it had.
    pub key: RepoKey,
    /// The directory.
    pub path: PathBuf,
}

impl Repositories {
    /// Moves the directory of a repository to `.unrecorded/MOMENT/KEY.git` and returns where it is.
    pub fn set_aside(&self, key: RepoKey, moment: &str) -> Result<PathBuf, Error> {
        let from = self.path(key);
        let parent = self.free_place(key, moment)?;
        let to = parent.join(format!("{key}.git"));
        self.forget(key);
        match std::fs::rename(&from, &to) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NoRepository(key));
            }
            Err(error) => return Err(Error::disk("set aside", from)(error)),
        }
        self.sync_names(&from, &to)?;
        Ok(to)
    }

    /// Returns the repositories that were set aside, oldest first.
    pub fn list_set_aside(&self) -> Result<Vec<SetAside>, Error> {
        let mut found = Vec::new();
        for moment in names_in(&self.root().join(UNRECORDED))? {
            let directory = self.root().join(UNRECORDED).join(&moment);
            for name in names_in(&directory)? {
                if let Some(key) = key_of(&name) {
                    found.push(SetAside {
                        moment: moment.clone(),
                        key,
                        path: directory.join(name),
                    });
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Moves a repository that was set aside to the place of a key, where nothing may be.
    pub fn bring_back(&self, aside: &SetAside, key: RepoKey) -> Result<(), Error> {
        let to = self.path(key);
        if to.exists() {
            return Err(Error::RepositoryExists(key));
        }
        if let Some(parent) = to.parent() {
            std::fs::create_dir_all(parent).map_err(Error::disk("make", parent))?;
        }
        std::fs::rename(&aside.path, &to).map_err(Error::disk("bring back", &aside.path))?;
        self.sync_names(&aside.path, &to)?;
        // The directories of a moment are of no use when they are empty; one that is not stays.
        if let Some(moment) = aside.path.parent() {
            let _ = std::fs::remove_dir(moment);
        }
        Ok(())
    }

    /// Makes a directory for a moment that has no repository of this key yet.
    fn free_place(&self, key: RepoKey, moment: &str) -> Result<PathBuf, Error> {
        let root = self.root().join(UNRECORDED);
        for number in 1..=MAX_SAME {
            let name = match number {
                1 => moment.to_owned(),
                number => format!("{moment}-{number}"),
            };
            let directory = root.join(name);
            if !directory.join(format!("{key}.git")).exists() {
                std::fs::create_dir_all(&directory).map_err(Error::disk("make", &directory))?;
                return Ok(directory);
            }
        }
        Err(Error::RepositoryExists(key))
    }

    fn sync_names(&self, from: &Path, to: &Path) -> Result<(), Error> {
        let mut directories = Directories::new(self.durability());
        directories.of(from);
        directories.of(to);
        if let Some(parent) = to.parent() {
            directories.of(parent);
        }
        directories.sync()
    }
}

/// The names in a directory, in order; none when it does not exist.
fn names_in(directory: &Path) -> Result<Vec<String>, Error> {
    let failed = || Error::disk("list", directory);
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed()(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed())?;
        let is_directory = entry.file_type().map_err(failed())?.is_dir();
        names.extend(
            entry
                .file_name()
                .into_string()
                .ok()
                .filter(|_| is_directory),
        );
    }
    names.sort();
    Ok(names)
}
