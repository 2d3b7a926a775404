//! Directories of repositories that the database does not know. They are set aside, never deleted;
//! what the hub itself left unfinished says so, and is finished.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use assay_git::{Repositories, SetAside, Unfinished};
use assay_model::{RepoId, RepoKey, RepoKind, Timestamp};

use crate::error::Error;
use crate::facts::RepoFacts;
use crate::hub::blocking;
use crate::services::OperationService;

/// The number of repositories read from the database at a time.
const CHUNK: u32 = 512;

/// A repository that the database did not know and that was set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnrecordedRepository {
    /// The key that it had.
    pub key: RepoKey,
    /// The time at which it was set aside, as its directory is named.
    pub moment: String,
    /// Its directory now.
    pub path: PathBuf,
    /// The facts in its directory, if there are any.
    pub facts: Option<RepoFacts>,
}

impl UnrecordedRepository {
    /// Returns its kind and name, if its directory says so.
    pub fn name(&self) -> Option<(RepoKind, &RepoId)> {
        self.facts.as_ref().map(|facts| (facts.kind, &facts.id))
    }
}

impl OperationService<'_> {
    /// The repositories that were set aside because the database did not know them, oldest first.
    pub async fn unrecorded(self) -> Result<Vec<UnrecordedRepository>, Error> {
        let git = Arc::clone(&self.hub.git);
        blocking(move || git.list_set_aside()?.into_iter().map(describe).collect()).await
    }

    /// Sorts out the directories of repositories. The hub must be known to be the one that the
    /// directory belongs to.
    ///
    /// - One that the database knows loses the mark that a crash left in it.
    /// - One that it does not know is removed when its creation or deletion was under way, and set
    ///   aside otherwise.
    /// - One that holds another repository than the database means is set aside, too.
    /// - One that was set aside and is known again, such as after a newer backup was restored, is
    ///   brought back.
    pub(crate) async fn sort_out_directories(self) -> Result<(), Error> {
        // Repositories are made and deleted inside a transaction, so while we hold one, no living
        // process does either.
        let mut tx = self.hub.store.begin().await?;
        let mut recorded = BTreeMap::new();
        let mut last = None;
        loop {
            let some = tx.recorded_repositories(last, CHUNK).await?;
            last = some.last().map(|recorded| recorded.repository.key);
            if last.is_none() {
                break;
            }
            for found in some {
                recorded.insert(found.repository.key, found.repository.uid);
            }
        }
        let (git, now) = (Arc::clone(&self.hub.git), self.hub.now());
        blocking(move || sort_out(&git, &recorded, now)).await?;
        tx.rollback().await?;
        Ok(())
    }
}

/// Deletes the directory of a repository that somebody wanted to be gone, unless it is gone
/// already.
pub(crate) fn delete(git: &Repositories, key: RepoKey) -> Result<(), Error> {
    match git.delete(key) {
        Ok(()) | Err(assay_git::Error::NoRepository(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes sure that nothing lies where a repository is to be made.
pub(crate) fn make_room(git: &Repositories, key: RepoKey, now: Timestamp) -> Result<(), Error> {
    if git.path(key).exists() {
        clear_away(git, key, now)
    } else {
        Ok(())
    }
}

fn sort_out(
    git: &Repositories,
    recorded: &BTreeMap<RepoKey, [u8; 16]>,
    now: Timestamp,
) -> Result<(), Error> {
    for key in git.keys()? {
        let Some(uid) = recorded.get(&key) else {
            clear_away(git, key, now)?;
            continue;
        };
        if is_another(git, key, uid)? {
            let path = git.set_aside(key, &moment(now))?;
            tracing::error!(
                %key, path = %path.display(),
                "the directory of repository {key} holds another repository than the database means; it is set aside in `{}`",
                path.display()
            );
        } else if git.unfinished(key).is_some() {
            git.finish(key)?;
        }
    }
    bring_back(git, recorded)
}

/// Removes what the hub left unfinished, and sets everything else aside.
fn clear_away(git: &Repositories, key: RepoKey, now: Timestamp) -> Result<(), Error> {
    let is_unfinished = match git.unfinished(key) {
        Some(Unfinished::Deletion) => true,
        // A mark that outlived the creation says nothing of what came later.
        Some(Unfinished::Creation) => git.is_as_created(key).unwrap_or(false),
        None => false,
    };
    if is_unfinished {
        tracing::info!(%key, "repository {key} was being made or deleted when the hub ended, and is removed");
        return delete(git, key);
    }
    match git.set_aside(key, &moment(now)) {
        Ok(path) => {
            tracing::warn!(
                %key, path = %path.display(),
                "repository {key} is not in the database; it is set aside in `{}`, and `assay admin adopt` brings it back",
                path.display()
            );
            Ok(())
        }
        Err(assay_git::Error::NoRepository(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Brings back what was set aside while another database was in use.
fn bring_back(git: &Repositories, recorded: &BTreeMap<RepoKey, [u8; 16]>) -> Result<(), Error> {
    let aside = git.list_set_aside()?;
    if aside.is_empty() {
        return Ok(());
    }
    let keys: HashMap<&[u8; 16], RepoKey> = recorded.iter().map(|(key, uid)| (uid, *key)).collect();
    for aside in aside {
        let facts = assay_git::read_facts(&aside.path)?;
        let facts = facts.as_deref().and_then(RepoFacts::parse);
        if let Some(key) = facts.and_then(|facts| keys.get(&facts.uid))
            && !git.path(*key).exists()
        {
            git.bring_back(&aside, *key)?;
            tracing::warn!(%key, "repository {key} is in the database again and is brought back");
        }
    }
    Ok(())
}

/// Tells whether the directory of a key holds a repository of another identity.
fn is_another(git: &Repositories, key: RepoKey, uid: &[u8; 16]) -> Result<bool, Error> {
    let facts = assay_git::read_facts(&git.path(key))?;
    let facts = facts.as_deref().and_then(RepoFacts::parse);
    Ok(facts.is_some_and(|facts| facts.uid != *uid))
}

fn describe(aside: SetAside) -> Result<UnrecordedRepository, Error> {
    let facts = assay_git::read_facts(&aside.path)?;
    Ok(UnrecordedRepository {
        key: aside.key,
        facts: facts.as_deref().and_then(RepoFacts::parse),
        moment: aside.moment,
        path: aside.path,
    })
}

/// A moment as the name of a directory.
pub(crate) fn moment(now: Timestamp) -> String {
    now.to_string().replace(':', "-")
}
