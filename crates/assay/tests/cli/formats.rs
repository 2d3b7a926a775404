use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{BROKEN, RECORD, Workspace, misspelt_record};

fn two_files() -> Workspace {
    Workspace::new()
        .with("a b/100%, [x]: run.json", BROKEN)
        .with("eval.txt", "")
}

#[test]
fn json_is_one_document() {
    let run = two_files().run(&["validate", ".", "eval.txt", "--format", "json"]);

    assert_snapshot!(run);
}

#[test]
fn github_commands_escape_what_would_end_them() {
    let run = two_files().run(&["validate", ".", "eval.txt", "--format", "github"]);

    assert_snapshot!(run);
}

#[test]
fn the_json_document_does_not_grow_with_the_values_it_speaks_of() {
    let size_with = |padding: usize| {
        let text = BROKEN.replace("\"e\"", &format!("\"{}\"", "x".repeat(padding)));
        let workspace = Workspace::new().with("run.json", text.replace('\n', ""));
        workspace
            .run(&["validate", "--format", "json"])
            .stdout
            .len()
    };

    let (small, large) = (size_with(1_000), size_with(60_000));

    // Only the numbers in it have more digits.
    assert!(large - small < 20, "{small} {large}");
}

#[test]
fn sarif_names_the_rules_and_points_into_the_files() {
    let run = two_files().run(&["validate", ".", "eval.txt", "--format", "sarif"]);

    let log = run.json();
    assert_eq!(log["version"], "2.1.0");
    let [run] = log["runs"].as_array().unwrap().as_slice() else {
        panic!("one run: {log}");
    };
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    assert_eq!(
        run["invocations"],
        json!([{ "executionSuccessful": true, "exitCode": 1 }])
    );
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "assay");
    assert_eq!(driver["semanticVersion"], env!("CARGO_PKG_VERSION"));
    let [broken, unknown] = run["results"].as_array().unwrap().as_slice() else {
        panic!("two results: {run}");
    };
    assert_eq!(broken["ruleId"], "AY006");
    assert_eq!(broken["level"], "error");
    assert_eq!(
        broken["message"]["text"],
        "expected a value\nlook just before this place for a missing comma, colon or quote"
    );
    assert_eq!(
        broken["locations"],
        json!([{ "physicalLocation": {
            "artifactLocation": { "uri": "a%20b/100%25%2C%20%5Bx%5D%3A%20run.json" },
            "region": {
                "startLine": 3,
                "startColumn": 17,
                "byteOffset": 42,
                "byteLength": 1,
                "snippet": { "text": "  \"model_info\": oops" },
            },
        }}])
    );
    assert_eq!(broken.get("fixes"), None);
    assert_eq!(unknown["ruleId"], "AY002");
    assert_eq!(
        unknown["locations"],
        json!([{ "physicalLocation": { "artifactLocation": { "uri": "eval.txt" } } }])
    );
}

#[test]
fn sarif_describes_every_rule_and_its_index_is_true() {
    let log = two_files().run(&["validate", "--format", "sarif"]).json();

    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for rule in rules {
        assert!(rule["id"].as_str().unwrap().starts_with("AY"), "{rule}");
        let name = rule["name"].as_str().unwrap();
        let page = rule["help"]["markdown"].as_str().unwrap();
        assert!(page.starts_with("# AY") && page.contains(name), "{page}");
        assert!(
            !rule["shortDescription"]["text"]
                .as_str()
                .unwrap()
                .is_empty()
        );
        assert!(!rule["fullDescription"]["text"].as_str().unwrap().is_empty());
        let level = &rule["defaultConfiguration"]["level"];
        assert!(
            ["error", "warning", "note"]
                .iter()
                .any(|known| level == known)
        );
        assert_eq!(rule.get("helpUri"), None);
    }
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn sarif_carries_the_changes_that_mend_a_finding() {
    let text = misspelt_record();
    let log = Workspace::new()
        .with(RECORD, &text)
        .run(&["validate", "--format", "sarif"])
        .json();

    let results = log["runs"][0]["results"].as_array().unwrap();
    let misspelt: &Value = results
        .iter()
        .find(|result| result["ruleId"] == "AY106")
        .unwrap();
    assert_eq!(misspelt["level"], "warning");
    assert_eq!(
        misspelt["fixes"],
        json!([{
            "description": { "text": "did you mean `source_name`?" },
            "artifactChanges": [{
                "artifactLocation": { "uri": RECORD },
                "replacements": [{
                    "deletedRegion": {
                        "byteOffset": text.find("source_nam").unwrap(),
                        "byteLength": "source_nam".len(),
                    },
                    "insertedContent": { "text": "source_name" },
                }],
            }],
        }])
    );
}

#[test]
fn a_file_that_cannot_be_read_makes_the_run_unsuccessful() {
    let run = Workspace::new().run(&["validate", "no.json", "--format", "sarif"]);

    let log = run.json();
    assert_eq!(
        log["runs"][0]["invocations"][0],
        json!({ "executionSuccessful": false, "exitCode": 3 })
    );
    assert_eq!(run.code, Some(3));
}
