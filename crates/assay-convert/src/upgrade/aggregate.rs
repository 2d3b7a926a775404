//! The changes from 0.1 and 0.2 to 0.3.0 that a shape cannot tell: what moved, and what has to be
//! said now.

use assay_formats::Kind;
use assay_formats::json::{Map, Node};

use super::axes;
use super::details::{details, file_away};
use super::report::{ChangeKind, Ledger};

/// The keys of a record.
const ROOT_KEYS: [&str; 9] = [
    "schema_version",
    "evaluation_id",
    "evaluation_timestamp",
    "retrieved_timestamp",
    "source_metadata",
    "eval_library",
    "model_info",
    "evaluation_results",
    "detailed_evaluation_results",
];

/// The keys of generation arguments, a closed list since 0.2.1.
const GENERATION_KEYS: [&str; 13] = [
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "execution_command",
    "reasoning",
    "prompt_template",
    "agentic_eval_config",
    "eval_plan",
    "eval_limits",
    "sandbox",
    "max_attempts",
    "incorrect_attempt_feedback",
];

/// The collections whose harness is certain because one project both runs and publishes them. The
/// harness of the Open LLM Leaderboard is written as the datastore itself writes it for that
/// collection, `lm-evaluation-harness`; its version is left unknown, because the leaderboard ran
/// several.
const HARNESSES: [(&str, &str); 8] = [
    ("helm_air_bench", "helm"),
    ("helm_capabilities", "helm"),
    ("helm_classic", "helm"),
    ("helm_instruct", "helm"),
    ("helm_lite", "helm"),
    ("helm_mmlu", "helm"),
    ("helm_safety", "helm"),
    ("hfopenllm_v2", "lm-evaluation-harness"),
];

const UNKNOWN: &str = "unknown";

/// Makes a record of an older version say everything that 0.3.0 asks for, where 0.3.0 asks for it.
pub(crate) fn upgrade(root: &mut Map, collection: &str, ledger: &mut Ledger) {
    let source_data = root.remove("source_data");
    results(root, ledger, |result, ledger| {
        if let Some(source_data) = &source_data {
            give_source_data(result, source_data, collection, ledger);
        }
        gather_interval(result, ledger);
        free_generation_args(result, ledger);
        judges(result, ledger, |model, ledger| {
            name_engine(model, ledger);
            axes::fill(model, ledger);
        });
    });
    if source_data.is_some() {
        ledger.note_at(
            "source_data",
            ChangeKind::Moved,
            "to each result that had none of its own",
        );
    }
    rename_source_type(root, ledger);
    file_strangers_away(root, ledger);
    fill_library(root, collection, ledger);
    if let Some(model) = root.map_of_mut("model_info") {
        ledger.at_key("model_info", |ledger| {
            name_engine(model, ledger);
            axes::fill(model, ledger);
        });
    }
}

fn results(root: &mut Map, ledger: &mut Ledger, mut each: impl FnMut(&mut Map, &mut Ledger)) {
    let Some(results) = root.get_mut("evaluation_results") else {
        return;
    };
    ledger.at_key("evaluation_results", |ledger| {
        for (index, result) in results.items_mut().iter_mut().enumerate() {
            if let Some(result) = result.map_mut() {
                ledger.at_index(index, |ledger| each(result, ledger));
            }
        }
    });
}

fn judges(result: &mut Map, ledger: &mut Ledger, mut each: impl FnMut(&mut Map, &mut Ledger)) {
    let scoring = result
        .map_of_mut("metric_config")
        .and_then(|metric| metric.map_of_mut("llm_scoring"));
    let Some(judges) = scoring.and_then(|scoring| scoring.get_mut("judges")) else {
        return;
    };
    ledger.at_key("metric_config.llm_scoring.judges", |ledger| {
        for (index, judge) in judges.items_mut().iter_mut().enumerate() {
            let model = judge
                .map_mut()
                .and_then(|judge| judge.map_of_mut("model_info"));
            if let Some(model) = model {
                ledger.at_index(index, |ledger| {
                    ledger.at_key("model_info", |ledger| each(model, ledger));
                });
            }
        }
    });
}

/// Gives a result the data that 0.1.0 told once for the whole record: a list of addresses, or a
/// dataset.
fn give_source_data(result: &mut Map, shared: &Node, collection: &str, ledger: &mut Ledger) {
    if result
        .get("source_data")
        .is_some_and(|own| own.kind() != Kind::Null)
    {
        return;
    }
    let mut data = match shared {
        Node::Map(map) => map.clone(),
        Node::List(_) | Node::String(_) | Node::Null | Node::Bool(_) | Node::Number(_) => {
            let mut data = Map::new();
            let addresses = match shared {
                Node::String(_) => Node::List(vec![shared.clone()]),
                Node::List(_) | Node::Map(_) | Node::Null | Node::Bool(_) | Node::Number(_) => {
                    shared.clone()
                }
            };
            if addresses == Node::List(Vec::new()) {
                data.set("source_type", "other");
            } else {
                data.set("source_type", "url");
                data.set("url", addresses);
            }
            data
        }
    };
    ledger.at_key("source_data", |ledger| {
        if data.get("dataset_name").is_none() {
            data.set("dataset_name", collection);
            ledger.note_at(
                "dataset_name",
                ChangeKind::Filled,
                "with the name of the collection",
            );
        }
        if data.get("source_type").is_none() {
            data.set("source_type", "hf_dataset");
            ledger.note_at("source_type", ChangeKind::Filled, "with `hf_dataset`");
        }
    });
    result.set_after("evaluation_name", "source_data", data);
}

