//! Real `git` as the client.

use std::path::{Path, PathBuf};

use assay_git::{ReceiveLimits, RefName};

use crate::server::Server;
use crate::support::{Hub, git, put, try_git};

/// Runs `git` where waiting for it does not hold up the server.
async fn client(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let directory = directory.to_owned();
    let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
    let work = move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        try_git(&directory, &arguments)
    };
    tokio::task::spawn_blocking(work).await.unwrap()
}

async fn run(directory: &Path, arguments: &[&str]) -> String {
    let (succeeded, said) = client(directory, arguments).await;
    assert!(succeeded, "git {arguments:?}: {said}");
    said
}

async fn clone(hub: &Hub, server: &Server, name: &str, options: &[&str]) -> PathBuf {
    let mut arguments = vec!["clone", "-q", server.url.as_str(), name];
    arguments.extend(options);
    run(hub.directory.path(), &arguments).await;
    hub.clone_path(name)
}

/// A commit in a clone.
fn edit(clone: &Path, name: &str, text: &str) {
    let path = clone.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    git(clone, &["add", "-A"]);
    git(clone, &["commit", "-q", "-m", "edit"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn git_clones_by_every_version_of_the_protocol() {
    let hub = Hub::with(&[("a", "1"), ("dir/b", "2")]);
    let main = hub.commit_to(&RefName::main(), vec![put("a", "3")], 1);
    let server = Server::start(&hub.repository).await;
    for version in ["0", "1", "2"] {
        let setting = format!("protocol.version={version}");
        let clone = clone(&hub, &server, version, &["-c", &setting]).await;

        assert_eq!(git(&clone, &["rev-parse", "HEAD"]), main.to_string());
        assert_eq!(git(&clone, &["rev-list", "--count", "HEAD"]), "2");
        assert_eq!(std::fs::read_to_string(clone.join("dir/b")).unwrap(), "2");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn git_clones_shallow_and_partial_and_fetches_the_rest() {
    let hub = Hub::with(&[("a", "1")]);
    hub.commit_to(&RefName::main(), vec![put("a", "2")], 1);
    let server = Server::start(&hub.repository).await;

    let shallow = clone(&hub, &server, "shallow", &["--depth=1"]).await;
    let partial = clone(&hub, &server, "partial", &["--filter=blob:none"]).await;
    let before = git(&shallow, &["rev-list", "--count", "HEAD"]);
    run(&shallow, &["fetch", "-q", "--unshallow"]).await;

    assert_eq!(before, "1");
    assert_eq!(git(&shallow, &["rev-list", "--count", "HEAD"]), "2");
    assert_eq!(run(&partial, &["cat-file", "blob", "HEAD~1:a"]).await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_of_few_objects_and_one_of_many_arrive() {
    let hub = Hub::with(&[("a", "1")]);
    let server = Server::start(&hub.repository).await;
    let clone = clone(&hub, &server, "clone", &[]).await;
    edit(&clone, "b", "2");
    let said = run(&clone, &["push", "origin", "main"]).await;
    for n in 0..120 {
        std::fs::write(clone.join(format!("file-{n}")), format!("{n}")).unwrap();
    }
    edit(&clone, "dir/c", "3");
    run(&clone, &["push", "-q", "origin", "main"]).await;

    let tip = hub.main();

    assert!(said.contains("remote: thank you"), "{said}");
    assert_eq!(git(&clone, &["rev-parse", "HEAD"]), tip.to_string());
    let entries = hub.repository.objects().changes(None, tip).unwrap();
    assert_eq!(entries.len(), 123);
    assert!(hub.git(&["count-objects", "-v"]).contains("packs: 1\n"));
    assert_eq!(hub.unfinished(), 0);
    hub.assert_sound();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_push_moves_nothing_leaves_nothing_and_says_why() {
    let hub = Hub::with(&[("a", "1")]);
    let server = Server::judged(&hub.repository, ReceiveLimits::default(), |_, push| {
        let tip = push.commands[0].new.unwrap();
        let entry = push.quarantine.objects().entry(tip, &"b".parse().unwrap());
        let text = push
            .quarantine
            .objects()
            .read(entry.unwrap().unwrap().oid, 100);
        let text = String::from_utf8(text.unwrap()).unwrap();
        Err(format!("error[EV203]: `{text}` will not do\n  --> b:1:1"))
    })
    .await;
    let before = (hub.main(), hub.git(&["count-objects"]));
    let clone = clone(&hub, &server, "clone", &[]).await;
    edit(&clone, "b", "nonsense");

    let (succeeded, said) = client(&clone, &["push", "origin", "main"]).await;

    assert!(!succeeded);
    assert!(
        said.contains("remote: error[EV203]: `nonsense` will not do"),
        "{said}"
    );
    assert!(said.contains("remote:   --> b:1:1"), "{said}");
    assert!(
        said.contains("! [remote rejected] main -> main (refused by the judge)"),
        "{said}"
    );
    assert_eq!((hub.main(), hub.git(&["count-objects"])), before);
    assert_eq!(hub.unfinished(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_pushes_at_once_the_second_is_told_and_nothing_is_lost() {
    let hub = Hub::with(&[("a", "1")]);
    let server = Server::judged(
        &hub.repository,
        ReceiveLimits::default(),
        |repository, push| {
            // Somebody else is quicker: between what the client saw and its own push.
            let name = &push.commands[0].name;
            let old = repository.find_ref(name).unwrap().unwrap().target;
            let quarantine = repository.quarantine();
            let plan = crate::support::plan(Some(old), vec![put("quick", "1")], 1);
            let new = quarantine.write(&plan).unwrap();
            quarantine.admit().unwrap();
            let change = assay_git::RefChange {
                name: name.clone(),
                expected: assay_git::Expected::At(old),
                new: Some(new),
            };
            repository.update_refs(&[change]).unwrap();
            Ok(())
        },
    )
    .await;
    let clone = clone(&hub, &server, "clone", &[]).await;
    edit(&clone, "slow", "2");

    let (succeeded, said) = client(&clone, &["push", "origin", "main"]).await;

    assert!(!succeeded);
    assert!(
        said.contains("`refs/heads/main` is not where it was expected to be"),
        "{said}"
    );
    assert_eq!(hub.git(&["ls-tree", "--name-only", "main"]), "a\nquick");
    hub.assert_sound();
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_tags_and_pull_requests_are_pushed_fetched_and_deleted() {
    let hub = Hub::with(&[("a", "1")]);
    let server = Server::start(&hub.repository).await;
    let clone = clone(&hub, &server, "clone", &[]).await;
    edit(&clone, "b", "2");
    git(&clone, &["tag", "-a", "-m", "one", "v1"]);

    run(
        &clone,
        &[
            "push",
            "-q",
            "--atomic",
            "origin",
            "HEAD:refs/pr/1",
            "HEAD:refs/heads/x",
            "v1",
        ],
    )
    .await;
    run(&clone, &["fetch", "-q", "origin", "refs/pr/1:pr1"]).await;
    let names: Vec<_> = hub
        .repository
        .refs()
        .unwrap()
        .iter()
        .map(|found| found.name.to_string())
        .collect();
    run(
        &clone,
        &["push", "-q", "origin", ":refs/heads/x", ":refs/tags/v1"],
    )
    .await;

    assert_eq!(
        names,
        [
            "refs/heads/main",
            "refs/heads/x",
            "refs/pr/1",
            "refs/tags/v1"
        ]
    );
    assert_eq!(
        git(&clone, &["rev-parse", "pr1"]),
        git(&clone, &["rev-parse", "HEAD"])
    );
    assert_eq!(
        hub.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main\nrefs/pr/1"
    );
    hub.assert_sound();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_from_a_shallow_clone_arrives_whole() {
    let hub = Hub::with(&[("a", "1")]);
    hub.commit_to(&RefName::main(), vec![put("a", "2")], 1);
    let server = Server::start(&hub.repository).await;
    let clone = clone(&hub, &server, "clone", &["--depth=1"]).await;
    edit(&clone, "b", "2");

    run(&clone, &["push", "-q", "origin", "main"]).await;

    assert_eq!(hub.git(&["rev-list", "--count", "main"]), "3");
    hub.assert_sound();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_beyond_the_limits_is_refused_with_the_limit() {
    let hub = Hub::with(&[("a", "1")]);
    let limits = ReceiveLimits {
        commands: 2,
        pack_bytes: 500_000,
        object_bytes: 3_000_000,
        ..ReceiveLimits::default()
    };
    let server = Server::judged(&hub.repository, limits, |_, _| Ok(())).await;
    let clone = clone(&hub, &server, "clone", &[]).await;
    let noise: Vec<String> = (0..300_000_u32)
        .map(|n| format!("{:08x}", n.wrapping_mul(2_654_435_761)))
        .collect();
    edit(&clone, "noise", &noise.concat());
    let (large, large_said) = client(&clone, &["push", "origin", "main"]).await;
    git(&clone, &["reset", "-q", "--hard", "origin/main"]);
    edit(&clone, "bomb", &"0".repeat(9_000_000));
    let (bomb, bomb_said) = client(&clone, &["push", "origin", "main"]).await;

    assert!(!large && !bomb, "{large_said}\n{bomb_said}");
    assert!(
        large_said.contains("a push has at most 500000 bytes")
            || large_said.contains("pack exceeds maximum allowed size"),
        "{large_said}"
    );
    assert!(bomb_said.contains("unpacker error"), "{bomb_said}");
    assert_eq!(hub.unfinished(), 0);
    assert_eq!(hub.git(&["rev-list", "--count", "--all"]), "1");
}
