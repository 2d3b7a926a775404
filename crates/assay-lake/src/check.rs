//! Comparing the files of a lake with its logs.

use std::collections::BTreeMap;
use std::path::Path;

use assay_model::chain;
use datafusion::arrow::array::{AsArray as _, RecordBatch};
use serde::Serialize;

use crate::checksum::is_as_written;
use crate::compact::rows_of;
use crate::error::Result;
use crate::lake::Snapshot;
use crate::manifest::{DataFile, Source};
use crate::partition::contains;
use crate::table::Table;

/// Something that is not as the logs say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The file, from the directory of the lake; empty for the whole of it.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

/// Reads every file of a snapshot to its end and compares it with the logs.
pub fn check(snapshot: &Snapshot) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    let mut counts: BTreeMap<(Table, String), u64> = BTreeMap::new();
    for file in &snapshot.manifest.files {
        let mut found = Vec::new();
        let (path, _copy) = match snapshot.local_path(file) {
            Ok(local) => local,
            Err(error) => {
                faults.push(Fault {
                    path: file.path.clone(),
                    message: format!("cannot be read: {}", chain(&error)),
                });
                continue;
            }
        };
        match std::fs::metadata(&path) {
            Ok(metadata) if metadata.len() != file.bytes => found.push(format!(
                "has {} bytes, and the log says {}",
                metadata.len(),
                file.bytes
            )),
            Ok(_) => {
                match is_as_written(&path, file.checksum().unwrap_or_default()) {
                    Ok(true) => {}
                    Ok(false) => found.push("has other bytes than were written".to_owned()),
                    Err(error) => found.push(format!("cannot be read: {error}")),
                }
                check_rows(&path, file, &mut counts, &mut found);
            }
            Err(error) => found.push(format!("cannot be read: {error}")),
        }
        faults.extend(found.into_iter().map(|message| Fault {
            path: file.path.clone(),
            message,
        }));
    }
    faults.extend(check_sources(snapshot, &counts));
    Ok(faults)
}

fn check_rows(
    path: &Path,
    file: &DataFile,
    counts: &mut BTreeMap<(Table, String), u64>,
    found: &mut Vec<String>,
) {
    let reader = match rows_of(path) {
        Ok(reader) => reader,
        Err(error) => {
            found.push(format!("is no Parquet file: {}", chain(&error)));
            return;
        }
    };
    let mut rows = 0;
    for batch in reader {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => {
                found.push(format!("breaks off after {rows} rows: {error}"));
                return;
            }
        };
        if !file.table.may_have(&batch.schema()) {
            found.push(format!("has other columns than `{}`", file.table.as_str()));
            return;
        }
        rows += batch.num_rows() as u64;
        count(file.table, &batch, counts);
        if let Some(stranger) = stranger(file, &batch) {
            found.push(stranger);
            return;
        }
    }
    if rows != file.rows {
        found.push(format!("has {rows} rows, and the log says {}", file.rows));
    }
}

/// Counts rows by the source that they come from.
fn count(table: Table, batch: &RecordBatch, counts: &mut BTreeMap<(Table, String), u64>) {
    let ids = batch
        .column_by_name("record_id")
        .and_then(|column| column.as_string_opt::<i32>());
    for id in ids.into_iter().flatten().flatten() {
        *counts.entry((table, id.to_owned())).or_default() += 1;
    }
}

/// A row that lies outside the bounds of its file, which a query would miss.
fn stranger(file: &DataFile, batch: &RecordBatch) -> Option<String> {
    let bounds = file.bounds.as_ref()?;
    let own = [("benchmark", &bounds.benchmark), ("model", &bounds.model)];
    own.into_iter().find_map(|(name, range)| {
        let column = batch.column_by_name(name)?.as_string_opt::<i32>()?;
        let mut others = column.iter().flatten();
        let other = others.find(|value| !contains(range, value))?;
        let [least, greatest] = range;
        Some(format!(
            "has a row of the {name} `{other}`, which is not between `{least}` and `{greatest}`"
        ))
    })
}

/// Compares what was taken in with what is there.
fn check_sources(
    snapshot: &Snapshot,
    counts: &BTreeMap<(Table, String), u64>,
) -> impl Iterator<Item = Fault> {
    let rows = |table, id: &String| {
        counts
            .get(&(table, id.clone()))
            .copied()
            .unwrap_or_default()
    };
    snapshot
        .manifest
        .sources
        .iter()
        .filter_map(move |(id, source)| {
            let Source {
                results, instances, ..
            } = source;
            let found = [(Table::Results, *results), (Table::Instances, *instances)];
            let (table, expected) = found
                .into_iter()
                .find(|(table, expected)| rows(*table, id) != *expected)?;
            Some(Fault {
                path: String::new(),
                message: format!(
                    "`{}` brought {expected} rows of `{}`, and {} are there",
                    source.path,
                    table.as_str(),
                    rows(table, id)
                ),
            })
        })
}
