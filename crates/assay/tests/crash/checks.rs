//! Invariants of a hub, whatever has happened to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::client::Client;
use crate::git;
use crate::load::{LARGE, MODELS, Promise, World, hex};
use crate::server::Place;

/// Looks at everything that the hub has promised, and at its index.
pub(crate) fn check(place: &Place, world: &World) {
    let promises = world.promises().clone();
    for (model, key) in MODELS.into_iter().zip(world.keys) {
        check_repository(place, model, key, &promises);
        check_pulls(place, world, model, key, &promises);
    }
    for promise in &promises {
        match promise {
            Promise::Token { secret } => check_token(world, secret),
            Promise::LargeFile { path, digest } => check_large_file(world, path, digest),
            Promise::Commit { .. }
            | Promise::Pull { .. }
            | Promise::Closed { .. }
            | Promise::Merged { .. } => {}
        }
    }
    check_index(place);
    let (faults, log) = (world.faults(), place.log());
    assert!(faults.is_empty(), "{faults:#?}");
    for unwanted in ["panicked", "is damaged"] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(unwanted)).collect();
        assert!(lines.is_empty(), "{lines:#?}");
    }
}

fn check_token(world: &World, secret: &str) {
    let url = format!("{}/api/whoami-v2", world.url());
    Client::new(secret).get(&url).unwrap().good();
}

fn check_large_file(world: &World, path: &str, digest: &str) {
    let url = format!("{}/operator/{LARGE}/resolve/main/{path}", world.url());
    let bytes = world.client.get_bytes(&url).unwrap();
    assert_eq!(hex(&bytes), digest, "{path}");
}

fn check_repository(place: &Place, model: &str, key: i64, promises: &[Promise]) {
    let directory = directory(place, key);
    git::good(&directory, &["fsck", "--full", "--strict", "--no-dangling"]);
    let main = commits(&directory, "refs/heads/main");
    for promise in promises {
        let (own, commit) = match promise {
            Promise::Commit { model, commit } | Promise::Merged { model, commit, .. } => {
                (*model, commit)
            }
            Promise::Pull { .. }
            | Promise::Closed { .. }
            | Promise::Token { .. }
            | Promise::LargeFile { .. } => continue,
        };
        assert!(own != model || main.contains(commit), "lost: {promise:?}");
    }
}

/// Numbers without duplicates or gaps, and every pull request as it was promised.
fn check_pulls(place: &Place, world: &World, model: &str, key: i64, promises: &[Promise]) {
    let tips = pull_tips(&directory(place, key));
    let statuses = statuses(world, model);
    let numbers: Vec<u64> = statuses.keys().copied().collect();
    let last = numbers.len() as u64;
    assert_eq!(numbers, (1..=last).collect::<Vec<_>>(), "of {model}");
    let mut told = BTreeSet::new();
    for promise in promises {
        match promise {
            Promise::Pull {
                model: own,
                num,
                commit,
            } if *own == model => {
                assert!(told.insert(*num), "told twice: {promise:?}");
                assert_eq!(tips.get(num), Some(commit), "{promise:?}");
            }
            Promise::Closed { model: own, num } if *own == model => {
                assert_eq!(statuses[num], "closed", "{promise:?}");
            }
            Promise::Merged {
                model: own, num, ..
            } if *own == model => {
                assert_eq!(statuses[num], "merged", "{promise:?}");
            }
            Promise::Commit { .. }
            | Promise::Pull { .. }
            | Promise::Closed { .. }
            | Promise::Merged { .. }
            | Promise::Token { .. }
            | Promise::LargeFile { .. } => {}
        }
    }
    let refs: Vec<u64> = tips.into_keys().collect();
    assert_eq!(refs, numbers, "of {model}");
}

/// The commits that the refs of pull requests point at, by number.
pub(crate) fn pull_tips(directory: &Path) -> BTreeMap<u64, String> {
    let format = "--format=%(refname:lstrip=2) %(objectname)";
    let refs = git::good(directory, &["for-each-ref", format, "refs/pr"]);
    refs.lines()
        .map(|line| {
            let (num, commit) = line.split_once(' ').unwrap();
            (num.parse().unwrap(), commit.to_owned())
        })
        .collect()
}

/// The pull requests of a model and their statuses, page after page.
fn statuses(world: &World, model: &str) -> BTreeMap<u64, String> {
    let mut statuses = BTreeMap::new();
    for page in 0.. {
        let url = format!(
            "{}/api/models/operator/{model}/discussions?p={page}",
            world.url()
        );
        let answer = world.client.get(&url).unwrap().good().json();
        let items = answer["discussions"].as_array().unwrap().clone();
        if items.is_empty() {
            break;
        }
        for item in items {
            let num = item["num"].as_u64().unwrap();
            let status = item["status"].as_str().unwrap().to_owned();
            assert!(
                statuses.insert(num, status).is_none(),
                "listed twice: {num}"
            );
        }
    }
    statuses
}

/// The server has caught up by itself: the program that looks only looks.
pub(crate) fn check_index(place: &Place) {
    let checked = place.operate(&["reindex", "--check", "--no-progress", "--format", "json"]);
    let told: Value = serde_json::from_slice(&checked.stdout).unwrap_or_else(|_| {
        panic!("{}", String::from_utf8_lossy(&checked.stderr));
    });
    assert_eq!(told["differences"], Value::Array(Vec::new()));
    assert!(checked.status.success());
}

pub(crate) fn commits(directory: &Path, reference: &str) -> BTreeSet<String> {
    let list = git::good(directory, &["rev-list", reference]);
    list.lines().map(ToOwned::to_owned).collect()
}

pub(crate) fn directory(place: &Place, key: i64) -> PathBuf {
    place
        .data()
        .join(format!("repos/{:02x}/{key}.git", key % 256))
}
