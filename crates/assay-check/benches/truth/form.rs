//! Records that lack something or are of another form.

use serde_json::{Value, json};

use crate::case::{Kind, Step, as_it_is};

const fn kind(name: &'static str, plant: Step) -> Kind {
    Kind {
        family: "form",
        name,
        prepare: as_it_is,
        plant,
    }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("no results", |d| {
        d.results().clear();
        true
    }),
    kind("no score", |d| {
        drop_key(&mut d.result()["score_details"], "score")
    }),
    kind("score is null", |d| {
        d.result()["score_details"]["score"] = Value::Null;
        true
    }),
    kind("score is text", |d| {
        let score = d.score().to_string();
        d.result()["score_details"]["score"] = json!(score);
        true
    }),
    kind("no metric", |d| drop_key(d.result(), "metric_config")),
    kind("no direction", |d| drop_key(d.metric(), "lower_is_better")),
    kind("no bounds", |d| drop_key(d.metric(), "max_score")),
    kind("no model", |d| drop_key(&mut d.value, "model_info")),
    kind("empty model name", |d| {
        d.value["model_info"]["name"] = json!(" ");
        true
    }),
    kind("empty evaluation name", |d| {
        d.result()["evaluation_name"] = json!("");
        true
    }),
    kind("a key with a slip of the pen", |d| {
        let taken = d.metric()["lower_is_better"].take();
        drop_key(d.metric(), "lower_is_better");
        d.metric()["lower_is_beter"] = taken;
        true
    }),
    kind("levels without names", |d| {
        d.metric()["score_type"] = json!("levels");
        true
    }),
    kind("source that is no address", |d| {
        d.result()["source_data"] = json!({
            "source_type": "url", "dataset_name": "some dataset", "url": ["see the paper"]
        });
        true
    }),
    kind("unknown relationship", |d| {
        d.value["source_metadata"]["evaluator_relationship"] = json!("friend");
        true
    }),
    kind("unknown schema version", |d| {
        d.value["schema_version"] = json!("9.9.9");
        true
    }),
];

fn drop_key(object: &mut Value, key: &str) -> bool {
    object
        .as_object_mut()
        .is_some_and(|object| object.remove(key).is_some())
}
