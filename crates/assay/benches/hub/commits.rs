//! Publishing one result file: through the API, by git to the hub, and by git to `git
//! http-backend`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::backend::{self, Backend};
use crate::figures::median;
use crate::http::{self, Connection};
use crate::process::HubProcess;
use crate::{Settings, fill, git};

/// The model that is published to, and the board that shows it.
const MODEL: u32 = 0;

/// The times of each round, in milliseconds.
#[derive(Default)]
struct Times {
    api: Vec<f64>,
    plain: Vec<f64>,
    hub: Vec<f64>,
    api_to_visible: Vec<f64>,
    request_to_visible: Vec<f64>,
    push_to_visible: Vec<f64>,
}

pub(crate) fn measure(hub: &HubProcess, settings: &Settings, directory: &Path) {
    let plain = plain_clone(directory);
    let own = directory.join("own");
    let address = hub.address();
    let url = format!(
        "http://operator:{}@{address}/{}",
        hub.token,
        fill::model(MODEL)
    );
    let mut connection = Connection::open(address);
    let mut times = Times::default();
    for round in 0..settings.commits {
        let text = |step: u32| format!("0.{}", 1_000_000 + round * 10 + step);
        by_api(hub, &mut connection, &text(1), &mut times);
        times.plain.push(by_git(&plain, &text(2)));
        // What the API has committed meanwhile is fetched first; that is not part of what is
        // measured.
        if own.exists() {
            git::run(&own, &["pull", "--quiet"]);
        } else {
            let own = own.to_str().unwrap();
            git::run(directory, &["clone", "--quiet", &url, own]);
        }
        times.hub.push(by_git(&own, &text(3)));
        times.push_to_visible.push(wait(&mut connection, &text(3)));
    }
    tell(times);
}

/// A clone of a repository with the same files, behind `git http-backend`.
fn plain_clone(directory: &Path) -> PathBuf {
    let root = directory.join("plain");
    std::fs::create_dir(&root).unwrap();
    backend::create(&root, "model.git");
    let backend = Backend::start(root);
    let clone = directory.join("clone");
    let url = format!("http://{}/model.git", backend.address);
    git::run(
        directory,
        &["clone", "--quiet", &url, clone.to_str().unwrap()],
    );
    git::write(&clone, &fill::model_files(MODEL));
    git::run(&clone, &["add", "."]);
    git::run(&clone, &["commit", "--quiet", "-m", "Add results"]);
    git::run(&clone, &["push", "--quiet", "origin", "HEAD:main"]);
    clone
}

fn by_api(hub: &HubProcess, connection: &mut Connection, value: &str, times: &mut Times) {
    let text = fill::result_text(MODEL, value);
    let start = Instant::now();
    connection.commit(
        &fill::model(MODEL),
        &hub.token,
        &fill::result_path(MODEL),
        &text,
    );
    let committed = milliseconds(start);
    let visible = wait(connection, value);
    times.api.push(committed);
    times.api_to_visible.push(visible);
    times.request_to_visible.push(committed + visible);
}

/// `git commit` and `git push`, of a file that is there already.
fn by_git(clone: &Path, value: &str) -> f64 {
    let path = clone.join(fill::result_path(MODEL));
    std::fs::write(path, fill::result_text(MODEL, value)).unwrap();
    let start = Instant::now();
    git::run(clone, &["commit", "--quiet", "-a", "-m", "Add results"]);
    git::run(clone, &["push", "--quiet", "origin", "HEAD:main"]);
    milliseconds(start)
}

/// Asks for the board until it shows a value.
fn wait(connection: &mut Connection, value: &str) -> f64 {
    let path = format!("/api/datasets/{}/leaderboard", fill::board(MODEL));
    let start = Instant::now();
    loop {
        let board = connection.get(&path);
        let waited = milliseconds(start);
        if http::find(&board, value.as_bytes()).is_some() {
            return waited;
        }
        assert!(waited < 10_000.0, "{value} never appeared on the board");
    }
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn tell(times: Times) {
    let (api, plain, hub) = (median(times.api), median(times.plain), median(times.hub));
    println!("{:<60}{:>10}", "one result file, medians", "ms");
    for (name, time) in [
        ("commit through the API: validated and indexed", api),
        ("`git commit && git push` to `git http-backend`", plain),
        ("`git commit && git push` to the hub", hub),
        (
            "from the acknowledged API commit until the board shows it",
            median(times.api_to_visible),
        ),
        (
            "from the end of `git push` until the board shows it",
            median(times.push_to_visible),
        ),
        (
            "from the API request until the board shows it",
            median(times.request_to_visible),
        ),
    ] {
        println!("{name:<60}{time:>10.1}");
    }
    println!(
        "the API is {:.1}x as fast as `git http-backend`; a push to the hub takes {:.2}x the time of one there\n",
        plain / api,
        hub / plain
    );
}
