use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_model::{Durability, RepoKey};
use parking_lot::{Mutex, MutexGuard};

use crate::base::{Base, Facts};
use crate::scratch::Scratch;
use crate::sync::{self, Directories};
use crate::{CommitPlan, Error, Quarantine, RefName, Repository};

/// A directory of bare repositories: `{key % 256 in hex}/{key}.git`. Several processes may share
/// it.
///
/// What is not finished lies in `tmp`: quarantines, repositories that are being made, and those
/// that are being deleted.
#[derive(Debug)]
pub struct Repositories {
    root: PathBuf,
    scratch: PathBuf,
    facts: Arc<Facts>,
    durability: Durability,
    opened: Mutex<Opened>,
}

/// The leftovers that [`Repositories::recover`] removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Quarantines, half-made and half-deleted repositories whose process is gone.
    pub leftovers: usize,
}

/// The repositories that were asked for lately.
#[derive(Debug, Default)]
struct Opened {
    repositories: HashMap<RepoKey, (Repository, u64)>,
    asked: u64,
}

/// Number of repositories that are kept open.
const MAX_OPENED: usize = 512;

const CONFIG: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n";

impl Repositories {
    /// The repositories below a directory, which is made if it does not exist.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, Error> {
        let root = root.into();
        let scratch = root.join("tmp");
        std::fs::create_dir_all(&scratch).map_err(Error::disk("make", &scratch))?;
        // `git` runs elsewhere and must find its way back.
        let root = std::fs::canonicalize(&root).map_err(Error::disk("find", &root))?;
        Ok(Self {
            scratch: root.join("tmp"),
            root,
            facts: Arc::default(),
            durability: Durability::Fast,
            opened: Mutex::default(),
        })
    }

    /// The same, whose changes outlast what this says; without, they outlast the process.
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Makes a repository whose branch `main` has one commit. It appears whole or not at all.
    pub fn create(&self, key: RepoKey, initial: &CommitPlan) -> Result<Repository, Error> {
        self.create_with(key, initial, &[])
    }

    /// Makes a repository with files of the hub's own beside git's.
    pub(crate) fn create_with(
        &self,
        key: RepoKey,
        initial: &CommitPlan,
        own_files: &[(&str, &str)],
    ) -> Result<Repository, Error> {
        let scratch = Scratch::new(&self.scratch)?;
        let made = scratch.path();
        lay_out(made)?;
        let base = self.open(key, made.to_owned())?;
        let quarantine = Quarantine::new(Arc::new(base));
        let commit = quarantine.write(initial)?;
        quarantine.admit()?;
        write(&made.join(RefName::main().as_str()), &format!("{commit}\n"))?;
        let mut files = ["HEAD", "config", "refs/heads/main"]
            .map(|name| made.join(name))
            .to_vec();
        for (name, text) in own_files {
            let path = made.join(name);
            write(&path, text)?;
            files.push(path);
        }
        let mut directories = Directories::new(self.durability);
        sync::files(self.durability, &files)?;
        for path in &files {
            directories.of(path);
        }
        directories.of(&made.join("refs/heads"));
        directories.sync()?;

        let path = self.path(key);
        if path.exists() {
            return Err(Error::RepositoryExists(key));
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(Error::disk("make", parent))?;
        }
        match scratch.keep(&path) {
            Ok(()) => {
                let mut directories = Directories::new(self.durability);
                directories.of(&path);
                directories.of(path.parent().unwrap_or(&path));
                directories.sync()?;
                self.get(key)
            }
            Err(_) if path.exists() => Err(Error::RepositoryExists(key)),
            Err(error) => Err(Error::disk("make", path)(error)),
        }
    }

    /// Opens a repository.
    pub fn get(&self, key: RepoKey) -> Result<Repository, Error> {
        let path = self.path(key);
        // Another process may have deleted it.
        if !path.is_dir() {
            self.opened().repositories.remove(&key);
            return Err(Error::NoRepository(key));
        }
        if let Some(repository) = self.opened().find(key) {
            return Ok(repository);
        }
        let repository = Repository {
            base: Arc::new(self.open(key, path)?),
        };
        self.opened().keep(key, repository.clone());
        Ok(repository)
    }

    /// Deletes a repository. It disappears at once; those who have it open read what they have
    /// opened.
    pub fn delete(&self, key: RepoKey) -> Result<(), Error> {
        let path = self.path(key);
        let scratch = Scratch::new(&self.scratch)?;
        self.forget(key);
        match std::fs::rename(&path, scratch.path().join("repository")) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::NoRepository(key)),
            Err(error) => Err(Error::disk("delete", path)(error)),
        }
    }

    /// Returns the keys of all repositories, in order.
    pub fn keys(&self) -> Result<Vec<RepoKey>, Error> {
        let mut keys = Vec::new();
        for shard in (0..256).map(|shard| self.root.join(format!("{shard:02x}"))) {
            let entries = match std::fs::read_dir(&shard) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(Error::disk("list", shard)(error)),
            };
            for entry in entries {
                let entry = entry.map_err(Error::disk("list", &shard))?;
                keys.extend(entry.file_name().to_str().and_then(key_of));
            }
        }
        keys.sort();
        Ok(keys)
    }

    /// Returns the path of a repository, whether it exists or not.
    pub fn path(&self, key: RepoKey) -> PathBuf {
        self.root.join(Self::relative_path(key))
    }

    /// Returns the path of a repository below the directory of all repositories.
    pub fn relative_path(key: RepoKey) -> String {
        format!("{:02x}/{key}.git", key.0.rem_euclid(256))
    }

    /// Clears away what processes that were killed have left. Call it once at start-up; processes
    /// that live keep theirs.
    pub fn recover(&self) -> Result<Recovered, Error> {
        Ok(Recovered {
            leftovers: Scratch::clear(&self.scratch)?,
        })
    }

    /// Opens a repository that is not in its place, such as one that was [set
    /// aside](Repositories::set_aside).
    pub fn open_at(&self, path: &Path) -> Result<Repository, Error> {
        let base = self.open(RepoKey(0), path.to_owned())?;
        Ok(Repository {
            base: Arc::new(base),
        })
    }

    /// The directory that everything lies below.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    /// Forgets a repository that was opened: its directory is about to move.
    pub(crate) fn forget(&self, key: RepoKey) {
        self.opened().repositories.remove(&key);
    }

    fn open(&self, key: RepoKey, path: PathBuf) -> Result<Base, Error> {
        let facts = Arc::clone(&self.facts);
        Base::open(key, path, self.scratch.clone(), facts, self.durability)
    }

    fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock()
    }
}

