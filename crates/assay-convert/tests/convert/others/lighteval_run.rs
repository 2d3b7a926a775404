//! A run that lighteval itself made.

use assay_convert::convert::{Harness, Options};
use serde_json::json;

use super::lighteval::{RESULTS, details};
use crate::kit::{Files as World, Output, fixture};

/// The run under the names that lighteval gave its files.
fn world() -> World {
    World::default()
        .with(RESULTS, fixture("lighteval/run/results.json"))
        .with(
            &details("kinds:plants|1"),
            fixture("lighteval/run/kinds_plants.parquet"),
        )
        .with(&details("sums|0"), fixture("lighteval/run/sums.parquet"))
}

fn converted() -> Output {
    let output = world().convert(Harness::Lighteval, RESULTS).unwrap();
    assert_eq!(output.errors(), Vec::<String>::new());
    output
}

#[test]
fn a_run_becomes_a_record_for_each_task_without_a_warning() {
    let output = converted();

    let results: Vec<_> = (0..output.converted.len())
        .map(|index| {
            let result = &output.record(index)["evaluation_results"][0];
            json!([
                result["evaluation_name"],
                result["evaluation_result_id"],
                result["source_data"]["hf_repo"],
                result["score_details"]["score"],
                output.rows(index).len()
            ])
        })
        .collect();

    assert_eq!(
        results,
        [
            json!(["sums", "em", "acme/sums", 0.0, 4]),
            json!(["kinds:plants", "acc", "acme/kinds", 0.4, 5])
        ]
    );
    assert_eq!(output.warnings(), Vec::<String>::new());
}

#[test]
fn the_rows_say_what_the_run_asked_and_the_mean_of_their_scores_is_its_result() {
    let output = converted();

    let rows = output.rows(1);

    let mean = rows
        .iter()
        .filter_map(|row| row["evaluation"]["score"].as_f64())
        .sum::<f64>()
        / 5.0;
    assert_eq!(
        output.record(1)["evaluation_results"][0]["score_details"]["score"],
        mean
    );
    let fig = rows.iter().find(|row| row["sample_id"] == "4").unwrap();
    assert_eq!(
        fig["input"],
        json!({
            "raw": "Is café plant “fig” a tree or a flower?",
            "formatted": "Is café plant “fig” a tree or a flower?\nAnswer:",
            "reference": [" tree"],
            "choices": [" tree", " flower"]
        })
    );
    assert_eq!(fig["output"]["raw"], json!([" tree"]));
    assert_eq!(fig["metadata"]["logprobs"], "[-0.6515929727,-0.7887233511]");
}

#[test]
fn free_answers_are_kept_as_the_model_gave_them() {
    let output = converted();

    for row in output.rows(0) {
        assert_eq!(row["output"]["raw"], json!(["random baseline"]));
        assert_eq!(row["evaluation"]["is_correct"], false);
    }
}

#[test]
fn a_run_converted_twice_gives_the_same_bytes_with_any_number_of_threads() {
    let options = Options {
        jobs: 3,
        ..Options::default()
    };

    let again = world()
        .convert_with(Harness::Lighteval, RESULTS, &options)
        .unwrap();

    assert_eq!(again.files, converted().files);
}

#[test]
fn a_judge_is_recorded_with_its_metric_and_the_setup_also_where_it_judges_itself() {
    let text = String::from_utf8(fixture("lighteval/run/results.json")).unwrap();
    let function = text
        .split("\"sample_level_fn\": \"")
        .find(|part| part.starts_with("ExactMatches"));
    let function = function.unwrap().split('"').next().unwrap();
    for (judge, is_itself) in [("openai/gpt-4o", false), ("acme/model-x", true)] {
        // As lighteval writes the function of a metric that a model judges.
        let judged = format!(
            "JudgeLLM(short_judge_name=None, judge=Model: {judge}, Judge Backend: litellm, URL: None)"
        );
        let world = world().with(RESULTS, text.replace(function, &judged));

        let output = world.convert(Harness::Lighteval, RESULTS).unwrap();

        output.assert_sound();
        let result = &output.record(0)["evaluation_results"][0];
        let scoring = &result["metric_config"]["llm_scoring"];
        assert_eq!(scoring["judges"][0]["model_info"]["id"], judge);
        let details = &scoring["additional_details"]["judge_is_evaluated_model"];
        assert_eq!(details == "true", is_itself);
        assert_eq!(
            result["generation_config"]["additional_details"]["judge"],
            judge
        );
        let other = &output.record(1)["evaluation_results"][0]["metric_config"];
        assert_eq!(other["llm_scoring"], json!(null));
    }
}
