//! The benchmarks that results may name: checkouts on this machine, and a hub.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use assay_check::{
    Benchmarks, Context, FileKind, Item, Lookup, Options, Validated, ValidatedFile, closest,
    validate,
};
use assay_model::RepoId;
use walkdir::WalkDir;

use crate::disk::Disk;
use crate::hub_benchmarks::HubBenchmarks;

/// The depth below a directory to which an `eval.yaml` is looked for.
const MAX_DEPTH: usize = 4;
/// Maximum size of a git configuration before it is left alone, in bytes.
const MAX_GIT_CONFIG: u64 = 1 << 16;

/// The reason why a directory of benchmarks cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the benchmarks in `{directory}` (`--benchmarks`) cannot be read: {}", reason(.source))]
pub(crate) struct BenchmarksError {
    directory: String,
    source: walkdir::Error,
}

/// Says why a directory cannot be read, without the path that stands before it.
fn reason(error: &walkdir::Error) -> String {
    match error.io_error() {
        Some(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "there is no such directory".to_owned()
        }
        Some(error) => error.to_string(),
        None => error.to_string(),
    }
}

/// Everything that was named on the command line to look benchmarks up in.
pub(crate) struct Lists {
    checkouts: Option<Checkouts>,
    hub: Option<HubBenchmarks>,
}

impl Lists {
    /// Reads the directories; the hub is asked when a result names a benchmark.
    pub(crate) fn open(
        directories: &[PathBuf],
        hub: Option<HubBenchmarks>,
        jobs: usize,
    ) -> Result<Self, BenchmarksError> {
        let checkouts = if directories.is_empty() {
            None
        } else {
            Some(Checkouts::read(directories, jobs)?)
        };
        Ok(Self { checkouts, hub })
    }

    /// Returns true when directories were named and no benchmark is in them.
    pub(crate) fn has_empty_checkouts(&self) -> bool {
        self.checkouts
            .as_ref()
            .is_some_and(|checkouts| checkouts.known.is_empty())
    }

    /// Returns the failed requests to the hub, a sentence each.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.hub
            .as_ref()
            .map(HubBenchmarks::failures)
            .unwrap_or_default()
    }
}

impl Benchmarks for Lists {
    fn find(&self, id: &RepoId) -> Lookup {
        let local = self
            .checkouts
            .as_ref()
            .map_or(Lookup::NoList, |checkouts| checkouts.find(id));
        match (&local, &self.hub) {
            (Lookup::Known(_) | Lookup::Broken, _) | (_, None) => local,
            (Lookup::Unknown { .. } | Lookup::NoList, Some(hub)) => match (hub.find(id), local) {
                // The hub names no neighbours; those of the checkouts still help.
                (Lookup::Unknown { .. }, Lookup::Unknown { similar }) => {
                    Lookup::Unknown { similar }
                }
                (answer, _) => answer,
            },
        }
    }
}

/// Benchmarks on this machine, by id and, where the directory gives no namespace away, by name
/// alone.
#[derive(Debug, Default)]
pub(crate) struct Checkouts {
    known: BTreeMap<RepoId, Lookup>,
}

impl Checkouts {
    /// Reads every `eval.yaml` below some directories. Of two with one id, the first wins.
    pub(crate) fn read(directories: &[PathBuf], jobs: usize) -> Result<Self, BenchmarksError> {
        let mut disk = Disk::default();
        let mut ids = Vec::new();
        let mut items = Vec::new();
        for directory in directories {
            for path in definitions(directory)? {
                if let Some(id) = id_of(directory, &path) {
                    ids.push(id);
                    items.push(Item {
                        path: disk.name(&path),
                        kind: Some(FileKind::EvalYaml),
                    });
                }
            }
        }
        let options = Options {
            jobs,
            ..Options::default()
        };
        let reports = validate(&disk, &items, &Context::default(), &options);
        let mut checkouts = Self::default();
        for (id, report) in ids.into_iter().zip(reports) {
            let content = report.validated.as_ref().map(Validated::get);
            checkouts.known.entry(id).or_insert(lookup(content));
        }
        Ok(checkouts)
    }
}

impl Benchmarks for Checkouts {
    fn find(&self, id: &RepoId) -> Lookup {
        let bare: Option<RepoId> = id.name().parse().ok();
        let by_name = || bare.and_then(|name| self.known.get(&name));
        if let Some(found) = self.known.get(id).or_else(by_name) {
            return found.clone();
        }
        let names = self.known.keys().map(RepoId::as_str);
        Lookup::Unknown {
            similar: closest(id.as_str(), names)
                .map(str::to_owned)
                .into_iter()
                .collect(),
        }
    }
}

/// Returns the answer of a validated `eval.yaml` to a look-up.
pub(crate) fn lookup(content: Option<&ValidatedFile>) -> Lookup {
    match content {
        Some(ValidatedFile::Benchmark(benchmark)) => Lookup::Known(Arc::new(benchmark.clone())),
        Some(ValidatedFile::Results(_)) | None => Lookup::Broken,
    }
}

