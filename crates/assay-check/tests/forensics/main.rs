//! Results that are well-formed and probably wrong, and honest ones that must not be taken for
//! them.
#![cfg(test)]

mod corpus;
mod details;
mod properties;
mod repeats;
mod support;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use support::{
    ACCURACY, ELO, F1, Memory, PERCENT, assert_codes, findings, judge, result, score, with_count,
    with_error, with_interval,
};

#[test]
fn the_faults_that_other_validators_let_pass_are_found() {
    assert_codes(&score(PERCENT, "0.734"), &["AY601"]);
    let wer = r#""metric_name": "WER", "lower_is_better": false, "min_score": 0, "max_score": 1"#;
    assert_codes(&score(wer, "0.12"), &["AY602"]);
    assert_codes(&with_error(ACCURACY, "0.5", "0.0", 25), &["AY603"]);
    assert_codes(
        &with_interval(ACCURACY, "0.734", "0.80", "0.85", ""),
        &["AY605"],
    );
    // 73.4 in bounds 0..1 is refused by the rule on bounds, and not doubted here as well.
    assert_codes(&score(ACCURACY, "73.4"), &[]);
}

#[test]
fn a_copy_of_a_record_is_reported_and_doubted_no_less_than_the_first() {
    let record = format!(
        r#"{{"schema_version": "0.3.0", "evaluation_results": [{}]}}"#,
        score(PERCENT, "0.734")
    );
    let files = Memory(BTreeMap::from([
        ("a.json".to_owned(), record.clone().into()),
        ("b.json".to_owned(), record.into()),
    ]));

    let reports = judge(&files);

    let codes: Vec<Vec<String>> = reports
        .iter()
        .map(|report| report.findings.counts())
        .map(|counts| counts.map(|(_, code, _)| code.to_string()))
        .map(|codes| codes.filter(|code| code.starts_with("AY6")).collect())
        .collect();
    assert_eq!(codes, [vec!["AY601"], vec!["AY601", "AY608"]]);
}

#[test]
fn a_share_on_a_scale_of_100_is_found_by_its_digits() {
    assert_codes(&score(PERCENT, "0.734"), &["AY601"]);
    assert_codes(&score(PERCENT, "0.73"), &[]);
    assert_codes(&score(PERCENT, "0.7"), &[]);
    assert_codes(&score(PERCENT, "0.0123"), &[]);
    assert_codes(&score(PERCENT, "73.4"), &[]);
    assert_codes(&score(PERCENT, "0.0"), &[]);
    let error =
        r#""metric_name": "wer", "lower_is_better": true, "min_score": 0, "max_score": 100"#;
    assert_codes(&score(error, "0.734"), &[]);
}

#[test]
fn a_share_on_a_scale_of_100_is_found_by_its_neighbours() {
    let neighbours = |scores: [&str; 3]| scores.map(|own| score(PERCENT, own)).join(",");

    assert_codes(
        &neighbours(["0.73", "0.51", "0.64"]),
        &["AY601", "AY601", "AY601"],
    );
    // More decimals than its neighbours above 1 are a slip; as many are how the record is written.
    assert_codes(&neighbours(["0.734", "51.2", "64.0"]), &["AY601"]);
    assert_codes(&neighbours(["0.5867", "49.4", "37.06"]), &["AY601"]);
    assert_codes(&neighbours(["0.5867", "49.4012", "37.06"]), &[]);
    assert_codes(&neighbours(["0.59", "49.4", "37"]), &[]);
    assert_codes(&neighbours(["0.0123", "49.4", "37.06"]), &[]);
    assert_codes(&neighbours(["0.73", "0.0", "0.0"]), &[]);
}

#[test]
fn a_share_on_a_scale_of_100_is_found_by_its_count() {
    assert_codes(&with_count(PERCENT, "0.72", 25), &["AY601"]);
    // One of 140 is 0.714 per cent.
    assert_codes(&with_count(PERCENT, "0.714", 140), &[]);
}

