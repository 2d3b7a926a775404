//! The tags of a repository: its own, and those that follow from what its card says.

use assay_model::hidden_character;
use serde_json::{Map, Value as Json};

use super::report::Report;
use super::texts;

/// Maximum number of tags of a repository.
pub const MAX_TAGS: usize = 500;
/// Maximum length of a tag, in bytes.
pub const MAX_TAG_BYTES: usize = 256;

/// The prefix of tags that only the hub sets.
const RESERVED: &str = "benchmark:";

/// Keys whose values become tags under the same name.
const PREFIXED: [&str; 10] = [
    "license",
    "language",
    "datasets",
    "task_categories",
    "task_ids",
    "size_categories",
    "multilinguality",
    "annotations_creators",
    "language_creators",
    "source_datasets",
];

/// Keys whose values become tags as they are.
const BARE: [&str; 2] = ["pipeline_tag", "library_name"];

/// The ways in which a model can be made from another, as clients filter for them.
const RELATIONS: [&str; 4] = ["adapter", "finetune", "merge", "quantized"];

/// Makes the card's own tags a list of texts that clients can walk, without those that are not for
/// it to claim.
pub(super) fn clear(data: &mut Map<String, Json>, report: &mut Report) {
    let Some(tags) = data.get("tags") else {
        return;
    };
    if tags.is_null() {
        return;
    }
    let is_text = match tags {
        Json::Array(tags) => tags.iter().all(Json::is_string),
        other => other.is_string(),
    };
    if !is_text {
        report.error("`tags` must be a list of texts");
    }
    let own = texts(Some(tags));
    if own.iter().any(|tag| is_reserved(tag)) {
        report.warn("tags that begin with `benchmark:` are given by the hub, and are left out");
    }
    let kept = own.into_iter().filter(|tag| !is_reserved(tag));
    let kept: Json = kept.take(MAX_TAGS).map(Json::from).collect();
    data.insert("tags".to_owned(), kept);
}

/// All tags, each once: the card's own first.
pub(super) fn of(data: &Map<String, Json>, base_models: &[String]) -> Vec<String> {
    let mut tags = Vec::new();
    for tag in texts(data.get("tags")) {
        add(&mut tags, tag.to_owned());
    }
    for key in BARE {
        for word in texts(data.get(key)) {
            add(&mut tags, word.to_owned());
        }
    }
    for key in PREFIXED {
        let prefix = if key == "datasets" { "dataset" } else { key };
        for word in texts(data.get(key)) {
            add(&mut tags, format!("{prefix}:{word}"));
        }
    }
    let relation = texts(data.get("base_model_relation")).into_iter().next();
    let relation = relation.filter(|word| RELATIONS.contains(word));
    for model in base_models {
        add(&mut tags, format!("base_model:{model}"));
        if let Some(relation) = relation {
            add(&mut tags, format!("base_model:{relation}:{model}"));
        }
    }
    tags
}

fn add(tags: &mut Vec<String>, tag: String) {
    let is_sound = tag.len() <= MAX_TAG_BYTES
        && hidden_character(&tag).is_none()
        && !tag.contains(['\n', '\r', '\t'])
        && !is_reserved(&tag);
    if is_sound && tags.len() < MAX_TAGS && !tags.contains(&tag) {
        tags.push(tag);
    }
}

fn is_reserved(tag: &str) -> bool {
    let beginning = tag.trim_start().get(..RESERVED.len());
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(RESERVED))
}
