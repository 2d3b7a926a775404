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
pub(crate) struct Filled {
    pub(crate) hub: TestHub,
    _process: Process,
    _world: World,
}

impl Filled {
    pub(crate) async fn new() -> Self {
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
    pub(crate) async fn push_run(&self, repo: &str, run: &Run) {
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

    pub(crate) async fn answer(&self, query: &str) -> String {
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
    let (kind, path) = paths.trim_end().split_once("datasets/").unwrap();
    assert_eq!(kind, "path\n", "no path of this machine is told: {paths}");
    let (uid, path) = path.split_once('/').unwrap();
    assert_eq!(uid.len(), 32, "{paths}");
    assert!(path.starts_with("alice/store/data/arith/"), "{paths}");
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

const COUNT: &str = "SELECT count(*) AS n FROM instances";

impl Filled {
    /// Removes the objects of a repository behind the back of the hub.
    async fn break_repository(&self, repo: &str) {
        let info = self.hub.get(Person::Alice, &format!("/api/{repo}")).await;
        let info = info.expect(200).json();
        let number = u64::from_str_radix(info["_id"].as_str().unwrap(), 16).unwrap();
        let repositories = self.hub.directory().join("data/repos");
        let objects = walkdir::WalkDir::new(repositories).into_iter().flatten();
        let name = format!("{number}.git");
        let mut removed = 0;
        for entry in objects.filter(|entry| entry.file_type().is_file()) {
            let path = entry.path();
            let is_below = |name: &str| path.components().any(|part| part.as_os_str() == name);
            if is_below(&name) && is_below("objects") {
                std::fs::remove_file(path).unwrap();
                removed += 1;
            }
        }
        assert!(removed > 0, "there is something to break");
    }

    async fn delete(&self, organization: &str, name: &str) {
        let body = json!({ "name": name, "organization": organization, "type": "dataset" });
        self.hub
            .ask(
                Person::Alice,
                Method::DELETE,
                "/api/repos/delete",
                body.to_string().into(),
            )
            .await
            .expect(200);
    }

    async fn rename(&self, from: &str, to: &str) {
        let body = json!({ "fromRepo": from, "toRepo": to, "type": "dataset" });
        self.hub
            .post(Person::Alice, "/api/repos/move", body)
            .await
            .expect(200);
    }

    async fn set_private(&self, repo: &str, private: bool) {
        let path = format!("/api/datasets/{repo}/settings");
        let body = json!({ "private": private });
        self.hub.put(Person::Alice, &path, body).await.expect(200);
    }
}

#[tokio::test]
async fn what_is_deleted_is_gone_with_that_change_and_does_not_come_back() {
    let filled = Filled::new().await;
    filled
        .push_run("datasets/alice/store", &Run::all()[0])
        .await;
    filled.hub.fill_lake().await.unwrap();
    let before = filled.answer(COUNT).await;

    filled.set_private("alice/store", true).await;
    let private = filled.answer(COUNT).await;
    filled.delete("alice", "store").await;
    let deleted = filled.answer(COUNT).await;
    // Whoever has the name now is somebody else.
    filled
        .hub
        .create(Person::Alice, "datasets/alice/store")
        .await
        .expect(200);
    let taken = filled.answer(COUNT).await;

    assert_eq!(before, "n\n8\n");
    assert_eq!([private, deleted, taken], ["n\n0\n"; 3].map(str::to_owned));
}

#[tokio::test]
async fn a_renamed_repository_keeps_its_rows_until_it_is_deleted() {
    let filled = Filled::new().await;
    filled
        .push_run("datasets/alice/store", &Run::all()[0])
        .await;
    filled.hub.fill_lake().await.unwrap();

    filled.rename("alice/store", "alice/archive").await;
    let renamed = filled.answer(COUNT).await;
    filled.hub.fill_lake().await.unwrap();
    let filled_again = filled.answer(COUNT).await;
    let path = filled.answer("SELECT path FROM records").await;
    filled.rename("alice/archive", "alice/attic").await;
    filled.delete("alice", "attic").await;
    let deleted = filled.answer(COUNT).await;

    assert_eq!(
        (renamed.as_str(), filled_again.as_str()),
        ("n\n8\n", "n\n8\n")
    );
    assert!(path.contains("/alice/archive/data/"), "{path}");
    assert_eq!(deleted, "n\n0\n");
}

#[tokio::test]
async fn rows_do_not_tell_which_names_are_private() {
    let filled = Filled::new().await;
    let hub = &filled.hub;
    hub.create(Person::Bob, "models/bob/secret")
        .await
        .expect(200);
    let body = json!({ "private": true });
    hub.put(Person::Bob, "/api/models/bob/secret/settings", body)
        .await
        .expect(200);
    let guess = Run {
        model: "bob/secret",
        ..Run::all()[0].clone()
    };
    filled.push_run("datasets/alice/guesses", &guess).await;
    filled.hub.fill_lake().await.unwrap();

    let found = filled
        .answer("SELECT count(*) AS n FROM records WHERE model = 'bob/secret'")
        .await;

    assert_eq!(found, "n\n1\n");
}

#[tokio::test]
async fn a_name_that_no_file_can_have_keeps_one_file_out_of_the_lake() {
    let filled = Filled::new().await;
    let run = &Run::all()[0];
    filled.push_run("datasets/alice/store", run).await;
    let hub = &filled.hub;
    hub.create(Person::Bob, "datasets/bob/long")
        .await
        .expect(200);
    let long = format!("data/{}.json", "a".repeat(300));
    let committed = hub
        .commit(Person::Bob, "datasets/bob/long", &[(long.as_str(), "{}")])
        .await;
    assert!(
        [200, 400, 422].contains(&committed.status),
        "{}",
        committed.status
    );

    let first = filled.hub.fill_lake().await.unwrap();
    filled.delete("alice", "store").await;
    let second = filled.hub.fill_lake().await.unwrap();

    assert_eq!(
        (first.added, second.removed),
        (1, 1),
        "{first:?} {second:?}"
    );
}

#[tokio::test]
async fn a_repository_that_cannot_be_read_keeps_no_other_out_of_the_lake() {
    let filled = Filled::new().await;
    let runs = Run::all();
    filled.push_run("datasets/alice/broken", &runs[0]).await;
    filled.push_run("datasets/alice/store", &runs[1]).await;
    filled.push_run("datasets/alice/other", &runs[2]).await;
    filled.break_repository("datasets/alice/broken").await;

    let first = filled.hub.fill_lake().await.unwrap();
    filled.delete("alice", "store").await;
    let second = filled.hub.fill_lake().await.unwrap();

    assert_eq!(
        (first.added, second.removed),
        (2, 1),
        "{first:?} {second:?}"
    );
}

#[cfg(target_os = "linux")]
/// Asks until the lake of a server answers as expected, for as long as a machine under load may
/// need.
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
