//! A file of the lake in the making, which nobody sees before it is whole.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::checksum::Checksum;
use crate::error::{Error, Result};
use crate::lake::{TABLES, UNFINISHED};
use crate::manifest::DataFile;
use crate::partition::Partition;
use crate::table::Table;

/// Where a file will lie, and what of.
#[derive(Debug)]
pub(crate) struct Draft {
    /// The table that its rows belong to.
    pub(crate) table: Table,
    partition: Option<Partition>,
    /// Where it will lie, from the directory of the lake.
    relative: String,
    path: PathBuf,
    unfinished: PathBuf,
}

/// A file whose checksum is known when it is written.
pub(crate) struct Hashed {
    file: File,
    checksum: Checksum,
    /// Whether it is written past the memory of the system.
    passes: bool,
}

impl Draft {
    /// Begins a file. `name` must be new in the lake.
    pub(crate) fn create(
        lake: &Path,
        table: Table,
        partition: Option<Partition>,
        name: &str,
    ) -> Result<(Self, Hashed)> {
        let directory = match &partition {
            Some(partition) => format!("{TABLES}/{}/{}", table.as_str(), partition.directory()),
            None => format!("{TABLES}/{}", table.as_str()),
        };
        let relative = format!("{directory}/{name}.parquet");
        let path = lake.join(&relative);
        let unfinished = path.with_extension(UNFINISHED);
        let directory = lake.join(directory);
        fs_err::create_dir_all(&directory).map_err(Error::io("make", &directory))?;
        let file = File::create(&unfinished).map_err(Error::io("write", &unfinished))?;
        let file = Hashed::new(file);
        let draft = Self {
            table,
            partition,
            relative,
            path,
            unfinished,
        };
        Ok((draft, file))
    }

    /// Where it lies until it is whole.
    pub(crate) fn unfinished(&self) -> &Path {
        &self.unfinished
    }

    /// Puts the file in its place, unless it has no rows. Nobody sees it before a manifest names it, and that brings it to the
    /// disk first.
    pub(crate) fn place(self, file: Hashed, rows: u64) -> Result<Option<DataFile>> {
        if rows == 0 {
            drop(file);
            fs_err::remove_file(&self.unfinished).map_err(Error::io("remove", &self.unfinished))?;
            return Ok(None);
        }
        let Hashed { file, checksum, .. } = file;
        let place = || {
            let bytes = file.metadata()?.len();
            std::fs::rename(&self.unfinished, &self.path)?;
            Ok(bytes)
        };
        let bytes = place().map_err(Error::io("write", &self.path))?;
        Ok(Some(DataFile {
            table: self.table,
            path: self.relative,
            partition: self.partition,
            rows,
            bytes,
            digest: checksum.finish(),
        }))
    }
}

impl Hashed {
    /// Nothing written yet.
    pub(crate) fn new(file: File) -> Self {
        Self {
            file,
            checksum: Checksum::new(),
            passes: false,
        }
    }

    /// Writes past the memory of the system from here on, where it lets us. Memory that is written has to begin and end where the
    /// disk can read it.
    pub(crate) fn pass_by_memory(&mut self) {
        self.passes = set_direct(&self.file, true).is_ok();
    }

    /// Writes through the memory of the system from here on, as every file is by default.
    pub(crate) fn keep_in_memory(&mut self) {
        if std::mem::take(&mut self.passes) {
            // What is refused here is refused again by the next write, and told there.
            set_direct(&self.file, false).ok();
        }
    }
}

#[cfg(target_os = "linux")]
fn set_direct(file: &File, is_direct: bool) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let mut flags = fcntl_getfl(file)?;
    flags.set(OFlags::DIRECT, is_direct);
    Ok(fcntl_setfl(file, flags)?)
}

#[cfg(not(target_os = "linux"))]
fn set_direct(_file: &File, _is_direct: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self.file.write(bytes) {
            // This disk wants memory to begin elsewhere, or a part was written that ends elsewhere.
            Err(error) if self.passes && error.kind() == io::ErrorKind::InvalidInput => {
                self.keep_in_memory();
                self.file.write(bytes)
            }
            written => written,
        };
        let count = written?;
        self.checksum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
