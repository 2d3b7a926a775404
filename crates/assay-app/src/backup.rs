//! Backups of a hub that is running, and hubs made of them again.
//!
//! A place has pieces of files, each under its SHA-256, and generations: manifests that name the
//! pieces of everything that the hub had. The order makes a generation consistent. The database is
//! copied first, at one moment. Then the repositories that it knows, refs before objects: so git is
//! ahead of the database, never behind it, and a hub that starts from the copy catches up as after
//! a crash. The logs come last, because they are written before refs move. A manifest is written
//! when everything that it names is there, so a backup that is killed leaves the generations before
//! it as they were.

mod check;
mod contents;
mod copy;
mod fetch;
mod files;
mod manifest;
mod place;
mod prune;
mod restore;

use std::collections::BTreeMap;
use std::path::PathBuf;

use assay_model::{RepoKey, Timestamp};
use assay_store::{AuditAction, AuditSubject, Database, Store};

pub use self::check::{CheckReport, check_backup};
use self::contents::Contents;
use self::copy::{CopiedRepository, Copier};
use self::files::LeftOut;
use self::manifest::{Digest, Manifest};
pub use self::place::BackupPlace;
pub use self::restore::{Restored, restore_backup};
use crate::access::Caller;
use crate::data_dir_lock::lock_alone;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::OperationService;
use crate::trust::{Sizes, audit_logs};

/// The file that a backup locks: two at once would remove what the other needs.
const LOCK: &str = "backup-lock";
/// Number of keys that are read at a time.
const KEYS: u32 = 512;

/// Options of a backup.
#[derive(Debug, Clone, Default)]
pub struct BackupOptions {
    /// Number of whole generations that stay, this one included; all when absent.
    pub keep: Option<usize>,
    /// Directories that are left out, such as a lake in the data directory.
    pub left_out: Vec<PathBuf>,
}

/// The outcome of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// The name of the generation.
    pub generation: String,
    /// Number of repositories that it has.
    pub repositories: u64,
    /// Number of repositories that were deleted while it was made; it has neither them nor their
    /// records.
    pub deleted: u64,
    /// Number of files that it has.
    pub files: u64,
    /// Number of bytes that they have.
    pub bytes: u64,
    /// Number of pieces that were new.
    pub copied_pieces: u64,
    /// Number of bytes that those have.
    pub copied_bytes: u64,
    /// The generations that were removed.
    pub removed: Vec<String>,
    /// Missing or damaged content, a sentence each.
    pub faults: Vec<String>,
}

/// A generation of a backup, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// Its name.
    pub name: String,
    /// Time at which it was begun.
    pub begun: Timestamp,
    /// Number of repositories that it has.
    pub repositories: u64,
    /// Number of files that it has.
    pub files: u64,
    /// Number of bytes that they have.
    pub bytes: u64,
    /// Missing or damaged content.
    pub faults: Vec<String>,
}

/// Lists the generations of a backup, oldest first.
pub async fn list_generations(place: &BackupPlace) -> Result<Vec<Generation>, Error> {
    let mut generations = Vec::new();
    for name in Manifest::names(place).await? {
        let manifest = Manifest::read(place, &name).await?;
        generations.push(Generation {
            begun: Timestamp::from_millis(manifest.begun_ms),
            repositories: manifest.repositories.len() as u64,
            files: manifest.files,
            bytes: manifest.bytes,
            faults: manifest.faults,
            name,
        });
    }
    Ok(generations)
}

