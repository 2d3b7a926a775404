//! What a lake holds at one moment: which files, and what they were made from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::partition::{Bounds, Partition};
use crate::table::Table;

/// The ending of the name of a Parquet file.
pub(crate) const ENDING: &str = ".parquet";

/// All files of a lake at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// The version of the table of sources; each change makes the next.
    pub snapshot: u64,
    /// The versions of the Delta tables that belong together.
    pub versions: BTreeMap<Table, u64>,
    /// The Parquet files, by table.
    pub files: Vec<DataFile>,
    /// What was taken in, by the id that rows carry as `record_id`.
    pub sources: BTreeMap<String, Source>,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataFile {
    /// The table it belongs to.
    #[serde(with = "table_name")]
    pub table: Table,
    /// Its path, from the directory of the lake. The name ends with a checksum of its bytes.
    pub path: String,
    /// The benchmarks and models that its rows lie between, when they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// How many rows it has.
    pub rows: u64,
    /// How many bytes it has.
    pub bytes: u64,
}

/// A file that was taken in: a record with its samples, or a result file.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// Where it was found.
    pub path: String,
    /// The SHA-256 of its bytes.
    pub digest: String,
    /// The SHA-256 of the samples, when there are some.
    pub samples_digest: Option<String>,
    /// How many bytes both have.
    pub bytes: u64,
    /// The benchmark and model of its rows.
    pub partition: Partition,
    /// The benchmarks that a result file has results of; empty of other sources.
    pub speaks_for: Vec<String>,
    /// How many scores it brought.
    pub results: u64,
    /// How many samples it brought.
    pub instances: u64,
}

impl DataFile {
    /// The checksum of its bytes, which its name ends with: 128 bits of XXH3.
    pub(crate) fn checksum(&self) -> Option<&str> {
        let (_, checksum) = self.path.strip_suffix(ENDING)?.rsplit_once('-')?;
        Some(checksum)
    }
}

impl Manifest {
    /// The files of a table.
    pub fn files_of(&self, table: Table) -> impl Iterator<Item = &DataFile> {
        self.files.iter().filter(move |file| file.table == table)
    }
}

/// A table is written by its name.
mod table_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::Table;

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde hands a reference over"
    )]
    pub(super) fn serialize<S: Serializer>(
        table: &Table,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(table.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Table, D::Error> {
        let name = String::deserialize(deserializer)?;
        Table::named(&name).ok_or_else(|| D::Error::custom(format!("`{name}` is no table")))
    }
}
