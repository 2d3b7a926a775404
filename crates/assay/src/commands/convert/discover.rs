use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_convert::convert::{Harness, Logs};
use globset::{GlobBuilder, GlobMatcher};
use walkdir::WalkDir;

use super::Source;
use super::detect::{detect, is_helm_run};

/// A log to convert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundLog {
    /// Its path, with slashes.
    pub(super) path: String,
    /// The harness that wrote it; none when that cannot be told.
    pub(super) harness: Option<Harness>,
    /// How large it is; a run directory with all that lies in it.
    pub(super) bytes: u64,
}

/// What the paths of a command name.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The logs, each once, in the order they were named; those of a directory sorted.
    pub(super) logs: Vec<FoundLog>,
    /// How many files of the directories are no logs.
    pub(super) passed_over: u64,
    /// What is not there, in sentences.
    pub(super) missing: Vec<String>,
}

/// Finds the logs that files, directories and patterns name.
pub(super) fn discover(logs: &dyn Logs, paths: &[PathBuf], source: Source) -> Found {
    let mut search = Search {
        logs,
        source,
        found: Found::default(),
        known: BTreeSet::new(),
    };
    for path in paths {
        // A file whose name looks like a pattern is meant as itself.
        if path.is_dir() {
            search.directory(path);
        } else if path.exists() {
            search.named(path);
        } else if is_glob(path) {
            search.pattern(path);
        } else {
            let missing = format!("`{}` does not exist", path.display());
            search.found.missing.push(missing);
        }
    }
    search.found
}

struct Search<'a> {
    logs: &'a dyn Logs,
    source: Source,
    found: Found,
    known: BTreeSet<String>,
}

impl Search<'_> {
    /// A file that was named is a log, whatever it looks like: if it is none, its owner wants to know.
    fn named(&mut self, path: &Path) {
        let Some(name) = self.name(path) else { return };
        let harness = match self.source {
            Source::Auto => detect(self.logs, &name),
            Source::Known(harness) => Some(harness),
        };
        self.add(name, harness);
    }

    fn directory(&mut self, directory: &Path) {
        if self.walk(directory, None) == 0 {
            let missing = format!("no log found in `{}`", directory.display());
            self.found.missing.push(missing);
        }
    }

    fn pattern(&mut self, pattern: &Path) {
        let shown = pattern.display();
        let glob = GlobBuilder::new(&pattern.to_string_lossy())
            .literal_separator(true)
            .build();
        match glob {
            Ok(glob) => {
                let matcher = glob.compile_matcher();
                if self.walk(&fixed_part(pattern), Some(&matcher)) == 0 {
                    let missing = format!("`{shown}` matches no log");
                    self.found.missing.push(missing);
                }
            }
            Err(error) => {
                let missing = format!("`{shown}` is no pattern: {error}");
                self.found.missing.push(missing);
            }
        }
    }

    /// Looks for logs below a directory, those that a pattern matches if there is one, and returns how many there are.
    fn walk(&mut self, directory: &Path, wanted: Option<&GlobMatcher>) -> u64 {
        let mut count = 0;
        let mut walk = WalkDir::new(directory).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // A pattern whose directory does not exist matches nothing, and that is told once.
                Err(error) if error.depth() == 0 && wanted.is_some() => continue,
                Err(error) => {
                    self.found.missing.push(error.to_string());
                    continue;
                }
            };
            let is_directory = entry.file_type().is_dir();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if hidden && entry.depth() > 0 {
                if is_directory {
                    walk.skip_current_dir();
                }
                continue;
            }
            let is_wanted = wanted.is_none_or(|glob| matches(glob, entry.path()));
            if is_directory {
                if !self.is_run(entry.path()) {
                    continue;
                }
                // What lies in a run directory is part of that one log.
                walk.skip_current_dir();
            }
            if is_wanted {
                count += u64::from(self.consider(entry.path(), is_directory));
            }
        }
        count
    }

    fn is_run(&self, directory: &Path) -> bool {
        let names = directory
            .to_str()
            .and_then(|name| self.logs.list(name).ok());
        names.is_some_and(|names| is_helm_run(&names))
    }

    /// Adds what is a log of a harness that is wanted; passes over what is not.
    fn consider(&mut self, path: &Path, is_run: bool) -> bool {
        let Some(name) = self.name(path) else {
            return false;
        };
        let harness = if is_run {
            Some(Harness::Helm)
        } else {
            detect(self.logs, &name)
        };
        let is_wanted = match (harness, self.source) {
            (Some(_), Source::Auto) => true,
            (Some(own), Source::Known(wanted)) => own == wanted,
            (None, _) => false,
        };
        if is_wanted {
            self.add(name, harness);
        } else {
            self.found.passed_over += 1;
        }
        is_wanted
    }

    fn add(&mut self, path: String, harness: Option<Harness>) {
        if self.known.insert(path.clone()) {
            let bytes = size(Path::new(&path));
            self.found.logs.push(FoundLog {
                path,
                harness,
                bytes,
            });
        }
    }

    /// A path as converters spell it: text with slashes, without the `./` in front.
    fn name(&mut self, path: &Path) -> Option<String> {
        let path = path.strip_prefix("./").unwrap_or(path);
        let Some(text) = path.to_str() else {
            let missing = format!("the path `{}` is no text; rename it", path.display());
            self.found.missing.push(missing);
            return None;
        };
        Some(if std::path::MAIN_SEPARATOR == '/' {
            text.to_owned()
        } else {
            text.replace(std::path::MAIN_SEPARATOR, "/")
        })
    }
}

fn matches(glob: &GlobMatcher, path: &Path) -> bool {
    // `WalkDir` prefixes what it finds with where it began, so an implied `.` must be taken off again.
    glob.is_match(path.strip_prefix("./").unwrap_or(path)) || glob.is_match(path)
}

/// How large a file is, or all files right inside a directory.
fn size(path: &Path) -> u64 {
    let file = |path: &Path| std::fs::metadata(path).map_or(0, |data| data.len());
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| file(&entry.path())).sum(),
        Err(_) => file(path),
    }
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
