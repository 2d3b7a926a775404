use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assay_model::{ObjectId, RepoPath, Timestamp};
use gix::objs::Kind;

use crate::base::BlobFacts;
use crate::layers::Layers;
use crate::tree::{self, Line, tree_of};
use crate::{Depth, EntryKind, Error, LargeFile, LargeFileId, TreeEntry, Version};

/// The objects of a repository, and of a quarantine if it was asked for them.
///
/// It may be shared between threads. Where a commit is wanted, an annotated tag of one will do.
/// What lies at a path that is no [`RepoPath`] is left out everywhere: nothing in a hub could name
/// it.
#[derive(Debug, Clone)]
pub struct Objects {
    pub(crate) layers: Arc<Layers>,
}

impl Objects {
    /// The number of files of a commit that are listed; a few trees that name each other many times
    /// can pretend to have billions.
    pub const MAX_FILES: usize = 500_000;

    pub(crate) fn new(layers: Arc<Layers>) -> Self {
        Self { layers }
    }

    /// Returns whether there is an object of this hash.
    pub fn contains(&self, id: ObjectId) -> Result<bool, Error> {
        Ok(self.layers.header(id)?.is_some())
    }

    /// Returns the entry at a path of a commit.
    pub fn entry(&self, commit: ObjectId, path: &RepoPath) -> Result<Option<TreeEntry>, Error> {
        let root = tree_of(&self.layers, commit)?;
        match tree::lookup(&self.layers, root, path)? {
            Some(line) => self.describe(path.clone(), &line).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the entries in a folder of a commit (`None` is the whole of it), in git's order;
    /// `None` when there is no such folder.
    pub fn list(
        &self,
        commit: ObjectId,
        folder: Option<&RepoPath>,
        depth: Depth,
    ) -> Result<Option<Vec<TreeEntry>>, Error> {
        let root = tree_of(&self.layers, commit)?;
        let tree = match folder {
            None => root,
            Some(path) => match tree::lookup(&self.layers, root, path)? {
                Some(line) if line.kind == EntryKind::Directory => line.id,
                Some(_) | None => return Ok(None),
            },
        };
        let prefix = folder.map_or_else(String::new, |path| format!("{path}/"));
        let mut entries = Vec::new();
        self.list_into(tree, &prefix, depth, &mut entries)?;
        Ok(Some(entries))
    }

    /// Checks whether a file of a commit is a pointer to a large file.
    pub fn names_large_file(&self, commit: ObjectId, oid: LargeFileId) -> Result<bool, Error> {
        let entries = self.list(commit, None, Depth::Recursive)?;
        let mut files = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.large);
        Ok(files.any(|file| file.oid == oid))
    }

    /// Lists the large files that some commits name, each compared with its first parent.
    pub fn large_files_of(&self, commits: &[ObjectId]) -> Result<BTreeSet<LargeFileId>, Error> {
        Ok(self.find_large_files(commits)?.into_keys().collect())
    }

    /// Lists the large files that some commits name, with the last of these commits and a path
    /// there. Each commit is compared with its first parent.
    pub fn find_large_files(
        &self,
        commits: &[ObjectId],
    ) -> Result<BTreeMap<LargeFileId, (RepoPath, Timestamp)>, Error> {
        let mut files: BTreeMap<LargeFileId, (RepoPath, Timestamp)> = BTreeMap::new();
        for id in commits {
            let commit = self.commit(*id)?;
            let parent = commit.parents.first().copied();
            for change in self.changes(parent, *id)? {
                let Some(version) = change.new else {
                    continue;
                };
                let Some(oid) = self.pointed_at(version)? else {
                    continue;
                };
                let known = files.get(&oid);
                if known.is_none_or(|(_, committed)| *committed <= commit.committed) {
                    files.insert(oid, (change.path, commit.committed));
                }
            }
        }
        Ok(files)
    }

    /// Returns the large file that a version of a file is a pointer to.
    fn pointed_at(&self, version: Version) -> Result<Option<LargeFileId>, Error> {
        let is_file = matches!(version.kind, EntryKind::File(_));
        if !is_file || self.size(version.oid)? > LargeFile::MAX_POINTER {
            return Ok(None);
        }
        let bytes = self.read(version.oid, LargeFile::MAX_POINTER)?;
        Ok(LargeFile::of_pointer(&bytes).map(|file| file.oid))
    }

    /// The bytes of a blob, if they are at most so many.
    pub fn read(&self, blob: ObjectId, max: u64) -> Result<Vec<u8>, Error> {
        let size = self.size(blob)?;
        if size > max {
            return Err(Error::BlobTooLarge {
                id: blob,
                size,
                max,
            });
        }
        let found = self.layers.find(blob)?.ok_or(Error::NoObject(blob))?;
        Ok(found.data)
    }

    /// The bytes of an object of any kind, as its hash is made of them, if they are at most so
    /// many.
    pub fn raw(&self, id: ObjectId, max: u64) -> Result<Vec<u8>, Error> {
        let (_, size) = self.layers.header(id)?.ok_or(Error::NoObject(id))?;
        if size > max {
            return Err(Error::BlobTooLarge { id, size, max });
        }
        let found = self.layers.find(id)?.ok_or(Error::NoObject(id))?;
        Ok(found.data)
    }

    /// The size of a blob, without reading it.
    pub fn size(&self, blob: ObjectId) -> Result<u64, Error> {
        match self.layers.header(blob)?.ok_or(Error::NoObject(blob))? {
            (Kind::Blob, size) => Ok(size),
            (Kind::Tree | Kind::Commit | Kind::Tag, _) => Err(Error::BadObject {
                id: blob,
                wanted: "blob",
            }),
        }
    }

    /// Directories nest no deeper than a path has parts, so this does not run out of stack.
    fn list_into(
        &self,
        tree: ObjectId,
        prefix: &str,
        depth: Depth,
        entries: &mut Vec<TreeEntry>,
    ) -> Result<(), Error> {
        for line in tree::lines(&self.layers, tree)? {
            let Some(path) = join(prefix, &line.name) else {
                continue;
            };
            if entries.len() == Self::MAX_FILES {
                return Err(Error::TooManyFiles {
                    id: tree,
                    max: Self::MAX_FILES,
                });
            }
            let below = format!("{path}/");
            entries.push(self.describe(path, &line)?);
            if line.kind == EntryKind::Directory && depth == Depth::Recursive {
                self.list_into(line.id, &below, depth, entries)?;
            }
        }
        Ok(())
    }

    fn describe(&self, path: RepoPath, line: &Line) -> Result<TreeEntry, Error> {
        let facts = match line.kind {
            EntryKind::File(_) => self.facts(line.id)?,
            EntryKind::Symlink => BlobFacts {
                size: self.size(line.id)?,
                large: None,
            },
            EntryKind::Directory | EntryKind::Submodule => BlobFacts {
                size: 0,
                large: None,
            },
        };
        Ok(TreeEntry {
            path,
            kind: line.kind,
            oid: line.id,
            size: facts.size,
            large: facts.large,
        })
    }

    /// Size and pointer of a blob. Only what may be a pointer by its size is read.
    fn facts(&self, blob: ObjectId) -> Result<BlobFacts, Error> {
        let known = &self.layers.base.facts;
        if let Some(facts) = known.get(blob) {
            return Ok(facts);
        }
        let size = self.size(blob)?;
        let large = if size < LargeFile::MAX_POINTER {
            LargeFile::of_pointer(&self.read(blob, size)?)
        } else {
            None
        };
        let facts = BlobFacts { size, large };
        known.set(blob, facts);
        Ok(facts)
    }
}

/// The path of a line of a tree, if it is one that a hub can name.
pub(crate) fn join(prefix: &str, name: &[u8]) -> Option<RepoPath> {
    let name = std::str::from_utf8(name).ok()?;
    format!("{prefix}{name}").parse().ok()
}
