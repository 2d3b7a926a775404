//! Whether a file of the lake has the bytes that were written.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use xxhash_rust::xxh3::Xxh3;

/// How much is read at a time.
const CHUNK: usize = 1 << 18;

/// A checksum in the making. It tells accidents from what was written; who can change a file can change its name as well.
pub(crate) struct Checksum(Box<Xxh3>);

impl Checksum {
    /// The checksum of nothing yet.
    pub(crate) fn new() -> Self {
        Self(Box::new(Xxh3::new()))
    }

    /// Adds bytes.
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The 128 bits as 32 hexadecimal digits.
    pub(crate) fn finish(self) -> String {
        format!("{:032x}", self.0.digest128())
    }
}

/// Returns `true` if a file has the bytes of a checksum.
pub(crate) fn is_as_written(path: &Path, digest: &str) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let mut checksum = Checksum::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            return Ok(checksum.finish() == digest);
        }
        checksum.update(&chunk[..count]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_checked_by_its_checksum() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        std::fs::write(&path, "abc").unwrap();
        let mut checksum = Checksum::new();
        checksum.update(b"ab");
        checksum.update(b"c");
        let digest = checksum.finish();

        let before = is_as_written(&path, &digest).unwrap();
        std::fs::write(&path, "abd").unwrap();
        let after = is_as_written(&path, &digest).unwrap();

        assert_eq!(digest, "06b05ab6733a618578af5f94892f3950");
        assert_eq!((before, after), (true, false));
    }
}
