//! Trees, read and changed.

use std::collections::BTreeMap;

use assay_model::{ObjectId, RepoPath};
use gix::objs::Kind;
use gix::objs::tree::EntryKind as Mode;

use crate::id::from_gix;
use crate::layers::Layers;
use crate::shadow::Shadow;
use crate::{EntryKind, Error, FileMode};

/// One line of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: EntryKind,
    pub(crate) id: ObjectId,
}

/// The tree of a commit, of an annotated tag of one, or a tree itself.
pub(crate) fn tree_of(layers: &Layers, id: ObjectId) -> Result<ObjectId, Error> {
    let wrong = |id| Error::BadObject { id, wanted: "tree" };
    let (id, found) = peel(layers, id, wrong)?;
    match found.kind {
        Kind::Tree => Ok(id),
        Kind::Commit => {
            let mut commit =
                gix::objs::CommitRefIter::from_bytes(&found.data, gix::hash::Kind::Sha1);
            commit
                .tree_id()
                .map(|id| from_gix(&id))
                .map_err(|_| wrong(id))
        }
        Kind::Blob | Kind::Tag => Err(wrong(id)),
    }
}

/// Returns the object that a tag leads to, through as many tags as there are.
pub(crate) fn peel(
    layers: &Layers,
    id: ObjectId,
    wrong: impl Fn(ObjectId) -> Error,
) -> Result<(ObjectId, crate::layers::LoadedObject), Error> {
    let mut at = id;
    for _ in 0..MAX_TAGS {
        let found = layers.find(at)?.ok_or(Error::NoObject(at))?;
        if found.kind != Kind::Tag {
            return Ok((at, found));
        }
        let tag = gix::objs::TagRefIter::from_bytes(&found.data, gix::hash::Kind::Sha1);
        at = from_gix(&tag.target_id().map_err(|_| wrong(id))?);
    }
    Err(wrong(id))
}

/// Number of tags of tags that are followed.
const MAX_TAGS: usize = 8;

/// The lines of a tree, in git's order.
pub(crate) fn lines(layers: &Layers, tree: ObjectId) -> Result<Vec<Line>, Error> {
    let wrong = || Error::BadObject {
        id: tree,
        wanted: "tree",
    };
    let found = layers.find(tree)?.ok_or(Error::NoObject(tree))?;
    if found.kind != Kind::Tree {
        return Err(wrong());
    }
    gix::objs::TreeRefIter::from_bytes(&found.data, gix::hash::Kind::Sha1)
        .map(|line| {
            let line = line.map_err(|_| wrong())?;
            Ok(Line {
                name: line.filename.to_vec(),
                kind: kind_of(line.mode.kind()),
                id: from_gix(line.oid),
            })
        })
        .collect()
}

/// The line of a path below a tree.
pub(crate) fn lookup(
    layers: &Layers,
    root: ObjectId,
    path: &RepoPath,
) -> Result<Option<Line>, Error> {
    let mut tree = root;
    let mut parts = path.as_str().split('/').peekable();
    while let Some(part) = parts.next() {
        let lines = lines(layers, tree)?;
        let Some(line) = lines.into_iter().find(|line| line.name == part.as_bytes()) else {
            return Ok(None);
        };
        match (parts.peek(), line.kind) {
            (None, _) => return Ok(Some(line)),
            (Some(_), EntryKind::Directory) => tree = line.id,
            (Some(_), EntryKind::File(_) | EntryKind::Symlink | EntryKind::Submodule) => {
                return Ok(None);
            }
        }
    }
    Ok(None)
}

fn kind_of(mode: Mode) -> EntryKind {
    match mode {
        Mode::Tree => EntryKind::Directory,
        Mode::Blob => EntryKind::File(FileMode::Regular),
        Mode::BlobExecutable => EntryKind::File(FileMode::Executable),
        Mode::Link => EntryKind::Symlink,
        Mode::Commit => EntryKind::Submodule,
    }
}

fn mode_of(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Directory => "40000",
        EntryKind::File(FileMode::Regular) => "100644",
        EntryKind::File(FileMode::Executable) => "100755",
        EntryKind::Symlink => "120000",
        EntryKind::Submodule => "160000",
    }
}

/// A tree that is being changed. Only the directories on the way to a change are read, and only
/// they are written.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    lines: BTreeMap<Vec<u8>, Node>,
}

#[derive(Debug)]
enum Node {
    /// As it was.
    Kept(EntryKind, ObjectId),
    /// A directory that has been looked into.
    Opened(Draft),
}

