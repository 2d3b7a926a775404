//! One change to a valid record, one finding.

use serde_json::{Value, json};

use crate::support::{Memory, Pair, findings, pretty, record};

/// The findings of a record without samples after one change.
fn alone(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut record = record();
    record
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    change(&mut record);
    let path = Pair::new().record_path();
    findings(&Memory::default().with(&path, pretty(&record)).judge())
}

fn in_result(change: impl FnOnce(&mut Value)) -> Vec<String> {
    alone(|record| change(&mut record["evaluation_results"][0]))
}

#[test]
fn a_valid_record_has_no_findings_alone_or_with_its_samples() {
    assert_eq!(alone(|_| {}), [""; 0]);
    assert_eq!(Pair::new().findings(), [""; 0]);
}

#[test]
fn a_blank_id_is_an_error_and_a_blank_name_a_warning() {
    let found = alone(|record| {
        record["evaluation_id"] = json!("");
        record["model_info"]["id"] = json!("  ");
        record["model_info"]["name"] = json!("");
        record["evaluation_results"][0]["evaluation_result_id"] = json!("");
    });

    assert_eq!(
        found,
        [
            "json error AY410 3:20 `evaluation_id` is blank",
            "json warning AY410 18:13 `model_info.name` is blank",
            "json error AY410 19:11 `model_info.id` is blank",
            "json error AY410 27:31 `evaluation_results[0].evaluation_result_id` is blank",
        ]
    );
}

#[test]
fn a_record_without_results_is_suspicious() {
    let found = alone(|record| record["evaluation_results"] = json!([]));

    assert_eq!(
        found,
        ["json warning AY411 25:25 `evaluation_results` is empty"]
    );
}

#[test]
fn two_results_may_not_share_an_id() {
    let found = alone(|record| {
        let copy = record["evaluation_results"][0].clone();
        record["evaluation_results"]
            .as_array_mut()
            .unwrap()
            .push(copy);
    });

    assert_eq!(
        found,
        ["json error AY412 63:31 another result already has the id `sums/accuracy`"]
    );
}

#[test]
fn with_samples_every_one_of_several_results_needs_an_id() {
    let pair = Pair::new().record(|record| {
        let mut other = record["evaluation_results"][0].clone();
        other
            .as_object_mut()
            .unwrap()
            .remove("evaluation_result_id");
        record["evaluation_results"]
            .as_array_mut()
            .unwrap()
            .push(other);
    });

    assert_eq!(
        pair.findings(),
        [
            "json warning AY413 62:5 the record has samples and several results, but this one has no `evaluation_result_id`"
        ]
    );
}

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
fn s19_and_s20_numbers_must_be_numbers() {
    for value in [json!("0.5"), json!(true), json!(null)] {
        let found = in_result(|result| result["score_details"]["score"] = value.clone());
        assert!(
            found.len() == 1 && found[0].starts_with("json error AY102 47:18"),
            "{found:?}"
        );
    }
    let found = in_result(|result| {
        result["score_details"]["uncertainty"]["standard_deviation"] = json!("0.1")
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
            result["score_details"]["score"] = score;
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

#[test]
fn timestamps_are_seconds_or_dates() {
    let stamp = |text: &str| alone(|record| record["retrieved_timestamp"] = json!(text));

    for text in [
        "1767225600",
        "1767225600.5",
        "2026-01-01",
        "2026-01-01T00:00:00+02:00",
    ] {
        assert_eq!(stamp(text), [""; 0], "{text}");
    }
    assert_eq!(
        stamp("1767225600000"),
        [
            "json warning AY420 4:26 `1767225600000` is not in seconds, it seems: as such it is a date beyond the year 5000"
        ]
    );
    for text in ["yesterday", "nan", "inf", "1e9", "", "-5"] {
        assert_eq!(
            stamp(text),
            [format!(
                "json warning AY420 4:26 `{text}` is neither seconds since 1970 nor an ISO 8601 date"
            )]
        );
    }
}

#[test]
fn addresses_can_be_followed() {
    let found = alone(|record| {
        record["source_metadata"]["source_organization_url"] = json!("acme.example");
        record["evaluation_results"][0]["source_data"] = json!({
            "dataset_name": "sums",
            "source_type": "url",
            "url": ["https://acme.example/sums", "file:///tmp/sums"]
        });
    });

    assert_eq!(
        found,
        [
            "json warning AY421 10:32 `acme.example` is not an address that begins with `https://` or `http://`",
            "json warning AY421 34:11 `file:///tmp/sums` is not an address that begins with `https://` or `http://`",
        ]
    );
}

#[test]
fn a_dataset_is_named_by_its_id() {
    let found = in_result(|result| result["source_data"]["hf_repo"] = json!("/home/me/sums"));

    assert_eq!(
        found,
        [
            "json warning AY422 32:20 `/home/me/sums` is not the id of a dataset: a repository id is `namespace/name`; this has 3 slashes"
        ]
    );
}

#[test]
fn the_number_of_samples_is_that_of_their_ids() {
    let found = in_result(|result| result["source_data"]["samples_number"] = json!(3));

    assert_eq!(
        found,
        ["json warning AY423 33:27 `samples_number` is 3, but `sample_ids` has 2"]
    );
}

#[test]
fn s23_the_axes_are_asked_of_the_model_and_of_every_judge() {
    let found = alone(|record| {
        record["model_info"]["additional_details"] = json!({"deployment_type": "unknown"});
        record["evaluation_results"][0]["metric_config"]["llm_scoring"] = json!({
            "input_prompt": "Is it right?",
            "judges": [{"model_info": {"name": "J", "id": "acme/j", "additional_details": {
                "deployment_type": "cloudy", "model_availability": "unknown"
            }}}]
        });
    });

    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("json error AY101 20:27"), "{found:?}");
    assert!(found[1].starts_with("json error AY103 52:38"), "{found:?}");
}

#[test]
fn rules_leave_to_the_shape_what_is_of_the_shape() {
    let found = alone(|record| {
        record["model_info"] = json!([]);
        record["evaluation_results"] = json!({"not": "a list"});
        record["source_metadata"] = json!(null);
        record["retrieved_timestamp"] = json!(5);
    });

    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|one| one.contains(" AY102 ")), "{found:?}");
}
