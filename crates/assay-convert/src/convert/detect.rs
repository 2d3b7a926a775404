//! Detection of the harness that wrote a file or directory, by its content.

mod strangers;

use std::io::{Read, Seek};

use assay_formats::json::{Stream, StreamError};

use super::{Harness, LogFile, Logs};
pub use strangers::looks_like;

/// The number of bytes of a file that are looked at. The keys that tell Inspect's logs stand in
/// front of their samples, and the results of the others are smaller than this.
const MAX_BYTES: u64 = 256 << 20;
/// Number of keys of a document that are looked at.
const MAX_KEYS: usize = 256;
/// Number of keys of a map inside a document that are looked at.
const MAX_INNER_KEYS: usize = 256;
/// Maximum size of the header of a table, in bytes.
const MAX_HEADER_BYTES: usize = 64 << 10;
/// The first bytes of an archive with members.
const ZIP: [u8; 4] = *b"PK\x03\x04";

/// The evidence of a file or directory.
#[derive(Debug)]
pub(super) enum Evidence {
    /// The names of the members of a zip archive.
    Archive(Vec<String>),
    /// The top-level keys of a JSON map that were met so far.
    Document(Vec<TopKey>),
    /// The first bytes of any other text.
    Text(Vec<u8>),
    /// The names of the entries of a directory.
    Directory(Vec<String>),
}

/// A top-level key of a document.
#[derive(Debug)]
pub(super) struct TopKey {
    name: String,
    /// The keys of its value, when that is a map.
    inner: Option<Vec<String>>,
}

impl Evidence {
    /// Returns whether a document has a key.
    pub(super) fn has_key(&self, name: &str) -> bool {
        self.key(name).is_some()
    }

    /// Returns whether a document has a key with a map in it.
    pub(super) fn has_map(&self, name: &str) -> bool {
        self.key(name).is_some_and(|key| key.inner.is_some())
    }

    /// Returns whether a document has a key whose map has some keys of its own.
    pub(super) fn has_map_with(&self, name: &str, wanted: &[&str]) -> bool {
        let inner = self.key(name).and_then(|key| key.inner.as_deref());
        inner.is_some_and(|inner| {
            wanted
                .iter()
                .all(|wanted| inner.iter().any(|own| own == wanted))
        })
    }

    /// Returns whether an archive or a directory has an entry of this name.
    pub(super) fn has_entry(&self, name: &str) -> bool {
        self.entries().iter().any(|own| own == name)
    }

    /// The names of the entries of an archive.
    pub(super) fn members(&self) -> &[String] {
        match self {
            Self::Archive(names) => names,
            Self::Document(_) | Self::Text(_) | Self::Directory(_) => &[],
        }
    }

    /// The columns of a table, by its first line; none for anything else.
    pub(super) fn columns(&self) -> Vec<String> {
        let Self::Text(text) = self else {
            return Vec::new();
        };
        let header = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let header = String::from_utf8_lossy(header);
        let columns = header.trim_end().split(',');
        columns
            .map(|name| name.trim_matches('"').to_owned())
            .collect()
    }

    fn entries(&self) -> &[String] {
        match self {
            Self::Archive(names) | Self::Directory(names) => names,
            Self::Document(_) | Self::Text(_) => &[],
        }
    }

    fn key(&self, name: &str) -> Option<&TopKey> {
        match self {
            Self::Document(keys) => keys.iter().find(|key| key.name == name),
            Self::Archive(_) | Self::Text(_) | Self::Directory(_) => None,
        }
    }

    fn harness(&self) -> Option<Harness> {
        // An Every Eval Ever record is no log.
        if self.has_key("schema_version") || self.has_key("evaluation_id") {
            return None;
        }
        Harness::ALL
            .into_iter()
            .find(|harness| harness.converter().detect(self))
    }
}

/// Returns the harness that wrote a file; none for a file that is no log, or that cannot be read.
pub fn detect(logs: &dyn Logs, path: &str) -> Option<Harness> {
    evidence(logs, path)?.harness()
}

