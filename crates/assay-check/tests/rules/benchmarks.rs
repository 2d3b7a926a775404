use assay_check::Context;
use assay_model::{Direction, Number, Severity};

use crate::support::{benchmark, finding, findings, judged, mended, only, renamed, weights};

const TASKS: &str = "tasks:\n  - id: main\n";
const NONE: [String; 0] = [];

fn with_metrics(metrics: &str) -> String {
    format!("name: Sums\ndescription: Adding up.\nmetrics:\n{metrics}{TASKS}")
}

fn with_tasks(tasks: &str) -> String {
    format!(
        "name: Sums\ndescription: Adding up.\nmetrics: [{{id: acc, display_name: A, higher_is_better: true}}]\ntasks:\n{tasks}"
    )
}

#[test]
fn a_whole_benchmark_has_no_findings_and_is_read() {
    let text = with_metrics(
        "  - {id: acc, display_name: Accuracy, higher_is_better: true, primary: true, unit: percentage, aggregation: micro, value_type: percentage}\n  - {id: cost, display_name: Cost, higher_is_better: false, unit: usd, slice: \"language=en\"}\n",
    );

    let found = findings("eval.yaml", &text);

    assert_eq!(found, NONE);
    let read = benchmark(&text);
    assert_eq!(read.primary().map(|metric| metric.id.as_str()), Some("acc"));
    assert_eq!(read.metrics[1].direction, Direction::LowerIsBetter);
}

#[test]
fn the_least_that_a_metric_can_be_is_below_the_most() {
    let bounded = |bounds: &str| {
        with_metrics(&format!(
            "  - {{id: acc, display_name: A, higher_is_better: true, {bounds}}}\n"
        ))
    };
    let found = |bounds: &str| findings("eval.yaml", &bounded(bounds));

    assert_eq!(
        found("min: 1, max: 0"),
        ["AY213 4:69 `max` is 0, which is not more than `min`, 1"]
    );
    assert_eq!(
        found("min: 1, max: 1.0"),
        ["AY213 4:69 `max` is 1.0, which is not more than `min`, 1"]
    );
    assert_eq!(
        found("max: 1e3"),
        [
            "AY314 4:61 `1e3` cannot be compared exactly: tools do not agree on how to read it (yaml_ambiguous_scalar)"
        ]
    );
    assert_eq!(
        found("max: most"),
        ["AY102 4:61 `metrics[0].max` must be a number, not a string"]
    );
    for bounds in ["min: -1.5, max: 1", "min: 0", "max: 100"] {
        assert_eq!(found(bounds), NONE, "{bounds}");
    }
    let read = benchmark(&bounded("min: -1.5, max: 100"));
    assert_eq!(
        (read.metrics[0].min, read.metrics[0].max),
        (Number::new(-1.5), Number::new(100.0))
    );
}

#[test]
fn what_a_definition_must_say_is_missed_by_its_name() {
    let whole = with_metrics("  - {id: acc, display_name: A, higher_is_better: true}\n");

    for (said, place, key) in [
        ("name: Sums\n", "the benchmark", "name"),
        ("description: Adding up.\n", "the benchmark", "description"),
        (TASKS, "the benchmark", "tasks"),
        ("id: acc, ", "`metrics[0]`", "id"),
        ("display_name: A, ", "`metrics[0]`", "display_name"),
        (
            ", higher_is_better: true",
            "`metrics[0]`",
            "higher_is_better",
        ),
    ] {
        let text = whole.replace(said, "");
        assert_ne!(text, whole, "{said}");

        let found = finding("eval.yaml", &text, "AY101");

        assert_eq!(found.severity, Severity::Error, "{key}");
        assert_eq!(
            found.message,
            format!("{place} lacks the required key `{key}`")
        );
    }
    let nameless = finding("eval.yaml", &with_tasks("  - split: test\n"), "AY101");
    assert_eq!(nameless.message, "`tasks[0]` lacks the required key `id`");
}

#[test]
fn what_is_not_a_mapping_defines_no_benchmark() {
    for (text, expected) in [
        (
            "",
            "AY201 1:1 a benchmark definition is a mapping, not nothing",
        ),
        (
            "- name: x\n",
            "AY201 1:1 a benchmark definition is a mapping, not a list",
        ),
        (
            "yes\n",
            "AY201 1:1 a benchmark definition is a mapping, not a boolean",
        ),
    ] {
        assert_eq!(findings("eval.yaml", text), [expected], "{text:?}");
    }
}

