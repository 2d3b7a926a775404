use std::cmp::Ordering;
use std::collections::BTreeMap;

use assay_model::{RepoPath, Timestamp};

use crate::{Branch, IndexedEntry, NewEntry};

/// The versions of a branch's entries, built up from one commit to the next without a database.
///
/// A history begins with nothing, or follows on what the database has ([`History::after`]);
/// [`History::into_change`] then says which rows are to be written. Of the versions that have
/// ended, only the newest are kept ([`History::keeping`]), so memory is bounded by the entries of
/// one moment and that number, not by the length of the history.
#[derive(Debug, Clone)]
pub struct History {
    branch: Branch,
    current: BTreeMap<Place, Current>,
    /// New versions that have ended, by the order in which they are dropped.
    ended: BTreeMap<(Timestamp, Place), IndexedEntry>,
    /// Rows of the database that were current and are not any more.
    ends: Vec<VersionEnd>,
    /// The time at which a version of the branch ended last, in the database or here.
    last_end: Option<Timestamp>,
    most_ended: usize,
}

/// The rows of a branch that change in the database.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchChange {
    /// The branch.
    pub branch: Branch,
    /// New versions that have ended already, in the order of their ends.
    pub ended: Vec<IndexedEntry>,
    /// Rows that were current and are not any more, in the order of their ends.
    pub ends: Vec<VersionEnd>,
    /// New versions that are current, in the order of their places.
    pub current: Vec<IndexedEntry>,
}

/// The end of a version that the database has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionEnd {
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// Since when it was current.
    pub since: Timestamp,
    /// The time at which it ended. A version that ends when it began was never visible, and its row
    /// is removed.
    pub until: Timestamp,
}

/// File and ordinal.
type Place = (RepoPath, u32);

#[derive(Debug, Clone)]
struct Current {
    indexed: IndexedEntry,
    is_stored: bool,
}

impl History {
    /// The history of a branch before its first entry.
    pub fn new(branch: Branch) -> Self {
        Self::after(branch, Vec::new(), None)
    }

    /// The history that follows on the rows of the database: the current versions of the branch,
    /// and when one of its versions ended last.
    pub fn after(branch: Branch, current: Vec<IndexedEntry>, last_end: Option<Timestamp>) -> Self {
        let current = current.into_iter().map(|indexed| {
            let held = Current {
                indexed,
                is_stored: true,
            };
            (place_of(&held.indexed.version), held)
        });
        Self {
            branch,
            current: current.collect(),
            ended: BTreeMap::new(),
            ends: Vec::new(),
            last_end,
            most_ended: usize::MAX,
        }
    }

    /// Keeps at most this many versions that have ended: those that ended last. Of versions that
    /// ended at one moment, those at the last places are kept.
    #[must_use]
    pub fn keeping(mut self, most_ended: usize) -> Self {
        self.most_ended = most_ended;
        self
    }

    /// Makes these the current entries, at a moment. A version that is still as it was stays, with
    /// its commit; others end, and new ones begin. The moment counts as no earlier than the last
    /// change, because the clocks of committers may run backwards.
    pub fn replace(&mut self, at: Timestamp, entries: &[NewEntry]) {
        let last_begin = self.current.values().map(|held| held.indexed.since).max();
        let at = last_begin
            .max(self.last_end)
            .map_or(at, |last| at.max(last));
        let new = Places::of(entries);
        let gone: Vec<Place> = self
            .current
            .iter()
            .filter(|(_, held)| !new.have(&held.indexed.version))
            .map(|(place, _)| place.clone())
            .collect();
        let begins: Vec<(Place, &NewEntry)> = entries
            .iter()
            .map(|entry| (place_of(entry), entry))
            .filter(|(place, entry)| {
                let old = self.current.get(place);
                old.is_none_or(|old| !is_same(&old.indexed.version, entry))
            })
            .collect();
        for place in gone {
            self.end(&place, at);
        }
        for (place, version) in begins {
            let indexed = IndexedEntry {
                branch: self.branch,
                since: at,
                until: None,
                version: version.clone(),
            };
            let held = Current {
                indexed,
                is_stored: false,
            };
            self.current.insert(place, held);
        }
    }

