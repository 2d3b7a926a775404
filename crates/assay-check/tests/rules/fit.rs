//! Entries held against the benchmark that they name.

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
        ["AY328 4:14 120.0 is more than a percentage can be"]
    );
    let ranked = shelf_of("acc", "higher_is_better: true, value_type: rank");
    assert_eq!(
        findings_with(PATH, &scored("2.5"), &ranked),
        [
            "AY315 4:14 `2.5` is not a whole number from 1, which the benchmark's value type `rank` asks for"
        ]
    );
}

/// A shelf with one benchmark that has one metric.
fn shelf_of(id: &str, rest: &str) -> Shelf {
    Shelf::default().with(
        "acme/sums",
        &format!(
            "name: Sums\ndescription: Adding up.\nmetrics:\n  - {{id: {id}, display_name: Score, {rest}}}\ntasks:\n  - id: main\n"
        ),
    )
}

/// Returns the findings in an entry with one value of a metric that is declared so.
fn valued(id: &str, rest: &str, value: &str) -> Vec<String> {
    let text = scored(value).replace("acc", id);
    findings_with(PATH, &text, &shelf_of(id, rest))
}

#[test]
fn a_value_that_its_unit_does_not_have_is_refused() {
    let higher = |unit: &str| format!("higher_is_better: true, unit: {unit}");
    for (unit, value, message) in [
        (
            "proportion",
            "61.0",
            "61.0 is more than a proportion can be",
        ),
        ("fraction", "1.01", "1.01 is more than a proportion can be"),
        ("share", "-0.5", "-0.5 is less than a proportion can be"),
        ("percentage", "150", "150 is more than a percentage can be"),
        ("per cent", "-3", "-3 is less than a percentage can be"),
        ("\"%\"", "-1", "-1 is less than a percentage can be"),
    ] {
        let found = valued("accuracy", &higher(unit), value);

        assert_eq!(found, [format!("AY328 4:14 {message}")], "{unit}");
    }
    for (unit, value) in [
        ("proportion", "1"),
        ("proportion", "0"),
        ("percentage", "100.0"),
        ("ratio", "1.7"),
        ("x", "150"),
        ("points", "-3"),
        ("percentage points", "-3"),
    ] {
        assert_eq!(valued("accuracy", &higher(unit), value), NONE, "{unit}");
    }
}

#[test]
fn a_refused_value_says_how_to_write_it() {
    let shelf = shelf_of("acc", "higher_is_better: true, unit: proportion");
    let context = Context {
        benchmarks: &shelf,
        ..Context::default()
    };

    let report = judged(PATH, &scored("61.0"), &context);

    let found = only(&report, "AY328");
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.notes, ["a proportion runs from 0 to 1"]);
    assert_eq!(
        found.help.as_deref(),
        Some("write 0.61 if per cent are meant, or correct the unit of the metric")
    );
    assert!(report.validated.is_none());
}

#[test]
fn the_single_value_is_held_to_the_primary_metric() {
    let text = "- dataset: {id: acme/sums, task_id: main}\n  value: 61.0\n";
    let shelf = shelf_of("acc", "higher_is_better: true, unit: proportion");

    assert_eq!(
        findings_with(PATH, text, &shelf),
        ["AY328 2:10 61.0 is more than a proportion can be"]
    );
}

#[test]
fn metrics_that_can_leave_the_scale_of_their_unit_are_not_refused() {
    let percent = "higher_is_better: true, unit: percentage";
    let lower = "higher_is_better: false, unit: percentage";

    for (id, rest, value) in [
        ("wer", lower, "130.5"),
        ("overrun", lower, "250"),
        ("improvement", percent, "-3.5"),
        ("accuracy_gain", percent, "150"),
        ("score_difference", percent, "-12"),
        ("human_normalized_score", percent, "450"),
        ("mcc", percent, "-4.5"),
    ] {
        assert_eq!(valued(id, rest, value), NONE, "{id}");
    }
    assert_eq!(
        valued("wer", lower, "-1"),
        ["AY328 4:14 -1 is less than a percentage can be"]
    );
}

#[test]
fn declared_bounds_go_before_the_unit_and_hold_by_themselves() {
    let metric = |rest: &str| format!("higher_is_better: true, {rest}");
    let both = metric("unit: percentage, min: -100, max: 400");

    assert_eq!(valued("acc", &both, "-3"), NONE);
    assert_eq!(valued("acc", &both, "400.0"), NONE);
    assert_eq!(
        valued("acc", &both, "400.5"),
        ["AY328 4:14 the value 400.5 is outside the bounds of its metric, -100 to 400"]
    );
    // Each bound is for its own side.
    assert_eq!(
        valued("acc", &metric("unit: percentage, min: -100"), "150"),
        ["AY328 4:14 150 is more than a percentage can be"]
    );
    assert_eq!(
        valued("acc", &metric("max: 5"), "61"),
        ["AY328 4:14 the value 61 is outside the bounds of its metric, 5 or less"]
    );
    assert_eq!(valued("acc", &metric("max: 5"), "-61"), NONE);
    // Names that may leave a unit may not leave declared bounds.
    assert_eq!(
        valued("gain", &metric("unit: percentage, min: 0, max: 1"), "1.5"),
        ["AY328 4:14 the value 1.5 is outside the bounds of its metric, 0 to 1"]
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
