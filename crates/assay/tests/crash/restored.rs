//! Backups as operators make them, and hubs made of them.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::checks::{commits, directory, pull_tips};
use crate::load::{MODELS, Promise};
use crate::server::Place;

/// A place for backups, which goes with the test.
pub(crate) struct Backups {
    directory: tempfile::TempDir,
}

impl Backups {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("backups")
    }

    /// Runs `assay admin backup` on this place.
    pub(crate) fn run(&self, hub: &Place, more: &[&str]) -> Output {
        let path = self.path();
        let mut args = vec!["admin", "backup", path.to_str().unwrap()];
        args.extend(["--no-progress", "--format", "json"]);
        args.extend(more);
        hub.operate(&args)
    }

    /// Makes a backup that must be whole, and returns what was told of it.
    #[track_caller]
    pub(crate) fn make(&self, hub: &Place, more: &[&str]) -> Value {
        let made = told(&self.run(hub, more));
        assert_eq!(made["whole"], true, "{made}");
        made
    }

    /// Returns the output of `--verify`, and its exit code.
    #[track_caller]
    pub(crate) fn verify(&self, hub: &Place, more: &[&str]) -> (Option<i32>, String) {
        let done = self.run(hub, &[&["--verify"], more].concat());
        let text = [done.stdout, done.stderr].concat();
        (done.status.code(), String::from_utf8(text).unwrap())
    }

    /// The names of the generations, oldest first.
    #[track_caller]
    pub(crate) fn generations(&self, hub: &Place) -> Vec<String> {
        let listed = told(&self.run(hub, &["--list"]));
        let listed = listed["generations"].as_array().unwrap();
        let names = listed
            .iter()
            .map(|own| own["name"].as_str().unwrap().to_owned());
        names.collect()
    }

    /// The pieces that are there.
    pub(crate) fn pieces(&self) -> Vec<PathBuf> {
        let mut pieces = Vec::new();
        for shard in std::fs::read_dir(self.path().join("content")).unwrap() {
            let shard = std::fs::read_dir(shard.unwrap().path()).unwrap();
            pieces.extend(shard.map(|entry| entry.unwrap().path()));
        }
        pieces.sort();
        pieces
    }
}

/// Restores a backup to a hub, which has nothing yet.
pub(crate) fn restore(hub: &Place, backup: &Path, more: &[&str]) -> Output {
    let mut args = vec!["admin", "restore", backup.to_str().unwrap()];
    args.extend(["--no-progress", "--format", "json"]);
    args.extend(more);
    hub.operate(&args)
}

/// Returns the output of a command that must have succeeded.
#[track_caller]
pub(crate) fn told(done: &Output) -> Value {
    let errors = String::from_utf8_lossy(&done.stderr);
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{text}{errors}");
    serde_json::from_slice(&done.stdout).unwrap()
}

/// Finds everything that was promised in the repositories of a restored hub.
#[track_caller]
pub(crate) fn find_promised(hub: &Place, keys: [i64; 4], promises: &[Promise]) {
    for (model, key) in MODELS.into_iter().zip(keys) {
        let directory = directory(hub, key);
        let main = commits(&directory, "refs/heads/main");
        let pulls = pull_tips(&directory);
        for promise in promises {
            match promise {
                Promise::Commit { model: own, commit }
                | Promise::Merged {
                    model: own, commit, ..
                } if *own == model => assert!(main.contains(commit), "lost: {promise:?}"),
                Promise::Pull {
                    model: own,
                    num,
                    commit,
                } if *own == model => {
                    assert_eq!(pulls.get(num), Some(commit), "{promise:?}");
                }
                Promise::Commit { .. }
                | Promise::Merged { .. }
                | Promise::Pull { .. }
                | Promise::Closed { .. }
                | Promise::Token { .. }
                | Promise::LargeFile { .. } => {}
            }
        }
    }
}
