use assay_convert::upgrade::{self, ChangeKind};
use serde_json::{Value, json};

use crate::fixture::{PATH, SAMPLES, changed, json_of, kinds_and_paths, plain, upgraded};

const LIBRARY_AND_AXES: [(ChangeKind, &str); 4] = [
    (ChangeKind::Filled, "eval_library.name"),
    (ChangeKind::Filled, "eval_library.version"),
    (
        ChangeKind::Filled,
        "model_info.additional_details.deployment_type",
    ),
    (
        ChangeKind::Filled,
        "model_info.additional_details.model_availability",
    ),
];

#[test]
fn a_record_says_what_it_has_to_say_now() {
    let upgraded = upgraded(&plain("0.2.0").to_string());

    let json = json_of(&upgraded);
    assert_eq!(json["schema_version"], "0.3.0");
    assert_eq!(
        json["eval_library"],
        json!({"name": "unknown", "version": "unknown"})
    );
    assert_eq!(
        json["model_info"]["additional_details"],
        json!({"deployment_type": "unknown", "model_availability": "unknown"})
    );
    assert_eq!(upgraded.path, PATH);
    assert_eq!(upgraded.report.from.as_str(), "0.2.0");
    assert_eq!(kinds_and_paths(&upgraded.report.changes), LIBRARY_AND_AXES);
}

#[test]
fn every_older_version_is_taken() {
    for version in ["0.1.0", "0.2.0", "0.2.1", "0.2.2", "0.2.3"] {
        let upgraded = upgraded(&plain(version).to_string());

        assert_eq!(upgraded.report.from.as_str(), version);
        assert_eq!(json_of(&upgraded)["schema_version"], "0.3.0");
    }
}

#[test]
fn an_upgraded_record_passes_through_byte_for_byte() {
    let once = upgraded(&plain("0.2.0").to_string());

    let twice = upgraded(&once.json);

    assert_eq!(twice.json, once.json);
    assert_eq!(twice.report.changes, []);
    assert_eq!(twice.report.from.as_str(), "0.3.0");
}

#[test]
fn the_letters_of_a_number_stay() {
    let text = plain("0.2.0")
        .to_string()
        .replace("\"score\":0.5", "\"score\":0.50000000000000000001")
        .replace("\"max_score\":1", "\"max_score\":1.00");

    let upgraded = upgraded(&text);

    assert!(
        upgraded
            .json
            .contains("\"score\": 0.50000000000000000001\n")
    );
    assert!(upgraded.json.contains("\"max_score\": 1.00\n"));
}

