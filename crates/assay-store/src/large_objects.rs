use assay_model::RepoKey;

use crate::{Error, Sha256, Tx};

questions! {
    /// The size of a large file, when a repository has it. That the hub has its bytes does not make it everyone's: who
    /// may read it is asked of the repository.
    fn large_object(key: RepoKey, oid: &Sha256) -> Option<u64>;
    /// The sum of the sizes of a repository's large files.
    fn large_bytes(key: RepoKey) -> u64;
    /// Whether any repository has a large file, so that its bytes must be kept.
    fn large_object_in_use(oid: &Sha256) -> bool;
}

impl Tx {
    /// Says that a repository has a large file. Saying it twice is saying it once.
    pub async fn add_large_object(
        &mut self,
        key: RepoKey,
        oid: &Sha256,
        size: u64,
    ) -> Result<(), Error> {
        let _ = (key, oid, size);
        todo!()
    }
}
