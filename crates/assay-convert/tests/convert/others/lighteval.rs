use assay_convert::convert::{Harness, Options, Refusal};
use serde_json::{Value, json};

use crate::kit::{Files as World, Output, fixture};

pub(crate) const RESULTS: &str = "out/results/acme/model-x/results_2026-11-15T18-51-49.249581.json";
pub(crate) const DETAILS: &str = "out/details/acme/model-x/2026-11-15T18-51-49.249581";

pub(crate) fn details(task: &str) -> String {
    format!("{DETAILS}/details_{task}_2026-11-15T18-51-49.249581.parquet")
}

/// The fixtures under the names that lighteval gives them.
pub(crate) fn world() -> World {
    World::default()
        .with(RESULTS, fixture("lighteval/results.json"))
        .with(&details("toymc:law|1"), fixture("lighteval/choice.parquet"))
        .with(
            &details("toygen|0"),
            fixture("lighteval/generation.parquet"),
        )
        .with(
            &details("toyold|0"),
            fixture("lighteval/before_0_11.parquet"),
        )
}

pub(crate) fn converted(world: &World) -> Output {
    let output = world.convert(Harness::Lighteval, RESULTS).unwrap();
    assert_eq!(output.errors(), Vec::<String>::new());
    output
}

/// The fields at these pointers.
fn at<'v>(value: &'v Value, pointers: &[&str]) -> Vec<&'v Value> {
    pointers
        .iter()
        .map(|pointer| value.pointer(pointer).unwrap_or(&Value::Null))
        .collect()
}

#[test]
fn every_task_has_a_record_and_derived_rows_have_none() {
    let output = converted(&world());

    let names: Vec<Value> = (0..output.converted.len())
        .map(|index| output.record(index)["evaluation_results"][0]["evaluation_name"].clone())
        .collect();
    assert_eq!(names, ["toymc:law", "toygen", "toyold"]);
    assert!(output.converted[0].identity.directory == "data/toymc_law/acme/model-x");
}

#[test]
fn the_aggregate_says_what_the_log_says() {
    let output = converted(&world());

    let record = output.record(0);
    let result = &record["evaluation_results"][0];

    assert_eq!(
        at(
            &record,
            &[
                "/evaluation_id",
                "/evaluation_timestamp",
                "/retrieved_timestamp",
                "/eval_library",
                "/model_info/id",
                "/model_info/additional_details/revision",
            ]
        ),
        [
            &json!("toymc:law|1/acme/model-x/1794768709-1cf35fb9"),
            &json!("1794768709"),
            &json!("1794768709"),
            &json!({"name": "lighteval", "version": "unknown"}),
            &json!("acme/model-x"),
            &json!("main"),
        ]
    );
    assert_eq!(result["evaluation_result_id"], "acc");
    assert_eq!(
        result["source_data"],
        json!({
            "source_type": "hf_dataset", "dataset_name": "toymc:law", "hf_repo": "acme/toymc", "hf_split": "test",
            "samples_number": 6, "additional_details": {"hf_subset": "default", "task_version": "1"}
        })
    );
    assert_eq!(
        result["score_details"],
        json!({"score": 0.5, "uncertainty": {
            "standard_error": {"value": 0.223_606_797_749_978_96, "method": "analytic"}, "num_samples": 6
        }})
    );
    assert_eq!(
        result["generation_config"],
        json!({
            "generation_args": {"temperature": 0.5, "top_p": 0.9},
            "additional_details": {
                "num_fewshot": "1", "seed": "42", "harness_task_version": "1", "shots": "1",
                "setup_keys": "harness_task_version,shots,system_prompt", "stop_sequence": "[\"\\n\"]", "system_prompt": "Be brief."
            }
        })
    );
}

#[test]
fn neither_keys_nor_directories_of_a_machine_reach_a_record() {
    let output = converted(&world());

    for bytes in output.files.0.values() {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("never-in-a-record") && !text.contains("/somewhere"));
    }
    assert_eq!(
        output.record(1)["evaluation_results"][0]["source_data"]["source_type"],
        "other"
    );
}

