//! Repositories to try things on, and a `git` to try them with.

use std::path::{Path, PathBuf};
use std::process::Command;

use assay_git::{
    Blob, CommitPlan, Expected, FileMode, RefChange, RefName, Repositories, Repository, Signature,
    TreeEdit,
};
use assay_model::{Durability, ObjectId, RepoKey, RepoPath, Timestamp};
use tempfile::TempDir;

/// The moment of the first commit; each later one in a test has its own.
pub(crate) const START: i64 = 1_700_000_000;

/// A directory with one repository.
pub(crate) struct Hub {
    pub(crate) directory: TempDir,
    pub(crate) repositories: Repositories,
    pub(crate) repository: Repository,
}

impl Hub {
    /// With one commit that has these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        // What lasts longest takes the longest way: the others leave steps out.
        let repositories = Repositories::new(directory.path().join("repos"))
            .unwrap()
            .with_durability(Durability::Full);
        let initial = plan(
            None,
            files.iter().map(|(path, text)| put(path, text)).collect(),
            0,
        );
        let repository = repositories.create(RepoKey(258), &initial).unwrap();
        Self {
            directory,
            repositories,
            repository,
        }
    }

    pub(crate) fn main(&self) -> ObjectId {
        self.tip(&RefName::main())
    }

    pub(crate) fn tip(&self, name: &RefName) -> ObjectId {
        self.repository.find_ref(name).unwrap().unwrap().target
    }

    /// A commit on top of another, which is there but on no branch.
    pub(crate) fn commit(
        &self,
        parent: ObjectId,
        operations: Vec<TreeEdit>,
        tick: i64,
    ) -> ObjectId {
        let quarantine = self.repository.quarantine();
        let commit = quarantine
            .write(&plan(Some(parent), operations, tick))
            .unwrap();
        quarantine.admit().unwrap();
        commit
    }

    /// A commit on a branch.
    pub(crate) fn commit_to(
        &self,
        name: &RefName,
        operations: Vec<TreeEdit>,
        tick: i64,
    ) -> ObjectId {
        let old = self.tip(name);
        let new = self.commit(old, operations, tick);
        let change = RefChange {
            name: name.clone(),
            expected: Expected::At(old),
            new: Some(new),
        };
        self.repository.update_refs(&[change]).unwrap();
        new
    }

    /// Returns the output of real git about the repository.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(self.repository.path(), arguments)
    }

    /// Real git finds nothing to complain of, not even something that nothing leads to.
    pub(crate) fn assert_sound(&self) {
        let said = self.git(&["fsck", "--full", "--strict", "--no-dangling"]);
        assert_eq!(said, "");
    }

    /// A directory for a clone.
    pub(crate) fn clone_path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Every file below the directory of the repositories, by name.
    pub(crate) fn unfinished(&self) -> usize {
        let path = self.directory.path().join("repos/tmp");
        std::fs::read_dir(path).unwrap().count()
    }
}

pub(crate) fn path(text: &str) -> RepoPath {
    text.parse().unwrap()
}

pub(crate) fn put(path: &str, text: &str) -> TreeEdit {
    TreeEdit::Put {
        path: path.parse().unwrap(),
        blob: Blob::Bytes(text.as_bytes().to_vec()),
        mode: FileMode::Regular,
    }
}

pub(crate) fn signature(tick: i64) -> Signature {
    Signature {
        name: "Ada Lovelace".to_owned(),
        email: "ada@example.org".to_owned(),
        when: Timestamp::from_seconds(START + tick),
    }
}

pub(crate) fn plan(parent: Option<ObjectId>, operations: Vec<TreeEdit>, tick: i64) -> CommitPlan {
    CommitPlan {
        parents: parent.into_iter().collect(),
        base: parent,
        operations,
        message: format!("Change {tick}\n\nThe reason for it."),
        author: signature(tick),
        committer: signature(tick),
    }
}

/// Runs `git` as a person would, with a configuration of nobody.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let (succeeded, said) = try_git(directory, arguments);
    assert!(succeeded, "git {arguments:?}: {said}");
    said
}

#[expect(
    clippy::disallowed_methods,
    reason = "this git is the client, and may speak to a server"
)]
pub(crate) fn try_git(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new("git");
    for (name, value) in [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_AUTHOR_NAME", "Grace Hopper"),
        ("GIT_AUTHOR_EMAIL", "grace@example.org"),
        ("GIT_COMMITTER_NAME", "Grace Hopper"),
        ("GIT_COMMITTER_EMAIL", "grace@example.org"),
        ("LC_ALL", "C"),
    ] {
        command.env(name, value);
    }
    let output = command
        .current_dir(directory)
        .args([
            "-c",
            "safe.directory=*",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "gc.auto=0",
        ])
        .args(arguments)
        .output()
        .unwrap();
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    (output.status.success(), said.trim_end().to_owned())
}