impl Draft {
    /// Begins with the lines of a tree.
    pub(crate) fn of(layers: &Layers, tree: ObjectId) -> Result<Self, Error> {
        let lines = lines(layers, tree)?.into_iter();
        Ok(Self {
            lines: lines
                .map(|line| (line.name, Node::Kept(line.kind, line.id)))
                .collect(),
        })
    }

    /// Puts a file, and the directories that it needs.
    pub(crate) fn put(
        &mut self,
        layers: &Layers,
        path: &RepoPath,
        kind: EntryKind,
        id: ObjectId,
    ) -> Result<(), Error> {
        let clash = || Error::FileAndFolder(path.clone());
        let (folder, name) = split(path);
        let mut draft = self;
        for part in folder {
            draft = draft
                .lines
                .entry(part.as_bytes().to_vec())
                .or_insert_with(|| Node::Opened(Self::default()))
                .open(layers)?
                .ok_or_else(clash)?;
        }
        let is_folder = |node: &Node| match node {
            Node::Kept(kind, _) => *kind == EntryKind::Directory,
            Node::Opened(draft) => !draft.is_empty(),
        };
        if draft.lines.get(name.as_bytes()).is_some_and(is_folder) {
            return Err(clash());
        }
        draft
            .lines
            .insert(name.as_bytes().to_vec(), Node::Kept(kind, id));
        Ok(())
    }

    /// Takes away what is at a path, if it is a folder or if it is not, as is asked for.
    pub(crate) fn remove(
        &mut self,
        layers: &Layers,
        path: &RepoPath,
        folder: bool,
    ) -> Result<(), Error> {
        let missing = || Error::NothingToDelete(path.clone());
        let (parents, name) = split(path);
        let mut draft = self;
        for part in parents {
            let node = draft.lines.get_mut(part.as_bytes()).ok_or_else(missing)?;
            draft = node.open(layers)?.ok_or_else(missing)?;
        }
        let is_folder = match draft.lines.get(name.as_bytes()).ok_or_else(missing)? {
            Node::Kept(kind, _) => *kind == EntryKind::Directory,
            Node::Opened(below) if below.is_empty() => return Err(missing()),
            Node::Opened(_) => true,
        };
        if is_folder != folder {
            return Err(missing());
        }
        draft.lines.remove(name.as_bytes());
        Ok(())
    }

    /// Writes the trees that changed. Directories without files are left out, as git knows none.
    pub(crate) fn write(self, shadow: &Shadow) -> Result<ObjectId, Error> {
        let mut lines = Vec::with_capacity(self.lines.len());
        for (name, node) in self.lines {
            match node {
                Node::Kept(kind, id) => lines.push(Line { name, kind, id }),
                Node::Opened(draft) if draft.is_empty() => {}
                Node::Opened(draft) => lines.push(Line {
                    name,
                    kind: EntryKind::Directory,
                    id: draft.write(shadow)?,
                }),
            }
        }
        lines.sort_by(|one, other| order(one).cmp(order(other)));
        shadow.insert(Kind::Tree, encode_tree(&lines))
    }

    fn is_empty(&self) -> bool {
        self.lines.values().all(|node| match node {
            Node::Kept(..) => false,
            Node::Opened(draft) => draft.is_empty(),
        })
    }
}

impl Node {
    /// The draft of a directory; `None` when this is no directory.
    fn open(&mut self, layers: &Layers) -> Result<Option<&mut Draft>, Error> {
        if let Self::Kept(EntryKind::Directory, tree) = *self {
            *self = Self::Opened(Draft::of(layers, tree)?);
        }
        match self {
            Self::Opened(draft) => Ok(Some(draft)),
            Self::Kept(..) => Ok(None),
        }
    }
}

/// A tree of lines that are in git's order.
pub(crate) fn encode_tree(lines: &[Line]) -> Vec<u8> {
    let mut data = Vec::new();
    for line in lines {
        data.extend_from_slice(mode_of(line.kind).as_bytes());
        data.push(b' ');
        data.extend_from_slice(&line.name);
        data.push(0);
        data.extend_from_slice(line.id.as_bytes());
    }
    data
}

/// Git sorts a directory as if its name ended with a slash.
pub(crate) fn order(line: &Line) -> impl Iterator<Item = u8> + '_ {
    let slash = (line.kind == EntryKind::Directory).then_some(b'/');
    line.name.iter().copied().chain(slash)
}

fn split(path: &RepoPath) -> (impl Iterator<Item = &str>, &str) {
    let (folder, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.name()));
    (folder.split('/').filter(|part| !part.is_empty()), name)
}
