//! Tests of rows.

use assay_convert::convert::Options;
use serde_json::{Value, json};

use super::support::{
    DATE, RESULTS, choice_row, converted, converted_log, in_memory, in_memory_log, lines, results,
    run, samples_path, text_row,
};

fn acc() -> Value {
    results("t", &json!({"acc,none": 0.5}))
}

#[test]
fn a_multiple_choice_is_answered_by_the_likeliest_option() {
    let rows = converted_log(&acc(), "t", &[choice_row(7, &json!(1.0))]).rows("t");

    assert_eq!(rows.len(), 1);
    let row = &rows[0];
    assert_eq!(
        (&row["sample_id"], &row["evaluation_result_id"]),
        (&json!("7"), &json!("acc"))
    );
    assert_eq!(
        row["input"],
        json!({"raw": "Q: is it?\nA:", "reference": ["no"], "choices": ["yes", "no"]})
    );
    assert_eq!(row["output"], json!({"raw": ["no"]}));
    assert_eq!(row["evaluation"], json!({"score": 1.0, "is_correct": true}));
    assert_eq!(row["answer_attribution"][0]["extracted_value"], "no");
    assert_eq!(
        row["metadata"],
        json!({
            "doc_hash": "d", "filter": "none", "lm_eval_metrics": "{\"acc\": 1.0}", "prompt_hash": "p",
            "target_hash": "t"
        })
    );
}

#[test]
fn every_filter_and_every_metric_has_its_own_rows() {
    let log = results(
        "t",
        &json!({"exact_match,strict": 0.0, "exact_match,loose": 1.0, "f1,loose": 0.5}),
    );
    let mut loose = text_row(0, "loose", 1.0);
    loose["f1"] = json!(0.5);
    loose["metrics"] = json!(["exact_match", "f1"]);

    let outcome = converted_log(&log, "t", &[text_row(0, "strict", 0.0), loose]);

    let scores: Vec<(Value, Value, Value)> = outcome
        .rows("t")
        .iter()
        .map(|row| {
            (
                row["evaluation_result_id"].clone(),
                row["evaluation"]["score"].clone(),
                row["evaluation"]["is_correct"].clone(),
            )
        })
        .collect();
    assert_eq!(
        scores,
        [
            (json!("exact_match,strict"), json!(0.0), json!(false)),
            (json!("exact_match,loose"), json!(1.0), json!(true)),
            (json!("f1,loose"), json!(0.5), json!(false)),
        ]
    );
    assert_eq!(outcome.warnings(), Vec::<String>::new());
}

#[test]
fn every_repeat_is_kept_and_the_extracted_answer_stands_beside_them() {
    let log = results("t", &json!({"exact_match,strict": 0.0}));

    let rows = converted_log(&log, "t", &[text_row(0, "strict", 0.0)]).rows("t");

    assert_eq!(rows[0]["output"]["raw"], json!(["It is 2.", "It is 3."]));
    assert_eq!(rows[0]["answer_attribution"][0]["extracted_value"], "2");
    assert_eq!(
        rows[0]["answer_attribution"][0]["extraction_method"],
        "strict"
    );
}

#[test]
fn values_that_are_no_scores_have_no_row_and_are_counted() {
    let log = results(
        "t",
        &json!({"acc,none": 0.5, "brier_score,none": 0.7, "perplexity,none": 20.0}),
    );
    let mut rows: Vec<Value> = vec![choice_row(0, &json!(true)), choice_row(1, &json!(false))];
    for row in &mut rows {
        row["brier_score"] = json!([1, "[0.1 0.9]"]);
        row["perplexity"] = json!(-2.5);
    }
    let text = lines(&rows).replace("\"acc\":false", "\"acc\":NaN");
    let logs = in_memory(&[(RESULTS, &log.to_string()), (&samples_path("t"), &text)]);

    let outcome = converted(&logs, RESULTS);

    assert_eq!(outcome.rows("t").len(), 1);
    assert_eq!(
        outcome.rows("t")[0]["evaluation"],
        json!({"score": 1.0, "is_correct": true})
    );
    assert_eq!(
        outcome.warnings(),
        [
            "the value of a sample for `acc` is not a number, so it has no row × 1",
            "the value of a sample for `brier_score` is not a number, so it has no row × 2",
            "the value of a sample for `perplexity` is not on the scale of the metric, so it has no row × 2"
        ]
    );
}

