//! The lake over a socket, as a hub asks it: a real process, real HTTP.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use assay_formats::lake_api::{
    Ask, AskCompare, AskIngest, Budget, CallerClass, Delivery, Format, Ingested, ROWS_HEADER,
    Refusal, RefusalKind, SourceFilter, TRUNCATED_HEADER,
};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde_json::Value;
use tokio::net::UnixStream;

use crate::command::program;
use crate::support::World;

/// A process that answers for the lake of a world, and ends with it.
pub(crate) struct Process {
    child: Child,
    pub(crate) socket: PathBuf,
    root: PathBuf,
}

/// What it answered.
struct Reply {
    status: u16,
    rows: Option<String>,
    truncated: Option<String>,
    body: Bytes,
}

impl Process {
    pub(crate) fn start(world: &World, more: &[&str]) -> Self {
        Self::start_in(world, world.root.path(), more)
    }

    /// One for which paths begin at a directory.
    pub(crate) fn start_in(world: &World, directory: &Path, more: &[&str]) -> Self {
        let socket = world.root.path().join("lake.sock");
        let args = [
            &["lake", "serve", "--until-stdin-ends", "--socket"],
            &[socket.to_str().unwrap()][..],
            more,
        ]
        .concat();
        let mut command = program(world, &args);
        let command = command.current_dir(directory).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert!(line.starts_with("answering on "), "{line}");
        Self {
            child,
            socket,
            root: world.root.path().to_owned(),
        }
    }

    async fn post(&self, path: &str, body: &impl Serialize) -> Reply {
        let stream = UnixStream::connect(&self.socket).await.unwrap();
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let body = Full::new(Bytes::from(serde_json::to_vec(body).unwrap()));
        let request = Request::post(path)
            .header("host", "lake")
            .header("content-type", "application/json")
            .body(body)
            .unwrap();
        let response = sender.send_request(request).await.unwrap();
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().unwrap().to_owned())
        };
        let (rows, truncated) = (header(ROWS_HEADER), header(TRUNCATED_HEADER));
        Reply {
            status: response.status().as_u16(),
            rows,
            truncated,
            body: response.into_body().collect().await.unwrap().to_bytes(),
        }
    }

    /// Fails if a question gets an answer.
    pub(crate) async fn assert_cannot_answer(&self) {
        let reply = self.query(&ask("SELECT count(*) FROM instances")).await;
        assert_eq!(reply.status, 500, "{}", reply.text());
    }

    async fn query(&self, ask: &Ask) -> Reply {
        self.post("/query", ask).await
    }

    /// A question by somebody for whom nothing exists that was taken from the files of
    /// `acme/large`.
    fn without_large(&self, sql: &str) -> Ask {
        let root = self.root.to_str().unwrap();
        let visible = [
            "data/arith/acme/small",
            "data/arith/zeta",
            "data/prose/acme/small",
            "data/tools",
        ];
        Ask {
            sources: SourceFilter {
                restricted: vec![root.to_owned()],
                visible: visible.map(|path| format!("{root}/{path}")).into(),
            },
            ..ask(sql)
        }
    }
}

impl Process {
    /// Ends it, and waits until it has ended.
    pub(crate) fn stop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Reply {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }

    fn refusal(&self) -> Refusal {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}", self.text()))
    }
}

const BUDGET: Budget = Budget {
    seconds: 120,
    memory: 128 << 20,
    rows: 1_000,
    bytes: 16 << 20,
};

fn ask(sql: &str) -> Ask {
    Ask {
        sql: sql.to_owned(),
        format: Format::Csv,
        budget: BUDGET,
        class: CallerClass::Anonymous,
        sources: SourceFilter::default(),
        delivery: Delivery::Whole,
    }
}

