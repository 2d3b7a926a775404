//! A file of the lake in the making, which nobody sees before it is whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::lake::{TABLES, UNFINISHED};
use crate::manifest::DataFile;
use crate::partition::Bounds;
use crate::table::Table;

/// The future place of a file, and its table.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The table that its rows belong to.
    pub(crate) table: Table,
    /// Its future path, from the directory of the lake.
    relative: String,
    path: PathBuf,
    unfinished: PathBuf,
}

/// A file whose checksum is known when it is written.
pub(crate) struct Hashed {
    file: File,
    checksum: Checksum,
}

impl Draft {
    /// Begins a file. `name` must be new in the lake.
    pub(crate) fn create(lake: &Path, table: Table, name: &str) -> Result<(Self, Hashed)> {
        let directory = format!("{TABLES}/{}", table.as_str());
        let relative = format!("{directory}/{name}.parquet");
        let path = lake.join(&relative);
        let unfinished = path.with_extension(UNFINISHED);
        let directory = lake.join(directory);
        fs_err::create_dir_all(&directory).map_err(Error::io("make", &directory))?;
        let file = File::create(&unfinished).map_err(Error::io("write", &unfinished))?;
        let draft = Self {
            table,
            relative,
            path,
            unfinished,
        };
        let checksum = Checksum::new();
        Ok((draft, Hashed { file, checksum }))
    }

    /// The path until the file is whole.
    pub(crate) fn unfinished(&self) -> &Path {
        &self.unfinished
    }

    /// Puts the file in its place, unless it has no rows. Nobody sees it before a manifest names
    /// it, and that brings it to the disk first.
    pub(crate) fn place(
        self,
        file: Hashed,
        rows: u64,
        bounds: Option<Bounds>,
    ) -> Result<Option<DataFile>> {
        if rows == 0 {
            drop(file);
            fs_err::remove_file(&self.unfinished).map_err(Error::io("remove", &self.unfinished))?;
            return Ok(None);
        }
        let Hashed { file, checksum } = file;
        let place = || {
            let bytes = file.metadata()?.len();
            std::fs::rename(&self.unfinished, &self.path)?;
            Ok(bytes)
        };
        let bytes = place().map_err(Error::io("write", &self.path))?;
        Ok(Some(DataFile {
            table: self.table,
            path: self.relative,
            bounds,
            rows,
            bytes,
            digest: checksum.finish(),
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
