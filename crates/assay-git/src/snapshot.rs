//! A repository at one moment, for who copies it while it is written and packed.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assay_model::ObjectId;

use crate::command::Git;
use crate::scratch::Scratch;
use crate::stored_files::stored_files;
use crate::{Error, RefName, Repository, StoredFile};

/// The number of times a snapshot is begun anew when objects moved while it was taken.
const ATTEMPTS: usize = 8;
/// Maximum duration of git to follow all refs of a repository.
const CHECK_LIMIT: Duration = Duration::from_hours(6);
/// The name of the file that has many refs.
const PACKED_REFS: &str = "packed-refs";
/// The directories that git wants to see in a repository.
const DIRECTORIES: [&str; 3] = ["objects/pack", "refs/heads", "refs/tags"];

/// The refs of a repository at one moment, and all its objects, as links that nobody else removes.
/// It goes when it is dropped.
#[derive(Debug)]
pub struct RepositorySnapshot {
    scratch: Scratch,
    refs: Vec<(RefName, ObjectId)>,
    files: Vec<StoredFile>,
    missing: Option<String>,
}

impl RepositorySnapshot {
    /// The directory that has the files.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// The refs and the objects that they point at, in the order of their names.
    pub fn refs(&self) -> &[(RefName, ObjectId)] {
        &self.refs
    }

    /// The files, refs excepted.
    pub fn files(&self) -> &[StoredFile] {
        &self.files
    }

    /// The complaint of git about an object that a ref leads to and that is not there: the
    /// repository is damaged.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }
}

impl Repository {
    /// Takes a snapshot in which every ref leads to objects that are there. It is taken anew when
    /// objects moved meanwhile; what is still missing after that, [`RepositorySnapshot::missing`]
    /// tells.
    pub fn snapshot(&self) -> Result<RepositorySnapshot, Error> {
        for _ in 1..ATTEMPTS {
            let snapshot = self.attempt_snapshot()?;
            if snapshot.missing.is_none() {
                return Ok(snapshot);
            }
        }
        self.attempt_snapshot()
    }

    fn attempt_snapshot(&self) -> Result<RepositorySnapshot, Error> {
        let scratch = Scratch::new(&self.base.scratch)?;
        // The refs come first: objects are admitted before a ref points at them, and are never
        // taken away.
        let refs = self.ref_values()?;
        let missing_directory = |error| match error {
            Error::Disk { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Error::NoRepository(self.key())
            }
            other => other,
        };
        for file in self.stored_files().map_err(missing_directory)? {
            link(
                &self.path().join(&file.path),
                &scratch.path().join(&file.path),
            )?;
        }
        write_packed_refs(scratch.path(), &refs)?;
        let missing = match check_connected(scratch.path()) {
            Ok(()) => None,
            Err(Error::Incomplete { output, .. }) => Some(output),
            Err(error) => return Err(error),
        };
        let files = stored_files(scratch.path())?;
        Ok(RepositorySnapshot {
            scratch,
            refs,
            files,
            missing,
        })
    }
}

/// Writes the refs of a repository whose other files are there, and makes the directories that git
/// asks for.
pub fn write_packed_refs(git_dir: &Path, refs: &[(RefName, ObjectId)]) -> Result<(), Error> {
    for directory in DIRECTORIES.map(|name| git_dir.join(name)) {
        std::fs::create_dir_all(&directory).map_err(Error::disk("make", directory))?;
    }
    let mut refs: Vec<&(RefName, ObjectId)> = refs.iter().collect();
    refs.sort();
    let mut text = "# pack-refs with: sorted \n".to_owned();
    for (name, target) in refs {
        writeln!(text, "{target} {name}").expect("a string takes every text");
    }
    let path = git_dir.join(PACKED_REFS);
    std::fs::write(&path, text).map_err(Error::disk("write", path))
}

/// Follows every ref of the repository in a directory to the last file: [`Error::Incomplete`] when
/// an object is missing or cannot be read.
pub fn check_connected(git_dir: &Path) -> Result<(), Error> {
    let output = Git::new("rev-list")
        .within(git_dir)
        .args(["--objects", "--all", "--quiet"])
        .time_limit(CHECK_LIMIT)
        .run(0)?;
    if output.code == Some(0) {
        return Ok(());
    }
    Err(Error::Incomplete {
        path: git_dir.to_owned(),
        output: output.stderr.trim().to_owned(),
    })
}

