//! Files whose content git itself obeys, and therefore checks.

use assay_model::ObjectId;
use gix::objs::Kind;

use crate::tree::{Line, encode_tree};
use crate::{EntryKind, Error, FileMode, Quarantine, pack};

/// The beginnings of names that some file system takes for `.gitmodules` or `.gitattributes`: the
/// short names are those that NTFS gives them.
const BEGINNINGS: [&str; 6] = [
    ".gitmod", ".gitatt", "gitmod~", "gitatt~", "gi7eba~", "gi7d29~",
];

/// Returns whether git may look into a file of this name when it checks objects. Some names that it
/// does not look into are included.
///
/// ```
/// # use assay_git::is_checked_by_git;
/// assert!(is_checked_by_git(".GitModules") && is_checked_by_git("GITMOD~1"));
/// assert!(!is_checked_by_git("README.md") && !is_checked_by_git(".gitignore"));
/// ```
pub fn is_checked_by_git(name: &str) -> bool {
    // HFS+ ignores some characters, and none of them is ASCII.
    let ascii: String = name.chars().filter(char::is_ascii).collect();
    let lower = ascii.to_ascii_lowercase();
    BEGINNINGS
        .iter()
        .any(|beginning| lower.starts_with(beginning))
}

impl Quarantine {
    /// Has git check a file of a name, as it does when it is pushed. Returns its complaint, or
    /// `None` when it has none.
    ///
    /// Without this, a file could be committed through the API that no client would accept in a
    /// clone, and with which nothing could be pushed any more.
    pub fn check_file(&self, name: &str, blob: ObjectId) -> Result<Option<String>, Error> {
        let found = self.layers.find(blob)?.ok_or(Error::NoObject(blob))?;
        let line = Line {
            name: name.as_bytes().to_vec(),
            kind: EntryKind::File(FileMode::Regular),
            id: blob,
        };
        let tree = encode_tree(&[line]);
        // What is written for this is thrown away.
        let trial = Self::new(self.layers.base.clone());
        let objects = trial.shadow.on_disk()?;
        let entries = [(Kind::Blob, &*found.data), (Kind::Tree, &*tree)];
        pack::check(&self.layers.base.git_dir, &objects, &entries)
    }

    /// Returns whether git has checked all that is in here when it was pushed.
    pub fn is_checked(&self) -> bool {
        self.is_checked
    }
}
