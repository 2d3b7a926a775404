//! From what was typed to the files that are meant.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use assay_check::{FileKind, Item};
use globset::GlobBuilder;
use walkdir::{DirEntry, WalkDir};

use crate::disk::{Disk, STDIN};
use crate::listing::Listing;

/// The one hidden directory that is searched.
const RESULTS_DIRECTORY: &str = ".eval_results";
/// What makes a path a pattern.
const WILDCARDS: [char; 4] = ['*', '?', '[', '{'];

/// The files that are meant.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files to judge, each once, in the order they were named and sorted within a directory.
    pub(crate) items: Vec<Item>,
    /// How many files in directories could have been ours and are not.
    pub(crate) passed_over: u64,
    /// What was seen of the directories.
    pub(crate) listing: Listing,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted {
    /// Files of all kinds, each told by its name or content.
    All,
    /// Every file with the right ending, taken for this kind.
    As(FileKind),
    /// Records. Their samples are not looked for: the record knows them.
    Records,
}

impl Wanted {
    /// The kind that was decided beforehand.
    fn fixed(self) -> Option<FileKind> {
        match self {
            Self::As(kind) => Some(kind),
            Self::All | Self::Records => None,
        }
    }

    /// Whether a file that was found, not named, is one of those.
    fn takes(self, kind: FileKind) -> bool {
        match self {
            Self::All | Self::As(_) => true,
            Self::Records => kind == FileKind::Record,
        }
    }

    /// The endings of the files that are looked at.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Self::All => &["json", "jsonl", "yaml", "yml"],
            Self::As(FileKind::EvalYaml | FileKind::EvalResults) => &["yaml", "yml"],
            Self::As(FileKind::Record) | Self::Records => &["json"],
            Self::As(FileKind::Samples) => &["jsonl"],
        }
    }
}

/// Finds the files that `paths` mean. What is named is always among them, wanted or not.
pub(crate) fn discover(disk: &mut Disk, paths: &[PathBuf], wanted: Wanted) -> Found {
    let mut search = Search {
        disk,
        wanted,
        seen: HashSet::new(),
        found: Found::default(),
    };
    for path in paths {
        search.argument(path);
    }
    search.found
}

struct Search<'d> {
    disk: &'d mut Disk,
    wanted: Wanted,
    seen: HashSet<Arc<str>>,
    found: Found,
}

