use assay_model::{ObjectId, RepoPath};

use crate::{Error, Quarantine, Signature};

/// How one branch is to be brought into another.
#[derive(Debug, Clone)]
pub struct MergePlan {
    /// The message of the commit, if one is needed.
    pub message: String,
    /// Its author.
    pub author: Signature,
    /// Its committer.
    pub committer: Signature,
    /// Whether a commit is made even when there is nothing to merge.
    pub fast_forward: FastForward,
}

/// What to do when `theirs` already follows on `ours`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FastForward {
    /// Take `theirs` as it is.
    Allow,
    /// Make a commit all the same, so that the branch tells when it was merged.
    Never,
}

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// `ours` has all of `theirs` already.
    UpToDate,
    /// `theirs` follows on `ours`: take it.
    FastForward(ObjectId),
    /// A commit with both as its parents, in the quarantine.
    Commit(ObjectId),
    /// Both changed these files in ways that do not go together.
    Conflict(Vec<RepoPath>),
}

impl Quarantine {
    /// Merges one commit into another.
    pub fn merge(
        &self,
        _ours: ObjectId,
        _theirs: ObjectId,
        _plan: &MergePlan,
    ) -> Result<Merged, Error> {
        todo!()
    }
}
