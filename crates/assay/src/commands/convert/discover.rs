use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assay_convert::convert::{Harness, Logs};
use globset::{GlobBuilder, GlobMatcher};

use super::Source;
use super::detect::{candidates, harness_of, is_helm_run, may_be_log};

/// How deep below a directory logs are looked for.
const MAX_DEPTH: usize = 64;

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
            Source::Auto => harness_of(self.logs, &name),
            Source::Known(harness) => Some(harness),
        };
        self.add(name, harness);
    }

    fn directory(&mut self, directory: &Path) {
        let Some(name) = self.name(directory) else {
            return;
        };
        if self.walk(&name, None, MAX_DEPTH) == 0 {
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
                let fixed = fixed_part(pattern);
                // A pattern whose directory does not exist matches nothing, which is told below.
                let name = self.name(&fixed).filter(|_| fixed.is_dir());
                let count = name.map_or(0, |name| self.walk(&name, Some(&matcher), MAX_DEPTH));
                if count == 0 {
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
    fn walk(&mut self, directory: &str, wanted: Option<&GlobMatcher>, depth: usize) -> u64 {
        let names = match self.logs.list(directory) {
            Ok(names) => names,
            Err(error) => {
                let missing = format!("`{directory}` cannot be read: {error}");
                self.found.missing.push(missing);
                return 0;
            }
        };
        // What lies in a run directory is part of that one log.
        if is_helm_run(&names) {
            let is_wanted = wanted.is_none_or(|glob| matches(glob, directory));
            return u64::from(
                is_wanted && self.consider(directory.to_owned(), Some(Harness::Helm)),
            );
        }
        let mut count = 0;
        for name in candidates(&names) {
            let path = join(directory, name);
            match kind(Path::new(&path)) {
                Kind::Directory if depth > 0 => count += self.walk(&path, wanted, depth - 1),
                Kind::File if wanted.is_none_or(|glob| matches(glob, &path)) => {
                    let is_candidate = may_be_log(name);
                    let harness = is_candidate.then(|| harness_of(self.logs, &path));
                    count += u64::from(self.consider(path, harness.flatten()));
                }
                Kind::Directory | Kind::File | Kind::Other => {}
            }
        }
        count
    }

    /// Adds what is a log of a harness that is wanted; passes over what is not.
    fn consider(&mut self, path: String, harness: Option<Harness>) -> bool {
        let is_wanted = match (harness, self.source) {
            (Some(_), Source::Auto) => true,
            (Some(own), Source::Known(wanted)) => own == wanted,
            (None, _) => false,
        };
        if is_wanted {
            self.add(path, harness);
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
        let path = match path.strip_prefix("./") {
            Ok(rest) if !rest.as_os_str().is_empty() => rest,
            Ok(_) | Err(_) => path,
        };
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

fn matches(glob: &GlobMatcher, path: &str) -> bool {
    // The person may have written `./` in front, which names do not have.
    glob.is_match(path) || glob.is_match(format!("./{path}"))
}

/// What is to be done with an entry of a directory.
enum Kind {
    Directory,
    File,
    Other,
}

fn kind(path: &Path) -> Kind {
    let is_link = path.is_symlink();
    match std::fs::metadata(path) {
        // A link to a directory may lead in a circle.
        Ok(data) if data.is_dir() && !is_link => Kind::Directory,
        Ok(data) if data.is_file() => Kind::File,
        Ok(_) | Err(_) => Kind::Other,
    }
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "." => name.to_owned(),
        _ if directory.ends_with('/') => format!("{directory}{name}"),
        _ => format!("{directory}/{name}"),
    }
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
