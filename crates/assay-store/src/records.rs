use assay_model::{ObjectId, RepoKey, RepoPath};
use serde_json::Value as Json;

use crate::{Error, Tx};

/// An Every Eval Ever record in a repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The file.
    pub path: RepoPath,
    /// Its content, as git names it.
    pub blob: ObjectId,
    /// What the caller has read from it.
    pub facts: Json,
}

questions! {
    /// The records of a repository, in the order of their paths, those after a path when one is given.
    fn records_of(key: RepoKey, after: Option<&RepoPath>, limit: u32) -> Vec<Record>;
    /// How many records a repository has.
    fn count_records(key: RepoKey) -> u64;
}

impl Tx {
    /// Writes records of a repository, in place of those at the same paths.
    pub async fn set_records(&mut self, key: RepoKey, records: &[Record]) -> Result<(), Error> {
        let _ = (key, records);
        todo!()
    }

    /// Removes the record at a path. The answer is whether there was one.
    pub async fn remove_record(&mut self, key: RepoKey, path: &RepoPath) -> Result<bool, Error> {
        let _ = (key, path);
        todo!()
    }

    /// Removes every record of a repository.
    pub async fn clear_records(&mut self, key: RepoKey) -> Result<(), Error> {
        let _ = key;
        todo!()
    }
}