#[tokio::test]
async fn an_answer_says_its_columns_its_rows_and_whether_there_are_more() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);
    let mut question = ask(
        "SELECT model, score FROM results WHERE task = 'sums' AND origin = 'record' ORDER BY score, model",
    );
    question.format = Format::Json;
    question.budget.rows = 2;

    let reply = process.query(&question).await;

    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.rows.as_deref(), Some("2"));
    assert_eq!(reply.truncated.as_deref(), Some("true"));
    assert_eq!(
        reply.json(),
        serde_json::json!({
            "columns": [{"name": "model", "type": "text"}, {"name": "score", "type": "number"}],
            "rows": [{"model": "zeta/base", "score": 0.25}, {"model": "acme/small", "score": 0.375}],
            "truncated": true,
        })
    );
}

#[tokio::test]
async fn as_many_rows_as_the_budget_allows_are_not_cut() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);
    let mut question = ask("SELECT sample_id FROM instances");
    question.budget.rows = 34;

    let reply = process.query(&question).await;

    assert_eq!(reply.rows.as_deref(), Some("34"));
    assert_eq!(reply.truncated.as_deref(), Some("false"));
}

#[tokio::test]
async fn no_question_reaches_a_hidden_row() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);

    assert_hides_rows(&process).await;
    assert_does_not_count_them(&process).await;
    assert_keeps_silent_about_them(&process).await;
}

/// No question about rows shows one of `acme/large` to somebody for whom it does not exist.
pub(crate) async fn assert_hides_rows(process: &Process) {
    for sql in [
        "SELECT * FROM results",
        "SELECT * FROM records",
        "SELECT * FROM instances",
        "SELECT * FROM messages",
        "SELECT * FROM models",
        "SELECT * FROM benchmarks",
        "SELECT * FROM history",
        "SELECT * FROM standings",
        "SELECT * FROM datafusion.public.results",
        "SELECT r.*, i.* FROM results r JOIN instances i ON r.record_id = i.record_id",
        "SELECT * FROM results WHERE model IN (SELECT model FROM instances)",
        "WITH x AS (SELECT * FROM records) SELECT * FROM x, x AS y",
        "SELECT model FROM results UNION ALL SELECT model FROM messages",
        "SELECT (SELECT max(model) FROM results WHERE model LIKE 'acme/l%')",
        "SELECT string_agg(model, ',') FROM instances",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM information_schema.columns",
        "SELECT * FROM information_schema.views",
    ] {
        let seen = process.query(&ask(sql)).await;
        let reply = process.query(&process.without_large(sql)).await;

        assert_eq!(seen.status, 200, "{sql}: {}", seen.text());
        assert_eq!(reply.status, 200, "{sql}: {}", reply.text());
        assert!(
            !reply.text().contains("acme/large"),
            "{sql}: {}",
            reply.text()
        );
        // A question that shows nothing to anybody would prove nothing.
        let is_of_rows = !sql.contains("information_schema");
        let is_shown = seen.text().contains("acme/large") || sql.ends_with("benchmarks");
        assert!(is_shown || !is_of_rows, "{sql}: {}", seen.text());
    }
}

/// Hidden rows are not counted either.
pub(crate) async fn assert_does_not_count_them(process: &Process) {
    for (sql, all, seen) in [
        ("SELECT count(*) AS n FROM results", "n\n8\n", "n\n5\n"),
        ("SELECT count(*) AS n FROM instances", "n\n34\n", "n\n22\n"),
        (
            "SELECT count(DISTINCT model) AS n FROM messages",
            "n\n3\n",
            "n\n2\n",
        ),
        (
            "SELECT models AS n FROM benchmarks WHERE benchmark = 'arith'",
            "n\n3\n",
            "n\n2\n",
        ),
        (
            "SELECT count(*) AS n FROM (SELECT * FROM results ORDER BY score DESC LIMIT 100)",
            "n\n8\n",
            "n\n5\n",
        ),
    ] {
        assert_eq!(process.query(&ask(sql)).await.text(), all, "{sql}");
        assert_eq!(
            process.query(&process.without_large(sql)).await.text(),
            seen,
            "{sql}"
        );
    }
}

