//! Scores, their bounds, how sure they are, and what their samples say.

use serde_json::{Value, json};

use crate::records::in_result;
use crate::support::{Memory, Pair, pretty, record, single_turn};

#[test]
fn s17_a_blank_score_type_is_none_of_the_words() {
    assert_eq!(
        in_result(|result| result["metric_config"]["score_type"] = json!("")),
        [
            "json error AY103 42:23 `evaluation_results[0].metric_config.score_type` is ``, which is not one of `binary`, `continuous` or `levels`"
        ]
    );
    assert_eq!(
        in_result(|result| result["metric_config"]["score_type"] = json!(null)),
        [
            "json error AY102 42:23 `evaluation_results[0].metric_config.score_type` must be `binary`, `continuous` or `levels`, not null"
        ]
    );
}

#[test]
fn s18_a_continuous_metric_needs_bounds_that_can_be_used() {
    assert_eq!(
        in_result(|result| result["metric_config"]["min_score"] = json!(null)),
        ["json error AY414 43:22 `min_score` is null, but `score_type` is `continuous`"]
    );
    let found = in_result(|result| result["metric_config"]["max_score"] = json!("infinite"));
    assert!(found[0].starts_with("json error AY103 44:22"), "{found:?}");
    let found = in_result(|result| {
        result["metric_config"]
            .as_object_mut()
            .unwrap()
            .remove("max_score");
    });
    assert!(found[0].starts_with("json error AY110 39:24"), "{found:?}");
    assert_eq!(found.len(), 1);
}

#[test]
fn a_bound_that_is_null_is_allowed_without_a_score_type() {
    let found = in_result(|result| {
        result["metric_config"]
            .as_object_mut()
            .unwrap()
            .remove("score_type");
        result["metric_config"]["max_score"] = json!(null);
    });

    assert_eq!(found, [""; 0]);
}

#[test]
fn a_score_that_its_unit_does_not_have_is_refused() {
    let scored = |unit: &str, name: &str, lower: bool, score: f64| {
        in_result(|result| {
            let metric = result["metric_config"].as_object_mut().unwrap();
            metric.remove("score_type");
            metric.remove("min_score");
            metric.remove("max_score");
            metric.insert("metric_id".to_owned(), json!(name));
            metric.insert("metric_name".to_owned(), json!(name));
            metric.insert("metric_unit".to_owned(), json!(unit));
            metric.insert("lower_is_better".to_owned(), json!(lower));
            result["score_details"] = json!({"score": score});
        })
    };
    let refused = |found: &[String], message: &str| {
        found.len() == 1 && found[0].starts_with("json error AY436 ") && found[0].ends_with(message)
    };

    for (unit, score, message) in [
        ("proportion", 61.0, "61.0 is more than a proportion can be"),
        ("percent", 150.5, "150.5 is more than a percentage can be"),
        ("per cent", -1.0, "-1.0 is less than a percentage can be"),
    ] {
        let found = scored(unit, "accuracy", false, score);
        assert!(refused(&found, message), "{found:?}");
    }
    for (unit, name, lower, score) in [
        ("proportion", "accuracy", false, 0.61),
        ("ratio", "accuracy", false, 1.6),
        ("proportion", "wer", true, 1.3),
        ("percent", "accuracy_improvement", false, -4.5),
        ("percent", "relative_gain", false, 140.0),
        ("percentage points", "accuracy", false, -4.5),
    ] {
        assert_eq!(scored(unit, name, lower, score), [""; 0], "{unit} {name}");
    }
}

