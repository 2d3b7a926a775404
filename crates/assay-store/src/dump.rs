use assay_model::RepoKey;

use crate::{Error, Store, Tx};

/// One row of the index, as text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DumpRow {
    /// The table.
    pub table: &'static str,
    /// The repository it is about.
    pub key: RepoKey,
    /// Its columns as a JSON array, without the number that the database gave it.
    pub text: String,
}

/// The index, row by row, at one moment. Two indexes are equal if and only if they give the same rows.
#[derive(Debug)]
pub struct IndexDump {}

impl IndexDump {
    /// The next row: by table, then by the table's own key.
    pub async fn next(&mut self) -> Result<Option<DumpRow>, Error> {
        todo!()
    }
}

impl Store {
    /// Begins to read the whole index at one moment. It is read in pieces, so it may be larger than memory; until it is
    /// dropped, it keeps one reader and the state of that moment.
    pub async fn index_dump(&self) -> Result<IndexDump, Error> {
        todo!()
    }
}

impl Tx {
    /// Removes the whole index. The records stay.
    pub async fn drop_index(&mut self) -> Result<(), Error> {
        todo!()
    }
}
