//! Rules that hold records against each other.

#![cfg(test)]

use std::collections::BTreeMap;
use std::io::{self, Read};

use assay_check::{Context, FileKind, Files, Item, Options, validate};
use serde_json::{Value, json};

/// Names of the evaluations of a record.
const NAMES: [&str; 5] = ["sums", "products", "roots", "primes", "limits"];

struct Memory(BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn open(&self, path: &str) -> io::Result<Box<dyn Read + '_>> {
        self.0
            .get(path)
            .map(|bytes| Box::new(bytes.as_slice()) as Box<dyn Read>)
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.0.get(path).map(|bytes| bytes.len() as u64)
    }
}

/// A record of a model of medium quality: each model is a bit better than the one before.
fn record(number: u32) -> Value {
    let results: Vec<Value> = NAMES
        .iter()
        .zip(0_u32..)
        .map(|(name, at)| {
            let noise = f64::from((number * 37 + at * at * 29) % 17) / 1000.0;
            let score = 30.0 + f64::from(number) + f64::from(at) * 3.0 + noise;
            json!({
                "evaluation_name": name,
                "evaluation_result_id": name,
                "source_data": { "source_type": "url", "dataset_name": name, "url": ["https://example.org"] },
                "metric_config": {
                    "metric_id": "accuracy", "metric_name": "accuracy", "lower_is_better": false,
                    "score_type": "continuous", "min_score": 0, "max_score": 100, "metric_unit": "percent"
                },
                "score_details": { "score": (score * 1000.0).round() / 1000.0 }
            })
        })
        .collect();
    json!({
        "schema_version": "0.3.0",
        "evaluation_id": format!("maths/model-{number}/1700000000"),
        "retrieved_timestamp": "1700000000",
        "source_metadata": {
            "source_type": "documentation", "source_organization_name": "Acme",
            "evaluator_relationship": "third_party"
        },
        "eval_library": { "name": "acme", "version": "1" },
        "model_info": { "name": format!("model-{number}"), "id": format!("acme/model-{number}"), "developer": "acme", "additional_details": { "deployment_type": "unknown", "model_availability": "unknown" } },
        "evaluation_results": results
    })
}

fn score(record: &mut Value, result: usize) -> &mut Value {
    &mut record["evaluation_results"][result]["score_details"]["score"]
}

fn path(record: &Value, number: usize) -> String {
    let model = record["model_info"]["name"].as_str().expect("a name");
    format!("data/maths/acme/{model}/5eed0000-0000-4000-8000-{number:012}.json")
}

/// The collection codes of findings, with the number of the record.
fn codes(records: &[Value]) -> Vec<String> {
    let paths: Vec<String> = records
        .iter()
        .enumerate()
        .map(|(number, record)| path(record, number))
        .collect();
    let files = paths
        .iter()
        .zip(records)
        .map(|(path, record)| (path.clone(), record.to_string().into_bytes()))
        .collect();
    let items: Vec<Item> = paths
        .iter()
        .map(|path| Item {
            path: path.as_str().into(),
            kind: Some(FileKind::Record),
        })
        .collect();
    let reports = validate(
        &Memory(files),
        &items,
        &Context::default(),
        &Options::default(),
    );
    reports
        .iter()
        .enumerate()
        .flat_map(|(number, report)| {
            report
                .findings
                .diagnostics()
                .iter()
                .map(move |found| format!("{} {number}: {}", found.code, found.message))
        })
        .collect()
}

fn collection() -> Vec<Value> {
    (0..40).map(record).collect()
}

#[test]
fn records_of_one_kind_and_many_qualities_are_silent() {
    assert_eq!(codes(&collection()), Vec::<String>::new());
}

#[test]
fn an_evaluation_id_that_stands_twice_is_reported() {
    let mut records = collection();
    records[7]["evaluation_id"] = records[3]["evaluation_id"].clone();

    let found = codes(&records);

    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("AY444 7: "), "{found:?}");
    assert!(found[1].starts_with("AY610 7: "), "{found:?}");
    assert!(found[1].contains("model-3"), "{found:?}");
}

#[test]
fn an_evaluation_id_of_another_model_is_noted_where_all_others_name_theirs() {
    let mut records = collection();
    records[7]["evaluation_id"] = json!("maths/anvil/1700000000");

    assert_eq!(
        codes(&records),
        ["AY444 7: the evaluation id does not name `acme/model-7`"]
    );
    assert_eq!(codes(&records[7..12]), Vec::<String>::new());
}

#[test]
fn a_name_that_is_not_in_the_id_is_noted_where_it_is_in_all_others() {
    let mut records = collection();
    records[7]["model_info"]["name"] = json!("anvil");
    // The path of a record is made of its name here, and is not what is looked at.
    let found = |records: &[Value]| {
        let mut found = codes(records);
        found.retain(|found| !found.starts_with("AY409"));
        found
    };

    assert_eq!(
        found(&records),
        ["AY445 7: the name is `anvil`, but the id is `acme/model-7`"]
    );
    assert_eq!(found(&records[7..12]), Vec::<String>::new());
}

#[test]
fn a_result_of_other_data_than_the_rest_is_noted() {
    let mut records = collection();
    records[7]["evaluation_results"][1]["source_data"]["dataset_name"] = json!("quotients");

    assert_eq!(
        codes(&records),
        ["AY446 7: this result is of `quotients`, unlike 39 of 40 results of its evaluation"]
    );
    assert_eq!(codes(&records[5..12]), Vec::<String>::new());
}

