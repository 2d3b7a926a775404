//! One change to a valid record, one finding.

use assay_check::Context;
use assay_model::Timestamp;
use serde_json::{Value, json};

use crate::support::{Memory, Pair, findings, pretty, record};

/// The findings of a record without samples after one change.
pub(crate) fn alone(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut record = record();
    record
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    change(&mut record);
    let path = Pair::new().record_path();
    findings(&Memory::default().with(&path, pretty(&record)).judge())
}

pub(crate) fn in_result(change: impl FnOnce(&mut Value)) -> Vec<String> {
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
fn timestamps_lie_neither_ahead_nor_before_the_year_2000() {
    let context = Context {
        now: Timestamp::from_seconds(1_767_225_600),
        ..Context::default()
    };
    let stamped = |change: &dyn Fn(&mut Value)| {
        let mut record = record();
        record
            .as_object_mut()
            .unwrap()
            .remove("detailed_evaluation_results");
        change(&mut record);
        let files = Memory::default().with(&Pair::new().record_path(), pretty(&record));
        findings(&files.judge_with(&context, 1))
    };
    let retrieved = |text: &str| stamped(&|record| record["retrieved_timestamp"] = json!(text));

    for text in ["1767225600", "1767312000", "2026-01-02", "1514764800"] {
        let found = retrieved(text);
        assert!(!found.iter().any(|line| line.contains("4:26")), "{found:?}");
    }
    assert_eq!(
        retrieved("1767312001"),
        ["json error AY437 4:26 `1767312001` lies in the future"]
    );
    assert_eq!(
        retrieved("99999999999"),
        ["json error AY437 4:26 `99999999999` lies in the future"]
    );
    for text in ["0", "0.5", "1514764799", "1970-01-01T00:00:00Z"] {
        let early = format!("json warning AY438 4:26 `{text}` lies before the year 2018");
        assert!(retrieved(text).contains(&early), "{text}");
    }
    let in_result = stamped(&|record| {
        record["evaluation_results"][0]["evaluation_timestamp"] = json!("2026-03-01");
    });
    assert!(
        in_result[0].starts_with("json error AY437 ") && in_result[0].contains("`2026-03-01`"),
        "{in_result:?}"
    );
}

#[test]
fn an_evaluation_runs_before_its_record_is_made() {
    let evaluated = |text: &str| alone(|record| record["evaluation_timestamp"] = json!(text));

    for text in ["1767225600", "2026-01-02T00:00:00Z", "2025-06-01"] {
        assert_eq!(evaluated(text), [""; 0], "{text}");
    }
    assert_eq!(
        evaluated("2026-01-02T00:00:01Z"),
        ["json warning AY439 5:27 the evaluation ran after its record was made"]
    );
    let found = in_result(|result| result["evaluation_timestamp"] = json!("1767400000"));
    assert!(
        found.len() == 1 && found[0].starts_with("json warning AY439 "),
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
            "json warning AY421 10:32 `acme.example` is not a web address: it does not begin with `https://`",
            "json warning AY421 34:11 `file:///tmp/sums` is not a web address: it does not begin with `https://`",
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

#[test]
fn the_result_that_the_readme_prints_lacks_its_source_and_is_accepted_with_it() {
    let missing = |source: Option<Value>| {
        let found = alone(|record| {
            record["schema_version"] = json!("0.2.0");
            record["evaluation_results"] = json!([{
                "evaluation_name": "code_generation",
                "metric_config": {
                    "evaluation_description": "pass@1 on code generation tasks",
                    "lower_is_better": false,
                    "score_type": "continuous",
                    "min_score": 0,
                    "max_score": 1
                },
                "score_details": {
                    "score": 0.31
                }
            }]);
            if let Some(source) = source {
                record["evaluation_results"][0]["source_data"] = source;
            }
        });
        let errors = found.into_iter().filter(|finding| {
            finding.contains(" error ") && finding.contains("evaluation_results")
        });
        errors.collect::<Vec<_>>()
    };

    let printed = missing(None);

    assert_eq!(printed.len(), 1, "{printed:?}");
    assert!(
        printed[0].contains("AY101") && printed[0].contains("source_data"),
        "{printed:?}"
    );
    let source =
        json!({"dataset_name": "humaneval", "source_type": "url", "url": ["https://acme.example"]});
    assert_eq!(missing(Some(source)), [""; 0]);
}
