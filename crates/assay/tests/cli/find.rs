use crate::support::{BROKEN, RECORD, Run, Workspace, pretty, record};

/// The paths that were validated, in order.
fn judged(workspace: &Workspace, args: &[&str]) -> Vec<String> {
    let mut all = vec!["validate", "--format", "json"];
    all.extend(args);
    paths(&workspace.run(&all))
}

fn paths(run: &Run) -> Vec<String> {
    let document = run.json();
    let files = document["files"].as_array().unwrap();
    files
        .iter()
        .map(|file| file["path"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn directories_are_searched_in_order_and_hidden_ones_are_not() {
    let workspace = Workspace::new()
        .with("b/run.json", BROKEN)
        .with("a/z.json", BROKEN)
        .with("a/deep/er/run.JSON", BROKEN)
        .with(".git/run.json", BROKEN)
        .with(".cache/run.json", BROKEN)
        .with(".eval_results/x.yaml", "- dataset: oops")
        .with("eval.yaml", "name: x")
        .with("package.json", "{\"name\": \"other\"}")
        .with("README.md", "# hello");

    let judged = judged(&workspace, &[]);

    assert_eq!(
        judged,
        [
            ".eval_results/x.yaml",
            "a/deep/er/run.JSON",
            "a/z.json",
            "b/run.json",
            "eval.yaml"
        ]
    );
}

#[test]
fn a_hidden_directory_that_is_named_is_searched() {
    let workspace = Workspace::new().with(".cache/run.json", BROKEN);

    assert_eq!(judged(&workspace, &[".cache"]), [".cache/run.json"]);
}

#[test]
fn a_file_is_judged_once_however_often_it_is_named() {
    let workspace = Workspace::new().with("a/run.json", BROKEN);

    let judged = judged(
        &workspace,
        &["a/run.json", "./a//run.json", "a", ".", "a/*.json"],
    );

    assert_eq!(judged, ["a/run.json"]);
}

#[test]
fn patterns_are_for_names_that_do_not_exist() {
    let workspace = Workspace::new()
        .with("x/one.json", BROKEN)
        .with("x/y/two.json", BROKEN)
        .with("x/[ab].json", BROKEN)
        .with("x/a.json", BROKEN)
        .with("x/text.md", "no");

    assert_eq!(judged(&workspace, &["x/[ab].json"]), ["x/[ab].json"]);
    assert_eq!(judged(&workspace, &["x/[ac].json"]), ["x/a.json"]);
    assert_eq!(judged(&workspace, &["x/o*.json"]), ["x/one.json"]);
    assert_eq!(judged(&workspace, &["**/t??.json"]), ["x/y/two.json"]);
    assert_eq!(
        judged(&workspace, &["./x/{one,a}.json"]),
        ["x/a.json", "x/one.json"]
    );
    assert_eq!(judged(&workspace, &["?/y"]), ["x/y/two.json"]);
    assert_eq!(judged(&workspace, &["x/*.json"]).len(), 3);
}

#[test]
fn a_pattern_that_is_none_is_explained() {
    let run = Workspace::new().run(&["validate", "a[.json"]);

    assert_eq!(run.code, Some(3));
    assert!(
        run.stdout
            .contains("there is no such file, and it is no pattern"),
        "{run}"
    );
}

#[test]
fn odd_names_are_files_like_others() {
    for name in [
        "with space.json",
        "[x].json",
        "a?*.json",
        "line\nfeed.json",
        "-dash.json",
        "ünï.json",
        "'\".json",
    ] {
        let workspace = Workspace::new().with(name, BROKEN);

        assert_eq!(judged(&workspace, &["--", name]), [name]);
        assert_eq!(judged(&workspace, &[]), [name]);
    }
}

#[test]
fn a_directory_with_the_name_of_a_file_is_a_directory() {
    let workspace = Workspace::new().with("results.json/eval.yaml/run.json", BROKEN);

    assert_eq!(judged(&workspace, &[]), ["results.json/eval.yaml/run.json"]);
    assert_eq!(
        judged(&workspace, &["results.json"]),
        ["results.json/eval.yaml/run.json"]
    );
}

#[cfg(unix)]
#[test]
fn links_to_files_are_read_and_links_to_directories_are_not_followed() {
    let workspace = Workspace::new().with("real/run.json", BROKEN);
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, workspace.path().join(name)).unwrap();
    };
    link("real/run.json", "linked.json");
    link(".", "real/loop");
    link("nowhere", "dangling.json");
    link("/dev/zero", "endless.json");

    assert_eq!(judged(&workspace, &[]), ["linked.json", "real/run.json"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_is_read_once_and_from_its_beginning() {
    let workspace = Workspace::new();

    let run = workspace.run_on(&["validate", "/dev/stdin", "--format", "json"], BROKEN);

    assert_eq!(run.json()["files"][0]["counts"]["AY006"], 1, "{run}");
}

#[cfg(unix)]
#[test]
fn a_directory_that_may_not_be_read_is_reported_and_the_rest_is_judged() {
    use std::os::unix::fs::PermissionsExt as _;

    let workspace = Workspace::new()
        .with("a/run.json", BROKEN)
        .with("shut/run.json", BROKEN);
    let shut = workspace.path().join("shut");
    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything; there is nothing to test then.
    let is_shut = std::fs::read_dir(&shut).is_err();

    let run = workspace.run(&["validate", "--format", "json"]);

    std::fs::set_permissions(&shut, std::fs::Permissions::from_mode(0o700)).unwrap();
    let expected = if is_shut {
        ("shut", Some(3))
    } else {
        ("shut/run.json", Some(1))
    };
    assert_eq!((paths(&run)[1].as_str(), run.code), expected);
}

#[test]
fn the_kind_can_be_said() {
    let workspace = Workspace::new()
        .with("dir/a.json", "{}")
        .with("dir/b.yaml", "{}")
        .with("rows.txt", "{\"sample_id\": oops}\n");

    let rows = workspace.run(&[
        "validate",
        "rows.txt",
        "--as",
        "eee-samples",
        "--format",
        "json",
    ]);

    assert_eq!(rows.json()["files"][0]["kind"], "eee-samples");
    assert_eq!(judged(&workspace, &["dir", "--as", "eee"]), ["dir/a.json"]);
}

#[test]
fn a_result_file_is_known_by_its_directory_also_from_inside_it() {
    let workspace = Workspace::new().with(".eval_results/x.yaml", "- [broken");

    let run = workspace
        .command(&["validate", "x.yaml", "--format", "json"])
        .current_dir(workspace.path().join(".eval_results"))
        .output()
        .unwrap();

    let document: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(document["files"][0]["kind"], "eval-results");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_reported_and_not_passed_over() {
    let workspace = Workspace::new().with(RECORD, pretty(&record()));
    // This can be opened by anybody, and not read from its beginning, even by root.
    let unreadable = workspace.path().join("data/broken.json");
    std::os::unix::fs::symlink("/proc/self/mem", unreadable).unwrap();

    let run = workspace.run(&["validate"]);

    assert_eq!(run.code, Some(3), "{run}");
    assert!(run.stdout.contains("error[AY001]"), "{run}");
    assert!(run.stdout.contains("data/broken.json"), "{run}");
}
