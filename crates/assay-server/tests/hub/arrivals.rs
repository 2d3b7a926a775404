//! Every commit that a ref can reach was looked at, by whichever way it came.

use std::path::{Path, PathBuf};

use assay_server::{Person, TestHub};
use serde_json::json;

use crate::git::{commit_file, run, succeeded, told, with_token};

const MODEL: &str = "/api/models/alice/small";
const BAD_RESULTS: &str = "- dataset: {id: alice/bench, task_id: default}\n  value: high\n";
const BAD_BENCHMARK: &str = "name: Bench\nmetrics: none\n";

/// A hub with a repository of Alice's, and a clone of it.
async fn hub_with_clone(repo: &str, path: &str) -> (TestHub, PathBuf) {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, repo).await.expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Alice, address, path);
    succeeded(&run(hub.directory(), &["clone", "--quiet", &url, "work"]).await);
    let work = hub.directory().join("work");
    (hub, work)
}

async fn output(work: &Path, arguments: &[&str]) -> String {
    let output = run(work, arguments).await;
    succeeded(&output);
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Returns the output of a line of shell, in a clone.
async fn shell(work: &Path, script: &str) -> String {
    let alias = format!("alias.do=!{script}");
    output(work, &["-c", &alias, "do"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_below_one_that_mended_it_is_judged_when_a_ref_comes_to_it() {
    for (repo, path, file, bad) in [
        (
            "models/alice/small",
            "alice/small",
            ".eval_results/bench.yaml",
            BAD_RESULTS,
        ),
        (
            "datasets/alice/bench",
            "datasets/alice/bench",
            "eval.yaml",
            BAD_BENCHMARK,
        ),
    ] {
        let (hub, work) = hub_with_clone(repo, path).await;
        commit_file(&work, "b.txt", "offered").await;
        succeeded(&run(&work, &["push", "origin", "HEAD:refs/pr/new"]).await);
        commit_file(&work, file, bad).await;
        let broken = output(&work, &["rev-parse", "HEAD"]).await;
        succeeded(&run(&work, &["rm", "--quiet", file]).await);
        succeeded(&run(&work, &["commit", "--quiet", "-m", "Mend"]).await);
        succeeded(&run(&work, &["push", "origin", "HEAD:side"]).await);

        for name in ["heads/main", "heads/other", "tags/v1", "pr/1", "pr/new"] {
            let place = format!("{broken}:refs/{name}");
            let pushed = run(&work, &["push", "origin", &place]).await;

            assert!(!pushed.status.success(), "{name}");
            let text = told(&pushed);
            assert!(text.contains(&format!("{file}:")), "{name}: {text}");
        }
        let api = format!("/api/{repo}");
        let start = json!({ "startingPoint": &broken });
        let branch = hub
            .post(Person::Alice, &format!("{api}/branch/x"), start)
            .await;
        let tag = format!("{api}/tag/{broken}");
        for tag_of in [
            json!({ "tag": "v1" }),
            json!({ "tag": "v1", "message": "m" }),
        ] {
            let answer = hub.post(Person::Alice, &tag, tag_of).await;
            assert_eq!(answer.status, branch.status);
        }
        assert!(branch.status >= 400 && branch.text().contains(file));
        // What a ref points at already may be named by another.
        let side = json!({ "startingPoint": "side" });
        hub.post(Person::Alice, &format!("{api}/branch/y"), side)
            .await
            .expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_with_a_push_that_was_refused_is_looked_at_when_it_comes_again() {
    let (_hub, work) = hub_with_clone("models/alice/small", "alice/small").await;
    let tree = shell(
        &work,
        r"printf '100644 blob %s\ta\nb\0' $(echo x | git hash-object -w --stdin) | git mktree -z",
    )
    .await;
    let odd = output(&work, &["commit-tree", &tree, "-p", "HEAD", "-m", "odd"]).await;
    commit_file(&work, "b.txt", "fine").await;

    // Of two refs one is refused, and the objects of both are in the pack.
    let both = [
        "push",
        "origin",
        "HEAD:refs/heads/side",
        &format!("{odd}:refs/assay/x"),
    ];
    let both = run(&work, &both).await;
    let alone = run(&work, &["push", "origin", &format!("{odd}:refs/heads/odd")]).await;

    assert!(told(&both).contains("HEAD -> side"), "{}", told(&both));
    assert!(!alone.status.success());
    assert!(
        told(&alone).contains("is not a valid path"),
        "{}",
        told(&alone)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_that_may_not_be_are_found_on_every_parent_of_a_merge() {
    let (_hub, work) = hub_with_clone("models/alice/small", "alice/small").await;
    for name in [
        r"\033[31mred",
        r"a\nb",
        r"\377\376",
        &"x".repeat(4000),
        &"x".repeat(256),
    ] {
        let script = format!(
            r"printf '100644 blob %s\t{name}\0' $(echo x | git hash-object -w --stdin) | git mktree -z"
        );
        let tree = shell(&work, &script).await;
        let odd = output(&work, &["commit-tree", &tree, "-p", "HEAD", "-m", "odd"]).await;
        let merge = [
            "commit-tree",
            "HEAD^{tree}",
            "-p",
            "HEAD",
            "-p",
            &odd,
            "-m",
            "merge",
        ];
        let merge = output(&work, &merge).await;

        for place in ["main", "side", "refs/tags/v1", "refs/pr/new"] {
            let place = match place.strip_prefix("refs/") {
                Some(_) => format!("{merge}:{place}"),
                None => format!("{merge}:refs/heads/{place}"),
            };
            let pushed = run(&work, &["push", "origin", &place]).await;

            assert!(!pushed.status.success(), "{name} {place}");
            let text = told(&pushed);
            assert!(
                text.contains("is not a valid path"),
                "{name} {place}: {text}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_is_not_charged_for_what_its_parents_brought() {
    let hub = TestHub::with(|config| config.limits.commit_files = 2).await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Alice, address, "alice/small");
    succeeded(&run(hub.directory(), &["clone", "--quiet", &url, "work"]).await);
    let work = hub.directory().join("work");
    succeeded(&run(&work, &["checkout", "--quiet", "-b", "side"]).await);
    for name in ["a", "b", "c"] {
        commit_file(&work, name, name).await;
    }
    succeeded(&run(&work, &["checkout", "--quiet", "main"]).await);
    commit_file(&work, "d", "d").await;
    let merge = ["merge", "--quiet", "--no-edit", "side"];
    succeeded(&run(&work, &merge).await);

    let pushed = run(&work, &["push", "origin", "main"]).await;

    succeeded(&pushed);
}

#[tokio::test]
async fn a_part_of_a_path_that_no_file_system_holds_is_refused_by_the_api() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let (longest, longer) = (
        format!("data/{}", "x".repeat(255)),
        format!("data/{}", "x".repeat(256)),
    );

    let fits = hub
        .commit(Person::Alice, "models/alice/small", &[(&longest, "1")])
        .await;
    let refused = hub
        .commit(Person::Alice, "models/alice/small", &[(&longer, "1")])
        .await;

    fits.expect(200);
    let text = refused.text();
    assert!(
        (400..500).contains(&refused.status) && text.contains("at most 255 bytes"),
        "{} {text}",
        refused.status
    );
}

#[tokio::test]
async fn branches_and_tags_that_look_like_something_else_are_refused_with_a_sentence() {
    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let deep = vec!["a"; 101].join("%2F");
    for name in [
        "4f6e0e1f7a0c1b2d3e4f5a6b7c8d9e0f1a2b3c4d",
        "HEAD",
        "refs%2Fpr%2F1",
        "-x",
        &deep,
    ] {
        let branch = format!("{MODEL}/branch/{name}");
        let branch = hub.post(Person::Alice, &branch, json!({})).await;
        let tag = json!({ "tag": name.replace("%2F", "/") });
        let tag = hub
            .post(Person::Alice, &format!("{MODEL}/tag/main"), tag)
            .await;

        assert_eq!((branch.status, tag.status), (400, 400), "{name}");
        assert!(branch.text().contains("may not") || branch.text().contains("at most"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_git_refuses_in_its_own_files_is_refused_by_the_api_as_well() {
    let (hub, work) = hub_with_clone("models/alice/small", "alice/small").await;
    let repo = "models/alice/small";
    let submodule = |url: &str| format!("[submodule \"x\"]\n\tpath = x\n\turl = {url}\n");
    let (good, bad) = (
        submodule("https://example.org/x"),
        submodule("--upload-pack=touch"),
    );
    let long = format!("{} text\n", "x".repeat(3000));

    let fine = hub
        .commit(Person::Alice, repo, &[(".gitmodules", &good)])
        .await;
    let mut refused = Vec::new();
    for (path, content) in [
        (".gitmodules", &bad),
        ("sub/.GITMODULES", &bad),
        ("GITMOD~1", &bad),
        (".gitattributes", &long),
    ] {
        refused.push(hub.commit(Person::Alice, repo, &[(path, content)]).await);
    }

    fine.expect(200);
    for answer in refused {
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert!(
            answer.text().contains("is refused by git"),
            "{}",
            answer.text()
        );
    }
    // So the repository can be pushed to and cloned by those who check.
    succeeded(&run(&work, &["pull", "--quiet", "--ff-only", "origin", "main"]).await);
    commit_file(&work, "b.txt", "1").await;
    succeeded(&run(&work, &["push", "--quiet", "origin", "HEAD:main"]).await);
    let url = output(&work, &["remote", "get-url", "origin"]).await;
    let clone = [
        "-c",
        "transfer.fsckObjects=true",
        "clone",
        "--quiet",
        &url,
        "again",
    ];
    succeeded(&run(hub.directory(), &clone).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tree_that_pretends_to_have_millions_of_files_is_refused_with_a_sentence() {
    let (_hub, work) = hub_with_clone("models/alice/small", "alice/small").await;
    let script = r#"sh -c '
        t=$(echo x | git hash-object -w --stdin); kind="100644 blob"
        for level in 1 2 3 4 5 6; do
            t=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf "%s %s\t%s\n" "$kind" $t $n; done | git mktree)
            kind="040000 tree"
        done; echo $t'"#;
    let tree = shell(&work, script).await;
    let commit = output(&work, &["commit-tree", &tree, "-p", "HEAD", "-m", "m"]).await;

    let pushed = run(
        &work,
        &["push", "origin", &format!("{commit}:refs/heads/x")],
    )
    .await;

    assert!(!pushed.status.success());
    let text = told(&pushed);
    assert!(text.contains("has more than 500000 files"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_that_pushes_too_much_at_once_is_told_to_wait() {
    let hub = TestHub::with(|config| config.limits.pushes_at_once = 0).await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let address = hub.listen().await;
    let url = with_token(&hub, Person::Alice, address, "alice/small");
    succeeded(&run(hub.directory(), &["clone", "--quiet", &url, "work"]).await);
    let work = hub.directory().join("work");
    commit_file(&work, "b.txt", "1").await;

    let pushed = run(&work, &["push", "origin", "HEAD:main"]).await;

    assert!(told(&pushed).contains("429"), "{}", told(&pushed));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_of_25000_files_by_the_api_needs_few_descriptors() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let hub = TestHub::new().await;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let paths: Vec<String> = (0..25_000).map(|n| format!("d/{}/{n}", n % 50)).collect();
    let files: Vec<(&str, &str)> = paths
        .iter()
        .map(|path| (path.as_str(), path.as_str()))
        .collect();
    let is_done = Arc::new(AtomicBool::new(false));
    let counted = std::thread::spawn({
        let is_done = Arc::clone(&is_done);
        move || {
            let mut most = 0;
            while !is_done.load(Ordering::Relaxed) {
                most = most.max(std::fs::read_dir("/proc/self/fd").unwrap().count());
            }
            most
        }
    });

    let committed = hub
        .commit(Person::Alice, "models/alice/small", &files)
        .await;
    is_done.store(true, Ordering::Relaxed);

    committed.expect(200);
    let most = counted.join().unwrap();
    assert!(most < 1024, "{most} descriptors");
    let file = hub
        .get(Person::Nobody, "/alice/small/resolve/main/d/49/24999")
        .await;
    assert_eq!(file.expect(200).text(), "d/49/24999");
}
