//! Differences between the versions and dialects in the wild.

use serde_json::{Value, json};

use crate::support::{Memory, Pair, UUID, findings, pretty, record};

/// The valid pair as 0.2.0 would have it.
fn old_pair() -> (Value, Value) {
    let mut record = record();
    record["schema_version"] = json!("0.2.0");
    record.as_object_mut().unwrap().remove("eval_library");
    record["model_info"]
        .as_object_mut()
        .unwrap()
        .remove("additional_details");
    record["evaluation_results"][0]["score_details"] = json!({"score": 0});
    record["detailed_evaluation_results"] = json!({
        "format": "jsonl",
        "file_path": format!("/home/me/out/{UUID}.jsonl"),
    });
    let row = json!({
        "schema_version": "0.2.0",
        "evaluation_id": record["evaluation_id"],
        "model_id": "acme/model-x",
        "evaluation_name": "sums",
        "sample_id": 7,
        "interaction_type": "multi_turn",
        "input": {"raw": "1 + 1", "reference": "2"},
        "interactions": [
            {"turn_idx": 0, "role": "assistant", "content": "3", "tool_calls": [{"id": "a", "name": "add"}]},
            {"turn_idx": 1, "role": "tool", "tool_call_id": "a"}
        ],
        "answer_attribution": [],
        "evaluation": {"score": false, "is_correct": false}
    });
    (record, row)
}

fn judge(record: &Value, row: &Value, name: &str) -> Vec<String> {
    let directory = Pair::new().directory;
    let files = Memory::default()
        .with(&format!("{directory}/{UUID}.json"), pretty(record))
        .with(&format!("{directory}/{name}"), format!("{row}\n"));
    findings(&files.judge())
}

const OLD: &str = "json note AY402 2:21 the record follows schema 0.2.0; the current one is 0.3.0";
const UNSEALED: &str = "json note AY432 13:34 the samples file has no `checksum`";

#[test]
fn t18_a_pair_of_0_2_0_is_judged_by_its_own_rules_under_both_names() {
    let (record, row) = old_pair();

    for name in [format!("{UUID}.jsonl"), format!("{UUID}_samples.jsonl")] {
        assert_eq!(judge(&record, &row, &name), [OLD, UNSEALED]);
    }
}

#[test]
fn t18_old_converters_named_the_file_where_the_evaluation_belongs() {
    let (record, mut row) = old_pair();
    row["evaluation_id"] = json!(format!("{UUID}_samples"));

    let found = judge(&record, &row, &format!("{UUID}_samples.jsonl"));

    assert_eq!(
        found,
        [
            OLD.to_owned(),
            UNSEALED.to_owned(),
            format!(
                "jsonl warning AY504 1:43 `evaluation_id` is `{UUID}_samples`, the name of the file, as old converters wrote it; the record's is `sums/acme_model-x/1767225600`"
            ),
        ]
    );
}

#[test]
fn t18_an_old_path_is_compared_by_its_name_alone() {
    let (mut record, row) = old_pair();
    record["detailed_evaluation_results"]["file_path"] = json!("C:\\out\\run.jsonl");

    let found = judge(&record, &row, &format!("{UUID}_samples.jsonl"));

    assert_eq!(
        found[2],
        format!(
            "json warning AY425 15:18 `file_path` names `run.jsonl`, but the samples of this record are `{UUID}_samples.jsonl`"
        )
    );
    assert_eq!(found.len(), 3);
}

#[test]
fn t18_an_old_record_may_declare_json() {
    let (mut record, row) = old_pair();
    record["detailed_evaluation_results"]["format"] = json!("json");

    let found = judge(&record, &row, &format!("{UUID}_samples.jsonl"));

    assert_eq!(
        found[2],
        "json warning AY426 14:15 `format` is `json`, which is not read row by row"
    );
}

#[test]
fn t18_an_old_record_without_a_path_need_not_have_samples() {
    let (mut record, _) = old_pair();
    record["detailed_evaluation_results"] = json!({"format": "jsonl"});
    let path = Pair::new().record_path();

    let found = findings(&Memory::default().with(&path, pretty(&record)).judge());

    assert_eq!(found, [OLD]);
}

#[test]
fn t19_words_that_went_out_of_use_are_translated() {
    let mut record = record();
    record
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    record["model_info"]["additional_details"] =
        json!({"deployment_type": "self_hosted", "model_availability": "proprietary"});
    let files = Memory::default().with(&Pair::new().record_path(), pretty(&record));

    let reports = files.judge();

    let helps: Vec<_> = reports[0]
        .findings
        .diagnostics()
        .iter()
        .map(|found| found.help.as_deref().unwrap())
        .collect();
    assert_eq!(
        helps,
        [
            "did you mean `self_deployed`?",
            "did you mean `closed_weights`?"
        ]
    );
}

#[test]
fn t20_no_bound_is_a_string_and_the_bare_word_is_no_json() {
    let with_bound = |bound: &str| {
        let pair = Pair::new();
        let files = pair.files();
        let text = String::from_utf8(files.0[&pair.record_path()].clone()).unwrap();
        let text = text.replace("\"max_score\": 1", &format!("\"max_score\": {bound}"));
        findings(&files.with(&pair.record_path(), text).judge())
    };

    assert_eq!(with_bound("\"Infinity\""), [""; 0]);
    for bare in ["Infinity", "NaN", "1e999"] {
        let found = with_bound(bare);
        assert!(
            found.len() == 1 && found[0].starts_with("json error AY008 44:22"),
            "{found:?}"
        );
    }
    assert_eq!(
        with_bound("null"),
        ["json error AY414 44:22 `max_score` is null, but `score_type` is `continuous`"]
    );
}

#[test]
fn t21_a_record_that_was_scraped_twice_is_found() {
    let pair = Pair::new();
    let mut again = pair.record.clone();
    again
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    let mut first = again.clone();
    first["evaluation_id"] = json!("sums/acme_model-x/1");
    first["retrieved_timestamp"] = json!("1767225601");
    let path = format!(
        "{}/5eed0000-0000-4000-8000-000000000000.json",
        pair.directory
    );
    let files = Memory::default()
        .with(&path, pretty(&first))
        .with(&pair.record_path(), pretty(&again));

    let found = findings(&files.judge());

    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("json warning AY608 0:0 this record says the same as `data/sums"),
        "{found:?}"
    );
}

#[test]
fn t23_one_row_for_each_metric_is_not_the_same_sample_twice() {
    let mut pair = Pair::new().record(|record| {
        let mut other = record["evaluation_results"][0].clone();
        other["evaluation_result_id"] = json!("sums/em");
        record["evaluation_results"]
            .as_array_mut()
            .unwrap()
            .push(other);
    });
    for row in pair.rows.clone() {
        let mut row = row;
        row["evaluation_result_id"] = json!("sums/em");
        pair.rows.push(row);
    }

    assert_eq!(pair.findings(), [""; 0]);
}

#[test]
fn t24_a_hash_of_another_recipe_is_accepted() {
    let pair = Pair::new().row(0, |row| row["sample_hash"] = json!("f".repeat(64)));

    assert_eq!(pair.findings(), [""; 0]);
}
