//! One change to a valid row, one finding.

use serde_json::{Value, json};

use crate::support::{Memory, Pair, findings};

/// The findings after a change to the single-turn row, on line 1.
fn first(change: impl FnOnce(&mut Value)) -> Vec<String> {
    without_column(Pair::new().row(0, change).findings())
}

/// The findings after a change to the agentic row, on line 2.
fn second(change: impl FnOnce(&mut Value)) -> Vec<String> {
    without_column(Pair::new().row(1, change).findings())
}

/// Columns of long rows are hard to read in a test; those of two rows are asserted below.
fn without_column(found: Vec<String>) -> Vec<String> {
    found
        .into_iter()
        .map(|text| {
            let parts: Vec<&str> = text.splitn(5, ' ').collect();
            let (line, _) = parts[3].split_once(':').unwrap();
            format!(
                "{} {} {} line {line}: {}",
                parts[0], parts[1], parts[2], parts[4]
            )
        })
        .collect()
}

#[test]
fn s13_every_row_has_the_evaluation_id_of_the_record() {
    let pair = Pair::new().row(0, |row| row["evaluation_id"] = json!("other"));

    assert_eq!(
        pair.findings(),
        [
            "jsonl error AY504 1:43 `evaluation_id` is `other`, but that of the record is `sums/acme_model-x/1767225600`"
        ]
    );
}

#[test]
fn s14_every_row_has_the_model_of_the_record() {
    let pair = Pair::new().row(0, |row| row["model_id"] = json!("acme/model-y"));

    assert_eq!(
        pair.findings(),
        [
            "jsonl error AY505 1:85 `model_id` is `acme/model-y`, but the `model_info.id` of the record is `acme/model-x`"
        ]
    );
}

#[test]
fn a_row_counts_for_a_result_of_the_record() {
    let found = first(|row| row["evaluation_result_id"] = json!("sums/accuracies"));

    assert_eq!(
        found,
        ["jsonl error AY509 line 1: the record has no result with the id `sums/accuracies`"]
    );
}

#[test]
fn with_several_results_a_row_names_its_own() {
    let pair = Pair::new()
        .record(|record| {
            let mut other = record["evaluation_results"][0].clone();
            other["evaluation_result_id"] = json!("sums/other");
            record["evaluation_results"]
                .as_array_mut()
                .unwrap()
                .push(other);
        })
        .row(0, |row| {
            row.as_object_mut().unwrap().remove("evaluation_result_id");
        });

    assert_eq!(
        pair.findings(),
        [
            "jsonl warning AY510 1:1 the record has 2 results, and the row does not say which it counts for"
        ]
    );
}

#[test]
fn with_one_result_a_row_need_not_name_it() {
    let found = first(|row| {
        row.as_object_mut().unwrap().remove("evaluation_result_id");
    });

    assert_eq!(found, [""; 0]);
}

#[test]
fn the_score_of_a_sample_lies_within_the_bounds_of_its_metric() {
    let found = second(|row| row["evaluation"]["score"] = json!(-1));

    assert_eq!(
        found,
        ["jsonl error AY511 line 2: the score -1 is outside the bounds of `sums/accuracy`, 0 to 1"]
    );
}

#[test]
fn token_counts_add_up_one_way_or_another() {
    let usage = |usage: Value| first(|row| row["token_usage"] = usage);

    for fits in [
        json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": 8, "reasoning_tokens": 2}),
        json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": 6, "reasoning_tokens": 1}),
        json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": 36, "input_tokens_cache_read": 10, "input_tokens_cache_write": 20}),
        json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": 16, "input_tokens_cache_read": 10, "input_tokens_cache_write": 20}),
    ] {
        assert_eq!(usage(fits.clone()), [""; 0], "{fits}");
    }
    for total in [4, 7, 100] {
        assert_eq!(
            usage(json!({"input_tokens": 5, "output_tokens": 1, "total_tokens": total})),
            [format!(
                "jsonl warning AY512 line 1: `total_tokens` is {total}, but input and output are 6"
            )]
        );
    }
    let huge = i64::MAX;
    assert_eq!(
        usage(json!({"input_tokens": huge, "output_tokens": huge, "total_tokens": 1})).len(),
        1
    );
}

