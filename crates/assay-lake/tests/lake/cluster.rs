//! A scheduler and two executors as processes of their own, on loopback.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use assay_lake::cluster::Cluster;
use assay_lake::{Engine, Error, Limits};

use crate::command::program;
use crate::questions::questions;
use crate::serve::{
    Process, assert_does_not_count_them, assert_hides_rows, assert_keeps_silent_about_them,
};
use crate::storage::{SECRET, Storage};
use crate::support::{World, lines};

/// How long anything here may take before it counts as hanging.
const PATIENCE: Duration = Duration::from_mins(3);

/// How long to wait before looking again.
const TICK: Duration = Duration::from_millis(10);
/// A question with a piece of work for each of several files.
const SPREAD: &str = "SELECT sample_hash, count(*) FROM instances GROUP BY sample_hash";

/// The processes of a cluster, which end with it.
struct Machines {
    scheduler: Child,
    executors: Vec<Executor>,
    url: String,
}

struct Executor {
    process: Child,
    work: PathBuf,
}

impl Machines {
    fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    /// Starts them with these variables in their environment.
    fn start_with(world: &World, variables: &[(String, String)]) -> Self {
        let listen = ["--listen", "127.0.0.1:0", "--executor-timeout", "5"];
        let mut scheduler = program(world, &[&["lake", "scheduler"][..], &listen].concat())
            .spawn()
            .unwrap();
        let told = first_line(&mut scheduler);
        let url = told.strip_prefix("the scheduler listens on ").unwrap();
        let mut machines = Self {
            scheduler,
            executors: Vec::new(),
            url: url.to_owned(),
        };
        for number in 1..=2 {
            let work = world.root.path().join(format!("executor-{number}"));
            let executor = machines.executor(world, &work, variables);
            machines.executors.push(executor);
        }
        machines
    }

    fn executor(&self, world: &World, work: &Path, variables: &[(String, String)]) -> Executor {
        let args = [
            "lake",
            "executor",
            "--scheduler",
            &self.url,
            "--listen",
            "127.0.0.1:0",
            "--jobs",
            "1",
            "--work",
            work.to_str().unwrap(),
        ];
        let mut process = program(world, &args)
            .envs(variables.iter().cloned())
            .spawn()
            .unwrap();
        let told = first_line(&mut process);
        assert!(
            told.starts_with("the executor works at 127.0.0.1:"),
            "{told}"
        );
        Executor {
            process,
            work: work.to_owned(),
        }
    }

