//! What a lake holds at one moment: which files, and what they were made from.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::partition::{Bounds, Partition};
use crate::table::Table;

/// All files of a lake at one moment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The number of the snapshot; each change makes the next.
    pub snapshot: u64,
    /// The Parquet files, by table.
    pub files: Vec<DataFile>,
    /// What was taken in, by the id that rows carry as `record_id`.
    pub sources: BTreeMap<String, Source>,
}

/// One Parquet file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredFile")]
pub struct DataFile {
    /// The table it belongs to.
    #[serde(with = "table_name")]
    pub table: Table,
    /// Its path, from the directory of the lake.
    pub path: String,
    /// The benchmarks and models that its rows lie between, when they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// Number of rows that it has.
    pub rows: u64,
    /// Number of bytes that it has.
    pub bytes: u64,
    /// A checksum of its bytes: `xxh3:` and 128 bits of XXH3, or a SHA-256, as it was at first.
    pub digest: String,
}

/// A Parquet file as a manifest may spell it. Manifests once had one benchmark and one model for
/// each file.
#[derive(Deserialize)]
struct StoredFile {
    #[serde(with = "table_name")]
    table: Table,
    path: String,
    bounds: Option<Bounds>,
    #[serde(flatten)]
    partition: Option<Partition>,
    rows: u64,
    bytes: u64,
    digest: String,
}

impl From<StoredFile> for DataFile {
    fn from(stored: StoredFile) -> Self {
        let partition = stored.partition.as_ref();
        Self {
            table: stored.table,
            path: stored.path,
            bounds: stored
                .bounds
                .or_else(|| partition.map(Bounds::from_partition)),
            rows: stored.rows,
            bytes: stored.bytes,
            digest: stored.digest,
        }
    }
}

/// A file that was taken in: a record with its samples, or a result file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Where it was found.
    pub path: String,
    /// The SHA-256 of its bytes.
    pub digest: String,
    /// The SHA-256 of the samples, when there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples_digest: Option<String>,
    /// Number of bytes both that have.
    pub bytes: u64,
    /// The benchmark and model of its rows.
    #[serde(flatten)]
    pub partition: Partition,
    /// The benchmarks that a result file has results of; empty of other sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speaks_for: Vec<String>,
    /// How many scores it brought.
    pub results: u64,
    /// How many samples it brought.
    pub instances: u64,
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
