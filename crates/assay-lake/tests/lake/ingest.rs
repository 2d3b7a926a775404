use std::fs;

use crate::support::{Run, World};

#[tokio::test]
async fn everything_that_breaks_no_rule_is_there_with_its_values() {
    let world = World::new();

    let report = world.ingest();

    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    assert_eq!((report.added, report.replaced, report.unchanged), (8, 0, 0));
    assert_eq!((report.results, report.instances), (8, 34));
    let counts = "SELECT (SELECT count(*) FROM results) AS a, (SELECT count(*) FROM records) AS b, \
                  (SELECT count(*) FROM instances) AS c";
    assert_eq!(world.answer(counts).await, ["8 | 7 | 34"]);
    let sample = "SELECT model, task, metric, sample_id, score, is_correct, output_tokens, latency_ms, failed, metadata \
                  FROM instances WHERE model = 'zeta/base' AND sample_id = '8'";
    assert_eq!(
        world.answer(sample).await,
        [
            r#"zeta/base | sums | exact_match | 8 | 0.0 | false | 8 | 800.0 | true | {"parity":"even"}"#
        ]
    );
}

#[tokio::test]
async fn text_lies_apart_from_scores_and_in_the_order_of_the_conversation() {
    let world = World::ingested();

    let talk = "SELECT part, turn, role, content, tool_calls, tool_call_id FROM messages \
                WHERE benchmark = 'tools' AND sample_id = '1' ORDER BY position";

    assert_eq!(
        world.answer(talk).await,
        [
            "input | - | user | errands: 1 + 1 | - | -",
            "reference | - | - | 2 | - | -",
            "message | 0 | user | errands: 1 + 1 | - | -",
            r#"message | 1 | assistant | - | [{"id":"call-1","name":"add"}] | -"#,
            "message | 2 | tool | sum | - | call-1",
            "message | 3 | assistant | so it is 2 | - | -",
        ]
    );
}

/// More lines than texts are written together of, asked of one model after the other: what was
/// asked is packed for the first and copied for the others, but for the one that was asked less.
#[tokio::test]
async fn long_files_of_models_that_were_asked_the_same_keep_every_text() {
    const SAMPLES: usize = 33_000;
    let world = World::new();
    let runs = [
        (11, "acme/small", SAMPLES),
        (12, "acme/large", SAMPLES),
        (13, "zeta/base", SAMPLES - 7),
        (14, "zeta/large", SAMPLES),
    ];
    for (number, model, samples) in runs {
        let run = Run {
            number,
            model,
            benchmark: "long",
            score: 1.0,
            samples: vec![1.0; samples],
            ..Run::all()[0].clone()
        };
        run.write(world.root.path());
    }

    let report = world.ingest_paths(&["data/long"]);

    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    let texts = "SELECT m.model, count(*) AS texts, count(DISTINCT m.line) AS lines, \
                 count(*) FILTER (WHERE part = 'input' AND content = concat('sums: ', m.sample_id, ' + 1')) AS inputs, \
                 count(*) FILTER (WHERE m.sample_hash = i.sample_hash) AS hashed, max(position) AS last \
                 FROM messages m JOIN instances i ON i.model = m.model AND i.line = m.line \
                 WHERE m.benchmark = 'long' AND i.benchmark = 'long' GROUP BY m.model ORDER BY m.model";
    let expected = |model: &str, samples: usize| {
        format!(
            "{model} | {} | {samples} | {samples} | {} | 3",
            4 * samples,
            4 * samples
        )
    };
    assert_eq!(
        world.answer(texts).await,
        [
            expected("acme/large", SAMPLES),
            expected("acme/small", SAMPLES),
            expected("zeta/base", SAMPLES - 7),
            expected("zeta/large", SAMPLES),
        ]
    );
}

#[tokio::test]
async fn the_same_files_come_in_once() {
    let world = World::ingested();
    let before = world.lake.read().unwrap().manifest.clone();

    let report = world.ingest();

    assert_eq!((report.added, report.replaced, report.unchanged), (0, 0, 8));
    assert_eq!(world.lake.read().unwrap().manifest, before);
}

#[tokio::test]
async fn a_copy_elsewhere_is_the_same_record() {
    let world = World::ingested();
    let copy = world.root.path().join("copy");
    Run::all()[0].write(&copy);

    let report = world.ingest_paths(&["copy"]);

    assert_eq!((report.added, report.unchanged), (0, 1));
}