    /// Ends every current entry.
    pub fn close(&mut self, at: Timestamp) {
        self.replace(at, &[]);
    }

    /// The versions that have not ended.
    pub fn current(&self) -> impl Iterator<Item = &IndexedEntry> {
        self.current.values().map(|held| &held.indexed)
    }

    /// Every version that was not in the database, in the order of file, place and time.
    pub fn into_versions(self) -> Vec<IndexedEntry> {
        let mut versions: Vec<IndexedEntry> = self.ended.into_values().collect();
        let current = self.current.into_values().filter(|held| !held.is_stored);
        versions.extend(current.map(|held| held.indexed));
        versions.sort_by(by_place_and_time);
        versions
    }

    /// Returns the change to write.
    pub fn into_change(self) -> BranchChange {
        let current = self.current.into_values().filter(|held| !held.is_stored);
        BranchChange {
            branch: self.branch,
            ended: self.ended.into_values().collect(),
            ends: self.ends,
            current: current.map(|held| held.indexed).collect(),
        }
    }

    fn end(&mut self, place: &Place, at: Timestamp) {
        let Some(Current {
            mut indexed,
            is_stored,
        }) = self.current.remove(place)
        else {
            return;
        };
        let since = indexed.since;
        if is_stored {
            self.ends.push(VersionEnd {
                file: place.0.clone(),
                ordinal: place.1,
                since,
                until: at,
            });
        }
        // What ended when it began was never to be seen.
        if since >= at {
            return;
        }
        self.last_end = self.last_end.max(Some(at));
        if !is_stored {
            indexed.until = Some(at);
            self.ended.insert((at, place.clone()), indexed);
            if self.ended.len() > self.most_ended {
                self.ended.pop_first();
            }
        }
    }
}

impl BranchChange {
    /// The number of rows that it writes.
    pub fn rows(&self) -> usize {
        self.ended.len() + self.ends.len() + self.current.len()
    }

    /// The new versions.
    pub fn versions(&self) -> impl Iterator<Item = &IndexedEntry> {
        self.ended.iter().chain(&self.current)
    }
}

fn place_of(entry: &NewEntry) -> Place {
    (entry.file.clone(), entry.ordinal)
}

/// The order of file, place and time.
pub(crate) fn by_place_and_time(left: &IndexedEntry, right: &IndexedEntry) -> Ordering {
    let by_file = left.version.file.cmp(&right.version.file);
    let place = |indexed: &IndexedEntry| (indexed.version.ordinal, indexed.since);
    by_file.then_with(|| place(left).cmp(&place(right)))
}

/// Entries by their places.
struct Places<'e>(BTreeMap<(&'e RepoPath, u32), &'e NewEntry>);

impl<'e> Places<'e> {
    /// Entries of one branch at one moment.
    fn of(entries: impl IntoIterator<Item = &'e NewEntry>) -> Self {
        let placed = entries
            .into_iter()
            .map(|entry| ((&entry.file, entry.ordinal), entry));
        Self(placed.collect())
    }

    /// Returns whether an entry is at its place and still the version that it was.
    fn have(&self, entry: &NewEntry) -> bool {
        let found = self.0.get(&(&entry.file, entry.ordinal));
        found.is_some_and(|found| is_same(found, entry))
    }
}

/// Returns whether two entries at one place are one version. Who brought it, and with which commit,
/// belongs to the version that was brought first; what its evidence came to follows from the
/// evidence and the logs, which tell of every version alike.
fn is_same(old: &NewEntry, new: &NewEntry) -> bool {
    old.moment == new.moment
        && old.evidence == new.evidence
        && old.entry == new.entry
        && old.findings == new.findings
        && old.data == new.data
}
