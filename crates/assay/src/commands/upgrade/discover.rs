use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use assay_check::FileKind;
use globset::GlobBuilder;
use walkdir::{DirEntry, WalkDir};

/// How much of a file is read to tell whether it is a record, in bytes.
const HEAD_BYTES: u64 = 64 << 10;

/// What the paths of a command name.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The records, each once, in the order they were named.
    pub(super) records: Vec<PathBuf>,
    /// How many JSON files of the directories are no records.
    pub(super) skipped: usize,
    /// What is not there, in sentences.
    pub(super) missing: Vec<String>,
    known: BTreeSet<PathBuf>,
}

/// Finds the records that paths, directories and globs name.
pub(super) fn discover(paths: &[PathBuf]) -> Found {
    let mut found = Found::default();
    for path in paths {
        // A file whose name looks like a pattern is meant as itself.
        if path.is_dir() {
            found.walk(path, &|_| true);
        } else if path.exists() {
            found.add(record_of(path));
        } else if is_glob(path) {
            found.glob(path);
        } else {
            found
                .missing
                .push(format!("`{}` does not exist", path.display()));
        }
    }
    found
}

impl Found {
    fn add(&mut self, path: PathBuf) {
        if self.known.insert(path.clone()) {
            self.records.push(path);
        }
    }

    fn walk(&mut self, directory: &Path, wanted: &dyn Fn(&Path) -> bool) -> usize {
        let mut count = 0;
        let walk = WalkDir::new(directory)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry));
        for entry in walk {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.missing.push(error.to_string());
                    continue;
                }
            };
            // Directories called `something.json` exist.
            if !entry.file_type().is_dir() && is_json(entry.path()) && wanted(entry.path()) {
                count += 1;
                if is_record(entry.path()) {
                    self.add(entry.into_path());
                } else {
                    self.skipped += 1;
                }
            }
        }
        count
    }

    fn glob(&mut self, pattern: &Path) {
        let text = pattern.to_string_lossy();
        let shown = pattern.display();
        let glob = match GlobBuilder::new(&text).literal_separator(true).build() {
            Ok(glob) => glob.compile_matcher(),
            Err(error) => {
                self.missing
                    .push(format!("`{shown}` is no pattern: {error}"));
                return;
            }
        };
        // `WalkDir` prefixes what it finds with where it began, so an implied `.` must be taken off again.
        let matches = |path: &Path| glob.is_match(path.strip_prefix("./").unwrap_or(path));
        if self.walk(&fixed_part(pattern), &matches) == 0 {
            self.missing.push(format!("`{shown}` matches no JSON file"));
        }
    }
}

/// The record that a samples file belongs to; any other file itself.
fn record_of(path: &Path) -> PathBuf {
    let text = path.to_string_lossy();
    ["_samples.jsonl", ".jsonl", "_samples.json"]
        .iter()
        .find_map(|suffix| text.strip_suffix(suffix))
        .map(|stem| PathBuf::from(format!("{stem}.json")))
        .filter(|record| record.is_file())
        .unwrap_or_else(|| path.to_owned())
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The directories in front of the first pattern.
fn fixed_part(pattern: &Path) -> PathBuf {
    let fixed: PathBuf = pattern
        .components()
        .take_while(|part| !is_glob(Path::new(part)))
        .collect();
    if fixed.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        fixed
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with('.')
}

fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "json")
}

/// Whether the beginning of a file looks like a record. What cannot be read is one, so that it is reported.
fn is_record(path: &Path) -> bool {
    let mut head = Vec::new();
    let read =
        fs_err::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut head));
    let text = String::from_utf8_lossy(&head);
    read.is_err() || FileKind::of_content(&path.to_string_lossy(), &text) == Some(FileKind::Record)
}
