//! Marks in the directories of repositories whose creation or deletion is under way.
//!
//! A directory that no record names is either what a crash left of one of the two, or a repository
//! whose record was lost. The first may be removed, the second never; the mark tells them apart.

use std::io;
use std::path::Path;

use assay_model::RepoKey;

use crate::facts::FACTS;
use crate::sync::{self, Directories};
use crate::{CommitPlan, Error, Repositories, Repository};

/// The mark of a repository that is being created, until its record is committed.
const CREATION: &str = "assay.creating";
/// The mark of a repository that somebody deletes, from before its record is removed.
const DELETION: &str = "assay.deleting";

/// An operation that was under way in the directory of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfinished {
    /// It was being created; nobody was told that it exists.
    Creation,
    /// Somebody asked to delete it.
    Deletion,
}

impl Unfinished {
    fn mark(self) -> &'static str {
        match self {
            Self::Creation => CREATION,
            Self::Deletion => DELETION,
        }
    }
}

impl Repositories {
    /// Makes a repository as [`Repositories::create`] does, with its
    /// [facts](Repository::write_facts). It is marked as [`Unfinished::Creation`] until
    /// [`Repositories::finish`].
    pub fn begin_creation(
        &self,
        key: RepoKey,
        initial: &CommitPlan,
        facts: &str,
    ) -> Result<Repository, Error> {
        self.create_with(key, initial, &[(FACTS, facts), (CREATION, "")])
    }

    /// Marks a repository as one that somebody deletes. Call it before its record is removed.
    pub fn begin_deletion(&self, key: RepoKey) -> Result<(), Error> {
        let path = self.path(key).join(DELETION);
        match std::fs::write(&path, "") {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NoRepository(key));
            }
            Err(error) => return Err(Error::disk("write", path)(error)),
        }
        sync::file(self.durability(), &path)?;
        let mut directories = Directories::new(self.durability());
        directories.of(&path);
        directories.sync()
    }

    /// Removes the marks: the repository is recorded and stays.
    pub fn finish(&self, key: RepoKey) -> Result<(), Error> {
        for unfinished in [Unfinished::Creation, Unfinished::Deletion] {
            let path = self.path(key).join(unfinished.mark());
            match std::fs::remove_file(&path) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::disk("remove", path)(error)),
            }
        }
        Ok(())
    }

    /// Returns what was under way in the directory of a repository, if anything was.
    pub fn unfinished(&self, key: RepoKey) -> Option<Unfinished> {
        let path = self.path(key);
        // A deletion says more than a creation whose mark a crash has left.
        [Unfinished::Deletion, Unfinished::Creation]
            .into_iter()
            .find(|unfinished| is_file(&path.join(unfinished.mark())))
    }

    /// Tells whether a repository has nothing but the commit that it was created with.
    pub fn is_as_created(&self, key: RepoKey) -> Result<bool, Error> {
        let repository = self.get(key)?;
        let values = repository.ref_values()?;
        let [(name, target)] = values.as_slice() else {
            return Ok(false);
        };
        let first = repository.objects().commit(*target)?;
        Ok(*name == crate::RefName::main() && first.parents.is_empty())
    }
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file())
}