#[test]
fn results_in_the_place_of_a_benchmark_are_sent_where_they_belong() {
    let found = finding("eval.yaml", "- dataset: {id: a/b}\n", "AY201");

    assert_eq!(
        found.help.as_deref(),
        Some("results belong under `.eval_results/` in the model's repository")
    );
}

#[test]
fn an_id_that_stands_twice_is_refused_for_metrics_and_tasks() {
    let text = "name: A\ndescription: B\nmetrics:\n  - {id: x, display_name: X, higher_is_better: true, primary: true}\n  - {id: x, display_name: Y, higher_is_better: true}\ntasks:\n  - id: t\n  - id: \"t\"\n";

    let found = findings("eval.yaml", text);

    assert_eq!(
        found,
        [
            "AY202 5:10 another metric already has the id `x`",
            "AY203 8:9 another task already has the id `t`",
        ]
    );
}

#[test]
fn several_metrics_without_a_primary_one_are_refused() {
    let text = with_metrics(
        "  - {id: a, display_name: A, higher_is_better: true}\n  - {id: b, display_name: B, higher_is_better: true, primary: false}\n",
    );

    assert_eq!(
        findings("eval.yaml", &text),
        ["AY204 4:3 none of the 2 metrics is marked as primary"]
    );
}

#[test]
fn a_primary_that_is_no_boolean_is_one_finding_only() {
    let text = with_metrics(
        "  - {id: a, display_name: A, higher_is_better: true, primary: \"true\"}\n  - {id: b, display_name: B, higher_is_better: true}\n",
    );

    assert_eq!(
        findings("eval.yaml", &text),
        ["AY102 4:63 `metrics[0].primary` must be `true` or `false`, not a string"]
    );
}

#[test]
fn the_second_primary_metric_is_pointed_at() {
    let text = with_metrics(
        "  - {id: a, display_name: A, higher_is_better: true, primary: true}\n  - id: b\n    display_name: B\n    higher_is_better: true\n    primary: true\n",
    );

    let found = finding("eval.yaml", &text, "AY206");

    assert_eq!((found.place.line, found.place.column), (8, 14));
    assert_eq!(found.notes, ["the first is marked on line 4"]);
    assert_eq!(findings("eval.yaml", &text).len(), 1);
}

#[test]
fn the_only_metric_needs_no_mark_and_may_not_deny_it() {
    let silent = with_metrics("  - {id: a, display_name: A, higher_is_better: true}\n");
    assert!(benchmark(&silent).metrics[0].primary);
    let denied =
        with_metrics("  - {id: a, display_name: A, higher_is_better: true, primary: false}\n");

    let found = finding("eval.yaml", &denied, "AY207");

    assert_eq!(findings("eval.yaml", &silent), NONE);
    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(findings("eval.yaml", &mended(&denied, &found)), NONE);
    assert!(benchmark(&denied).metrics[0].primary);
}

#[test]
fn an_id_with_a_space_or_nothing_in_it_is_refused() {
    let text = "name: A\ndescription: B\nmetrics: [{id: top 1, display_name: X, higher_is_better: true}]\ntasks: [{id: \"\"}]\n";

    assert_eq!(
        findings("eval.yaml", text),
        [
            "AY205 3:16 `top 1` cannot be an id: a metric id holds no white space or control character",
            "AY205 4:14 `` cannot be an id: a task id has 1 to 128 characters",
        ]
    );
    assert_eq!(
        finding("eval.yaml", &text.replace("\"\"", "t"), "AY205")
            .help
            .as_deref(),
        Some("write `top_1`")
    );
}

#[test]
fn empty_lists_are_refused() {
    let text = "name: A\ndescription: B\nmetrics: []\ntasks: []\n";

    assert_eq!(
        findings("eval.yaml", text),
        [
            "AY108 3:10 `metrics` must have at least 1 item",
            "AY108 4:8 `tasks` must have at least 1 item",
        ]
    );
}

#[test]
fn a_task_for_inspect_must_be_whole() {
    let text = format!(
        "evaluation_framework: inspect-ai\n{}",
        with_tasks("  - id: t\n    solvers: [{name: generate}]\n")
    );

    let found = finding("eval.yaml", &text, "AY209");

    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(
        found.message,
        "Inspect cannot run the task without `field_spec` and `scorers`"
    );
    assert_eq!(findings("eval.yaml", &text).len(), 1);
}

