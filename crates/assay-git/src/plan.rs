use std::path::PathBuf;

use assay_model::{ObjectId, RepoPath, Timestamp};

use crate::LargeFile;

/// A commit that is to be written.
#[derive(Debug, Clone)]
pub struct CommitPlan {
    /// What it follows on.
    pub parents: Vec<ObjectId>,
    /// The commit (or tree) whose files it begins with; `None` begins with none.
    pub base: Option<ObjectId>,
    /// What happens to these files, in this order.
    pub operations: Vec<Operation>,
    /// Why: title, blank line, body.
    pub message: String,
    /// Who wrote it.
    pub author: Signature,
    /// Who committed it.
    pub committer: Signature,
}

/// One thing that happens to the files of a commit.
#[derive(Debug, Clone)]
pub enum Operation {
    /// A file is made or replaced.
    Put {
        /// Where.
        path: RepoPath,
        /// With what.
        blob: Blob,
        /// How.
        mode: FileMode,
    },
    /// The pointer to a large file is made or replaced.
    PutPointer {
        /// Where.
        path: RepoPath,
        /// To what.
        file: LargeFile,
    },
    /// A file goes; it must be there.
    Delete(RepoPath),
    /// A folder goes with all that is in it; it must be there.
    DeleteFolder(RepoPath),
}

/// Where the bytes of a file come from.
#[derive(Debug, Clone)]
pub enum Blob {
    /// From memory.
    Bytes(Vec<u8>),
    /// From a file on disk, which is not held in memory.
    File(PathBuf),
    /// From a blob that the repository has already.
    Existing(ObjectId),
}

/// What a file may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMode {
    /// Be read.
    #[default]
    Regular,
    /// Be run.
    Executable,
}

/// Who and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// What they are called; what git cannot write in a name is left out.
    pub name: String,
    /// Their address, or what stands for one.
    pub email: String,
    /// When; git keeps whole seconds.
    pub when: Timestamp,
}
