use assay_model::{RepoId, RepoKey, RepoKind, Timestamp};

use crate::{AccountId, Error, Tx};

/// A repository, as the hub knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// What it is known by.
    pub key: RepoKey,
    /// What it holds.
    pub kind: RepoKind,
    /// Its name at the moment.
    pub id: RepoId,
    /// The account of its namespace.
    pub owner: AccountId,
    /// Who made it, unless that account is gone.
    pub creator: Option<AccountId>,
    /// When it was made.
    pub created: Timestamp,
    /// When something in it last changed.
    pub updated: Timestamp,
    /// What its owner can set.
    pub settings: Settings,
}

/// What the owner of a repository can set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Whether only those with access see it.
    pub private: bool,
    /// What it is, in a sentence.
    pub description: Option<String>,
    /// Whether readers ask for access first.
    pub gate: Gate,
    /// Whether the operator has closed it.
    pub disabled: bool,
}

/// Whether readers ask for access first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gate {
    /// They do not.
    #[default]
    Open,
    /// They ask, and are let in at once.
    Auto,
    /// They ask, and the owner decides.
    Manual,
}

/// A repository that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRepository {
    /// What it holds.
    pub kind: RepoKind,
    /// Its name, with a namespace.
    pub id: RepoId,
    /// The account of its namespace.
    pub owner: AccountId,
    /// Who makes it.
    pub creator: Option<AccountId>,
    /// When it is made.
    pub created: Timestamp,
    /// What its owner has set.
    pub settings: Settings,
}

/// A repository that was asked for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The repository.
    pub repository: Repository,
    /// Whether the name is one that it had before.
    pub moved: bool,
}

impl Gate {
    /// Every kind of gate.
    pub const ALL: [Self; 3] = [Self::Open, Self::Auto, Self::Manual];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

words!(Gate, "`open`, `auto` or `manual`");

questions! {
    /// The repository of this key.
    fn repository(key: RepoKey) -> Option<Repository>;
    /// The repository that has this name in any case, or that had it last.
    fn find_repository(kind: RepoKind, id: &RepoId) -> Option<Found>;
    /// The keys of all repositories, in order, those after a key when one is given.
    fn repository_keys(after: Option<RepoKey>, limit: u32) -> Vec<RepoKey>;
    /// How many repositories an account owns.
    fn repositories_owned(owner: AccountId) -> u64;
}

impl Tx {
    /// Makes a repository and takes the name from any that had it before. [`Error::Taken`] when one of this kind has the
    /// name in any case.
    ///
    /// The key is new among all that were ever committed. A transaction that is rolled back gives its key back, so a
    /// directory of that key that is found when a repository is made is the remains of a crash.
    pub async fn add_repository(&mut self, new: &NewRepository) -> Result<RepoKey, Error> {
        let _ = new;
        todo!()
    }

    /// Gives a repository another name, and redirects the old one to it. [`Error::Taken`] when another has the name. The
    /// answer is whether it exists.
    pub async fn rename_repository(
        &mut self,
        key: RepoKey,
        id: &RepoId,
        owner: AccountId,
        at: Timestamp,
    ) -> Result<bool, Error> {
        let _ = (key, id, owner, at);
        todo!()
    }

    /// Writes what an owner can set. The answer is whether the repository exists.
    pub async fn set_repository(
        &mut self,
        key: RepoKey,
        settings: &Settings,
    ) -> Result<bool, Error> {
        let _ = (key, settings);
        todo!()
    }

    /// Writes when something in a repository changed, unless a later change is known.
    pub async fn touch_repository(&mut self, key: RepoKey, at: Timestamp) -> Result<(), Error> {
        let _ = (key, at);
        todo!()
    }

    /// Removes a repository with everything about it: discussions, redirects, index. The answer is whether it existed.
    pub async fn remove_repository(&mut self, key: RepoKey) -> Result<bool, Error> {
        let _ = key;
        todo!()
    }
}
