//! The one way to write a file: whole or not at all.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tempfile::NamedTempFile;

/// The prefix of the name of an unfinished file, with something random behind it.
const PREFIX: &str = ".assay-";

/// Writes a file beside its place and puts it there in one step, so that nobody ever sees half of
/// it.
///
/// What is replaced passes its permissions on, a link stays a link, and what is no file, such as a
/// pipe, is written to as it is.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let old = match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => {
            let mut stream = BufWriter::new(File::options().write(true).open(path)?);
            write(&mut stream)?;
            return stream.flush();
        }
        Ok(metadata) => Some(metadata.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let target = match old {
        Some(_) => std::fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let mut scratch = Scratch::in_directory(&directory_of(&target))?;
    let mut writer = BufWriter::new(scratch.file());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    if let Some(permissions) = old {
        scratch.keep_permissions(permissions)?;
    }
    scratch.replace(&target)
}

/// Scratch files and directories that a signal leaves behind unless they are removed.
static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    files: BTreeSet::new(),
    #[cfg(feature = "convert")]
    directories: BTreeSet::new(),
});

struct Unfinished {
    files: BTreeSet<PathBuf>,
    #[cfg(feature = "convert")]
    directories: BTreeSet<PathBuf>,
}

/// Removes scratch files when a signal ends the program, which then ends as the signal asks.
/// Without it, Ctrl-C would leave them behind.
#[cfg(all(unix, feature = "convert"))]
pub(crate) fn remove_scratch_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        let Some(signal) = signals.forever().next() else {
            return;
        };
        // Held to the end, so that no thread begins another file.
        let unfinished = UNFINISHED.lock();
        // What cannot be removed stays; there is nobody left to tell.
        for file in &unfinished.files {
            drop(std::fs::remove_file(file));
        }
        for directory in unfinished.directories.iter().rev() {
            drop(std::fs::remove_dir(directory));
        }
        drop(signal_hook::low_level::emulate_default_handler(signal));
    });
    Ok(())
}

/// Creates a directory for output. A signal removes it again if nothing is in it then.
#[cfg(feature = "convert")]
pub(crate) fn create_output_directory(directory: &Path) -> io::Result<()> {
    let mut unfinished = UNFINISHED.lock();
    let missing: Vec<&Path> = directory
        .ancestors()
        .take_while(|own| !own.as_os_str().is_empty() && !own.exists())
        .collect();
    fs_err::create_dir_all(directory)?;
    unfinished
        .directories
        .extend(missing.into_iter().map(Path::to_owned));
    Ok(())
}

/// A file that is nobody's until it is moved to its place, and gone if it never is.
#[derive(Debug)]
pub(crate) struct Scratch {
    file: NamedTempFile,
    listed: ListedFile,
}

/// The entry of a scratch file among those that a signal removes.
#[derive(Debug)]
struct ListedFile(PathBuf);

impl Drop for ListedFile {
    fn drop(&mut self) {
        UNFINISHED.lock().files.remove(&self.0);
    }
}

impl Scratch {
    /// A new one in a directory from which a rename reaches its place.
    pub(crate) fn in_directory(directory: &Path) -> io::Result<Self> {
        Self::listed(|| builder().tempfile_in(directory))
    }

    /// A new one that will never have a place.
    pub(crate) fn for_nothing() -> io::Result<Self> {
        Self::listed(|| builder().tempfile())
    }

    fn listed(create: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<Self> {
        let mut unfinished = UNFINISHED.lock();
        let file = create()?;
        let path = file.path().to_owned();
        unfinished.files.insert(path.clone());
        Ok(Self {
            file,
            listed: ListedFile(path),
        })
    }

    /// The file, to write to.
    pub(crate) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Returns a reader of what was written, from its beginning.
    pub(crate) fn reader(&self) -> io::Result<File> {
        let mut file = self.file.reopen()?;
        file.rewind()?;
        Ok(file)
    }

    /// Returns the number of bytes that were written.
    pub(crate) fn size(&self) -> Option<u64> {
        self.file.as_file().metadata().ok().map(|data| data.len())
    }

    /// Brings what was written to the disk.
    #[cfg(feature = "convert")]
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.as_file().sync_data()
    }

    /// Moves the file to its place, where nothing may be yet.
    pub(crate) fn settle(self, path: &Path) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file
            .persist_noclobber(path)
            .map_err(|error| error.error)?;
        drop(self.listed);
        sync_directory(path)
    }

    fn keep_permissions(&self, permissions: Permissions) -> io::Result<()> {
        self.file.as_file().set_permissions(permissions)
    }

    /// Moves the file to its place, whatever is there.
    pub(crate) fn replace(self, path: &Path) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(path).map_err(|error| error.error)?;
        drop(self.listed);
        sync_directory(path)
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Returns whether two readers hold the very same bytes.
pub(crate) fn same_bytes(
    mut one: impl io::BufRead,
    mut other: impl io::BufRead,
) -> io::Result<bool> {
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let length = left.len().min(right.len());
        if length == 0 {
            return Ok(left.is_empty() && right.is_empty());
        }
        if left[..length] != right[..length] {
            return Ok(false);
        }
        one.consume(length);
        other.consume(length);
    }
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        // A scratch file is private by default, and what it becomes should not be; the umask still
        // applies.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    builder
}

/// A rename outlives a power cut once the directory has been written too. Other systems have no
/// such call.
fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory_of(path))?.sync_all()?;
    }
    Ok(())
}

fn directory_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        replace(path, |target| target.write_all(text.as_bytes()))
    }

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_made_anew() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");

        write(&path, "one").unwrap();
        write(&path, "two").unwrap();

        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(directory.path()), ["file"]);
    }

    #[test]
    fn a_write_that_fails_changes_nothing_and_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        write(&path, "one").unwrap();

        let failed = replace(&path, |target| {
            target.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });

        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(names(directory.path()), ["file"]);
    }

    #[test]
    fn what_is_in_its_place_already_is_never_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        write(&path, "mine").unwrap();
        let scratch = Scratch::in_directory(directory.path()).unwrap();

        let refused = scratch.settle(&path);

        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        assert_eq!(names(directory.path()), ["file"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_survive() {
        use std::os::unix::fs::PermissionsExt as _;

        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        write(&file, "one").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();

        write(&link, "two").unwrap();

        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        write(Path::new("/dev/null"), "gone").unwrap();

        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
