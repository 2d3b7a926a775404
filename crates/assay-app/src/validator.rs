//! The rules, applied to what a commit changes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};
use std::sync::Arc;

use assay_check::{
    Benchmarks, Context, FileKind, Files, Findings, Item, LayoutPolicy, Options, validate,
};
use assay_formats::eee;
use assay_git::{EntryKind, LargeFileId, Objects, TreeEntry};
use assay_model::{Diagnostic, ObjectId, RepoKey, RepoKind, RepoPath, Severity, Timestamp};
use assay_store::Sha256;

use crate::board::ChangedFile;
use crate::error::{Error, Limit, UnusablePath};
use crate::hub::Hub;
use crate::index::{Kind, ResultFileReader};

/// Findings of a change.
#[derive(Debug, Default)]
pub(crate) struct Validation {
    /// The findings that refuse the change.
    pub(crate) errors: Vec<Diagnostic>,
    /// The findings that do not.
    pub(crate) warnings: Vec<Diagnostic>,
    /// The result files that the change brings, to be held against the boards that they are for.
    pub(crate) results: Vec<ChangedFile>,
}

impl Validation {
    fn add(&mut self, findings: &Findings) {
        for diagnostic in findings.diagnostics() {
            match diagnostic.severity {
                Severity::Error => self.errors.push(diagnostic.clone()),
                Severity::Warning => self.warnings.push(diagnostic.clone()),
                // A note is worth knowing at a desk and is in the way of whoever pushes.
                Severity::Note => {}
            }
        }
    }
}

/// One step of a ref that is to be validated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    /// The commit that was validated before; nothing when absent.
    pub(crate) old: Option<ObjectId>,
    /// The commit to validate.
    pub(crate) new: ObjectId,
}

/// Opens a large file. That the hub has it for another repository does not make it this one's to
/// quote from.
pub(crate) type OpenLarge = dyn Fn(LargeFileId) -> Option<Box<dyn Read + Send>> + Send + Sync;

/// Validates changes: what validation needs to know of the hub.
pub(crate) struct Validator<'a> {
    /// The kind of the repository.
    pub(crate) kind: RepoKind,
    /// The benchmarks that results may name.
    pub(crate) benchmarks: &'a dyn Benchmarks,
    /// Opens a large file, if the repository has it.
    pub(crate) large_files: &'a OpenLarge,
    /// The largest file that is validated.
    pub(crate) max_bytes: u64,
    /// The moment it is.
    pub(crate) now: Timestamp,
}

impl Validator<'_> {
    /// Validates what a step changes.
    pub(crate) fn step(
        &self,
        result_files: &ResultFileReader<'_>,
        step: Step,
    ) -> Result<Validation, Error> {
        let files = CommitFiles {
            objects: result_files.objects,
            commit: step.new,
            large_files: self.large_files,
        };
        let items = self.items(&files, step)?;
        let is_results = |item: &Item| item.kind == Some(FileKind::EvalResults);
        let (results, others): (Vec<Item>, Vec<Item>) = items.into_iter().partition(is_results);
        let mut validation = self.run(&files, &others);
        for item in &results {
            let blob = files.found(&item.path).map_err(Error::internal)?.oid;
            let read = result_files.read(Kind::Results, blob)?;
            if let Some(file) = read.validated() {
                validation.add(&file.check(&item.path, &self.context()));
            }
            validation.results.push((Arc::clone(&item.path), read));
        }
        Ok(validation)
    }

    /// Validates files that are not in git, as if they were.
    pub(crate) fn preview(&self, files: &BTreeMap<String, Vec<u8>>) -> Validation {
        let items: Vec<Item> = files
            .iter()
            .filter_map(|(path, bytes)| {
                let head = || Some(head_of(bytes));
                let kind = FileKind::in_repository(self.kind, path, head)?;
                Some(item(path, kind))
            })
            .collect();
        self.run(&MemoryFiles(files), &items)
    }

    fn run(&self, files: &dyn Files, items: &[Item]) -> Validation {
        if items.is_empty() {
            return Validation::default();
        }
        let options = Options {
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            ..Options::default()
        };
        let mut validation = Validation::default();
        for report in validate(files, items, &self.context(), &options) {
            validation.add(&report.findings);
        }
        validation
    }

    /// Returns the facts that the hub knows beside the files.
    fn context(&self) -> Context<'_> {
        Context {
            benchmarks: self.benchmarks,
            // A result may come before its benchmark: it waits until somebody defines that.
            unknown_benchmark: Severity::Warning,
            layout: LayoutPolicy::Auto,
            limit: Context::DEFAULT_LIMIT,
            now: self.now,
        }
    }

    /// The files that a step gives a reason to validate.
    fn items(&self, files: &CommitFiles<'_>, step: Step) -> Result<Vec<Item>, Error> {
        let mut items = BTreeMap::new();
        let mut bereft = BTreeSet::new();
        for change in files.objects.changes(step.old, step.new)? {
            match change.new {
                Some(_) => self.add(files, &change.path, &mut items)?,
                None => bereft.extend(companion(change.path.as_str())),
            }
        }
        // Whoever deletes one half of a pair answers for the other.
        for path in bereft {
            if let Ok(path) = path.parse::<RepoPath>()
                && files.entry(&path)?.is_some()
            {
                self.add(files, &path, &mut items)?;
            }
        }
        Ok(items
            .into_iter()
            .map(|(path, kind)| item(&path, kind))
            .collect())
    }

    fn add(
        &self,
        files: &CommitFiles<'_>,
        path: &RepoPath,
        items: &mut BTreeMap<String, FileKind>,
    ) -> Result<(), Error> {
        let head = || files.head(path).ok();
        let Some(kind) = FileKind::in_repository(self.kind, path.as_str(), head) else {
            return Ok(());
        };
        let Some(entry) = files.entry(path)? else {
            return Ok(());
        };
        match entry.kind {
            EntryKind::File(_) => {}
            EntryKind::Symlink | EntryKind::Submodule | EntryKind::Directory => {
                return Err(Error::UnusablePath(UnusablePath::NotAFile(
                    path.to_string(),
                )));
            }
        }
        if entry.large.is_some() {
            match kind {
                // What the index reads must be in git itself, or it could never be rebuilt from
                // git.
                FileKind::EvalYaml | FileKind::EvalResults => {
                    return Err(Error::UnusablePath(UnusablePath::Pointer(path.to_string())));
                }
                FileKind::Record | FileKind::Samples => {}
            }
        }
        let size = entry.large.map_or(entry.size, |large| large.size);
        if size > self.max_bytes {
            return Err(Error::TooLarge(Limit::ValidatedFile {
                path: path.to_string(),
                size,
                kind: kind.to_string(),
                most: self.max_bytes,
            }));
        }
        items.insert(path.as_str().to_owned(), kind);
        Ok(())
    }
}

