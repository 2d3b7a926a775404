//! Results that MTEB itself wrote (`fixtures/make/mteb_runs.py`).

use std::collections::BTreeMap;

use assay_convert::convert::{Harness, detect};
use serde_json::Value;

use crate::kit::{Files, fixture};

const DIRECTORY: &str = "acme__model-x/abc123";

fn files(task: &str) -> (Files, String, Value) {
    let mut files = Files::default();
    for name in [task, "model_meta"] {
        let path = format!("{DIRECTORY}/{name}.json");
        files = files.with(&path, fixture(&format!("mteb/{path}")));
    }
    let path = format!("{DIRECTORY}/{task}.json");
    let log = serde_json::from_slice(&files.0[&path]).unwrap();
    (files, path, log)
}

#[test]
fn every_score_of_every_split_and_subset_is_that_of_the_file() {
    for task in ["Colours", "Likeness"] {
        let (files, path, log) = files(task);
        assert_eq!(detect(&files, &path), Some(Harness::Mteb));
        let mut expected = BTreeMap::new();
        for (split, subsets) in log["scores"].as_object().unwrap() {
            for subset in subsets.as_array().unwrap() {
                for (name, score) in subset.as_object().unwrap() {
                    if let Some(score) = score.as_f64() {
                        let subset = subset["hf_subset"].as_str().unwrap();
                        expected.insert(format!("{split}/{subset}:{name}"), score);
                    }
                }
            }
        }

        let output = files.convert(Harness::Mteb, &path).unwrap();

        output.assert_sound();
        let record = output.record(0);
        let results = record["evaluation_results"].as_array().unwrap();
        let own: BTreeMap<String, f64> = results
            .iter()
            .map(|result| {
                let id = result["evaluation_result_id"].as_str().unwrap().to_owned();
                (id, result["score_details"]["score"].as_f64().unwrap())
            })
            .collect();
        assert_eq!(own, expected, "{task}");
        assert_eq!(record["eval_library"]["version"], log["mteb_version"]);
        assert_eq!(record["model_info"]["id"], "acme/model-x");
        assert_eq!(
            record["model_info"]["additional_details"]["revision"],
            "abc123"
        );
        let data = &results[0]["source_data"]["additional_details"];
        assert_eq!(data["dataset_revision"], log["dataset_revision"]);
        assert_eq!(output.warnings(), Vec::<String>::new());
    }
}

#[test]
fn without_its_own_file_the_model_is_that_of_the_directory() {
    let (mut files, path, _) = files("Likeness");
    files.0.remove(&format!("{DIRECTORY}/model_meta.json"));

    let output = files.convert(Harness::Mteb, &path).unwrap();

    output.assert_sound();
    let model = &output.record(0)["model_info"];
    assert_eq!(model["id"], "acme/model-x");
    assert_eq!(model["additional_details"]["revision"], "abc123");
    assert_eq!(output.warnings().len(), 1);
}

#[test]
fn scores_that_are_no_numbers_are_counted() {
    let (mut files, path, mut log) = files("Likeness");
    log["scores"]["test"][0]["pearson"] = "PLACEHOLDER".into();
    let text = log.to_string().replace("\"PLACEHOLDER\"", "NaN");
    files = files.with(&path, text);

    let output = files.convert(Harness::Mteb, &path).unwrap();

    output.assert_sound();
    assert_eq!(
        output.warnings(),
        ["1x `pearson` is not a number: left out"]
    );
}