    async fn engine(&self, world: &World, timeout: Duration) -> Engine {
        let cluster: Cluster = self.url.parse().unwrap();
        let limits = Limits {
            memory: 256 << 20,
            timeout: Some(timeout),
            threads: 2,
        };
        Engine::open_on(&cluster, world.lake.read().unwrap(), limits)
            .await
            .unwrap()
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        let executors = self.executors.iter_mut().map(|one| &mut one.process);
        for process in executors.chain([&mut self.scheduler]) {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// What a process says when it is ready. One that dies or says nothing fails the test with what it complains of.
fn first_line(process: &mut Child) -> String {
    let mut out = BufReader::new(process.stdout.take().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = out.read_line(&mut line);
        let _ = sender.send(line);
        // What it says later is read as well, so that it never waits for a reader.
        let _ = std::io::copy(&mut out, &mut std::io::sink());
    });
    let line = receiver.recv_timeout(PATIENCE).unwrap_or_default();
    if line.is_empty() {
        let _ = process.kill();
        let mut told = String::new();
        let _ = process.stderr.take().unwrap().read_to_string(&mut told);
        panic!("the process was not ready: {told}");
    }
    line.trim_end().to_owned()
}

/// Waits for a process, but not for ever.
fn finished(process: Child) -> Output {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(process.wait_with_output()));
    let output = receiver.recv_timeout(PATIENCE);
    output.expect("it does not hang").unwrap()
}

/// Waits until an executor has a part of an answer, and says which.
fn first_with_parts(machines: &Machines) -> usize {
    first_with_more_parts(machines, &vec![0; machines.executors.len()])
}

/// Waits until an executor has more parts of answers than before, and says which.
fn first_with_more_parts(machines: &Machines, before: &[usize]) -> usize {
    let begun = Instant::now();
    loop {
        let mut executors = machines.executors.iter().zip(before);
        if let Some(found) = executors.position(|(executor, before)| executor.parts() > *before) {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "nobody began");
        std::thread::sleep(TICK);
    }
}

/// Ends a process as a loss of power does.
fn kill(process: &mut Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

impl Executor {
    /// The number of parts of answers that wait in its directory.
    fn parts(&self) -> usize {
        walkdir::WalkDir::new(&self.work)
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .count()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_answers_the_twenty_questions_as_one_machine_does() {
    let world = World::ingested_apart();
    let machines = Machines::start(&world);
    let one_machine = world.engine().await;
    let cluster = machines.engine(&world, PATIENCE).await;
    let questions = questions();
    assert_eq!(questions.len(), 20);

    for (title, sql) in questions {
        let expected = one_machine.all(&sql).await.unwrap();
        let answer = cluster.all(&sql).await;

        let answer = answer.unwrap_or_else(|error| panic!("{title}: {error}"));
        assert_eq!(lines(&answer), lines(&expected), "{title}");
    }
    // Executors have our exact function under the name of the engine's, which cuts this to 0.333333.
    let exact = "SELECT percentile_cont(0.3333333) WITHIN GROUP (ORDER BY score) \
                 FROM (SELECT DISTINCT score FROM instances WHERE score IN (0.0, 1.0))";
    assert_eq!(lines(&cluster.all(exact).await.unwrap()), ["0.3333333"]);
    // Which machine gets a piece of work depends on who is done first, so it may take a few questions more.
    let begun = Instant::now();
    while !machines.executors.iter().all(|one| one.parts() > 0) {
        assert!(begun.elapsed() < PATIENCE, "one executor never works");
        cluster.all(SPREAD).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_follows_the_rules_of_one_machine() {
    let world = World::ingested_apart();
    let machines = Machines::start(&world);
    let engine = machines.engine(&world, PATIENCE).await;

    for sql in [
        "DROP TABLE results",
        "CREATE TABLE x AS SELECT 1",
        "CREATE EXTERNAL TABLE x STORED AS CSV LOCATION '/etc/passwd'",
        "COPY results TO '/tmp/stolen.csv'",
        "INSERT INTO results SELECT * FROM results",
        "SET ballista.job.name = 'x'",
        "SELECT * FROM '/etc/passwd'",
    ] {
        assert!(engine.ask(sql).await.is_err(), "{sql}");
    }
    let local = engine.all("SELECT 1 AS one").await.unwrap();
    assert_eq!(lines(&local), ["1"]);
    assert!(!engine.all("SHOW TABLES").await.unwrap().is_empty());
    let explained = engine.all("EXPLAIN SELECT * FROM results").await;
    assert!(!lines(&explained.unwrap()).is_empty());
    let mixed = "SELECT count(*) FROM results, generate_series(1, 3)";
    let refused = engine.all(mixed).await.unwrap_err().to_string();
    assert!(refused.contains("--cluster"), "{refused}");
    let deep = format!("SELECT sum(score{}) FROM results", " + 1 - 2".repeat(100));
    let refused = engine.all(&deep).await.unwrap_err().to_string();
    assert!(refused.contains("levels deep"), "{refused}");
    let nothing = "SELECT model FROM instances WHERE model = 'nobody'";
    assert_eq!(lines(&engine.all(nothing).await.unwrap()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_asks_a_cluster_hides_as_much_as_one_that_asks_one_machine() {
    let world = World::ingested_apart();
    let machines = Machines::start(&world);
    let process = Process::start(&world, &["--cluster", &machines.url]);

    assert_hides_rows(&process).await;
    assert_does_not_count_them(&process).await;
    assert_keeps_silent_about_them(&process).await;

    let worked = machines.executors.iter().any(|one| one.parts() > 0);
    assert!(worked, "the cluster did the work");
}

/// Three stages, the last of which multiplies what the first two made.
const LONG: &str = "\
WITH samples AS (SELECT model, task, sample_hash, avg(score) AS score, max(line) AS line
                 FROM instances GROUP BY model, task, sample_hash)
SELECT a.model, count(*) AS combinations, sum(CASE WHEN a.score + b.score > c.score + d.score THEN 1 ELSE 0 END) AS above
FROM samples a, samples b, samples c, samples d
WHERE a.line + b.line + c.line + d.line > 2
GROUP BY a.model ORDER BY a.model";

/// The number of executors that a test kills, unless `ASSAY_CLUSTER_KILLS` says another.
const KILLS: usize = 3;

#[expect(
    clippy::disallowed_methods,
    reason = "a longer run is asked for by the environment"
)]
fn number_of_kills() -> usize {
    let number = std::env::var("ASSAY_CLUSTER_KILLS").ok();
    number.map_or(KILLS, |number| number.parse().expect("a number of kills"))
}

/// The time that a query may take to fail after it lost an executor: the timeout of the scheduler, a look at the executors, and
/// a slow machine.
const TIME_TO_FAIL: Duration = Duration::from_secs(30);

/// A join and an aggregation that count rows: what is read twice is counted twice.
const COUNTED: &str = "\
SELECT i.model, count(*) AS texts, sum(length(m.content)) AS letters, count(DISTINCT m.sample_hash) AS samples
FROM instances i JOIN messages m ON i.record_id = m.record_id AND i.line = m.line
GROUP BY i.model ORDER BY i.model";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_executor_that_dies_in_mid_query_leads_to_the_right_answer_or_to_a_clear_error() {
    let world = World::ingested_apart();
    let counted = world.answer(COUNTED).await;
    let mut machines = Machines::start(&world);
    let questions = [LONG, COUNTED].into_iter().cycle().take(number_of_kills());
    for (round, question) in questions.enumerate() {
        let expected = world.answer(question).await;
        let before: Vec<usize> = machines.executors.iter().map(Executor::parts).collect();
        let query = ["query", question, "--format", "csv", "--timeout", "120"];
        let client = program(
            &world,
            &[&query[..], &["--cluster", &machines.url]].concat(),
        )
        .spawn()
        .unwrap();

        // The first one with a part of the answer dies, so that something is lost.
        let doomed = first_with_more_parts(&machines, &before);
        kill(&mut machines.executors[doomed].process);
        let killed = Instant::now();
        let output = finished(client);

        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            let answer = String::from_utf8(output.stdout).unwrap();
            let rows = answer.lines().skip(1);
            let rows: Vec<String> = rows.map(|row| row.replace(',', " | ")).collect();
            assert_eq!(rows, expected);
        } else {
            assert_eq!(output.status.code(), Some(3), "{told}");
            let clear = "error: a machine of the cluster was lost while it worked on the query; ask it again";
            assert!(told.starts_with(clear), "{told}");
            assert!(killed.elapsed() < TIME_TO_FAIL, "{:?}", killed.elapsed());
        }
        let engine = machines.engine(&world, PATIENCE).await;
        let after = engine.all("SELECT count(*) FROM instances").await;
        let after = after.unwrap_or_else(|error| panic!("the other executor stops: {error}"));
        assert_eq!(lines(&after), ["34"]);
        let joined = engine.all(COUNTED).await.unwrap();
        assert_eq!(lines(&joined), counted, "round {round}");
        let work = world.root.path().join(format!("executor-again-{round}"));
        machines.executors.remove(doomed);
        let executor = machines.executor(&world, &work, &[]);
        machines.executors.push(executor);
    }
}

#[test]
fn a_query_fails_when_the_last_executor_is_gone() {
    let world = World::ingested_apart();
    let mut machines = Machines::start(&world);
    let query = ["query", LONG, "--format", "csv", "--timeout", "120"];
    let client = program(
        &world,
        &[&query[..], &["--cluster", &machines.url]].concat(),
    )
    .spawn()
    .unwrap();

    first_with_parts(&machines);
    for executor in &mut machines.executors {
        kill(&mut executor.process);
    }
    let output = finished(client);

    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.starts_with("error: "), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_reads_a_lake_in_a_bucket() {
    let world = World::ingested_apart();
    let storage = Storage::serve("lakes/main", world.lake.directory());
    let variables = storage.variables(SECRET);
    let machines = Machines::start_with(&world, &variables);
    let sql = "SELECT model, avg(score) AS mean FROM instances GROUP BY model ORDER BY model";
    let query = [
        "query",
        sql,
        "--format",
        "csv",
        "--lake",
        "s3://results/lakes/main",
    ];

    let client = program(
        &world,
        &[&query[..], &["--cluster", &machines.url]].concat(),
    )
    .envs(variables)
    .spawn()
    .unwrap();
    let output = finished(client);

    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let answer = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<String> = answer
        .lines()
        .skip(1)
        .map(|row| row.replace(',', " | "))
        .collect();
    assert_eq!(rows, world.answer(sql).await);
    let fetched = storage.handed_out();
    assert!(
        fetched
            .keys()
            .any(|key| key.starts_with("tables/instances/")),
        "{fetched:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_is_stopped_when_the_time_is_up() {
    let world = World::ingested_apart();
    let machines = Machines::start(&world);
    let endless = "SELECT count(*) FROM instances a, instances b, instances c, instances d, instances e, instances f, instances g \
                   WHERE a.score + b.score + c.score + d.score + e.score + f.score + g.score > 2";
    let hurried = machines.engine(&world, Duration::from_secs(5)).await;

    let stopped = hurried.all(endless).await;

    assert!(matches!(stopped, Err(Error::Timeout(5))), "{stopped:?}");
    // Had the work not been called off, nobody would be free for the next question.
    let engine = machines.engine(&world, PATIENCE).await;
    let next = engine.all("SELECT count(*) FROM instances").await.unwrap();
    assert_eq!(lines(&next), ["34"]);
}

#[test]
fn where_no_scheduler_listens_it_is_named() {
    let world = World::ingested_apart();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);

    let query = ["query", "SELECT 1", "--cluster", &url];
    let output = program(&world, &query).output().unwrap();

    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        told.starts_with("error: failed to reach the scheduler at") && told.contains(&url),
        "{told}"
    );
}
