//! Files of a backup, read and proved.

use std::path::{Component, Path, PathBuf};

use super::contents::{ContentFault, Contents};
use super::manifest::{Digest, ListedFile, Listing, Manifest, StoredListing};
use crate::error::Error;
use crate::hub::blocking;

/// The beginning of the paths of logs and keys.
const TRUST: &str = "trust/";

/// Reads the listing of a repository or a folder; a sentence when it is missing or damaged.
pub(super) async fn listing(
    contents: &Contents,
    stored: &StoredListing,
) -> Result<Result<Listing, String>, Error> {
    let mut bytes = Vec::new();
    for digest in &stored.chunks {
        match piece(contents, *digest).await? {
            Ok(piece) => bytes.extend_from_slice(&piece),
            Err(fault) => return Ok(Err(fault)),
        }
    }
    let read = serde_json::from_slice(&bytes);
    Ok(read.map_err(|error| format!("a listing cannot be read: {error}")))
}

/// Reads every piece of a file; a sentence about the first that is missing or damaged.
pub(super) async fn check_file(
    contents: &Contents,
    chunks: &[Digest],
) -> Result<Result<(), String>, Error> {
    for digest in chunks {
        if let Err(fault) = piece(contents, *digest).await? {
            return Ok(Err(fault));
        }
    }
    Ok(Ok(()))
}

/// Writes a file below a directory; a sentence when one of its pieces is missing or damaged.
pub(super) async fn lay_out(
    contents: &Contents,
    file: &ListedFile,
    directory: &Path,
) -> Result<Result<(), String>, Error> {
    let path = path_within(directory, &file.path)?;
    let (parent, mode) = (path.parent().map(Path::to_owned), file.mode);
    let mut target = blocking(move || {
        if let Some(parent) = parent {
            fs_err::create_dir_all(parent).map_err(Error::internal)?;
        }
        create(&path, mode)
    })
    .await?;
    for digest in &file.chunks {
        match piece(contents, *digest).await? {
            Ok(piece) => {
                target = blocking(move || {
                    std::io::Write::write_all(&mut target, &piece).map_err(Error::internal)?;
                    Ok(target)
                })
                .await?;
            }
            Err(fault) => return Ok(Err(format!("`{}`: {fault}", file.path))),
        }
    }
    Ok(Ok(()))
}

/// Writes the logs and keys of a generation below a directory, and returns what is missing or
/// damaged.
pub(super) async fn lay_out_trust(
    contents: &Contents,
    manifest: &Manifest,
    directory: &Path,
) -> Result<Vec<String>, Error> {
    let mut faults = Vec::new();
    for folder in manifest.folders.iter().filter(|own| own.path.is_empty()) {
        let files = match listing(contents, &folder.listing).await? {
            Ok(listing) => listing.files,
            Err(fault) => {
                faults.push(fault);
                continue;
            }
        };
        for file in files.iter().filter(|own| own.path.starts_with(TRUST)) {
            faults.extend(lay_out(contents, file, directory).await?.err());
        }
    }
    Ok(faults)
}

/// A path below a directory, which may not lead out of it.
pub(super) fn path_within(directory: &Path, path: &str) -> Result<PathBuf, Error> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if path.is_empty() || !Path::new(path).components().all(is_plain) {
        return Err(Error::Operator(format!(
            "the backup names the file `{path}`, which leads out of the data directory"
        )));
    }
    Ok(directory.join(path))
}

pub(super) async fn piece(
    contents: &Contents,
    digest: Digest,
) -> Result<Result<bytes::Bytes, String>, Error> {
    match contents.fetch(digest).await {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(ContentFault::Unreachable(error)) => Err(error.into()),
        Err(fault) => Ok(Err(fault.to_string())),
    }
}

/// Makes a new file that has these permissions from the beginning.
fn create(path: &Path, mode: u32) -> Result<fs_err::File, Error> {
    let mut options = fs_err::OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_of_a_backup_leads_out_of_the_directory() {
        let directory = Path::new("/data");

        let inside = path_within(directory, "trust/keys/a.sealed").unwrap();

        assert_eq!(inside, Path::new("/data/trust/keys/a.sealed"));
        for path in ["", "/etc/passwd", "../x", "a/../../x", "./x"] {
            assert!(path_within(directory, path).is_err(), "{path}");
        }
    }
}
