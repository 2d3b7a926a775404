use std::path::Path;

use crate::command::Git;
use crate::{Error, Repository};

/// As many single files as git itself puts up with before it packs them.
const MAX_LOOSE: usize = 6_700;
/// As many packs as a search should have to go through.
const MAX_PACKS: usize = 20;
/// Objects are spread evenly over this many directories, so that one of them tells how many there
/// are.
const FANS: usize = 256;

impl Repository {
    /// Packs what has become many, and says whether there was anything to do. Nothing is thrown
    /// away, and others may read and write meanwhile. Call it now and then.
    pub fn maintain(&self) -> Result<bool, Error> {
        let objects = self.base.objects_dir();
        let loose = count(&objects.join("17"), "") * FANS;
        let packs = count(&objects.join("pack"), "idx");
        if loose <= MAX_LOOSE && packs <= MAX_PACKS {
            return Ok(false);
        }
        self.repack()?;
        Ok(true)
    }

    /// Packs that are much smaller than the next are joined with it, and single files with the
    /// smallest: so the work that is done over time is not more than the repository is large, a few
    /// times.
    fn repack(&self) -> Result<(), Error> {
        Git::new("repack")
            .within(self.path())
            .args(["-d", "-l", "-q", "--geometric=2"])
            .run(0)?
            .require("repack")?;
        self.base.reopen()
    }
}

/// Returns the number of files of a directory that have an extension; all of them, if it is empty.
/// A directory that is not there has none.
fn count(directory: &Path, extension: &str) -> usize {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let is_counted =
        |path: &Path| extension.is_empty() || path.extension().is_some_and(|own| own == extension);
    entries.filter(|entry| is_counted(&entry.path())).count()
}

#[cfg(test)]
mod tests {
    use assay_model::{RepoKey, Timestamp};

    use super::*;
    use crate::{Blob, CommitPlan, FileMode, Repositories, Signature, TreeEdit};

    /// A commit of its own, which nothing leads to.
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
    fn what_is_packed_is_still_there_even_if_nothing_leads_to_it() {
        let directory = tempfile::tempdir().unwrap();
        let repositories = Repositories::new(directory.path()).unwrap();
        let repository = repositories.create(RepoKey(1), &plan("first")).unwrap();
        let quarantine = repository.quarantine();
        let stray = quarantine.write(&plan("stray")).unwrap();
        quarantine.admit().unwrap();
        let reader = repository.objects();

        let was_needed = repository.maintain().unwrap();
        repository.repack().unwrap();

        assert!(!was_needed);
        let objects = repository.path().join("objects");
        assert_eq!(count(&objects.join("pack"), "idx"), 1);
        for objects in [reader, repository.objects()] {
            assert_eq!(objects.commit(stray).unwrap().title, "stray");
        }
    }
}
