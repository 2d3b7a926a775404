use assay_convert::upgrade::{
    ChangeKind, Draft, Reason, ReasonKind, Rows, RowsError, RowsSummary, Target,
};
use assay_formats::rows::{Algorithm, Hasher};
use serde_json::{Value, json};

use crate::files::InMemory;
use crate::judge::judge;

const PATH: &str = "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100.json";

fn target() -> Target {
    Target {
        evaluation_id: "gsm8k/acme_model-x/1767225600".to_owned(),
        model_id: "acme/model-x".to_owned(),
    }
}

/// A row of 0.2.0 with every form that later versions dropped.
fn single_turn() -> Value {
    json!({
        "schema_version": "0.2.0",
        "evaluation_id": "5eed0000-0000-4000-8000-000000000100_samples",
        "model_id": "model-x",
        "evaluation_name": "GSM8K",
        "evaluation_result_id": null,
        "sample_id": 7,
        "interaction_type": "single_turn",
        "input": {"raw": "1+1?", "reference": "2", "formatted": null},
        "output": {"raw": "2", "reasoning_trace": "easy"},
        "interactions": null,
        "answer_attribution": [{
            "turn_idx": 0, "source": "output.raw", "extracted_value": "2",
            "extraction_method": "exact_match", "is_terminal": true
        }],
        "evaluation": {"score": true, "is_correct": true, "num_turns": 1},
        "performance": {"latency_ms": 12.50, "queue_ms": 3.10, "retries": null},
        "metadata": {"epoch": 1, "tags": ["a", "b"], "note": "x", "none": null},
        "custom": {"deep": [1.0]}
    })
}

fn agentic() -> Value {
    json!({
        "schema_version": "instance_level_eval_0.2.0",
        "evaluation_id": "x",
        "model_id": "acme/model-x",
        "evaluation_name": "GSM8K",
        "sample_id": "b",
        "interaction_type": "agentic",
        "input": {"raw": "list files", "reference": ["a.txt"]},
        "interactions": [
            {"turn_idx": 0, "role": "assistant", "content": null, "tool_calls": [
                {"id": "c1", "name": "sh", "arguments": {"cmd": "ls", "timeout": 5, "env": {"A": 1}, "cwd": null}}
            ]},
            {"turn_idx": 1, "role": "tool", "content": "a.txt", "tool_call_id": "c1"}
        ],
        "answer_attribution": [{
            "turn_idx": 1, "source": "interactions[1].content", "extracted_value": "a.txt",
            "extraction_method": "last", "is_terminal": true
        }],
        "evaluation": {"score": 0.250, "is_correct": false, "tool_calls_count": 1},
        "token_usage": null
    })
}

fn copy(input: &str) -> Result<(String, RowsSummary), RowsError> {
    let mut output = Vec::new();
    let summary = Rows::new(target()).copy(input.as_bytes(), &mut output)?;
    Ok((String::from_utf8(output).unwrap(), summary))
}

fn refused(input: &str) -> Vec<Reason> {
    match copy(input) {
        Err(RowsError::Refused(refusal)) => refusal.reasons,
        other => panic!("{other:?}"),
    }
}

fn lines(rows: &[Value]) -> String {
    let mut lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    lines.push(String::new());
    lines.join("\n")
}

fn told(summary: &RowsSummary) -> Vec<(ChangeKind, &str, u64)> {
    summary
        .tallies
        .iter()
        .map(|tally| (tally.kind, tally.path.as_str(), tally.count))
        .collect()
}

#[test]
fn a_single_turn_row_takes_the_new_forms() {
    let (text, _) = copy(&lines(&[single_turn()])).unwrap();

    let row: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        row,
        json!({
            "schema_version": "0.3.0",
            "evaluation_id": "gsm8k/acme_model-x/1767225600",
            "model_id": "acme/model-x",
            "evaluation_name": "GSM8K",
            "sample_id": "7",
            "interaction_type": "single_turn",
            "input": {"raw": "1+1?", "reference": ["2"], "formatted": null},
            "output": {"raw": ["2"], "reasoning_trace": ["easy"]},
            "messages": null,
            "answer_attribution": [{
                "turn_idx": 0, "source": "output.raw", "extracted_value": "2",
                "extraction_method": "exact_match", "is_terminal": true
            }],
            "evaluation": {"score": 1, "is_correct": true, "num_turns": 1},
            "performance": {"latency_ms": 12.5, "additional_details": {"queue_ms": "3.1"}},
            "metadata": {
                "epoch": "1", "tags": r#"["a","b"]"#, "note": "x", "custom": r#"{"deep":[1.0]}"#
            }
        })
    );
}