fn item(path: &str, kind: FileKind) -> Item {
    Item {
        path: path.into(),
        kind: Some(kind),
    }
}

/// The other half of a record and its samples.
fn companion(path: &str) -> Option<String> {
    let (directory, name) = path.rsplit_once('/')?;
    let uuid = eee::uuid_of(name)?;
    let other = match FileKind::of_path(path)? {
        FileKind::Record => format!("{uuid}_samples.jsonl"),
        FileKind::Samples => format!("{uuid}.json"),
        FileKind::EvalYaml | FileKind::EvalResults => return None,
    };
    Some(format!("{directory}/{other}"))
}

fn head_of(bytes: &[u8]) -> String {
    let length = usize::try_from(FileKind::HEAD_BYTES).unwrap_or(usize::MAX);
    String::from_utf8_lossy(&bytes[..bytes.len().min(length)]).into_owned()
}

/// The files of a commit. A pointer stands for the large file behind it and is never taken for
/// content.
struct CommitFiles<'a> {
    objects: &'a Objects,
    commit: ObjectId,
    large_files: &'a OpenLarge,
}

impl CommitFiles<'_> {
    fn entry(&self, path: &RepoPath) -> Result<Option<TreeEntry>, Error> {
        Ok(self.objects.entry(self.commit, path)?)
    }

    fn found(&self, path: &str) -> io::Result<TreeEntry> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "there is no such file");
        let path: RepoPath = path.parse().map_err(|_| missing())?;
        self.objects
            .entry(self.commit, &path)
            .map_err(io::Error::other)?
            .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
            .ok_or_else(missing)
    }

    fn head(&self, path: &RepoPath) -> io::Result<String> {
        let mut head = Vec::new();
        self.open(path.as_str())?
            .take(FileKind::HEAD_BYTES)
            .read_to_end(&mut head)?;
        Ok(String::from_utf8_lossy(&head).into_owned())
    }
}

impl Files for CommitFiles<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        let entry = self.found(path)?;
        let Some(large) = entry.large else {
            let blob = self.objects.open(entry.oid).map_err(io::Error::other)?;
            return Ok(Box::new(blob));
        };
        let file = (self.large_files)(large.oid).ok_or_else(|| {
            let why = "it is a git-lfs pointer, and the file behind it was not uploaded";
            io::Error::new(io::ErrorKind::NotFound, why)
        })?;
        Ok(file)
    }

    fn size(&self, path: &str) -> Option<u64> {
        let entry = self.found(path).ok()?;
        Some(entry.large.map_or(entry.size, |large| large.size))
    }
}

/// Files in memory.
struct MemoryFiles<'a>(&'a BTreeMap<String, Vec<u8>>);

impl Files for MemoryFiles<'_> {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        let bytes = self.0.get(path).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

/// A validator that can be taken to where blocking is allowed.
pub(crate) struct SharedValidator {
    kind: RepoKind,
    benchmarks: Arc<dyn Benchmarks + Send>,
    large_files: Box<OpenLarge>,
    max_bytes: u64,
    now: Timestamp,
}

impl SharedValidator {
    /// The validator of a repository; of none, when nothing is in git yet.
    pub(crate) async fn new(
        hub: &Hub,
        kind: RepoKind,
        key: Option<RepoKey>,
    ) -> Result<Self, Error> {
        let (store, large_files) = (hub.store.clone(), hub.large_files.clone());
        let runtime = tokio::runtime::Handle::current();
        let open = move |oid: LargeFileId| {
            let hash = Sha256::from_bytes(*oid.as_bytes());
            let key = key?;
            let is_held = runtime.block_on(async {
                Ok::<_, assay_store::Error>(
                    store.large_object(key, &hash).await?.is_some()
                        || store.upload(key, &hash).await?.is_some(),
                )
            });
            is_held.ok().filter(|held| *held)?;
            large_files.reader(oid, &runtime).ok()
        };
        Ok(Self {
            kind,
            benchmarks: hub.known_benchmarks().await?,
            large_files: Box::new(open),
            max_bytes: hub.config.limits.validated_bytes,
            now: hub.now(),
        })
    }

    /// The validator.
    pub(crate) fn get(&self) -> Validator<'_> {
        Validator {
            kind: self.kind,
            benchmarks: &*self.benchmarks,
            large_files: &*self.large_files,
            max_bytes: self.max_bytes,
            now: self.now,
        }
    }
}
