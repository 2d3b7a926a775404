use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use crate::support::{Run, Workspace};

const BENCHMARK: &str = "\
name: Humanity's Last Exam
description: Expert questions in words and pictures.
metrics:
  - id: accuracy
    display_name: Accuracy
    higher_is_better: true
    primary: true
tasks:
  - id: hle
    config: default
    split: test
";

fn results(dataset: &str, task: &str) -> String {
    format!(
        "- dataset:\n    id: {dataset}\n    task_id: {task}\n  metrics:\n    - metric_id: accuracy\n      value: 20.90\n"
    )
}

/// Answers every request with one answer, on a thread that ends with the test.
fn serve(answer: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let head = BufReader::new(connection.try_clone().unwrap())
                .lines()
                .map_while(Result::ok);
            head.take_while(|line| !line.is_empty()).for_each(drop);
            let _ = connection.write_all(answer.as_bytes());
        }
    });
    address
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn codes(run: &Run) -> Vec<String> {
    let document = run.json();
    let counts = document["files"][0]["counts"].as_object().unwrap();
    counts.keys().cloned().collect()
}

fn ask(hub: &str, task: &str) -> Run {
    Workspace::new()
        .with(".eval_results/hle.yaml", results("cais/hle", task))
        .run(&["validate", "--format", "json", "--hub", hub])
}

#[test]
fn a_task_is_looked_up_in_checkouts() {
    let workspace = Workspace::new()
        .with("benchmarks/cais/hle/eval.yaml", BENCHMARK)
        .with("model/.eval_results/hle.yaml", results("cais/hle", "hle"))
        .with("wrong/.eval_results/hle.yaml", results("cais/hle", "hel"))
        .with("other/.eval_results/hla.yaml", results("cais/hla", "hle"));
    let judge = |directory: &str| {
        workspace.run(&[
            "validate",
            directory,
            "--format",
            "json",
            "--benchmarks",
            "benchmarks",
        ])
    };

    let (good, task, benchmark) = (judge("model"), judge("wrong"), judge("other"));

    assert_eq!(good.json()["summary"]["errors"], 0, "{good}");
    assert_eq!(codes(&task), ["AY324"], "{task}");
    assert_eq!(codes(&benchmark), ["AY322"], "{benchmark}");
    assert!(benchmark.stdout.contains("did you mean `cais/hle`?"));
}

#[test]
fn a_task_is_looked_up_on_a_hub() {
    let hub = serve(answer("200 OK", "", BENCHMARK));

    let (good, wrong) = (ask(&hub, "hle"), ask(&hub, "hel"));

    assert_eq!(good.json()["summary"]["errors"], 0, "{good}");
    assert_eq!(codes(&wrong), ["AY324"], "{wrong}");
}

#[test]
fn a_benchmark_that_the_hub_does_not_know_is_an_error() {
    let hub = serve(answer(
        "404 Not Found",
        "x-error-code: RepoNotFound\r\n",
        "",
    ));

    let run = ask(&hub, "hle");

    assert_eq!((codes(&run), run.code), (vec!["AY322".to_owned()], Some(1)));
}

#[test]
fn a_definition_on_the_hub_that_is_garbage_is_an_error_of_its_own() {
    let hub = serve(answer("200 OK", "", "<!doctype html>"));

    let run = ask(&hub, "hle");

    assert_eq!((codes(&run), run.code), (vec!["AY323".to_owned()], Some(1)));
}

#[test]
fn a_hub_that_cannot_be_reached_exits_3_and_names_the_address() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let hub = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);

    let run = ask(&hub, "hle");

    assert_eq!(run.code, Some(3));
    let url = format!("`{hub}/datasets/cais/hle/resolve/main/eval.yaml`");
    assert!(
        run.stderr
            .starts_with(&format!("error: the hub cannot be reached at {url}: ")),
        "{run}"
    );
    assert_eq!(codes(&run), Vec::<String>::new());
    assert_eq!(run.json()["summary"]["exit_code"], 3);
}

#[test]
fn a_file_is_renamed_and_judged_under_its_new_name() {
    let text = results("cais/hle", "hle");
    let workspace = Workspace::new().with(".eval_results/hle.yml", &text);

    let run = workspace.run(&["validate", "--fix", ".eval_results/hle.yml"]);

    assert!(
        run.stdout
            .starts_with("fixed[AY321]: .eval_results/hle.yml: "),
        "{run}"
    );
    assert!(run.stdout.contains("; renamed to `hle.yaml`\n"));
    assert_eq!(workspace.read(".eval_results/hle.yaml"), text);
    assert!(!workspace.path().join(".eval_results/hle.yml").exists());
    assert!(!run.stdout.contains("AY001"), "{run}");
}

#[test]
fn a_name_that_is_taken_is_left_alone() {
    let text = results("cais/hle", "hle");
    let workspace = Workspace::new()
        .with(".eval_results/hle.yaml", "[]\n")
        .with(".eval_results/hle.yml", &text);

    let run = workspace.run(&["validate", "--fix", ".eval_results/hle.yml"]);

    assert!(!run.stdout.contains("fixed["), "{run}");
    assert_eq!(workspace.read(".eval_results/hle.yaml"), "[]\n");
    assert_eq!(workspace.read(".eval_results/hle.yml"), text);
}
