use assay_model::Timestamp;

use crate::{Branch, IndexedEntry, NewEntry};

/// The versions of a branch's entries, built up from one commit to the next without a database. What comes out is what
/// the same calls of [`Tx::replace_entries`](crate::Tx::replace_entries) leave behind.
#[derive(Debug, Clone)]
pub struct History {
    branch: Branch,
    versions: Vec<IndexedEntry>,
}

impl History {
    /// The history of a branch before its first entry.
    pub fn new(branch: Branch) -> Self {
        Self {
            branch,
            versions: Vec::new(),
        }
    }

    /// Makes these the current entries, at a moment.
    pub fn replace(&mut self, at: Timestamp, entries: Vec<NewEntry>) {
        let _ = (at, entries, self.branch);
        todo!()
    }

    /// Ends every current entry.
    pub fn close(&mut self, at: Timestamp) {
        self.replace(at, Vec::new());
    }

    /// Every version, in the order of file, place and time.
    pub fn into_versions(self) -> Vec<IndexedEntry> {
        self.versions
    }
}
