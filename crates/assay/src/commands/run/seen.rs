//! The files below some directories at a moment, to tell afterwards which are new.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The deepest directory that is looked into.
const MAX_DEPTH: usize = 12;
/// Directories that no harness writes logs to.
const PASSED_OVER: [&str; 4] = [".git", "node_modules", "__pycache__", "site-packages"];

/// Size and time of change of files.
#[derive(Debug, Default)]
pub(super) struct SeenFiles(HashMap<PathBuf, (u64, Option<SystemTime>)>);

impl SeenFiles {
    /// Looks at the files below these directories. What cannot be read is passed over.
    pub(super) fn new(directories: &[PathBuf]) -> Self {
        let mut seen = HashMap::new();
        for directory in directories {
            let walk = walkdir::WalkDir::new(directory).max_depth(MAX_DEPTH);
            let walk = walk.into_iter().filter_entry(|entry| {
                let name = entry.file_name().to_string_lossy();
                !PASSED_OVER.contains(&&*name)
            });
            for entry in walk.filter_map(Result::ok) {
                if let Some(metadata) = entry.metadata().ok().filter(std::fs::Metadata::is_file) {
                    let state = (metadata.len(), metadata.modified().ok());
                    seen.insert(without_current_dir(entry.path()).to_owned(), state);
                }
            }
        }
        Self(seen)
    }

    /// Returns whether a log, a file or a run directory, has a file that `before` did not have as
    /// it is.
    pub(super) fn is_new(&self, log: &Path, before: &Self) -> bool {
        let log = without_current_dir(log);
        let mut own = self.0.iter().filter(|(path, _)| path.starts_with(log));
        own.any(|(path, state)| before.0.get(path) != Some(state))
    }
}

/// Removes a leading `./`, so that paths of one file from different searches are equal.
fn without_current_dir(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}
