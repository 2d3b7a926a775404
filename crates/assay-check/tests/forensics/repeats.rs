//! Samples that were asked repeatedly: what is doubted depends on whether that is said.

use assay_model::Severity;

use crate::support::{
    ACCURACY, ELO, F1, assert_codes, assert_weights, repeated, result, with_count, with_error,
    with_interval,
};

#[test]
fn a_score_that_no_count_gives_weighs_as_much_as_is_known_of_repeats() {
    let asked =
        |score: &str, n: u64, repeats: u64| repeated(&with_count(ACCURACY, score, n), repeats);
    let warning: &[_] = &[(Severity::Warning, "AY607")];

    // 4 decimals of 198 samples, each asked once: found where once is what is said.
    assert_weights(&with_count(ACCURACY, "0.7341", 198), &[]);
    assert_weights(&asked("0.7341", 198, 1), warning);
    assert_weights(&asked("0.7323", 198, 1), &[]);
    // Asked 15 times is honest, and said to be.
    assert_weights(&asked("0.7111", 30, 15), &[]);
    assert_weights(&asked("0.7125", 30, 15), warning);
    // The number of samples may be that of all answers.
    assert_weights(&asked("0.7111", 450, 15), &[]);
    // Nothing is said: another number of repeats may be honest, and none up to 256 is not.
    assert_weights(
        &with_count(ACCURACY, "0.7341", 30),
        &[(Severity::Note, "AY607")],
    );
    assert_weights(&with_count(ACCURACY, "0.7165873201", 3), warning);
}

#[test]
fn how_often_samples_were_asked_is_read_wherever_it_is_said() {
    let metric = format!(r#"{ACCURACY}, "metric_parameters": {{"num_repeats": 1}}"#);
    let nonsense = format!(r#"{ACCURACY}, "metric_parameters": {{"num_repeats": "many"}}"#);
    let details = result(
        ACCURACY,
        r#""score": 0.7341, "details": {"n_epochs": "1"}, "uncertainty": {"num_samples": 198}"#,
    );

    assert_codes(&with_count(&metric, "0.7341", 198), &["AY607"]);
    assert_codes(&with_count(&nonsense, "0.7341", 198), &[]);
    assert_codes(&details, &["AY607"]);
}

#[test]
fn pass_at_1_and_its_like_count_right_answers() {
    for name in [
        "pass@1",
        "pass_at_1",
        "resolved",
        "success_rate",
        "% Resolved",
    ] {
        let metric = ACCURACY.replace("accuracy", name);

        assert_codes(
            &repeated(&with_count(&metric, "0.7341", 198), 1),
            &["AY607"],
        );
    }
    for name in ["pass@10", "pass_at_8", "pass^4"] {
        let metric = ACCURACY.replace("accuracy", name);

        assert_codes(&repeated(&with_count(&metric, "0.7341", 198), 1), &[]);
    }
}

#[test]
fn an_error_of_repeated_answers_is_a_warning_only_beyond_what_they_explain() {
    let error = |error: &str, n: u64| with_error(ACCURACY, "0.75", error, n);
    let warning: &[_] = &[(Severity::Warning, "AY604")];
    let note: &[_] = &[(Severity::Note, "AY604")];

    // √(0.75 × 0.25 / 6400) = 0.0054; the same for 100 questions that were each asked 64 times, all
    // alike: 0.0435.
    assert_weights(&error("0.0054", 6_400), &[]);
    assert_weights(&error("0.0435", 6_400), note);
    assert_weights(&repeated(&error("0.0435", 6_400), 64), &[]);
    assert_weights(&repeated(&error("0.0435", 6_400), 1), warning);
    assert_weights(&repeated(&error("0.0435", 6_400), 4), warning);
    assert_weights(&error("0.433", 6_400), warning);
    // Smaller than that of 100 questions by the root of 64.
    assert_weights(&error("0.0054", 100), note);
    assert_weights(&repeated(&error("0.0054", 100), 64), &[]);
    assert_weights(&error("0.000433", 100), warning);
}

#[test]
fn an_interval_of_repeated_answers_is_a_warning_only_beyond_what_they_explain() {
    let wide = with_interval(
        ACCURACY,
        "0.75",
        "0.665",
        "0.835",
        r#", "num_samples": 6400"#,
    );
    let wider = with_interval(ACCURACY, "0.75", "0.25", "0.99", r#", "num_samples": 6400"#);

    assert_weights(&wide, &[(Severity::Note, "AY606")]);
    assert_weights(&repeated(&wide, 64), &[]);
    assert_weights(&repeated(&wide, 1), &[(Severity::Warning, "AY606")]);
    assert_weights(&wider, &[(Severity::Warning, "AY606")]);
}

#[test]
fn a_standard_error_beyond_the_scale_is_found_for_any_score() {
    let clustered = |error: &str| {
        result(
            ACCURACY,
            &format!(
                r#""score": 0.734, "uncertainty": {{"standard_error": {{"value": {error}, "method": "clustered"}}, "num_samples": 500}}"#
            ),
        )
    };
    let unknown =
        r#""metric_name": "quality", "lower_is_better": false, "min_score": 1, "max_score": 5"#;

    assert_codes(&with_error(F1, "0.734", "1.78", 500), &["AY604"]);
    assert_codes(&with_error(F1, "0.734", "0.44", 500), &[]);
    assert_codes(&with_error(F1, "0.97", "0.3", 500), &["AY604"]);
    assert_codes(&with_error(F1, "1.0", "0.02", 20), &[]);
    assert_codes(&with_error(unknown, "3.5", "1.9", 500), &[]);
    assert_codes(&with_error(unknown, "3.5", "2.1", 500), &["AY604"]);
    assert_codes(&clustered("0.2"), &[]);
    assert_codes(&clustered("1.98"), &["AY604"]);
    // Without the number of samples half of the scale is the most.
    let bare = |error: &str| {
        result(
            F1,
            &format!(r#""score": 0.97, "uncertainty": {{"standard_error": {{"value": {error}}}}}"#),
        )
    };
    assert_codes(&bare("0.3"), &[]);
    assert_codes(&bare("1.78"), &["AY604"]);
    assert_codes(&with_error(ELO, "1250", "300", 500), &[]);
}