#[test]
fn samples_of_other_tasks_and_other_runs_are_not_taken() {
    let row = format!("{}\n", choice_row(0, &json!(1.0)));
    let logs = in_memory(&[
        (RESULTS, &acc().to_string()),
        (&samples_path("t_easy"), &row),
        (
            "out/acme__model-x/samples_t_2026-11-15T19-00-00.000000.jsonl",
            &row,
        ),
    ]);

    let outcome = converted(&logs, RESULTS);

    assert_eq!(outcome.converted[0].rows, 0);
    assert_eq!(outcome.record("t").get("detailed_evaluation_results"), None);
}

#[test]
fn samples_lie_beside_results_of_any_name() {
    let row = format!("{}\n", choice_row(0, &json!(1.0)));
    let path = format!("my_run_{DATE}.json");
    let samples = format!("samples_t_{DATE}.jsonl");
    let logs = in_memory(&[(&path, &acc().to_string()), (&samples, &row)]);

    assert_eq!(converted(&logs, &path).converted[0].rows, 1);
}

#[test]
fn samples_are_not_read_when_nobody_wants_them() {
    let logs = in_memory_log(&acc(), "t", &[choice_row(0, &json!(1.0))]);
    let options = Options {
        samples: false,
        ..Options::default()
    };

    assert_eq!(run(&logs, RESULTS, &options).unwrap().converted[0].rows, 0);
}

#[test]
fn a_chat_is_one_question_and_its_prompt_is_kept() {
    let log = results("t", &json!({"exact_match,strict": 1.0}));
    let messages = json!([
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "2+2?"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "1+1?"}
    ])
    .to_string();
    let mut row = text_row(0, "strict", 1.0);
    row["arguments"]["gen_args_0"]["arg_0"] = json!([messages]);

    let rows = converted_log(&log, "t", &[row]).rows("t");

    assert_eq!(rows[0]["interaction_type"], "single_turn");
    assert_eq!(rows[0]["input"]["raw"], "1+1?");
    assert_eq!(rows[0]["input"]["formatted"], messages);
}

#[test]
fn messages_that_were_not_written_as_text_are_read_too() {
    let log = results("t", &json!({"exact_match,strict": 1.0}));
    let mut row = text_row(0, "strict", 1.0);
    row["arguments"]["gen_args_0"]["arg_0"] =
        json!([{"role": "user", "content": [{"type": "text", "text": "1+1?"}]}]);

    let rows = converted_log(&log, "t", &[row]).rows("t");

    assert_eq!(rows[0]["input"]["raw"], "1+1?");
}

#[test]
fn rows_of_older_versions_have_lists_and_no_filter() {
    let mut log = acc();
    log.as_object_mut().unwrap().remove("n-samples");
    let row = json!({
        "doc_id": 3, "doc": {}, "target": 0,
        "arguments": [["Q:", " a"], ["Q:", " b"]],
        "resps": [[[-0.5, true]], [[-2.5, false]]],
        "filtered_resps": [[-0.5, true], [-2.5, false]],
        "acc": 1.0
    });

    let outcome = converted_log(&log, "t", &[row]);

    let row = &outcome.rows("t")[0];
    assert_eq!(
        row["input"],
        json!({"raw": "Q:", "reference": ["a"], "choices": ["a", "b"]})
    );
    assert_eq!(row["output"]["raw"], json!(["a"]));
    assert_eq!(
        row["metadata"],
        json!({"filter": "none", "lm_eval_metrics": "{\"acc\": 1.0}"})
    );
    assert_eq!(
        outcome.record("t")["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"],
        1
    );
}

#[test]
fn rows_without_a_filter_cannot_be_told_apart_when_there_are_several() {
    let log = results(
        "t",
        &json!({"exact_match,strict": 0.0, "exact_match,loose": 1.0}),
    );
    let mut row = text_row(0, "strict", 0.0);
    row.as_object_mut().unwrap().remove("filter");

    let outcome = converted_log(&log, "t", &[row]);

    assert_eq!(
        outcome.warnings(),
        ["a sample does not say by which filter it was scored and is left out × 1"]
    );
}