/// Every `eval.yaml` below a directory, sorted.
fn definitions(directory: &Path) -> Result<Vec<PathBuf>, BenchmarksError> {
    let mut paths = Vec::new();
    let entries = WalkDir::new(directory)
        .max_depth(MAX_DEPTH)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.file_name() != ".git");
    for entry in entries {
        let entry = entry.map_err(|source| BenchmarksError {
            directory: directory.display().to_string(),
            source,
        })?;
        if entry.file_name() == "eval.yaml" && !entry.file_type().is_dir() {
            paths.push(entry.into_path());
        }
    }
    Ok(paths)
}

/// The id of the benchmark that an `eval.yaml` defines: that of the git remote, else of the
/// directories it lies in.
fn id_of(root: &Path, definition: &Path) -> Option<RepoId> {
    let directory = definition.parent()?;
    if let Some(id) = id_of_remote(directory) {
        return Some(id);
    }
    let relative = directory.strip_prefix(root).ok()?;
    let mut parts: Vec<&str> = relative.iter().filter_map(|part| part.to_str()).collect();
    match parts.len() {
        0 => {
            // The directory itself is a checkout; only its real name can say what it is called.
            let whole = std::fs::canonicalize(directory).ok()?;
            whole.file_name()?.to_str()?.parse().ok()
        }
        1 => parts.first()?.parse().ok(),
        length => parts.split_off(length - 2).join("/").parse().ok(),
    }
}

fn id_of_remote(directory: &Path) -> Option<RepoId> {
    let path = directory.join(".git").join("config");
    let metadata = std::fs::metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_GIT_CONFIG {
        return None;
    }
    let text = std::fs::read_to_string(path).ok()?;
    text.lines()
        .filter_map(|line| {
            let (key, address) = line.split_once('=')?;
            (key.trim() == "url").then(|| address.trim())
        })
        .find_map(id_in_address)
}

/// The id at the end of an address such as `https://hub.example/datasets/namespace/name`.
fn id_in_address(address: &str) -> Option<RepoId> {
    let address = address.trim_end_matches('/');
    let address = address.strip_suffix(".git").unwrap_or(address);
    let mut parts = address.rsplit('/');
    let (name, namespace, datasets) = (parts.next()?, parts.next()?, parts.next()?);
    // An address for ssh ends its host with a colon: `git@hub.example:datasets/namespace/name`.
    let is_dataset = datasets == "datasets" || datasets.ends_with(":datasets");
    is_dataset.then(|| format!("{namespace}/{name}").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn ids_below(root: &Path) -> Vec<String> {
        let checkouts = Checkouts::read(&[root.to_owned()], 1).unwrap();
        checkouts.known.keys().map(ToString::to_string).collect()
    }

    #[test]
    fn the_last_two_directories_are_the_id_and_one_is_a_name() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "cais/hle/eval.yaml", "");
        write(root.path(), "deep/TIGER-Lab/MMLU-Pro/eval.yaml", "");
        write(root.path(), "gpqa/eval.yaml", "");
        write(root.path(), "a/b/c/d/eval.yaml", "");
        write(root.path(), "not a name/eval.yaml", "");

        let ids = ids_below(root.path());

        assert_eq!(ids, ["TIGER-Lab/MMLU-Pro", "cais/hle", "gpqa"]);
    }

    #[test]
    fn the_git_remote_outweighs_the_directories() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "x/y/eval.yaml", "");
        write(
            root.path(),
            "x/y/.git/config",
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://hub.example/datasets/cais/hle.git\n",
        );

        assert_eq!(ids_below(root.path()), ["cais/hle"]);
    }

    #[test]
    fn only_addresses_of_datasets_give_an_id() {
        let id = |address: &str| id_in_address(address).map(|id| id.to_string());

        assert_eq!(id("https://h/datasets/a/b/"), Some("a/b".to_owned()));
        assert_eq!(id("git@h:datasets/a/b.git"), Some("a/b".to_owned()));
        assert_eq!(id("https://h/a/b"), None);
        assert_eq!(id("https://h/datasets/../b"), None);
        assert_eq!(id(""), None);
    }

    #[test]
    fn a_bare_name_answers_for_any_namespace_and_a_stranger_for_none() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "gpqa/eval.yaml", "not: [a benchmark");
        let checkouts = Checkouts::read(&[root.path().to_owned()], 1).unwrap();

        let known = checkouts.find(&"Idavidrein/gpqa".parse().unwrap());
        let unknown = checkouts.find(&"gpqaa".parse().unwrap());

        assert!(matches!(known, Lookup::Broken));
        assert!(matches!(unknown, Lookup::Unknown { similar } if similar == ["gpqa"]));
    }

    #[test]
    fn a_directory_that_is_not_there_is_refused() {
        let missing = PathBuf::from("/no/such/directory");

        let error = Checkouts::read(&[missing], 1).unwrap_err();

        assert!(error.to_string().contains("/no/such/directory"));
    }
}
