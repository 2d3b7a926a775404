//! Files that are written again: many small ones as few, and those with rows that are no longer wanted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use datafusion::arrow::array::{AsArray as _, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use serde::Serialize;

use crate::batch::Rows;
use crate::error::{Error, Result};
use crate::lake::{Lake, Writing};
use crate::manifest::{DataFile, Manifest};
use crate::names::Names;
use crate::partition::Partition;
use crate::table::Table;
use crate::writer::{PendingRows, Writer};

/// A file with fewer bytes is small.
const SMALL_BYTES: u64 = 32 << 20;
/// How many bytes are joined into one file at most.
const JOINED_BYTES: u64 = 256 << 20;
/// How many small files of one table an ingest leaves behind at most.
const TIDY_FILES: usize = 16;
/// The column that says where a row comes from.
const RECORD_ID: &str = "record_id";

/// What a compaction did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Compacted {
    /// How many files there were.
    pub files_before: u64,
    /// How many there are.
    pub files_after: u64,
    /// How many bytes they had.
    pub bytes_before: u64,
    /// How many they have.
    pub bytes_after: u64,
    /// How many files were removed that no version has had for some time.
    pub removed: u64,
}

/// Joins the small files of each table, and removes files that no version of the lake has had for `retention`. Those who began to read
/// or to write longer ago may miss them.
pub fn compact(lake: &Lake, retention: Duration) -> Result<Compacted> {
    // A lake that is not there is not made for being compacted.
    drop(lake.read()?);
    let mut writing = lake.write()?;
    let mut compacted = Compacted {
        files_before: writing.manifest.files.len() as u64,
        bytes_before: bytes(&writing),
        ..Compacted::default()
    };
    join(&mut writing, 2)?;
    compacted.removed = writing.clean(retention)?;
    compacted.files_after = writing.manifest.files.len() as u64;
    compacted.bytes_after = bytes(&writing);
    Ok(compacted)
}

/// Joins small files where there are many.
pub(crate) fn tidy(writing: &mut Writing) -> Result<()> {
    join(writing, TIDY_FILES)
}

/// Returns the files of a lake without the rows of these sources. Files that hold such rows are written again.
pub(crate) fn rows_without(writing: &Writing, ids: &BTreeSet<String>) -> Result<Vec<DataFile>> {
    if ids.is_empty() {
        return Ok(writing.manifest.files.clone());
    }
    let partitions: BTreeSet<&Partition> = ids
        .iter()
        .filter_map(|id| writing.manifest.sources.get(id))
        .map(|source| &source.partition)
        .collect();
    let may_hold = |file: &DataFile| match &file.bounds {
        // One source may have rows of several benchmarks in the small tables.
        Some(bounds) if file.table.has_samples() => {
            partitions.iter().any(|own| bounds.may_hold(own))
        }
        Some(_) | None => true,
    };
    let mut kept = Vec::new();
    let names = Names::new(writing, "r");
    for file in &writing.manifest.files {
        if may_hold(file) && holds(&writing.local_path(file)?, ids)? {
            kept.extend(rewrite(writing, &[file], ids, &names.next())?);
        } else {
            kept.push(file.clone());
        }
    }
    Ok(kept)
}

/// The rows of a Parquet file.
pub(crate) fn rows_of(path: &Path) -> Result<ParquetRecordBatchReader> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(ParquetRecordBatchReaderBuilder::build)
        .map_err(Error::parquet("read", path))
}

fn bytes(writing: &Writing) -> u64 {
    writing.manifest.files.iter().map(|file| file.bytes).sum()
}

/// Joins the small files of each table that has at least so many. They are in the order of their benchmarks and models, so
/// neighbours are joined.
fn join(writing: &mut Writing, at_least: usize) -> Result<()> {
    writing.update(|writing| joined(writing, at_least))
}

fn joined(writing: &Writing, at_least: usize) -> Result<Option<Manifest>> {
    let mut groups: BTreeMap<Table, Vec<&DataFile>> = BTreeMap::new();
    for file in &writing.manifest.files {
        if file.bytes < SMALL_BYTES {
            groups.entry(file.table).or_default().push(file);
        }
    }
    groups.retain(|_, files| files.len() >= at_least);
    let names = Names::new(writing, "c");
    let (mut gone, mut made) = (BTreeSet::new(), Vec::new());
    for files in groups.values() {
        for stretch in stretches(files) {
            made.extend(rewrite(writing, stretch, &BTreeSet::new(), &names.next())?);
            gone.extend(stretch.iter().map(|file| file.path.as_str()));
        }
    }
    if gone.is_empty() {
        return Ok(None);
    }
    let mut next = writing.manifest.clone();
    next.files.retain(|file| !gone.contains(file.path.as_str()));
    next.files.extend(made);
    Ok(Some(next))
}

/// The files in stretches that are joined, each with at least two files.
fn stretches<'f>(files: &'f [&'f DataFile]) -> impl Iterator<Item = &'f [&'f DataFile]> {
    let mut rest = files;
    std::iter::from_fn(move || {
        let mut sum = 0;
        let fitting = rest
            .iter()
            .take_while(|file| {
                sum += file.bytes;
                sum <= JOINED_BYTES
            })
            .count();
        let (stretch, left) = rest.split_at(fitting);
        rest = left;
        (stretch.len() > 1).then_some(stretch)
    })
}

/// Writes the rows of some files of one table into one, without those of these sources.
pub(crate) fn rewrite(
    writing: &Writing,
    files: &[&DataFile],
    without: &BTreeSet<String>,
    name: &str,
) -> Result<Option<DataFile>> {
    let Some(first) = files.first() else {
        return Ok(None);
    };
    let writer = Writer::create(writing.directory(), first.table, name)?;
    for file in files {
        for batch in rows_of(&writing.local_path(file)?)? {
            let batch = batch?;
            let wanted = wanted(&batch, without);
            let mut rows = PendingRows::default();
            rows.push(Rows::read(
                first.table,
                &filter_record_batch(&batch, &wanted)?,
            )?);
            writer.add(rows)?;
        }
    }
    writer.finish()
}

/// Whether a file has rows of one of these sources. Only one column is read.
fn holds(path: &Path, ids: &BTreeSet<String>) -> Result<bool> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    let builder =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(Error::parquet("read", path))?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), [RECORD_ID]);
    let reader = builder
        .with_projection(mask)
        .build()
        .map_err(Error::parquet("read", path))?;
    for batch in reader {
        let batch = batch?;
        if wanted(&batch, ids).true_count() < batch.num_rows() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Which rows come from none of these sources.
fn wanted(batch: &RecordBatch, without: &BTreeSet<String>) -> BooleanArray {
    let ids = batch
        .column_by_name(RECORD_ID)
        .and_then(|column| column.as_string_opt::<i32>());
    match ids {
        Some(ids) => ids
            .iter()
            .map(|id| Some(id.is_none_or(|id| !without.contains(id))))
            .collect(),
        None => BooleanArray::from(vec![true; batch.num_rows()]),
    }
}
