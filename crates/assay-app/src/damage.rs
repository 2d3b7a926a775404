//! Repositories that cannot be read as they were written. Nothing is derived from them: what was
//! indexed stays.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use assay_git::{RefName, Reference, Repositories};
use assay_model::{ObjectId, RepoId, RepoKey, RepoKind};
use parking_lot::RwLock;

use crate::error::Error;
use crate::hub::blocking;
use crate::index::public;
use crate::services::OperationService;

/// A repository that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRepository {
    /// The number that its directory is named by.
    pub key: RepoKey,
    /// Model or dataset.
    pub kind: RepoKind,
    /// Its name.
    pub id: RepoId,
    /// Everything that is wrong with it.
    pub faults: Vec<Damage>,
}

/// One thing that is wrong with a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Damage {
    /// Its directory is not there.
    NoDirectory,
    /// A ref points at an object that is not there.
    BrokenRef {
        /// The ref.
        name: RefName,
        /// The object.
        missing: ObjectId,
    },
    /// It cannot be read for another reason.
    Unreadable(String),
}

/// The repositories that were found to be damaged since the start.
#[derive(Debug, Default)]
pub(crate) struct DamageList(RwLock<BTreeMap<RepoKey, Vec<Damage>>>);

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDirectory => f.write_str("its directory is not there"),
            Self::BrokenRef { name, missing } => {
                write!(f, "`{name}` points at object {missing}, which is not there")
            }
            Self::Unreadable(why) => write!(f, "it cannot be read: {why}"),
        }
    }
}

impl DamageList {
    /// Notes what is wrong with a repository; nothing takes it off the list.
    pub(crate) fn note(&self, key: RepoKey, faults: Vec<Damage>) {
        let mut list = self.0.write();
        if faults.is_empty() {
            list.remove(&key);
        } else {
            list.insert(key, faults);
        }
    }

    /// The repositories on the list.
    pub(crate) fn keys(&self) -> Vec<RepoKey> {
        let list = self.0.read();
        list.keys().copied().collect()
    }

    fn faults(&self, key: RepoKey) -> Vec<Damage> {
        let list = self.0.read();
        list.get(&key).cloned().unwrap_or_default()
    }
}

impl OperationService<'_> {
    /// Returns the number of repositories known to be damaged, without looking at any.
    pub fn damaged_count(self) -> usize {
        self.hub.damaged.keys().len()
    }

    /// The repositories that are known to be damaged. Each is looked at again, so that one that was
    /// mended is off the list.
    pub async fn damaged_repositories(self) -> Result<Vec<DamagedRepository>, Error> {
        for key in self.hub.damaged.keys() {
            let git = Arc::clone(&self.hub.git);
            let read = blocking(move || Ok(read_refs(&git, key))).await?;
            match read {
                Err(faults) => self.hub.damaged.note(key, faults),
                // What else was found, such as a file that is missing in the history, a start finds
                // again.
                Ok(_) if self.hub.damaged.faults(key).iter().all(Damage::is_of_refs) => {
                    self.hub.damaged.note(key, Vec::new());
                }
                Ok(_) => {}
            }
        }
        self.describe_damage(self.hub.damaged.keys()).await
    }

    /// The records of damaged repositories. One that was deleted meanwhile is none.
    pub(crate) async fn describe_damage(
        self,
        keys: Vec<RepoKey>,
    ) -> Result<Vec<DamagedRepository>, Error> {
        let mut damaged = Vec::new();
        for key in keys {
            match self.hub.store.repository(key).await? {
                Some(repository) => damaged.push(DamagedRepository {
                    key,
                    kind: repository.kind,
                    id: repository.id,
                    faults: self.hub.damaged.faults(key),
                }),
                None => self.hub.damaged.note(key, Vec::new()),
            }
        }
        Ok(damaged)
    }

    /// Notes what is wrong with a repository, and says so in the log.
    pub(crate) fn note_damage(self, key: RepoKey, faults: Vec<Damage>) {
        for fault in &faults {
            tracing::error!(%key, "repository {key} is damaged: {fault}; its index stays as it is. Restore it from a backup");
        }
        self.hub.damaged.note(key, faults);
    }
}

impl Damage {
    fn is_of_refs(&self) -> bool {
        match self {
            Self::NoDirectory | Self::BrokenRef { .. } => true,
            Self::Unreadable(_) => false,
        }
    }

    /// Converts an error met in a repository.
    pub(crate) fn of_error(error: &dyn std::error::Error) -> Self {
        Self::Unreadable(assay_model::chain(error))
    }
}

/// The refs of a repository that people know of, or everything that is wrong with them.
pub(crate) fn read_refs(git: &Repositories, key: RepoKey) -> Result<Vec<Reference>, Vec<Damage>> {
    let unreadable = |error: assay_git::Error| match error {
        assay_git::Error::NoRepository(_) => vec![Damage::NoDirectory],
        error => vec![Damage::of_error(&error)],
    };
    let repository = git.get(key).map_err(unreadable)?;
    match repository.refs() {
        Ok(refs) => Ok(public(refs)),
        Err(assay_git::Error::BrokenRef { .. }) => {
            let broken = repository.broken_refs().map_err(unreadable)?;
            Err(broken
                .into_iter()
                .map(|(name, missing)| Damage::BrokenRef { name, missing })
                .collect())
        }
        Err(error) => Err(unreadable(error)),
    }
}
