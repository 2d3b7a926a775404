//! Places of records, and the meaning of their paths.

use assay_check::LayoutPolicy;
use serde_json::json;

use crate::support::{DIRECTORY, Memory, Pair, UUID, context, findings, pretty, record};

/// The findings of a valid record without samples at another path.
fn at(path: &str, policy: LayoutPolicy) -> Vec<String> {
    let mut record = record();
    record
        .as_object_mut()
        .unwrap()
        .remove("detailed_evaluation_results");
    let files = Memory::default().with(path, pretty(&record));
    findings(&files.judge_with(&context(policy), 1))
}

fn auto(path: &str) -> Vec<String> {
    at(path, LayoutPolicy::Auto)
}

#[test]
fn s01_a_path_has_five_parts() {
    assert_eq!(
        auto(&format!("data/sums/model-x/{UUID}.json")),
        ["json error AY404 0:0 the path has 4 parts from the root of the datastore, not 5"]
    );
    assert_eq!(
        auto(&format!("data/a/b/acme/model-x/{UUID}.json")),
        ["json error AY404 0:0 the path has 6 parts from the root of the datastore, not 5"]
    );
}

#[test]
fn s02_a_path_has_no_detours() {
    assert_eq!(
        auto(&format!("data/sums/./acme/model-x/{UUID}.json")),
        [
            "json error AY404 0:0 the path has 6 parts from the root of the datastore, not 5"
                .to_owned(),
            format!(
                "json error AY405 0:0 the path `data/sums/./acme/model-x/{UUID}.json` has a backslash, an empty part, `.` or `..`"
            ),
        ]
    );
}

#[test]
fn s03_outside_of_data_is_one_warning_and_an_error_for_the_strict() {
    let path = format!("out/x/{UUID}.json");

    assert_eq!(
        at(&path, LayoutPolicy::Auto),
        ["json warning AY403 0:0 the file does not lie below a directory `data`"]
    );
    assert_eq!(
        at(&path, LayoutPolicy::Strict),
        [
            "json error AY403 0:0 the file does not lie below a directory `data`",
            "json error AY404 0:0 the path has 3 parts from the root of the datastore, not 5",
        ]
    );
    assert_eq!(at(&path, LayoutPolicy::Off), [""; 0]);
}

#[test]
fn s04_no_directory_below_data_is_called_data() {
    assert_eq!(
        auto(&format!("data/data/acme/model-x/{UUID}.json")),
        ["json error AY406 0:0 a directory below `data` is itself called `data`"]
    );
}

#[test]
fn s05_every_system_can_hold_the_names() {
    for name in ["model-x...", "model:x", "model-x ", "model\tx"] {
        let found = auto(&format!("data/sums/acme/{name}/{UUID}.json"));

        assert!(
            found.len() == 1
                && found[0].starts_with(
                    "json error AY407 0:0 some systems cannot hold a directory called `model"
                ),
            "{found:?}"
        );
    }
    let found = auto(&format!("data/NUL.txt/acme/model-x/{UUID}.json"));
    assert!(
        found.len() == 1 && found[0].starts_with("json error AY407"),
        "{found:?}"
    );
}

#[test]
fn s06_a_record_is_named_by_a_random_uuid_in_lower_case() {
    for name in [
        "run1",
        "5EED0000-0000-4000-8000-000000000100",
        "5eed0000-0000-1000-8000-000000000100",
        "5eed0000-0000-4000-c000-000000000100",
    ] {
        assert_eq!(
            auto(&format!("{DIRECTORY}/{name}.json")),
            [format!(
                "json error AY408 0:0 `{name}.json` is not a version 4 UUID in lower case with `.json` or `_samples.jsonl`"
            )]
        );
    }
}

#[test]
fn a_name_that_was_cut_off_is_to_be_written_whole() {
    let help = |model: &str| {
        let path = format!("data/sums/acme/{model}/{UUID}.json");
        let files = Memory::default().with(&path, pretty(&record()));
        let reports = files.judge();
        let found = reports[0]
            .findings
            .diagnostics()
            .iter()
            .find(|found| found.code.to_string() == "AY407")
            .unwrap();
        found.help.clone().unwrap()
    };

    // Several models may begin alike, and must not end in one directory.
    assert_eq!(
        help("model-x-check..."),
        "the name was cut off, it seems: write the whole name of the model"
    );
    assert_eq!(help("model-x."), "rename it, for example to `model-x`");
}

#[test]
fn a_wrong_name_outside_of_data_is_a_warning() {
    assert_eq!(
        auto("out/run1.json"),
        [
            "json warning AY403 0:0 the file does not lie below a directory `data`",
            "json warning AY408 0:0 `run1.json` is not a version 4 UUID in lower case with `.json` or `_samples.jsonl`",
        ]
    );
}

#[test]
fn samples_are_held_to_the_layout_too() {
    let mut pair = Pair::new();
    pair.directory = "data/sums/acme".to_owned();
    pair.record["detailed_evaluation_results"]["file_path"] =
        json!(format!("data/sums/acme/x/{UUID}_samples.jsonl"));

    let found = pair.findings();

    assert_eq!(
        found,
        [
            "json error AY404 0:0 the path has 4 parts from the root of the datastore, not 5"
                .to_owned(),
            format!(
                "json error AY425 65:18 `file_path` is `data/sums/acme/x/{UUID}_samples.jsonl`, which is not the samples file of this record"
            ),
            "jsonl error AY404 0:0 the path has 4 parts from the root of the datastore, not 5"
                .to_owned(),
        ]
    );
}

#[test]
fn t22_the_developer_is_the_front_of_the_id_and_not_the_field() {
    let judge = |id: &str, directory: &str| {
        let mut record = record();
        record
            .as_object_mut()
            .unwrap()
            .remove("detailed_evaluation_results");
        record["model_info"]["id"] = json!(id);
        record["model_info"]["developer"] = json!("Somebody Else");
        let path = format!("data/sums/{directory}/{UUID}.json");
        let mut found = findings(&Memory::default().with(&path, pretty(&record)).judge());
        // The developer has a rule of its own.
        found.retain(|found| !found.contains(" AY442 "));
        found
    };

    for (id, directory) in [
        ("acme/model-x", "acme/model-x"),
        ("Acme/Model.X", "acme/model_x"),
        ("acme/model:x/7b", "acme/model_x_7b"),
        ("model-x", "anyone/model-x"),
    ] {
        assert_eq!(judge(id, directory), [""; 0], "{id} in {directory}");
    }
    assert_eq!(
        judge("acme/model-x", "acme/model-y"),
        [
            "json warning AY409 19:11 `model_info.id` is `acme/model-x`, but the path says `acme/model-y`"
        ]
    );
    assert_eq!(
        judge("acme/model-x", "emca/model-x"),
        [
            "json warning AY409 19:11 `model_info.id` is `acme/model-x`, but the path says `emca/model-x`"
        ]
    );
}