#[test]
fn a_unit_that_contradicts_the_bounds_is_found() {
    let with_unit = |unit: &str, max: &str| {
        format!(
            r#""metric_name": "accuracy", "lower_is_better": false, "metric_unit": "{unit}", "min_score": 0, "max_score": {max}"#
        )
    };

    assert_codes(&score(&with_unit("percent", "1"), "0.7"), &["AY601"]);
    assert_codes(&score(&with_unit("proportion", "100"), "70"), &["AY601"]);
    assert_codes(&score(&with_unit("percent", "100"), "70"), &[]);
    assert_codes(&score(&with_unit("proportion", "1"), "0.7"), &[]);
    assert_codes(&score(&with_unit("points", "1"), "0.7"), &[]);
    assert_codes(&score(&with_unit("per cent", "1"), "0.7"), &["AY601"]);
    assert_codes(
        &score(&with_unit("Percentage-Points", "1"), "0.7"),
        &["AY601"],
    );
    // Refused by the rule on units.
    assert_codes(&score(&with_unit("proportion", "null"), "70"), &[]);
    assert_codes(&score(&with_unit("proportion", "null"), "0.7"), &[]);
}

#[test]
fn an_error_rate_above_one_is_honest() {
    let wer = r#""metric_name": "wer", "metric_unit": "proportion", "lower_is_better": true"#;

    assert_codes(&score(wer, "1.3"), &[]);
    assert_codes(&score(wer, "61"), &["AY601"]);
    assert_codes(&score(wer, "610"), &[]);
}

