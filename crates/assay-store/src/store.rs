use std::path::Path;

use crate::{Error, Tx};

/// The database of a hub. It is cheap to clone, and every clone is the same database.
///
/// Questions are answered by a pool of readers, each on the last committed state; changes go through [`Store::begin`],
/// one transaction at a time.
#[derive(Debug, Clone)]
pub struct Store {}

impl Store {
    /// Opens the database at a path, makes it when it is not there, and brings it to the version that this program knows.
    pub async fn open(path: &Path) -> Result<Self, Error> {
        let _ = path;
        todo!()
    }

    /// Begins a change. It waits until the one before has ended, here or in another process; what is not committed is
    /// undone when the transaction is dropped.
    pub async fn begin(&self) -> Result<Tx, Error> {
        todo!()
    }

    /// The number that grows with every committed change of anything visible, by any process: what was made of an older
    /// generation may be out of date. It costs one small question to a connection that does nothing else.
    pub async fn generation(&self) -> Result<u64, Error> {
        todo!()
    }

    /// The newest generation that this process has made or seen. It costs nothing and does not notice another process.
    pub fn seen_generation(&self) -> u64 {
        todo!()
    }

    /// Writes a copy of the database, as it is at one moment, to a path where nothing is yet.
    pub async fn copy_to(&self, path: &Path) -> Result<(), Error> {
        let _ = path;
        todo!()
    }

    /// Waits for what is under way and closes every connection. Later calls fail.
    pub async fn close(&self) {
        todo!()
    }
}
