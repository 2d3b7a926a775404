//! A listing of directories, so that nobody need ask the system for files that are not there.

use std::collections::HashSet;
use std::sync::Arc;

/// The ending of the files that a listing knows.
const ENDING: &str = ".jsonl";

/// Directories that were read to their end, and the samples in them.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    directories: HashSet<Box<str>>,
    samples: HashSet<Arc<str>>,
    /// The last file; the next one is usually in the same directory.
    last: Option<Arc<str>>,
    /// True if some directory could not be read, or not to its end.
    is_partial: bool,
}

impl Listing {
    /// Adds a file of a directory that is read to its end.
    pub(crate) fn add(&mut self, name: &Arc<str>) {
        let directory = directory_of(name);
        let last = self.last.replace(Arc::clone(name));
        if last.is_none_or(|last| directory_of(&last) != directory) {
            self.directories.insert(directory.into());
        }
        if name.ends_with(ENDING) {
            self.samples.insert(Arc::clone(name));
        }
    }

    /// Rules nothing out from now on: something could not be read.
    pub(crate) fn distrust(&mut self) {
        self.is_partial = true;
    }

    /// Returns whether there was no such samples file when its directory was read. `false` says
    /// nothing.
    pub(crate) fn rules_out(&self, name: &str) -> bool {
        !self.is_partial
            && name.ends_with(ENDING)
            && self.directories.contains(directory_of(name))
            && !self.samples.contains(name)
    }
}

fn directory_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(directory, _)| directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_directory_would_have_shown_is_ruled_out() {
        let mut listing = Listing::default();
        assert!(!listing.rules_out("a_samples.jsonl"));

        listing.add(&"a.json".into());
        listing.add(&"data/b.jsonl".into());
        listing.add(&"data/notes.yaml".into());

        assert!(listing.rules_out("a_samples.jsonl"));
        assert!(listing.rules_out("data/notes.jsonl"));
        for unknown in ["b.json", "data/b.jsonl", "data/c.yaml", "else/a.jsonl"] {
            assert!(!listing.rules_out(unknown), "{unknown}");
        }
    }

    #[test]
    fn nothing_is_ruled_out_when_something_could_not_be_read() {
        let mut listing = Listing::default();
        listing.add(&"a.json".into());

        listing.distrust();

        assert!(!listing.rules_out("a_samples.jsonl"));
    }
}
