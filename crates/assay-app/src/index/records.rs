//! The Every Eval Ever records of the main branch: a function of its tree alone, whatever history
//! led to it.

use assay_check::FileKind;
use assay_formats::eee::Facts;
use assay_formats::{Tape, json};
use assay_git::{Depth, EntryKind, Error, Objects, Version};
use assay_model::{ObjectId, RepoKind, RepoPath};
use assay_store::Record;
use serde_json::Value as Json;

use super::derive::{Task, still_there};

/// The folder that records lie in.
pub(crate) const RECORDS_FOLDER: &str = "data";
/// Maximum size of a record that is read for the index, in bytes: as large as validation reads
/// JSON.
const MAX_RECORD_BYTES: u64 = assay_formats::syntax::limits::MAX_DOCUMENT_BYTES as u64;

/// The change of the records of a repository. When nothing that is indexed counts, all of them are
/// written.
#[derive(Debug, Default, PartialEq)]
pub(super) struct RecordsChange {
    /// Those that are written, in place of those at the same paths.
    pub(super) written: Vec<Record>,
    /// The paths of those that go.
    pub(super) gone: Vec<RepoPath>,
}

impl RecordsChange {
    /// The number of rows that are written or removed.
    pub(super) fn rows(&self) -> usize {
        self.written.len() + self.gone.len()
    }
}

/// Reads the records that are not known.
pub(super) fn records(objects: &Objects, task: &Task) -> Result<RecordsChange, Error> {
    let Some(new) = task.new else {
        return Ok(RecordsChange::default());
    };
    let known = still_there(objects, task.old)?;
    let Some(old) = known else {
        return Ok(RecordsChange {
            written: all(objects, task.kind, new)?,
            gone: Vec::new(),
        });
    };
    let (mut written, mut gone) = (Vec::new(), Vec::new());
    // Most commits leave the folder alone, which its tree tells.
    if folder(objects, old)? != folder(objects, new)? {
        for change in objects.changes(Some(old), new)? {
            match record(objects, task.kind, &change.path, change.new)? {
                Some(record) => written.push(record),
                None if may_be_record(&change.path) => gone.push(change.path),
                None => {}
            }
        }
    }
    Ok(RecordsChange { written, gone })
}

fn all(objects: &Objects, kind: RepoKind, commit: ObjectId) -> Result<Vec<Record>, Error> {
    let listed = objects.list(commit, Some(&folder_path()), Depth::Recursive)?;
    let mut records = Vec::new();
    for entry in listed.into_iter().flatten() {
        let version = Version {
            kind: entry.kind,
            oid: entry.oid,
        };
        records.extend(record(objects, kind, &entry.path, Some(version))?);
    }
    Ok(records)
}

/// The record at a path, if what is there is one. One that is too large to be read, or kept beside
/// git, is listed and says nothing: what the index says must be in git itself.
fn record(
    objects: &Objects,
    kind: RepoKind,
    path: &RepoPath,
    version: Option<Version>,
) -> Result<Option<Record>, Error> {
    let Some(version) = version.filter(|version| matches!(version.kind, EntryKind::File(_))) else {
        return Ok(None);
    };
    // The path settles most cases, and the others need the bytes.
    if !may_be_record(path) {
        return Ok(None);
    }
    let bytes = match objects.read(version.oid, MAX_RECORD_BYTES) {
        Ok(bytes) => bytes,
        Err(Error::BlobTooLarge { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&bytes);
    let head = || {
        let length = usize::try_from(FileKind::HEAD_BYTES).unwrap_or(usize::MAX);
        Some(text[..text.floor_char_boundary(length)].to_owned())
    };
    if FileKind::in_repository(kind, path.as_str(), head) != Some(FileKind::Record) {
        return Ok(None);
    }
    let mut tape = Tape::with_room_for(text.len());
    json::parse(&text, &mut tape);
    let facts = tape.root(&text).map(Facts::read).unwrap_or_default();
    Ok(Some(Record {
        path: path.clone(),
        blob: version.oid,
        facts: serde_json::to_value(facts).unwrap_or(Json::Null),
    }))
}

fn may_be_record(path: &RepoPath) -> bool {
    let below = path.as_str().strip_prefix(RECORDS_FOLDER);
    below.is_some_and(|rest| rest.starts_with('/'))
        && FileKind::of_path(path.as_str()) == Some(FileKind::Record)
}

fn folder(objects: &Objects, commit: ObjectId) -> Result<Option<ObjectId>, Error> {
    let entry = objects.entry(commit, &folder_path())?;
    Ok(entry.map(|entry| entry.oid))
}

fn folder_path() -> RepoPath {
    RECORDS_FOLDER
        .parse()
        .expect("the folder has the name of one")
}
