//! `assay import table`: leaderboards in their published layouts become records that validation
//! accepts.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::Workspace;

/// The mappings that ship, with the ending of their tables and how many records and results these
/// become.
const EXAMPLES: [(&str, &str, usize, usize); 11] = [
    ("arc-agi", "json", 3, 5),
    ("artificial-analysis", "json", 1, 6),
    ("bfcl", "csv", 3, 22),
    ("evalplus", "json", 2, 6),
    ("hle", "json", 2, 4),
    ("livebench", "csv", 3, 69),
    ("mmlu-pro", "csv", 3, 13),
    ("open-llm-leaderboard", "json", 2, 8),
    ("reward-bench-2", "json", 1, 6),
    ("sciarena", "json", 2, 3),
    ("tau2-bench", "json", 1, 4),
];
const MAPPING: &str = r#"
version = 1
format = "tsv"
benchmark = "sums"
[source]
name = "Sums"
organization = "Acme"
url = "https://acme.example/sums.tsv"
[model]
name = "{model}"
[[metric]]
columns = ["score"]
evaluation = "sums"
id = "accuracy"
unit = "percentage"
"#;

fn tables() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tables")
}

/// Every record below the datastore of a workspace.
fn records(workspace: &Workspace, account: &Value) -> Vec<Value> {
    let paths = account["records"].as_array().unwrap().iter();
    paths
        .map(|path| {
            let path = Path::new("out").join(path.as_str().unwrap());
            serde_json::from_str(&workspace.read(path.to_str().unwrap())).unwrap()
        })
        .collect()
}

#[test]
fn every_mapping_that_ships_makes_records_that_validation_accepts() {
    for (name, ending, expected, results) in EXAMPLES {
        let workspace = Workspace::new();
        let mapping = tables().join(format!("{name}.toml"));
        let table = tables().join(format!("{name}.{ending}"));
        let args = [mapping.to_str().unwrap(), table.to_str().unwrap()];
        let import = [
            "import",
            "table",
            args[0],
            args[1],
            "--out",
            "out",
            "--retrieved-at",
            "2026-11-18",
            "--format",
            "json",
        ];

        let made = workspace.run(&import);
        let again = workspace.run(&import);
        let validated = workspace.run(&["validate", "out", "--format", "json"]);

        assert_eq!(made.code, Some(0), "{name}: {made}");
        let account = made.json();
        assert_eq!(account["written"], expected, "{name}: {account:#}");
        assert_eq!(account["results"], results, "{name}: {account:#}");
        assert_eq!(account["warnings"], 0, "{name}: {account:#}");
        assert_eq!(again.json()["unchanged"], expected, "{name}");
        assert_eq!(validated.code, Some(0), "{name}: {validated}");
    }
}

#[test]
fn every_mapping_that_ships_is_tested() {
    let mut names: Vec<String> = std::fs::read_dir(tables())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()))
        .collect();
    names.sort();

    assert_eq!(names, EXAMPLES.map(|(name, ..)| name.to_owned()));
}

#[test]
fn a_row_keeps_its_scores_its_setup_and_its_source() {
    let workspace = Workspace::new();
    let mapping = tables().join("bfcl.toml");
    let table = tables().join("bfcl.csv");
    let made = workspace.run(&[
        "import",
        "table",
        mapping.to_str().unwrap(),
        table.to_str().unwrap(),
        "--out",
        "out",
        "--retrieved-at",
        "1768435200",
        "--format",
        "json",
    ]);

    let records = records(&workspace, &made.json());
    let first = &records[0];
    let overall = &first["evaluation_results"][0];
    assert_eq!(first["model_info"]["id"], "Invented/Model-A");
    assert_eq!(first["model_info"]["name"], "Model A (FC)");
    assert_eq!(first["retrieved_timestamp"], "1768435200");
    assert_eq!(first["source_metadata"]["source_type"], "documentation");
    assert_eq!(overall["score_details"]["score"], 60.5);
    assert_eq!(overall["metric_config"]["max_score"], 100.0);
    assert_eq!(
        overall["generation_config"]["additional_details"]["mode"],
        "FC"
    );
    let results = first["evaluation_results"].as_array().unwrap();
    let cost = results
        .iter()
        .find(|own| own["metric_config"]["metric_unit"] == "usd");
    assert_eq!(cost.unwrap()["score_details"]["score"], 1000.5);
    assert_eq!(cost.unwrap()["metric_config"]["lower_is_better"], true);
}

#[test]
fn what_cannot_be_a_record_is_told_and_the_rest_is_written() {
    let workspace = Workspace::new().with("map.toml", MAPPING).with(
        "table.tsv",
        "model\tscore\nacme/a\t70.5\nacme/b\tn/a\n\t12\nacme/c\t170\n",
    );

    let run = workspace.run(&[
        "import",
        "table",
        "map.toml",
        "table.tsv",
        "--out",
        "out",
        "--retrieved-at",
        "2026-11-18T12:00:00Z",
        "--format",
        "json",
    ]);

    assert_eq!(run.code, Some(1), "{run}");
    let account = run.json();
    assert_eq!(account["written"], 1, "{account:#}");
    assert_eq!(
        account["skipped"][0]["reason"],
        "it has no score that is a number"
    );
    assert_eq!(account["skipped"][1]["reason"], "it names no model");
    let refused = &account["refused"][0];
    let record = refused["record"].as_str().unwrap();
    assert_eq!(refused["row"], 4, "{refused}");
    assert!(record.contains("acme/c"), "{refused}");
}

