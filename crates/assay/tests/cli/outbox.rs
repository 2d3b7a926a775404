//! `assay outbox` and `assay run` while no hub can be reached.

use std::path::Path;

use serde_json::Value;

use crate::support::{Run, Workspace};

const LOG: &[u8] = include_bytes!("../../../assay-convert/tests/fixtures/inspect/mcq.eval");
/// An address that nobody answers at.
const NO_HUB: &str = "http://127.0.0.1:9";
const SUBMIT: [&str; 6] = [
    "--model",
    "acme/model-x",
    "--benchmark",
    "acme/sums",
    "--task",
    "words",
];

fn run(workspace: &Workspace, args: &[&str]) -> Run {
    let output = workspace
        .command(args)
        .env("ASSAY_HUB", NO_HUB)
        .env("ASSAY_TOKEN", "hf_none")
        .env("ASSAY_OUTBOX", workspace.path().join("outbox"))
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn items(workspace: &Workspace) -> Vec<Value> {
    let listed = run(workspace, &["outbox", "list", "--format", "json"]);
    listed.json()["items"].as_array().unwrap().clone()
}

fn add(workspace: &Workspace) -> String {
    let args = [&["outbox", "add", "run.eval", "--"][..], &SUBMIT].concat();
    let added = run(workspace, &args);
    assert_eq!(added.code, Some(0), "{added}");
    added.stdout.trim().to_owned()
}

fn copy_of_log(workspace: &Workspace, id: &str) -> Vec<u8> {
    let path = workspace.path().join("outbox").join(id);
    std::fs::read(path.join("files/0/run.eval")).unwrap()
}

#[test]
fn a_submission_waits_with_its_log_and_its_reason_until_it_is_removed() {
    let workspace = Workspace::new().with("run.eval", LOG);
    let id = add(&workspace);
    std::fs::remove_file(workspace.path().join("run.eval")).unwrap();

    let sent = run(&workspace, &["outbox", "send"]);

    assert_eq!(sent.code, Some(3), "{sent}");
    assert!(sent.stderr.contains("not sent yet"), "{sent}");
    let waiting = items(&workspace);
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0]["id"], id);
    let submission = &waiting[0]["submission"];
    assert_eq!(submission["attempts"], 1, "{submission}");
    assert_eq!(submission["state"], "waiting", "{submission}");
    assert_eq!(submission["hub"], NO_HUB);
    let reason = submission["last_error"].as_str().unwrap();
    assert!(reason.contains(NO_HUB), "{reason}");
    assert_eq!(copy_of_log(&workspace, &id), LOG);
    let removed = run(&workspace, &["outbox", "remove", &id]);
    assert_eq!(removed.code, Some(0), "{removed}");
    assert!(items(&workspace).is_empty());
    let again = run(&workspace, &["outbox", "remove", &id]);
    assert_eq!(again.code, Some(3), "{again}");
}

#[test]
fn an_outbox_keeps_no_credential_and_nothing_that_cannot_be_submitted() {
    let workspace = Workspace::new().with("run.eval", LOG);
    let secret = [&["outbox", "add", "run.eval", "--"][..], &SUBMIT].concat();
    let secret = [&secret[..], &["--credential", "evp_secret"]].concat();

    let refused = run(&workspace, &secret);
    let unknown = run(
        &workspace,
        &["outbox", "add", "run.eval", "--", "--nonsense"],
    );
    let absent = run(
        &workspace,
        &[&["outbox", "add", "absent.eval", "--"][..], &SUBMIT].concat(),
    );

    for (refusal, words) in [
        (refused, "ASSAY_CREDENTIAL"),
        (unknown, "--nonsense"),
        (absent, "absent.eval"),
    ] {
        assert_eq!(refusal.code, Some(3), "{refusal}");
        assert!(refusal.stderr.contains(words), "{refusal}");
    }
    assert!(items(&workspace).is_empty());
}

#[test]
fn a_run_ends_as_its_command_ends() {
    let workspace = Workspace::new();
    let ends = |command: &[&str]| {
        let args = [&["run"][..], &SUBMIT, &["--"], command].concat();
        run(&workspace, &args)
    };

    let failed = ends(&["sh", "-c", "echo told; exit 7"]);
    let killed = ends(&["sh", "-c", "kill -9 $$"]);
    let absent = ends(&["no-such-harness"]);
    let silent = ends(&["true"]);

    assert_eq!(failed.code, Some(7), "{failed}");
    assert_eq!(failed.stdout, "told\n");
    assert_eq!(killed.code, Some(128 + 9), "{killed}");
    assert_eq!(absent.code, Some(127), "{absent}");
    assert_eq!(silent.code, Some(0), "{silent}");
    assert!(silent.stderr.contains("wrote no log"), "{silent}");
    assert!(items(&workspace).is_empty());
}

#[test]
fn a_run_finds_the_logs_below_the_current_directory_without_being_told() {
    let workspace = Workspace::new().with("source.bin", LOG);
    let copy = "mkdir -p logs && cp source.bin logs/run.eval";
    let args = [&["run"][..], &SUBMIT, &["--", "sh", "-c", copy]].concat();

    let ended = run(&workspace, &args);

    assert_eq!(ended.code, Some(0), "{ended}");
    assert_eq!(items(&workspace).len(), 1, "{ended}");
}

#[test]
fn the_new_logs_of_a_run_wait_when_the_hub_is_away_and_its_exit_code_is_its_own() {
    let workspace = Workspace::new()
        .with("source.bin", LOG)
        .with("logs/old.eval", LOG);
    let copy = "mkdir -p logs && cp source.bin logs/run.eval";
    let args = [
        &["run", "--logs", "logs"][..],
        &SUBMIT,
        &["--", "sh", "-c", copy],
    ]
    .concat();

    let ended = run(&workspace, &args);

    assert_eq!(ended.code, Some(0), "{ended}");
    let waiting = items(&workspace);
    assert_eq!(waiting.len(), 1, "{ended}");
    let (id, submission) = (
        waiting[0]["id"].as_str().unwrap(),
        &waiting[0]["submission"],
    );
    assert_eq!(copy_of_log(&workspace, id), LOG);
    let arguments = submission["arguments"].to_string();
    assert!(arguments.contains("sh -c mkdir"), "{arguments}");
    let description = submission["evidence"][0].as_str().unwrap();
    let description = workspace.read(
        Path::new("outbox")
            .join(id)
            .join(description)
            .to_str()
            .unwrap(),
    );
    let description: Value = serde_json::from_str(&description).unwrap();
    assert_eq!(description["command"][2], copy, "{description}");
    assert_eq!(description["exit_code"], 0);
}
