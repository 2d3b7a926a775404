use assay_git::{check_connected, write_packed_refs};
use assay_model::chain;
use assay_store::Store;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::contents::{AT_ONCE, Contents};
use super::fetch;
use super::manifest::{ListedFile, Listing, Manifest, StoredRepository};
use super::place::BackupPlace;
use crate::config::TrustConfig;
use crate::error::Error;
use crate::hub::blocking;
use crate::trust::{Sizes, audit_logs};

/// The name of the database while it is looked at.
const DATABASE: &str = "database.db";
/// The permissions of a file that only its owner uses.
const PRIVATE: u32 = 0o600;

/// The outcome of a check of a generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// The name of the generation.
    pub generation: String,
    /// Number of repositories that it has.
    pub repositories: u64,
    /// Number of files that it has.
    pub files: u64,
    /// Number of bytes that they have.
    pub bytes: u64,
    /// The number of leaves of its two logs together.
    pub leaves: u64,
    /// Missing or damaged content, a sentence each.
    pub faults: Vec<String>,
}

/// Chooses a generation: the one whose name begins so, else the newest one that is whole.
pub(super) async fn choose(
    place: &BackupPlace,
    at: Option<&str>,
) -> Result<(String, Manifest), Error> {
    let names = Manifest::names(place).await?;
    let address = place.address();
    if names.is_empty() {
        return Err(Error::Invalid(format!("there is no backup in `{address}`")));
    }
    if let Some(at) = at {
        let found: Vec<&String> = names.iter().filter(|name| name.starts_with(at)).collect();
        return match found.as_slice() {
            [name] => Ok(((*name).clone(), Manifest::read(place, name).await?)),
            [] => Err(Error::Invalid(format!(
                "`{address}` has no generation `{at}`; `assay admin backup --list` names all"
            ))),
            _ => Err(Error::Invalid(format!(
                "`{address}` has {} generations that begin with `{at}`; give more of the name",
                found.len()
            ))),
        };
    }
    for name in names.iter().rev() {
        let manifest = Manifest::read(place, name).await?;
        if manifest.faults.is_empty() {
            return Ok((name.clone(), manifest));
        }
    }
    Err(Error::Operator(format!(
        "no generation in `{address}` is whole; choose one with `--at`, and something will be missing"
    )))
}