/// A condition that fails on a hidden row does not tell of it.
pub(crate) async fn assert_keeps_silent_about_them(process: &Process) {
    for sql in [
        "SELECT count(*) AS n FROM results WHERE CAST(model AS INT) = 1 OR model LIKE 'acme/s%'",
        "SELECT model FROM results WHERE CASE WHEN model = 'acme/large' THEN CAST(model AS INT) = 1 ELSE true END",
        "SELECT sum(CASE WHEN model LIKE '%large' THEN CAST(path AS INT) ELSE 0 END) AS n FROM records",
        "SELECT 1 / (CASE WHEN model = 'acme/large' THEN 0 ELSE 1 END) AS n FROM results",
        "SELECT CAST(content AS INT) AS n FROM messages WHERE model = 'acme/large'",
    ] {
        let reply = process.query(&process.without_large(sql)).await;

        assert!(!reply.text().contains("large"), "{sql}: {}", reply.text());
        let tells = sql.contains("CAST(model AS INT) = 1 OR");
        assert_eq!(reply.status == 400, tells, "{sql}: {}", reply.text());
    }
}

#[tokio::test]
async fn what_came_from_a_hidden_directory_is_hidden_in_every_table() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);
    let root = world.root.path().to_str().unwrap();
    let sources = SourceFilter {
        restricted: vec![format!("{root}/data")],
        visible: vec![format!("{root}/data/prose"), format!("{root}/data/tools")],
    };

    for (table, seen) in [("results", 4), ("records", 3), ("instances", 10)] {
        let sql = format!("SELECT count(*) AS n FROM {table}");
        let question = Ask {
            sources: sources.clone(),
            ..ask(&sql)
        };

        let reply = process.query(&question).await;

        assert_eq!(reply.text(), format!("n\n{seen}\n"), "{table}");
    }
}

#[tokio::test]
async fn files_plans_changes_and_what_no_csv_holds_are_refused() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);

    for sql in [
        "EXPLAIN SELECT * FROM results",
        "EXPLAIN ANALYZE SELECT * FROM results",
        "EXPLAIN VERBOSE SELECT * FROM results",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_parquet('/etc/passwd')",
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '/etc/passwd'",
        "COPY results TO '/tmp/stolen.csv'",
        "DROP VIEW models",
        "INSERT INTO results SELECT * FROM results",
        "SET datafusion.execution.batch_size = 1",
        "SELECT 1; SELECT 2",
        "SELECT array_agg(model) FROM results",
        "SELECT input_file_name() FROM instances",
        "SELECT file_row_index() FROM instances",
        "SHOW ALL",
        "SHOW datafusion.execution.batch_size",
        "SELECT * FROM information_schema.df_settings",
        "SELECT 1 WHERE EXISTS (SELECT * FROM information_schema.df_settings)",
        "SELECT regexp_replace(model, '(((a{100}){100}){100}){100}', '') FROM results",
        "SELECT model FROM results WHERE model ~ '(((a{100}){100}){100}){100}'",
        "",
    ] {
        let reply = process.query(&ask(sql)).await;

        assert_eq!(reply.status, 400, "{sql}: {}", reply.text());
        assert_eq!(reply.refusal().kind, RefusalKind::Question, "{sql}");
        let root = world.root.path().to_str().unwrap();
        assert!(!reply.text().contains(root), "{sql}: {}", reply.text());
    }
}

/// Work that no engine ends within a lifetime, and that does not look up while it is at it.
const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b \
                       WHERE a.value * b.value % 7 = 3";

#[tokio::test]
async fn memory_and_size_have_an_end_and_the_next_question_is_answered() {
    let world = World::ingested();
    let process = Process::start(&world, &["--at-once", "1", "--jobs", "1"]);
    let mut greedy = ask("SELECT array_agg(value) FROM generate_series(1, 3000000)");
    greedy.format = Format::Json;
    greedy.budget.memory = 1 << 20;
    let mut long = ask("SELECT value FROM generate_series(1, 1000)");
    long.budget.bytes = 100;

    let greedy = process.query(&greedy).await;
    let long = process.query(&long).await;
    let next = process
        .query(&ask("SELECT count(*) AS n FROM results"))
        .await;

    assert_eq!(
        (greedy.status, greedy.refusal().kind),
        (413, RefusalKind::Size)
    );
    assert_eq!((long.status, long.refusal().kind), (413, RefusalKind::Size));
    assert_eq!(next.text(), "n\n8\n");
}