#[test]
fn a_developer_that_the_id_does_not_name_is_noted() {
    for (developer, is_found) in [
        ("Umbrella", true),
        ("Acme Corp", false),
        ("ACME", false),
        ("unknown", false),
    ] {
        let mut own = record(1);
        own["model_info"]["developer"] = json!(developer);

        let found = codes(&[own]);

        assert_eq!(
            found.iter().any(|found| found.starts_with("AY442 0: ")),
            is_found,
            "{developer} {found:?}"
        );
        assert!(found.len() <= 1, "{developer} {found:?}");
    }
}

#[test]
fn an_evaluation_id_out_of_form_is_noted() {
    for id in [
        "run-1",
        "maths/model-1",
        "maths//1700000000",
        "maths/model 1/1700000000",
    ] {
        let mut own = record(1);
        own["evaluation_id"] = json!(id);

        let found = codes(&[own]);

        assert!(
            found.iter().any(|found| found.starts_with("AY443 0: ")),
            "{id} {found:?}"
        );
    }
}

#[test]
fn a_result_of_other_samples_than_the_rest_is_noted() {
    let with_samples = |counts: &dyn Fn(usize) -> u64| {
        let mut records = collection();
        for (at, record) in records.iter_mut().enumerate() {
            record["evaluation_results"][0]["score_details"]["uncertainty"] =
                json!({ "num_samples": counts(at) });
            // Scores of some digits: any count gives them.
            record["evaluation_results"][0]["metric_config"]["metric_name"] = json!("f1");
            record["evaluation_results"][0]["metric_config"]["metric_id"] = json!("f1");
        }
        codes(&records)
    };

    let dropped = with_samples(&|at| if at == 7 { 530 } else { 541 });
    let repeated = with_samples(&|at| if at == 7 { 4 * 541 } else { 541 });

    assert_eq!(
        dropped,
        ["AY620 7: this result counts 530 samples, unlike 39 of 40 results of its evaluation"]
    );
    assert_eq!(repeated, Vec::<String>::new());
}

#[test]
fn scales_that_differ_from_the_others_are_reported() {
    for (key, value) in [("lower_is_better", json!(true)), ("max_score", json!(1000))] {
        let mut records = collection();
        records[7]["evaluation_results"][2]["metric_config"][key] = value;

        let found = codes(&records);

        assert!(
            found.iter().any(|found| found.starts_with("AY611 7: ")),
            "{key} {found:?}"
        );
    }
}

#[test]
fn a_share_among_per_cent_is_reported_with_what_was_meant() {
    let mut records = collection();
    *score(&mut records[20], 1) = json!(0.53);

    let found = codes(&records);

    let expected =
        "AY612 20: 0.53 is probably 53: it is far from the other scores of its evaluation";
    assert!(found.contains(&expected.to_owned()), "{found:?}");
}

#[test]
fn a_model_with_the_scores_of_another_is_reported() {
    let mut records = collection();
    records[9]["evaluation_results"] = records[4]["evaluation_results"].clone();

    let found = codes(&records);

    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("AY613 9: another model has the same scores"));
}

#[test]
fn one_run_with_other_or_rounded_scores_is_reported() {
    let mut records = collection();
    let mut again = record(5);
    again["evaluation_id"] = json!("maths/model-5/1700000001");
    *score(&mut again, 0) = json!(36.5);
    let mut rounded = record(6);
    rounded["evaluation_id"] = json!("maths/model-6/1700000001");
    for result in 0..NAMES.len() {
        let full = score(&mut rounded, result).as_f64().expect("a number");
        *score(&mut rounded, result) = json!((full * 10.0).round() / 10.0);
    }
    records.push(again);
    records.push(rounded);

    let found = codes(&records);

    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("AY614 40: "), "{found:?}");
    assert!(found[1].starts_with("AY615 41: "), "{found:?}");
}

#[test]
fn a_score_that_the_others_do_not_predict_is_noted() {
    let mut records = collection();
    *score(&mut records[0], 3) = json!(79.123);

    let found = codes(&records);

    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0],
        "AY616 0: 79.123 is unusual for this model: rank 1 of 40"
    );
}

#[test]
fn a_mean_that_is_none_is_reported() {
    let mut records = collection();
    for record in &mut records {
        let sum: f64 = (0..4)
            .map(|result| score(record, result).as_f64().expect("a number"))
            .sum();
        *score(record, 4) = json!((sum / 4.0 * 1000.0).round() / 1000.0);
    }
    *score(&mut records[11], 4) = json!(46.5);

    let found = codes(&records);

    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("AY617 11: 46.5 is not the mean"),
        "{found:?}"
    );
}

#[test]
fn a_record_in_the_folder_of_another_benchmark_is_reported() {
    let mut records = vec![record(1), record(2)];
    records[0]["evaluation_id"] = json!("maths-2/model-1/1700000000");

    assert_eq!(
        codes(&records),
        [
            "AY440 0: the evaluation id is of `maths-2`, unlike those of 1 other records in the folder"
        ]
    );
    assert_eq!(codes(&records[..1]), Vec::<String>::new());
}

#[test]
fn an_evaluation_that_stands_twice_in_a_record_is_reported() {
    let mut records = vec![record(1)];
    for result in records[0]["evaluation_results"]
        .as_array_mut()
        .expect("a list")
    {
        result
            .as_object_mut()
            .expect("a map")
            .remove("evaluation_result_id");
    }
    let mut again = records[0]["evaluation_results"][0].clone();
    again["score_details"]["score"] = json!(77.7);
    records[0]["evaluation_results"]
        .as_array_mut()
        .expect("a list")
        .push(again);

    let found = codes(&records);

    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("AY441 0: "), "{found:?}");
}
