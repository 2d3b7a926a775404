use std::fs::File;
use std::io;

use assay_convert::convert::{LogFile, Logs};

/// The logs on this machine; a name is a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiskLogs;

impl Logs for DiskLogs {
    fn open(&self, path: &str) -> io::Result<Box<dyn LogFile + '_>> {
        // A pipe would block for ever, and cannot be read from any place.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok(Box::new(File::open(path)?))
    }

    fn list(&self, directory: &str) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            // A name that is no text is none that a harness gives.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}
