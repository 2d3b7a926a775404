//! Slow and hostile clients beside ordinary ones: the others are answered, and memory stays
//! bounded.
//!
//! `just hostile` runs it with 15,000 commits in one push and prints how long the others waited.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::checks::check_index;
use crate::client::{Client, commit_body};
use crate::git;
use crate::kills::{number, tell};
use crate::packs::delta_bomb;
use crate::server::Place;

/// The commits of one push; `ASSAY_HOSTILE_COMMITS` says otherwise.
const COMMITS: u64 = 300;
/// The tasks of the benchmark, and so the entries of every result file that is pushed.
const TASKS: u64 = 40;
/// Connections that begin a request and never finish it.
const UNFINISHED: usize = 1100;
/// Connections that ask for a large file and do not read it.
const UNREAD: usize = 24;
/// The size of that file. It compresses to almost nothing.
const FILE_BYTES: usize = 60 << 20;
/// Number of characters of an that answer are shown.
const SHOWN: usize = 200;
/// The most memory that the hub may ever have.
const MEMORY: u64 = 1 << 30;

/// The times that ordinary clients waited for each answer.
#[derive(Default)]
struct Waits {
    reads: Vec<Duration>,
    commits: Vec<Duration>,
}

#[test]
fn ordinary_clients_are_answered_beside_hostile_ones() {
    let place = Place::new();
    let server = place.serve_with(&["limits.connections_per_address=0"]);
    let client = Client::new(server.token.as_ref().unwrap());
    let hub = &server.url;
    client.create(hub, "dataset", "many");
    let defined = client.commit(
        hub,
        "datasets/operator/many/commit/main",
        "eval.yaml",
        &benchmark(),
    );
    defined.unwrap().good();
    for model in ["ordinary", "flood", "bomb", "file"] {
        client.create(hub, "model", model);
    }
    push_file(&place, &git_url(hub, &client, "file"));
    let stop = AtomicBool::new(false);

    let waited = std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|seed| {
                scope.spawn({
                    let (client, stop) = (&client, &stop);
                    move || be_ordinary(client, hub, seed, stop)
                })
            })
            .collect();
        let unfinished = begin_and_never_finish(hub);
        let unread = ask_and_never_read(hub);
        let bomb = push_bomb(hub, &client);
        let flood = push_flood(&place, &git_url(hub, &client, "flood"));
        tell(&format!(
            "the bomb was answered with {bomb}; the flood: {flood}"
        ));
        stop.store(true, Ordering::SeqCst);
        drop((unfinished, unread));
        let mut waited = Waits::default();
        for reader in readers {
            let own = reader.join().unwrap();
            waited.reads.extend(own.reads);
            waited.commits.extend(own.commits);
        }
        waited
    });

    let memory = server.peak_memory();
    tell(&format!(
        "ordinary readers: {}\nordinary commits: {}\npeak memory of the server: {} MiB",
        percentiles(waited.reads),
        percentiles(waited.commits),
        memory >> 20
    ));
    assert!(memory < MEMORY, "{memory} bytes");
    check_index(&place);
    drop(server);
}

/// The number of waits and how long they were; there must be some.
fn percentiles(mut waits: Vec<Duration>) -> String {
    assert!(!waits.is_empty());
    waits.sort();
    let at = |percent: usize| waits[(waits.len() - 1) * percent / 100].as_millis();
    format!(
        "{} requests, p50 {} ms, p99 {} ms, longest {} ms",
        waits.len(),
        at(50),
        at(99),
        at(100)
    )
}

