use assay_model::{RepoKey, Timestamp};

use crate::{Error, Tx};

questions! {
    /// When the operator marked a benchmark as official, if they did.
    fn official_since(key: RepoKey) -> Option<Timestamp>;
}

impl Tx {
    /// Marks a benchmark as official; the first mark stays.
    pub async fn mark_official(&mut self, key: RepoKey, at: Timestamp) -> Result<(), Error> {
        let _ = (key, at);
        todo!()
    }

    /// Takes the mark away. The answer is whether there was one.
    pub async fn unmark_official(&mut self, key: RepoKey) -> Result<bool, Error> {
        let _ = key;
        todo!()
    }
}
