//! Whatever comes in, nothing panics, and what comes out is a record or row of 0.3.0.

use assay_convert::upgrade::{self, Rows, Target};
use assay_formats::eee::{Version, aggregate_shape, instance_shape};
use assay_formats::shape::{self, Shape, ShapeFaultKind};
use assay_formats::{Tape, json};
use proptest::prelude::*;
use serde_json::{Value, json};

const PATH: &str = "data/gsm8k/acme/model-x/5eed0000-0000-4000-8000-000000000100.json";

/// Values that have no business almost anywhere.
fn strange_values() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(-3),
        json!(1.5e300),
        json!("text"),
        json!("Infinity"),
        json!([]),
        json!([1, "a", null, {"b": []}]),
        json!({}),
        json!({"a": null, "b": {"c": 1.50}, "text": "x"}),
    ]
}

fn record() -> Value {
    json!({
        "schema_version": "0.2.0",
        "evaluation_id": "gsm8k/acme_model-x/1767225600",
        "retrieved_timestamp": "1767225600",
        "source_data": ["https://example.org"],
        "source_metadata": {
            "source_type": "documentation", "source_organization_name": "Acme",
            "evaluator_relationship": "third_party", "additional_details": {"x": 1}
        },
        "eval_library": {"name": "x", "version": "1"},
        "model_info": {
            "name": "Model X", "id": "acme/model-x", "inference_engine": {"name": "vllm"},
            "additional_details": {"deployment_type": "api"}
        },
        "evaluation_results": [{
            "evaluation_name": "GSM8K",
            "source_data": {"dataset_name": "g", "source_type": "hf_dataset", "sample_ids": [1]},
            "metric_config": {
                "lower_is_better": false, "score_type": "continuous", "min_score": 0, "max_score": 1,
                "llm_scoring": {"input_prompt": "x", "judges": [{"model_info": {"name": "j", "id": "a/j"}}]}
            },
            "score_details": {
                "score": 0.5, "details": {"a": 1}, "confidence_interval": {"lower": 0, "upper": 1}
            },
            "generation_config": {
                "generation_args": {
                    "temperature": 0.7, "seed": 1, "eval_plan": {"steps": [{}], "config": {"a": 1}},
                    "agentic_eval_config": {"available_tools": [{"name": "t", "parameters": {"a": 1}}]}
                },
                "additional_details": {"b": 2}
            }
        }]
    })
}

fn row() -> Value {
    json!({
        "schema_version": "0.2.0", "evaluation_id": "x", "model_id": "x", "evaluation_name": "x",
        "sample_id": 7, "interaction_type": "agentic",
        "input": {"raw": "q", "reference": "r", "choices": ["a"]}, "output": null,
        "interactions": [{"turn_idx": 0, "role": "assistant", "tool_call_id": "c", "tool_calls": [
            {"id": "c", "name": "t", "arguments": {"a": 1}}
        ]}],
        "answer_attribution": [{
            "turn_idx": 0, "source": "interactions[0].content", "extracted_value": "x",
            "extraction_method": "x", "is_terminal": true
        }],
        "evaluation": {"score": true, "is_correct": true},
        "token_usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2},
        "performance": {"latency_ms": 1.0, "queue": 2}, "metadata": {"a": 1}, "stranger": [1]
    })
}

/// Every place of a document, as JSON pointers.
fn places(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_owned());
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                places(value, &format!("{here}/{key}"), all);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{here}/{index}"), all);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Puts strange values at a few places.
fn damaged(mut value: Value, damage: &[(prop::sample::Index, prop::sample::Index)]) -> String {
    for (place, strange) in damage {
        let mut all = Vec::new();
        places(&value, "", &mut all);
        let pointer = place.get(&all).clone();
        if let Some(target) = value.pointer_mut(&pointer) {
            *target = strange.get(&strange_values()).clone();
        }
    }
    value.to_string()
}

fn damage() -> impl Strategy<Value = Vec<(prop::sample::Index, prop::sample::Index)>> {
    proptest::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..4)
}

/// Everything that keeps a text from having a shape.
fn faults(shape: &'static Shape, text: &str) -> Vec<String> {
    let mut tape = Tape::new();
    let mut faults: Vec<String> = json::parse(text, &mut tape)
        .iter()
        .map(|fault| format!("{fault:?}"))
        .collect();
    let root = tape.root(text).expect("what was written is JSON");
    shape::evaluate(shape, root, &mut |fault| {
        if !matches!(fault.kind, ShapeFaultKind::StrangeKey { .. }) {
            faults.push(format!("{} {:?}", fault.at.path(), fault.at));
        }
    });
    faults
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_damaged_record_is_refused_or_comes_out_whole(damage in damage()) {
        let text = damaged(record(), &damage);

        let result = upgrade::record(&text, PATH);

        if let Ok(upgraded) = result {
            prop_assert_eq!(faults(aggregate_shape(Version::CURRENT), &upgraded.json), Vec::<String>::new());
            let again = upgrade::record(&upgraded.json, PATH).expect("what was upgraded is current");
            prop_assert_eq!(again.json, upgraded.json);
        }
    }

    #[test]
    fn a_damaged_row_is_refused_or_comes_out_whole(damage in damage()) {
        let text = damaged(row(), &damage);
        let target = Target { evaluation_id: "e".to_owned(), model_id: "a/m".to_owned() };

        let mut output = Vec::new();
        let result = Rows::new(target).copy(text.as_bytes(), &mut output);

        if result.is_ok_and(|summary| summary.rows > 0) {
            for line in String::from_utf8(output).expect("rows are text").lines() {
                prop_assert_eq!(faults(instance_shape(Version::CURRENT), line), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,200}") {
        let target = Target { evaluation_id: "e".to_owned(), model_id: "a/m".to_owned() };

        let record = upgrade::record(&text, PATH);
        let rows = Rows::new(target).copy(text.as_bytes(), std::io::sink());

        prop_assert!(record.is_err());
        prop_assert!(rows.is_err() || rows.is_ok_and(|summary| summary.rows == 0));
    }
}

#[test]
fn the_undamaged_record_and_row_are_taken() {
    let target = Target {
        evaluation_id: "e".to_owned(),
        model_id: "a/m".to_owned(),
    };

    let record = upgrade::record(&record().to_string(), PATH);
    let rows = Rows::new(target).copy(row().to_string().as_bytes(), std::io::sink());

    assert_eq!(record.map(|_| ()), Ok(()));
    assert_eq!(rows.map(|summary| summary.rows).ok(), Some(1));
}

#[test]
fn a_record_with_a_hundred_thousand_strange_keys_is_upgraded_in_time() {
    let mut record = record();
    for number in 0..100_000 {
        record[format!("k{number}")] = json!(1);
        record["evaluation_results"][0]["generation_config"]["generation_args"]
            [format!("k{number}")] = json!(1);
    }

    let upgraded = upgrade::record(&record.to_string(), PATH);

    assert!(upgraded.is_ok_and(|upgraded| upgraded.report.changes.len() > 200_000));
}