#[test]
fn a_direction_that_contradicts_the_name_is_found() {
    let metric =
        |name: &str, lower: bool| format!(r#""metric_name": "{name}", "lower_is_better": {lower}"#);

    assert_codes(&score(&metric("word_error_rate", false), "0.1"), &["AY602"]);
    assert_codes(&score(&metric("bleu", true), "0.1"), &["AY602"]);
    assert_codes(
        &score(&ACCURACY.replace("false", "true"), "0.1"),
        &["AY602"],
    );
    // Without limits it may be a distance.
    assert_codes(&score(&metric("accuracy", true), "0.1"), &[]);
    assert_codes(&score(&metric("word_error_rate", true), "0.1"), &[]);
    assert_codes(&score(&metric("accuracy", false), "0.1"), &[]);
    assert_codes(&score(&metric("power", true), "0.1"), &[]);
    assert_codes(&score(&metric("1 - wer", false), "0.1"), &[]);
    assert_codes(&score(&metric("attack success rate", true), "0.1"), &[]);
}

#[test]
fn accuracy_may_be_better_when_low_where_knowledge_is_a_hazard() {
    let described = r#""metric_name": "accuracy", "lower_is_better": true, "evaluation_description": "Accuracy on WMDP after unlearning""#;

    assert_codes(&score(described, "0.3"), &[]);
}

#[test]
fn a_standard_error_of_zero_is_found_between_the_ends_only() {
    assert_codes(&with_error(ACCURACY, "0.5", "0.0", 25), &["AY603"]);
    assert_codes(&with_error(F1, "0.5", "0", 25), &["AY603"]);
    assert_codes(&with_error(ACCURACY, "1.0", "0.0", 25), &[]);
    assert_codes(&with_error(ACCURACY, "0.0", "0.0", 25), &[]);
    assert_codes(&with_error(ACCURACY, "0.5", "0.1", 25), &[]);
    // One sample has no spread, and few that are partly right may all score the same.
    assert_codes(&with_error(F1, "0.5", "0.0", 1), &[]);
    assert_codes(&with_error(F1, "0.5", "0.0", 3), &[]);
    // The error of a million samples may have been rounded away.
    assert_codes(&with_error(ACCURACY, "0.5", "0.0", 1_000_000), &[]);
    assert_codes(&with_error(ELO, "1250", "0.0", 500), &[]);
}

#[test]
fn a_standard_error_is_held_against_the_count() {
    assert_codes(&with_error(ACCURACY, "0.734", "0.0198", 500), &[]);
    assert_codes(&with_error(PERCENT, "73.4", "1.98", 500), &[]);
    assert_codes(&with_error(ACCURACY, "0.734", "0.442", 500), &["AY604"]);
    assert_codes(&with_error(ACCURACY, "0.734", "1.98", 500), &["AY604"]);
    assert_codes(&with_error(PERCENT, "73.4", "0.0198", 500), &["AY604"]);
    assert_codes(&with_error(ACCURACY, "0.734", "0.00088", 500), &["AY604"]);
    // Twice too large is what clusters do; twice too small is what partial credit does.
    assert_codes(&with_error(ACCURACY, "0.734", "0.04", 500), &[]);
    assert_codes(&with_error(ACCURACY, "0.734", "0.01", 500), &[]);
    // The error of F1 depends on the rare class, of which nothing is known.
    assert_codes(&with_error(F1, "0.734", "0.2", 500), &[]);
}

#[test]
fn a_likely_mistake_is_named() {
    let found = findings(&with_error(ACCURACY, "0.734", "0.442", 500));

    assert!(
        found[0]
            .notes
            .contains(&"√(0.734 × 0.266 / 500) = 0.01976".to_owned()),
        "{found:?}"
    );
    assert!(
        found[0]
            .notes
            .contains(&"0.442 is the standard deviation: divide by √500".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_clustered_error_is_left_alone() {
    let clustered = result(
        ACCURACY,
        r#""score": 0.734, "uncertainty": {"standard_error": {"value": 0.1, "method": "clustered"}, "num_samples": 500}"#,
    );

    assert_codes(&clustered, &[]);
}

#[test]
fn an_interval_without_its_score_is_found() {
    assert_codes(
        &with_interval(ACCURACY, "0.88", "-0.0318", "0.0318", ""),
        &["AY605"],
    );
    assert_codes(
        &with_interval(ACCURACY, "0.734", "69.5", "77.3", ""),
        &["AY605"],
    );
    assert_codes(&with_interval(ELO, "1250", "-8", "9", ""), &["AY605"]);
    assert_codes(&with_interval(ELO, "1250", "1242", "1259", ""), &[]);
    assert_codes(&with_interval(ACCURACY, "0.734", "0.695", "0.773", ""), &[]);
    // What the digits leave open.
    assert_codes(&with_interval(ACCURACY, "0.667", "0.67", "0.71", ""), &[]);
}

#[test]
fn distances_are_turned_into_limits() {
    let found = findings(&with_interval(ACCURACY, "0.88", "-0.0318", "0.0318", ""));

    let help = found[0].help.as_deref().unwrap();
    assert!(
        help.ends_with("write the limits: 0.8482 and 0.9118"),
        "{help}"
    );
}

#[test]
fn an_interval_is_held_against_its_standard_error() {
    let with = |error: &str, lower: &str, upper: &str| {
        let rest = format!(r#", "standard_error": {{"value": {error}}}"#);
        with_interval(ELO, "1250", lower, upper, &rest)
    };

    assert_codes(&with("5.0", "1240", "1260"), &[]);
    assert_codes(&with("5.0", "1245", "1255"), &[]);
    assert_codes(&with("5.0", "1200", "1300"), &["AY606"]);
    assert_codes(&with("50.0", "1245", "1255"), &["AY606"]);
}

#[test]
fn careful_intervals_from_few_samples_are_honest() {
    let with = |own: &str, error: &str, lower: &str, upper: &str, n: u64| {
        let rest = format!(r#", "standard_error": {{"value": {error}}}, "num_samples": {n}"#);
        with_interval(ACCURACY, own, lower, upper, &rest)
    };

    // By Student's distribution, for 1 of 3: 0.3333 ± 4.303 × 0.3333.
    assert_codes(&with("0.3333", "0.3333", "-1.1009", "1.7676", 3), &[]);
    // By Clopper and Pearson: none of 20, all of 20, one of 1000.
    assert_codes(&with("0.0", "0.0", "0.0", "0.1684", 20), &[]);
    assert_codes(&with("1.0", "0.0", "0.8316", "1.0", 20), &[]);
    assert_codes(&with("0.001", "0.001", "0.0000253", "0.005558", 1_000), &[]);
    // By Jeffreys: one of 10.
    assert_codes(&with("0.1", "0.0949", "0.0110", "0.3813", 10), &[]);
}

#[test]
fn an_interval_is_held_against_the_count() {
    let with = |lower: &str, upper: &str| {
        with_interval(ACCURACY, "0.734", lower, upper, r#", "num_samples": 500"#)
    };

    assert_codes(&with("0.695", "0.773"), &[]);
    assert_codes(&with("0.50", "0.95"), &["AY606"]);
    assert_codes(&with("0.7338", "0.7342"), &["AY606"]);
}

#[test]
fn an_interval_wider_than_the_scale_is_found() {
    let many = r#", "num_samples": 500"#;

    assert_codes(&with_interval(F1, "0.734", "-2.5", "3.9", many), &["AY606"]);
    assert_codes(&with_interval(F1, "0.734", "-2.5", "3.9", ""), &["AY606"]);
    // A plain interval from two samples reaches beyond both ends.
    assert_codes(
        &with_interval(ACCURACY, "0.5", "-0.19", "1.19", r#", "num_samples": 2"#),
        &[],
    );
}

#[test]
fn a_score_that_no_count_gives_is_found() {
    assert_codes(&with_count(ACCURACY, "0.7341", 30), &["AY607"]);
    assert_codes(&with_count(PERCENT, "73.41", 30), &["AY607"]);
    assert_codes(&with_count(ACCURACY, "0.7333", 30), &[]);
    assert_codes(&with_count(ACCURACY, "0.7333333333333333", 30), &[]);
    // Asked eight times, sixty-four times, and in single precision.
    assert_codes(&with_count(ACCURACY, "0.7625", 30), &[]);
    assert_codes(&with_count(ACCURACY, "0.5005208", 30), &[]);
    assert_codes(&with_count(ACCURACY, "0.7666666507720947", 30), &[]);
    // Partial credit in quarters.
    assert_codes(&with_count(ACCURACY, "0.38108974358974373", 2340), &[]);
    assert_codes(&with_count(F1, "0.7341", 30), &[]);
    let macro_accuracy = ACCURACY.replace("accuracy", "macro_accuracy");
    assert_codes(&with_count(&macro_accuracy, "0.7341", 30), &[]);
}

#[test]
fn a_deviation_beyond_the_scale_is_found() {
    let with = |metric: &str, own: &str, deviation: &str, n: u64| {
        result(
            metric,
            &format!(
                r#""score": {own}, "uncertainty": {{"standard_deviation": {deviation}, "num_samples": {n}}}"#
            ),
        )
    };

    assert_codes(&with(ACCURACY, "0.9", "0.3015", 100), &[]);
    assert_codes(&with(ACCURACY, "0.90", "0.45", 100), &["AY609"]);
    assert_codes(&with(F1, "0.90", "0.45", 100), &[]);
    assert_codes(&with(F1, "0.90", "30.15", 100), &["AY609"]);
    assert_codes(&with(ACCURACY, "0.5", "0.7071", 2), &[]);
    assert_codes(&with(ELO, "1250", "300", 100), &[]);
}

#[test]
fn a_record_with_very_many_results_takes_no_longer_than_their_number() {
    let results = vec![score(PERCENT, "0.734"); 50_000].join(",\n");

    let found = findings(&results);

    assert!(!found.is_empty());
}

#[test]
fn numbers_of_any_size_do_no_harm() {
    let numbers = [
        "0", "-0.0", "1e308", "-1e308", "1e-320", "5e-324", "1", "0.5",
    ];
    for own in numbers {
        for other in numbers {
            let _ = findings(&with_error(ACCURACY, own, other, 1));
            let _ = findings(&with_error(PERCENT, own, other, 1_000_000));
            let _ = findings(&with_interval(
                F1,
                own,
                other,
                own,
                r#", "num_samples": -5"#,
            ));
            let wild = format!(r#""metric_name": "em", "min_score": {own}, "max_score": {other}"#);
            let _ = findings(&with_interval(
                &wild,
                own,
                "0",
                other,
                r#", "standard_deviation": 1e308"#,
            ));
        }
    }
}

#[test]
fn the_message_the_evidence_and_the_next_step_are_plain() {
    let results = [
        score(PERCENT, "0.734"),
        score(
            r#""metric_name": "WER (%)", "lower_is_better": false"#,
            "12.5",
        ),
        with_error(ACCURACY, "0.5", "0.0", 25),
        with_error(ACCURACY, "0.734", "0.442", 500),
        with_interval(ACCURACY, "0.88", "-0.0318", "0.0318", ""),
        with_interval(ACCURACY, "0.734", "0.50", "0.95", r#", "num_samples": 500"#),
        with_count(ACCURACY, "0.7341", 30),
    ];
    let found: Vec<Value> = results
        .iter()
        .flat_map(|own| findings(own))
        .map(|found| {
            json!({
                "code": found.code.to_string(), "message": found.message,
                "notes": found.notes, "help": found.help, "path": found.path,
            })
        })
        .collect();

    insta::assert_json_snapshot!(found);
}
