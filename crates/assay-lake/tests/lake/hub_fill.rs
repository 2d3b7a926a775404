//! What is public in a hub comes into its lake, and what is not goes out of it.

use std::time::{Duration, Instant};

use assay_server::{Config, Person, TestHub};
use axum::http::Method;
use serde_json::json;

use crate::serve::Process;
use crate::support::{Run, World};

const RESULT: &str =
    "- dataset:\n    id: alice/sums\n    task_id: easy\n  value: 0.5\n  date: '2026-01-05'\n";

/// A hub with an empty lake that it fills.
struct Filled {
    hub: TestHub,
    _process: Process,
    _world: World,
}

impl Filled {
    async fn new() -> Self {
        let world = World::new();
        let socket = world.root.path().join("lake.sock");
        let hub = TestHub::with(|config| config.lake.socket = Some(socket)).await;
        let sources = hub.directory().join("data/lake-sources");
        std::fs::create_dir_all(&sources).unwrap();
        let process = Process::start_in(&world, &sources, &[]);
        Self {
            hub,
            _process: process,
            _world: world,
        }
    }

    /// Makes a repository with the record and the samples of a run.
    async fn push_run(&self, repo: &str, run: &Run) {
        let rows = String::from_utf8(run.rows()).unwrap();
        let record = run.record(rows.as_bytes()).to_string();
        let place = format!("data/{}/{}/{}", run.benchmark, run.model, run.uuid());
        let files = [
            (format!("{place}.json"), record),
            (format!("{place}_samples.jsonl"), rows),
        ];
        let files = files
            .each_ref()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        self.hub.create(Person::Alice, repo).await.expect(200);
        self.hub
            .commit(Person::Alice, repo, &files)
            .await
            .expect(200);
    }

    async fn answer(&self, query: &str) -> String {
        let body = json!({ "query": query, "format": "csv" });
        let answer = self.hub.post(Person::Nobody, "/api/sql", body).await;
        answer.expect(200).text()
    }
}

#[tokio::test]
async fn what_is_pushed_can_be_asked_for() {
    let filled = Filled::new().await;
    filled
        .push_run("datasets/alice/store", &Run::all()[0])
        .await;
    let hub = &filled.hub;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    let files = [(".eval_results/sums.yaml", RESULT)];
    hub.commit(Person::Alice, "models/alice/small", &files)
        .await
        .expect(200);

    let first = hub.fill_lake().await.unwrap();
    let second = hub.fill_lake().await;

    assert_eq!((first.added, first.refused.len()), (2, 0), "{first:?}");
    assert!(second.is_none(), "{second:?}");
    let results = "SELECT model, origin, score FROM results ORDER BY model";
    assert_eq!(
        filled.answer(results).await,
        "model,origin,score\nacme/small,record,0.5\nalice/small,entry,0.5\n"
    );
    let samples = "SELECT count(*) AS n FROM instances WHERE model = 'acme/small'";
    assert_eq!(filled.answer(samples).await, "n\n8\n");
    let paths = filled.answer("SELECT path FROM records").await;
    assert!(
        paths.starts_with("path\ndatasets/alice/store/data/arith/"),
        "no path of this machine is told: {paths}"
    );
}

#[tokio::test]
async fn what_becomes_private_is_hidden_at_once_and_then_removed() {
    let filled = Filled::new().await;
    filled
        .push_run("datasets/alice/store", &Run::all()[0])
        .await;
    filled.hub.fill_lake().await.unwrap();
    let count = "SELECT count(*) AS n FROM instances";
    let before = filled.answer(count).await;

    let body = json!({ "private": true });
    let hub = &filled.hub;
    hub.put(Person::Alice, "/api/datasets/alice/store/settings", body)
        .await
        .expect(200);
    let hidden = filled.answer(count).await;
    let removed = hub.fill_lake().await.unwrap();
    let body = json!({ "private": false });
    hub.put(Person::Alice, "/api/datasets/alice/store/settings", body)
        .await
        .expect(200);
    let gone = filled.answer(count).await;
    let added = hub.fill_lake().await.unwrap();
    let again = filled.answer(count).await;

    assert_eq!((before.as_str(), hidden.as_str()), ("n\n8\n", "n\n0\n"));
    assert_eq!(removed.removed, 1, "{removed:?}");
    assert_eq!(gone, "n\n0\n", "its rows were removed, not only hidden");
    assert_eq!((added.added, again.as_str()), (1, "n\n8\n"));
}

