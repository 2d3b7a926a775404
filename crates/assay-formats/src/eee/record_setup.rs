//! The setup of a result, out of an Every Eval Ever record.

use assay_model::Setup;
use serde_json::Value as Json;

/// The detail of a converted record that lists which details are its setup, separated by commas.
pub const SETUP_KEYS: &str = "setup_keys";

/// Setup keys of ours, each with the names that records have for it in `additional_details`.
const SETTINGS: [(&str, &[&str]); 12] = [
    (
        "agent",
        &["agent_scaffold", "agent", "scaffold", "agent_name"],
    ),
    (
        "effort",
        &[
            "inference_effort",
            "reasoning_effort",
            "effort",
            "thinking_effort",
        ],
    ),
    (
        "shots",
        &[
            "num_fewshot",
            "n_shot",
            "num_shots",
            "shots",
            "few_shot",
            "use_few_shot",
        ],
    ),
    ("prompt", &["prompt", "prompt_type", "method", "mode"]),
    (
        "chain_of_thought",
        &["use_chain_of_thought", "chain_of_thought", "cot"],
    ),
    ("judge", &["judge", "judge_model", "grader", "evaluator"]),
    ("attempts", &["epochs", "attempts", "num_attempts"]),
    ("temperature", &["temperature"]),
    ("max_tokens", &["num_output_tokens", "max_tokens"]),
    ("precision", &["precision", "dtype"]),
    ("quantization", &["quantization", "quantisation"]),
    ("harness_task_version", &["task_version"]),
];

/// Reads the setup of a result: what has to be equal for two scores to be comparable, as far as the
/// record tells. A record that we made lists the details that are its setup.
pub fn setup_of(record: &Json, result: &Json) -> Setup {
    let generation = &result["generation_config"];
    let model = &record["model_info"];
    let mut setup = Setup::default();
    for details in [
        &model["additional_details"],
        &generation["additional_details"],
    ] {
        for (key, names) in SETTINGS {
            if let Some(value) = names.iter().find_map(|name| scalar(&details[name])) {
                setup.insert(key, &value);
            }
        }
    }
    let arguments = &generation["generation_args"];
    let tools = &arguments["agentic_eval_config"]["available_tools"];
    let tools: Vec<&str> = tools
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    let engine = known_text(&model["inference_engine"]["name"])
        .or_else(|| known_text(&model["inference_platform"]));
    let direct = [
        ("temperature", scalar(&arguments["temperature"])),
        ("max_tokens", scalar(&arguments["max_tokens"])),
        ("attempts", scalar(&arguments["max_attempts"])),
        ("prompt", scalar(&arguments["prompt_template"])),
        ("reasoning", scalar(&arguments["reasoning"])),
        ("tools", (!tools.is_empty()).then(|| tools.join(", "))),
        ("engine", engine),
    ];
    for (key, value) in direct {
        if let Some(value) = value {
            setup.insert(key, &value);
        }
    }
    let details = &generation["additional_details"];
    let listed = details[SETUP_KEYS].as_str().unwrap_or_default();
    for key in listed.split(',').filter(|key| !key.is_empty()) {
        if let Some(value) = scalar(&details[key]) {
            setup.insert(key, &value);
        }
    }
    setup
}

/// A scalar or a list of them as a text that says something.
fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::Bool(truth) => Some(truth.to_string()),
        Json::Number(number) => Some(number.to_string()),
        Json::String(_) => known_text(value).map(|text| match text.as_str() {
            "True" | "TRUE" => "true".to_owned(),
            "False" | "FALSE" => "false".to_owned(),
            _ => text,
        }),
        Json::Array(list) => {
            let words: Vec<String> = list.iter().filter_map(scalar).collect();
            (!words.is_empty()).then(|| words.join(", "))
        }
        Json::Null | Json::Object(_) => None,
    }
}

/// Returns a text that says something: neither blank nor `unknown`.
pub fn known_text(value: &Json) -> Option<String> {
    plain_text(value).filter(|text| !text.eq_ignore_ascii_case("unknown"))
}

/// Returns a text that is not blank, without white space around it.
pub fn plain_text(value: &Json) -> Option<String> {
    let text = value.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
