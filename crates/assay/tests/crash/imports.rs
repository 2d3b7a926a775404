//! `assay import eee` against a server of its own.

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::client::Client;
use crate::server::{Place, Server};

const RECORD: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11.json"
);
const SAMPLES: &str = include_str!(
    "../../../../examples/datastore/data/sum-check/acme/tiny-adder/3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11_samples.jsonl"
);
const FOLDER: &str = "data/sum-check/acme/tiny-adder";
const SMALL: &str = "3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a11";
const LARGE: &str = "3f0c6e0a-6f0e-4b9e-9a53-0d6c1b1f7a12";
/// More than goes into a commit itself, in bytes.
const LARGE_BYTES: usize = 9 << 20;

/// Writes a datastore with a record whose samples are small and one whose samples are large.
fn datastore(root: &Path) {
    let folder = root.join(FOLDER);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{SMALL}.json")), RECORD).unwrap();
    std::fs::write(folder.join(format!("{SMALL}_samples.jsonl")), SAMPLES).unwrap();
    // The metadata of a row may be long, and nothing follows from it.
    let padding = "x".repeat(LARGE_BYTES);
    let samples = SAMPLES.replacen("\"epoch\": \"1\"", &format!("\"epoch\": \"{padding}\""), 1);
    let mut record: Value = serde_json::from_str(RECORD).unwrap();
    let named = &mut record["detailed_evaluation_results"];
    named["file_path"] = format!("{FOLDER}/{LARGE}_samples.jsonl").into();
    named["checksum"] = Sha256::digest(&samples)
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
        .into();
    std::fs::write(folder.join(format!("{LARGE}.json")), record.to_string()).unwrap();
    std::fs::write(folder.join(format!("{LARGE}_samples.jsonl")), samples).unwrap();
}

fn import(place: &Place, server: &Server, token: &str, path: &str) -> Output {
    let args = [
        "import",
        "eee",
        path,
        "--hub",
        &server.url,
        "--format",
        "json",
    ];
    let mut command = place.assay(&args);
    command.env("ASSAY_TOKEN", token).output().unwrap()
}

fn report(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn samples_come_along_with_their_records_whether_they_are_small_or_large() {
    let place = Place::new();
    let server = place.serve();
    let token = server.token.clone().unwrap();
    datastore(&place.path().join("store"));

    let first = report(&import(&place, &server, &token, "store"));
    let second = report(&import(&place, &server, &token, "store"));

    assert_eq!(first["report"]["records"], 2, "{first}");
    assert_eq!(first["report"]["changed"], 2, "{first}");
    assert_eq!(second["report"]["changed"], 0, "{second}");
    let client = Client::new(&token);
    let ask = |path: &str| {
        let url = format!("{}/{path}", server.url);
        client.ask("GET", &url, "").unwrap().good()
    };
    let records = ask("api/datasets/every-eval-ever/sum-check/records").json();
    assert_eq!(records.as_array().unwrap().len(), 2, "{records}");
    let tree = ask("api/datasets/every-eval-ever/sum-check/tree/main?recursive=true").json();
    let files = tree.as_array().unwrap().iter();
    let large: Vec<&str> = files
        .filter(|file| file.get("lfs").is_some())
        .filter_map(|file| file["path"].as_str())
        .collect();
    assert_eq!(large, [format!("{FOLDER}/{LARGE}_samples.jsonl")]);
    let path = format!("datasets/every-eval-ever/sum-check/resolve/main/{FOLDER}");
    let text = ask(&format!("{path}/{LARGE}_samples.jsonl")).body;
    assert!(text.len() > LARGE_BYTES);
    assert_eq!(ask(&format!("{path}/{SMALL}_samples.jsonl")).body, SAMPLES);
}

#[test]
fn an_import_of_nothing_fails_and_says_so() {
    let place = Place::new();
    let server = place.serve();
    let token = server.token.clone().unwrap();
    std::fs::create_dir(place.path().join("empty")).unwrap();

    let absent = import(&place, &server, &token, "absent");
    let empty = import(&place, &server, &token, "empty");

    for (output, told) in [
        (absent, "there is no such file"),
        (empty, "no Every Eval Ever records"),
    ] {
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{errors}");
        assert!(errors.contains(told), "{errors}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["exit_code"], 3, "{report}");
        assert!(report["error"].as_str().unwrap().contains(told), "{report}");
    }
}
