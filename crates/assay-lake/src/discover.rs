//! From what was typed to the files that are meant.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use assay_check::{FileKind, Files};
use assay_cli::{Visitor, has_ending, search};
use assay_formats::rows::sha256_of;

/// The endings of samples files: `{uuid}_samples.jsonl`, or `{uuid}.jsonl` as 0.2 documented.
const SAMPLES_ENDINGS: [&str; 2] = ["_samples.jsonl", ".jsonl"];

/// The file system, by paths that are text.
pub(crate) struct Disk;

impl Files for Disk {
    fn open(&self, path: &str) -> io::Result<Box<dyn io::Read + '_>> {
        Ok(Box::new(File::open(path)?))
    }

    fn size(&self, path: &str) -> Option<u64> {
        let metadata = std::fs::metadata(path).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

/// What can be taken in, each file once, sorted.
#[derive(Debug, Default)]
pub(crate) struct DiscoveredFiles {
    /// Records. Their samples are found beside them.
    pub(crate) records: BTreeSet<String>,
    /// Result files of models.
    pub(crate) results: BTreeSet<String>,
    /// What benchmarks define.
    pub(crate) definitions: BTreeSet<String>,
    /// What was named and cannot be taken in, and why not.
    pub(crate) refused: Vec<(String, String)>,
}

/// Finds what the paths mean. A file that is named must be one of ours; in a directory others are
/// passed over.
pub(crate) fn discover(paths: &[PathBuf]) -> DiscoveredFiles {
    let mut found = DiscoveredFiles::default();
    for path in paths {
        search(path, &mut found);
    }
    found
}

impl Visitor for DiscoveredFiles {
    fn named(&mut self, path: &Path) {
        match kind_of(path) {
            Ok(Some((name, FileKind::Samples))) => self.samples(path, &name),
            Ok(Some((name, kind))) => self.add(name, kind),
            Ok(None) => self.refuse(path, "it is no record, no result file and no `eval.yaml`"),
            Err(error) => self.refuse(path, &error.to_string()),
        }
    }

    fn stream(&mut self, path: Option<&Path>) {
        let path = path.unwrap_or(Path::new("-"));
        self.refuse(
            path,
            "it is a stream, and a lake names the file of each result",
        );
    }

    fn in_directory(&mut self, path: &Path) {
        if !has_ending(path, &["json", "yaml", "yml"]) {
            return;
        }
        match kind_of(path) {
            Ok(Some((name, kind))) => self.add(name, kind),
            Ok(None) => {}
            Err(error) => self.refuse(path, &error.to_string()),
        }
    }

    fn matched(&mut self, path: &Path) {
        self.in_directory(path);
    }

    fn absent(&mut self, path: &Path, why: String) {
        self.refuse(path, &why);
    }
}

impl DiscoveredFiles {
    fn refuse(&mut self, path: &Path, why: &str) {
        self.refused
            .push((path.to_string_lossy().into_owned(), why.to_owned()));
    }

    /// Samples stand for their record, which says what they are samples of.
    fn samples(&mut self, path: &Path, name: &str) {
        let stem = SAMPLES_ENDINGS
            .iter()
            .find_map(|ending| name.strip_suffix(ending));
        let record = stem.map(|stem| format!("{stem}.json"));
        match record.filter(|record| Path::new(record).is_file()) {
            Some(record) => {
                self.records.insert(record);
            }
            None => self.refuse(path, "the record of these samples does not lie beside them"),
        }
    }

    fn add(&mut self, name: String, kind: FileKind) {
        match kind {
            FileKind::Record => self.records.insert(name),
            FileKind::EvalResults => self.results.insert(name),
            FileKind::EvalYaml => self.definitions.insert(name),
            FileKind::Samples => false,
        };
    }
}

/// The samples that lie beside a record.
pub(crate) fn samples_of(record: &str) -> Option<String> {
    let path = Path::new(record);
    let stem = has_ending(path, &["json"]).then(|| path.with_extension(""))?;
    let stem = stem.to_str()?;
    SAMPLES_ENDINGS
        .iter()
        .map(|ending| format!("{stem}{ending}"))
        .find(|path| Path::new(path).is_file())
}

/// The model that a result file belongs to: the two directories above `.eval_results`.
pub(crate) fn model_of(path: &str) -> Option<String> {
    let whole = std::path::absolute(path).ok()?;
    name_of(whole.parent()?.parent()?)
}

/// The benchmark that an `eval.yaml` defines: the two directories that it lies in.
pub(crate) fn benchmark_of(path: &str) -> Option<String> {
    let whole = std::path::absolute(path).ok()?;
    name_of(whole.parent()?)
}

fn name_of(repository: &Path) -> Option<String> {
    let name = repository.file_name()?.to_str()?;
    let namespace = repository.parent()?.file_name()?.to_str()?;
    Some(format!("{namespace}/{name}"))
}

/// The SHA-256 of a file, and how many bytes it has.
pub(crate) fn digest_of(path: &Path) -> io::Result<(String, u64)> {
    sha256_of(File::open(path)?)
}

/// The path as text and what the file is, by its path and then by how it begins.
fn kind_of(path: &Path) -> io::Result<Option<(String, FileKind)>> {
    let Some(text) = path.to_str() else {
        return Err(io::Error::other("its path is no text"));
    };
    let name = text.replace(std::path::MAIN_SEPARATOR, "/");
    let whole = std::path::absolute(path)?;
    if let Some(kind) = FileKind::of_path(&whole.to_string_lossy()) {
        return Ok(Some((name, kind)));
    }
    let mut head = Vec::new();
    File::open(path)?
        .take(FileKind::HEAD_BYTES)
        .read_to_end(&mut head)?;
    let kind = FileKind::of_content(&name, &String::from_utf8_lossy(&head));
    Ok(kind.map(|kind| (name, kind)))
}
