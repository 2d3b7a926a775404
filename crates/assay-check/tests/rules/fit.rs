//! How an entry fits the benchmark it names.

use assay_check::Context;
use assay_model::Severity;

use crate::results::{NONE, PATH, entry, scored};
use crate::support::{Shelf, findings, findings_with, judged, lines, only};

fn shelf() -> Shelf {
    Shelf::default().with(
        "acme/sums",
        "name: Sums\ndescription: Adding up.\nmetrics:\n  - {id: acc, display_name: Accuracy, higher_is_better: true, primary: true, value_type: percentage}\n  - {id: cost, display_name: Cost, higher_is_better: false}\ntasks:\n  - id: main\n  - id: hard\n",
    )
}

#[test]
fn a_value_must_be_that_of_the_primary_metric_when_it_is_known() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n  value: 3.5\n  metrics:\n    - {metric_id: cost, value: 3.5}\n    - {metric_id: acc, value: 20.9}\n";

    assert_eq!(findings(PATH, text), NONE);
    assert_eq!(
        findings_with(PATH, text, &shelf()),
        ["AY303 2:10 `value` is `3.5`, but the primary metric `acc` is not"]
    );
}

#[test]
fn a_value_must_be_of_the_kind_that_its_benchmark_declares() {
    assert_eq!(
        findings_with(PATH, &scored("120.0"), &shelf()),
        [
            "AY315 4:14 `120.0` is not a number from 0 to 100, which the benchmark's value type `percentage` asks for"
        ]
    );
}

#[test]
fn a_benchmark_that_does_not_exist_is_named_with_a_guess() {
    let text = entry("").replace("acme/sums", "Acme/Sums");
    let shelf = shelf();
    let context = |weight| Context {
        benchmarks: &shelf,
        unknown_benchmark: weight,
        ..Context::default()
    };

    let person = only(&judged(PATH, &text, &context(Severity::Error)), "AY322");
    let hub = judged(PATH, &text, &context(Severity::Warning));

    assert_eq!(person.severity, Severity::Error);
    assert_eq!(person.message, "there is no benchmark `Acme/Sums`");
    assert_eq!(person.help.as_deref(), Some("did you mean `acme/sums`?"));
    assert_eq!(only(&hub, "AY322").severity, Severity::Warning);
    assert!(hub.validated.is_some(), "a hub keeps the result as pending");
}

#[test]
fn a_benchmark_that_is_broken_is_said_to_be() {
    let shelf = Shelf::default().broken("acme/sums");

    assert_eq!(
        findings_with(PATH, &entry(""), &shelf),
        [
            "AY323 1:17 the `eval.yaml` of `acme/sums` is not valid, so its tasks and metrics are not known"
        ]
    );
}

#[test]
fn tasks_and_metrics_must_be_those_of_the_benchmark() {
    let text = entry("")
        .replace("task_id: main", "task_id: mian")
        .replace("metric_id: acc", "metric_id: speed");
    let shelf = shelf();
    let context = Context {
        benchmarks: &shelf,
        ..Context::default()
    };

    let report = judged(PATH, &text, &context);

    assert_eq!(
        lines(&report),
        [
            "AY324 1:37 task `mian` is not defined by `acme/sums`",
            "AY325 2:25 metric `speed` is not defined by the benchmark",
        ]
    );
    assert_eq!(
        only(&report, "AY324").help.as_deref(),
        Some("its tasks are `main`, `hard`")
    );
    assert_eq!(
        only(&report, "AY325").help.as_deref(),
        Some("its metrics are `acc`, `cost`")
    );
    assert_eq!(
        findings(PATH, &text),
        NONE,
        "without a list nothing is unknown"
    );
}

#[test]
fn a_metric_in_the_wrong_case_is_guessed() {
    let shelf = shelf();
    let context = Context {
        benchmarks: &shelf,
        ..Context::default()
    };

    let report = judged(PATH, &entry("").replace("acc", "ACC"), &context);

    assert_eq!(
        only(&report, "AY325").help.as_deref(),
        Some("did you mean `acc`?")
    );
}

#[test]
fn an_entry_without_the_primary_metric_is_a_warning() {
    let text = entry("").replace("metric_id: acc", "metric_id: cost");

    assert_eq!(
        findings_with(PATH, &text, &shelf()),
        ["AY326 2:12 the entry lacks the primary metric `acc`, so it has no place on the board"]
    );
}

#[test]
fn a_benchmark_without_metrics_takes_a_single_value() {
    let shelf = Shelf::default().with(
        "acme/sums",
        "name: Sums\ndescription: Adding up.\ntasks: [{id: main}]\n",
    );
    let context = Context {
        benchmarks: &shelf,
        ..Context::default()
    };
    let single = "- dataset: {id: acme/sums, task_id: main}\n  value: 20.9\n";

    let named = judged(PATH, &entry(""), &context);

    assert_eq!(findings_with(PATH, single, &shelf), NONE);
    assert_eq!(
        only(&named, "AY325").help.as_deref(),
        Some("the benchmark declares no metrics; give its one score as `value`")
    );
}
