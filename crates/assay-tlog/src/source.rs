use std::io;
use std::path::PathBuf;

use crate::tile::LogPath;

/// A source of the files of a log: an untrusted server, a mirror or a directory.
pub trait LogSource {
    /// The bytes of a file; none when there is no such file.
    fn fetch(&mut self, path: &LogPath) -> Result<Option<Vec<u8>>, SourceError>;
}

/// A file could not be asked for. That says nothing about the log.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` cannot be fetched")]
pub struct SourceError {
    /// Path of the file.
    pub path: String,
    /// The cause.
    pub source: Box<dyn std::error::Error + Send + Sync>,
}

/// A directory with the files of a log under their own names, such as a mirror.
#[derive(Debug, Clone)]
pub struct Directory(PathBuf);

impl Directory {
    /// The files below this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl LogSource for Directory {
    fn fetch(&mut self, path: &LogPath) -> Result<Option<Vec<u8>>, SourceError> {
        match fs_err::read(self.0.join(path.to_string())) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(SourceError {
                path: path.to_string(),
                source: Box::new(error),
            }),
        }
    }
}

impl<S: LogSource + ?Sized> LogSource for &mut S {
    fn fetch(&mut self, path: &LogPath) -> Result<Option<Vec<u8>>, SourceError> {
        (**self).fetch(path)
    }
}