impl Search<'_> {
    fn argument(&mut self, path: &Path) {
        if path == Path::new("-") {
            self.stream(&STDIN.into(), Box::new(std::io::stdin()));
            return;
        }
        let path = &clean(path);
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.directory(path),
            Ok(metadata) if metadata.is_file() => self.named(path),
            Ok(_) => self.pipe(path),
            Err(_) => self.pattern(path),
        }
    }

    /// A file that was named: it is judged whatever it is.
    fn named(&mut self, path: &Path) {
        let name = self.disk.name(path);
        // What cannot be read is told when it is judged.
        let kind = self.kind_of(&name).unwrap_or_default();
        self.push(&name, kind);
    }

    fn kind_of(&self, name: &str) -> std::io::Result<Option<FileKind>> {
        match self.wanted.fixed() {
            Some(kind) => Ok(Some(kind)),
            None => self.disk.kind_of(name),
        }
    }

    /// A pipe or device, such as the shell gives for `<(…)`. It can be read only once.
    fn pipe(&mut self, path: &Path) {
        let name = self.disk.name(path);
        match std::fs::File::open(path) {
            Ok(file) => self.stream(&name, Box::new(file)),
            Err(error) => self.absent(path, error.to_string()),
        }
    }

    fn stream(&mut self, name: &Arc<str>, reader: Box<dyn std::io::Read + Send>) {
        if self.seen.contains(name) {
            return;
        }
        let kind = self.disk.set_stream(name, reader, self.wanted.fixed());
        self.push(name, kind);
    }

    fn directory(&mut self, root: &Path) {
        for entry in walk(root) {
            match entry {
                Ok(entry) if is_file(&entry) => {
                    // The root is clean, so only one that is `.` leaves a part to be cut off.
                    let path = entry.path();
                    let path = path.strip_prefix(Component::CurDir).unwrap_or(path);
                    self.found_in_directory(path);
                }
                Ok(_) => {}
                Err(error) => {
                    self.found.listing.distrust();
                    self.unwalkable(root, &error);
                }
            }
        }
    }

    fn found_in_directory(&mut self, path: &Path) {
        if !may_be_ours(path, Wanted::All) {
            return;
        }
        let name = self.disk.name(path);
        self.found.listing.add(&name);
        if may_be_ours(path, self.wanted) {
            self.candidate(path, &name);
        }
    }

    /// A file that was found, not named: it is judged when it is one of ours.
    fn candidate(&mut self, path: &Path, name: &Arc<str>) {
        if self.seen.contains(name) {
            return;
        }
        match self.kind_of(name) {
            Ok(Some(kind)) if self.wanted.takes(kind) => self.push(name, Some(kind)),
            Ok(_) => self.found.passed_over += 1,
            // It may be one of ours, and nobody should believe that it was judged.
            Err(error) => self.absent(path, error.to_string()),
        }
    }

    /// A path where nothing is: perhaps it is a pattern.
    fn pattern(&mut self, path: &Path) {
        let text = path.to_str().unwrap_or_default();
        if !text.contains(WILDCARDS) {
            self.absent(path, "there is no such file or directory".to_owned());
            return;
        }
        let glob = match GlobBuilder::new(text).literal_separator(true).build() {
            Ok(glob) => glob.compile_matcher(),
            Err(error) => {
                let why = format!(
                    "there is no such file, and it is no pattern: {}",
                    error.kind()
                );
                self.absent(path, why);
                return;
            }
        };
        let mut matched = false;
        let base = fixed_part(path);
        let mut entries = walk(&base);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // Where the search begins may not exist: then nothing matches.
                Err(error) if error.depth() == 0 => continue,
                Err(error) => {
                    self.unwalkable(&base, &error);
                    continue;
                }
            };
            let path = clean(entry.path());
            if !glob.is_match(&path) {
                continue;
            }
            if entry.file_type().is_dir() {
                matched = true;
                self.directory(&path);
                entries.skip_current_dir();
            } else if is_file(&entry) {
                matched = true;
                let name = self.disk.name(&path);
                self.candidate(&path, &name);
            }
        }
        if !matched {
            self.absent(
                path,
                "no file has this name or matches this pattern".to_owned(),
            );
        }
    }

    fn unwalkable(&mut self, root: &Path, error: &walkdir::Error) {
        let path = clean(error.path().unwrap_or(root));
        let why = error
            .io_error()
            .map_or_else(|| error.to_string(), ToString::to_string);
        self.absent(&path, why);
    }

    fn absent(&mut self, path: &Path, why: String) {
        let name = self.disk.name(path);
        self.disk.set_absent(&name, why);
        self.push(&name, None);
    }

    fn push(&mut self, name: &Arc<str>, kind: Option<FileKind>) {
        if self.seen.insert(Arc::clone(name)) {
            self.found.items.push(Item {
                path: Arc::clone(name),
                kind,
            });
        }
    }
}

/// Everything below a directory, sorted, without hidden directories. Links to directories are not followed, so that a
/// link to `/` cannot make the search endless; links to files are files.
fn walk(root: &Path) -> walkdir::FilterEntry<walkdir::IntoIter, fn(&DirEntry) -> bool> {
    // Within a directory the order of paths is that of names, which would have to be cut out of them for each comparison.
    let by_path = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
    WalkDir::new(root)
        .sort_by(by_path)
        .into_iter()
        .filter_entry(is_searched)
}

fn is_searched(entry: &DirEntry) -> bool {
    let name = entry.file_name().as_encoded_bytes();
    let is_hidden = name.starts_with(b".") && name != RESULTS_DIRECTORY.as_bytes();
    entry.depth() == 0 || !(is_hidden && entry.file_type().is_dir())
}

fn is_file(entry: &DirEntry) -> bool {
    let file_type = entry.file_type();
    let is_link_to_file =
        || std::fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file());
    file_type.is_file() || (file_type.is_symlink() && is_link_to_file())
}

/// Whether the ending of a file is one that ours have.
fn may_be_ours(path: &Path, wanted: Wanted) -> bool {
    path.extension().is_some_and(|own| {
        wanted
            .endings()
            .iter()
            .any(|ending| own.eq_ignore_ascii_case(ending))
    })
}

/// The path without `.` parts, so that `./a` and `a` are one file.
fn clean(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let clean: PathBuf = parts.collect();
    if clean.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        clean
    }
}

/// The directory that all matches of a pattern lie in.
fn fixed_part(pattern: &Path) -> PathBuf {
    let has_wildcard = |part: &Component<'_>| {
        part.as_os_str()
            .to_str()
            .is_some_and(|text| text.contains(WILDCARDS))
    };
    let fixed: PathBuf = pattern
        .components()
        .take_while(|part| !has_wildcard(part))
        .collect();
    clean(&fixed)
}