#[test]
fn there_are_not_more_turns_than_messages() {
    assert_eq!(
        second(|row| row["evaluation"]["num_turns"] = json!(5)),
        ["jsonl warning AY513 line 2: `num_turns` is 5, but there are only 4 messages"]
    );
    assert_eq!(
        second(|row| row["evaluation"]["num_turns"] = json!(2)),
        [""; 0]
    );
}

#[test]
fn tool_calls_are_counted() {
    assert_eq!(
        second(|row| row["evaluation"]["tool_calls_count"] = json!(0)),
        ["jsonl warning AY514 line 2: `tool_calls_count` is 0, but the messages have 1"]
    );
}

#[test]
fn turns_are_numbered_in_order() {
    assert_eq!(
        second(|row| row["messages"][2]["turn_idx"] = json!(7)),
        ["jsonl warning AY515 line 2: `turn_idx` is 7, but this is message 2"]
    );
}

#[test]
fn a_tool_answers_a_call_that_was_made_before() {
    assert_eq!(
        second(|row| row["messages"][2]["tool_call_id"] = json!(["call-1", "call-2"])),
        ["jsonl warning AY516 line 2: no earlier message has a tool call with the id `call-2`"]
    );
    assert_eq!(
        second(|row| row["messages"][0]["tool_call_id"] = json!(["call-1"])).len(),
        1
    );
}

#[test]
fn an_answer_is_attributed_to_a_turn_that_exists() {
    assert_eq!(
        second(|row| row["answer_attribution"][0]["turn_idx"] = json!(4)),
        [
            "jsonl error AY517 line 2: the answer is attributed to turn 4, but the messages end with turn 3"
        ]
    );
    assert_eq!(
        first(|row| row["answer_attribution"][0]["turn_idx"] = json!(2)),
        [
            "jsonl error AY517 line 1: the answer is attributed to turn 2, but the row has a single turn"
        ]
    );
}

#[test]
fn several_turns_have_messages() {
    let found = second(|row| {
        row["messages"] = json!([]);
        row["answer_attribution"] = json!([]);
        row["evaluation"]["tool_calls_count"] = json!(0);
    });

    assert_eq!(
        found,
        ["jsonl warning AY518 line 2: the list of messages is empty"]
    );
}

#[test]
fn right_and_wrong_go_with_the_score() {
    assert_eq!(
        second(|row| row["evaluation"]["is_correct"] = json!(true)),
        [
            "jsonl warning AY519 line 2: the answer is called correct, but its score 0 is the worst possible"
        ]
    );
    assert_eq!(
        first(|row| row["evaluation"]["is_correct"] = json!(false)),
        [
            "jsonl warning AY519 line 1: the answer is called wrong, but its score 1 is the best possible"
        ]
    );
}

#[test]
fn right_is_at_the_other_end_when_lower_is_better() {
    let pair = Pair::new().result(|result| {
        result["metric_config"]["lower_is_better"] = json!(true);
        result["metric_config"]["metric_id"] = json!("error_rate");
        result["metric_config"]["metric_name"] = json!("Error rate");
        result["metric_config"]["metric_kind"] = json!("error_rate");
    });

    let found = without_column(pair.findings());

    assert_eq!(
        found,
        [
            "jsonl warning AY519 line 1: the answer is called correct, but its score 1 is the worst possible",
            "jsonl warning AY519 line 2: the answer is called wrong, but its score 0 is the best possible",
        ]
    );
}

#[test]
fn a_sample_that_failed_is_not_correct() {
    assert_eq!(
        first(|row| row["error"] = json!("out of memory")),
        ["jsonl warning AY520 line 1: the sample failed, but its answer is called correct"]
    );
    assert_eq!(second(|row| row["error"] = json!("out of memory")), [""; 0]);
}

