use std::cmp::Ordering;
use std::collections::BTreeMap;

use assay_model::{RepoPath, Timestamp};

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

    /// Makes these the current entries, at a moment. A version that is still as it was stays, with its commit; others
    /// end, and new ones begin. The moment counts as no earlier than the last change, because the clocks of committers
    /// may run backwards.
    pub fn replace(&mut self, at: Timestamp, entries: &[NewEntry]) {
        let last = self.versions.iter().map(last_change).max();
        let at = last.map_or(at, |last| at.max(last));
        let old = Places::of(self.current().map(|indexed| &indexed.version));
        let new = Places::of(entries);
        let begins: Vec<NewEntry> = entries
            .iter()
            .filter(|entry| !old.have(entry))
            .cloned()
            .collect();
        for indexed in &mut self.versions {
            if indexed.until.is_none() && !new.have(&indexed.version) {
                indexed.until = Some(at);
            }
        }
        // What ended when it began was never to be seen.
        self.versions
            .retain(|indexed| indexed.until.is_none_or(|until| until > indexed.since));
        let branch = self.branch;
        self.versions
            .extend(begins.into_iter().map(|version| IndexedEntry {
                branch,
                since: at,
                until: None,
                version,
            }));
    }

    /// Ends every current entry.
    pub fn close(&mut self, at: Timestamp) {
        self.replace(at, &[]);
    }

    /// The versions that have not ended.
    pub fn current(&self) -> impl Iterator<Item = &IndexedEntry> {
        self.versions
            .iter()
            .filter(|indexed| indexed.until.is_none())
    }

    /// Every version, in the order of file, place and time.
    pub fn into_versions(mut self) -> Vec<IndexedEntry> {
        self.versions.sort_by(by_place_and_time);
        self.versions
    }
}

/// When a version last began or ended.
fn last_change(indexed: &IndexedEntry) -> Timestamp {
    indexed.until.unwrap_or(indexed.since)
}

/// The order of file, place and time.
pub(crate) fn by_place_and_time(left: &IndexedEntry, right: &IndexedEntry) -> Ordering {
    let by_file = left.version.file.cmp(&right.version.file);
    let place = |indexed: &IndexedEntry| (indexed.version.ordinal, indexed.since);
    by_file.then_with(|| place(left).cmp(&place(right)))
}

/// Entries by their places.
pub(crate) struct Places<'e>(BTreeMap<(&'e RepoPath, u32), &'e NewEntry>);

impl<'e> Places<'e> {
    /// Entries of one branch at one moment.
    pub(crate) fn of(entries: impl IntoIterator<Item = &'e NewEntry>) -> Self {
        let placed = entries
            .into_iter()
            .map(|entry| ((&entry.file, entry.ordinal), entry));
        Self(placed.collect())
    }

    /// Whether an entry is at its place and still the version that it was.
    pub(crate) fn have(&self, entry: &NewEntry) -> bool {
        let found = self.0.get(&(&entry.file, entry.ordinal));
        found.is_some_and(|found| is_same(found, entry))
    }
}

/// Whether two entries at one place are one version. Who brought it, and with which commit, belongs to the version that
/// was brought first; what its evidence came to follows from the evidence and the logs, which tell of every version alike.
fn is_same(old: &NewEntry, new: &NewEntry) -> bool {
    old.moment == new.moment
        && old.evidence == new.evidence
        && old.entry == new.entry
        && old.data == new.data
}
