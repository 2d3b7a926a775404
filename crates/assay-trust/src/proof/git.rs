//! The way from a file to a commit: every object is hashed again.

use assay_model::ObjectId;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::ProofError;
use crate::members::Members;
use crate::{Json, Malformed};

/// The modes of a file, which a link and a submodule do not have.
const FILE_MODES: [&[u8]; 2] = [b"100644", b"100755"];
const DIRECTORY_MODE: &[u8] = b"40000";
const DIRECTORY: &str = ".eval_results";

/// A result file, the two trees above it and a commit: enough to compute the id of the commit from
/// the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitProof {
    /// The id of the commit.
    pub id: ObjectId,
    /// The commit.
    pub commit: Vec<u8>,
    /// The tree of the commit.
    pub root: Vec<u8>,
    /// The tree of the results directory.
    pub directory: Vec<u8>,
    /// The file.
    pub file: String,
}

impl GitProof {
    /// Checks that the commit has the file under this name in the results directory.
    pub(super) fn verify(&self, name: &str) -> Result<(), ProofError> {
        if hash("commit", &self.commit)? != self.id {
            return Err(ProofError::Git("the commit has another id"));
        }
        let root = tree_of(&self.commit).ok_or(ProofError::Git("the commit names no tree"))?;
        if hash("tree", &self.root)? != root {
            return Err(ProofError::Git("the commit has another tree"));
        }
        let directory = find(&self.root, DIRECTORY, &[DIRECTORY_MODE])?;
        if hash("tree", &self.directory)? != directory {
            return Err(ProofError::Git("the directory is another"));
        }
        let file = find(&self.directory, name, &FILE_MODES)?;
        if hash("blob", self.file.as_bytes())? != file {
            return Err(ProofError::Git("the file is another"));
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Json {
        let bytes = |bytes: &[u8]| Json::Text(STANDARD.encode(bytes));
        Json::map([
            ("id", Json::shown(&self.id)),
            ("commit", bytes(&self.commit)),
            ("root", bytes(&self.root)),
            ("directory", bytes(&self.directory)),
            ("file", Json::shown(&self.file)),
        ])
    }

    pub(super) fn take(mut members: Members<'_>) -> Result<Self, Malformed> {
        let mut bytes = |key| {
            let text = members.text(key)?;
            STANDARD.decode(text).map_err(|_| Malformed::Wrong(key))
        };
        let (commit, root, directory) = (bytes("commit")?, bytes("root")?, bytes("directory")?);
        let git = Self {
            id: members.parsed("id")?,
            commit,
            root,
            directory,
            file: members.text("file")?,
        };
        members.finish().map(|()| git)
    }
}

/// The id of an object. Two objects that were made to share one are told by how they were made.
fn hash(kind: &str, bytes: &[u8]) -> Result<ObjectId, ProofError> {
    let mut hasher = sha1dc::Hasher::new();
    hasher.update(format!("{kind} {}\0", bytes.len()).as_bytes());
    hasher.update(bytes);
    match hasher.finalize() {
        Ok(digest) => Ok(ObjectId::from_bytes(*digest.as_bytes())),
        Err(_) => Err(ProofError::Git("an object was made to collide")),
    }
}

/// The tree that a commit names in its first line.
fn tree_of(commit: &[u8]) -> Option<ObjectId> {
    let line = commit.split(|byte| *byte == b'\n').next()?;
    let id = line.strip_prefix(b"tree ")?;
    std::str::from_utf8(id).ok()?.parse().ok()
}

/// The object of a name in a tree. The name must be there once: git reads the first, and other
/// tools the last.
fn find(tree: &[u8], name: &str, modes: &[&[u8]]) -> Result<ObjectId, ProofError> {
    let mut found = None;
    let mut rest = tree;
    while !rest.is_empty() {
        let entry = TreeEntry::take(&mut rest).ok_or(ProofError::Git("a tree is broken"))?;
        if entry.name != name.as_bytes() {
            continue;
        }
        if found.is_some() || !modes.contains(&entry.mode) {
            return Err(ProofError::Git(
                "a tree has the name twice, or for something else",
            ));
        }
        found = Some(entry.id);
    }
    found.ok_or(ProofError::Git("a tree does not have the name"))
}

struct TreeEntry<'t> {
    mode: &'t [u8],
    name: &'t [u8],
    id: ObjectId,
}

impl<'t> TreeEntry<'t> {
    fn take(rest: &mut &'t [u8]) -> Option<Self> {
        let space = rest.iter().position(|byte| *byte == b' ')?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        let (mode, name) = (rest.get(..space)?, rest.get(space + 1..end)?);
        let (id, after) = rest.get(end + 1..)?.split_first_chunk::<20>()?;
        *rest = after;
        Some(Self {
            mode,
            name,
            id: ObjectId::from_bytes(*id),
        })
    }
}
