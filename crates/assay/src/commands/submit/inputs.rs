use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use assay_check::FileKind;
use assay_formats::eval_results::entries::{self, Piece};

use super::SubmitError;

/// The largest record that is read, in bytes.
const MAX_RECORD: u64 = 64 << 20;

/// The files of the paths of a command.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// The entries of result files.
    pub(crate) entries: Vec<GivenEntry>,
    /// Every Eval Ever records: path and text.
    pub(crate) records: Vec<(String, String)>,
    /// Everything else, which is for the converter to recognise.
    pub(crate) logs: Vec<PathBuf>,
}

/// An entry of a result file.
#[derive(Debug)]
pub(crate) struct GivenEntry {
    /// The origin, for people.
    pub(crate) origin: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// The place in it, from 0.
    pub(crate) position: usize,
    /// The content.
    pub(crate) piece: Piece,
}

impl Inputs {
    /// Reads what is ours; logs are left to the converter.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, SubmitError> {
        let mut inputs = Self::default();
        for path in paths {
            let shown = path.display().to_string();
            match kind_of(path) {
                Some(FileKind::EvalResults) => {
                    let text = text_of(path, entries::MAX_FILE)?;
                    let pieces = entries::split(&text)
                        .map_err(|error| SubmitError::refused(format!("`{shown}`: {error}")))?;
                    for (position, piece) in pieces.into_iter().enumerate() {
                        inputs.entries.push(GivenEntry {
                            origin: format!("{shown}, entry {}", position + 1),
                            path: path.clone(),
                            position,
                            piece,
                        });
                    }
                }
                Some(FileKind::Record) => {
                    let text = text_of(path, MAX_RECORD)?;
                    inputs.records.push((shown, text));
                }
                Some(FileKind::EvalYaml | FileKind::Samples) => {
                    return Err(SubmitError::refused(format!(
                        "`{shown}` holds no results; give a result file, a record or a log"
                    )));
                }
                None => inputs.logs.push(path.clone()),
            }
        }
        Ok(inputs)
    }

    /// Returns whether there is anything that the converter has to make an entry of.
    pub(crate) fn has_runs(&self) -> bool {
        !self.records.is_empty() || !self.logs.is_empty()
    }
}

/// Returns the kind of a file, unless it is a log or missing, which the converter finds out and
/// reports.
fn kind_of(path: &Path) -> Option<FileKind> {
    let name = path.to_string_lossy().replace('\\', "/");
    if !path.is_file() {
        return None;
    }
    let head = || {
        let mut head = Vec::new();
        let file = std::fs::File::open(path).ok()?;
        file.take(FileKind::HEAD_BYTES)
            .read_to_end(&mut head)
            .ok()?;
        Some(String::from_utf8_lossy(&head).into_owned())
    };
    FileKind::of_path(&name).or_else(|| FileKind::of_content(&name, &head()?))
}

/// A whole file as text, unless it is larger than anything that makes sense.
pub(crate) fn text_of(path: &Path, limit: u64) -> Result<String, SubmitError> {
    let shown = path.display();
    let read = || -> io::Result<String> {
        let mut text = String::new();
        let file = std::fs::File::open(path)?;
        file.take(limit + 1).read_to_string(&mut text)?;
        if text.len() as u64 > limit {
            return Err(io::Error::other(format!("it has more than {limit} bytes")));
        }
        Ok(text)
    };
    read().map_err(|error| SubmitError::failed(format!("`{shown}` cannot be read: {error}")))
}
