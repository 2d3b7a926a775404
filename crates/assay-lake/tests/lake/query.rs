use std::time::Duration;

use assay_lake::{Engine, Error, Limits};

use crate::support::World;

#[tokio::test]
async fn all_tables_are_there_and_described() {
    let world = World::ingested();

    let tables = world
        .answer("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name")
        .await;

    assert_eq!(
        tables,
        [
            "benchmarks",
            "history",
            "instances",
            "messages",
            "metrics",
            "models",
            "records",
            "reported",
            "results",
            "standings"
        ]
    );
    assert_eq!(world.answer("DESCRIBE instances").await.len(), 25);
    assert!(!world.answer("SHOW TABLES").await.is_empty());
    assert!(
        !world
            .answer("EXPLAIN SELECT * FROM results")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn nothing_but_a_question_is_answered() {
    let world = World::ingested();
    let engine = world.engine().await;

    for sql in [
        "DROP TABLE results",
        "CREATE TABLE x AS SELECT 1",
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '/etc/passwd'",
        "INSERT INTO results SELECT * FROM results",
        "COPY results TO '/tmp/stolen.csv'",
        "EXPLAIN ANALYZE INSERT INTO results SELECT * FROM results",
        "SET datafusion.execution.batch_size = 1",
    ] {
        let refused = engine.ask(sql).await;

        assert!(refused.is_err(), "{sql}");
    }
    assert_eq!(world.answer("SELECT count(*) FROM results").await, ["8"]);
}

#[tokio::test]
async fn files_of_the_machine_are_no_tables() {
    let world = World::ingested();

    let refused = world
        .engine()
        .await
        .ask("SELECT * FROM '/etc/passwd'")
        .await;

    assert!(matches!(refused, Err(Error::Query(_))));
}

#[test]
fn a_query_that_takes_too_long_is_stopped() {
    let world = World::ingested();
    let limits = Limits {
        memory: 64 << 20,
        timeout: Some(Duration::from_millis(200)),
        threads: 1,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap();
    let endless = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b \
                   WHERE a.value * b.value % 7 = 3";

    let stopped = runtime.block_on(async {
        let engine = Engine::open(world.lake.read().unwrap(), limits)
            .await
            .unwrap();
        engine.all(endless).await
    });

    runtime.shutdown_background();
    assert!(matches!(stopped, Err(Error::Timeout(_))), "{stopped:?}");
}

#[tokio::test]
async fn a_query_that_needs_too_much_memory_is_refused_and_the_next_one_is_answered() {
    let world = World::ingested();
    let limits = Limits {
        memory: 1 << 20,
        timeout: None,
        threads: 1,
    };
    let engine = Engine::open(world.lake.read().unwrap(), limits)
        .await
        .unwrap();

    let greedy = "SELECT array_agg(value) FROM generate_series(1, 3000000)";
    let refused = engine.all(greedy).await;

    assert!(refused.is_err(), "{refused:?}");
    assert!(engine.all("SELECT count(*) FROM results").await.is_ok());
}

#[tokio::test]
async fn a_query_that_is_nested_too_deep_is_an_error_and_not_the_end() {
    let world = World::ingested();
    let sql = format!("SELECT {}1{}", "(".repeat(20_000), ")".repeat(20_000));

    let refused = world.engine().await.ask(&sql).await;

    assert!(refused.is_err());
}

#[test]
fn a_long_chain_of_operators_is_refused() {
    // What plans a question follows it by calling itself, and the thread of a test has a small
    // stack.
    let ask = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let world = World::ingested();
        let chain = " + 1 - 2".repeat(200);
        let plain = format!("SELECT sum(score{chain}) FROM results");
        let hidden = format!(
            "SELECT model FROM results WHERE score = (SELECT max(score{chain}) FROM results)"
        );
        [plain, hidden].map(|sql| {
            let answer = runtime.block_on(async { world.engine().await.all(&sql).await });
            answer.map(|_| ())
        })
    };

    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(ask);

    for refused in thread.unwrap().join().unwrap() {
        assert!(matches!(refused, Err(Error::TooDeep(256))), "{refused:?}");
    }
}

#[tokio::test]
async fn only_the_files_of_the_asked_benchmark_and_model_are_opened() {
    let world = World::new();
    for directory in [
        "data/arith/acme/small",
        "data/arith/acme/large",
        "data/arith/zeta",
    ] {
        world.ingest_paths(&[directory]);
    }
    let snapshot = world.lake.read().unwrap();
    let others: Vec<_> = snapshot
        .manifest
        .files_of(assay_lake::Table::Instances)
        .filter(|file| file.bounds.as_ref().unwrap().model[0] != "acme/small")
        .collect();
    assert_eq!(others.len(), 2);
    for file in others {
        std::fs::write(snapshot.path_of(&file.path), b"not read").unwrap();
    }

    let answer = world
        .answer("SELECT count(score), avg(score) FROM instances WHERE model = 'acme/small' AND benchmark = 'arith'")
        .await;

    assert_eq!(answer, ["8 | 0.5"]);
}

#[tokio::test]
async fn a_score_query_never_opens_the_text() {
    let world = World::ingested();
    let snapshot = world.lake.read().unwrap();
    for file in snapshot.manifest.files_of(assay_lake::Table::Messages) {
        std::fs::remove_file(snapshot.path_of(&file.path)).unwrap();
    }

    let answer = world
        .answer("SELECT model, avg(score) FROM instances WHERE task = 'sums' GROUP BY model ORDER BY model")
        .await;

    assert_eq!(
        answer,
        ["acme/large | 0.75", "acme/small | 0.5", "zeta/base | 0.25"]
    );
}

#[tokio::test]
async fn groups_that_the_layout_keeps_together_are_added_up_run_by_run() {
    let world = World::ingested_apart();
    let plan = async |question: &str| {
        world
            .answer(&format!("EXPLAIN {question}"))
            .await
            .join("\n")
    };

    for (question, in_runs) in [
        (
            "SELECT model, task, avg(score) FROM instances GROUP BY model, task",
            true,
        ),
        (
            "SELECT benchmark, stddev(score) FROM instances WHERE score > 0 GROUP BY benchmark",
            true,
        ),
        (
            "SELECT sample_hash, avg(score) FROM instances GROUP BY sample_hash",
            false,
        ),
        (
            "SELECT task, count(DISTINCT sample_hash) FROM instances GROUP BY task",
            false,
        ),
        (
            "SELECT task, array_agg(score) FROM instances GROUP BY task",
            false,
        ),
        (
            "SELECT task, avg(score) FILTER (WHERE score > 0) FROM instances GROUP BY task",
            false,
        ),
        (
            "SELECT i.task, avg(i.score) FROM instances i JOIN results r USING (record_id) GROUP BY i.task",
            false,
        ),
    ] {
        let plan = plan(question).await;

        assert_eq!(plan.contains("RunsExec"), in_runs, "{question}\n{plan}");
    }
}

#[test]
fn where_there_is_no_lake_the_next_step_is_told() {
    let world = World::new();

    let absent = world.lake.read();

    let message = absent.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("assay ingest"), "{message}");
}

#[tokio::test]
async fn percentiles_are_exact_alone_in_groups_and_in_windows() {
    let world = World::ingested();
    let values = "(VALUES (1, 0.0), (1, 1.0), (2, 8605.0), (2, 8606.0), (2, NULL)) AS t(g, x)";

    let grouped = world
        .answer(&format!(
            "SELECT g, percentile_cont(0.05) WITHIN GROUP (ORDER BY x), \
             percentile_cont(0.3333333) WITHIN GROUP (ORDER BY x DESC) \
             FROM {values} GROUP BY g ORDER BY g"
        ))
        .await;
    let alone = world
        .answer(&format!(
            "SELECT percentile_cont(x, 0.3333333), quantile_cont(x, 1.0) FROM {values} WHERE g = 1"
        ))
        .await;
    let running = world
        .answer(&format!(
            "SELECT percentile_cont(x, 0.1234567) OVER (ORDER BY g, x ROWS 1 PRECEDING) \
             FROM {values} WHERE g = 1 ORDER BY x"
        ))
        .await;
    let nothing = world
        .answer("SELECT percentile_cont(score, 0.5) FROM instances WHERE model = 'no/body'")
        .await;

    assert_eq!(
        grouped,
        ["1 | 0.05 | 0.6666667", "2 | 8605.05 | 8605.6666667"]
    );
    assert_eq!(alone, ["0.3333333 | 1.0"]);
    assert_eq!(running, ["0.0", "0.1234567"]);
    assert_eq!(nothing, ["-"]);
}
