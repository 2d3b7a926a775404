//! Executors as processes of their own, on loopback.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ExitStatus, Output};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use assay_lake::cluster::{Cluster, ClusterToken};
use assay_lake::{Engine, Error, Limits};

use crate::command::{CLUSTER_TOKEN, program};
use crate::questions::questions;
use crate::serve::{
    Process, assert_does_not_count_them, assert_hides_rows, assert_keeps_silent_about_them,
};
use crate::storage::{SECRET, Storage};
use crate::support::{World, lines};

/// Maximum duration of anything here before it counts as hanging.
const PATIENCE: Duration = Duration::from_mins(3);
/// How long to wait before looking again.
const TICK: Duration = Duration::from_millis(10);

/// The processes of a cluster, which end with it.
struct Machines {
    executors: Vec<Executor>,
    variables: Vec<(String, String)>,
}

struct Executor {
    process: Child,
    url: String,
}

impl Machines {
    fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    /// Starts two executors with these variables in their environment.
    fn start_with(world: &World, variables: &[(String, String)]) -> Self {
        let mut machines = Self {
            executors: Vec::new(),
            variables: variables.to_vec(),
        };
        machines.add(world);
        machines.add(world);
        machines
    }

    /// Starts one more executor.
    fn add(&mut self, world: &World) {
        let listen = ["--listen", "127.0.0.1:0", "--jobs", "2"];
        let mut process = program(world, &[&["lake", "executor"][..], &listen].concat())
            .envs(self.variables.iter().cloned())
            .spawn()
            .unwrap();
        let told = first_line(&mut process);
        let url = told.strip_prefix("the executor listens on ").unwrap();
        let url = url.to_owned();
        self.executors.push(Executor { process, url });
    }

    /// The value of `--cluster`.
    fn urls(&self) -> String {
        let urls: Vec<&str> = self.executors.iter().map(|one| one.url.as_str()).collect();
        urls.join(",")
    }

    async fn engine(&self, world: &World, timeout: Duration) -> Engine {
        let opened = self.open(world, timeout, CLUSTER_TOKEN).await;
        opened.unwrap()
    }

    async fn open(&self, world: &World, timeout: Duration, token: &str) -> Result<Engine, Error> {
        let cluster: Cluster = self.urls().parse().unwrap();
        let token = ClusterToken::new(token).unwrap();
        let limits = Limits {
            memory: 256 << 20,
            timeout: Some(timeout),
            threads: 2,
        };
        Engine::open_on(&cluster, &token, world.lake.read().unwrap(), limits).await
    }
}

impl Drop for Machines {
    fn drop(&mut self) {
        for executor in &mut self.executors {
            let _ = executor.process.kill();
            let _ = executor.process.wait();
        }
    }
}

/// What a process says when it is ready. One that dies or says nothing fails the test with what it
/// complains of.
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_answers_the_twenty_questions_as_one_machine_does() {
    let world = World::ingested_apart();
    let mut machines = Machines::start(&world);
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
    // Executors have our exact function under the name of the engine's, which cuts this to
    // 0.333333.
    let exact = "SELECT percentile_cont(0.3333333) WITHIN GROUP (ORDER BY score) \
                 FROM (SELECT DISTINCT score FROM instances WHERE score IN (0.0, 1.0))";
    assert_eq!(lines(&cluster.all(exact).await.unwrap()), ["0.3333333"]);
    for executor in &mut machines.executors {
        executor.process.kill().unwrap();
        executor.process.wait().unwrap();
    }
    let alone = cluster.all(exact).await.unwrap_err().to_string();
    assert!(
        alone.starts_with("failed to reach an executor of the cluster"),
        "{alone}"
    );
}

