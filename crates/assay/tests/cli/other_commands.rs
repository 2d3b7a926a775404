use insta::assert_snapshot;

use crate::support::Workspace;

#[test]
fn help_and_version_exit_0_on_standard_output() {
    let workspace = Workspace::new();
    for args in [
        &["--help"][..],
        &["--version"],
        &["validate", "--help"],
        &["explain", "-h"],
    ] {
        let run = workspace.run(args);

        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{args:?}");
        assert!(run.stdout.contains("assay"), "{run}");
    }
}

#[test]
fn a_code_is_explained_by_number_and_by_name() {
    let workspace = Workspace::new();

    let by_number = workspace.run(&["explain", "ay002"]);
    let by_name = workspace.run(&["explain", "unknown-kind"]);

    assert_eq!(by_number, by_name);
    assert_snapshot!(by_number);
}

#[test]
fn a_code_that_does_not_exist_gets_a_suggestion_and_the_others_are_explained() {
    let run = Workspace::new().run(&["explain", "AY0O2", "AY999", "AY001", "banana\u{1b}"]);

    assert_eq!(run.code, Some(3));
    assert!(run.stdout.starts_with("# AY001: "), "{run}");
    assert_snapshot!(run.stderr);
}

#[test]
fn the_list_has_a_line_for_each_code() {
    let workspace = Workspace::new();

    let text = workspace.run(&["explain", "--list"]);
    let json = workspace
        .run(&["explain", "--list", "--format", "json"])
        .json();

    let listed: Vec<&str> = text.stdout.lines().map(|line| &line[..5]).collect();
    let codes: Vec<&str> = json["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["code"].as_str().unwrap())
        .collect();
    assert_eq!(listed, codes);
    assert!(codes.contains(&"AY101") && codes.is_sorted(), "{codes:?}");
}

#[test]
fn a_page_is_set_for_a_terminal_when_colours_are_wanted() {
    let run = Workspace::new().run(&["explain", "AY001", "--color", "always"]);

    assert!(run.stdout.starts_with("\u{1b}[1mAY001: "), "{run}");
}

#[test]
fn schemas_are_printed_in_the_version_asked_for() {
    let workspace = Workspace::new();

    let current = workspace.run(&["schema", "eee"]).json();
    let old = workspace
        .run(&["schema", "eee-samples", "--schema-version", "0.2.0"])
        .json();

    assert_eq!(current["title"], "Every Eval Ever record, version 0.3.0");
    assert_eq!(current["properties"]["evaluation_results"]["type"], "array");
    for kind in ["eval-yaml", "eval-results"] {
        assert!(workspace.run(&["schema", kind]).json()["title"].is_string());
    }
    assert_eq!(old["title"], "Every Eval Ever sample, version 0.2.0");
    assert!(old["properties"]["interactions"].is_object());
}

#[test]
fn a_version_that_was_never_published_is_refused() {
    let run = Workspace::new().run(&["schema", "eee", "--schema-version", "9.9.9"]);

    assert_eq!(run.code, Some(3));
    assert!(run.stderr.contains("0.3.0"), "{run}");
}

#[test]
fn completions_are_printed_for_every_shell() {
    let workspace = Workspace::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = workspace.run(&["completions", shell]);

        assert_eq!(run.code, Some(0), "{shell}");
        assert!(run.stdout.contains("deny-warnings"), "{shell}");
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let workspace = Workspace::new();

    let page = workspace.run(&["man"]);
    let written = workspace.run(&["man", "--out", "share/man1"]);

    assert_eq!((page.code, written.code), (Some(0), Some(0)), "{written}");
    assert!(page.stdout.contains(".TH assay 1"), "{page}");
    for name in [
        "assay",
        "assay-validate",
        "assay-explain",
        "assay-schema",
        "assay-completions",
        "assay-man",
    ] {
        assert!(
            workspace
                .read(&format!("share/man1/{name}.1"))
                .contains(".SH NAME"),
            "{name}"
        );
    }
    assert!(
        workspace
            .read("share/man1/assay-validate.1")
            .contains("Examples:")
    );
}

#[test]
fn a_manual_that_cannot_be_written_is_a_failure() {
    let workspace = Workspace::new().with("file", "");

    let run = workspace.run(&["man", "--out", "file/man1"]);

    assert_eq!(run.code, Some(3));
    assert!(
        run.stderr
            .starts_with("error: the manual cannot be written: "),
        "{run}"
    );
}
