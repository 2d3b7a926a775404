use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};

use assay_server::{Person, TestHub};
use axum::body::Body;
use axum::http::Request;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write as _;

/// Runs real git in a directory, with nothing of the person's own configuration.
#[expect(clippy::disallowed_methods, reason = "git is the client under test")]
fn git(directory: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        // It would win over what a test says of certificates.
        .env_remove("GIT_SSL_CAINFO")
        .env("GIT_AUTHOR_NAME", "Bob")
        .env("GIT_AUTHOR_EMAIL", "bob@example.org")
        .env("GIT_COMMITTER_NAME", "Bob")
        .env("GIT_COMMITTER_EMAIL", "bob@example.org")
        .output()
        .expect("git is installed")
}

/// Runs git off the runtime's threads, which answer it.
pub(crate) async fn run(directory: &Path, arguments: &[&str]) -> Output {
    let directory = directory.to_owned();
    let arguments: Vec<String> = arguments.iter().map(|&own| own.to_owned()).collect();
    tokio::task::spawn_blocking(move || {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        git(&directory, &arguments)
    })
    .await
    .unwrap()
}

#[track_caller]
pub(crate) fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", told(output));
}

pub(crate) fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn with_token(hub: &TestHub, person: Person, address: SocketAddr, path: &str) -> String {
    let secret = hub.secret(person).unwrap();
    format!("http://hf_user:{secret}@{address}/{path}")
}