#[test]
fn what_is_not_known_of_a_metric_is_recorded_as_unknown() {
    let output = converted(&world());

    let (known, unknown) = (output.record(1), output.record(2));

    let bleu = &known["evaluation_results"][2]["metric_config"];
    assert_eq!(
        at(bleu, &["/metric_id", "/min_score", "/max_score"]),
        [&json!("bleu"), &json!(0.0), &json!(100.0)]
    );
    let mystery = &unknown["evaluation_results"][1]["metric_config"];
    assert_eq!(
        *mystery,
        json!({
            "metric_id": "lighteval.mystery", "metric_name": "mystery", "lower_is_better": false,
            "additional_details": {
                "bounds_status": "unknown", "metric_id_status": "unregistered", "polarity": "assumed"
            }
        })
    );
}

#[test]
fn a_choice_is_the_option_found_most_likely() {
    let output = converted(&world());

    let rows = output.rows(0);

    assert_eq!(rows.len(), 6, "{:?}", output.warnings());
    assert_eq!(
        at(
            &rows[1],
            &[
                "/sample_id",
                "/input/raw",
                "/input/reference",
                "/input/choices",
                "/output",
                "/evaluation/score"
            ]
        ),
        [
            &json!("1"),
            &json!("Question 1 é"),
            &json!([" option b1"]),
            &json!([" option a1", " option b1", " option c1", " option d1"]),
            &json!({"raw": [" option d1"]}),
            &json!(0.0),
        ]
    );
    assert_eq!(rows[1]["metadata"]["logprobs"], "[-2.5,-2.75,-3.0,-0.5]");
    let right = rows
        .iter()
        .filter(|row| row["evaluation"]["is_correct"] == true);
    assert_eq!(right.count(), 3);
}

#[test]
fn a_free_answer_keeps_what_was_said_and_has_no_options() {
    let output = converted(&world());

    let rows = output.rows(1);

    assert_eq!(
        at(
            &rows[0],
            &[
                "/input/choices",
                "/input/reference",
                "/output",
                "/token_usage",
                "/input/formatted"
            ]
        ),
        [
            &Value::Null,
            &json!(["0", "0.0"]),
            &json!({"raw": ["<think>adding</think>It is 0"], "reasoning_trace": ["adding"]}),
            &json!({"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}),
            &json!(
                r#"[{"role":"system","content":"Be brief."},{"role":"user","content":"What is 0+0?"}]"#
            ),
        ]
    );
    assert_eq!(
        rows[0]["answer_attribution"][0],
        json!({
            "turn_idx": 0, "source": "output.raw", "extracted_value": "It is 0",
            "extraction_method": "post_processing", "is_terminal": true
        })
    );
}

#[test]
fn every_number_of_a_sample_has_its_row_and_what_is_none_is_counted() {
    let output = converted(&world());

    let scores: Vec<_> = output
        .rows(1)
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            let score = row["evaluation"]["score"].as_f64().unwrap();
            (text("sample_id"), text("evaluation_result_id"), score)
        })
        .collect();

    let row = |id: &str, metric: &str, score: f64| (id.to_owned(), metric.to_owned(), score);
    assert_eq!(
        scores,
        [
            row("4", "em", 1.0),
            row("4", "f1", 0.0),
            row("5", "em", 0.0),
            row("5", "f1", 0.25),
            row("6", "em", 1.0),
            row("6", "f1", 0.5),
            row("7", "em", 0.0),
            row("7#2", "em", 1.0),
            row("7#2", "f1", 1.0),
        ]
    );
    assert_eq!(
        output.warnings(),
        [
            "1x `toynan|0` has no score that is a number: left out",
            "1x `odd` of `toygen|0` is not a number: left out",
            "1x a sample of `toygen` has the id of another: a number behind it tells them apart",
            "1x a sample of `toygen` has no number for `f1`: no row for it",
            "5x a sample of `toygen` has no number for `bleu`: no row for it",
            "5x a sample of `toygen` has a number outside the bounds of `perplexity`: no row for it",
            "1x the details of `toyold` are from before lighteval 0.11: it has no samples",
        ]
    );
}