impl OperationService<'_> {
    /// Copies everything that the hub has to a place, while it runs, and checks the copy. What the
    /// place has already is not copied again. For operators.
    pub async fn back_up(
        self,
        caller: &Caller,
        place: &BackupPlace,
        options: &BackupOptions,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<BackupReport, Error> {
        caller.check_operator()?;
        let _alone = lock_alone(&self.hub.config.data.join(LOCK))?.ok_or_else(|| {
            Error::Operator("another backup of this hub is being made; wait for its end".to_owned())
        })?;
        self.check_place(place)?;
        let begun = self.hub.now();
        let hub = self.hub.trust.results().key().to_string();
        let previous = previous_generation(place, &hub).await?;
        let contents = Contents::list(place).await?;
        let left_out = LeftOut::new(&self.hub.config.data, &options.left_out, &self.hub.database);
        let copier = Copier::new(self.hub, contents.clone(), previous, left_out);

        // The database first, at one moment: everything else is read after it.
        let scratch = self.scratch("backup")?;
        let snapshot = scratch.path().join("snapshot.db");
        self.hub.store.copy_to(&snapshot).await?;
        let snapshot = Store::open(&snapshot).await?;
        let keys = keys_of(&snapshot).await?;
        let copied = copier.repositories(&keys, progress).await?;
        let mirror = copier.mirror().await?;
        // The logs are among these, after all that may refer to their leaves.
        let folders = copier.folders().await?;

        let deleted = self.deleted_of(&copied).await?;
        let mut tx = snapshot.begin().await?;
        for key in &deleted {
            tx.remove_repository(*key).await?;
        }
        let known = Sizes::known(&mut tx).await?;
        tx.commit().await?;
        let whole = scratch.path().join("database.db");
        snapshot.check_integrity().await?;
        snapshot.copy_to(&whole).await?;
        snapshot.close().await;
        let kept = contents.keep_file(&whole).await?;
        let kept = kept.ok_or_else(|| Error::internal("the copy of the database is gone"))?;

        let mut manifest = Manifest {
            format: Manifest::FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            hub,
            begun_ms: begun.millis(),
            finished_ms: 0,
            backend: backend_of(&self.hub.database).to_owned(),
            files: 1,
            bytes: kept.size,
            database: kept.into(),
            repositories: Vec::new(),
            folders: Vec::new(),
            results_log: 0,
            control_log: 0,
            faults: copier.faults(),
        };
        let mut needed = BTreeMap::new();
        manifest.database.add_to(&mut needed);
        for repository in copied.into_iter().chain(mirror) {
            match repository {
                CopiedRepository::Kept { stored, listing } => {
                    manifest.files += listing.files.len() as u64;
                    manifest.bytes += listing.bytes();
                    listing.add_to(&mut needed);
                    stored.listing.add_to(&mut needed);
                    manifest.repositories.push(stored);
                }
                CopiedRepository::Absent { key } if deleted.contains(&key) => {}
                CopiedRepository::Absent { key } => manifest.faults.push(format!(
                    "repository {key} is recorded in the database, and its directory is not there"
                )),
                CopiedRepository::Unreadable => {}
            }
        }
        for (stored, listing) in folders {
            manifest.files += listing.files.len() as u64;
            manifest.bytes += listing.bytes();
            listing.add_to(&mut needed);
            stored.listing.add_to(&mut needed);
            manifest.folders.push(stored);
        }
        place.sync()?;
        self.check_copy(&contents, &needed, known, &mut manifest)
            .await?;
        manifest.finished_ms = self.hub.now().millis();
        let generation = manifest.write(place).await?;
        place.sync()?;
        let made = AuditSubject::hub().with(format!("generation {generation}"));
        self.audit_alone(caller, AuditAction::BackupMade, made)
            .await?;
        let removed = match options.keep {
            // Older generations may have what this one lacks.
            Some(keep) if manifest.faults.is_empty() => {
                let pruned = prune::prune(place, &contents, keep).await;
                pruned.map_err(|error| match error {
                    Error::Operator(why) => Error::Operator(format!(
                        "generation {generation} is made, and older ones were not removed: {why}"
                    )),
                    other => other,
                })?
            }
            Some(_) | None => Vec::new(),
        };
        let (copied_pieces, copied_bytes) = contents.written_counts();
        Ok(BackupReport {
            generation,
            repositories: manifest.repositories.len() as u64,
            deleted: deleted.len() as u64,
            files: manifest.files,
            bytes: manifest.bytes,
            copied_pieces,
            copied_bytes,
            removed,
            faults: manifest.faults,
        })
    }

    /// Refuses a place within the data directory: it would go with it.
    fn check_place(self, place: &BackupPlace) -> Result<(), Error> {
        let data = fs_err::canonicalize(&self.hub.config.data).map_err(Error::internal)?;
        match place.directory() {
            Some(directory) if directory.starts_with(&data) || data.starts_with(directory) => {
                Err(Error::Invalid(format!(
                    "`{}` and the data directory `{}` lie in each other; give a directory elsewhere, best on another disk",
                    directory.display(),
                    data.display()
                )))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn scratch(self, name: &str) -> Result<tempfile::TempDir, Error> {
        tempfile::Builder::new()
            .prefix(name)
            .tempdir_in(self.hub.config.data.join("tmp"))
            .map_err(Error::internal)
    }

    /// Of the repositories whose directories were not there, those that are not recorded any more.
    async fn deleted_of(self, copied: &[CopiedRepository]) -> Result<Vec<RepoKey>, Error> {
        let mut deleted = Vec::new();
        for repository in copied {
            if let CopiedRepository::Absent { key } = repository
                && self.hub.store.repository(*key).await?.is_none()
            {
                deleted.push(*key);
            }
        }
        Ok(deleted)
    }

    /// Checks what is in the place now, and adds what is wrong to the faults of the manifest.
    async fn check_copy(
        self,
        contents: &Contents,
        needed: &BTreeMap<Digest, u64>,
        known: Sizes,
        manifest: &mut Manifest,
    ) -> Result<(), Error> {
        let faults = &mut manifest.faults;
        for digest in contents.missing(needed).await? {
            faults.push(format!("the piece {digest} of the backup is not there"));
        }
        let read_back = contents.read_back().await?;
        faults.extend(read_back.iter().map(ToString::to_string));
        let scratch = self.scratch("audit")?;
        let laid_out = fetch::lay_out_trust(contents, manifest, scratch.path()).await?;
        manifest.faults.extend(laid_out);
        let (directory, config) = (scratch.path().join("trust"), self.hub.config.trust.clone());
        match blocking(move || audit_logs(&directory, &config)).await {
            Ok(sizes) if sizes.results < known.results || sizes.control < known.control => {
                let fault = "the logs of the backup are shorter than its database says";
                manifest.faults.push(fault.to_owned());
            }
            Ok(sizes) => {
                manifest.results_log = sizes.results;
                manifest.control_log = sizes.control;
            }
            Err(error) => manifest.faults.push(check::log_fault(&error)),
        }
        Ok(())
    }
}

/// The newest generation of the same hub. A place that has those of another hub is refused.
async fn previous_generation(place: &BackupPlace, hub: &str) -> Result<Option<Manifest>, Error> {
    for name in Manifest::names(place).await?.iter().rev() {
        // One that is damaged tells nothing of what there is, and `--verify` tells of it.
        let Ok(manifest) = Manifest::read(place, name).await else {
            tracing::warn!(generation = %name, "the manifest of generation {name} cannot be read");
            continue;
        };
        if manifest.hub != hub {
            return Err(Error::Operator(format!(
                "`{}` has backups of another hub; give each hub a place of its own",
                place.address()
            )));
        }
        return Ok(Some(manifest));
    }
    Ok(None)
}

async fn keys_of(store: &Store) -> Result<Vec<RepoKey>, Error> {
    let mut keys = Vec::new();
    loop {
        let some = store.repository_keys(keys.last().copied(), KEYS).await?;
        if some.is_empty() {
            return Ok(keys);
        }
        keys.extend(some);
    }
}

fn backend_of(database: &Database) -> &'static str {
    match database {
        Database::File(_) => "sqlite",
        Database::Server(_) => "postgresql",
    }
}
