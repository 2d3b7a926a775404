use assay_model::ObjectId;

use crate::RefName;

/// A ref and where it points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its full name.
    pub name: RefName,
    /// The commit; for an annotated tag, the commit behind it.
    pub target: ObjectId,
    /// The kind of the ref.
    pub kind: RefKind,
}

/// The purpose of a ref, by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefKind {
    /// Below `refs/heads/`.
    Branch,
    /// Below `refs/tags/`.
    Tag,
    /// `refs/pr/N`.
    Pull,
    /// Anywhere else.
    Other,
}

/// The expected state of a ref for a change to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// It may not exist.
    Absent,
    /// It points at this very object (of an annotated tag: the tag, not its commit).
    At(ObjectId),
    /// It may be anywhere, or not exist.
    Any,
}

/// One ref that is to be made, moved or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefChange {
    /// The name of the ref.
    pub name: RefName,
    /// The expected current target.
    pub expected: Expected,
    /// The new target; `None` deletes it.
    pub new: Option<ObjectId>,
}

impl RefKind {
    /// The kind of a ref of this name.
    pub fn of(name: &RefName) -> Self {
        if name.as_branch().is_some() {
            Self::Branch
        } else if name.as_tag().is_some() {
            Self::Tag
        } else if name.as_pull().is_some() {
            Self::Pull
        } else {
            Self::Other
        }
    }
}
