//! Clones of a large repository, from the hub and from `git http-backend`.

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::backend::{self, Backend};
use crate::figures::{least, median};
use crate::http::Connection;
use crate::process::HubProcess;
use crate::{Settings, git};

const ROUNDS: usize = 5;
/// More files than git takes apart on a push, so that both keep what they were sent as one pack.
const FILES: usize = 256;

pub(crate) fn measure(hub: &HubProcess, settings: &Settings, directory: &Path) {
    let root = directory.join("large");
    std::fs::create_dir(&root).unwrap();
    backend::create(&root, "large.git");
    let plain = Backend::start(root);
    let plain = format!("http://{}/large.git", plain.address);
    let own = format!(
        "http://operator:{}@{}/datasets/operator/large",
        hub.token,
        hub.address()
    );
    let body = json!({ "name": "large", "type": "dataset" }).to_string();
    let mut connection = Connection::open(hub.address());
    connection.post("/api/repos/create", &hub.token, "application/json", &body);
    push(directory, settings.mb, &own, &plain);

    let (mut by_hub, mut by_plain) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        by_hub.push(clone(directory, &own));
        by_plain.push(clone(directory, &plain));
    }
    let ratios = by_hub.iter().zip(&by_plain).map(|(own, plain)| own / plain);
    println!(
        "{:<28}{:>12}{:>18}{:>16}{:>16}",
        format!("a clone of {} MB", settings.mb),
        "hub MB/s",
        "http-backend MB/s",
        "median ratio",
        "best to best"
    );
    println!(
        "{:<28}{:>12.0}{:>18.0}{:>15.2}x{:>15.2}x\n",
        "",
        settings.mb as f64 / least(&by_hub),
        settings.mb as f64 / least(&by_plain),
        median(ratios.collect()),
        least(&by_hub) / least(&by_plain)
    );
}

/// Fills a repository with bytes that cannot be packed further, and pushes it to both.
fn push(directory: &Path, mb: usize, own: &str, plain: &str) {
    let work = directory.join("large-work");
    // The hub has made a first commit.
    git::run(
        directory,
        &["clone", "--quiet", own, work.to_str().unwrap()],
    );
    let mut state = 0x5eed_u64;
    for number in 0..FILES {
        let words = (0..mb * 1_000_000 / FILES / 8).map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()
        });
        let bytes: Vec<u8> = words.flatten().collect();
        std::fs::write(work.join(format!("{number}.bin")), bytes).unwrap();
    }
    git::run(&work, &["add", "."]);
    git::run(&work, &["commit", "--quiet", "-m", "Add files"]);
    for url in [own, plain] {
        git::run(&work, &["push", "--quiet", url, "HEAD:main"]);
    }
    std::fs::remove_dir_all(work).unwrap();
}

fn clone(directory: &Path, url: &str) -> f64 {
    let target = directory.join("large-clone");
    let start = Instant::now();
    git::run(
        directory,
        &["clone", "--quiet", "--bare", url, target.to_str().unwrap()],
    );
    let took = start.elapsed().as_secs_f64();
    std::fs::remove_dir_all(target).unwrap();
    took
}