#[test]
fn options_that_stand_in_the_prompt_are_told_apart() {
    let mut row = choice_row(0, &json!(1.0));
    row["arguments"] = json!({
        "gen_args_0": {"arg_0": "The cup broke because the cup", "arg_1": " fell."},
        "gen_args_1": {"arg_0": "The cup broke because the table", "arg_1": " fell."}
    });

    let rows = converted_log(&acc(), "t", &[row]).rows("t");

    assert_eq!(rows[0]["input"]["raw"], "The cup broke because the ");
    assert_eq!(
        rows[0]["input"]["choices"],
        json!(["cup fell.", "table fell."])
    );
    assert_eq!(rows[0]["output"]["raw"], json!(["table fell."]));
}

#[test]
fn requests_without_a_prompt_are_not_options() {
    let mut row = choice_row(0, &json!(1.0));
    row["arguments"]["gen_args_2"] = json!({"arg_0": "", "arg_1": " yes"});
    row["arguments"]["gen_args_3"] = json!({"arg_0": "", "arg_1": " no"});
    row["filtered_resps"] = json!([
        ["-2.5", "False"],
        ["-0.5", "True"],
        ["-0.1", "True"],
        ["-0.1", "True"]
    ]);

    let rows = converted_log(&acc(), "t", &[row]).rows("t");

    assert_eq!(rows[0]["input"]["choices"], json!(["yes", "no"]));
    assert_eq!(rows[0]["output"]["raw"], json!(["no"]));
}

#[test]
fn a_likelihood_is_what_the_model_returned() {
    let row = json!({
        "doc_id": 0, "doc": {}, "target": " fox", "arguments": {"gen_args_0": {"arg_0": "the quick", "arg_1": " fox"}},
        "resps": [[["-0.5", "True"]]], "filtered_resps": [["-0.5", "True"]], "filter": "none", "metrics": ["acc"],
        "acc": 1
    });

    let rows = converted_log(&acc(), "t", &[row]).rows("t");

    assert_eq!(
        rows[0]["input"],
        json!({"raw": "the quick", "reference": [" fox"]})
    );
    assert_eq!(rows[0]["output"]["raw"], json!(["[\"-0.5\", \"True\"]"]));
}

#[test]
fn a_file_that_was_cut_off_loses_its_last_row_alone() {
    let rows = lines(&[0, 1, 2].map(|doc| choice_row(doc, &json!(1.0))));
    let cut = &rows[..rows.len() - 20];
    let logs = in_memory(&[(RESULTS, &acc().to_string()), (&samples_path("t"), cut)]);

    let outcome = converted(&logs, RESULTS);

    assert_eq!(outcome.converted[0].rows, 2);
    assert_eq!(
        outcome.warnings(),
        ["the samples end in the middle of a row, which is left out × 1"]
    );
}

#[test]
fn a_last_row_without_a_line_end_is_read() {
    let row = choice_row(0, &json!(1.0)).to_string();
    let logs = in_memory(&[(RESULTS, &acc().to_string()), (&samples_path("t"), &row)]);

    assert_eq!(converted(&logs, RESULTS).converted[0].rows, 1);
}

#[test]
fn one_bad_row_does_not_cost_the_others() {
    let good = choice_row(0, &json!(1.0));
    let text = format!(
        "{good}\n{{\"doc_id\": 1, \n[]\n{{\"doc_id\": 2, \"filter\": \"none\", \"acc\": 1}}\n\n"
    );
    let logs = in_memory(&[(RESULTS, &acc().to_string()), (&samples_path("t"), &text)]);

    let outcome = converted(&logs, RESULTS);

    assert_eq!(outcome.converted[0].rows, 1);
    assert_eq!(
        outcome.warnings(),
        [
            "a row of the samples is not JSON and is left out × 2",
            "a sample has no id or no prompt and is left out × 1"
        ]
    );
}