/// Reads all of a generation and checks it: that every piece is there and is what its name says,
/// that every ref of every repository leads to objects that are there, that the database is whole,
/// and that the logs are what was signed. For the last it needs the passphrase of the keys, as the
/// server does. It takes the newest whole generation unless one is named.
pub async fn check_backup(
    place: &BackupPlace,
    at: Option<&str>,
    trust: &TrustConfig,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<CheckReport, Error> {
    let (generation, manifest) = choose(place, at).await?;
    let contents = Contents::unlisted(place);
    let mut faults = manifest.faults.clone();
    let total = manifest.repositories.len() as u64;
    let mut files = 1;
    let mut bytes = manifest.database.size;
    for (done, stored) in (1..).zip(&manifest.repositories) {
        let (count, size, found) = check_repository(&contents, stored).await?;
        files += count;
        bytes += size;
        faults.extend(found.map(|fault| format!("`{}`: {fault}", stored.path)));
        progress(done, total);
    }
    for folder in &manifest.folders {
        match fetch::listing(&contents, &folder.listing).await? {
            Ok(listing) => {
                files += listing.files.len() as u64;
                bytes += listing.bytes();
                faults.extend(check_files(&contents, &listing).await?);
            }
            Err(fault) => faults.push(fault),
        }
    }
    let scratch = tempfile::tempdir().map_err(Error::internal)?;
    let known = match check_database(&contents, &manifest, scratch.path()).await? {
        Ok(known) => known,
        Err(fault) => {
            faults.push(format!("the database: {fault}"));
            Sizes::default()
        }
    };
    // What is missing of the logs was told above.
    let untold = fetch::lay_out_trust(&contents, &manifest, scratch.path()).await?;
    let mut leaves = 0;
    if untold.is_empty() {
        let (directory, trust) = (scratch.path().join("trust"), trust.clone());
        match blocking(move || audit_logs(&directory, &trust)).await {
            Ok(sizes) if sizes.results < known.results || sizes.control < known.control => {
                faults.push("the logs are shorter than the database says".to_owned());
            }
            Ok(sizes) => leaves = sizes.results + sizes.control,
            Err(error) => faults.push(log_fault(&error)),
        }
    }
    Ok(CheckReport {
        generation,
        repositories: total,
        files,
        bytes,
        leaves,
        faults,
    })
}

/// A sentence about logs that do not hold.
pub(super) fn log_fault(error: &Error) -> String {
    format!("the logs do not hold: {}", chain(error))
}

/// Lays a repository out for a moment and follows its refs.
async fn check_repository(
    contents: &Contents,
    stored: &StoredRepository,
) -> Result<(u64, u64, Option<String>), Error> {
    let listing = match fetch::listing(contents, &stored.listing).await? {
        Ok(listing) => listing,
        Err(fault) => return Ok((0, 0, Some(fault))),
    };
    let (count, size) = (listing.files.len() as u64, listing.bytes());
    let scratch = tempfile::tempdir().map_err(Error::internal)?;
    let fault = lay_out_repository(contents, &listing, scratch.path()).await?;
    Ok((count, size, fault.err()))
}

/// Makes the directory of a repository again, and follows its refs to the last file.
pub(super) async fn lay_out_repository(
    contents: &Contents,
    listing: &Listing,
    directory: &std::path::Path,
) -> Result<Result<(), String>, Error> {
    let files = listing
        .files
        .iter()
        .map(|file| fetch::lay_out(contents, file, directory));
    let laid_out: Vec<Result<(), String>> = stream::iter(files)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    if let Some(fault) = laid_out.into_iter().find_map(Result::err) {
        return Ok(Err(fault));
    }
    let (refs, directory) = (listing.git_refs()?, directory.to_owned());
    blocking(move || {
        write_packed_refs(&directory, &refs)?;
        Ok(check_connected(&directory).map_err(|error| match error {
            assay_git::Error::Incomplete { output, .. } => {
                format!("a ref leads to an object that is not there: {output}")
            }
            other => chain(&other),
        }))
    })
    .await
}

async fn check_files(contents: &Contents, listing: &Listing) -> Result<Vec<String>, Error> {
    let checks = listing.files.iter().map(|file: &ListedFile| async move {
        let checked = fetch::check_file(contents, &file.chunks).await?;
        Ok::<_, Error>(
            checked
                .err()
                .map(|fault| format!("`{}`: {fault}", file.path)),
        )
    });
    let faults: Vec<Option<String>> = stream::iter(checks)
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await?;
    Ok(faults.into_iter().flatten().collect())
}

/// Opens a copy of the database, and returns how much it knows of the logs.
async fn check_database(
    contents: &Contents,
    manifest: &Manifest,
    directory: &std::path::Path,
) -> Result<Result<Sizes, String>, Error> {
    let file = database_file(manifest, DATABASE);
    if let Err(fault) = fetch::lay_out(contents, &file, directory).await? {
        return Ok(Err(fault));
    }
    let opened = async {
        let store = Store::open(&directory.join(DATABASE)).await?;
        store.check_integrity().await?;
        let mut tx = store.begin().await?;
        let known = Sizes::known(&mut tx).await?;
        tx.rollback().await?;
        store.close().await;
        Ok::<_, Error>(known)
    };
    Ok(opened.await.map_err(|error| chain(&error)))
}

/// The database of a generation as a file of this name.
pub(super) fn database_file(manifest: &Manifest, name: &str) -> ListedFile {
    ListedFile {
        path: name.to_owned(),
        size: manifest.database.size,
        modified_ns: 0,
        mode: PRIVATE,
        chunks: manifest.database.chunks.clone(),
    }
}