#[tokio::test]
async fn time_has_an_end_and_the_next_question_is_answered() {
    let world = World::ingested();
    let process = Process::start(&world, &["--jobs", "1", "--at-once", "1"]);
    let mut slow = ask(ENDLESS);
    slow.budget.seconds = 1;

    let slow = process.query(&slow).await;
    let next = process.query(&ask("SELECT 1")).await;

    assert_eq!((slow.status, slow.refusal().kind), (408, RefusalKind::Time));
    assert_eq!(next.status, 200);
}

/// Questions that take more memory than any budget counts, each in its own way.
const GREEDY: [&str; 8] = [
    "SELECT array_length(array_resize([1], 2000000000, 7))",
    "SELECT length(repeat('x', 2000000000))",
    "SELECT array_length(array_repeat('abcdefgh', 900000000))",
    "SELECT length(lpad('a', 2147483647, 'b'))",
    "SELECT count(*) FROM (SELECT unnest(range(1, 2000000000)))",
    "SELECT max(length(repeat(model, 20000000))) FROM results",
    "SELECT length(string_agg(repeat(model, 100000), '')) FROM results, generate_series(1, 10000)",
    "SELECT count(*) FROM (SELECT a.value AS a, b.value AS b, c.value AS c, array_agg(b.value) FROM generate_series(1, 100) a, \
     generate_series(1, 100) b, generate_series(1, 100) c GROUP BY cube (a.value, b.value, c.value, a.value + 1, b.value + 1, \
     c.value + 1, a.value + b.value, b.value + c.value, a.value + c.value))",
];

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_question_without_bounds_ends_alone_and_the_next_one_is_answered() {
    let world = World::ingested();
    let process = Process::start(&world, &["--memory", "2048", "--jobs", "2"]);

    for sql in GREEDY {
        let mut greedy = ask(sql);
        greedy.budget.seconds = 5;
        let greedy = process.query(&greedy).await;
        let next = process
            .query(&ask("SELECT count(*) AS n FROM results"))
            .await;

        assert!(
            [408, 413].contains(&greedy.status),
            "{sql}: {}",
            greedy.text()
        );
        assert_eq!(next.text(), "n\n8\n", "{sql}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_question_that_ends_its_process_takes_no_other_with_it() {
    let world = World::ingested();
    let process = Process::start(&world, &["--memory", "2048", "--jobs", "1"]);
    let mut slow = ask(ENDLESS);
    slow.class = CallerClass::Account;
    slow.budget.seconds = 5;
    let endless = process.query(&slow);
    let greedy = async {
        let mut replies = Vec::new();
        for _ in 0..3 {
            replies.push(process.query(&ask(GREEDY[0])).await);
        }
        replies
    };

    let (endless, greedy) = tokio::join!(endless, greedy);

    assert_eq!(
        endless.status, 408,
        "it was worked on until its time was up"
    );
    for reply in greedy {
        assert_eq!(reply.refusal().kind, RefusalKind::Fatal, "{}", reply.text());
    }
}

#[tokio::test]
async fn a_question_that_writes_too_much_is_told_so_in_our_words() {
    let world = World::ingested();
    let process = Process::start(&world, &["--jobs", "1"]);
    let mut sorted = ask(
        "SELECT a.value, repeat('x', 2000) AS text FROM generate_series(1, 300000) a ORDER BY text, a.value DESC",
    );
    sorted.budget.memory = 32 << 20;
    sorted.budget.seconds = 120;

    let reply = process.query(&sorted).await;

    assert_eq!(
        (reply.status, reply.refusal().kind),
        (413, RefusalKind::Size),
        "{}",
        reply.text()
    );
    assert!(
        !reply.text().contains("allowable limit"),
        "{}",
        reply.text()
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_question_wrote_to_the_disk_goes_with_its_process() {
    let world = World::ingested();
    let process = Process::start(&world, &["--jobs", "1"]);
    let mut sorted = ask(
        "SELECT a.value, repeat('x', 500) AS text FROM generate_series(1, 100000000) a ORDER BY text, a.value DESC",
    );
    sorted.budget.memory = 32 << 20;
    sorted.budget.seconds = 2;

    let stopped = process.query(&sorted).await;

    let spill = process.socket.with_extension("spill");
    let next = process.query(&ask("SELECT 1")).await;
    // Its time or its space on the disk was up, whichever came first.
    assert!([408, 413].contains(&stopped.status), "{}", stopped.text());
    assert_eq!(next.status, 200);
    let left = || -> u64 {
        let files = walkdir::WalkDir::new(&spill).into_iter().flatten();
        files
            .filter_map(|file| file.metadata().ok())
            .filter(std::fs::Metadata::is_file)
            .map(|file| file.len())
            .sum()
    };
    while left() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn accounts_and_pages_do_not_wait_for_strangers() {
    let world = World::ingested();
    let process = Process::start(&world, &["--jobs", "1"]);
    let mut slow = ask(ENDLESS);
    slow.budget.seconds = 30;
    let of = |class| Ask {
        class,
        ..ask("SELECT 1 AS n")
    };

    let strangers = async {
        let both = [process.query(&slow), process.query(&slow)];
        futures_util::future::join_all(both).await
    };
    let others = async {
        // A stranger who is refused has waited for the turns that the endless questions have.
        while process.query(&of(CallerClass::Anonymous)).await.status == 200 {}
        let account = process.query(&of(CallerClass::Account)).await;
        let page = process.query(&of(CallerClass::Page)).await;
        [account.status, page.status]
    };
    let answered = tokio::select! {
        replies = strangers => panic!("{:?}", replies.iter().map(|reply| reply.status).collect::<Vec<_>>()),
        answered = others => answered,
    };

    assert_eq!(answered, [200, 200]);
}

#[tokio::test]
async fn whoever_does_not_get_a_turn_is_told_to_come_again() {
    let world = World::ingested();
    let process = Process::start(&world, &["--at-once", "1", "--jobs", "1"]);
    let mut slow = ask(ENDLESS);
    slow.budget.seconds = 20;

    let (_, refused) = tokio::select! {
        reply = process.query(&slow) => (Some(reply), None),
        reply = async {
            // The first that is refused has waited for the turn that the endless question has.
            loop {
                let reply = process.query(&ask("SELECT 1")).await;
                if reply.status != 200 {
                    break reply;
                }
            }
        } => (None, Some(reply)),
    };

    let refused = refused.unwrap();
    assert_eq!(
        (refused.status, refused.refusal().kind),
        (503, RefusalKind::Busy)
    );
}

#[tokio::test]
async fn a_stream_has_all_rows_and_is_read_back() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);
    let question = Ask {
        format: Format::Parquet,
        delivery: Delivery::Stream,
        ..ask("SELECT * FROM messages")
    };

    let reply = process.query(&question).await;

    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(reply.body, 1024).unwrap();
    let rows: usize = reader.map(|batch| batch.unwrap().num_rows()).sum();
    let counted = world.answer("SELECT count(*) FROM messages").await;
    assert_eq!(counted, [rows.to_string()]);
}

#[tokio::test]
async fn models_are_compared_and_a_hidden_one_is_unknown() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);
    let question = AskCompare {
        model_a: "acme/small".to_owned(),
        model_b: "acme/large".to_owned(),
        task: Some("sums".to_owned()),
        benchmark: None,
        metric: None,
        flips: 10,
        budget: BUDGET,
        sources: SourceFilter::default(),
    };
    let restricted = AskCompare {
        sources: process.without_large("").sources,
        ..question.clone()
    };

    let seen = process.post("/compare", &question).await;
    let unseen = process.post("/compare", &restricted).await;

    assert_eq!(seen.json()["only_b_right"], 3);
    assert_eq!(seen.json()["flips"].as_array().unwrap().len(), 4);
    assert_eq!(unseen.status, 400);
    assert!(
        unseen
            .refusal()
            .error
            .starts_with("`acme/large` has no such samples"),
        "{}",
        unseen.text()
    );
}

#[tokio::test]
async fn what_is_taken_in_is_seen_by_the_next_question_and_what_is_removed_is_not() {
    let world = World::new();
    let process = Process::start(&world, &[]);
    let take_in = AskIngest {
        directories: vec!["data".into(), "models".into()],
    };
    let count = ask("SELECT count(*) AS n FROM results");

    let empty = process.query(&count).await;
    let first = process.post("/ingest", &take_in).await.json();
    let full = process.query(&count).await;
    std::fs::remove_dir_all(world.root.path().join("data/prose")).unwrap();
    let second = process.post("/ingest", &take_in).await.json();
    let left = process.query(&count).await;

    assert_eq!(empty.refusal().kind, RefusalKind::Empty);
    let first: Ingested = serde_json::from_value(first).unwrap();
    let second: Ingested = serde_json::from_value(second).unwrap();
    assert_eq!((first.added, first.removed), (8, 0), "{first:?}");
    assert_eq!((second.unchanged, second.removed), (6, 2), "{second:?}");
    assert_eq!((full.text(), left.text()), ("n\n8\n", "n\n6\n"));
    let prose = ask("SELECT count(*) AS n FROM messages WHERE benchmark = 'prose'");
    assert_eq!(process.query(&prose).await.text(), "n\n0\n");
}

#[tokio::test]
async fn nobody_replaces_the_record_of_another_by_its_name() {
    let world = World::new();
    let process = Process::start(&world, &[]);
    let take_in = |directory: &str| AskIngest {
        directories: vec![directory.into()],
    };
    process.post("/ingest", &take_in("data")).await;
    let own = &crate::support::Run::all()[0];
    let record = world
        .root
        .path()
        .join(format!("data/arith/acme/small/{}.json", own.uuid()));
    let forged = std::fs::read_to_string(&record)
        .unwrap()
        .replace("Acme", "Mallory");
    let place = world.root.path().join("mallory/data/arith/acme/small");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join(record.file_name().unwrap()), forged).unwrap();
    let samples = format!("{}_samples.jsonl", own.uuid());
    std::fs::copy(record.with_file_name(&samples), place.join(&samples)).unwrap();

    let reply = process.post("/ingest", &take_in("mallory")).await.json();

    let ingested: Ingested = serde_json::from_value(reply).unwrap();
    assert_eq!((ingested.added, ingested.replaced), (0, 0));
    assert!(
        ingested.refused[0]
            .1
            .contains("is the same record with other content"),
        "{ingested:?}"
    );
    let mallory = ask("SELECT count(*) AS n FROM records WHERE reported_by = 'Mallory'");
    assert_eq!(process.query(&mallory).await.text(), "n\n0\n");
}

#[test]
fn the_process_ends_with_its_standard_input_and_the_socket_goes_with_it() {
    let world = World::ingested();
    let mut process = Process::start(&world, &[]);

    drop(process.child.stdin.take());

    let status = process.child.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(!process.socket.exists());
}

#[tokio::test]
async fn two_processes_do_not_answer_on_one_socket() {
    let world = World::ingested();
    let process = Process::start(&world, &[]);
    let socket = process.socket.to_str().unwrap();

    let output = program(&world, &["lake", "serve", "--socket", socket])
        .output()
        .unwrap();

    assert_eq!(output.status.code(), Some(3));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("another process answers there"), "{told}");
    assert_eq!(process.query(&ask("SELECT 1")).await.status, 200);
}