#[test]
fn details_become_text_and_nulls_are_lost() {
    let text = changed("0.2.0", |record| {
        record["model_info"]["additional_details"] = json!({"params": 0, "who": "me", "no": null});
        record["evaluation_results"][0]["score_details"]["details"] =
            json!({"tab": {"score": null, "of": [1, "é"]}, "ok": true});
    })
    .replace("\"params\":0", "\"params\":72.7060");

    let upgraded = upgraded(&text);

    let json = json_of(&upgraded);
    assert_eq!(
        json["model_info"]["additional_details"]["params"],
        "72.7060"
    );
    assert_eq!(json["model_info"]["additional_details"]["who"], "me");
    assert_eq!(json["model_info"]["additional_details"].get("no"), None);
    assert_eq!(
        json["evaluation_results"][0]["score_details"]["details"],
        json!({"tab": r#"{"score":null,"of":[1,"é"]}"#, "ok": "true"})
    );
    let told = kinds_and_paths(&upgraded.report.changes);
    for change in [
        (ChangeKind::Restated, "model_info.additional_details.params"),
        (ChangeKind::Lost, "model_info.additional_details.no"),
        (
            ChangeKind::Restated,
            "evaluation_results[0].score_details.details.tab",
        ),
    ] {
        assert!(told.contains(&change), "{change:?} in {told:?}");
    }
}

#[test]
fn sample_ids_steps_and_parameters_become_text() {
    let text = changed("0.2.0", |record| {
        let result = &mut record["evaluation_results"][0];
        result["source_data"] = json!({
            "dataset_name": "gsm8k", "source_type": "hf_dataset", "sample_ids": [1, "b"]
        });
        result["generation_config"] = json!({"generation_args": {
            "eval_plan": {"name": "p", "steps": [{"solver": "cot"}, "done"], "config": {"epochs": 4}},
            "agentic_eval_config": {"available_tools": [{"name": "sh", "parameters": {"timeout": 10}}]}
        }});
    });

    let upgraded = upgraded(&text);

    let result = &json_of(&upgraded)["evaluation_results"][0];
    let arguments = &result["generation_config"]["generation_args"];
    assert_eq!(result["source_data"]["sample_ids"], json!(["1", "b"]));
    assert_eq!(
        arguments["eval_plan"]["steps"],
        json!([r#"{"solver":"cot"}"#, "done"])
    );
    assert_eq!(arguments["eval_plan"]["config"]["epochs"], "4");
    assert_eq!(
        arguments["agentic_eval_config"]["available_tools"][0]["parameters"]["timeout"],
        "10"
    );
}

#[test]
fn unknown_generation_arguments_are_filed_among_the_details() {
    let text = changed("0.2.0", |record| {
        record["evaluation_results"][0]["generation_config"] = json!({
            "generation_args": {"temperature": 0.7, "seed": 42, "stop": ["\n"], "gone": null},
            "additional_details": "greedy"
        });
    });

    let upgraded = upgraded(&text);

    let generation = &json_of(&upgraded)["evaluation_results"][0]["generation_config"];
    assert_eq!(generation["generation_args"], json!({"temperature": 0.7}));
    assert_eq!(
        generation["additional_details"],
        json!({"text": "greedy", "seed": "42", "stop": r#"["\n"]"#})
    );
    let told = kinds_and_paths(&upgraded.report.changes);
    assert!(told.contains(&(
        ChangeKind::Moved,
        "evaluation_results[0].generation_config.generation_args.seed"
    )));
    assert!(told.contains(&(
        ChangeKind::Lost,
        "evaluation_results[0].generation_config.generation_args.gone"
    )));
}

#[test]
fn judges_are_models_too() {
    let text = changed("0.2.0", |record| {
        record["evaluation_results"][0]["metric_config"]["llm_scoring"] = json!({
            "input_prompt": "Judge.",
            "judges": [{"model_info": {"name": "J", "id": "acme/j", "inference_engine": "vllm",
                "additional_details": {"deployment_type": "api"}}, "temperature": 0.0}]
        });
    });

    let upgraded = upgraded(&text);

    let model = &json_of(&upgraded)["evaluation_results"][0]["metric_config"]["llm_scoring"]["judges"]
        [0]["model_info"];
    assert_eq!(
        model["additional_details"],
        json!({"deployment_type": "externally_managed", "model_availability": "unknown"})
    );
    assert_eq!(model["inference_engine"], json!({"name": "vllm"}));
    let path = "evaluation_results[0].metric_config.llm_scoring.judges[0].model_info.additional_details.deployment_type";
    assert!(kinds_and_paths(&upgraded.report.changes).contains(&(ChangeKind::Renamed, path)));
}

#[test]
fn the_oldest_records_tell_their_data_in_each_result() {
    let addresses = changed("0.1.0", |record| {
        record["source_data"] = json!(["https://example.org/a"]);
        record["evaluation_results"][0]
            .as_object_mut()
            .unwrap()
            .remove("source_data");
        record["model_info"]["inference_engine"] = json!("vllm");
        record["detailed_evaluation_results_url"] = json!("https://example.org/samples");
    });
    let dataset = changed("0.1.0", |record| {
        record["source_data"] = json!({"dataset_name": "gsm8k", "hf_repo": "openai/gsm8k"});
        record["evaluation_results"][0]
            .as_object_mut()
            .unwrap()
            .remove("source_data");
    });

    let (addresses, dataset) = (upgraded(&addresses), upgraded(&dataset));

    let json = json_of(&addresses);
    assert_eq!(json.get("source_data"), None);
    assert_eq!(
        json["evaluation_results"][0]["source_data"],
        json!({"source_type": "url", "url": ["https://example.org/a"], "dataset_name": "gsm8k"})
    );
    assert_eq!(
        json["model_info"]["inference_engine"],
        json!({"name": "vllm"})
    );
    assert_eq!(
        json["source_metadata"]["additional_details"]["detailed_evaluation_results_url"],
        "https://example.org/samples"
    );
    assert_eq!(
        json_of(&dataset)["evaluation_results"][0]["source_data"]["source_type"],
        "hf_dataset"
    );
    let told = kinds_and_paths(&addresses.report.changes);
    assert!(told.contains(&(ChangeKind::Moved, "source_data")));
    assert!(told.contains(&(ChangeKind::Moved, "detailed_evaluation_results_url")));
}

#[test]
fn the_harness_is_named_where_the_collection_makes_it_certain() {
    for (collection, harness) in [
        ("helm_classic", "helm"),
        ("hfopenllm_v2", "lm-evaluation-harness"),
        ("helmet", "unknown"),
    ] {
        let path = PATH.replace("gsm8k", collection);

        let upgraded = upgrade::record(&plain("0.2.0").to_string(), &path).unwrap();

        assert_eq!(json_of(&upgraded)["eval_library"]["name"], harness);
        assert_eq!(json_of(&upgraded)["eval_library"]["version"], "unknown");
    }
}

#[test]
fn a_library_that_is_named_stays() {
    let text = changed("0.2.2", |record| {
        record["eval_library"] = json!({"name": "HAL", "version": null});
    });

    let upgraded = upgraded(&text);

    assert_eq!(
        json_of(&upgraded)["eval_library"],
        json!({"name": "HAL", "version": "unknown"})
    );
}

#[test]
fn an_interval_beside_its_score_joins_the_uncertainty() {
    let text = changed("0.2.0", |record| {
        record["evaluation_results"][0]["score_details"]["confidence_interval"] =
            json!({"lower": 0.4, "upper": 0.6});
    });

    let upgraded = upgraded(&text);

    assert_eq!(
        json_of(&upgraded)["evaluation_results"][0]["score_details"],
        json!({"score": 0.5, "uncertainty": {"confidence_interval": {"lower": 0.4, "upper": 0.6}}})
    );
}

#[test]
fn bare_infinities_become_the_words_of_the_schema() {
    let text = plain("0.2.0")
        .to_string()
        .replace("\"max_score\":1", "\"max_score\":Infinity")
        .replace("\"min_score\":0", "\"min_score\":-Infinity");

    let upgraded = upgraded(&text);

    let metric = &json_of(&upgraded)["evaluation_results"][0]["metric_config"];
    assert_eq!(metric["max_score"], "Infinity");
    assert_eq!(metric["min_score"], "-Infinity");
    let path = "evaluation_results[0].metric_config.max_score";
    assert!(kinds_and_paths(&upgraded.report.changes).contains(&(ChangeKind::Restated, path)));
}

#[test]
fn a_metric_without_a_score_type_needs_no_bounds() {
    let text = changed("0.2.2", |record| {
        record["evaluation_results"][0]["metric_config"] = json!({"lower_is_better": true});
    });

    let upgraded = upgraded(&text);

    assert_eq!(
        json_of(&upgraded)["evaluation_results"][0]["metric_config"],
        json!({"lower_is_better": true})
    );
}

#[test]
fn a_pointer_that_names_no_file_is_lost() {
    let text = changed("0.2.2", |record| {
        record["detailed_evaluation_results"] = json!({"format": "jsonl"});
    });

    let upgraded = upgraded(&text);

    assert_eq!(json_of(&upgraded).get("detailed_evaluation_results"), None);
    assert!(
        kinds_and_paths(&upgraded.report.changes)
            .contains(&(ChangeKind::Lost, "detailed_evaluation_results"))
    );
}

#[test]
fn nulls_that_the_schema_forbids_are_dropped() {
    let text = changed("0.2.2", |record| {
        record["model_info"]["developer"] = Value::Null;
        record["source_metadata"]["additional_details"] = Value::Null;
        record["evaluation_timestamp"] = Value::Null;
    });

    let upgraded = upgraded(&text);

    assert_eq!(json_of(&upgraded)["model_info"].get("developer"), None);
    let lost = upgraded
        .report
        .changes
        .iter()
        .filter(|change| change.kind == ChangeKind::Lost);
    assert_eq!(lost.count(), 3);
}

#[test]
fn a_timestamp_that_is_a_number_becomes_text_with_its_letters() {
    let text = plain("0.2.0")
        .to_string()
        .replace("\"1767225600\"", "1767225600.10");

    let upgraded = upgraded(&text);

    assert_eq!(json_of(&upgraded)["retrieved_timestamp"], "1767225600.10");
}

#[test]
fn samples_lie_beside_their_record() {
    let draft = upgrade::Draft::read(&plain("0.2.0").to_string(), PATH).unwrap();

    assert_eq!(draft.samples_path().as_deref(), Some(SAMPLES));
    assert_eq!(draft.samples(), None);
    assert!(!draft.is_current());
}
