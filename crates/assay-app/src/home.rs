//! True if a database and a data directory belong together. It is found out before either is
//! changed.

use std::path::{Path, PathBuf};

use assay_git::Repositories;
use assay_model::RepoKey;
use assay_store::{Database, Peeked, Store};

use crate::config::HubConfig;
use crate::error::Error;
use crate::facts::RepoFacts;
use crate::hub_file::{HubFile, HubId};
use crate::large_storage::LargeFilesPlace;

/// The setting of the database that has the id of the hub.
pub(crate) const ID_SETTING: &str = "hub_id";

/// The purpose of a process in a data directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To serve the hub, or to make one where there is none.
    Serve,
    /// To look, or to change a record, in a hub that is there.
    Visit,
    /// To make a lost database again from what is in the directory.
    Adopt,
    /// To find out what that would do.
    RehearseAdoption,
}

/// A data directory with the database that it is used with.
#[derive(Debug)]
pub(crate) struct Home {
    data: PathBuf,
    purpose: Purpose,
    /// The database.
    pub(crate) database: Database,
    file: Option<HubFile>,
    peeked: Option<Peeked>,
    has_repositories: bool,
}

impl Home {
    /// Finds the database of a data directory, and refuses one that cannot be its own. Nothing is
    /// changed.
    pub(crate) async fn find(
        config: &HubConfig,
        git: &Repositories,
        purpose: Purpose,
    ) -> Result<Self, Error> {
        let data = config.data.clone();
        let file = HubFile::read(&data)?;
        let database = choose(config, file.as_ref(), purpose)?;
        let peeked = database.peek(ID_SETTING).await?;
        let database = match (purpose, &peeked) {
            // A rehearsal leaves no database behind; what is in `tmp` is cleared away.
            (Purpose::RehearseAdoption, None) => Database::File(
                data.join("tmp")
                    .join(format!("adoption-{}.db", HubId::draw()?)),
            ),
            _ => database,
        };
        let has_repositories = !git.keys()?.is_empty() || !git.list_set_aside()?.is_empty();
        let home = Self {
            data,
            purpose,
            database,
            file,
            peeked,
            has_repositories,
        };
        home.check_id()?;
        home.check_presence()?;
        Ok(home)
    }

    /// Settles the id of the hub, in the database and in the directory, once the database is open.
    /// A database that has none is the hub's own when it knows one of its repositories.
    pub(crate) async fn settle(
        &self,
        store: &Store,
        git: &Repositories,
        large_files: &LargeFilesPlace,
    ) -> Result<Option<HubId>, Error> {
        let in_file = self.file.as_ref().map(|file| file.id.clone());
        let is_proved = in_file.is_some() && self.peeked_id()? == in_file;
        if self.purpose == Purpose::Serve
            && !is_proved
            && self.has_repositories
            && !knows_any(store, git).await?
        {
            return Err(self.unknown());
        }
        match self.purpose {
            Purpose::Visit | Purpose::RehearseAdoption => return Ok(in_file),
            Purpose::Serve | Purpose::Adopt => {}
        }
        let id = settle_in_database(store, in_file).await?;
        self.write_file(&id, large_files)?;
        Ok(Some(id))
    }

    /// The place where large files were when a server last ran.
    pub(crate) fn large_files(&self) -> LargeFilesPlace {
        let file = self.file.as_ref();
        LargeFilesPlace::recorded(file.and_then(|file| file.large_files.as_deref()))
    }

    /// Refuses a database that says that it is another hub's.
    fn check_id(&self) -> Result<(), Error> {
        let (Some(file), Some(found)) = (&self.file, self.peeked_id()?) else {
            return Ok(());
        };
        if file.id == found {
            return Ok(());
        }
        Err(Error::Operator(format!(
            "the database `{}` is that of hub {found}, and `{}` is the data directory of hub {}; nothing was changed. \
             Give the database of this hub with `--database`{}, or its own data directory with `--data`",
            self.database,
            self.data.display(),
            file.id,
            self.last_used(),
        )))
    }

    /// Refuses a database with nothing in it where there is a hub already.
    fn check_presence(&self) -> Result<(), Error> {
        let is_empty = match &self.peeked {
            None => true,
            Some(found) => !found.has_accounts && !found.has_repositories,
        };
        match self.purpose {
            // A visitor makes no database where a server has been: the hub may well have one
            // elsewhere.
            Purpose::Visit if self.peeked.is_none() && self.is_used() => {
                Err(Error::Operator(format!(
                    "there is no database of a hub in `{}`; nothing was changed. Give the one that the server uses with \
                 `--database`{}; `assay serve` makes a new hub",
                    self.database,
                    self.last_used(),
                )))
            }
            Purpose::Serve | Purpose::Visit if is_empty && self.has_repositories => {
                Err(self.unknown())
            }
            Purpose::Adopt | Purpose::RehearseAdoption
                if self.peeked.is_none() && !self.has_repositories =>
            {
                Err(Error::Operator(format!(
                    "there is no repository in `{}`, so there is nothing to adopt",
                    self.data.join("repos").display()
                )))
            }
            Purpose::Serve | Purpose::Visit | Purpose::Adopt | Purpose::RehearseAdoption => Ok(()),
        }
    }