/// Returns the harness that wrote a file that may be a log; none when it is no log.
pub fn harness_of(logs: &dyn Logs, path: &str) -> Option<Harness> {
    // A log of this name that cannot be read as one is a broken log, and its owner wants to know.
    if has_ending(path, "eval") {
        return Some(Harness::Inspect);
    }
    detect(logs, path)
}

/// Returns whether a file in a directory can be a log, by its name alone.
pub fn may_be_log(path: &str) -> bool {
    let endings = ["eval", "json", "csv"];
    endings.iter().any(|ending| has_ending(path, ending))
}

/// Returns whether a path ends in a dot and these letters, in any case.
fn has_ending(path: &str, ending: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let own = name.rsplit_once('.');
    own.is_some_and(|(stem, own)| !stem.is_empty() && own.eq_ignore_ascii_case(ending))
}

/// Returns the harness whose log a directory with these entries is.
pub fn detect_directory(names: &[String]) -> Option<Harness> {
    Evidence::Directory(names.to_vec()).harness()
}

/// Looks at a file until it is clear who wrote it, or to its end.
fn evidence(logs: &dyn Logs, path: &str) -> Option<Evidence> {
    let mut file = logs.open(path).ok()?;
    let mut head = Vec::new();
    file.as_mut()
        .take(MAX_HEADER_BYTES as u64)
        .read_to_end(&mut head)
        .ok()?;
    file.rewind().ok()?;
    if head.starts_with(&ZIP) {
        return Some(Evidence::Archive(members(file)));
    }
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
    match text.iter().find(|byte| !byte.is_ascii_whitespace())? {
        b'{' => Some(document(file.take(MAX_BYTES))),
        _ => Some(Evidence::Text(text.to_vec())),
    }
}

fn members(file: Box<dyn LogFile + '_>) -> Vec<String> {
    let Ok(archive) = zip::ZipArchive::new(file) else {
        return Vec::new();
    };
    archive.file_names().map(str::to_owned).collect()
}

/// Reads the keys of a document, as far as it can be read.
fn document(reader: impl Read) -> Evidence {
    let mut stream = Stream::new(reader, MAX_HEADER_BYTES);
    let mut evidence = Evidence::Document(Vec::new());
    // What stands before a fault has been seen.
    let _ = walk(&mut stream, &mut evidence);
    evidence
}

fn walk<R: Read>(stream: &mut Stream<R>, evidence: &mut Evidence) -> Result<(), StreamError> {
    stream.enter_map()?;
    for _ in 0..MAX_KEYS {
        let Some(name) = stream.next_key()? else {
            return Ok(());
        };
        let is_map = stream.is_map()?;
        let Evidence::Document(keys) = &mut *evidence else {
            return Ok(());
        };
        keys.push(TopKey {
            name,
            inner: is_map.then(Vec::new),
        });
        if evidence.harness().is_some() {
            return Ok(());
        }
        if !is_map {
            stream.skip()?;
            continue;
        }
        stream.enter_map()?;
        while let Some(inner) = stream.next_key()? {
            if let Evidence::Document(keys) = &mut *evidence
                && let Some(TopKey {
                    inner: Some(inside),
                    ..
                }) = keys.last_mut()
                && inside.len() < MAX_INNER_KEYS
            {
                inside.push(inner);
            }
            stream.skip()?;
        }
        if evidence.harness().is_some() {
            return Ok(());
        }
    }
    Ok(())
}

/// Returns whether an entry of a directory belongs to a log beside it: samples, the shards of a
/// merged log, checkpoints, and the crashed log beside its recovered copy.
pub fn belongs_to_another(name: &str, names: &[String]) -> bool {
    let has = |wanted: String| names.contains(&wanted);
    if name == "_journal" || name.ends_with(".checkpoints") {
        return true;
    }
    if let Some(merged) = name.strip_suffix(".shards") {
        return has(format!("{merged}.eval")) || has(format!("{merged}.json"));
    }
    if let Some(stem) = name.strip_suffix(".eval") {
        return has(format!("{stem}-recovered.eval"));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "jsonl" | "parquet")
}
