use std::path::Path;
use std::sync::Arc;

use assay_git::LargeFileId;
use assay_model::{Clock, Durability};
use assay_store::{AuditAction, AuditSubject, Database, Store};
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::mpsc;

use super::check::{choose, database_file, lay_out_repository};
use super::contents::{AT_ONCE, Contents};
use super::fetch;
use super::files::large_file_of;
use super::manifest::{ListedFile, Manifest};
use super::place::{BackupPlace, sync_file_system};
use crate::config::HubConfig;
use crate::data_dir_lock::{self, DataDirLock};
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::hub_file::HubFile;
use crate::large_storage::LargeStorage;

/// The directory of the database on its way.
const UNDER_WAY: &str = "tmp/restore";
/// The name of the database on its way.
const DATABASE: &str = "database.db";

/// A hub that was made of a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The name of the generation.
    pub generation: String,
    /// The number of repositories.
    pub repositories: u64,
    /// Number of files that were written.
    pub files: u64,
    /// Number of bytes that they have.
    pub bytes: u64,
    /// Content that was missing when the backup was made, a sentence each.
    pub faults: Vec<String>,
}

/// Makes a hub of a generation of a backup: the newest that is whole, unless one is named. The data
/// directory and the database must have nothing yet. Whatever backend the database had, it may go
/// to either. The index is then brought up to the repositories, as at a start after a crash.
///
/// The database comes last, so a restore that was interrupted leaves a directory that no hub starts
/// in.
pub async fn restore_backup(
    place: &BackupPlace,
    at: Option<&str>,
    config: HubConfig,
    clock: Arc<dyn Clock>,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Restored, Error> {
    let database = config.database();
    check_directory(&config.data)?;
    check_database(&database).await?;
    let (generation, manifest) = choose(place, at).await?;
    let contents = Contents::unlisted(place);
    data_dir_lock::make_data_directory(&config.data)?;
    let data_dir_lock = DataDirLock::enter(&config.data)?;

    let mut files = 1;
    let mut bytes = manifest.database.size;
    let total = manifest.repositories.len() as u64;
    progress(0, total);
    for (done, stored) in (1..).zip(&manifest.repositories) {
        let listing = fetch::listing(&contents, &stored.listing).await?;
        let listing = listing.map_err(|fault| damaged(&stored.path, &fault))?;
        let directory = fetch::path_within(&config.data, &stored.path)?;
        let laid_out = lay_out_repository(&contents, &listing, &directory).await?;
        match laid_out {
            Err(fault) if stored.complete => return Err(damaged(&stored.path, &fault)),
            Ok(()) | Err(_) => {}
        }
        files += listing.files.len() as u64;
        bytes += listing.bytes();
        progress(done, total);
    }
    let place = config.large_files.clone().unwrap_or_default();
    let large_files = LargeStorage::at(&config, &place)?;
    for folder in &manifest.folders {
        let listing = fetch::listing(&contents, &folder.listing).await?;
        let listing = listing.map_err(|fault| damaged(&folder.path, &fault))?;
        let written = listing.files.iter().map(|file| {
            let (contents, data, large_files) = (&contents, &config.data, &large_files);
            async move {
                let written = match large_file_of(&file.path) {
                    Some(oid) => restore_large_file(contents, file, oid, large_files).await?,
                    None => fetch::lay_out(contents, file, data).await?,
                };
                written.map_err(|fault| damaged(&file.path, &fault))
            }
        });
        stream::iter(written)
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        files += listing.files.len() as u64;
        bytes += listing.bytes();
    }
    // The hub may have had its large files elsewhere; from now on they are here.
    if let Some(file) = HubFile::read(&config.data)? {
        let large_files = place.bucket().map(ToOwned::to_owned);
        HubFile {
            large_files,
            ..file
        }
        .write(&config.data)?;
    }
    restore_database(&contents, &manifest, &config.data, &database).await?;
    sync_file_system(&config.data)?;
    drop(data_dir_lock);

    // The file beside the data may name the database that the hub had; from now on it has this one.
    let config = HubConfig {
        database: Some(database),
        ..config
    };
    let hub = Hub::open(config, clock).await?;
    let restored = AuditSubject::hub().with(format!("generation {generation}"));
    hub.operations()
        .audit_alone(&hub.shell(), AuditAction::BackupRestored, restored)
        .await?;
    hub.store.close().await;
    Ok(Restored {
        generation,
        repositories: total,
        files,
        bytes,
        faults: manifest.faults,
    })
}

/// Writes a large file to where the hub is to have them, and proves it; a sentence when one of its
/// pieces is missing or damaged.
async fn restore_large_file(
    contents: &Contents,
    file: &ListedFile,
    oid: LargeFileId,
    large_files: &LargeStorage,
) -> Result<Result<(), String>, Error> {
    let (large_files, size) = (large_files.clone(), file.size);
    let (sender, mut receiver) = mpsc::channel::<Bytes>(1);
    let writing = blocking(move || {
        let mut upload = large_files.begin(oid, size)?;
        while let Some(piece) = receiver.blocking_recv() {
            upload.write(&piece)?;
        }
        Ok(upload)
    });
    let reading = async move {
        for digest in &file.chunks {
            match fetch::piece(contents, *digest).await? {
                // Whoever writes has given up and says why.
                Ok(piece) => drop(sender.send(piece).await),
                Err(fault) => return Ok(Err(format!("`{}`: {fault}", file.path))),
            }
        }
        Ok::<_, Error>(Ok(()))
    };
    let (upload, read) = tokio::try_join!(writing, reading)?;
    match read {
        Ok(()) => blocking(move || upload.finish()).await.map(Ok),
        Err(fault) => Ok(Err(fault)),
    }
}

/// Refuses a directory with anything in it.
fn check_directory(data: &Path) -> Result<(), Error> {
    let entries = match fs_err::read_dir(data) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(Error::internal(error)),
    };
    if entries {
        return Err(Error::Operator(format!(
            "`{}` is not empty; a backup is restored to a directory of its own: name a new one with `--data`, and put it in \
             the place of the other when the hub runs",
            data.display()
        )));
    }
    Ok(())
}