    /// Tells whether a server has worked in the directory, of this version or an older one.
    fn is_used(&self) -> bool {
        self.file.is_some() || self.has_repositories || self.data.join("trust").exists()
    }

    fn unknown(&self) -> Error {
        Error::Operator(format!(
            "the database `{}` knows none of the repositories in `{}`: it is new, was emptied, or is another hub's. \
             Nothing was changed. Give the database of this hub with `--database`{}, or restore it from a backup; when it \
             is lost, `assay admin adopt` makes its records again as far as the repositories tell",
            self.database,
            self.data.join("repos").display(),
            self.last_used(),
        ))
    }

    /// Returns the database that the hub used last, as a part of a sentence.
    fn last_used(&self) -> String {
        let file = self.file.as_ref();
        file.map_or_else(String::new, |file| {
            format!(" (the server last used `{}`)", file.database)
        })
    }

    fn peeked_id(&self) -> Result<Option<HubId>, Error> {
        let setting = self
            .peeked
            .as_ref()
            .and_then(|found| found.setting.as_deref());
        setting.map(str::parse).transpose().map_err(Error::internal)
    }

    fn write_file(&self, id: &HubId, large_files: &LargeFilesPlace) -> Result<(), Error> {
        let file = HubFile {
            id: id.clone(),
            database: HubFile::address_of(&self.data, &self.database),
            large_files: large_files.bucket().map(ToOwned::to_owned),
        };
        if self.file.as_ref() == Some(&file) {
            return Ok(());
        }
        file.write(&self.data)
    }
}

/// The database that was given, else the one that the server used last, else the file in the data
/// directory.
fn choose(config: &HubConfig, file: Option<&HubFile>, purpose: Purpose) -> Result<Database, Error> {
    let data = &config.data;
    let Some(file) = file else {
        return Ok(config.database());
    };
    let Some(given) = &config.database else {
        return file.database_file(data).ok_or_else(|| {
            Error::Operator(format!(
                "the hub in `{}` has its database at `{}`, whose password is not kept here; give its address with \
                 `--database` or `ASSAY_DATABASE`, as the server gets it",
                data.display(),
                file.database
            ))
        });
    };
    let address = HubFile::address_of(data, given);
    // Two addresses may lead to one server; whether it is the same database is told by the id.
    let may_be_same =
        address == file.database || (is_server(&address) && is_server(&file.database));
    if purpose == Purpose::Visit && !may_be_same {
        return Err(Error::Operator(format!(
            "the hub in `{}` has its database at `{}`, not at `{given}`; leave `--database` and `ASSAY_DATABASE` out, or \
             give that one",
            data.display(),
            file.database
        )));
    }
    Ok(given.clone())
}

fn is_server(address: &str) -> bool {
    !address.starts_with("sqlite:")
}

/// The id in the database, which gets the one of the directory, or a new one, when it has none.
async fn settle_in_database(store: &Store, in_file: Option<HubId>) -> Result<HubId, Error> {
    if let Some(text) = store.setting(ID_SETTING).await? {
        return text.parse().map_err(Error::internal);
    }
    let mut tx = store.begin().await?;
    // Another server may have drawn one while this one waited.
    if let Some(text) = tx.setting(ID_SETTING).await? {
        return text.parse().map_err(Error::internal);
    }
    let id = match in_file {
        Some(id) => id,
        None => HubId::draw()?,
    };
    tx.set_setting(ID_SETTING, Some(id.as_str())).await?;
    tx.commit().await?;
    Ok(id)
}

/// Tells whether the database knows one of the repositories by more than its number, which every
/// hub counts from one.
async fn knows_any(store: &Store, git: &Repositories) -> Result<bool, Error> {
    for key in git.keys()? {
        if is_known(store, git, key).await? {
            return Ok(true);
        }
    }
    for aside in git.list_set_aside()? {
        let facts = assay_git::read_facts(&aside.path)?;
        if let Some(facts) = facts.as_deref().and_then(RepoFacts::parse)
            && store.repository_of_uid(&facts.uid).await?.is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn is_known(store: &Store, git: &Repositories, key: RepoKey) -> Result<bool, Error> {
    let Some(recorded) = store.repository(key).await? else {
        return Ok(false);
    };
    let directory: &Path = &git.path(key);
    if let Some(facts) = assay_git::read_facts(directory)?
        .as_deref()
        .and_then(RepoFacts::parse)
    {
        return Ok(facts.uid == recorded.uid);
    }
    // A repository of an older version says nothing of itself; a commit that was indexed is there
    // or not.
    let indexed = store.indexed_refs(key).await?;
    let Ok(repository) = git.get(key) else {
        return Ok(false);
    };
    let objects = repository.objects();
    Ok(indexed
        .iter()
        .any(|held| objects.contains(held.target).unwrap_or(false)))
}
