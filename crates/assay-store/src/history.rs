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

    /// Makes these the current entries, at a moment. A version that is still as it was stays, with its commit; others
    /// end, and new ones begin. The moment counts as no earlier than the last change, because the clocks of committers
    /// may run backwards.
    pub fn replace(&mut self, at: Timestamp, entries: Vec<NewEntry>) {
        let last = self.versions.iter().map(last_change).max();
        let at = last.map_or(at, |last| at.max(last));
        let current: Vec<&NewEntry> = self.current().map(|indexed| &indexed.version).collect();
        let begins: Vec<NewEntry> = entries
            .iter()
            .filter(|new| !current.iter().any(|old| is_same(old, new)))
            .cloned()
            .collect();
        for indexed in &mut self.versions {
            let stays = entries.iter().any(|new| is_same(&indexed.version, new));
            if indexed.until.is_none() && !stays {
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
        self.replace(at, Vec::new());
    }

    /// The versions that have not ended.
    pub fn current(&self) -> impl Iterator<Item = &IndexedEntry> {
        self.versions
            .iter()
            .filter(|indexed| indexed.until.is_none())
    }

    /// Every version, in the order of file, place and time.
    pub fn into_versions(mut self) -> Vec<IndexedEntry> {
        self.versions.sort_by(|left, right| {
            let place = |indexed: &IndexedEntry| (indexed.version.ordinal, indexed.since);
            let by_file = left.version.file.cmp(&right.version.file);
            by_file.then_with(|| place(left).cmp(&place(right)))
        });
        self.versions
    }
}

/// When a version last began or ended.
fn last_change(indexed: &IndexedEntry) -> Timestamp {
    indexed.until.unwrap_or(indexed.since)
}

/// Whether an entry is still the version that it was. Who brought it, and with which commit, belongs to the version that
/// was brought first.
pub(crate) fn is_same(old: &NewEntry, new: &NewEntry) -> bool {
    old.ordinal == new.ordinal
        && old.file == new.file
        && old.moment == new.moment
        && old.standing == new.standing
        && old.entry == new.entry
        && old.data == new.data
}