#[test]
fn declared_bounds_go_before_the_unit_of_a_record() {
    let bounded = |min: Value, max: Value, score: f64| {
        in_result(|result| {
            let metric = result["metric_config"].as_object_mut().unwrap();
            metric.remove("score_type");
            metric.insert("min_score".to_owned(), min);
            metric.insert("max_score".to_owned(), max);
            metric.insert("metric_unit".to_owned(), json!("percent"));
            result["score_details"] = json!({"score": score});
        })
    };
    let codes = |found: &[String]| -> Vec<String> {
        found
            .iter()
            .map(|line| line.split(' ').nth(2).unwrap().to_owned())
            .collect()
    };

    assert_eq!(bounded(json!(-100), json!(100), -3.5), [""; 0]);
    assert_eq!(bounded(json!(0), json!("Infinity"), 130.0), [""; 0]);
    assert_eq!(codes(&bounded(json!(0), json!(100), 150.0)), ["AY416"]);
    assert_eq!(codes(&bounded(json!(0), json!(null), 150.0)), ["AY436"]);
    assert_eq!(codes(&bounded(json!(null), json!(100), -3.0)), ["AY436"]);
}

#[test]
fn s19_and_s20_numbers_must_be_numbers() {
    for value in [json!("0.5"), json!(true), json!(null)] {
        let found = in_result(|result| result["score_details"]["score"] = value.clone());
        assert!(
            found.len() == 1 && found[0].starts_with("json error AY102 47:18"),
            "{found:?}"
        );
    }
    let found = in_result(|result| {
        result["score_details"]["uncertainty"]["standard_deviation"] = json!("0.1");
    });
    assert!(
        found.len() == 1 && found[0].starts_with("json error AY102 57:33"),
        "{found:?}"
    );
}

#[test]
fn s21_bounds_may_not_be_the_wrong_way_round() {
    let reversed = |min: Value, max: Value| {
        in_result(|result| {
            result["metric_config"]["min_score"] = min;
            result["metric_config"]["max_score"] = max;
        })
    };

    assert_eq!(
        reversed(json!(1), json!(0)),
        ["json error AY415 44:22 no score is between `min_score` 1 and `max_score` 0"]
    );
    assert_eq!(
        reversed(json!("Infinity"), json!("-Infinity")),
        [
            "json error AY415 43:22 no score is between `min_score` \"Infinity\" and `max_score` \"-Infinity\""
        ]
    );
    assert_eq!(reversed(json!("-Infinity"), json!("Infinity")), [""; 0]);
}

#[test]
fn s22_a_score_outside_its_bounds_is_an_error_also_with_one_bound() {
    assert_eq!(
        in_result(|result| result["score_details"]["score"] = json!(87.5)),
        ["json error AY416 47:18 the score 87.5 is outside the bounds of its metric, 0 to 1"]
    );
    let one_sided = in_result(|result| {
        result["metric_config"]["max_score"] = json!("Infinity");
        result["score_details"]["score"] = json!(-0.01);
    });
    assert_eq!(
        one_sided,
        ["json error AY416 47:18 the score -0.01 is outside the bounds of its metric, 0 or more"]
    );
    let unknown = in_result(|result| {
        let metric = result["metric_config"].as_object_mut().unwrap();
        metric.remove("score_type");
        metric.remove("min_score");
        result["score_details"]["score"] = json!(2);
    });
    assert_eq!(
        unknown,
        ["json error AY416 45:18 the score 2 is outside the bounds of its metric, 1 or less"]
    );
}

#[test]
fn a_percentage_under_a_proportion_is_explained() {
    let mut record = record();
    record
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    record["evaluation_results"][0]["score_details"]["score"] = json!(87.5);
    let files = Memory::default().with(&Pair::new().record_path(), pretty(&record));

    let reports = files.judge();

    let help = reports[0].findings.diagnostics()[0].help.as_deref();
    assert_eq!(
        help,
        Some("a percentage is meant, it seems: write 0.875, or correct the bounds")
    );
}

#[test]
fn a_level_is_a_whole_number_that_has_a_name() {
    let level = |score: Value, has_unknown: bool| {
        in_result(|result| {
            result["metric_config"] = json!({
                "lower_is_better": false,
                "score_type": "levels",
                "level_names": ["Low", "Medium", "High"],
                "has_unknown_level": has_unknown
            });
            result["score_details"] = json!({ "score": score });
        })
    };

    for score in [0, 1, 3] {
        assert_eq!(level(json!(score), false), [""; 0]);
    }
    assert_eq!(level(json!(-1), true), [""; 0]);
    assert_eq!(
        level(json!(4), true),
        ["json error AY417 50:18 the score 4 is not one of the 3 levels of the metric"]
    );
    assert_eq!(
        level(json!(1.5), true),
        ["json error AY417 50:18 the score 1.5 is not one of the 3 levels of the metric"]
    );
    assert_eq!(
        level(json!(-1), false),
        ["json error AY417 50:18 the score -1 is not one of the 3 levels of the metric"]
    );
}

