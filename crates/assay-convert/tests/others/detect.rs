use assay_convert::convert::{Harness, candidates, detect, is_helm_run};

use crate::lighteval::{RESULTS, world};
use crate::world::{World, fixture};

fn of(bytes: impl Into<Vec<u8>>) -> Option<Harness> {
    detect(&World::default().with("file", bytes), "file")
}

/// An archive with members of these names.
fn archive(names: &[&str]) -> Vec<u8> {
    use std::io::Write;

    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in names {
        writer
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        writer.write_all(b"{}").unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn documents_are_told_by_their_keys() {
    for (text, expected) in [
        (
            r#"{"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "plan": {}"#,
            Some(Harness::Inspect),
        ),
        (
            r#"{"eval": {"task": "t", "model": "m"}, "plan": {}}"#,
            Some(Harness::Inspect),
        ),
        (
            r#"{"results": {}, "configs": {}, "n-shot": {}}"#,
            Some(Harness::LmEval),
        ),
        (
            r#"{"results": {"t": {"acc,none": NaN}}, "lm_eval_version": "0.4.9"}"#,
            Some(Harness::LmEval),
        ),
        (
            r#"{"config_general": {}, "results": {}}"#,
            Some(Harness::Lighteval),
        ),
        (
            r#"{"schema_version": "0.3.0", "eval": {"task": 1, "model": 2}, "version": 1}"#,
            None,
        ),
        (
            r#"{"name": "x", "version": "1.0.0", "dependencies": {"eval": "1"}}"#,
            None,
        ),
        (r#"{"version": 1, "eval": "no map"}"#, None),
        (r#"{"results": [], "configs": {}, "n-shot": {}}"#, None),
        (r#"{"results": {"#, None),
        ("[1, 2]", None),
        ("{}", None),
        ("", None),
        ("   ", None),
    ] {
        assert_eq!(of(text), expected, "{text}");
    }
}

#[test]
fn archives_are_told_by_their_members() {
    for (names, expected) in [
        (
            &["_journal/start.json", "header.json"][..],
            Some(Harness::Inspect),
        ),
        (
            &["header.json", "samples/1_epoch_1.json"],
            Some(Harness::Inspect),
        ),
        (&["_journal/start.json"], Some(Harness::Inspect)),
        (&["header.json"], None),
        (&["word/document.xml"], None),
    ] {
        assert_eq!(of(archive(names)), expected, "{names:?}");
    }
    assert_eq!(of(*b"PK\x03\x04 and nothing more"), None);
}

#[test]
fn leaderboards_are_told_by_their_columns() {
    assert_eq!(of(fixture("alpaca_eval/v1.csv")), Some(Harness::AlpacaEval));
    assert_eq!(of(fixture("alpaca_eval/v2.csv")), Some(Harness::AlpacaEval));
    assert_eq!(of("\u{feff}model,win_rate\r\n"), Some(Harness::AlpacaEval));
    assert_eq!(of("win_rate,model\n"), None);
    assert_eq!(of("team,win_rate\n"), None);
    assert_eq!(of("name,score\n"), None);
}

#[test]
fn results_of_lighteval_are_told_and_their_details_are_none() {
    let world = world();

    let found: Vec<_> = world
        .0
        .keys()
        .filter(|path| detect(&world, path).is_some())
        .collect();

    assert_eq!(found, [RESULTS]);
    assert_eq!(detect(&world, RESULTS), Some(Harness::Lighteval));
    assert_eq!(detect(&world, "absent.json"), None);
}

#[test]
fn what_belongs_to_another_log_is_no_log_of_its_own() {
    let names = [
        "a.eval",
        "a.shards",
        "a.checkpoints",
        "b.shards",
        "c.eval",
        "c-recovered.eval",
        "results_1.json",
        "samples_t_1.jsonl",
        "details_t_1.parquet",
        ".cache",
        "_journal",
        "board.csv",
        "runs",
    ]
    .map(str::to_owned);

    assert_eq!(
        candidates(&names),
        [
            "a.eval",
            "b.shards",
            "c-recovered.eval",
            "results_1.json",
            "board.csv",
            "runs"
        ]
    );
}

#[test]
fn a_run_of_helm_is_told_by_its_files() {
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };

    assert!(is_helm_run(&names(&["run_spec.json", "stats.json"])));
    assert!(is_helm_run(&names(&[
        "run_spec.json",
        "scenario_state.json"
    ])));
    assert!(!is_helm_run(&names(&["run_spec.json"])));
    assert!(!is_helm_run(&names(&["stats.json", "scenario_state.json"])));
}
