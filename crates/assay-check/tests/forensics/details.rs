//! Scores held against what else the record keeps of them.

use crate::support::{ACCURACY, F1, PERCENT, assert_weights, findings, result, with_error};
use assay_model::Severity;

/// A result with a score and its details, as JSON without braces.
fn with_details(metric: &str, score: &str, details: &str) -> String {
    result(
        metric,
        &format!(r#""score": {score}, "details": {{{details}}}"#),
    )
}

#[test]
fn a_score_that_its_counts_do_not_give_is_found() {
    let counts = r#""num_correct": "64", "num_total": "100""#;

    assert_weights(
        &with_details(ACCURACY, "0.73", counts),
        &[(Severity::Warning, "AY618")],
    );
    assert_weights(
        &with_details(PERCENT, "73", counts),
        &[(Severity::Warning, "AY618")],
    );
    assert_weights(&with_details(ACCURACY, "0.64", counts), &[]);
    assert_weights(&with_details(PERCENT, "64.0", counts), &[]);
    // Counts do not make an F1.
    assert_weights(&with_details(F1, "0.73", counts), &[]);
}

#[test]
fn a_score_cut_off_or_rounded_from_its_counts_is_honest() {
    let counts = r#""correct": 2, "total": 3"#;

    for score in ["0.66", "0.67", "0.6667", "0.6666", "0.6666666666666666"] {
        assert_weights(&with_details(ACCURACY, score, counts), &[]);
    }
}

#[test]
fn a_score_that_its_source_wrote_otherwise_is_found() {
    let raw = |text: &str| format!(r#""accuracy_raw": "{text}""#);

    assert_weights(
        &with_details(ACCURACY, "0.2639", &raw("19.39%")),
        &[(Severity::Warning, "AY618")],
    );
    // Without a sign it may be a score before a normalisation.
    assert_weights(
        &with_details(ACCURACY, "0.2639", &raw("0.1939")),
        &[(Severity::Note, "AY618")],
    );
    for honest in [
        "26.39%",
        "26.39 %",
        "26.4%",
        "0.2639",
        "26.39",
        "n/a",
        "26.39% (1.2)",
        "",
    ] {
        assert_weights(&with_details(ACCURACY, "0.2639", &raw(honest)), &[]);
    }
}

#[test]
fn a_number_of_samples_that_the_details_contradict_is_noted() {
    let counted = |total: u64| {
        let uncertainty = r#""uncertainty": {"num_samples": 200}"#;
        result(
            ACCURACY,
            &format!(r#""score": 0.5, {uncertainty}, "details": {{"num_samples": "{total}"}}"#),
        )
    };

    assert_weights(&counted(190), &[(Severity::Note, "AY618")]);
    assert_weights(&counted(200), &[]);
    // Each question was asked four times.
    assert_weights(&counted(50), &[]);
}

#[test]
fn an_error_with_all_its_digits_tells_the_number_of_samples() {
    let share = 61.0_f64 / 150.0;
    let score = share.to_string();
    let error = |n: f64| (share * (1.0 - share) / n).sqrt().to_string();
    let found = |error: &str, n: u64| {
        let found = findings(&with_error(F1, &score, error, n));
        found.iter().any(|found| found.code.to_string() == "AY619")
    };

    assert!(found(&error(150.0), 190));
    // As the page of the rule has it.
    assert_eq!(
        (score.as_str(), error(150.0).as_str()),
        ("0.4066666666666667", "0.040107263588938506")
    );
    assert!(!found(&error(150.0), 150));
    // n - 1, and questions that were asked several times.
    assert!(!found(&error(149.0), 150));
    assert!(!found(&error(150.0), 600));
    // Rounded errors leave the number open, and errors of clustered answers are those of no whole
    // number.
    assert!(!found("0.0401", 190));
    assert!(!found(&error(150.437), 190));
}

#[test]
fn a_deviation_that_is_the_error_too_is_found() {
    let both = |deviation: &str| {
        let uncertainty = format!(
            r#"{{"standard_error": {{"value": 0.0354}}, "standard_deviation": {deviation}, "num_samples": 200}}"#
        );
        result(
            ACCURACY,
            &format!(r#""score": 0.5, "uncertainty": {uncertainty}"#),
        )
    };

    assert_weights(&both("0.0354"), &[(Severity::Warning, "AY609")]);
    assert_weights(&both("0.5006"), &[]);
}