impl Opened {
    fn find(&mut self, key: RepoKey) -> Option<Repository> {
        self.asked += 1;
        let (repository, asked) = self.repositories.get_mut(&key)?;
        *asked = self.asked;
        Some(repository.clone())
    }

    fn keep(&mut self, key: RepoKey, repository: Repository) {
        if self.repositories.len() >= MAX_OPENED {
            // Half go at once, so that this is rare.
            let mut asked: Vec<u64> = self
                .repositories
                .values()
                .map(|(_, asked)| *asked)
                .collect();
            let (_, median, _) = asked.select_nth_unstable(MAX_OPENED / 2);
            let median = *median;
            self.repositories.retain(|_, (_, asked)| *asked > median);
        }
        self.repositories.insert(key, (repository, self.asked));
    }
}

pub(crate) fn key_of(name: &str) -> Option<RepoKey> {
    let key = name.strip_suffix(".git")?.parse().ok()?;
    Some(RepoKey(key))
}

/// Makes what `git init --bare` makes, less what git does not need: thousands are made in one go.
fn lay_out(path: &Path) -> Result<(), Error> {
    for directory in ["objects", "refs", "refs/heads"] {
        let directory = path.join(directory);
        std::fs::create_dir(&directory).map_err(Error::disk("make", &directory))?;
    }
    write(&path.join("HEAD"), "ref: refs/heads/main\n")?;
    write(&path.join("config"), CONFIG)
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(Error::disk("write", path))
}