/// Refuses a database with anything in it.
async fn check_database(database: &Database) -> Result<(), Error> {
    match database {
        Database::File(path) if path.exists() => Err(Error::Operator(format!(
            "there is a database in `{}` already; name another with `--database`",
            path.display()
        ))),
        Database::File(_) => Ok(()),
        Database::Server(_) => {
            let store = Store::connect(database, Durability::Full).await?;
            let checked = store.check_empty().await;
            store.close().await;
            Ok(checked?)
        }
    }
}

async fn restore_database(
    contents: &Contents,
    manifest: &Manifest,
    data: &Path,
    database: &Database,
) -> Result<(), Error> {
    let under_way = data.join(UNDER_WAY);
    let file = database_file(manifest, DATABASE);
    let laid_out = fetch::lay_out(contents, &file, &under_way).await?;
    laid_out.map_err(|fault| damaged("the database", &fault))?;
    let source = Store::open(&under_way.join(DATABASE)).await?;
    source.check_integrity().await?;
    match database {
        Database::File(path) => {
            // As a copy it has everything in one file, and appears whole or not at all.
            let whole = under_way.join("whole.db");
            source.copy_to(&whole).await?;
            put_in_place(&whole, path).await?;
        }
        Database::Server(_) => {
            let target = Store::connect(database, Durability::Full).await?;
            let copied = source.copy_into(&target).await;
            target.close().await;
            copied?;
        }
    }
    source.close().await;
    blocking(move || fs_err::remove_dir_all(under_way).map_err(Error::internal)).await
}

/// Moves a database to its place, which may be on another disk.
async fn put_in_place(whole: &Path, path: &Path) -> Result<(), Error> {
    let (whole, path) = (whole.to_owned(), path.to_owned());
    blocking(move || {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        let mut copy = tempfile::NamedTempFile::new_in(parent).map_err(Error::internal)?;
        let mut source = fs_err::File::open(whole).map_err(Error::internal)?;
        std::io::copy(&mut source, &mut copy).map_err(Error::internal)?;
        copy.as_file().sync_all().map_err(Error::internal)?;
        copy.persist_noclobber(path).map_err(Error::internal)?;
        Ok(())
    })
    .await
}

fn damaged(what: &str, fault: &str) -> Error {
    Error::Operator(format!(
        "the backup is damaged ({what}: {fault}); choose another generation with `--at`, and empty what this one left"
    ))
}