/// Queries of every shape that a plan can be cut at.
const SHAPES: [&str; 20] = [
    "SELECT * FROM instances",
    "SELECT 1 FROM instances LIMIT 3",
    "SELECT count(*), count(DISTINCT model), max(line) FROM instances WHERE line > 1",
    "SELECT max(line), min(model) FROM instances WHERE false",
    "SELECT model FROM instances UNION ALL SELECT model FROM messages",
    "SELECT model, task FROM instances UNION SELECT benchmark, metric FROM results",
    "SELECT model FROM instances INTERSECT SELECT model FROM results",
    "SELECT model FROM messages EXCEPT SELECT model FROM results WHERE task = 'errands'",
    "SELECT line FROM instances ORDER BY line DESC LIMIT 5 OFFSET 3",
    "SELECT i.model, i.line, m.content FROM instances i LEFT JOIN messages m
     ON i.sample_hash = m.sample_hash AND m.part = 'output' AND i.model = m.model",
    "SELECT r.model, r.library, i.line FROM records r FULL JOIN instances i ON r.record_id = i.record_id AND i.line = 3",
    "SELECT DISTINCT model FROM instances WHERE model NOT IN (SELECT model FROM messages WHERE role = 'tool')",
    "SELECT model FROM records r WHERE EXISTS (SELECT 1 FROM instances i WHERE i.record_id = r.record_id AND i.failed)",
    "SELECT model, score, (SELECT max(score) FROM instances) FROM results",
    "SELECT model, score FROM results r WHERE score >= (SELECT avg(score) FROM results s WHERE s.task = r.task)",
    "SELECT model, line, sum(score) OVER (PARTITION BY model ORDER BY line) FROM instances WHERE task = 'sums'",
    "SELECT model, task, rank() OVER (ORDER BY n DESC) FROM (SELECT model, task, count(*) AS n FROM instances GROUP BY 1, 2)",
    "WITH x AS (SELECT model, sum(line) AS n FROM instances GROUP BY model)
     SELECT a.model, b.n FROM x a JOIN x b ON a.n <= b.n",
    "SELECT model, task, count(*) FROM instances GROUP BY ROLLUP(model, task)",
    "SELECT i.task, count(*) FROM instances i, metrics m GROUP BY i.task HAVING count(*) > 1",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_answers_queries_of_every_shape_as_one_machine_does() {
    let sorted = |batches: &[_]| {
        let mut lines = lines(batches);
        lines.sort();
        lines
    };
    let world = World::ingested_apart();
    let mut machines = Machines::start(&world);
    machines.add(&world);
    let one_machine = world.engine().await;
    let cluster = machines.engine(&world, PATIENCE).await;

    for sql in SHAPES {
        let expected = one_machine.all(sql).await.unwrap();
        let answer = cluster.all(sql).await;

        let answer = answer.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!(sorted(&answer), sorted(&expected), "{sql}");
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
        "SET distributed.compression = 'none'",
        "SELECT * FROM '/etc/passwd'",
    ] {
        assert!(engine.ask(sql).await.is_err(), "{sql}");
    }
    let local = engine.all("SELECT 1 AS one").await.unwrap();
    assert_eq!(lines(&local), ["1"]);
    assert!(!engine.all("SHOW TABLES").await.unwrap().is_empty());
    let mixed = "SELECT count(*) FROM instances, generate_series(1, 3)";
    assert_eq!(lines(&engine.all(mixed).await.unwrap()), ["102"]);
    let deep = format!("SELECT sum(score{}) FROM results", " + 1 - 2".repeat(100));
    let refused = engine.all(&deep).await.unwrap_err().to_string();
    assert!(refused.contains("levels deep"), "{refused}");
    let nothing = "SELECT model FROM instances WHERE model = 'nobody'";
    assert_eq!(lines(&engine.all(nothing).await.unwrap()), [""; 0]);
    let fails = "SELECT CAST(model AS INT) FROM instances";
    let refused = engine.all(fails).await.unwrap_err().to_string();
    assert!(refused.contains("Cannot cast string"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_asks_a_cluster_hides_as_much_as_one_that_asks_one_machine() {
    let world = World::ingested_apart();
    let mut machines = Machines::start(&world);
    let process = Process::start(&world, &["--cluster", &machines.urls()]);

    assert_hides_rows(&process).await;
    assert_does_not_count_them(&process).await;
    assert_keeps_silent_about_them(&process).await;

    // The executors filtered: without them there is no answer.
    for executor in &mut machines.executors {
        executor.process.kill().unwrap();
        executor.process.wait().unwrap();
    }
    process.assert_cannot_answer().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn executors_come_and_go_between_questions() {
    let world = World::ingested_apart();
    let mut machines = Machines::start(&world);
    let engine = machines.engine(&world, PATIENCE).await;
    let count = "SELECT count(*) FROM instances";

    assert_eq!(lines(&engine.all(count).await.unwrap()), ["34"]);
    let mut gone = machines.executors.remove(0);
    gone.process.kill().unwrap();
    gone.process.wait().unwrap();
    assert_eq!(lines(&engine.all(count).await.unwrap()), ["34"]);

    let listen = gone.url.strip_prefix("http://").unwrap();
    let mut again = program(&world, &["lake", "executor", "--listen", listen])
        .spawn()
        .unwrap();
    first_line(&mut again);
    machines.executors[0].process.kill().unwrap();
    machines.executors[0].process.wait().unwrap();
    let answer = engine.all(count).await;
    let _ = again.kill();
    let _ = again.wait();
    assert_eq!(lines(&answer.unwrap()), ["34"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_has_another_token_is_refused() {
    let world = World::ingested_apart();
    let machines = Machines::start(&world);

    let refused = machines.open(&world, PATIENCE, "another-token-of-16").await;

    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("it has another token"), "{refused}");
}

#[test]
fn without_a_token_neither_an_executor_nor_a_client_starts() {
    let world = World::ingested_apart();

    for args in [
        &["lake", "executor", "--listen", "127.0.0.1:0"][..],
        &["query", "SELECT 1", "--cluster", "http://127.0.0.1:1"],
    ] {
        let mut program = program(&world, args);
        let output = finished(program.env_remove("ASSAY_CLUSTER_TOKEN").spawn().unwrap());

        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{told}");
        assert!(told.starts_with("error: a cluster needs a token"), "{told}");
    }
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
        &[&query[..], &["--cluster", &machines.urls()]].concat(),
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

#[test]
fn where_no_executor_listens_it_is_named() {
    let world = World::ingested_apart();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);

    let query = ["query", "SELECT 1", "--cluster", &url];
    let output = program(&world, &query).output().unwrap();

    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        told.starts_with("error: failed to reach an executor of the cluster")
            && told.contains(&url),
        "{told}"
    );
}

/// Executors that are killed, frozen or told to end while they work. The system says how much they
/// have worked.
#[cfg(target_os = "linux")]
mod losses {
    use super::*;
    use crate::command::system;
    use crate::support::Run;

    /// The number of executors that a test kills, unless `ASSAY_CLUSTER_KILLS` says another.
    const KILLS: u64 = 6;
    /// The time that a query may take to fail after it lost an executor.
    const TIME_TO_FAIL: Duration = Duration::from_secs(10);
    /// Samples of each run. A join of all with all takes a second.
    const SAMPLES: usize = 1_600;

    /// Joins and aggregations that count rows: what is read twice is counted twice, and what is
    /// lost is missing.
    const COUNTED: [&str; 3] = [
        "SELECT i.model, count(*) AS texts, sum(length(m.content)) AS letters, count(DISTINCT m.sample_hash) AS samples
         FROM instances i JOIN messages m ON i.record_id = m.record_id AND i.line = m.line
         GROUP BY i.model ORDER BY i.model",
        "SELECT a.model, count(*) AS pairs, sum(b.line) AS lines, count(DISTINCT b.sample_hash) AS samples
         FROM instances a JOIN instances b ON a.line % 16 = b.line % 16
         GROUP BY a.model ORDER BY a.model",
        "WITH hardest AS (SELECT sample_hash, sum(CASE WHEN is_correct THEN 0 ELSE 1 END) AS wrong
                          FROM instances GROUP BY sample_hash)
         SELECT h.wrong, count(*) AS pairs, sum(length(m.content)) AS letters
         FROM hardest h JOIN messages m ON h.sample_hash = m.sample_hash
              JOIN instances i ON i.line % 16 = m.line % 16
         GROUP BY h.wrong ORDER BY h.wrong",
    ];

    #[expect(
        clippy::disallowed_methods,
        reason = "a longer run is asked for by the environment"
    )]
    fn number_of_kills() -> u64 {
        let number = std::env::var("ASSAY_CLUSTER_KILLS").ok();
        number.map_or(KILLS, |number| number.parse().expect("a number of kills"))
    }

    /// A lake with enough samples to catch a query at its work.
    fn large_world() -> World {
        let root = tempfile::tempdir().unwrap();
        let lake = assay_lake::Lake::at(root.path().join("lake"));
        let world = World { root, lake };
        for run in Run::all().into_iter().take(3) {
            let samples = run.samples.iter().copied().cycle().take(SAMPLES).collect();
            Run { samples, ..run }.write(world.root.path());
        }
        for model in ["acme/small", "acme/large", "zeta/base"] {
            let path = format!("data/arith/{model}");
            assert_eq!(world.ingest_paths(&[&path]).added, 1);
        }
        world
    }

    impl Executor {
        /// The processor time that it has used, in hundredths of a second.
        fn worked(&self) -> u64 {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
            let stat = stat.unwrap();
            let (_, after_name) = stat.rsplit_once(") ").unwrap();
            let mut fields = after_name.split(' ').skip(11);
            let mut next = || fields.next().unwrap().parse::<u64>().unwrap();
            next() + next()
        }

        fn signal(&self, signal: &str) {
            let pid = self.process.id().to_string();
            let sent = system("kill").args([signal, &pid]).status().unwrap();
            assert!(sent.success());
        }
    }

    /// Waits until the executors have worked so much more, or until `is_over`. Returns `false` if
    /// it was over first.
    fn wait_for_work(machines: &Machines, work: u64, is_over: impl Fn() -> bool) -> bool {
        let worked = || machines.executors.iter().map(Executor::worked).sum::<u64>();
        let (before, begun) = (worked(), Instant::now());
        while worked() < before + work {
            if is_over() {
                return false;
            }
            assert!(begun.elapsed() < PATIENCE, "nobody works");
            std::thread::sleep(TICK);
        }
        !is_over()
    }

    fn assert_tells_of_the_loss(error: &Error) {
        let clear = "a machine of the cluster was lost while it worked on the query; ask it again";
        assert_eq!(error.to_string(), clear);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn an_executor_that_dies_in_mid_query_leads_to_the_right_answer_or_to_a_clear_error() {
        let world = large_world();
        let mut machines = Machines::start(&world);
        let engine = machines.engine(&world, PATIENCE).await;
        let (mut expected, mut work) = (Vec::new(), Vec::new());
        for question in COUNTED {
            expected.push(world.answer(question).await);
            let before: u64 = machines.executors.iter().map(Executor::worked).sum();
            assert_eq!(
                Some(&lines(&engine.all(question).await.unwrap())),
                expected.last()
            );
            let after: u64 = machines.executors.iter().map(Executor::worked).sum();
            work.push((after - before).max(2));
        }
        // Both had their part of the work.
        let started = Machines::start(&world);
        for (executor, idle) in machines.executors.iter().zip(&started.executors) {
            assert!(
                executor.worked() > idle.worked() + 10,
                "one executor never works"
            );
        }
        drop(started);
        let (mut kills, mut rounds, mut right, mut slowest) = (0_u64, 0_u64, 0, Duration::ZERO);
        while kills < number_of_kills() {
            let number = usize::try_from(rounds % 3).unwrap();
            let question = COUNTED[number];
            // Spread evenly over what the query takes, from its first rows to its last.
            let until = 1 + rounds.wrapping_mul(2_654_435_761) % (work[number] - 1);
            let doomed = usize::try_from(rounds % 2).unwrap();
            rounds += 1;
            assert!(
                rounds < 20 * number_of_kills(),
                "the queries are too short to be caught"
            );
            let engine = machines.engine(&world, PATIENCE).await;
            let asked = tokio::spawn(async move { engine.all(question).await });
            let caught = wait_for_work(&machines, until, || asked.is_finished());
            if !caught {
                assert_eq!(lines(&asked.await.unwrap().unwrap()), expected[number]);
                continue;
            }

            machines.executors[doomed].process.kill().unwrap();
            let killed = Instant::now();
            let answer = asked.await.unwrap();

            kills += 1;
            slowest = slowest.max(killed.elapsed());
            match answer {
                Ok(rows) => {
                    right += 1;
                    assert_eq!(lines(&rows), expected[number], "kill {kills}");
                }
                Err(error) => {
                    assert_tells_of_the_loss(&error);
                    assert!(killed.elapsed() < TIME_TO_FAIL, "{:?}", killed.elapsed());
                }
            }
            let engine = machines.engine(&world, PATIENCE).await;
            let next = engine.all(COUNTED[0]).await.unwrap();
            assert_eq!(lines(&next), expected[0], "kill {kills}");
            machines.executors.remove(doomed).process.wait().unwrap();
            machines.add(&world);
        }
        report(kills, right, slowest);
    }

    #[expect(clippy::print_stderr, reason = "a longer run is for its figures")]
    fn report(kills: u64, right: u64, slowest: Duration) {
        let errors = kills - right;
        eprintln!(
            "{kills} kills in mid-query: {right} right answers, {errors} clear errors, 0 wrong; \
             the slowest ended {slowest:?} after its kill"
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn an_executor_that_freezes_in_mid_query_leads_to_a_clear_error() {
        let world = large_world();
        let machines = Machines::start(&world);
        let engine = machines.engine(&world, PATIENCE).await;
        let asked = tokio::spawn(async move { engine.all(COUNTED[1]).await });
        assert!(wait_for_work(&machines, 10, || asked.is_finished()));

        machines.executors[0].signal("-STOP");
        let frozen = Instant::now();
        let answer = asked.await.unwrap();

        // The rows may all have been on their way.
        if let Err(error) = answer {
            assert_tells_of_the_loss(&error);
        }
        assert!(frozen.elapsed() < TIME_TO_FAIL, "{:?}", frozen.elapsed());
        let engine = machines.engine(&world, PATIENCE).await;
        let next = engine.all("SELECT count(*) FROM instances").await.unwrap();
        assert_eq!(lines(&next), ["4800"]);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn an_executor_that_is_told_to_end_ends_in_mid_query() {
        for signal in ["-TERM", "-INT"] {
            let world = large_world();
            let mut machines = Machines::start(&world);
            let engine = machines.engine(&world, PATIENCE).await;
            let asked = tokio::spawn(async move { engine.all(ENDLESS).await });
            assert!(wait_for_work(&machines, 10, || asked.is_finished()));

            machines.executors[0].signal(signal);
            let status = ended(machines.executors.remove(0).process);
            let answer = asked.await.unwrap();

            assert_eq!(status.code(), Some(0), "{signal}");
            assert_tells_of_the_loss(&answer.unwrap_err());
        }
    }

    /// Waits for the end of a process, but not for ever.
    fn ended(mut process: Child) -> ExitStatus {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || sender.send(process.wait()));
        let status = receiver.recv_timeout(TIME_TO_FAIL);
        status.expect("it ends").unwrap()
    }

    /// A join that would take days.
    const ENDLESS: &str = "\
SELECT count(*) FROM instances a, instances b, instances c, instances d
WHERE a.score + b.score + c.score + d.score > 2";

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_cluster_is_stopped_when_the_time_is_up() {
        let world = large_world();
        let machines = Machines::start(&world);
        let hurried = machines.engine(&world, Duration::from_secs(3)).await;

        let stopped = hurried.all(ENDLESS).await;

        assert!(matches!(stopped, Err(Error::Timeout(3))), "{stopped:?}");
        assert_rest(&machines);
        let engine = machines.engine(&world, PATIENCE).await;
        let next = engine.all("SELECT count(*) FROM instances").await.unwrap();
        assert_eq!(lines(&next), ["4800"]);
    }

    #[test]
    fn executors_rest_when_the_one_who_asked_is_killed() {
        let world = large_world();
        let machines = Machines::start(&world);
        let query = ["query", ENDLESS, "--cluster", &machines.urls()];
        let mut client = program(&world, &query).spawn().unwrap();
        assert!(wait_for_work(&machines, 20, || false));

        client.kill().unwrap();
        client.wait().unwrap();

        assert_rest(&machines);
    }

    /// Waits until the executors do next to nothing for as long as a hundred looks at them take.
    fn assert_rest(machines: &Machines) {
        let begun = Instant::now();
        loop {
            let worked = || machines.executors.iter().map(Executor::worked).sum::<u64>();
            let before = worked();
            for _ in 0..100 {
                std::thread::sleep(TICK);
            }
            // A second of work of two busy executors is four hundred.
            if worked() - before < 10 {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the executors go on");
        }
    }
}
