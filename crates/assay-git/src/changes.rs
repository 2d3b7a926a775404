//! Differences between commits, and the commits that last changed a path.

use std::collections::{BTreeMap, BTreeSet};

use assay_model::{ObjectId, RepoPath};

use crate::layers::Layers;
use crate::objects::join;
use crate::tree::{self, Line, order, tree_of};
use crate::{Change, ChangeSet, CommitInfo, EntryKind, Error, Objects, Version};

impl Objects {
    /// Returns the differences between two commits (or trees), in the order of the paths; `None`
    /// has no files.
    pub fn changes(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>, Error> {
        Ok(self.change_set(old, new)?.changes)
    }

    /// The same, with a path that nothing in a hub could name, if there is one.
    pub fn change_set(&self, old: Option<ObjectId>, new: ObjectId) -> Result<ChangeSet, Error> {
        let old = old.map(|old| tree_of(&self.layers, old)).transpose()?;
        let new = tree_of(&self.layers, new)?;
        let mut changes = Vec::new();
        let mut differ = Differ {
            layers: &self.layers,
            is_wanted: &|_| true,
            found: 0,
            unnamed: None,
            visit: &mut |path, old, new| {
                let (old, new) = (old.and_then(version), new.and_then(version));
                if old.is_some() || new.is_some() {
                    changes.push(Change { path, old, new });
                }
            },
        };
        differ.run("", old, Some(new))?;
        let unnamed = differ.unnamed;
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(ChangeSet { changes, unnamed })
    }

    /// For each path, file or folder, the newest commit on the first-parent line that changed it.
    /// Paths that are not there are left out.
    pub fn last_commits(
        &self,
        commit: ObjectId,
        paths: &[RepoPath],
    ) -> Result<BTreeMap<RepoPath, CommitInfo>, Error> {
        let root = tree_of(&self.layers, commit)?;
        let mut wanted = BTreeSet::new();
        for path in paths {
            if tree::lookup(&self.layers, root, path)?.is_some() {
                wanted.insert(path.clone());
            }
        }
        let mut last = BTreeMap::new();
        let mut next = Some(commit);
        while let Some(id) = next
            && !wanted.is_empty()
        {
            let commit = self.commit(id)?;
            next = commit.parents.first().copied();
            for path in self.changed_among(&commit, &wanted)? {
                wanted.remove(&path);
                last.insert(path, commit.clone());
            }
        }
        Ok(last)
    }

    /// The commit on the first-parent line that made a file which has been there ever since; `None`
    /// when it is not there.
    pub fn created(&self, commit: ObjectId, path: &RepoPath) -> Result<Option<CommitInfo>, Error> {
        let mut since = None;
        let mut next = Some(commit);
        let mut last_root = None;
        while let Some(id) = next {
            let commit = self.commit(id)?;
            let is_same = last_root == Some(commit.tree);
            if !is_same && tree::lookup(&self.layers, commit.tree, path)?.is_none() {
                break;
            }
            last_root = Some(commit.tree);
            next = commit.parents.first().copied();
            since = Some(commit);
        }
        Ok(since)
    }

    /// Returns those of these paths that a commit changed, compared with its first parent.
    fn changed_among(
        &self,
        commit: &CommitInfo,
        wanted: &BTreeSet<RepoPath>,
    ) -> Result<Vec<RepoPath>, Error> {
        let parent = commit.parents.first();
        let old = parent
            .map(|&parent| tree_of(&self.layers, parent))
            .transpose()?;
        let sorted: Vec<&str> = wanted.iter().map(RepoPath::as_str).collect();
        let mut changed = Vec::new();
        let mut differ = Differ {
            layers: &self.layers,
            is_wanted: &|folder| leads_to(folder, &sorted),
            found: 0,
            unnamed: None,
            visit: &mut |path, _, _| {
                if wanted.contains(&path) {
                    changed.push(path);
                }
            },
        };
        differ.run("", old, Some(commit.tree))?;
        changed.sort();
        changed.dedup();
        Ok(changed)
    }
}

/// Returns whether some wanted path lies below a folder, which is given with its slash.
fn leads_to(folder: &str, wanted: &[&str]) -> bool {
    // The paths below a folder stand together in the order of paths.
    let first = wanted.partition_point(|path| *path < folder);
    wanted
        .get(first)
        .is_some_and(|path| path.starts_with(folder))
}

fn version(line: &Line) -> Option<Version> {
    match line.kind {
        EntryKind::Directory => None,
        kind @ (EntryKind::File(_) | EntryKind::Symlink | EntryKind::Submodule) => {
            Some(Version { kind, oid: line.id })
        }
    }
}

/// Told of every difference, those of directories as well.
type Visit<'a> = dyn FnMut(RepoPath, Option<&Line>, Option<&Line>) + 'a;

/// Compares two trees and looks only into directories that differ.
struct Differ<'a> {
    layers: &'a Layers,
    /// A test whether to look into a folder, given with its slash.
    is_wanted: &'a dyn Fn(&str) -> bool,
    found: usize,
    /// The first path that is there now and is no [`RepoPath`].
    unnamed: Option<String>,
    visit: &'a mut Visit<'a>,
}

impl Differ<'_> {
    fn run(
        &mut self,
        prefix: &str,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
    ) -> Result<(), Error> {
        if old == new {
            return Ok(());
        }
        let old = self.lines(old)?;
        let new = self.lines(new)?;
        let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let which = match (old.peek(), new.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                // A file and a directory of one name stand at different places: they are two
                // differences.
                (Some(old), Some(new)) => order(old).cmp(order(new)),
            };
            let old = old.next_if(|_| which.is_le());
            let new = new.next_if(|_| which.is_ge());
            if old.map(facts) != new.map(facts) {
                self.difference(prefix, old, new)?;
            }
        }
    }

    fn difference(
        &mut self,
        prefix: &str,
        old: Option<&Line>,
        new: Option<&Line>,
    ) -> Result<(), Error> {
        let Some(line) = new.or(old) else {
            return Ok(());
        };
        let Some(path) = join(prefix, &line.name) else {
            if new.is_some() && self.unnamed.is_none() {
                let name = String::from_utf8_lossy(&line.name);
                self.unnamed = Some(format!("{prefix}{name}"));
            }
            return Ok(());
        };
        self.found += 1;
        if self.found > Objects::MAX_FILES {
            return Err(Error::TooManyFiles {
                id: line.id,
                max: Objects::MAX_FILES,
            });
        }
        let folder = format!("{path}/");
        (self.visit)(path, old, new);
        if line.kind == EntryKind::Directory && (self.is_wanted)(&folder) {
            self.run(&folder, old.map(|line| line.id), new.map(|line| line.id))?;
        }
        Ok(())
    }

    fn lines(&self, tree: Option<ObjectId>) -> Result<Vec<Line>, Error> {
        tree.map_or(Ok(Vec::new()), |tree| tree::lines(self.layers, tree))
    }
}

fn facts(line: &Line) -> (EntryKind, ObjectId) {
    (line.kind, line.id)
}
