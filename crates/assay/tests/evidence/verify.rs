use serde_json::{Value, json};

use crate::hub::alone;
use crate::signed::{ENTRY, MODEL, jwks, put, signed, token};

#[test]
fn an_entry_that_says_what_its_token_says_holds_and_without_keys_that_is_a_doubt() {
    let place = tempfile::tempdir().unwrap();
    let file = put(place.path(), ".eval_results/hle.yaml", &signed(0));
    let keys = put(place.path(), "jwks.json", &jwks());

    let unchecked = alone(place.path(), &["verify", &file, "--format", "json"]);
    let checked = alone(place.path(), &["verify", &file, "--keys", &keys]);

    assert_eq!(unchecked.code, Some(2), "{unchecked}");
    let document = unchecked.json();
    assert_eq!(document["state"], "holds");
    assert_eq!(document["entries"][0]["signature"], "unchecked");
    assert_eq!(
        document["entries"][0]["claims"]["metrics"][0],
        json!({ "metric_id": "accuracy", "value": 20.9 })
    );
    assert_eq!(checked.code, Some(2), "{checked}");
    assert!(
        checked
            .stdout
            .starts_with("entry 1: signed, and unchanged since\n"),
        "{checked}"
    );
    assert!(
        checked.stderr.contains("whether a hub trusts them"),
        "{checked}"
    );
}

