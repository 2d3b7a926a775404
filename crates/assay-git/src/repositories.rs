use std::path::PathBuf;

use assay_model::RepoKey;

use crate::{CommitPlan, Error, Repository};

/// A directory of bare repositories: `{key % 256 in hex}/{key}.git`. Several processes may share it.
#[derive(Debug)]
pub struct Repositories {
    root: PathBuf,
}

/// What [`Repositories::recover`] cleared away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Quarantines, half-made and half-deleted repositories whose process is gone.
    pub leftovers: usize,
}

impl Repositories {
    /// The repositories below a directory, which is made if it does not exist.
    pub fn new(root: impl Into<PathBuf>) -> Result<Self, Error> {
        Ok(Self { root: root.into() })
    }

    /// Makes a repository whose branch `main` has one commit. It appears whole or not at all.
    pub fn create(&self, _key: RepoKey, _initial: &CommitPlan) -> Result<Repository, Error> {
        todo!()
    }

    /// Opens a repository.
    pub fn get(&self, _key: RepoKey) -> Result<Repository, Error> {
        todo!()
    }

    /// Deletes a repository. It disappears at once; those who have it open read what they have opened.
    pub fn delete(&self, _key: RepoKey) -> Result<(), Error> {
        todo!()
    }

    /// Which repositories there are, in order.
    pub fn keys(&self) -> Result<Vec<RepoKey>, Error> {
        todo!()
    }

    /// Where a repository lies, or would lie.
    pub fn path(&self, key: RepoKey) -> PathBuf {
        self.root
            .join(format!("{:02x}", key.0.rem_euclid(256)))
            .join(format!("{key}.git"))
    }

    /// Clears away what processes that were killed have left. Call it once at start-up; processes that live keep theirs.
    pub fn recover(&self) -> Result<Recovered, Error> {
        todo!()
    }
}
