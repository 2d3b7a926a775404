//! One submission in the outbox: a directory with copies of its files, and `submission.json`.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use assay_model::Timestamp;
use serde::{Deserialize, Serialize};

/// The file that describes a submission.
const DESCRIPTION: &str = "submission.json";
/// The file that is locked while a submission is being sent.
const LOCK: &str = "lock";
/// The directory with the copies.
const FILES: &str = "files";
/// The beginning of directories that are not submissions yet, or no more.
const UNFINISHED: char = '.';
/// The deepest directory below a run directory that is copied.
const MAX_DEPTH: usize = 16;

/// The directory that submissions wait in.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    directory: PathBuf,
}

/// A submission that waits.
#[derive(Debug)]
pub(crate) struct OutboxItem {
    /// The name of its directory.
    pub(crate) id: String,
    directory: PathBuf,
    pub(crate) submission: Submission,
}

/// The description of a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Submission {
    pub(crate) created: String,
    /// The hub that it goes to, unless the arguments name one.
    pub(crate) hub: Option<String>,
    /// The arguments of `assay submit`, without paths.
    pub(crate) arguments: Vec<String>,
    /// The copies, as paths below the directory of the submission.
    pub(crate) paths: Vec<PathBuf>,
    /// Files whose digests are signed along, as paths below the directory of the submission.
    #[serde(default)]
    pub(crate) evidence: Vec<PathBuf>,
    /// The number of times that it was tried to be sent.
    #[serde(default)]
    pub(crate) attempts: u64,
    #[serde(default)]
    pub(crate) state: SubmissionState,
    /// The reason why the last attempt failed.
    #[serde(default)]
    pub(crate) last_error: Option<String>,
}

/// The state of a submission: tried again by itself, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SubmissionState {
    /// It is sent at the next opportunity.
    #[default]
    Waiting,
    /// It was refused, and is sent again only on request.
    Refused,
}

/// A file that becomes part of a submission.
pub(crate) enum NewFile<'f> {
    /// A copy of a file or of a run directory.
    Copy(&'f Path),
    /// A text, under this name.
    Text(&'f str, &'f str),
}

impl Outbox {
    pub(crate) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Adds a submission. It is on the disk as a whole or not at all.
    pub(crate) fn add(
        &self,
        now: Timestamp,
        hub: Option<&str>,
        arguments: &[String],
        paths: &[PathBuf],
        evidence: &[NewFile<'_>],
    ) -> io::Result<OutboxItem> {
        fs_err::create_dir_all(&self.directory)?;
        let unfinished = tempfile::Builder::new()
            .prefix(".new-")
            .tempdir_in(&self.directory)?;
        let copies: Vec<NewFile<'_>> = paths.iter().map(|path| NewFile::Copy(path)).collect();
        let mut submission = Submission {
            created: now.to_string(),
            hub: hub.map(str::to_owned),
            arguments: arguments.to_vec(),
            paths: Vec::new(),
            evidence: Vec::new(),
            attempts: 0,
            state: SubmissionState::Waiting,
            last_error: None,
        };
        for (number, file) in copies.iter().chain(evidence).enumerate() {
            // A directory for each keeps names apart without changing them: converters read names.
            let place = Path::new(FILES).join(number.to_string());
            let place = place.join(file.name());
            file.write(&unfinished.path().join(&place))?;
            if number < copies.len() {
                submission.paths.push(place);
            } else {
                submission.evidence.push(place);
            }
        }
        write_description(unfinished.path(), &submission)?;
        File::create(unfinished.path().join(LOCK))?;
        let random = unfinished.path().file_name().unwrap_or_default();
        let random = random.to_string_lossy().replace(".new-", "");
        let moment: String = now
            .to_string()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let id = format!("{moment}-{random}");
        let directory = self.directory.join(&id);
        fs_err::rename(unfinished.keep(), &directory)?;
        Ok(OutboxItem {
            id,
            directory,
            submission,
        })
    }

    /// Returns the submissions, oldest first. A directory that is none is passed over.
    pub(crate) fn items(&self) -> io::Result<Vec<OutboxItem>> {
        let listed = match fs_err::read_dir(&self.directory) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut items = Vec::new();
        for entry in listed {
            let entry = entry?;
            let Ok(id) = entry.file_name().into_string() else {
                continue;
            };
            if id.starts_with(UNFINISHED) || !entry.file_type()?.is_dir() {
                continue;
            }
            let directory = entry.path();
            let text = match fs_err::read(directory.join(DESCRIPTION)) {
                Ok(text) => text,
                // Another process has just sent it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            items.push(OutboxItem {
                id,
                submission: serde_json::from_slice(&text)?,
                directory,
            });
        }
        items.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(items)
    }
}

impl OutboxItem {
    /// Locks the submission until the returned file is dropped. None when another process is
    /// sending it, or has.
    pub(crate) fn try_lock(&self) -> io::Result<Option<File>> {
        let file = match fs_err::File::open(self.directory.join(LOCK)) {
            Ok(file) => file.into_file(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            Ok(()) if self.directory.join(DESCRIPTION).exists() => Ok(Some(file)),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Returns the copies as paths that can be opened.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.files(&self.submission.paths)
    }

    /// Returns the files whose digests are signed along.
    pub(crate) fn evidence(&self) -> Vec<PathBuf> {
        self.files(&self.submission.evidence)
    }

    fn files(&self, paths: &[PathBuf]) -> Vec<PathBuf> {
        paths.iter().map(|path| self.directory.join(path)).collect()
    }

    /// Remembers an attempt that failed.
    pub(crate) fn note_failure(
        &mut self,
        state: SubmissionState,
        reason: String,
    ) -> io::Result<()> {
        self.submission.attempts += 1;
        self.submission.state = state;
        self.submission.last_error = Some(reason);
        write_description(&self.directory, &self.submission)
    }

    /// Removes the submission. It is gone from the list at once, also when its files cannot all be
    /// removed.
    pub(crate) fn remove(self) -> io::Result<()> {
        let gone = self.directory.with_file_name(format!(".old-{}", self.id));
        fs_err::rename(&self.directory, &gone)?;
        fs_err::remove_dir_all(gone)
    }
}

impl NewFile<'_> {
    fn name(&self) -> &OsStr {
        match self {
            Self::Copy(path) => path.file_name().unwrap_or(OsStr::new("log")),
            Self::Text(name, _) => OsStr::new(name),
        }
    }

    fn write(&self, place: &Path) -> io::Result<()> {
        if let Some(directory) = place.parent() {
            fs_err::create_dir_all(directory)?;
        }
        match self {
            Self::Text(_, text) => fs_err::write(place, text),
            Self::Copy(path) => copy_all(path, place),
        }
    }
}

/// Copies a file, or a directory with all that lies in it.
fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    for entry in walkdir::WalkDir::new(from).max_depth(MAX_DEPTH) {
        let entry = entry?;
        let place = match entry.path().strip_prefix(from) {
            Ok(rest) if rest.as_os_str().is_empty() => to.to_owned(),
            Ok(rest) => to.join(rest),
            Err(error) => return Err(io::Error::other(error)),
        };
        if entry.file_type().is_dir() {
            fs_err::create_dir_all(place)?;
        } else {
            fs_err::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

/// Writes the description beside the old one and puts it in its place, so that there is always a
/// whole one.
fn write_description(directory: &Path, submission: &Submission) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    serde_json::to_writer_pretty(&mut file, submission)?;
    file.persist(directory.join(DESCRIPTION))?;
    Ok(())
}