pub(crate) async fn commit_file(work: &Path, name: &str, content: &str) {
    let file = work.join(name);
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, content).unwrap();
    succeeded(&run(work, &["add", "--all"]).await);
    succeeded(&run(work, &["commit", "--quiet", "-m", "Change by git"]).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_the_address_is_cloned_whole_and_shallow() {
    let hub = TestHub::new().await;
    for repo in ["models/alice/small", "datasets/alice/bench"] {
        hub.create(Person::Alice, repo).await.expect(200);
        hub.commit(Person::Alice, repo, &[("a.txt", "hello")])
            .await
            .expect(200);
    }
    let address = hub.listen().await;

    for (number, path) in [
        "alice/small",
        "alice/small.git",
        "datasets/alice/bench",
        "datasets/alice/bench.git",
    ]
    .iter()
    .enumerate()
    {
        let url = format!("http://{address}/{path}");
        let (whole, shallow) = (format!("w{number}"), format!("s{number}"));

        succeeded(&run(hub.directory(), &["clone", "--quiet", &url, &whole]).await);
        succeeded(
            &run(
                hub.directory(),
                &["clone", "--quiet", "--depth", "1", &url, &shallow],
            )
            .await,
        );

        for clone in [whole, shallow] {
            let text = fs_err::read_to_string(hub.directory().join(clone).join("a.txt")).unwrap();
            assert_eq!(text, "hello");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_with_a_token_is_on_main_at_once_and_one_without_is_challenged() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let (open, own) = (
        format!("http://{address}/alice/small"),
        with_token(&hub, Person::Alice, address, "alice/small"),
    );
    succeeded(&run(hub.directory(), &["clone", "--quiet", &open, "work"]).await);
    let work = hub.directory().join("work");
    commit_file(&work, "b.txt", "pushed").await;

    let without = run(&work, &["push", "--quiet", &open, "HEAD:main"]).await;
    let with = run(&work, &["push", "--quiet", &own, "HEAD:main"]).await;

    assert!(!without.status.success());
    succeeded(&with);
    let file = hub
        .get(Person::Nobody, "/alice/small/resolve/main/b.txt")
        .await;
    assert_eq!(file.expect(200).text(), "pushed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_result_file_is_refused_with_its_place_in_what_git_prints() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let own = with_token(&hub, Person::Alice, address, "alice/small");
    succeeded(&run(hub.directory(), &["clone", "--quiet", &own, "work"]).await);
    let work = hub.directory().join("work");
    let bad = "- dataset: {id: alice/bench, task_id: default}\n  value: high\n";
    commit_file(&work, ".eval_results/bench.yaml", bad).await;

    let pushed = run(&work, &["push", "origin", "HEAD:main"]).await;

    assert!(!pushed.status.success());
    let text = told(&pushed);
    assert!(
        text.contains("remote:") && text.contains(".eval_results/bench.yaml:2:"),
        "{text}"
    );
    let file = hub
        .get(
            Person::Nobody,
            "/alice/small/resolve/main/.eval_results/bench.yaml",
        )
        .await;
    assert_eq!(file.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stranger_opens_a_pull_request_by_git_and_cannot_push_to_main() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let own = with_token(&hub, Person::Bob, address, "alice/small");
    succeeded(&run(hub.directory(), &["clone", "--quiet", &own, "work"]).await);
    let work = hub.directory().join("work");
    commit_file(&work, "b.txt", "offered").await;

    let to_main = run(&work, &["push", "origin", "HEAD:main"]).await;
    let to_pull = run(&work, &["push", "origin", "HEAD:refs/pr/new"]).await;

    assert!(!to_main.status.success());
    succeeded(&to_pull);
    let pull = hub
        .get(Person::Nobody, "/api/models/alice/small/discussions/1")
        .await;
    assert_eq!(pull.expect(200).json()["author"]["name"], "bob");
    let fetched = run(&work, &["fetch", "--quiet", "origin", "refs/pr/1:pull"]).await;
    succeeded(&fetched);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_repository_is_cloned_by_those_who_may_and_missing_to_others() {
    let hub = TestHub::new().await;
    let private = serde_json::json!({ "name": "secret", "organization": "alice", "private": true });
    hub.post(Person::Alice, "/api/repos/create", private)
        .await
        .expect(200);
    let address = hub.listen().await;

    let owner = with_token(&hub, Person::Alice, address, "alice/secret");
    let stranger = with_token(&hub, Person::Bob, address, "alice/secret");
    let owner = run(hub.directory(), &["clone", "--quiet", &owner, "mine"]).await;
    let stranger = run(hub.directory(), &["clone", "--quiet", &stranger, "theirs"]).await;
    let nobody = hub
        .get(
            Person::Nobody,
            "/alice/secret/info/refs?service=git-upload-pack",
        )
        .await;

    succeeded(&owner);
    assert!(told(&stranger).contains("not found"), "{}", told(&stranger));
    assert_eq!(nobody.status, 401);
    assert!(nobody.header("www-authenticate").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn git_follows_a_repository_to_its_new_name() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/old")
        .await
        .expect(200);
    hub.commit(Person::Alice, "models/alice/old", &[("a.txt", "1")])
        .await
        .expect(200);
    let rename =
        serde_json::json!({ "fromRepo": "alice/old", "toRepo": "alice/new", "type": "model" });
    hub.post(Person::Alice, "/api/repos/move", rename)
        .await
        .expect(200);
    let address = hub.listen().await;

    let url = format!("http://{address}/alice/old.git");
    let cloned = run(hub.directory(), &["clone", "--quiet", &url, "work"]).await;

    succeeded(&cloned);
    assert!(hub.directory().join("work/a.txt").exists());
}

#[tokio::test]
async fn a_request_that_git_has_compressed_is_read() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(b"0014command=ls-refs\n00010009peel\n001bref-prefix refs/heads/\n0000")
        .unwrap();
    let request = Request::post("/alice/small.git/git-upload-pack")
        .header("content-type", "application/x-git-upload-pack-request")
        .header("content-encoding", "gzip")
        .header("git-protocol", "version=2")
        .body(Body::from(encoder.finish().unwrap()))
        .unwrap();

    let answer = hub.send(Person::Nobody, request).await.expect(200);

    assert_eq!(
        answer.header("content-type"),
        Some("application/x-git-upload-pack-result")
    );
    assert!(
        answer.text().contains("refs/heads/main"),
        "{}",
        answer.text()
    );
}

#[tokio::test]
async fn the_dumb_protocol_is_not_spoken() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);

    let answer = hub.get(Person::Nobody, "/alice/small.git/info/refs").await;

    assert_eq!(answer.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_with_too_many_commits_is_refused_and_taken_in_parts() {
    let hub = TestHub::with(|config| config.limits.push_commits = 2).await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Alice, address, "alice/small");
    let work = hub.directory().join("work");
    succeeded(&run(hub.directory(), &["clone", "--quiet", &url, "work"]).await);
    for name in ["a.txt", "b.txt", "c.txt"] {
        commit_file(&work, name, name).await;
    }

    let whole = run(&work, &["push", "--quiet", "origin", "HEAD:main"]).await;
    let part = run(&work, &["push", "--quiet", "origin", "HEAD~1:main"]).await;
    let rest = run(&work, &["push", "--quiet", "origin", "HEAD:main"]).await;

    assert!(
        told(&whole).contains("more than 2 new commits"),
        "{}",
        told(&whole)
    );
    succeeded(&part);
    succeeded(&rest);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_has_the_same_limits_whether_it_is_pushed_or_sent_to_the_api() {
    let hub = TestHub::with(|config| {
        config.limits.commit_files = 2;
        config.limits.commit_bytes = 1000;
        config.limits.path_bytes = 20;
    })
    .await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Alice, address, "alice/small");
    let work = hub.directory().join("work");
    succeeded(&run(hub.directory(), &["clone", "--quiet", &url, "work"]).await);
    let push = ["push", "--quiet", "origin", "HEAD:main"];

    // Each commit is looked at by itself: three files in two commits are fine.
    fs_err::write(work.join("a.txt"), "a").unwrap();
    commit_file(&work, "b.txt", "b").await;
    commit_file(&work, "c.txt", "c").await;
    let fine = run(&work, &push).await;
    for name in ["d.txt", "e.txt"] {
        fs_err::write(work.join(name), name).unwrap();
    }
    commit_file(&work, "f.txt", "f").await;
    let many = run(&work, &push).await;
    succeeded(&run(&work, &["reset", "--quiet", "--hard", "HEAD~1"]).await);
    commit_file(&work, "g.txt", &"x".repeat(1001)).await;
    let large = run(&work, &push).await;
    succeeded(&run(&work, &["reset", "--quiet", "--hard", "HEAD~1"]).await);
    commit_file(&work, "a-name-of-more-than-20-bytes.txt", "h").await;
    let long = run(&work, &push).await;
    succeeded(&run(&work, &["reset", "--quiet", "--hard", "HEAD~1"]).await);
    let deep = vec!["d".repeat(200); 6].join("/");
    commit_file(&work, &deep, "i").await;
    let unnamed = run(&work, &push).await;
    let by_the_api = hub
        .commit(
            Person::Alice,
            "models/alice/small",
            &[("a-name-of-more-than-20-bytes.txt", "h")],
        )
        .await;

    by_the_api.expect(422);
    assert!(
        told(&unnamed).contains("UTF-8 of at most 1024 bytes"),
        "{}",
        told(&unnamed)
    );
    assert!(
        told(&long).contains("is not a valid path"),
        "{}",
        told(&long)
    );
    succeeded(&fine);
    assert!(
        told(&many).contains("changes 3 files; a commit changes at most 2"),
        "{}",
        told(&many)
    );
    assert!(
        told(&large).contains("1001 bytes together"),
        "{}",
        told(&large)
    );
    assert!(!many.status.success() && !large.status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn git_lfs_sends_a_large_file_and_fetches_it_again() {
    let hub = TestHub::with(|config| config.limits.file_bytes = 10_000).await;
    if !run(hub.directory(), &["lfs", "version"])
        .await
        .status
        .success()
    {
        say_skipped();
        return;
    }
    hub.create(Person::Alice, "datasets/alice/bench")
        .await
        .expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Alice, address, "datasets/alice/bench");
    let large = "many bytes\n".repeat(10_000);
    succeeded(&run(hub.directory(), &["clone", "--quiet", &url, "work"]).await);
    let work = hub.directory().join("work");
    for arguments in [
        &["lfs", "install", "--local"] as &[&str],
        &["lfs", "track", "*.bin"],
    ] {
        succeeded(&run(&work, arguments).await);
    }
    commit_file(&work, "weights.bin", &large).await;

    let pushed = run(&work, &["push", "--quiet", "origin", "HEAD:main"]).await;
    let plain = [
        "-c",
        "filter.lfs.smudge=cat",
        "clone",
        "--quiet",
        &url,
        "other",
    ];
    let cloned = run(hub.directory(), &plain).await;
    let other = hub.directory().join("other");
    let pointer = fs_err::read_to_string(other.join("weights.bin")).unwrap();
    succeeded(&run(&other, &["lfs", "install", "--local"]).await);
    let fetched = run(&other, &["lfs", "pull"]).await;

    succeeded(&pushed);
    succeeded(&cloned);
    succeeded(&fetched);
    assert!(
        pointer.starts_with("version https://git-lfs.github.com/spec/v1\n"),
        "{pointer}"
    );
    assert_eq!(
        fs_err::read_to_string(other.join("weights.bin")).unwrap(),
        large
    );
    let file = hub
        .get(
            Person::Nobody,
            "/datasets/alice/bench/resolve/main/weights.bin",
        )
        .await;
    assert_eq!(file.expect(200).text(), large);
}

#[tokio::test(flavor = "multi_thread")]
async fn server_refs_protected() {
    let hub = TestHub::new().await;
    hub.create(Person::Bob, "models/bob/tiny").await.expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Bob, address, "bob/tiny.git");
    let (place, work) = (hub.directory(), hub.directory().join("work"));
    succeeded(&run(place, &["clone", "--quiet", &url, "work"]).await);
    commit_file(&work, "receipts/forged.decide", "x").await;

    for name in [
        "refs/assay/receipts",
        "refs/assay/x",
        "refs/evalhub/receipts",
    ] {
        let target = format!("HEAD:{name}");
        let pushed = run(&work, &["push", &url, &target]).await;

        assert!(!pushed.status.success(), "{name}");
        assert!(
            told(&pushed).contains("only branches, tags and pull requests"),
            "{}",
            told(&pushed)
        );
    }
    let listed = run(&work, &["ls-remote", &url, "refs/assay/*"]).await;
    assert!(listed.stdout.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn anyone_clones_the_logs_and_nobody_pushes_to_them() {
    let hub = TestHub::new().await;
    hub.hub().evidence().mirror_logs().await.unwrap();
    let address = hub.listen().await;
    let url = format!("http://{address}/v1/log.git");
    let (place, work) = (hub.directory(), hub.directory().join("logs"));

    succeeded(&run(place, &["clone", "--quiet", &url, "logs"]).await);

    let checkpoint = fs_err::read_to_string(work.join("control/checkpoint")).unwrap();
    let served = hub.get(Person::Nobody, "/v1/log/control/checkpoint").await;
    assert_eq!(checkpoint, served.expect(200).text());
    let size = checkpoint.lines().nth(1).unwrap();
    let bundle = format!("tile/entries/000.p/{size}");
    let kept = fs_err::read(work.join("control").join(&bundle)).unwrap();
    let served = hub
        .get(Person::Nobody, &format!("/v1/log/control/{bundle}"))
        .await;
    assert_eq!(kept, served.expect(200).body);
    commit_file(&work, "control/checkpoint", "forged").await;
    let pushed = run(&work, &["push", &url, "HEAD:main"]).await;
    assert!(!pushed.status.success());
}

const RESULT: &str = "- dataset: {id: bob/bench, task_id: default}\n  value: 1.5\n";

/// Runs git with bytes on its standard input, and gives back the name of the object that it prints.
async fn hash(work: &Path, arguments: &[&str], input: &[u8]) -> String {
    let file = work.join(".git/input");
    fs_err::write(&file, input).unwrap();
    let mut all = arguments.to_vec();
    let path = file.to_string_lossy().into_owned();
    all.push(&path);
    let made = run(work, &all).await;
    succeeded(&made);
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

async fn results_of(hub: &TestHub, model: &str) -> usize {
    let path = format!("/api/models/{model}/eval-results");
    let results = hub.get(Person::Nobody, &path).await.expect(200).json();
    results.as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
#[cfg(unix)]
async fn git_mode_tricks() {
    let hub = TestHub::new().await;
    hub.create(Person::Bob, "models/bob/tiny").await.expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Bob, address, "bob/tiny.git");
    let (place, work) = (hub.directory(), hub.directory().join("work"));
    succeeded(&run(place, &["clone", "--quiet", &url, "work"]).await);
    commit_file(&work, "elsewhere/bench.yaml", RESULT).await;
    succeeded(&run(&work, &["push", "--quiet", &url, "HEAD:main"]).await);

    // The folder of results is a link to another folder: nothing in it is a result.
    std::os::unix::fs::symlink("elsewhere", work.join(".eval_results")).unwrap();
    succeeded(&run(&work, &["add", "--all"]).await);
    succeeded(
        &run(
            &work,
            &["commit", "--quiet", "-m", "a folder that is a link"],
        )
        .await,
    );
    succeeded(&run(&work, &["push", "--quiet", &url, "HEAD:main"]).await);
    assert_eq!(results_of(&hub, "bob/tiny").await, 0);

    // A file of it is a link, or a pointer to a large file: refused.
    fs_err::remove_file(work.join(".eval_results")).unwrap();
    fs_err::create_dir(work.join(".eval_results")).unwrap();
    std::os::unix::fs::symlink(
        "../elsewhere/bench.yaml",
        work.join(".eval_results/bench.yaml"),
    )
    .unwrap();
    succeeded(&run(&work, &["add", "--all"]).await);
    succeeded(&run(&work, &["commit", "--quiet", "-m", "a file that is a link"]).await);
    let linked = run(&work, &["push", "--quiet", &url, "HEAD:main"]).await;
    assert!(!linked.status.success());
    assert!(told(&linked).contains("not a link"), "{}", told(&linked));
    fs_err::remove_file(work.join(".eval_results/bench.yaml")).unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\nsize 5\n";
    commit_file(&work, ".eval_results/bench.yaml", pointer).await;
    let pointed = run(&work, &["push", "--quiet", &url, "HEAD:main"]).await;
    assert!(!pointed.status.success());
    assert!(
        told(&pointed).contains("git-lfs pointer"),
        "{}",
        told(&pointed)
    );
    assert_eq!(results_of(&hub, "bob/tiny").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn git_duplicate_tree_entries() {
    let hub = TestHub::new().await;
    hub.create(Person::Bob, "models/bob/tiny").await.expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Bob, address, "bob/tiny.git");
    let (place, work) = (hub.directory(), hub.directory().join("work"));
    succeeded(&run(place, &["clone", "--quiet", &url, "work"]).await);
    // Another spelling of the folder is another folder.
    commit_file(&work, ".EVAL_RESULTS/bench.yaml", RESULT).await;
    succeeded(&run(&work, &["push", "--quiet", &url, "HEAD:main"]).await);
    assert_eq!(results_of(&hub, "bob/tiny").await, 0);

    // A tree that has one name twice: tools disagree on which of the two files it is.
    let blob = |text: &'static str| hash(&work, &["hash-object", "-w"], text.as_bytes());
    let (one, two) = (
        blob(RESULT).await,
        blob("- dataset: {id: bob/bench, task_id: default}\n  value: 9.5\n").await,
    );
    let mut folder = Vec::new();
    for id in [&one, &two] {
        folder.extend(b"100644 bench.yaml\0");
        folder.extend(
            (0..40)
                .step_by(2)
                .map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
        );
    }
    let literally = ["hash-object", "-t", "tree", "-w", "--literally"];
    let folder = hash(&work, &literally, &folder).await;
    let mut root = b"40000 .eval_results\0".to_vec();
    root.extend(
        (0..40)
            .step_by(2)
            .map(|at| u8::from_str_radix(&folder[at..at + 2], 16).unwrap()),
    );
    let root = hash(&work, &literally, &root).await;
    let commit = run(
        &work,
        &[
            "commit-tree",
            &root,
            "-p",
            "HEAD",
            "-m",
            "one name, two files",
        ],
    )
    .await;
    succeeded(&commit);
    let commit = String::from_utf8(commit.stdout).unwrap();
    let target = format!("{}:main", commit.trim());
    let pushed = run(&work, &["push", "--quiet", &url, &target]).await;

    assert!(!pushed.status.success(), "{}", told(&pushed));
    assert_eq!(results_of(&hub, "bob/tiny").await, 0);
}

#[expect(clippy::print_stdout, reason = "a test that is skipped must say so")]
fn say_skipped() {
    println!("skipped: git-lfs is not installed");
}
