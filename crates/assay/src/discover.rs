//! From what was typed to the files that are meant.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_check::{FileKind, Item};
use assay_cli::{Visitor, has_ending, search};

use crate::disk::{Disk, STDIN};
use crate::listing::Listing;

/// The files that are meant.
#[derive(Debug, Default)]
pub(crate) struct DiscoveredFiles {
    /// The files to validate, each once, in the order they were named and sorted within a
    /// directory.
    pub(crate) items: Vec<Item>,
    /// Number of files in directories that could have been ours and are not.
    pub(crate) passed_over: u64,
    /// The listing of the directories.
    pub(crate) listing: Listing,
}

/// The kind of files to look for.
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

    /// Returns whether a file that was found, not named, is one of those.
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
pub(crate) fn discover(disk: &mut Disk, paths: &[PathBuf], wanted: Wanted) -> DiscoveredFiles {
    let mut found = Search {
        disk,
        wanted,
        seen: HashSet::new(),
        found: DiscoveredFiles::default(),
    };
    for path in paths {
        search(path, &mut found);
    }
    found.found
}

struct Search<'d> {
    disk: &'d mut Disk,
    wanted: Wanted,
    seen: HashSet<Arc<str>>,
    found: DiscoveredFiles,
}

impl Visitor for Search<'_> {
    /// A file that was named is validated whatever it is.
    fn named(&mut self, path: &Path) {
        let name = self.disk.name(path);
        // What cannot be read is told when it is validated.
        let kind = self.kind_of(&name).unwrap_or_default();
        self.push(&name, kind);
    }

    fn stream(&mut self, path: Option<&Path>) {
        let Some(path) = path else {
            self.read_stream(&STDIN.into(), Box::new(std::io::stdin()));
            return;
        };
        let name = self.disk.name(path);
        match std::fs::File::open(path) {
            Ok(file) => self.read_stream(&name, Box::new(file)),
            Err(error) => self.absent(path, error.to_string()),
        }
    }

    fn in_directory(&mut self, path: &Path) {
        if !has_ending(path, Wanted::All.endings()) {
            return;
        }
        let name = self.disk.name(path);
        self.found.listing.add(&name);
        if has_ending(path, self.wanted.endings()) {
            self.candidate(path, &name);
        }
    }

    fn matched(&mut self, path: &Path) {
        let name = self.disk.name(path);
        self.candidate(path, &name);
    }

    fn absent(&mut self, path: &Path, why: String) {
        let name = self.disk.name(path);
        self.disk.set_absent(&name, why);
        self.push(&name, None);
    }

    fn unreadable(&mut self, path: &Path, why: String) {
        self.found.listing.distrust();
        self.absent(path, why);
    }
}

impl Search<'_> {
    fn kind_of(&self, name: &str) -> std::io::Result<Option<FileKind>> {
        match self.wanted.fixed() {
            Some(kind) => Ok(Some(kind)),
            None => self.disk.kind_of(name),
        }
    }

    fn read_stream(&mut self, name: &Arc<str>, reader: Box<dyn std::io::Read + Send>) {
        if self.seen.contains(name) {
            return;
        }
        let kind = self.disk.set_stream(name, reader, self.wanted.fixed());
        self.push(name, kind);
    }

    /// A file that was found, not named, is validated when it is one of ours.
    fn candidate(&mut self, path: &Path, name: &Arc<str>) {
        if self.seen.contains(name) {
            return;
        }
        match self.kind_of(name) {
            Ok(Some(kind)) if self.wanted.takes(kind) => self.push(name, Some(kind)),
            Ok(_) => self.found.passed_over += 1,
            // It may be one of ours, and nobody should believe that it was validated.
            Err(error) => self.absent(path, error.to_string()),
        }
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