#[tokio::test]
async fn a_changed_file_replaces_its_rows_and_a_deleted_repository_takes_them_along() {
    let filled = Filled::new().await;
    let hub = &filled.hub;
    hub.create(Person::Alice, "models/alice/small")
        .await
        .expect(200);
    for value in ["0.5", "0.75"] {
        let text = RESULT.replace("0.5", value);
        let files = [(".eval_results/sums.yaml", text.as_str())];
        hub.commit(Person::Alice, "models/alice/small", &files)
            .await
            .expect(200);
        hub.fill_lake().await.unwrap();
    }
    let changed = filled.answer("SELECT score FROM results").await;

    let body = json!({ "name": "small", "organization": "alice", "type": "model" });
    hub.ask(
        Person::Alice,
        Method::DELETE,
        "/api/repos/delete",
        body.to_string().into(),
    )
    .await
    .expect(200);
    let removed = hub.fill_lake().await.unwrap();

    assert_eq!(changed, "score\n0.75\n");
    assert_eq!(removed.removed, 1, "{removed:?}");
    let left = filled.answer("SELECT count(*) AS n FROM results").await;
    assert_eq!(left, "n\n0\n");
}

#[cfg(target_os = "linux")]
/// Asks until the lake of a server answers as expected, for as long as a machine under load may need.
async fn wait_for(address: std::net::SocketAddr, expected: &str) -> String {
    let until = Instant::now() + Duration::from_mins(2);
    loop {
        let answer = tokio::task::spawn_blocking(move || ask(address))
            .await
            .unwrap();
        if answer.contains(expected) || Instant::now() > until {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[cfg(target_os = "linux")]
fn ask(address: std::net::SocketAddr) -> String {
    use std::io::{Read as _, Write as _};
    let body = r#"{"query":"SELECT count(*) AS n FROM results","format":"csv"}"#;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /api/sql HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_server_starts_its_lake_and_starts_it_again_when_it_dies() {
    let world = World::ingested();
    let mut config = Config {
        listen: ([127, 0, 0, 1], 0).into(),
        data: world.root.path().join("hub"),
        ..Config::default()
    };
    config.lake.directory = Some(world.lake.directory().to_owned());
    config.lake.program = Some(env!("CARGO_BIN_EXE_assay-lake").into());
    let socket = config.data.join("lake.sock");
    let server = assay_server::serve(config).await.unwrap();
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run_until(async {
        let _ = stopped.await;
    }));

    let first = wait_for(address, "n\n8\n").await;
    kill_whoever_answers(&socket);
    let second = wait_for(address, "n\n8\n").await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();

    assert!(first.contains("n\n8\n"), "{first}");
    assert!(second.contains("n\n8\n"), "{second}");
}

#[cfg(target_os = "linux")]
/// Ends the process that answers on a socket, which has no other way to be told.
fn kill_whoever_answers(socket: &std::path::Path) {
    let wanted = socket.to_str().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap();
    for process in processes.flatten() {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let mut parts = line.split(|byte| *byte == 0);
        if parts.any(|part| part == wanted.as_bytes()) {
            let id = process.file_name().into_string().unwrap();
            let status = crate::command::system("kill").args(["-KILL", &id]).status();
            assert!(status.unwrap().success());
            return;
        }
    }
    panic!("nobody answers on `{wanted}`");
}