#[test]
fn a_mapping_that_does_not_fit_is_refused_with_what_there_is() {
    let workspace = Workspace::new()
        .with("map.toml", MAPPING)
        .with(
            "typo.toml",
            MAPPING.replace("[source]", "benchmrk = 1\n[source]"),
        )
        .with(
            "points.toml",
            MAPPING.replace("\"percentage\"", "\"points\""),
        )
        .with("upside-down.toml", format!("{MAPPING}min = 1\nmax = 0.5\n"))
        .with("torn.toml", MAPPING.replace("{model}", "{model"))
        .with(
            "setup.toml",
            format!("{MAPPING}[setup]\nagent = \"{{agent}}\"\n"),
        )
        .with("table.tsv", "name\tscore\nacme/a\t70.5\n")
        .with("good.tsv", "model\tscore\nacme/a\t70.5\n")
        .with("empty.tsv", "model\tscore\n");
    let imported = |mapping: &str, table: &str| {
        workspace.run(&[
            "import",
            "table",
            mapping,
            table,
            "--retrieved-at",
            "2026-11-18",
            "--dry-run",
        ])
    };

    for (run, words) in [
        (
            imported("map.toml", "table.tsv"),
            "no column `model`; it has `name`, `score`",
        ),
        (
            imported("typo.toml", "table.tsv"),
            "unknown field `benchmrk`",
        ),
        (
            imported("points.toml", "good.tsv"),
            "the scale of `accuracy` is unknown: give `min` and `max`",
        ),
        (
            imported("upside-down.toml", "good.tsv"),
            "`min` must be less than `max`",
        ),
        (
            imported("torn.toml", "good.tsv"),
            "the braces of `{model` do not match",
        ),
        (
            imported("setup.toml", "good.tsv"),
            "no column `agent`; it has `model`, `score`",
        ),
        (imported("map.toml", "empty.tsv"), "the table has no rows"),
        (imported("map.toml", "none.tsv"), "none.tsv"),
    ] {
        assert_eq!(run.code, Some(3), "{run}");
        assert!(run.stderr.contains(words), "{run}");
    }
}

#[test]
fn columns_that_the_mapping_does_not_read_change_no_record() {
    let workspace = Workspace::new()
        .with("map.toml", MAPPING)
        .with(
            "optional.toml",
            format!("{MAPPING}samples = \"{{count}}\"\n")
                .replace("[source]", "optional = [\"count\"]\n[source]"),
        )
        .with("before.tsv", "rank\tmodel\tscore\n1\tacme/a\t70.5\n")
        .with(
            "after.tsv",
            "rank\tmodel\tscore\n1\tacme/b\t80\n2\tacme/a\t70.5\n",
        );
    let imported = |mapping: &str, table: &str| {
        let run = workspace.run(&[
            "import",
            "table",
            mapping,
            table,
            "--out",
            "out",
            "--retrieved-at",
            "2026-11-18",
            "--format",
            "json",
        ]);
        assert_eq!(run.code, Some(0), "{run}");
        run.json()
    };

    let before = imported("map.toml", "before.tsv");
    let after = imported("map.toml", "after.tsv");
    let without = imported("optional.toml", "after.tsv");

    assert_eq!(before["written"], 1, "{before:#}");
    assert_eq!(after["written"], 1, "{after:#}");
    assert_eq!(after["unchanged"], 1, "{after:#}");
    assert_eq!(after["records"][1], before["records"][0]);
    assert_eq!(without["unchanged"], 2, "{without:#}");
}

#[test]
fn a_row_that_is_retrieved_again_keeps_its_record() {
    let workspace = Workspace::new()
        .with("map.toml", MAPPING)
        .with("table.tsv", "model\tscore\nacme/a\t70.5\n");
    let imported = |time: &str, more: &[&str]| {
        let mut args = vec!["import", "table", "map.toml", "table.tsv", "--out", "out"];
        args.extend(["--retrieved-at", time, "--format", "json"]);
        args.extend(more);
        let run = workspace.run(&args);
        assert_eq!(run.code, Some(0), "{run}");
        run.json()
    };

    let first = imported("2026-10-18", &[]);
    let second = imported("2026-11-18", &[]);
    let kept = records(&workspace, &second);
    let third = imported("2026-11-18", &["--overwrite"]);
    let replaced = records(&workspace, &third);

    assert_eq!(first["written"], 1, "{first:#}");
    assert_eq!(second["unchanged"], 1, "{second:#}");
    assert_eq!(kept[0]["retrieved_timestamp"], "1792281600");
    assert_eq!(third["written"], 1, "{third:#}");
    assert_eq!(replaced[0]["retrieved_timestamp"], "1794960000");
}

#[test]
fn a_time_of_retrieval_is_wanted() {
    let workspace = Workspace::new()
        .with("map.toml", MAPPING)
        .with("table.tsv", "model\tscore\nacme/a\t70.5\n");
    let imported = |more: &[&str]| {
        let args = ["import", "table", "map.toml", "table.tsv", "--out", "out"];
        workspace.run(&[&args[..], more].concat())
    };

    let without = imported(&[]);
    let wrong = imported(&["--retrieved-at", "yesterday"]);

    for (run, words) in [(without, "--retrieved-at <TIME>"), (wrong, "'yesterday'")] {
        assert_eq!(run.code, Some(3), "{run}");
        assert!(run.stderr.contains(words), "{run}");
    }
}