#[test]
fn a_framework_nobody_knows_is_a_warning_with_a_guess() {
    for (name, help) in [
        ("inspect_ai", "did you mean `inspect-ai`?"),
        ("lm-eval", "did you mean `lm-evaluation-harness`?"),
        (
            "my-harness",
            "keep it if the name is right; the list of frameworks is not exhaustive",
        ),
    ] {
        let text = format!(
            "evaluation_framework: {name}\n{}",
            with_tasks("  - id: t\n")
        );

        let found = finding("eval.yaml", &text, "AY210");

        assert_eq!(found.help.as_deref(), Some(help), "{name}");
        assert_eq!(found.severity, Severity::Warning);
    }
}

#[test]
fn the_revision_and_id_of_a_task_dataset_are_judged() {
    let text = with_tasks(
        "  - {id: a, dataset: {id: cais/hle, revision: 5503434ddd75}}\n  - {id: b, dataset: {id: cais/hle, revision: main}}\n  - {id: c, dataset: {id: a/b/c}}\n  - {id: d, dataset: {id: squad}}\n",
    );

    let found: Vec<String> = findings("eval.yaml", &text)
        .into_iter()
        .filter(|line| !line.starts_with("AY208"))
        .collect();

    assert_eq!(
        found,
        [
            "AY313 5:47 `5503434ddd75` is a commit hash cut short to 12 digits; it displays but cannot verify",
            "AY312 6:47 `main` is not a commit hash",
            "AY316 7:27 `a/b/c` is not a dataset id: a repository id is `namespace/name`; this has 2 slashes",
            "AY317 8:27 the dataset id `squad` has no namespace",
        ]
    );
}

#[test]
fn a_benchmark_is_called_eval_yaml() {
    let text = with_tasks("  - id: t\n");

    let short = finding("bench/eval.yml", &text, "AY212");
    let other = finding("bench/hle.yaml", &text, "AY212");

    assert_eq!(renamed(&short), Some("eval.yaml"));
    assert_eq!(renamed(&other), None);
    assert!(short.place.is_whole());
    assert_eq!(short.severity, Severity::Warning);
}

#[test]
fn words_that_only_old_yaml_reads_as_truth_are_reported_once() {
    let text = with_metrics("  - {id: no, display_name: A, higher_is_better: yes}\n");

    assert_eq!(
        findings("eval.yaml", &text),
        [
            "AY102 4:10 `metrics[0].id` must be a string, not the boolean `no`",
            "AY014 4:49 `yes` is a boolean to some tools and text to others",
        ]
    );
}

#[test]
fn a_key_left_empty_is_a_warning_and_a_required_one_an_error() {
    let text = "name: A\ndescription:\nmetrics: [{id: x, display_name: X, higher_is_better: true, unit: }]\ntasks: [{id: t, split: ~}]\n";

    let report = judged("eval.yaml", text, &Context::default());

    assert_eq!(
        weights(&report),
        [
            ("AY102".to_owned(), Severity::Error),
            ("AY327".to_owned(), Severity::Warning),
            ("AY327".to_owned(), Severity::Warning),
        ]
    );
    assert_eq!(
        only(&report, "AY102").message,
        "`description` must be a string, not null"
    );
}

#[test]
fn a_blank_name_or_description_is_refused_like_a_missing_one() {
    let whole = with_tasks("  - id: t\n");
    for (said, blank, key) in [
        ("name: Sums", "name: \"\"", "name"),
        (
            "description: Adding up.",
            "description: '  '",
            "description",
        ),
    ] {
        let text = whole.replace(said, blank);
        assert_ne!(text, whole, "{said}");

        let found = finding("eval.yaml", &text, "AY214");

        assert_eq!(found.severity, Severity::Error, "{key}");
        assert_eq!(found.message, format!("`{key}` is blank"));
    }
    assert_eq!(findings("eval.yaml", &whole), NONE);
}

#[test]
fn a_hidden_character_in_a_name_is_shown_by_its_number() {
    let text = with_tasks("  - id: t\n").replace("name: Sums", "name: \"Su\\u200bms\"");

    assert_eq!(
        findings("eval.yaml", &text),
        ["AY318 1:7 the text holds the hidden character U+200B"]
    );
}

#[test]
fn an_aggregation_outside_the_list_is_refused() {
    let text = with_metrics(
        "  - {id: a, display_name: A, higher_is_better: true, aggregation: mikro, value_type: integer}\n",
    );

    let found = findings("eval.yaml", &text);

    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("AY103 4:67 `metrics[0].aggregation` is `mikro`"));
    assert!(found[1].starts_with("AY103 4:86 `metrics[0].value_type` is `integer`"));
}
