//! The traps between what is published, what is live and what clients read, by their numbers in the
//! list of traps.

use assay_check::{Context, Validated, ValidatedFile};
use assay_model::Severity;

use crate::support::{Shelf, finding, findings, findings_with, judged, lines, only, renamed};

const NONE: [&str; 0] = [];
const SHA: &str = "5503434ddd753f426f4b38109466949a1217c2bb";

fn benchmark_with_task(task: &str) -> String {
    format!(
        "name: Sums\ndescription: Adding up.\nevaluation_framework: inspect-ai\nmetrics: [{{id: acc, display_name: A, higher_is_better: true}}]\ntasks:\n  - id: main\n    field_spec: {{input: question, target: answer}}\n    solvers: [{{name: generate}}]\n    {task}\n"
    )
}

fn shelf(id: &str, task: &str) -> Shelf {
    let text = format!("name: A\ndescription: B\ntasks: [{{id: \"{task}\"}}]\n");
    Shelf::default().with(id, &text)
}

fn live(id: &str, task: &str) -> String {
    format!("- dataset: {{id: {id}, task_id: {task}}}\n  value: 20.9\n")
}

#[test]
fn t01_both_dialects_of_an_entry_are_taken() {
    let live = format!(
        "- dataset: {{id: acme/sums, task_id: main, revision: {SHA}}}\n  value: 20.90\n  source: {{url: \"https://example.org\", user: ann, org: acme}}\n  date: \"2026-02-14\"\n"
    );
    let target = format!(
        "- dataset: {{id: acme/sums, task_id: main, revision: {SHA}}}\n  metrics: [{{metric_id: acc, value: 20.90}}]\n  framework: {{name: x}}\n  model_revision: {SHA}\n"
    );

    for text in [live, target] {
        let report = judged(".eval_results/sums.yaml", &text, &Context::default());

        assert_eq!(lines(&report), NONE);
        assert!(report.validated.is_some());
    }
}

#[test]
fn t01_keys_that_nobody_knows_are_kept() {
    let text = format!("{}  hardware: two GPUs\n", live("acme/sums", "main"));

    let report = judged(".eval_results/sums.yaml", &text, &Context::default());

    assert_eq!(only(&report, "AY105").severity, Severity::Warning);
    assert!(report.validated.is_some());
}

#[test]
fn t06_a_benchmark_may_name_its_framework_or_not() {
    let without = "name: A\ndescription: B\nmetrics: [{id: a, display_name: A, higher_is_better: true}]\ntasks: [{id: t}]\n";

    assert_eq!(findings("eval.yaml", without), NONE);
    for known in ["harbor", "lighteval", "helm", "verifiers", "swe-agent"] {
        let text = format!("evaluation_framework: {known}\n{without}");
        assert_eq!(findings("eval.yaml", &text), NONE, "{known}");
    }
    let text = format!("evaluation_framework: home-made\n{without}");
    assert_eq!(
        findings("eval.yaml", &text),
        ["AY210 1:23 `home-made` is not a framework known here"]
    );
}

#[test]
fn t06_a_live_benchmark_without_metrics_gets_one_score() {
    let text = "name: A\ndescription: B\nevaluation_framework: harbor\ntasks: [{id: t}]\n";

    let report = judged("eval.yaml", text, &Context::default());

    assert_eq!(only(&report, "AY211").severity, Severity::Note);
    let Some(ValidatedFile::Benchmark(benchmark)) = report.validated.as_ref().map(Validated::get)
    else {
        panic!("a live benchmark is valid");
    };
    assert_eq!(
        benchmark.primary().map(|metric| metric.id.as_str()),
        Some("value")
    );
}

#[test]
fn t07_a_task_may_name_its_dataset_or_its_split_or_neither() {
    for task in [
        "{id: t}".to_owned(),
        "{id: t, config: default, split: test}".to_owned(),
        format!("{{id: t, dataset: {{id: cais/hle, revision: {SHA}}}}}"),
        format!("{{id: t, split: test, dataset: {{id: cais/hle, revision: {SHA}}}}}"),
    ] {
        // Inspect refuses a task with `dataset`, so another framework is named.
        let text = format!(
            "name: A\ndescription: B\nevaluation_framework: lighteval\nmetrics: [{{id: a, display_name: A, higher_is_better: true}}]\ntasks: [{task}]\n"
        );

        let report = judged("eval.yaml", &text, &Context::default());

        assert_eq!(report.findings.count(Severity::Error), 0, "{task}");
        assert_eq!(report.findings.count(Severity::Warning), 0, "{task}");
        assert!(report.validated.is_some(), "{task}");
    }
}

#[test]
fn t08_a_key_that_breaks_inspect_is_a_warning_where_inspect_runs() {
    for (task, column, message) in [
        (
            "display_name: Main",
            5,
            "Inspect refuses a task with the key `display_name`",
        ),
        (
            "dataset: {id: cais/hle}",
            5,
            "Inspect refuses a task with the key `dataset`",
        ),
        (
            "author: ann",
            5,
            "`author` is not a key of a task; Inspect refuses the file because of it",
        ),
    ] {
        let text = benchmark_with_task(&format!("scorers: [{{name: match}}]\n    {task}"));

        let found = finding("eval.yaml", &text, "AY208");

        assert_eq!(found.severity, Severity::Warning);
        assert_eq!((found.place.line, found.place.column), (10, column));
        assert_eq!(found.message, message);
        assert_eq!(findings("eval.yaml", &text).len(), 1, "{task}");
    }
}

