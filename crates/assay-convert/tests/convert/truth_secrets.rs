//! Secrets that were planted in the logs of the truth suite: they are in nothing that is written.

use assay_convert::convert::Harness;
use serde_json::{Value, json};

use crate::kit::Files;
use crate::truth::{log, text};
use crate::truth_runs::{HARNESSES, run};

#[test]
fn planted_secrets_are_in_nothing_that_is_written() {
    let mut log = log("plain");
    log["eval"]["task_args"] = serde_json::json!({"api_key": "PlantedTaskKey", "level": 3});
    log["eval"]["model_args"] = serde_json::json!({
        "api_key": "PlantedKey", "base_url": "https://me:PlantedPw@host.example/v1?token=PlantedQuery", "device": "cpu"
    });
    log["samples"][0]["metadata"] =
        serde_json::json!({"password": "PlantedPassword", "note": "fine"});
    log["samples"][0]["input"] = "Use sk-proj-PlantedToken1234567890 here".into();
    let files = Files::default().with("log", log.to_string());

    let output = files.convert(Harness::Inspect, "log").unwrap();

    for (path, bytes) in &output.files.0 {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains("Planted"), "{path}: {text}");
    }
    let record = output.record(0);
    let kept = text(&record["model_info"]["additional_details"]["model_args"]);
    assert!(
        kept.contains("cpu") && kept.contains("host.example"),
        "{kept}"
    );
    assert!(
        output
            .warnings()
            .iter()
            .any(|own| own.contains("[redacted]"))
    );
    output.assert_sound();
}

#[test]
fn secrets_in_the_configuration_and_the_texts_of_any_harness_are_in_nothing_that_is_written() {
    let token = "sk-proj-PlantedToken1234567890";
    let address = "https://me:PlantedPw@host.example/v1?sig=PlantedQuery";
    for harness in HARNESSES {
        let name = if harness == Harness::LmEval {
            "secrets"
        } else {
            "plain"
        };
        let (mut files, log) = run(harness, name);
        for (path, bytes) in &mut files.0 {
            if !path.contains(".json") {
                continue;
            }
            let planted = String::from_utf8(bytes.clone()).unwrap();
            // The query of an address in a question is part of the question.
            let asked = format!("What is 2+2? {token} https://me:PlantedPw@host.example/v1");
            *bytes = planted.replace("What is 2+2?", &asked).into_bytes();
            let mut document: Value = match serde_json::from_slice(bytes) {
                Ok(document) => document,
                // Lines of samples.
                Err(_) => continue,
            };
            let secrets =
                json!({"api_key": "PlantedKey", "password": "PlantedWord", "base_url": address});
            match harness {
                Harness::Helm if path.ends_with("run_spec.json") => {
                    document["scenario_spec"]["args"] = secrets.clone();
                    document["adapter_spec"]["model_deployment"] = address.into();
                }
                Harness::Lighteval => {
                    document["config_general"]["model_config"]["generation_parameters"] = secrets;
                }
                _ => {}
            }
            *bytes = document.to_string().into_bytes();
        }

        let output = files.convert(harness, &log).unwrap();

        for (path, bytes) in &output.files.0 {
            let text = String::from_utf8_lossy(bytes);
            let at = text
                .find("Planted")
                .map(|at| &text[at.saturating_sub(60)..at + 20]);
            assert_eq!(at, None, "{harness:?} {path}");
            assert!(!path.contains("Planted"), "{path}");
        }
        output.assert_sound();
    }
}
