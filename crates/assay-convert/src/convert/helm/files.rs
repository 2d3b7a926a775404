use std::io::{self, Read};

use assay_formats::json::{Stream, StreamError};
use sha2::{Digest, Sha256};

use super::super::reader::Reader;
use super::super::{Log, LogFile, Refusal};

/// The largest file that is read whole, in bytes: the description of a run or of its scenario.
const MAX_DESCRIPTION: u64 = 64 << 20;
/// The largest request or list of stats of one instance, in bytes.
pub(super) const MAX_ITEM: usize = 256 << 20;

/// The files of a run, by the names they have in this run.
#[derive(Debug)]
pub(super) struct RunFiles {
    pub(super) run_spec: String,
    /// Absent from the oldest runs.
    pub(super) scenario: Option<String>,
    pub(super) scenario_state: String,
    pub(super) stats: String,
    pub(super) per_instance_stats: String,
}

impl RunFiles {
    /// Finds the files of a run. HELM writes them when a run ends, so a run that lacks one has
    /// failed.
    pub(super) fn find(log: &Log<'_>) -> Result<Self, Refusal> {
        let directory = log.path.trim_end_matches('/');
        let listed = log.logs.list(directory).map_err(|source| Refusal::Read {
            path: directory.to_owned(),
            source,
        })?;
        let mut missing: Vec<&'static str> = Vec::new();
        // Runs from before 2023 use the second name.
        let mut find = |names: &[&'static str]| {
            let here = |name: &&&str| listed.iter().any(|listed| listed == **name);
            let found = names.iter().find(here);
            if found.is_none() {
                missing.extend(names.first());
            }
            format!("{directory}/{}", found.copied().unwrap_or_default())
        };
        let files = Self {
            run_spec: find(&["run_spec.json"]),
            scenario_state: find(&["scenario_state.json"]),
            stats: find(&["stats.json", "metrics.json"]),
            per_instance_stats: find(&["per_instance_stats.json", "per_instance_metrics.json"]),
            scenario: listed
                .iter()
                .find(|name| *name == "scenario.json")
                .map(|name| format!("{directory}/{name}")),
        };
        if missing.is_empty() {
            return Ok(files);
        }
        Err(Refusal::Nothing(format!(
            "`{directory}` is not a complete run of HELM: it lacks `{}`",
            missing.join("`, `")
        )))
    }
}

/// A file on its way through: told of to whoever watches, and hashed when it is part of what names
/// the record.
pub(super) struct Source<'a> {
    file: Box<dyn LogFile + 'a>,
    progress: Option<&'a (dyn Fn(u64) + Sync)>,
    hasher: Option<Sha256>,
}

impl<'a> Source<'a> {
    /// Opens a file whose content is part of what names the record.
    pub(super) fn hashed(log: &Log<'a>, path: &str) -> Result<Self, Refusal> {
        Ok(Self {
            hasher: Some(Sha256::new()),
            ..Self::open(log, path)?
        })
    }

    /// Opens a file.
    pub(super) fn open(log: &Log<'a>, path: &str) -> Result<Self, Refusal> {
        let file = log.logs.open(path).map_err(|source| Refusal::Read {
            path: path.to_owned(),
            source,
        })?;
        Ok(Self {
            file,
            progress: Some(log.progress),
            hasher: None,
        })
    }

    /// Tells nobody of what is read, because the file will be read again.
    pub(super) fn silent(self) -> Self {
        Self {
            progress: None,
            ..self
        }
    }

    /// Walks through the file.
    pub(super) fn stream(&mut self) -> Stream<&mut Self> {
        Stream::new(self, MAX_ITEM)
    }

    /// Appends so many bytes, or as many as there are.
    pub(super) fn append(&mut self, length: usize, to: &mut Vec<u8>) -> io::Result<usize> {
        let start = to.len();
        to.reserve(length);
        let read = (&mut self.file).take(length as u64).read_to_end(to)?;
        self.note(&to[start..]);
        Ok(read)
    }

    /// Tells of bytes that were read, and hashes them.
    fn note(&mut self, bytes: &[u8]) {
        if let Some(progress) = self.progress {
            progress(bytes.len() as u64);
        }
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
    }

    /// The digest of what was read.
    pub(super) fn digest(self) -> Vec<u8> {
        self.hasher
            .map(|hasher| hasher.finalize().to_vec())
            .unwrap_or_default()
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.note(&buffer[..read]);
        Ok(read)
    }
}

/// Reads a description whole.
pub(super) fn read_whole(log: &Log<'_>, path: &str) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let mut source = Source::open(log, path)?.take(MAX_DESCRIPTION + 1);
    source
        .read_to_end(&mut bytes)
        .map_err(|source| Refusal::Read {
            path: path.to_owned(),
            source,
        })?;
    if bytes.len() as u64 > MAX_DESCRIPTION {
        return Err(Refusal::damaged(
            path,
            format!("it has more than {MAX_DESCRIPTION} bytes"),
        ));
    }
    Ok(bytes)
}

/// Hands every item of a list that is a whole document to `each`, which says whether the item could
/// be read; returns how many could not.
pub(super) fn for_each_item(
    path: &str,
    source: &mut Source<'_>,
    mut each: impl FnMut(assay_formats::Value<'_>) -> bool,
) -> Result<u64, Refusal> {
    let mut reader = Reader::new();
    let mut broken = 0;
    let mut walk = || -> Result<(), StreamError> {
        let mut stream = source.stream();
        stream.enter_list()?;
        while stream.has_item()? {
            if !reader.next(&mut stream)?.is_some_and(&mut each) {
                broken += 1;
            }
        }
        Ok(())
    };
    walk().map_err(|error| Refusal::stream(path, error))?;
    Ok(broken)
}