#[tokio::test]
async fn a_record_that_changed_takes_the_place_of_the_old_one() {
    let world = World::ingested();
    let changed = Run {
        score: 0.25,
        samples: vec![1.0, 0.0, 0.0, 0.0],
        ..Run::all()[0].clone()
    };
    changed.write(world.root.path());

    let report = world.ingest();

    assert_eq!((report.added, report.replaced, report.unchanged), (0, 1, 7));
    let rows = format!(
        "SELECT count(*), sum(score) FROM instances WHERE record_id = '{}'",
        changed.uuid()
    );
    assert_eq!(world.answer(&rows).await, ["4 | 1.0"]);
    let result = format!(
        "SELECT score FROM results WHERE record_id = '{}'",
        changed.uuid()
    );
    assert_eq!(world.answer(&result).await, ["0.25"]);
    let text = "SELECT count(DISTINCT sample_id) FROM messages WHERE model = 'acme/small' AND task = 'sums'";
    assert_eq!(world.answer(text).await, ["4"]);
    assert_eq!(world.answer("SELECT count(*) FROM instances").await, ["30"]);
    assert_eq!(assay_lake::check(&world.lake.read().unwrap()).unwrap(), []);
}

#[tokio::test]
async fn what_breaks_rules_is_left_out_with_its_findings_and_the_others_come_in() {
    let world = World::new();
    let run = &Run::all()[1];
    let path = run.write(world.root.path());
    let mut record = run.record(&run.rows());
    record["evaluation_results"][0]["score_details"]["score"] = "high".into();
    fs::write(&path, record.to_string()).unwrap();

    let report = world.ingest();

    assert_eq!(report.added, 7);
    let [refused] = report.refused.as_slice() else {
        panic!("{:#?}", report.refused);
    };
    assert!(refused.path.ends_with(&format!("{}.json", run.uuid())));
    assert!(
        refused
            .findings
            .iter()
            .any(|finding| finding.path.contains("score")),
        "{refused:#?}"
    );
    let gone = "SELECT count(*) FROM instances WHERE model = 'acme/large' AND task = 'sums'";
    assert_eq!(world.answer(gone).await, ["0"]);
}

#[tokio::test]
async fn a_fault_in_the_samples_refuses_the_record_too() {
    let world = World::new();
    let run = &Run::all()[0];
    let path = run.write(world.root.path());
    let samples = path.with_file_name(format!("{}_samples.jsonl", run.uuid()));
    let mut rows = run.rows();
    rows.extend_from_slice(b"{\"sample_id\": \"9\"}\n");
    fs::write(&samples, rows).unwrap();

    let report = world.ingest_paths(&["data/arith/acme/small"]);

    assert_eq!((report.added, report.refused.len()), (1, 1), "{report:#?}");
    assert!(report.refused[0].findings.len() > 1);
}

#[test]
fn what_is_named_and_not_ours_is_told() {
    let world = World::new();
    fs::write(world.root.path().join("notes.txt"), "nothing").unwrap();
    fs::write(
        world.root.path().join("x_samples.jsonl"),
        "{\"sample_id\": \"1\", \"interaction_type\": \"single_turn\"}\n",
    )
    .unwrap();

    let report = world.ingest_paths(&["notes.txt", "x_samples.jsonl", "absent"]);

    let reasons: Vec<&str> = report
        .refused
        .iter()
        .map(|refused| refused.reason.as_str())
        .collect();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert_eq!(
        reasons[0],
        "it is no record, no result file and no `eval.yaml`"
    );
    assert_eq!(
        reasons[1],
        "the record of these samples does not lie beside them"
    );
    assert_eq!(reasons[2], "there is no such file or directory");
}

#[tokio::test]
async fn samples_that_are_named_bring_their_record() {
    let world = World::new();
    let run = &Run::all()[0];
    let samples = format!("data/arith/acme/small/{}_samples.jsonl", run.uuid());

    let report = world.ingest_paths(&[&samples]);

    assert_eq!((report.added, report.results, report.instances), (1, 1, 8));
}

