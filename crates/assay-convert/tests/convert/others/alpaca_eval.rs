use assay_convert::convert::{Harness, Options, Refusal};
use serde_json::{Value, json};

use crate::kit::{Files as World, Output, fixture};

const V1: &str = "boards/data_AlpacaEval/alpaca_eval_gpt4_leaderboard.csv";
const V2: &str = "boards/data_AlpacaEval_2/weighted_alpaca_eval_gpt4_turbo_leaderboard.csv";

fn converted(path: &str, name: &str) -> Output {
    let world = World::default().with(path, fixture(name));
    let output = world.convert(Harness::AlpacaEval, path).unwrap();
    assert_eq!(output.errors(), Vec::<String>::new());
    output
}

fn scores(record: &Value) -> Vec<(String, f64)> {
    let results = record["evaluation_results"].as_array().unwrap();
    let score = |result: &Value| {
        let id = result["evaluation_result_id"].as_str().unwrap().to_owned();
        (id, result["score_details"]["score"].as_f64().unwrap())
    };
    results.iter().map(score).collect()
}

#[test]
fn every_row_becomes_a_record_of_shares() {
    let output = converted(V2, "alpaca_eval/v2.csv");

    let record = output.record(0);

    assert_eq!(output.converted.len(), 3);
    assert_eq!(
        output.converted[0].identity.directory,
        "data/alpaca_eval_v2/anthropic/claude-toy"
    );
    assert_eq!(
        scores(&record),
        [
            ("alpaca_eval.win_rate".to_owned(), 0.405_602),
            (
                "alpaca_eval.length_controlled_win_rate".to_owned(),
                0.523_668
            ),
            ("alpaca_eval.discrete_win_rate".to_owned(), 0.387_578),
            ("alpaca_eval.average_length".to_owned(), 1488.0),
        ]
    );
    assert_eq!(
        record["evaluation_results"][1]["score_details"]["uncertainty"],
        json!({"standard_error": {"value": 0.00625}, "num_samples": 805})
    );
    assert_eq!(record["source_metadata"]["source_type"], "documentation");
}

#[test]
fn the_judge_is_recorded_and_differs_between_editions() {
    let judge = |path: &str, name: &str| {
        let record = converted(path, name).record(0);
        let result = &record["evaluation_results"][0];
        let scoring = &result["metric_config"]["llm_scoring"];
        (
            scoring["judges"][0]["model_info"]["id"].clone(),
            scoring["input_prompt"].clone(),
            record["eval_library"]["version"].clone(),
            result["source_data"]["source_type"].clone(),
        )
    };

    let first = judge(V1, "alpaca_eval/v1.csv");
    let second = judge(V2, "alpaca_eval/v2.csv");

    assert_eq!(
        first,
        (
            json!("openai/gpt-4"),
            json!("alpaca_eval_gpt4"),
            json!("1.0"),
            json!("url")
        )
    );
    assert_eq!(
        second,
        (
            json!("openai/gpt-4-1106-preview"),
            json!("weighted_alpaca_eval_gpt4_turbo"),
            json!("2.0"),
            json!("url")
        )
    );
}

#[test]
fn nothing_bounds_a_length() {
    let record = converted(V1, "alpaca_eval/v1.csv").record(0);

    let length = &record["evaluation_results"][1]["metric_config"];

    assert_eq!(length["metric_id"], "alpaca_eval.average_length");
    assert_eq!(
        (&length["min_score"], &length["max_score"]),
        (&json!(0.0), &json!("Infinity"))
    );
    assert_eq!(length["llm_scoring"], Value::Null);
}

#[test]
fn an_unknown_maker_never_fails_a_row() {
    let output = converted(V1, "alpaca_eval/v1.csv");

    let record = output.record(2);

    assert_eq!(record["model_info"]["id"], "unknown/someone's, model");
    assert_eq!(record["model_info"]["developer"], Value::Null);
}

#[test]
fn rows_without_a_model_or_a_rate_are_left_out_and_counted() {
    let output = converted(V2, "alpaca_eval/v2.csv");

    assert_eq!(
        output.warnings(),
        [
            "1x a leaderboard holds no time: the records were retrieved at an unknown time",
            "1x a row names no model: left out",
            "1x a model has no win rate that is a number from 0 to 100: left out",
        ]
    );
}

#[test]
fn a_time_that_a_person_gives_is_recorded() {
    let world = World::default().with(V1, fixture("alpaca_eval/v1.csv"));
    let options = Options {
        retrieved_timestamp: Some("1767225600".to_owned()),
        ..Options::default()
    };

    let output = world
        .convert_with(Harness::AlpacaEval, V1, &options)
        .unwrap();

    assert_eq!(output.record(0)["retrieved_timestamp"], "1767225600");
    assert_eq!(output.warnings(), Vec::<String>::new());
}

#[test]
fn a_model_that_stands_on_a_board_twice_has_two_records() {
    let world = World::default().with("b.csv", "model,win_rate\na,1\na,1\n");

    let output = world.convert(Harness::AlpacaEval, "b.csv").unwrap();

    assert_eq!((output.converted.len(), output.files.0.len()), (2, 2));
    assert!(output.warnings()[1].contains("the judge is unknown"));
    assert_eq!(output.errors(), Vec::<String>::new());
}

#[test]
fn another_table_is_refused() {
    let world = World::default()
        .with("other.csv", "a,b\n1,2\n")
        .with("empty.csv", "")
        .with("bare.csv", "model,win_rate\n");

    for path in ["other.csv", "empty.csv", "bare.csv"] {
        let refusal = world.convert(Harness::AlpacaEval, path).err();
        assert!(matches!(refusal, Some(Refusal::Nothing(_))), "{path}");
    }
}

#[test]
fn a_board_that_alpaca_eval_itself_made_is_converted_without_guessing_who_judged() {
    let output = converted("out/script/leaderboard.csv", "alpaca_eval/run.csv");

    let (best, other) = (output.record(0), output.record(1));

    assert_eq!(output.converted.len(), 2);
    assert_eq!(
        scores(&best),
        [
            ("alpaca_eval.win_rate".to_owned(), 0.6875),
            ("alpaca_eval.discrete_win_rate".to_owned(), 0.6875),
            ("alpaca_eval.average_length".to_owned(), 49.0),
        ]
    );
    let result = &best["evaluation_results"][0];
    assert_eq!(
        result["score_details"]["uncertainty"],
        json!({"standard_error": {"value": 0.16195}, "num_samples": 8})
    );
    assert!(result["metric_config"].get("llm_scoring").is_none());
    assert_eq!(other["model_info"]["name"], "someone's, model");
}
