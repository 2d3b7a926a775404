//! The flat layout of a datastore: objects by UUID, and a list that says where each of them
//! belongs.
//!
//! `flat/latest_manifest.json` names the list of the newest snapshot; a file below
//! `flat/indexes/by_collection` is the list of one collection.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Component, Path, PathBuf};

use assay_check::{FileKind, Item};
use assay_formats::rows::sha256_of;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::disk::Disk;

/// The name of the manifest of the newest snapshot.
const LATEST_MANIFEST: &str = "flat/latest_manifest.json";
/// The directory with a list for each collection.
const COLLECTION_INDEXES: &str = "flat/indexes/by_collection";
/// The largest manifest that is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// The longest line of a list that is read.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The manifest of a snapshot.
#[derive(Deserialize)]
struct Manifest {
    /// The list, as a path from the root of the datastore.
    entries_path: String,
}

/// A line of a list: one record.
#[derive(Deserialize)]
struct ListedRecord {
    /// The path of the record in the flat layout.
    object_path: String,
    /// The path of the record in the layout by benchmark, developer and model.
    legacy_path: String,
    sha256: String,
    /// The path of its samples in the flat layout.
    instance_level_path: Option<String>,
}

/// The records of flat datastores, under the names that they have in the layout by benchmark.
#[derive(Default)]
pub(super) struct FlatRecords {
    pub(super) items: Vec<Item>,
    /// The reasons why records cannot be imported, a sentence each.
    pub(super) refused: Vec<String>,
}

impl FlatRecords {
    /// Adds the records that `path` lists. Returns false when it is no flat datastore.
    pub(super) fn add(&mut self, disk: &mut Disk, path: &Path) -> bool {
        let Some((root, list)) = find_list(path) else {
            return false;
        };
        let listed = list.and_then(|list| self.add_list(disk, &root, &list));
        if let Err(reason) = listed {
            self.refused.push(reason);
        }
        true
    }

    fn add_list(&mut self, disk: &mut Disk, root: &Path, list: &Path) -> Result<(), String> {
        let unreadable = |error| format!("`{}` cannot be read: {error}", list.display());
        let mut lines = BufReader::new(File::open(list).map_err(unreadable)?);
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let mut limited = (&mut lines).take(MAX_LINE_BYTES);
            if limited.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
                break;
            }
            if limited.limit() == 0 && line.last() != Some(&b'\n') {
                let list = list.display();
                return Err(format!(
                    "`{list}` has a line {number} of more than {MAX_LINE_BYTES} bytes"
                ));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let added = serde_json::from_slice(&line)
                .map_err(|error| format!("is no row of a list: {error}"))
                .and_then(|record| self.add_record(disk, root, &record));
            if let Err(reason) = added {
                let list = list.display();
                self.refused
                    .push(format!("line {number} of `{list}` {reason}"));
            }
        }
        Ok(())
    }

    /// The error is the end of a sentence that begins with the line.
    fn add_record(
        &mut self,
        disk: &mut Disk,
        root: &Path,
        record: &ListedRecord,
    ) -> Result<(), String> {
        let place = root.join(plain_path(&record.legacy_path, "data")?);
        let object = root.join(plain_path(&record.object_path, "flat/objects")?);
        let is_unchanged = File::open(&object)
            .and_then(sha256_of)
            .map_err(|error| format!("names `{}`: {error}", record.object_path))?
            .0
            .eq_ignore_ascii_case(&record.sha256);
        if !is_unchanged {
            let object = &record.object_path;
            return Err(format!("names `{object}`, whose SHA-256 is another one"));
        }
        if let Some(samples) = &record.instance_level_path {
            let samples = root.join(plain_path(samples, "flat/objects")?);
            let stem = place.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{stem}{}", super::plan::SAMPLES_ENDING);
            disk.set_path(&place.with_file_name(name), samples);
        }
        self.items.push(Item {
            path: disk.set_path(&place, object),
            kind: Some(FileKind::Record),
        });
        Ok(())
    }
}

/// Returns the root of the flat datastore that `path` means, and its list of records.
fn find_list(path: &Path) -> Option<(PathBuf, Result<PathBuf, String>)> {
    if path.extension().is_some_and(|ending| ending == "jsonl") {
        let directory = path.parent()?;
        let is_index = directory.ends_with(COLLECTION_INDEXES) && path.is_file();
        let root = directory.ancestors().nth(3)?;
        return is_index.then(|| (root.to_owned(), Ok(path.to_owned())));
    }
    let beside = path.file_name().is_some_and(|name| name == "flat");
    let root = match path.parent() {
        Some(parent) if beside => parent,
        Some(_) | None => path,
    };
    let manifest = root.join(LATEST_MANIFEST);
    let list = || {
        let Manifest { entries_path } = read_json(&manifest)
            .map_err(|error| format!("`{}` cannot be read: {error}", manifest.display()))?;
        let entries = plain_path(&entries_path, "flat")
            .map_err(|reason| format!("`{}` {reason}", manifest.display()))?;
        Ok(root.join(entries))
    };
    manifest.is_file().then(|| (root.to_owned(), list()))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> std::io::Result<T> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_MANIFEST_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

/// Returns the path when it stays below `directory`: a list of strangers leads to no other file.
fn plain_path<'p>(path: &'p str, directory: &str) -> Result<&'p Path, String> {
    let plain = Path::new(path);
    let is_plain = plain
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    if is_plain && plain.starts_with(directory) {
        Ok(plain)
    } else {
        Err(format!("names `{path}`, which is not below `{directory}/`"))
    }
}
