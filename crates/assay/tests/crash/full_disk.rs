//! A disk without space: what is there can be read, and nothing that was promised is lost.

use crate::client::{Answer, Client, result};
use crate::faults::{SmallDisk, run};
use crate::git::{Clone, said};
use crate::load::{COMMITTED, PUSHED, World};
use crate::server::{Place, Server};

/// The size of the disk.
const MEBIBYTES: u64 = 32;

fn commit(client: &Client, server: &Server, value: u64) -> Answer {
    let place = format!("models/operator/{COMMITTED}/commit/main");
    let path = ".eval_results/a.yaml";
    client
        .commit(&server.url, &place, path, &result(value))
        .unwrap()
}

fn head(client: &Client, server: &Server) -> String {
    let url = format!("{}/api/models/operator/{COMMITTED}", server.url);
    client.get(&url).unwrap().good().json()["sha"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_full_disk_is_told_and_read_from_and_a_hub_starts_on_it() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(place.path(), MEBIBYTES) else {
        return;
    };
    let settings = ["limits.free_bytes=1"];
    let server = place.serve_with(&settings);
    let world = World::new(&server);
    let client = &world.client;
    commit(client, &server, 1).good();
    let kept = head(client, &server);
    let elsewhere = tempfile::tempdir().unwrap();
    let remote = server
        .url
        .replace("http://", &format!("http://operator:{}@", client.token()));
    let remote = format!("{remote}/operator/{PUSHED}");
    let clone = Clone::of(&remote, elsewhere.path().join("clone"));
    clone.commit("large", &"not much more than nothing\n".repeat(10_000));
    disk.fill();

    let refused = (2..6).map(|value| commit(client, &server, value));
    let refused: Vec<Answer> = refused.filter(|answer| answer.status != 200).collect();
    let pushed = clone.push(&remote, "HEAD:refs/heads/main");
    let ready = client.get(&format!("{}/readyz", server.url)).unwrap();
    let healthy = client.get(&format!("{}/healthz", server.url)).unwrap();
    let known = head(client, &server);
    server.kill();
    let killed = place.serve_with(&settings);
    let after_kill = head(client, &killed);
    stop_gently(killed);
    disk.fill();
    let stopped = place.serve_with(&settings);
    let after_stop = head(client, &stopped);
    disk.relieve();
    let mended = commit(client, &stopped, 9);

    assert!(!refused.is_empty());
    for answer in &refused {
        assert_eq!(answer.status, 507, "{}", answer.body);
        assert!(
            answer.body.contains("the disk of the hub is full"),
            "{}",
            answer.body
        );
    }
    assert!(!pushed.status.success());
    assert!(
        said(&pushed).contains("the disk of the hub is full"),
        "{}",
        said(&pushed)
    );
    assert_eq!(ready.status, 503, "{}", ready.body);
    assert_eq!(healthy.status, 200, "{}", healthy.body);
    assert_eq!(kept.len(), 40);
    assert_eq!(after_kill, known);
    assert_eq!(after_stop, known);
    assert_eq!(mended.status, 200, "{}", mended.body);
    let checked = place.operate(&["reindex", "--check", "--no-progress"]);
    let told = String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{told}");
    drop(stopped);
}

/// Stops a server as an operator does, so that it tidies up behind itself.
fn stop_gently(server: Server) {
    assert!(run("kill", &["-TERM", &server.id().to_string()]));
    server.wait();
}