#[tokio::test]
async fn rows_of_0_2_0_come_in_as_they_are_meant() {
    let world = World::new();
    let run = &Run::all()[0];
    let mut rows = String::new();
    for number in 1..=2 {
        let row = serde_json::json!({
            "schema_version": "0.2.0", "evaluation_id": "sums/acme_small/1", "model_id": "acme/small",
            "evaluation_name": "sums", "sample_id": number, "interaction_type": "multi_turn",
            "input": {"raw": "1 + 1", "reference": "2"},
            "interactions": [{"turn_idx": 0, "role": "user", "content": "1 + 1"},
                             {"turn_idx": 1, "role": "assistant", "content": "2"}],
            "answer_attribution": [], "evaluation": {"score": true, "is_correct": true, "num_turns": 2},
        });
        rows += &row.to_string();
        rows.push('\n');
    }
    let directory = world.root.path().join("old/data/arith/acme/small");
    fs::create_dir_all(&directory).unwrap();
    let mut record = run.record(&[]);
    record["schema_version"] = "0.2.0".into();
    record["evaluation_id"] = "sums/acme_small/1".into();
    record["evaluation_results"][0]["score_details"]["score"] = 1.0.into();
    record.as_object_mut().unwrap().remove("eval_library");
    record["detailed_evaluation_results"]["total_rows"] = 2.into();
    record["detailed_evaluation_results"]
        .as_object_mut()
        .unwrap()
        .remove("checksum");
    fs::write(
        directory.join(format!("{}.json", run.uuid())),
        record.to_string(),
    )
    .unwrap();
    fs::write(directory.join(format!("{}.jsonl", run.uuid())), rows).unwrap();

    let report = world.ingest_paths(&["old"]);

    assert_eq!(report.refused.len(), 0, "{:#?}", report.refused);
    let sample =
        "SELECT sample_id, metric, score, is_correct, num_turns FROM instances ORDER BY sample_id";
    assert_eq!(
        world.answer(sample).await,
        [
            "1 | exact_match | 1.0 | true | 2",
            "2 | exact_match | 1.0 | true | 2"
        ]
    );
    let said = "SELECT DISTINCT part, role, content FROM messages WHERE sample_id = '1' ORDER BY part, role";
    assert_eq!(
        world.answer(said).await,
        [
            "input | user | 1 + 1",
            "message | assistant | 2",
            "message | user | 1 + 1",
            "reference | - | 2",
        ]
    );
}

#[tokio::test]
async fn one_question_has_one_hash_whatever_the_row_says() {
    let world = World::ingested();

    let hashes = "SELECT count(DISTINCT sample_hash), count(DISTINCT model), count(*) FROM instances \
                  WHERE task = 'sums' AND sample_id = '3'";

    assert_eq!(world.answer(hashes).await, ["1 | 3 | 3"]);
}

#[tokio::test]
async fn a_definition_tells_which_way_the_metrics_of_entries_improve() {
    let world = World::ingested();
    let standings = "SELECT metric, rank, lower_is_better FROM standings WHERE origin = 'entry'";
    assert_eq!(world.answer(standings).await, ["- | - | -"]);
    let folder = world.root.path().join("datasets/Acme/Arith");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |higher: bool| {
        let text = format!(
            "name: Arith\ndescription: Sums\nmetrics:\n  - id: errors\n    display_name: Errors\n    higher_is_better: {higher}\n    primary: true\ntasks:\n  - id: sums\n"
        );
        std::fs::write(folder.join("eval.yaml"), text).unwrap();
    };

    write(false);
    let first = world.ingest_paths(&["datasets"]);
    let lower = world.answer(standings).await;
    let again = world.ingest_paths(&["datasets"]);
    write(true);
    let changed = world.ingest_paths(&["datasets"]);
    let higher = world.answer(standings).await;

    assert_eq!(first.refused.len(), 0, "{:#?}", first.refused);
    assert_eq!((first.added, again.unchanged, changed.replaced), (1, 1, 1));
    assert_eq!(lower, ["errors | 1 | true"]);
    assert_eq!(higher, ["errors | 1 | false"]);
    let history = "SELECT is_best FROM history WHERE origin = 'entry'";
    assert_eq!(world.answer(history).await, ["true"]);
    let metrics = "SELECT benchmark, metric, is_primary FROM metrics";
    assert_eq!(world.answer(metrics).await, ["Acme/Arith | errors | true"]);
    assert!(
        assay_lake::check(&world.lake.read().unwrap())
            .unwrap()
            .is_empty()
    );
}
