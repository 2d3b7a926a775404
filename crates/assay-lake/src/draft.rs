//! A file of a table in the making, which no version of the table has before it is whole.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::manifest::{DataFile, ENDING};
use crate::partition::Bounds;
use crate::store::new_file_in;
use crate::table::Table;

/// The future place of a file, and its table.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The table that its rows belong to.
    pub(crate) table: Table,
    /// The directory that is filled.
    root: PathBuf,
    /// The beginning of its name.
    name: String,
}

/// A file whose checksum is known when it is written. It is removed unless it is given its place.
pub(crate) struct Hashed {
    file: NamedTempFile,
    checksum: Checksum,
}

impl Draft {
    /// Begins a file below a directory. Its name begins with `name` and ends with its checksum.
    pub(crate) fn create(root: &Path, table: Table, name: &str) -> Result<(Self, Hashed)> {
        let directory = root.join(table.directory());
        fs_err::create_dir_all(&directory).map_err(Error::io("make", &directory))?;
        let file = new_file_in(&directory).map_err(Error::io("write in", &directory))?;
        let draft = Self {
            table,
            root: root.to_owned(),
            name: name.to_owned(),
        };
        let checksum = Checksum::new();
        Ok((draft, Hashed { file, checksum }))
    }

    /// The path that it will have, without its checksum.
    pub(crate) fn path(&self) -> PathBuf {
        self.root.join(self.table.directory()).join(&self.name)
    }

    /// Gives the file its place, unless it has no rows.
    pub(crate) fn place(
        self,
        file: Hashed,
        rows: u64,
        bounds: Option<Bounds>,
    ) -> Result<Option<DataFile>> {
        if rows == 0 {
            return Ok(None);
        }
        let Hashed { file, checksum } = file;
        let directory = self.table.directory();
        let path = format!("{directory}/{}-{}{ENDING}", self.name, checksum.finish());
        let place = || {
            let bytes = file.as_file().metadata()?.len();
            file.persist(self.root.join(&path))?;
            Ok(bytes)
        };
        let bytes = place().map_err(Error::io("write", self.root.join(&path)))?;
        Ok(Some(DataFile {
            table: self.table,
            path,
            bounds,
            rows,
            bytes,
        }))
    }
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.checksum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