/// Makes a second name for a file; a copy where the file system has no such thing. A file that has
/// just gone is left out.
fn link(from: &Path, to: &PathBuf) -> Result<(), Error> {
    if let Some(parent) = to.parent() {
        std::fs::create_dir_all(parent).map_err(Error::disk("make", parent))?;
    }
    match std::fs::hard_link(from, to) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) => {}
    }
    match copy(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        copied => copied.map_err(Error::disk("copy", from)),
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let modified = std::fs::metadata(from)?.modified()?;
    let mut source = std::fs::File::open(from)?;
    let mut target = std::fs::File::create(to)?;
    io::copy(&mut source, &mut target)?;
    target.set_modified(modified)
}

#[cfg(test)]
mod tests {
    use assay_model::{RepoKey, Timestamp};

    use super::*;
    use crate::{
        Blob, CommitPlan, Expected, FileMode, RefChange, Repositories, Signature, TreeEdit,
    };

    fn plan(parents: Vec<ObjectId>, text: &str) -> CommitPlan {
        let somebody = Signature {
            name: "a".to_owned(),
            email: "a".to_owned(),
            when: Timestamp::from_seconds(0),
        };
        CommitPlan {
            base: parents.first().copied(),
            parents,
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

    /// Commits on top of `main`.
    fn commit(repository: &Repository, text: &str) -> ObjectId {
        let main = RefName::main();
        let head = repository.find_ref(&main).unwrap().unwrap().target;
        let quarantine = repository.quarantine();
        let new = quarantine.write(&plan(vec![head], text)).unwrap();
        quarantine.admit().unwrap();
        let change = RefChange {
            name: main,
            expected: Expected::At(head),
            new: Some(new),
        };
        repository.update_refs(&[change]).unwrap();
        new
    }

    fn git(repository: &Repository, subcommand: &'static str, args: &[&str]) {
        let ran = Git::new(subcommand).within(repository.path()).args(args);
        ran.run(0).unwrap().require(subcommand).unwrap();
    }

    #[test]
    fn a_snapshot_outlasts_the_packing_of_everything_it_was_taken_of() {
        let directory = tempfile::tempdir().unwrap();
        let repositories = Repositories::new(directory.path()).unwrap();
        let repository = repositories
            .create(RepoKey(1), &plan(Vec::new(), "first"))
            .unwrap();
        let head = commit(&repository, "second");

        let snapshot = repository.snapshot().unwrap();
        git(&repository, "repack", &["-a", "-d", "-q"]);

        check_connected(snapshot.path()).unwrap();
        assert_eq!(snapshot.refs(), [(RefName::main(), head)]);
        assert_eq!(snapshot.missing(), None);
        let paths: Vec<&str> = snapshot
            .files()
            .iter()
            .map(|file| file.path.as_str())
            .collect();
        assert!(
            paths.contains(&"HEAD") && paths.contains(&"config"),
            "{paths:?}"
        );
        let again = repository.snapshot().unwrap();
        assert_eq!(
            again.files().iter().filter(|file| file.is_object).count(),
            2
        );
    }

    #[test]
    fn snapshots_are_whole_while_others_commit_and_pack() {
        let directory = tempfile::tempdir().unwrap();
        let repositories = Repositories::new(directory.path()).unwrap();
        let repository = repositories
            .create(RepoKey(1), &plan(Vec::new(), "first"))
            .unwrap();

        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                for number in 0..40 {
                    commit(&repository, &format!("change {number}"));
                    if number % 4 == 3 {
                        git(&repository, "repack", &["-d", "-l", "-q", "--geometric=2"]);
                    }
                }
            });
            while !writer.is_finished() {
                let taken = repository.snapshot().unwrap();
                assert_eq!(taken.missing(), None);
            }
        });
    }

    #[test]
    fn a_ref_to_an_object_that_is_not_there_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let repositories = Repositories::new(directory.path()).unwrap();
        let repository = repositories
            .create(RepoKey(1), &plan(Vec::new(), "first"))
            .unwrap();
        let head = commit(&repository, "second");
        let name = head.to_string();
        let lost = format!("objects/{}/{}", &name[..2], &name[2..]);
        std::fs::remove_file(repository.path().join(lost)).unwrap();

        let snapshot = repository.snapshot().unwrap();

        let missing = snapshot.missing().unwrap();
        assert!(missing.contains("refs/heads/main"), "{missing}");
        assert_eq!(snapshot.refs().len(), 1);
    }
}
