use assay_convert::convert::{Harness, belongs_to_another, detect, detect_directory, looks_like};

use super::lighteval::{RESULTS, world};
use crate::kit::{Files as World, fixture};

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
        "_journal",
        "board.csv",
        "runs",
    ]
    .map(str::to_owned);

    let own = names
        .iter()
        .filter(|name| !belongs_to_another(name, &names));
    assert_eq!(
        own.collect::<Vec<_>>(),
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

    for (entries, expected) in [
        (&["run_spec.json", "stats.json"][..], Some(Harness::Helm)),
        (
            &["run_spec.json", "scenario_state.json"],
            Some(Harness::Helm),
        ),
        (&["run_spec.json"], None),
        (&["stats.json", "scenario_state.json"], None),
    ] {
        assert_eq!(detect_directory(&names(entries)), expected, "{entries:?}");
    }
}

#[test]
fn files_of_others_are_told_by_their_marks() {
    for (name, text, expected) in [
        (
            "r.json",
            r#"{"schema_version": "0.3.0", "evaluation_id": "x"}"#,
            "an Every Eval Ever record",
        ),
        (
            "s.jsonl",
            r#"{"evaluation_id": "x", "sample_id": "1"}"#,
            "samples of Every Eval Ever",
        ),
        (
            "s.jsonl",
            r#"{"doc_id": 0, "resps": []}"#,
            "samples of lm-evaluation-harness",
        ),
        ("d.parquet", "PAR1", "details of lighteval (Parquet)"),
        ("run/stats.json", "[]", "one file of a HELM run"),
        ("e.yaml", "- dataset:\n    id: a/b", "a result file"),
        (
            "o.jsonl",
            r#"{"spec": {"completion_fns": []}}"#,
            "an OpenAI Evals log",
        ),
        (
            "p.json",
            r#"{"evalId": "x", "results": {}}"#,
            "promptfoo results",
        ),
        ("d.json", r#"{"testCases": []}"#, "a DeepEval test run"),
        (
            "h.json",
            r#"{"task_name": "t", "verifier_result": {}}"#,
            "a Harbor job or trial",
        ),
        (
            "t.json",
            r#"{"results": [], "n_resolved": 1}"#,
            "a Terminal-Bench run",
        ),
        ("w.json", r#"{"resolved_ids": []}"#, "a SWE-bench report"),
        (
            "w.jsonl",
            r#"{"instance_id": "a", "model_patch": ""}"#,
            "SWE-bench predictions",
        ),
        (
            "m.json",
            r#"{"task_name": "t", "mteb_version": "2"}"#,
            "an MTEB result",
        ),
        (
            "e.json",
            r#"{"date": "", "hash": "", "eval": {}}"#,
            "an EvalPlus result",
        ),
        (
            "b.json",
            r#"{"accuracy": 1, "correct_count": 1, "total_count": 1}"#,
            "a BFCL score file",
        ),
        (
            "v.json",
            r#"{"dataset_name": "", "metrics": [], "model_name": ""}"#,
            "an EvalScope report",
        ),
        (
            "u.json",
            r#"{"simulations": [], "tasks": []}"#,
            "tau-bench simulations",
        ),
        ("annotations.json", "[]", "AlpacaEval annotations"),
        (
            "c.json",
            r#"{"0": {"origin_prompt": ""}}"#,
            "an OpenCompass prediction or result",
        ),
        ("z.gz", "\u{1f}x", ""),
    ] {
        let told = looks_like(&World::default().with(name, text), name);

        let told = told.unwrap_or_default();
        assert!(told.contains(expected), "{name}: {told}");
    }
    let archive = World::default().with("a.zip", archive(&["word/document.xml"]));
    assert!(
        looks_like(&archive, "a.zip")
            .unwrap()
            .contains("zip archive")
    );
    let empty = World::default().with("e.json", "  ");
    assert_eq!(looks_like(&empty, "e.json").as_deref(), Some("it is empty"));
}
