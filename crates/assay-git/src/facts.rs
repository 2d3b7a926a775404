//! The file in which the hub writes down what git does not tell of a repository.

use std::io::{self, Write as _};
use std::path::Path;

use crate::sync::Directories;
use crate::{Error, Repository};

/// The name of the file, beside git's own.
pub(crate) const FACTS: &str = "assay.json";
/// The largest file that is read, in bytes.
const MAX_FACTS: u64 = 1 << 16;

impl Repository {
    /// Writes what the hub knows of this repository beside git, whole or not at all: for who finds
    /// the directory without its record. What is in it is the caller's affair. A text that is there
    /// already is not written again.
    pub fn write_facts(&self, text: &str) -> Result<(), Error> {
        let path = self.path().join(FACTS);
        if read_facts(self.path())?.as_deref() == Some(text) {
            return Ok(());
        }
        let failed = || Error::disk("write", &path);
        let mut file = tempfile::Builder::new()
            .prefix("assay.json.")
            .tempfile_in(self.path())
            .map_err(failed())?;
        file.write_all(text.as_bytes()).map_err(failed())?;
        if self.base.durability == assay_model::Durability::Full {
            file.as_file().sync_all().map_err(failed())?;
        }
        file.persist(&path).map_err(|error| failed()(error.error))?;
        let mut directories = Directories::new(self.base.durability);
        directories.of(&path);
        directories.sync()
    }

    /// Returns what [`Repository::write_facts`] wrote last.
    pub fn facts(&self) -> Result<Option<String>, Error> {
        read_facts(self.path())
    }
}

/// Returns the facts in the directory of a repository, wherever it lies. A file that is larger than
/// any that is written is none.
pub fn read_facts(directory: &Path) -> Result<Option<String>, Error> {
    let path = directory.join(FACTS);
    let failed = || Error::disk("read", &path);
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.len() > MAX_FACTS => return Ok(None),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed()(error)),
    }
    match std::fs::read(&path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed()(error)),
    }
}