#[test]
fn a_row_follows_the_version_of_its_record() {
    assert_eq!(
        first(|row| row["schema_version"] = json!("0.2.2")),
        ["jsonl warning AY521 line 1: the row follows schema 0.2.2, its record 0.3.0"]
    );
    assert_eq!(
        first(|row| row["schema_version"] = json!("banana")),
        ["jsonl error AY401 line 1: `banana` is not a published schema version"]
    );
    assert_eq!(
        first(|row| row["schema_version"] = json!("instance_level_eval_0.3.0")),
        [""; 0]
    );
}

#[test]
fn a_sample_hash_is_a_digest() {
    assert_eq!(
        first(|row| row["sample_hash"] = json!("abc")),
        ["jsonl warning AY522 line 1: `abc` is not a SHA-256 digest of 64 hexadecimal digits"]
    );
}

#[test]
fn a_sample_has_an_id() {
    assert_eq!(
        first(|row| row["sample_id"] = json!("")),
        ["jsonl error AY523 line 1: `sample_id` is blank"]
    );
}

#[test]
fn a_sample_stands_once() {
    let pair = Pair::new().row(1, |row| row["sample_id"] = json!("0"));
    assert_eq!(
        pair.findings(),
        ["jsonl warning AY502 2:1 the same sample, result and metadata stand in an earlier row"]
    );
    let found = pair.files().judge();
    let diagnostic = &found[1].findings.diagnostics()[0];
    assert_eq!(diagnostic.excerpt, None);
    assert_eq!(
        diagnostic.place.span.start,
        pair.samples().find('\n').unwrap() as u64 + 1
    );
    let told_apart = pair.row(1, |row| row["metadata"] = json!({"epoch": "2"}));

    assert_eq!(told_apart.findings(), [""; 0]);
}

#[test]
fn malformed_parts_are_left_to_the_shape() {
    let found = second(|row| {
        row["messages"] = json!([{"turn_idx": "zero", "role": 1, "tool_calls": {}, "tool_call_id": 5}, null, [], 1]);
        row["answer_attribution"] = json!({"turn_idx": 99});
        row["evaluation"] = json!([1]);
        row["token_usage"] = json!([]);
        row["error"] = json!({});
        row["sample_hash"] = json!([]);
    });

    assert!(!found.is_empty());
    assert!(found.iter().all(|one| one.contains(" AY10")), "{found:#?}");
}

/// The row that the README of Every Eval Ever prints.
const PRINTED: &str = r#"{
  "schema_version": "instance_level_eval_0.2.0",
  "evaluation_id": "math_eval/meta-llama/Llama-2-7b-chat/1706000000",
  "model_id": "meta-llama/Llama-2-7b-chat",
  "evaluation_name": "math_eval",
  "sample_id": 4,
  "interaction_type": "single_turn",
  "input": { "raw": "If 2^10 = 4^x, what is the value of x?", "reference": "5" },
  "output": { "raw": "Rewrite 4 as 2^2, so 4^x = 2^(2x). Since 2^10 = 2^(2x), x = 5." },
  "answer_attribution": [{ "source": "output.raw", "extracted_value": "5" }],
  "evaluation": { "score": 1.0, "is_correct": true }
}"#;

#[test]
fn the_row_of_the_readme_lacks_what_its_schema_requires_and_is_accepted_with_that() {
    let errors = |row: &Value| {
        let reports = Memory::default()
            .with("rows.jsonl", format!("{row}\n"))
            .judge();
        let found = findings(&reports).into_iter();
        found
            .filter(|finding| finding.contains(" error AY1"))
            .collect::<Vec<_>>()
    };
    let mut row: Value = serde_json::from_str(PRINTED).unwrap();

    let printed = errors(&row);
    for (key, value) in [
        ("turn_idx", json!(0)),
        ("extraction_method", json!("regex")),
        ("is_terminal", json!(true)),
    ] {
        assert!(
            printed
                .iter()
                .any(|finding| finding.contains("AY101") && finding.contains(key)),
            "{key}: {printed:?}"
        );
        row["answer_attribution"][0][key] = value;
    }

    assert_eq!(printed.len(), 3, "{printed:?}");
    assert_eq!(errors(&row), Vec::<String>::new());
}