#[test]
fn t08_the_same_key_is_a_note_where_another_framework_is_named() {
    let text = "name: A\ndescription: B\nmetrics: [{id: a, display_name: A, higher_is_better: true}]\ntasks: [{id: t, display_name: T}]\n";

    assert_eq!(
        finding("eval.yaml", text, "AY208").severity,
        Severity::Warning
    );
    let harbor = format!("evaluation_framework: harbor\n{text}");
    assert_eq!(
        finding("eval.yaml", &harbor, "AY208").severity,
        Severity::Note
    );
}

#[test]
fn t08_keys_at_the_top_level_break_nothing() {
    let text = format!(
        "x_owner: ann\n{}",
        benchmark_with_task("scorers: [{name: match}]")
    );

    assert_eq!(
        findings("eval.yaml", &text),
        ["AY105 1:1 `x_owner` is not a key of the benchmark and will be ignored"]
    );
}

#[test]
fn t09_scores_in_a_task_is_taken_for_scorers() {
    let text = benchmark_with_task("scores: [{name: match}]");

    let found = finding("eval.yaml", &text, "AY105");

    assert_eq!(found.help.as_deref(), Some("did you mean `scorers`?"));
    assert_eq!(
        findings("eval.yaml", &text),
        [
            "AY209 6:5 Inspect cannot run the task without `scorers`",
            "AY105 9:5 `scores` is not a key of `tasks[0]` and will be ignored",
        ]
    );
}

#[test]
fn t10_a_board_under_another_name_is_found() {
    for (id, task, typed) in [
        ("cais/hle", "hle", "default"),
        ("Idavidrein/gpqa", "gpqa_diamond", "diamond"),
        ("Idavidrein/gpqa", "diamond", "gpqa_diamond"),
        ("openai/gsm8k", "gsm8k", "main"),
        ("MathArena/aime_2026", "MathArena/aime_2026", "aime_2026"),
        ("MathArena/hmmt", "MathArena/hmmt", "hmmt"),
    ] {
        let name = id.rsplit('/').next().expect("an id has a name");
        let path = format!(".eval_results/{name}.yaml");
        let shelf = shelf(id, task);
        let context = Context {
            benchmarks: &shelf,
            ..Context::default()
        };

        let found = only(&judged(&path, &live(id, typed), &context), "AY324");

        assert_eq!(
            found.help,
            Some(format!(
                "did you mean `{task}`? It is the same board under another name"
            ))
        );
    }
}

#[test]
fn t10_a_task_id_may_hold_a_slash() {
    let text = live("MathArena/aime_2026", "MathArena/aime_2026");
    let shelf = shelf("MathArena/aime_2026", "MathArena/aime_2026");

    assert_eq!(
        findings_with(".eval_results/aime_2026.yaml", &text, &shelf),
        NONE
    );
}

#[test]
fn t11_a_bare_dataset_id_is_a_warning() {
    let report = judged(
        ".eval_results/coco.yaml",
        &live("coco", "bbox"),
        &Context::default(),
    );

    assert_eq!(only(&report, "AY317").severity, Severity::Warning);
    assert!(report.validated.is_some());
}

#[test]
fn t12_two_owners_may_share_a_file_and_its_name_refuses_nothing() {
    let both = format!("{}{}", live("ann/hle", "t"), live("bob/hle", "t"));
    let other = judged(
        ".eval_results/gpqa_diamond.yaml",
        &live("Idavidrein/gpqa", "diamond"),
        &Context::default(),
    );

    assert_eq!(findings(".eval_results/hle.yaml", &both), NONE);
    let found = only(&other, "AY321");
    assert_eq!(renamed(&found), Some("gpqa.yaml"));
    assert_eq!(found.severity, Severity::Warning);
    assert!(other.validated.is_some());
}

#[test]
fn t13_a_short_hash_displays_and_cannot_verify() {
    for digits in [7, 16, 39, 41, 63] {
        let hash = &format!("{SHA}{SHA}")[..digits];
        let text = format!("{}  model_revision: \"{hash}\"\n", live("acme/sums", "t"));

        let report = judged(".eval_results/sums.yaml", &text, &Context::default());

        assert_eq!(only(&report, "AY313").severity, Severity::Warning, "{hash}");
        assert!(report.validated.is_some());
    }
    for digits in [1, 6, 65] {
        let hash = &format!("{SHA}{SHA}")[..digits];
        let text = format!("{}  model_revision: \"{hash}\"\n", live("acme/sums", "t"));

        let report = judged(".eval_results/sums.yaml", &text, &Context::default());

        assert_eq!(only(&report, "AY312").severity, Severity::Error, "{hash}");
        assert!(report.validated.is_none());
    }
}

#[test]
fn t15_spellings_of_one_number_are_the_same_score() {
    for literal in ["20.90", "20.9", "2.09e+1"] {
        let text = format!(
            "- dataset: {{id: acme/sums, task_id: t}}\n  value: 20.9\n  metrics: [{{metric_id: a, value: {literal}}}]\n"
        );

        let report = judged(".eval_results/sums.yaml", &text, &Context::default());

        assert_eq!(lines(&report), NONE, "{literal}");
        let Some(ValidatedFile::Results(entries)) = report.validated.as_ref().map(Validated::get)
        else {
            panic!("the file is valid");
        };
        assert_eq!(entries[0].scores[0].value.to_string(), "20.9");
        assert_eq!(entries[0].scores[0].literal, literal);
    }
}

#[test]
fn t15_a_fraction_is_never_taken_for_a_percentage() {
    let text = "- dataset: {id: acme/sums, task_id: t}\n  value: 0.209\n  metrics: [{metric_id: a, value: 20.9}]\n";

    let found = finding(".eval_results/sums.yaml", text, "AY303");

    assert_eq!(found.fix, None);
}
