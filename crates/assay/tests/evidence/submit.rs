use serde_json::Value;

use crate::hub::{BENCHMARK, FILE, Hub, MODEL};
use crate::logs::{LOG, harness_log, record};

/// A result file as a person writes it: with a key that no tool knows, and a comment.
const WRITTEN: &str = "\
# by hand
- dataset:
    id: alice/Sums
    task_id: digits # the hard one
  metrics:
    - metric_id: accuracy
      value: 20.90
    - metric_id: f1
      value: 0.5
  framework: {name: inspect-ai, version: \"0.4.2\"}
  artifacts:
    log: s3://bucket/run.eval
  notes: no-tools
";

/// The line that submits a log.
fn line<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let line = [
        "submit",
        LOG,
        "--benchmark",
        BENCHMARK,
        "--task",
        "sums",
        "--model",
        MODEL,
    ];
    line.into_iter().chain(more.iter().copied()).collect()
}

fn results(hub: &Hub) -> Vec<Value> {
    let info = hub.get(&format!("/api/models/{MODEL}?expand=evalResults"));
    info["evalResults"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_harness_log_becomes_an_open_pull_request_and_a_second_run_finds_it() {
    let hub = Hub::start();
    hub.write(LOG, harness_log(None));

    let first = hub.run(&line(&["--command", "lm_eval --tasks sums"]), &hub.bob);
    let again = hub.run(&line(&["--command", "lm_eval --tasks sums"]), &hub.bob);

    assert_eq!(first.code, Some(0), "{first}");
    let opened = format!(
        "opened pull request 1 of `{MODEL}`: {}/{MODEL}/discussions/1",
        hub.url
    );
    assert!(first.stdout.starts_with(&opened), "{first}");
    assert!(
        first
            .stdout
            .contains("alice/Sums sums: accuracy 75; unverified (no_token)"),
        "{first}"
    );
    assert_eq!(again.code, Some(0), "{again}");
    assert!(again.stdout.starts_with("nothing to do"), "{again}");
    assert!(again.stdout.contains("in open pull request 1"), "{again}");
    let results = results(&hub);
    assert_eq!(results.len(), 1, "{results:?}");
    let data = &results[0]["data"];
    assert_eq!(results[0]["pullRequest"], 1);
    assert_eq!(data["value"], 75.0);
    assert_eq!(
        data["dataset"]["revision"],
        hub.commit_of("datasets", BENCHMARK)
    );
    assert_eq!(data["model_revision"], hub.commit_of("models", MODEL));
    assert_eq!(data["framework"]["name"], "lm-evaluation-harness");
    assert_eq!(data["framework"]["version"], "0.4.9");
    assert_eq!(data["framework"]["command"], "lm_eval --tasks sums");
}

#[test]
fn a_merged_entry_is_found_though_the_main_branch_has_moved() {
    let hub = Hub::start();
    hub.write(LOG, harness_log(None));
    hub.run(&line(&[]), &hub.bob);
    let merged = hub.run(&["hub", "pr", "merge", MODEL, "1"], &hub.alice);
    assert_eq!(merged.code, Some(0), "{merged}");

    let again = hub.run(&line(&["--format", "json"]), &hub.bob);

    assert_eq!(again.code, Some(0), "{again}");
    let document = again.json();
    assert_eq!(document["entries"][0]["status"], "merged");
    assert_eq!(document["pull_request"], Value::Null);
    assert_eq!(results(&hub).len(), 1);
}

#[test]
fn a_dry_run_prints_the_file_and_sends_nothing() {
    let hub = Hub::start();
    let commit = hub.commit_of("models", MODEL);
    hub.write(LOG, harness_log(Some(&commit)));

    let run = hub.run(&line(&["--dry-run"]), &hub.bob);

    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("      value: 75\n"), "{run}");
    assert!(
        run.stdout
            .contains(&format!("  model_revision: \"{commit}\"\n")),
        "{run}"
    );
    assert!(run.stdout.contains("nothing was sent"), "{run}");
    assert!(
        !run.stderr.contains(&format!("the commit of `{MODEL}`")),
        "{run}"
    );
    assert_eq!(results(&hub), Vec::<Value>::new());
}

#[test]
fn a_result_file_keeps_every_byte_but_for_the_commits_that_it_lacks() {
    let hub = Hub::start();
    let file = hub.write("results.yaml", WRITTEN);

    let run = hub.run(
        &["submit", file.to_str().unwrap(), "--model", MODEL],
        &hub.bob,
    );

    assert_eq!(run.code, Some(0), "{run}");
    let (benchmark, model) = (
        hub.commit_of("datasets", BENCHMARK),
        hub.commit_of("models", MODEL),
    );
    let expected = WRITTEN.replace("# by hand\n", "").replace(
        "the hard one\n",
        &format!("the hard one\n    revision: \"{benchmark}\"\n"),
    ) + &format!("  model_revision: \"{model}\"\n");
    assert_eq!(
        hub.text(&format!("/{MODEL}/resolve/refs%2Fpr%2F1/{FILE}")),
        expected
    );
    assert_eq!(std::fs::read_to_string(file).unwrap(), WRITTEN);
}

#[test]
fn a_record_is_submitted_like_a_log_with_the_commit_that_it_tells() {
    let hub = Hub::start();
    let commit = hub.commit_of("models", MODEL);
    // The model has moved on since the run.
    hub.commit("models", MODEL, "README.md", "# later");
    let file = hub.write("record.json", record(&commit));
    let line = [
        "submit",
        file.to_str().unwrap(),
        "--benchmark",
        BENCHMARK,
        "--task",
        "sums",
        "--model",
        MODEL,
        "--format",
        "json",
    ];

    let run = hub.run(&line, &hub.bob);
    let refused = hub.run(
        &[&line[..], &["--model-revision", "main"]].concat(),
        &hub.bob,
    );

    assert_eq!(run.code, Some(0), "{run}");
    let results = results(&hub);
    assert_eq!(results[0]["data"]["model_revision"], commit, "{run}");
    assert_eq!(results[0]["data"]["value"], 75.0);
    assert_eq!(results[0]["data"]["framework"]["name"], "inspect-ai");
    assert_eq!(refused.code, Some(1), "{refused}");
    assert!(refused.stderr.contains("by the command line"), "{refused}");
}

#[test]
fn entries_are_added_behind_what_the_model_has() {
    let hub = Hub::start();
    let before = WRITTEN
        .replace("20.90", "21.5")
        .replace("no-tools", "tools");
    hub.commit("models", MODEL, FILE, &before);
    hub.write(LOG, harness_log(None));
    let file = hub.write("results.yaml", WRITTEN);

    let run = hub.run(
        &line(&["--format", "json", "--title", "Two results"])
            .into_iter()
            .chain([file.to_str().unwrap()])
            .collect::<Vec<_>>(),
        &hub.bob,
    );
    let both = hub.run(
        &[
            "submit",
            file.to_str().unwrap(),
            "--model",
            MODEL,
            "--format",
            "json",
        ],
        &hub.bob,
    );

    // The file has no entry for the task that was named, so the log alone was sent.
    assert_eq!((run.code, both.code), (Some(0), Some(0)), "{run}{both}");
    assert_eq!(run.json()["entries"].as_array().unwrap().len(), 1, "{run}");
    let first = hub.text(&format!("/{MODEL}/resolve/refs%2Fpr%2F1/{FILE}"));
    let second = hub.text(&format!("/{MODEL}/resolve/refs%2Fpr%2F2/{FILE}"));
    assert!(
        first.starts_with(&before) && first.contains("value: 75\n"),
        "{first}"
    );
    assert!(
        second.starts_with(&before) && second.contains("value: 20.90\n"),
        "{second}"
    );
    let title = hub.get(&format!("/api/models/{MODEL}/discussions/1"))["title"].clone();
    assert_eq!(title, "Two results");
}

#[test]
fn what_cannot_become_results_is_refused_with_the_reason() {
    let hub = Hub::start();
    hub.write(LOG, harness_log(None));
    let file = hub.write("results.yaml", WRITTEN);
    let file = file.to_str().unwrap();
    let unknown_task = WRITTEN.replace("digits", "letters");
    let unknown_task = hub.write("unknown.yaml", unknown_task);
    let flow = hub.write("flow.yaml", "[{dataset: {id: alice/Sums, task_id: sums}, value: 1}, {dataset: {id: alice/Sums, task_id: digits}, value: 1}]\n");
    let cases: [(&[&str], i32, &str); 9] = [
        (
            &["submit", LOG, "--model", MODEL],
            3,
            "give `--benchmark` and `--task`",
        ),
        (
            &[
                "submit",
                "nothing.eval",
                "--model",
                MODEL,
                "--benchmark",
                BENCHMARK,
                "--task",
                "sums",
            ],
            3,
            "`nothing.eval`: there is no such file or directory",
        ),
        (
            &["submit", file, "--model", "alice/nothing"],
            1,
            "create it with `assay hub repo create alice/nothing`",
        ),
        (
            &[
                "submit",
                LOG,
                "--model",
                MODEL,
                "--benchmark",
                "alice/Nothing",
                "--task",
                "sums",
            ],
            1,
            "the benchmark `alice/Nothing`",
        ),
        (
            &[
                "submit",
                file,
                "--model",
                MODEL,
                "--benchmark",
                BENCHMARK,
                "--task",
                "sums",
            ],
            1,
            "no entry of the files",
        ),
        (
            &[
                "submit",
                file,
                "--model",
                MODEL,
                "--model-revision",
                "no-such-branch",
            ],
            1,
            "the model `alice/model-x`",
        ),
        (
            &["submit", unknown_task.to_str().unwrap(), "--model", MODEL],
            1,
            "AY3",
        ),
        (
            &["submit", flow.to_str().unwrap(), "--model", MODEL],
            1,
            "block style",
        ),
        (
            &[
                "submit",
                file,
                "--model",
                MODEL,
                "--hub",
                "http://127.0.0.1:1",
            ],
            3,
            "cannot be reached",
        ),
    ];
    for (args, code, expected) in cases {
        let run = hub.run(args, &hub.bob);

        assert_eq!(run.code, Some(code), "{args:?}\n{run}");
        assert!(run.stderr.contains(expected), "{args:?}\n{run}");
    }
    assert_eq!(results(&hub), Vec::<Value>::new());
}

#[test]
fn nobody_submits_anonymously() {
    let hub = Hub::start();
    hub.write(LOG, harness_log(None));

    let run = hub.run_with(&line(&[]), &[]);

    assert_eq!(run.code, Some(1), "{run}");
    assert_eq!(results(&hub), Vec::<Value>::new());
}
