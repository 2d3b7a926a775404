use assay_model::ObjectId;

use crate::RefName;

/// A ref and where it points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its full name.
    pub name: RefName,
    /// The commit; for an annotated tag, the commit behind it.
    pub target: ObjectId,
    /// What kind it is.
    pub kind: RefKind,
}

/// What a ref is for, told by where it lies.
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

/// Where a ref must be for a change to happen.
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
    /// Which.
    pub name: RefName,
    /// Where it must be now.
    pub expected: Expected,
    /// Where it shall be; `None` deletes it.
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
