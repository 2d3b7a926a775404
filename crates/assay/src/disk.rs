//! The files of this machine, and the streams that are given in their place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_check::{FileKind, Files};
use parking_lot::Mutex;

use crate::listing::Listing;

/// The name of standard input in findings.
pub(crate) const STDIN: &str = "<stdin>";

/// The file system, seen through names that can be printed.
///
/// A name is the path with slashes. Paths that are no text get a name of their own; the few names
/// that differ from their path are remembered.
#[derive(Default)]
pub(crate) struct Disk {
    renamed: BTreeMap<Arc<str>, PathBuf>,
    absent: BTreeMap<Arc<str>, String>,
    streams: BTreeMap<Arc<str>, Stream>,
    listing: Listing,
}

/// Something that can be read once: standard input, a pipe.
struct Stream {
    reader: Mutex<Option<Box<dyn Read + Send>>>,
    kind: Option<FileKind>,
}

impl Disk {
    /// The name of a path.
    pub(crate) fn name(&mut self, path: &Path) -> Arc<str> {
        let (name, is_plain): (Arc<str>, bool) = match path.to_str() {
            Some(STDIN) => (format!("./{STDIN}").into(), false),
            Some(text) => (with_slashes(text).into(), true),
            None => (escaped(path).into(), false),
        };
        if !is_plain {
            self.renamed.insert(Arc::clone(&name), path.to_owned());
        }
        name
    }

    /// Gives a file the name that it would have at another path, and returns the name.
    #[cfg(feature = "client")]
    pub(crate) fn set_path(&mut self, named: &Path, path: PathBuf) -> Arc<str> {
        let name = self.name(named);
        self.renamed.insert(Arc::clone(&name), path);
        name
    }

    /// The path behind a name.
    pub(crate) fn path<'n>(&'n self, name: &'n str) -> &'n Path {
        match self.renamed.get(name) {
            Some(path) => path,
            None => Path::new(name),
        }
    }

    /// Believes what a search has seen, until the files are changed.
    pub(crate) fn set_listing(&mut self, listing: Listing) {
        self.listing = listing;
    }

    /// Remembers that nothing is there and why, in words that are better than the system's.
    pub(crate) fn set_absent(&mut self, name: &Arc<str>, why: String) {
        self.absent.insert(Arc::clone(name), why);
    }

    /// Puts a stream in the place of a file and returns what it is, unless `kind` says so already.
    pub(crate) fn set_stream(
        &mut self,
        name: &Arc<str>,
        mut reader: Box<dyn Read + Send>,
        kind: Option<FileKind>,
    ) -> Option<FileKind> {
        let mut head = Vec::new();
        let mut kind = kind;
        if kind.is_none() {
            // A stream that breaks here breaks again when it is validated, and is reported then.
            let _ = (&mut reader)
                .take(FileKind::HEAD_BYTES)
                .read_to_end(&mut head);
            kind = FileKind::of_content(name, &String::from_utf8_lossy(&head));
        }
        let stream = Stream {
            reader: Mutex::new(Some(Box::new(Cursor::new(head).chain(reader)))),
            kind,
        };
        self.streams.insert(Arc::clone(name), stream);
        kind
    }

    /// Returns whether a name stands for a stream.
    pub(crate) fn is_stream(&self, name: &str) -> bool {
        self.streams.contains_key(name)
    }

    /// The kind of a file, by its path and then by how it begins.
    pub(crate) fn kind_of(&self, name: &str) -> io::Result<Option<FileKind>> {
        if let Some(kind) = FileKind::of_path(name) {
            return Ok(Some(kind));
        }
        let path = self.path(name);
        // A result file is known by its directory, also when the command was run inside that
        // directory.
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if let Some(kind) = FileKind::of_path(&with_slashes(&whole.to_string_lossy())) {
            return Ok(Some(kind));
        }
        let mut head = Vec::new();
        self.open(name)?
            .take(FileKind::HEAD_BYTES)
            .read_to_end(&mut head)?;
        Ok(FileKind::of_content(name, &String::from_utf8_lossy(&head)))
    }
}

impl Files for Disk {
    fn open(&self, name: &str) -> io::Result<Box<dyn Read + '_>> {
        if let Some(why) = self.absent.get(name) {
            return Err(io::Error::new(io::ErrorKind::NotFound, why.clone()));
        }
        if let Some(stream) = self.streams.get(name) {
            let mut reader = stream.reader.lock();
            let reader = reader
                .take()
                .ok_or_else(|| io::Error::other("a stream can be read only once"))?;
            return Ok(reader);
        }
        Ok(Box::new(File::open(self.path(name))?))
    }

    fn size(&self, name: &str) -> Option<u64> {
        if let Some(stream) = self.streams.get(name) {
            // Nobody knows how long a stream is. Samples count as large, so that all threads
            // validate them.
            return Some(match stream.kind {
                Some(FileKind::Samples) => u64::MAX,
                Some(FileKind::EvalYaml | FileKind::EvalResults | FileKind::Record) | None => 0,
            });
        }
        if self.listing.rules_out(name) {
            return None;
        }
        let metadata = std::fs::metadata(self.path(name)).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    fn is_placed(&self, name: &str) -> bool {
        !self.is_stream(name)
    }
}

/// A path with `/` between its parts, also on systems that write `\`.
fn with_slashes(path: &str) -> Cow<'_, str> {
    if std::path::MAIN_SEPARATOR == '/' {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(path.replace(std::path::MAIN_SEPARATOR, "/"))
    }
}

/// A name for a path that is no text: what is no text is spelled out.
fn escaped(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name.push_str(chunk.valid());
        name.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    with_slashes(&name).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_recognised_and_still_read_from_its_beginning() {
        let mut disk = Disk::default();
        let name: Arc<str> = STDIN.into();
        let rows = b"{\"sample_id\": \"1\", \"interaction_type\": \"single_turn\"}\n";

        let kind = disk.set_stream(&name, Box::new(rows.as_slice()), None);

        let mut read = Vec::new();
        disk.open(STDIN).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!(kind, Some(FileKind::Samples));
        assert_eq!(read, rows);
        assert!(disk.open(STDIN).is_err());
    }

    #[test]
    fn a_directory_has_no_size() {
        let directory = tempfile::tempdir().unwrap();

        let size = Disk::default().size(directory.path().to_str().unwrap());

        assert_eq!(size, None);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_opened_by_its_name() {
        use std::os::unix::ffi::OsStrExt as _;

        let directory = tempfile::tempdir().unwrap();
        let path = directory
            .path()
            .join(std::ffi::OsStr::from_bytes(b"r\xff.json"));
        std::fs::write(&path, "{}").unwrap();
        let mut disk = Disk::default();

        let name = disk.name(&path);

        assert!(name.ends_with("r\\xff.json"));
        assert_eq!(disk.size(&name), Some(2));
    }
}
