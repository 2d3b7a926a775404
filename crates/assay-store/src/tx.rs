use crate::Error;

/// Changes that happen together or not at all. While one lives, no other can begin; readers go on and see the state
/// before it.
#[derive(Debug)]
pub struct Tx {}

impl Tx {
    /// Makes the changes last, and the generation one higher if there were any that can be seen. The answer is the
    /// generation.
    pub async fn commit(self) -> Result<u64, Error> {
        todo!()
    }

    /// Undoes the changes. Dropping does the same, a little later.
    pub async fn rollback(self) -> Result<(), Error> {
        todo!()
    }
}