#[test]
fn an_interval_runs_upwards() {
    let found = in_result(|result| {
        result["score_details"]["uncertainty"]["confidence_interval"]["lower"] = json!(2);
    });

    assert_eq!(
        found,
        ["json error AY418 53:22 the interval runs from 2 down to 1.0"]
    );
}

#[test]
fn spreads_and_counts_are_not_negative() {
    let found = in_result(|result| {
        result["score_details"]["uncertainty"] = json!({
            "standard_error": {"value": -0.1},
            "standard_deviation": -1,
            "num_samples": -1,
            "num_bootstrap_samples": -5
        });
    });

    let prefix = "evaluation_results[0].score_details.uncertainty";
    assert_eq!(
        found,
        [
            format!(
                "json error AY419 50:22 `{prefix}.standard_error.value` is -0.1, which is less than zero"
            ),
            format!(
                "json error AY419 52:33 `{prefix}.standard_deviation` is -1, which is less than zero"
            ),
            format!("json error AY419 53:26 `{prefix}.num_samples` is -1, which is less than zero"),
            format!(
                "json error AY419 54:36 `{prefix}.num_bootstrap_samples` is -5, which is less than zero"
            ),
        ]
    );
}

#[test]
fn a_confidence_level_in_percent_is_out_of_range() {
    let found = in_result(|result| {
        result["score_details"]["uncertainty"]["confidence_interval"]["confidence_level"] =
            json!(95);
    });

    assert!(
        found.len() == 1 && found[0].starts_with("json error AY107 55:33"),
        "{found:?}"
    );
}

/// A result over ten rows, six of them right.
fn ten_rows(score: f64, change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut pair = Pair::new();
    pair.rows = (0..10)
        .map(|sample| {
            let mut row = single_turn(&sample.to_string());
            if sample >= 6 {
                row["evaluation"] = json!({"score": 0, "is_correct": false});
            }
            row
        })
        .collect();
    pair.result(|result| {
        result["score_details"] = json!({"score": score});
        change(result);
    })
    .findings()
}

#[test]
fn a_score_of_reduced_epochs_need_not_be_the_mean_of_its_rows() {
    let reduced = |reducer: &str| {
        ten_rows(0.9, |result| {
            result["metric_config"]["additional_details"] = json!({"reducer": reducer});
        })
    };

    assert_eq!(reduced("max"), [""; 0]);
    assert_eq!(reduced("mean").len(), 1);
}

#[test]
fn a_score_that_is_not_the_mean_of_its_rows_is_suspicious() {
    assert_eq!(
        ten_rows(0.9, |_| {}),
        [
            "json warning AY435 47:18 the score of `sums/accuracy` is 0.9, but its rows score 0.6 on average"
        ]
    );
    for score in [0.6, 0.55, 0.64] {
        assert_eq!(ten_rows(score, |_| {}), [""; 0]);
    }
}

#[test]
fn a_percentage_is_compared_with_the_share_that_is_correct() {
    let percent = |result: &mut Value| result["metric_config"]["max_score"] = json!(100);

    assert_eq!(ten_rows(60.0, percent), [""; 0]);
    assert_eq!(ten_rows(90.0, percent).len(), 1);
}

#[test]
fn a_metric_that_is_no_mean_is_not_compared() {
    for name in ["f1", "bleu", "pass@8", "meteor"] {
        let found = ten_rows(0.9, |result| {
            result["metric_config"]["metric_id"] = json!(name);
        });

        assert_eq!(found, [""; 0], "{name}");
    }
}