#[test]
fn the_field_that_differs_is_named() {
    let place = tempfile::tempdir().unwrap();
    let changes: [(&str, &str, &str); 8] = [
        ("20.90", "21.90", "claim_mismatch:metrics"),
        ("\"0.4.2\"", "\"0.4.3\"", "claim_mismatch:framework.version"),
        (
            "task_id: hle",
            "task_id: hle2",
            "claim_mismatch:dataset.task_id",
        ),
        (
            "    command: inspect eval hle.py\n",
            "",
            "claim_mismatch:framework.command",
        ),
        ("notes: no-tools", "notes: tools", "entry_digest_mismatch"),
        (
            "9f3c2c9a1c4e6d1e8b7a6f5e4d3c2b1a09f8e7d6",
            "9f3c2c9a1c4e6d1e",
            "revision_not_full:model_revision",
        ),
        ("  notes: no-tools", "  notes: no", "yaml_ambiguous_scalar"),
        (
            "  notes: no-tools",
            "  notes: no-tools\n  verifyToken: x",
            "token_ambiguous",
        ),
    ];
    for (from, to, reason) in changes {
        let text = signed(0).replacen(from, to, 1);
        assert_ne!(text, signed(0), "{from}");
        let file = put(place.path(), "changed.yaml", &text);

        let run = alone(place.path(), &["verify", &file, "--format", "json"]);

        assert_eq!(run.code, Some(1), "{from}\n{run}");
        let why = &run.json()["entries"][0]["why"];
        assert_eq!(why["reason"], reason, "{run}");
        assert!(
            why["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{run}"
        );
    }
}

#[test]
fn layout_and_spelling_do_not_matter() {
    let place = tempfile::tempdir().unwrap();
    let text = signed(0).replace("20.90", "2.09e+1 # the score").replace(
        "    name: inspect-ai\n    version: \"0.4.2\"\n",
        "    version: '0.4.2'\n    name: \"inspect-ai\"\n",
    );
    let file = put(place.path(), "same.yaml", &text);

    let run = alone(place.path(), &["verify", &file, "--format", "json"]);

    assert_eq!(run.json()["state"], "holds", "{run}");
}

#[test]
fn the_model_and_the_name_of_the_file_count() {
    let place = tempfile::tempdir().unwrap();
    let elsewhere = put(place.path(), ".eval_results/gpqa.yaml", &signed(0));
    let here = put(place.path(), ".eval_results/hle.yaml", &signed(0));

    let path = alone(place.path(), &["verify", &elsewhere]);
    let model = alone(place.path(), &["verify", &here, "--model", "acme/other"]);

    assert!(
        path.code == Some(1) && path.stdout.contains("path_mismatch"),
        "{path}"
    );
    assert!(
        model.code == Some(1) && model.stdout.contains("model_repo_mismatch"),
        "{model}"
    );
}

#[test]
fn entries_without_a_token_and_entries_twice_are_told() {
    let place = tempfile::tempdir().unwrap();
    let text = format!("{}{ENTRY}{}", signed(0), signed(0));
    let file = put(place.path(), "three.yaml", &text);

    let all = alone(place.path(), &["verify", &file, "--format", "json"]);
    let first = alone(place.path(), &["verify", &file, "--entry", "1"]);
    let none = alone(place.path(), &["verify", &file, "--entry", "4"]);

    let document = all.json();
    let reasons: Vec<&Value> = document["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["why"]["reason"])
        .collect();
    // A token that stands twice in a file is one whose second place says nothing new.
    assert_eq!(reasons[1], "no_token");
    assert_eq!(all.code, Some(1), "{all}");
    assert_eq!(reasons[0], &Value::Null, "{all}");
    assert_eq!(reasons[2], "duplicate_token_in_tree");
    assert_eq!(first.code, Some(2), "{first}");
    assert_eq!(none.code, Some(3), "{none}");
}

#[test]
fn the_canonical_form_is_printed_with_its_digests() {
    let place = tempfile::tempdir().unwrap();
    let file = put(place.path(), "hle.yaml", ENTRY);

    let run = alone(
        place.path(),
        &["verify", &file, "--canonical", "--model", MODEL],
    );

    assert_eq!(run.code, Some(0), "{run}");
    let mut lines = run.stdout.lines();
    let canonical = lines.next().unwrap();
    assert!(
        canonical.starts_with(r#"{"dataset":{"id":"cais/hle","revision":"5503"#),
        "{run}"
    );
    assert!(canonical.contains(r#""value":20.9}"#), "{run}");
    assert!(
        lines.next().unwrap().starts_with("# entry 1: sha256:"),
        "{run}"
    );
    assert!(
        lines.next().unwrap().starts_with("# subject: sha256:"),
        "{run}"
    );
}

#[test]
fn a_token_is_checked_with_the_keys_of_its_issuer() {
    let place = tempfile::tempdir().unwrap();
    let keys = put(place.path(), "jwks.json", &jwks());
    let fresh = token(0);
    let mut forged = fresh.clone();
    let last = forged.pop().unwrap();
    forged.push(if last == 'A' { 'Q' } else { 'A' });
    let old = token(7200);
    let no_keys = put(place.path(), "none.json", "{\"keys\":[]}");

    let good = alone(
        place.path(),
        &["verify", &fresh, "--keys", &keys, "--format", "json"],
    );
    let bad = alone(
        place.path(),
        &["verify", &forged, "--keys", &keys, "--format", "json"],
    );
    let late = alone(
        place.path(),
        &["verify", &old, "--keys", &keys, "--format", "json"],
    );
    let bare = alone(
        place.path(),
        &["verify", &fresh, "--keys", &no_keys, "--format", "json"],
    );

    assert_eq!(good.code, Some(2), "{good}");
    assert_eq!(good.json()["signature"], "holds");
    assert_eq!(bad.code, Some(1), "{bad}");
    assert!(
        ["bad_signature", "token_malformed"]
            .contains(&bad.json()["why"]["reason"].as_str().unwrap()),
        "{bad}"
    );
    assert!(
        late.code == Some(2) && late.json()["expired"] == true,
        "{late}"
    );
    assert_eq!(bare.json()["signature"], "unchecked", "{bare}");
}

#[test]
fn what_is_none_of_them_is_wrong_usage() {
    let place = tempfile::tempdir().unwrap();
    let proof = put(place.path(), "row.proof", "{\"v\":1}");
    for what in ["nothing.yaml", "eyJh.b", proof.as_str()] {
        let run = alone(place.path(), &["verify", what]);

        assert_eq!(run.code, Some(3), "{what}\n{run}");
    }
}

#[test]
fn a_token_is_shown_without_being_believed() {
    let place = tempfile::tempdir().unwrap();
    let file = put(place.path(), "hle.yaml", &signed(0));
    let changed = put(
        place.path(),
        "changed.yaml",
        &ENTRY.replace("20.90", "99.9"),
    );

    let shown = alone(place.path(), &["token", "inspect", &token(0)]);
    let same = alone(
        place.path(),
        &["token", "inspect", &token(0), "--file", &file],
    );
    let other = alone(
        place.path(),
        &[
            "token",
            "inspect",
            &token(0),
            "--file",
            &changed,
            "--format",
            "json",
        ],
    );
    let inside = alone(place.path(), &["token", "inspect", &file]);
    let nonsense = alone(
        place.path(),
        &["token", "inspect", "eyJhbGciOiJub25lIn0.e30.c2ln"],
    );

    assert_eq!(shown.code, Some(0), "{shown}");
    for words in [
        "UNVERIFIED",
        "the form `JWT`",
        "accuracy 20.9, stderr 0.81",
        "ends in ",
        "cais/hle at 5503",
    ] {
        assert!(shown.stdout.contains(words), "{words}\n{shown}");
    }
    assert!(
        same.stdout
            .contains("entry 1 is the one that it was made for"),
        "{same}"
    );
    assert_eq!((same.code, inside.code), (Some(0), Some(0)), "{inside}");
    assert_eq!(other.code, Some(1), "{other}");
    let compared = &other.json()["tokens"][0]["compared"][0];
    assert_eq!(compared["why"]["reason"], "claim_mismatch:metrics");
    assert!(
        nonsense.code == Some(1) && nonsense.stdout.contains("token_header"),
        "{nonsense}"
    );
}

#[test]
fn what_could_never_be_verified_is_not_even_asked_for() {
    let place = tempfile::tempdir().unwrap();
    let bare = ENTRY.replace("    version: \"0.4.2\"\n", "");
    let file = put(place.path(), "bare.yaml", &bare);
    let line = [
        "token",
        "request",
        &file,
        "--model",
        MODEL,
        "--hub",
        "http://127.0.0.1:1",
    ];

    let run = alone(
        place.path(),
        &[&line[..], &["--credential", "evp_x_y"]].concat(),
    );
    let dry = alone(place.path(), &[&line[..], &["--dry-run"]].concat());

    assert_eq!((run.code, dry.code), (Some(1), Some(1)), "{run}");
    assert!(run.stderr.contains("missing:framework.version"), "{run}");
}

#[test]
fn a_request_is_shown_before_it_is_made() {
    let place = tempfile::tempdir().unwrap();
    let file = put(place.path(), "hle.yaml", ENTRY);
    let line = [
        "token",
        "request",
        &file,
        "--model",
        MODEL,
        "--hub",
        "http://127.0.0.1:1",
    ];

    let dry = alone(
        place.path(),
        &[&line[..], &["--dry-run", "--format", "json"]].concat(),
    );
    let without = alone(place.path(), &line);
    let open = alone(
        place.path(),
        &[
            &line[..],
            &["--to", "http://issuer.example", "--credential", "evp_x_y"],
        ]
        .concat(),
    );

    assert_eq!(dry.code, Some(0), "{dry}");
    let request = &dry.json()["entries"][0]["request"];
    assert_eq!(request["model_repo"], MODEL);
    assert_eq!(request["entry"]["metrics"][0]["value"], 20.9);
    assert!(
        request["expect"]["entry"]
            .as_str()
            .unwrap()
            .starts_with("sha256:"),
        "{dry}"
    );
    assert!(
        without.code == Some(3) && without.stderr.contains("no credential"),
        "{without}"
    );
    assert!(
        open.code == Some(3) && open.stderr.contains("https"),
        "{open}"
    );
}