#[test]
fn an_agentic_row_takes_the_new_forms() {
    let (text, _) = copy(&lines(&[agentic()])).unwrap();

    let row: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(row.get("interactions"), None);
    assert_eq!(
        row["messages"][0]["tool_calls"][0]["arguments"],
        json!({"cmd": "ls", "timeout": "5", "env": r#"{"A":1}"#})
    );
    assert_eq!(row["messages"][1]["tool_call_id"], json!(["c1"]));
    assert_eq!(
        row["answer_attribution"][0]["source"],
        "messages[1].content"
    );
    assert_eq!(row["evaluation"]["score"], 0.25);
}

#[test]
fn changes_are_counted_over_the_file() {
    let (_, summary) = copy(&lines(&[single_turn(), agentic(), single_turn()])).unwrap();

    assert_eq!(summary.rows, 3);
    let told = told(&summary);
    for change in [
        (ChangeKind::Renamed, "interactions", 3),
        (ChangeKind::Renamed, "answer_attribution[].source", 1),
        (ChangeKind::Restated, "evaluation_id", 3),
        (ChangeKind::Restated, "model_id", 2),
        (ChangeKind::Restated, "evaluation.score", 2),
        (ChangeKind::Restated, "input.reference", 2),
        (ChangeKind::Restated, "sample_id", 2),
        (
            ChangeKind::Restated,
            "messages[].tool_calls[].arguments.timeout",
            1,
        ),
        (ChangeKind::Moved, "performance.queue_ms", 2),
        (ChangeKind::Moved, "custom", 2),
        (ChangeKind::Lost, "evaluation_result_id", 2),
        (ChangeKind::Lost, "metadata.none", 2),
        (ChangeKind::Lost, "performance.retries", 2),
        (ChangeKind::Lost, "messages[].tool_calls[].arguments.cwd", 1),
    ] {
        assert!(told.contains(&change), "{change:?} in {told:#?}");
    }
}

#[test]
fn the_digest_is_that_of_what_was_written() {
    let (text, summary) = copy(&lines(&[single_turn(), agentic()])).unwrap();

    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(text.as_bytes());
    assert_eq!(summary.sha256, hasher.hex());
}

#[test]
fn upgraded_rows_stay_as_they_are() {
    let (once, _) = copy(&lines(&[single_turn(), agentic()])).unwrap();

    let (twice, summary) = copy(&once).unwrap();

    assert_eq!(twice, once);
    assert_eq!(summary.tallies, []);
}

#[test]
fn an_array_of_rows_becomes_a_row_a_line() {
    let array = serde_json::to_string_pretty(&json!([single_turn(), agentic()])).unwrap();

    let (from_array, _) = copy(&format!("\n {array}\n")).unwrap();

    let (from_lines, _) = copy(&lines(&[single_turn(), agentic()])).unwrap();
    assert_eq!(from_array, from_lines);
}

#[test]
fn the_letters_of_a_number_stay() {
    let input = lines(&[agentic()])
        .replace("0.25", "0.2500000000000000001")
        .replace("\"timeout\":5", "\"timeout\":5.00");

    let (text, _) = copy(&input).unwrap();

    assert!(text.contains("\"score\":0.2500000000000000001,"));
    assert!(text.contains("\"timeout\":\"5.00\""));
}

#[test]
fn blank_lines_are_no_rows() {
    let row = single_turn();

    let (_, summary) = copy(&format!("\n\n{row}\r\n\n  \n{row}")).unwrap();

    assert_eq!(summary.rows, 2);
}

#[test]
fn a_row_that_cannot_be_upgraded_is_named_by_its_line() {
    let mut wrong = single_turn();
    wrong["evaluation"]["is_correct"] = json!("yes");
    let input = format!("\n{}\n{wrong}\n{{\"a\": \n[]\n", single_turn());

    let reasons = refused(&input);

    let told: Vec<(ReasonKind, Option<u64>)> = reasons
        .iter()
        .map(|reason| (reason.kind, reason.line))
        .collect();
    assert_eq!(
        told,
        [
            (ReasonKind::Shape, Some(3)),
            (ReasonKind::NotJson, Some(4)),
            (ReasonKind::NotAnObject, Some(5)),
        ]
    );
    assert_eq!(reasons[0].path, "evaluation.is_correct");
}

#[test]
fn a_broken_array_is_named_by_its_line() {
    let reasons = refused("[\n{\"schema_version\": \"0.2.0\"");

    assert!(
        reasons.iter().all(|reason| reason.line == Some(2)),
        "{reasons:?}"
    );
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    let result = Rows::new(target()).copy(&b"{\"a\": \"\xff\"}\n"[..], std::io::sink());

    let Err(RowsError::Refused(refusal)) = result else {
        panic!("{result:?}");
    };
    assert_eq!(refusal.reasons[0].line, Some(1));
}

#[test]
fn endless_rows_of_faults_end() {
    let reasons = refused(&"3\n".repeat(10_000));

    assert_eq!(reasons.len(), 50);
}

#[test]
fn new_keys_in_every_row_do_not_fill_the_memory() {
    let rows: Vec<Value> = (0..1500)
        .map(|number| {
            let mut row = single_turn();
            row[format!("key_{number}")] = json!(1);
            row
        })
        .collect();

    let (_, summary) = copy(&lines(&rows)).unwrap();

    assert_eq!(summary.tallies.len(), 1000);
    assert!(summary.untold > 0);
}

#[test]
fn a_record_and_its_samples_are_valid_together() {
    let record = json!({
        "schema_version": "0.2.0",
        "evaluation_id": "gsm8k/acme_model-x/1767225600",
        "retrieved_timestamp": "1767225600",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "Acme",
            "evaluator_relationship": "third_party"
        },
        "model_info": {"name": "Model X", "id": "acme/model-x"},
        "evaluation_results": [{
            "evaluation_name": "GSM8K",
            "source_data": {"dataset_name": "gsm8k", "source_type": "other"},
            "metric_config": {
                "lower_is_better": false, "score_type": "continuous", "min_score": 0, "max_score": 1
            },
            "score_details": {"score": 0.625, "uncertainty": {"num_samples": 2}}
        }],
        "detailed_evaluation_results": {
            "format": "json", "file_path": "/tmp/run/samples.json", "checksum": "00", "total_rows": 9
        }
    });
    let draft = Draft::read(&record.to_string(), PATH).unwrap();
    let samples_path = draft.samples_path().unwrap();
    let mut rows = Vec::new();
    let input = json!([single_turn(), agentic()]).to_string();
    let summary = Rows::new(draft.target())
        .copy(input.as_bytes(), &mut rows)
        .unwrap();

    let upgraded = draft.finish(Some(&summary)).unwrap();

    let json: Value = serde_json::from_str(&upgraded.json).unwrap();
    assert_eq!(
        json["detailed_evaluation_results"],
        json!({
            "format": "jsonl", "file_path": samples_path, "checksum": summary.sha256,
            "total_rows": 2, "hash_algorithm": "sha256"
        })
    );
    let mut files = InMemory::default();
    files.0.insert(upgraded.path, upgraded.json.into_bytes());
    files.0.insert(samples_path, rows);
    assert_eq!(files.errors(), Vec::<String>::new());
    assert_eq!(
        judge(&files.0)
            .iter()
            .filter_map(|report| report.rows)
            .sum::<u64>(),
        2
    );
}

#[test]
fn samples_without_rows_are_refused() {
    let (_, summary) = copy("\n").unwrap();
    let record =
        r#"{"schema_version": "0.2.0", "detailed_evaluation_results": {"format": "jsonl"}}"#;
    let draft = Draft::read(record, PATH).unwrap();

    let refusal = draft.finish(Some(&summary)).unwrap_err();

    assert_eq!(refusal.reasons[0].kind, ReasonKind::SamplesEmpty);
}