/// Moves a confidence interval that stands beside its score to the uncertainty of the score.
fn gather_interval(result: &mut Map, ledger: &mut Ledger) {
    let Some(score) = result.map_of_mut("score_details") else {
        return;
    };
    let is_interval = |node: &Node| {
        node.map()
            .is_some_and(|map| map.get("lower").is_some() && map.get("upper").is_some())
    };
    if !score.get("confidence_interval").is_some_and(is_interval) {
        return;
    }
    let mut uncertainty = match score.get("uncertainty") {
        None | Some(Node::Null) => Map::new(),
        Some(Node::Map(map)) if map.get("confidence_interval").is_none() => map.clone(),
        Some(_) => return,
    };
    if let Some(interval) = score.remove("confidence_interval") {
        uncertainty.set("confidence_interval", interval);
        score.set("uncertainty", uncertainty);
        ledger.at_key("score_details", |ledger| {
            ledger.note_at(
                "confidence_interval",
                ChangeKind::Moved,
                "to `uncertainty.confidence_interval`",
            );
        });
    }
}

/// Files generation arguments that the closed list does not have among the details of the
/// generation.
fn free_generation_args(result: &mut Map, ledger: &mut Ledger) {
    let Some(generation) = result.map_of_mut("generation_config") else {
        return;
    };
    let Some(arguments) = generation.map_of_mut("generation_args") else {
        return;
    };
    let strangers = arguments.take_unless(|key, _| GENERATION_KEYS.contains(&key));
    if strangers.is_empty() {
        return;
    }
    ledger.at_key("generation_config", |ledger| {
        let Some(details) = details(generation, "additional_details", ledger) else {
            return;
        };
        ledger.at_key("generation_args", |ledger| {
            file_away(
                strangers,
                details,
                "generation_config.additional_details",
                ledger,
            );
        });
    });
}

/// Turns an engine that is only a name into one that could also have a version.
fn name_engine(model: &mut Map, ledger: &mut Ledger) {
    if let Some(name) = model.text_of("inference_engine").map(str::to_owned) {
        let mut engine = Map::new();
        engine.set("name", name);
        model.set("inference_engine", engine);
        ledger.note_at(
            "inference_engine",
            ChangeKind::Restated,
            "was a string, now a mapping that holds it as `name`",
        );
    }
}

/// Renames a word that the guide to 0.1 used and no schema ever had.
fn rename_source_type(root: &mut Map, ledger: &mut Ledger) {
    let Some(source) = root.map_of_mut("source_metadata") else {
        return;
    };
    if source.text_of("source_type") == Some("evaluation_platform") {
        source.set("source_type", "evaluation_run");
        ledger.note_at(
            "source_metadata.source_type",
            ChangeKind::Renamed,
            "`evaluation_platform` is `evaluation_run` now",
        );
    }
}

/// Files keys of the record that 0.3.0 does not have among the details of its source.
fn file_strangers_away(root: &mut Map, ledger: &mut Ledger) {
    let mut strangers = root.take_unless(|key, _| ROOT_KEYS.contains(&key));
    // A pointer to samples that is not a map was allowed in 0.2.0, and points at nothing that could
    // be checked.
    let pointer = root.get("detailed_evaluation_results").map(Node::kind);
    if pointer.is_some_and(|kind| kind != Kind::Map) {
        let key = "detailed_evaluation_results";
        strangers.extend(root.remove(key).map(|value| (key.to_owned(), value)));
    }
    if strangers.is_empty() {
        return;
    }
    let Some(source) = root.map_of_mut("source_metadata") else {
        return;
    };
    let details = ledger.at_key("source_metadata", |ledger| {
        details(source, "additional_details", ledger)
    });
    if let Some(details) = details {
        file_away(
            strangers,
            details,
            "source_metadata.additional_details",
            ledger,
        );
    }
}

/// Says what ran the evaluation, as far as that is certain.
fn fill_library(root: &mut Map, collection: &str, ledger: &mut Ledger) {
    let harness = HARNESSES
        .iter()
        .find(|(name, _)| *name == collection)
        .map_or(UNKNOWN, |(_, harness)| harness);
    if root
        .get("eval_library")
        .is_none_or(|own| own.kind() == Kind::Null)
    {
        root.set_after("source_metadata", "eval_library", Map::new());
    }
    if let Some(name) = root.text_of("eval_library").map(str::to_owned) {
        let mut library = Map::new();
        library.set("name", name);
        root.set("eval_library", library);
        ledger.note_at(
            "eval_library",
            ChangeKind::Restated,
            "was a string, now a mapping that holds it as `name`",
        );
    }
    let Some(library) = root.map_of_mut("eval_library") else {
        return;
    };
    ledger.at_key("eval_library", |ledger| {
        fill(library, "name", harness, ledger);
        fill(library, "version", UNKNOWN, ledger);
    });
}

fn fill(map: &mut Map, key: &str, value: &str, ledger: &mut Ledger) {
    if map.get(key).is_none_or(|own| own.kind() == Kind::Null) {
        map.set(key, value);
        ledger.note_at(key, ChangeKind::Filled, format!("with `{value}`"));
    }
}
