//! The space that objects take up on the disk, and how it is given back.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use walkdir::WalkDir;

use crate::command::Git;
use crate::{Error, Quarantine, Repository};

/// Offset of the number of objects in the index of a pack: the last of 256 counts behind a header
/// of eight bytes.
const PACK_COUNT_AT: u64 = 8 + 255 * 4;
/// Time limit for removing unreachable objects. A repository of gigabytes takes minutes.
const PRUNE_LIMIT: Duration = Duration::from_hours(1);

/// The size of some objects on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ObjectSize {
    /// Bytes, as they are stored.
    pub bytes: u64,
    /// Number of objects.
    pub objects: u64,
}

impl ObjectSize {
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.objects = self.objects.saturating_add(other.objects);
    }
}

impl Repository {
    /// Measures all objects of the repository, by listing its files.
    pub fn object_size(&self) -> Result<ObjectSize, Error> {
        measure_objects(&self.base.objects_dir())
    }

    /// Removes every object that no ref leads to, at once and for good, and packs the others.
    /// Changes of the repository must wait meanwhile: an object that is admitted before its ref
    /// moves would be removed.
    pub fn remove_unreachable(&self) -> Result<(), Error> {
        Git::new("repack")
            .within(self.path())
            .args(["-a", "-d", "-l", "-q"])
            .time_limit(PRUNE_LIMIT)
            .run(0)?
            .require("repack")?;
        Git::new("prune")
            .within(self.path())
            .args(["--expire=now"])
            .time_limit(PRUNE_LIMIT)
            .run(0)?
            .require("prune")?;
        self.base.reopen()
    }
}

impl Quarantine {
    /// Measures the objects that wait to be admitted. Those in memory count with their full length.
    pub fn object_size(&self) -> Result<ObjectSize, Error> {
        let (mut size, directory) = self.shadow.waiting();
        if let Some(directory) = directory {
            size.add(measure_objects(&directory)?);
        }
        Ok(size)
    }
}

/// Measures a directory of objects: loose ones are a file each, packs tell their number in their
/// index.
fn measure_objects(directory: &Path) -> Result<ObjectSize, Error> {
    let mut size = ObjectSize::default();
    for entry in WalkDir::new(directory) {
        let entry = match entry {
            Ok(entry) => entry,
            // A pack that is being joined with others disappears while it is looked at.
            Err(error) if is_missing(error.io_error()) => continue,
            Err(error) => return Err(Error::disk("list", directory)(error.into())),
        };
        if !entry.file_type().is_file() {
            continue;
        }
        let bytes = match entry.metadata() {
            Ok(facts) => facts.len(),
            Err(error) if is_missing(error.io_error()) => continue,
            Err(error) => return Err(Error::disk("list", directory)(error.into())),
        };
        size.bytes = size.bytes.saturating_add(bytes);
        let name = entry.file_name().to_string_lossy();
        let is_loose = entry.depth() == 2 && name.len() == 38;
        if is_loose {
            size.objects += 1;
        } else if entry.path().extension().is_some_and(|own| own == "idx") {
            size.objects += objects_of_index(entry.path()).unwrap_or_default();
        }
    }
    Ok(size)
}

fn is_missing(error: Option<&io::Error>) -> bool {
    error.is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn objects_of_index(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(PACK_COUNT_AT))?;
    let mut count = [0; 4];
    file.read_exact(&mut count)?;
    Ok(u64::from(u32::from_be_bytes(count)))
}

#[cfg(test)]
mod tests {
    use assay_model::{RepoKey, Timestamp};

    use crate::{Blob, CommitPlan, Expected, FileMode, RefChange, RefName, TreeEdit};
    use crate::{Repositories, Signature};

    fn plan(text: &str) -> CommitPlan {
        let somebody = Signature {
            name: "a".to_owned(),
            email: "a".to_owned(),
            when: Timestamp::from_seconds(0),
        };
        CommitPlan {
            parents: Vec::new(),
            base: None,
            operations: vec![TreeEdit::Put {
                path: "a".parse().unwrap(),
                blob: Blob::Bytes(text.as_bytes().to_vec()),
                mode: FileMode::Regular,
            }],
            message: text.to_owned(),
            author: somebody.clone(),
            committer: somebody,
        }
    }

    #[test]
    fn objects_are_counted_in_quarantine_and_in_the_repository_loose_and_packed() {
        let directory = tempfile::tempdir().unwrap();
        let repositories = Repositories::new(directory.path()).unwrap();
        let repository = repositories.create(RepoKey(1), &plan("first")).unwrap();
        let before = repository.object_size().unwrap();
        let quarantine = repository.quarantine();
        let commit = quarantine.write(&plan("second")).unwrap();
        let waiting = quarantine.object_size().unwrap();
        quarantine.admit().unwrap();
        let change = RefChange {
            name: RefName::branch("side").unwrap(),
            expected: Expected::Absent,
            new: Some(commit),
        };
        repository.update_refs(&[change]).unwrap();
        let loose = repository.object_size().unwrap();

        repository.remove_unreachable().unwrap();

        // A commit, a tree and a blob each.
        assert_eq!((before.objects, waiting.objects, loose.objects), (3, 3, 6));
        assert!(waiting.bytes > 0 && loose.bytes > before.bytes);
        assert_eq!(repository.object_size().unwrap().objects, 6);
    }

    #[test]
    fn what_no_ref_leads_to_is_gone_for_good() {
        let directory = tempfile::tempdir().unwrap();
        let repositories = Repositories::new(directory.path()).unwrap();
        let repository = repositories.create(RepoKey(1), &plan("first")).unwrap();
        let quarantine = repository.quarantine();
        let stray = quarantine.write(&plan("stray")).unwrap();
        quarantine.admit().unwrap();

        repository.remove_unreachable().unwrap();

        let reopened = Repositories::new(directory.path()).unwrap();
        let reopened = reopened.get(RepoKey(1)).unwrap();
        assert!(!reopened.objects().contains(stray).unwrap());
        assert!(reopened.find_ref(&RefName::main()).unwrap().is_some());
    }
}
