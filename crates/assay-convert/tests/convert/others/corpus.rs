//! Real logs. They are not part of the repository: without them the tests say so and pass.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assay_convert::convert::{Harness, detect, detect_directory};

use crate::kit::{Files as World, Output, corpus};

/// Every file below a directory, by its path from there.
fn load(root: &Path, directory: &Path, world: &mut World) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            load(root, &path, world);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            world.0.insert(name, fs::read(&path).unwrap());
        }
    }
}

fn loaded(root: &Path) -> World {
    let mut world = World::default();
    load(root, root, &mut world);
    world
}

fn follow_the_schemas(corpus: &Path, output: &Output) {
    let validator = |name: &str| {
        let text = fs::read_to_string(corpus.join("schemas").join(name)).unwrap();
        jsonschema::draft7::new(&serde_json::from_str(&text).unwrap()).unwrap()
    };
    let record = validator("eval.schema.0.3.0.json");
    let row = validator("instance_level_eval.schema.0.3.0.json");
    for index in 0..output.converted.len() {
        let errors = |validator: &jsonschema::Validator, value: &serde_json::Value| {
            validator
                .iter_errors(value)
                .map(|error| error.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(&record, &output.record(index)), Vec::<String>::new());
        for value in output.rows(index) {
            assert_eq!(errors(&row, &value), Vec::<String>::new());
        }
    }
}

#[test]
fn what_comes_out_follows_the_published_schemas() {
    let Some(corpus) = corpus() else {
        return;
    };
    let board = "alpaca_eval_gpt4_leaderboard.csv";
    let boards = World::default().with(board, crate::kit::fixture("alpaca_eval/v1.csv"));

    let lighteval = super::lighteval::converted(&super::lighteval::world());
    let alpaca = boards.convert(Harness::AlpacaEval, board).unwrap();

    follow_the_schemas(&corpus, &lighteval);
    follow_the_schemas(&corpus, &alpaca);
}

#[test]
fn real_logs_of_lighteval_convert_whole() {
    let Some(corpus) = corpus() else {
        return;
    };
    let world = loaded(&corpus.join("logs/lighteval"));
    let path = "results/toy-org/dummy/results_2026-11-15T18-51-49.249581.json";

    let output = world.convert(Harness::Lighteval, path).unwrap();

    let rows: Vec<u64> = output
        .converted
        .iter()
        .map(|converted| converted.rows)
        .collect();
    assert_eq!(rows, [6, 6, 5]);
    assert_eq!(output.warnings(), Vec::<String>::new());
    assert_eq!(output.errors(), Vec::<String>::new());
    for index in 0..3 {
        // The score of a task is the mean over its samples.
        let scores: Vec<f64> = output
            .rows(index)
            .iter()
            .map(|row| row["evaluation"]["score"].as_f64().unwrap())
            .collect();
        let mean = scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap());
        let score = &output.record(index)["evaluation_results"][0]["score_details"]["score"];
        assert!((mean - score.as_f64().unwrap()).abs() < 1e-12);
    }
    follow_the_schemas(&corpus, &output);
}

/// The harness that wrote a file of the corpus, told by where it lies; nothing for files that are
/// no logs.
fn expected(path: &str) -> Option<Harness> {
    let harness = path
        .trim_start_matches("reference-fixtures/")
        .split('/')
        .next()
        .unwrap_or_default();
    let file = path.rsplit('/').next().unwrap_or_default();
    match harness {
        "inspect" | "inspect-small" => Some(Harness::Inspect),
        "lm_eval" if file.starts_with("results_") => Some(Harness::LmEval),
        "lighteval" if file.starts_with("results_") => Some(Harness::Lighteval),
        _ => None,
    }
}

#[test]
fn real_logs_are_told_apart() {
    let Some(corpus) = corpus() else {
        return;
    };
    let world = loaded(&corpus.join("logs"));

    let mut counts: BTreeMap<Option<Harness>, usize> = BTreeMap::new();
    for path in world.0.keys() {
        let harness = detect(&world, path);
        assert_eq!(harness, expected(path), "{path}");
        *counts.entry(harness).or_default() += 1;
    }

    for harness in [Harness::Inspect, Harness::LmEval, Harness::Lighteval] {
        assert!(counts.contains_key(&Some(harness)), "{harness:?}");
    }
}

#[test]
fn real_runs_of_helm_are_told_by_their_directory() {
    use assay_convert::convert::Logs;

    let Some(corpus) = corpus() else {
        return;
    };
    let world = loaded(&corpus.join("logs"));
    for parent in ["helm", "reference-fixtures/helm"] {
        for run in world.list(parent).unwrap() {
            assert!(
                detect_directory(&world.list(&format!("{parent}/{run}")).unwrap()).is_some(),
                "{run}"
            );
        }
    }
}

#[test]
fn records_and_schemas_are_no_logs() {
    let Some(corpus) = corpus() else {
        return;
    };

    for directory in ["golden", "schemas"] {
        let world = loaded(&corpus.join(directory));
        assert!(!world.0.is_empty());
        for path in world.0.keys() {
            assert_eq!(detect(&world, path), None, "{path}");
        }
    }
}
