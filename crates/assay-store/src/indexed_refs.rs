use assay_model::{ObjectId, RepoKey};

use crate::{Error, Tx};

/// A reference of a repository as it was when it was indexed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct IndexedRef {
    /// The full name, such as `refs/heads/main`.
    pub name: String,
    /// The commit.
    pub target: ObjectId,
}

questions! {
    /// The references of a repository as they were indexed, in the order of their names. Where git differs, the index
    /// is behind.
    fn indexed_refs(key: RepoKey) -> Vec<IndexedRef>;
    /// The commit that one reference was indexed at.
    fn indexed_ref(key: RepoKey, name: &str) -> Option<ObjectId>;
}

impl Tx {
    /// Writes one reference, or removes it.
    pub async fn set_indexed_ref(
        &mut self,
        key: RepoKey,
        name: &str,
        target: Option<&ObjectId>,
    ) -> Result<(), Error> {
        let _ = (key, name, target);
        todo!()
    }

    /// Writes all references of a repository, and removes those that are not among them.
    pub async fn set_indexed_refs(
        &mut self,
        key: RepoKey,
        refs: &[IndexedRef],
    ) -> Result<(), Error> {
        let _ = (key, refs);
        todo!()
    }
}
