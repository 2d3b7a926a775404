//! Space that is kept for a start on a full disk: the database needs a little to be opened, even to
//! be read.

use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::error::Error;
use crate::secret;

/// The file in the data directory that takes the space.
const RESERVE: &str = "reserve";
/// The size of the file, in bytes.
const BYTES: usize = 256 << 10;
/// The number of bytes written at a time.
const PIECE: usize = 4096;

/// Takes the space, if it is not taken yet. A disk that is too full for it is none of our concern
/// here.
pub(crate) fn take(data: &Path) {
    let path = data.join(RESERVE);
    let size = fs_err::metadata(&path).map_or(0, |found| found.len());
    if size >= BYTES as u64 {
        return;
    }
    if let Err(error) = write(&path) {
        tracing::warn!(%error, "no space can be kept for a start on a full disk");
        release(data);
    }
}

/// Gives the space back. The answer is whether there was any.
pub(crate) fn release(data: &Path) -> bool {
    match fs_err::remove_file(data.join(RESERVE)) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => {
            tracing::warn!(%error, "the space that is kept for a full disk cannot be given back");
            false
        }
    }
}

/// Writes bytes that no file system makes smaller.
fn write(path: &Path) -> Result<(), Error> {
    let mut file = fs_err::File::create(path).map_err(Error::internal)?;
    for _ in 0..BYTES / PIECE {
        let bytes: [u8; PIECE] = secret::bytes()?;
        file.write_all(&bytes).map_err(Error::internal)?;
    }
    file.flush().map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_is_taken_once_and_given_back_once() {
        let data = tempfile::tempdir().unwrap();

        take(data.path());
        let taken = fs_err::metadata(data.path().join(RESERVE)).unwrap();
        take(data.path());

        assert_eq!(taken.len(), BYTES as u64);
        assert!(release(data.path()));
        assert!(!release(data.path()));
    }
}
