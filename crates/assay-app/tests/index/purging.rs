//! Content that operators remove for good is gone from what was set aside, too.

use std::path::Path;

use assay_git::{Expected, RefChange, RefName, Repository};
use assay_model::{ObjectId, RepoKind};
use walkdir::WalkDir;

use crate::support::{World, key_of, repo_id, score};

fn point(repository: &Repository, name: &str, target: ObjectId) {
    let change = RefChange {
        name: name.parse().unwrap(),
        expected: Expected::Absent,
        new: Some(target),
    };
    repository.update_refs(&[change]).unwrap();
}

fn copy(from: &Path, to: &Path) {
    for entry in WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(target).unwrap();
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn tip(repository: &Repository, name: &RefName) -> ObjectId {
    repository.find_ref(name).unwrap().unwrap().target
}

#[tokio::test]
async fn a_purged_pull_request_is_gone_from_what_was_set_aside() {
    let world = World::with_benchmark().await;
    let info = world.create(&world.ada, RepoKind::Model, "other").await;
    let key = key_of(&info);
    let evil = world.propose(&world.bob, "ada/other", &score(0.5)).await;
    let good = world.propose(&world.bob, "ada/other", &score(0.75)).await;
    let git = world.git();
    let repository = git.get(key).unwrap();
    let (evil_tip, good_tip) = (
        tip(&repository, &RefName::pull(evil)),
        tip(&repository, &RefName::pull(good)),
    );
    point(
        &repository,
        &format!("refs/unrecorded/pr/7/{evil_tip}"),
        evil_tip,
    );
    point(
        &repository,
        &format!("refs/unrecorded/pr/8/{good_tip}"),
        good_tip,
    );
    let aside = world.directory.path().join(format!(
        "repos/.unrecorded/2026-01-01T00-00-00.000Z/{key}.git"
    ));
    copy(repository.path(), &aside);
    let id = repo_id("ada/other");

    let report = world
        .hub
        .operations()
        .purge_discussion(&world.hub.shell(), RepoKind::Model, &id, evil, "malware")
        .await
        .unwrap();

    assert_eq!(report.commits, 1);
    let git = world.git();
    for kept in [git.get(key).unwrap(), git.open_at(&aside).unwrap()] {
        let objects = kept.objects();
        assert!(!objects.contains(evil_tip).unwrap());
        assert!(objects.contains(good_tip).unwrap());
        let names: Vec<String> = kept
            .refs()
            .unwrap()
            .into_iter()
            .map(|one| one.name.as_str().to_owned())
            .filter(|name| !name.starts_with("refs/heads/"))
            .collect();
        assert_eq!(
            names,
            [
                format!("refs/pr/{good}"),
                format!("refs/unrecorded/pr/8/{good_tip}")
            ]
        );
    }
    world.check_index().await;
}
