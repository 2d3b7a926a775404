use std::path::PathBuf;

use assay_model::Durability;

/// Where a hub keeps its data and what it allows.
#[derive(Debug, Clone)]
pub struct HubConfig {
    /// The data directory.
    pub data: PathBuf,
    /// What is allowed.
    pub limits: Limits,
    /// What an acknowledged change outlasts.
    pub durability: Durability,
}

/// What one request, file or account may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest file that is kept in git itself, in bytes; larger ones need git-lfs.
    pub file_bytes: u64,
    /// The largest large file, in bytes.
    pub large_file_bytes: u64,
    /// The largest commit, all its files together, in bytes.
    pub commit_bytes: u64,
    /// The largest pack of a push, in bytes.
    pub pack_bytes: u64,
    /// The most files in one commit.
    pub commit_files: usize,
    /// The longest path of a file, in bytes; at most [`RepoPath::MAX`](assay_model::RepoPath::MAX).
    pub path_bytes: usize,
    /// The most repositories of one account.
    pub repositories: u64,
    /// The largest file that is judged, in bytes; a larger one of a judged kind is refused.
    pub judged_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 100 << 20,
            large_file_bytes: 20 << 30,
            commit_bytes: 200 << 20,
            pack_bytes: 2 << 30,
            commit_files: 25_000,
            path_bytes: assay_model::RepoPath::MAX,
            repositories: 100_000,
            judged_bytes: 100 << 20,
        }
    }
}
