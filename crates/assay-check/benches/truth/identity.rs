//! Records that are not what they say they are, or are there twice.

use serde_json::{Value, json};

use crate::case::{Draft, Kind, Step, as_it_is, round, score};

const fn kind(name: &'static str, plant: Step) -> Kind {
    Kind {
        family: "identity",
        name,
        prepare: as_it_is,
        plant,
    }
}

pub(crate) const KINDS: &[Kind] = &[
    kind("evaluation id of another record", |d| {
        let other = neighbour(d);
        let id = other["evaluation_id"].clone();
        d.value["evaluation_id"] = id;
        true
    }),
    kind("evaluation id of another benchmark", |d| {
        let Some(id) = d.value["evaluation_id"].as_str() else {
            return false;
        };
        let Some((_, rest)) = id.split_once('/') else {
            return false;
        };
        d.value["evaluation_id"] = json!(format!("gpqa-diamond/{rest}"));
        true
    }),
    kind("evaluation id of another model", |d| {
        let own = d.value["evaluation_id"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let parts: Vec<&str> = own.split('/').collect();
        if parts.len() != 3 {
            return false;
        }
        d.value["evaluation_id"] = json!(format!("{}/acme_anvil-9-7b/{}", parts[0], parts[2]));
        true
    }),
    kind("evaluation id without parts", |d| {
        d.value["evaluation_id"] = json!("run-1");
        true
    }),
    kind("evaluation id with a space", |d| {
        let id = d.value["evaluation_id"].as_str().unwrap_or_default();
        d.value["evaluation_id"] = json!(format!("{id} copy"));
        true
    }),
    kind("evaluation id empty", |d| {
        d.value["evaluation_id"] = json!("");
        true
    }),
    kind("dataset of another benchmark", |d| {
        !d.results().is_empty() && {
            d.result()["source_data"]["dataset_name"] = json!("gpqa_diamond");
            true
        }
    }),
    kind("developer is another one", |d| {
        d.value["model_info"]["developer"] = json!("Umbrella Corp");
        true
    }),
    kind("model id of another model", |d| {
        let other = neighbour(d);
        let id = other["model_info"]["id"].clone();
        let differs = id != d.value["model_info"]["id"];
        d.value["model_info"]["id"] = id;
        differs
    }),
    kind("model name of another model", |d| {
        let other = neighbour(d);
        let name = other["model_info"]["name"].clone();
        let differs = name != d.value["model_info"]["name"];
        d.value["model_info"]["name"] = name;
        differs
    }),
    kind("model id empty", |d| {
        d.value["model_info"]["id"] = json!("");
        true
    }),
    kind("record in the folder of another model", |d| {
        d.path = d.path_beside(Some("some-other-model"));
        true
    }),
    kind("scores of another model", |d| {
        has_scores(d) && {
            let copy = as_model(d, "acme/anvil-7b");
            let path = renamed_path(d, "anvil-7b");
            d.added.push((path, copy));
            true
        }
    }),
    kind("scores of another model, in another order of time", |d| {
        has_scores(d) && {
            let mut copy = as_model(d, "aaa/anvil-8b");
            copy["retrieved_timestamp"] = json!("1750000000");
            let path = renamed_path(d, "anvil-8b");
            d.added.push((path, copy));
            true
        }
    }),
    kind("the same record twice", |d| {
        let copy = d.value.clone();
        let path = d.path_beside(None);
        d.added.push((path, copy));
        true
    }),
    kind("the same record twice, retrieved later", |d| {
        let mut copy = d.value.clone();
        copy["retrieved_timestamp"] = json!("1776000000");
        copy["evaluation_id"] = json!(other_time(&copy));
        let path = d.path_beside(None);
        d.added.push((path, copy));
        true
    }),
    kind("the same record twice, rounded", |d| {
        has_scores(d) && {
            let mut copy = d.value.clone();
            copy["evaluation_id"] = json!(other_time(&copy));
            let decimals = if d.is_share() { 2 } else { 0 };
            let is_rounded = round_all(&mut copy, decimals);
            let path = d.path_beside(None);
            d.added.push((path, copy));
            is_rounded
        }
    }),
    kind("the same record twice, another name of the source", |d| {
        let mut copy = d.value.clone();
        copy["evaluation_id"] = json!(other_time(&copy));
        copy["source_metadata"]["source_name"] = json!("The same source");
        let path = d.path_beside(None);
        d.added.push((path, copy));
        true
    }),
    kind("the same run again with another score", |d| {
        let at = d.at;
        let mut copy = d.value.clone();
        copy["evaluation_id"] = json!(other_time(&copy));
        let own = score(&copy, at);
        copy["evaluation_results"][at]["score_details"]["score"] = json!(round(own * 0.9, 4));
        let path = d.path_beside(None);
        d.added.push((path, copy));
        own > 0.01
    }),
    kind("one evaluation twice in a record", |d| {
        let copy = d.result().clone();
        d.results().push(copy);
        true
    }),
    kind("one evaluation twice with another score", |d| {
        let mut copy = d.result().clone();
        let other = round(d.score() * 0.8, 4);
        copy["score_details"]["score"] = json!(other);
        d.results().push(copy);
        other > 0.01
    }),
    kind("one result id twice", |d| {
        let count = d.results().len();
        if count < 2 {
            return false;
        }
        for (at, result) in d.results().iter_mut().enumerate() {
            result["evaluation_result_id"] = json!(format!("r{}", at.min(count - 2)));
        }
        true
    }),
];

/// The next record of the collection.
fn neighbour(draft: &mut Draft<'_>) -> Value {
    let records = &draft.pool.records;
    let next = draft.record + 1;
    let previous = draft.record.saturating_sub(1);
    let folder = |at: usize| {
        let path: &str = &records[at].path;
        path.rsplitn(4, '/').last().unwrap_or_default().to_owned()
    };
    let at = if next < records.len() && folder(next) == folder(draft.record) {
        next
    } else {
        previous
    };
    draft.related.push(records[at].path.clone());
    records[at].value.clone()
}

fn as_model(draft: &Draft<'_>, id: &str) -> Value {
    let mut copy = draft.value.clone();
    let (developer, name) = id.split_once('/').expect("ids have two parts");
    copy["model_info"]["id"] = json!(id);
    copy["model_info"]["name"] = json!(name);
    copy["model_info"]["developer"] = json!(developer);
    let benchmark = copy["evaluation_id"]
        .as_str()
        .and_then(|id| id.split('/').next())
        .unwrap_or_default()
        .to_owned();
    copy["evaluation_id"] = json!(format!("{benchmark}/{developer}_{name}/1770000123.5"));
    copy
}

fn renamed_path(draft: &mut Draft<'_>, name: &str) -> String {
    let path = draft.path_beside(Some(name));
    let mut parts: Vec<&str> = path.split('/').collect();
    let developer = parts.len() - 3;
    parts[developer] = if name == "anvil-8b" { "aaa" } else { "acme" };
    parts.join("/")
}

/// Returns whether the record has three scores that differ and are not round.
fn has_scores(draft: &mut Draft<'_>) -> bool {
    let count = draft.results().len();
    let mut scores: Vec<u64> = (0..count)
        .map(|at| score(&draft.value, at))
        .filter(|score| score.to_string().len() >= 5)
        .map(f64::to_bits)
        .collect();
    scores.sort_unstable();
    scores.dedup();
    scores.len() >= 3
}

fn other_time(record: &Value) -> String {
    let id = record["evaluation_id"].as_str().unwrap_or_default();
    let (start, _) = id.rsplit_once('/').unwrap_or((id, ""));
    format!("{start}/1776000000.25")
}

fn round_all(record: &mut Value, decimals: usize) -> bool {
    let mut is_rounded = false;
    for result in record["evaluation_results"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        let score = &mut result["score_details"]["score"];
        let Some(own) = score.as_f64() else { continue };
        let rounded = round(own, decimals);
        is_rounded |= (rounded - own).abs() > 1e-9;
        *score = json!(rounded);
    }
    is_rounded
}