/// Reads a board and commits a result, again and again; every answer must be good.
fn be_ordinary(client: &Client, hub: &str, seed: u64, stop: &AtomicBool) -> Waits {
    let mut waited = Waits::default();
    for round in 0.. {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let started = Instant::now();
        if round % 4 == seed {
            let text = results(round);
            let body = commit_body(&format!(".eval_results/{seed}.yaml"), &text);
            let place = format!("{hub}/api/models/operator/ordinary/commit/main");
            client.ask("POST", &place, &body).unwrap().good();
            waited.commits.push(started.elapsed());
        } else {
            let board = format!("{hub}/api/datasets/operator/many/leaderboard?task_id=t0");
            client.get(&board).unwrap().good();
            waited.reads.push(started.elapsed());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    waited
}

fn begin_and_never_finish(hub: &str) -> Vec<TcpStream> {
    let host = hub.strip_prefix("http://").unwrap();
    let begin = |number: usize| {
        let mut stream = TcpStream::connect(host).ok()?;
        let parts = [
            "",
            "GET / HT",
            "GET / HTTP/1.1\r\nHo",
            "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n",
        ];
        let sent = stream.write_all(parts[number % parts.len()].as_bytes());
        sent.ok().map(|()| stream)
    };
    (0..UNFINISHED).filter_map(begin).collect()
}

fn ask_and_never_read(hub: &str) -> Vec<TcpStream> {
    let host = hub.strip_prefix("http://").unwrap();
    let ask = |_| {
        let mut stream = TcpStream::connect(host).ok()?;
        let request =
            format!("GET /operator/file/resolve/side/README.md HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(request.as_bytes()).ok()?;
        Some(stream)
    };
    (0..UNREAD).filter_map(ask).collect()
}

/// Pushes a pack of a few kilobytes that would unpack to gigabytes. Returns what the hub says of
/// it.
fn push_bomb(hub: &str, client: &Client) -> String {
    let host = hub.strip_prefix("http://").unwrap();
    let body = delta_bomb();
    let credentials = client.basic_credentials();
    let head = format!(
        "POST /operator/bomb.git/git-receive-pack HTTP/1.1\r\nHost: {host}\r\nAuthorization: Basic {credentials}\r\n\
         Content-Type: application/x-git-receive-pack-request\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let text = String::from_utf8_lossy(&answer).into_owned();
    assert!(!text.contains("ok refs/heads/bomb"), "{text}");
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let words: Vec<&str> = body.split_whitespace().collect();
    words.join(" ").chars().take(SHOWN).collect()
}

/// Pushes a line of commits that each change every entry of a result file.
fn push_flood(place: &Place, url: &str) -> String {
    let commits = number("ASSAY_HOSTILE_COMMITS", COMMITS);
    let repository = place.path().join("flood");
    let mut stream = String::new();
    for commit in 0..commits {
        let text = results(commit);
        writeln!(
            stream,
            "commit refs/heads/main\ncommitter a <a@example.org> {} +0000\ndata 1\nx\nM 100644 inline .eval_results/b.yaml\ndata {}\n{text}",
            1_700_000_000 + commit,
            text.len()
        )
        .unwrap();
    }
    import(&repository, &stream);
    let started = Instant::now();
    let pushed = git::run(&repository, &["push", url, "main:refs/heads/flood"]);
    let outcome = if pushed.status.success() {
        "accepted"
    } else {
        "refused"
    };
    let said = git::said(&pushed);
    assert!(!said.contains("HTTP 500"), "{said}");
    format!(
        "{commits} commits {outcome} in {} ms",
        started.elapsed().as_millis()
    )
}

/// Pushes a large file that compresses well.
fn push_file(place: &Place, url: &str) {
    let repository = place.path().join("file");
    let text = "x".repeat(FILE_BYTES);
    let stream = format!(
        "commit refs/heads/main\ncommitter a <a@example.org> 1700000000 +0000\ndata 1\nx\nM 100644 inline README.md\ndata {}\n{text}\n",
        text.len()
    );
    import(&repository, &stream);
    git::good(&repository, &["push", url, "main:refs/heads/side"]);
}

fn import(repository: &Path, stream: &str) {
    git::good(
        Path::new("."),
        &["init", "--quiet", repository.to_str().unwrap()],
    );
    let mut child = git::command(repository)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(stream.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
}

fn benchmark() -> String {
    let mut text = "name: Many\ndescription: Many tasks.\nmetrics:\n  - {id: accuracy, display_name: Accuracy, higher_is_better: true, primary: true}\ntasks:\n".to_owned();
    for task in 0..TASKS {
        writeln!(text, "  - {{id: t{task}}}").unwrap();
    }
    text
}

fn results(value: u64) -> String {
    let mut text = String::new();
    for task in 0..TASKS {
        let score = (value + task) % 100;
        writeln!(
            text,
            "- dataset: {{id: operator/many, task_id: t{task}}}\n  value: {score}"
        )
        .unwrap();
    }
    text
}

fn git_url(hub: &str, client: &Client, model: &str) -> String {
    let host = hub.strip_prefix("http://").unwrap();
    format!("http://operator:{}@{host}/operator/{model}", client.token())
}