#[test]
fn without_details_there_are_scores_and_a_warning_when_samples_were_wanted() {
    let world = World::default().with(RESULTS, fixture("lighteval/results.json"));
    let quiet = Options {
        samples: false,
        ..Options::default()
    };

    let loud = converted(&world);
    let quiet = world
        .convert_with(Harness::Lighteval, RESULTS, &quiet)
        .unwrap();

    let missing = |output: &Output| {
        let warnings = output.warnings();
        warnings
            .iter()
            .filter(|text| text.contains("no details were found"))
            .count()
    };
    assert_eq!(
        (loud.converted.len(), missing(&loud), missing(&quiet)),
        (3, 3, 0)
    );
    assert_eq!(loud.converted[0].rows, 0);
}

#[test]
fn details_are_found_wherever_the_results_were_put_below_the_output_directory() {
    let moved = "out/elsewhere/results_2026-11-15T18-51-49.249581.json";
    let world = world().with(moved, fixture("lighteval/results.json"));

    let output = world.convert(Harness::Lighteval, moved).unwrap();

    assert_eq!(output.converted[0].rows, 6);
}

#[test]
fn without_a_date_the_content_names_the_run() {
    let path = "out/results.json";
    let world = World::default().with(path, fixture("lighteval/results.json"));

    let output = world.convert(Harness::Lighteval, path).unwrap();

    let record = output.record(0);
    let uuid = &output.converted[0].identity.uuid[..8];
    assert_eq!(record["retrieved_timestamp"], "0");
    assert_eq!(
        record["evaluation_id"],
        format!("toymc:law|1/acme/model-x/0-{uuid}")
    );
    assert!(output.warnings()[0].contains("holds no time"));
    assert_eq!(output.errors(), Vec::<String>::new());
}

#[test]
fn converting_twice_gives_the_same_bytes_with_any_number_of_jobs() {
    let jobs = |jobs| Options {
        jobs,
        ..Options::default()
    };
    let convert = |options: Options| {
        world()
            .convert_with(Harness::Lighteval, RESULTS, &options)
            .unwrap()
            .files
    };

    assert_eq!(convert(jobs(1)), convert(jobs(1)));
    assert_eq!(convert(jobs(1)), convert(jobs(4)));
}

#[test]
fn a_document_of_something_else_is_refused() {
    let refusal = |text: &str| {
        let world = World::default().with("x.json", text);
        world.convert(Harness::Lighteval, "x.json").err().unwrap()
    };

    assert!(matches!(refusal("{}"), Refusal::Nothing(_)));
    assert!(matches!(
        refusal("{\"config_general\": {"),
        Refusal::Damaged { .. }
    ));
    assert!(matches!(
        refusal(r#"{"config_general": {}, "results": {"all": {"em": 1}}}"#),
        Refusal::Nothing(_)
    ));
}

#[test]
fn names_before_0_11_hold_a_suite() {
    let results = json!({
        "config_general": {"model_name": "gpt-x", "model_sha": "abc"},
        "results": {"leaderboard|arc:challenge|25": {"acc": 0.25}, "leaderboard|arc:_average|25": {"acc": 0.25}},
        "config_tasks": {"leaderboard|arc:challenge": {
            "hf_repo": "ai2_arc", "metric": [{"metric_name": "acc", "higher_is_better": true}]
        }},
        "versions": {"leaderboard|arc:challenge|25": 0}
    });
    let world = World::default().with(RESULTS, results.to_string());

    let output = converted(&world);

    let record = output.record(0);
    assert_eq!(output.converted.len(), 1);
    assert_eq!(record["model_info"]["id"], "unknown/gpt-x");
    assert_eq!(
        record["evaluation_results"][0]["source_data"],
        json!({
            "source_type": "hf_dataset", "dataset_name": "arc:challenge", "hf_repo": "ai2_arc",
            "additional_details": {"suite": "leaderboard", "task_version": "0"}
        })
    );
}

#[test]
fn a_task_that_comes_twice_is_converted_once_and_needs_no_configuration() {
    let results =
        r#"{"config_general": {}, "results": {"t|0": {"em": 1, "em": 0}, "t|0": {"em": 0}}}"#;
    let world = World::default().with(RESULTS, results);

    let output = converted(&world);

    let record = output.record(0);
    assert_eq!(output.converted.len(), 1);
    assert_eq!(record["model_info"]["id"], "unknown/unknown");
    assert_eq!(record["evaluation_results"].as_array().unwrap().len(), 1);
    assert_eq!(
        record["evaluation_results"][0]["score_details"],
        json!({"score": 1.0})
    );
}
