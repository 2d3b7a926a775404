//! Reading and writing at a place in a file.

#[cfg(unix)]
pub(crate) use std::os::unix::fs::FileExt;

/// The same where there is none, as in a browser: there proofs are verified and no log is kept, so
/// each of these fails.
#[cfg(not(unix))]
pub(crate) trait FileExt {
    fn read_exact_at(&self, _: &mut [u8], _: u64) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn write_all_at(&self, _: &[u8], _: u64) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

#[cfg(not(unix))]
impl FileExt for std::fs::File {}
