use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use assay_cli::{Argument, Descent, Visitor, search};
use assay_convert::convert::{
    Harness, Logs, belongs_to_another, detect_directory, harness_of, may_be_log,
};

use super::Source;

/// Hidden directories of tools, in which no harness writes.
const TOOL_DIRECTORIES: [&str; 8] = [
    ".git",
    ".hg",
    ".svn",
    ".venv",
    ".tox",
    ".cache",
    ".mypy_cache",
    ".ipynb_checkpoints",
];

/// A log to convert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundLog {
    /// Its path, with slashes.
    pub(super) path: String,
    /// The harness that wrote it; none when that cannot be told.
    pub(super) harness: Option<Harness>,
    /// The size of the log; of a run directory, with all that it holds.
    pub(super) bytes: u64,
}

/// The files that the paths of a command name.
#[derive(Debug, Default)]
pub(super) struct DiscoveredLogs {
    /// The logs, each once, in the order they were named; those of a directory sorted.
    pub(super) logs: Vec<FoundLog>,
    /// The files of the directories that are no logs, and the directories that were not searched.
    pub(super) passed_over: Vec<String>,
    /// Missing paths, in sentences.
    pub(super) missing: Vec<String>,
}

/// Finds the logs that files, directories and patterns name.
pub(super) fn discover(logs: &dyn Logs, paths: &[PathBuf], source: Source) -> DiscoveredLogs {
    let mut finder = Finder {
        logs,
        source,
        found: DiscoveredLogs::default(),
        known: BTreeSet::new(),
        candidates: BTreeMap::new(),
        wanted: 0,
    };
    for path in paths {
        let before = finder.wanted;
        let argument = search(path, &mut finder);
        if finder.wanted > before {
            continue;
        }
        match argument {
            Argument::Directory => {
                let missing = format!("no log found in `{}`", path.display());
                finder.found.missing.push(missing);
            }
            Argument::Pattern => {
                let missing = format!("`{}` matches no log", path.display());
                finder.found.missing.push(missing);
            }
            // These have been told.
            Argument::File | Argument::Stream | Argument::Absent => {}
        }
    }
    finder.found
}

struct Finder<'a> {
    logs: &'a dyn Logs,
    source: Source,
    found: DiscoveredLogs,
    known: BTreeSet<String>,
    /// The entries of each directory that can be logs or hold some.
    candidates: BTreeMap<PathBuf, BTreeSet<OsString>>,
    /// Number of logs that were met, those that are known already too.
    wanted: u64,
}

impl Visitor for Finder<'_> {
    /// A file that was named is a log, whatever it looks like: if it is none, its owner wants to
    /// know.
    fn named(&mut self, path: &Path) {
        let Some(name) = self.name(path) else { return };
        let own = harness_of(self.logs, &name);
        let harness = match self.source {
            Source::Auto => own,
            // What is known to be the log of another harness is none of this one.
            Source::Known(wanted) => own.filter(|own| *own == wanted),
        };
        self.add(name, harness);
    }

    fn stream(&mut self, path: Option<&Path>) {
        let name = path.unwrap_or(Path::new("-")).display();
        let missing = format!("`{name}` is a stream; a log is read from a file");
        self.found.missing.push(missing);
    }

    fn in_directory(&mut self, path: &Path) {
        if let Some(name) = self.name(path) {
            if !self.is_candidate(path) {
                // Samples are read with their log, and not passed over.
                return;
            }
            let harness = may_be_log(&name).then(|| harness_of(self.logs, &name));
            self.consider(name, harness.flatten());
        }
    }

    fn matched(&mut self, path: &Path) {
        self.in_directory(path);
    }

    fn enter(&mut self, directory: &Path) -> Descent {
        let Some(name) = self.name(directory) else {
            return Descent::Whole;
        };
        // A directory that cannot be read is reported by the search.
        let names = self.logs.list(&name).unwrap_or_default();
        // What lies in a run directory is part of that one log, and what belongs to another log is
        // none.
        if detect_directory(&names).is_some() || !self.is_candidate(directory) {
            return Descent::Whole;
        }
        let own = names
            .iter()
            .filter(|name| !belongs_to_another(name, &names));
        let own = own.map(OsString::from).collect();
        self.candidates.insert(directory.to_owned(), own);
        Descent::Inside
    }

    /// Harnesses name directories after models, and a model at `./model` gets a hidden one.
    fn enters_hidden(&mut self, directory: &Path) -> bool {
        let name = directory.file_name().unwrap_or_default();
        let is_tool = TOOL_DIRECTORIES.iter().any(|own| name == *own);
        if is_tool {
            let shown = directory.display().to_string();
            self.found.passed_over.push(shown);
        }
        !is_tool
    }

    fn whole(&mut self, directory: &Path) {
        let Some(name) = self.name(directory) else {
            return;
        };
        if !self.is_candidate(directory) {
            self.found.passed_over.push(name);
            return;
        }
        let names = self.logs.list(&name).unwrap_or_default();
        self.consider(name, detect_directory(&names));
    }

    fn absent(&mut self, path: &Path, why: String) {
        let missing = format!("`{}`: {why}", path.display());
        self.found.missing.push(missing);
    }
}

impl Finder<'_> {
    /// Returns whether an entry can be a log, by what lies beside it. Nothing is known of what is
    /// beside an argument.
    fn is_candidate(&self, path: &Path) -> bool {
        let parent = path.parent().map(|parent| {
            if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            }
        });
        let beside = parent.and_then(|directory| self.candidates.get(directory));
        match (beside, path.file_name()) {
            (Some(candidates), Some(name)) => candidates.contains(name),
            (None, _) | (_, None) => true,
        }
    }

    /// Adds what is a log of a harness that is wanted; passes over what is not.
    fn consider(&mut self, path: String, harness: Option<Harness>) {
        let is_wanted = match (harness, self.source) {
            (Some(_), Source::Auto) => true,
            (Some(own), Source::Known(wanted)) => own == wanted,
            (None, _) => false,
        };
        if is_wanted {
            self.add(path, harness);
        } else {
            self.found.passed_over.push(path);
        }
    }

    fn add(&mut self, path: String, harness: Option<Harness>) {
        self.wanted += 1;
        if self.known.insert(path.clone()) {
            let bytes = size(Path::new(&path));
            self.found.logs.push(FoundLog {
                path,
                harness,
                bytes,
            });
        }
    }

    /// A path as converters spell it: text with slashes.
    fn name(&mut self, path: &Path) -> Option<String> {
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

/// Returns the size of a file, or all files right inside a directory.
fn size(path: &Path) -> u64 {
    let file = |path: &Path| std::fs::metadata(path).map_or(0, |data| data.len());
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| file(&entry.path())).sum(),
        Err(_) => file(path),
    }
}
