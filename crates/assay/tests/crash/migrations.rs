//! A hub that is moved from a file to a server.

use crate::load::{COMMITTED, World};
use crate::server::{Place, Server};
use crate::several::new_database;

/// Returns the public results.
fn results(world: &World, server: &Server) -> serde_json::Value {
    let path = format!("/api/models/operator/{COMMITTED}?expand[]=evalResults");
    let answer = world.client.get(&format!("{}{path}", server.url));
    answer.unwrap().good().json()["evalResults"].clone()
}

#[test]
fn a_hub_that_is_moved_to_a_server_is_the_same_hub() {
    let Some(database) = new_database() else {
        return;
    };
    let place = Place::new();
    let server = place.serve();
    let world = World::new(&server);
    let text = crate::client::result(42);
    let at = format!("models/operator/{COMMITTED}/commit/main");
    let made = world
        .client
        .commit(&server.url, &at, ".eval_results/a.yaml", &text);
    made.unwrap().good();
    let before = results(&world, &server);
    let from = format!("sqlite:{}", place.data().join("hub.db").display());
    let to = database.url();
    let migrate = ["migrate", "--from", &from, "--to", &to];

    let running = place.assay(&migrate).output().unwrap();
    server.kill();
    let moved = place.assay(&migrate).output().unwrap();
    let again = place.assay(&migrate).output().unwrap();
    let place = place.with_database(&to);
    let server = place.serve();

    let told = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(running.status.code(), Some(1), "{}", told(&running));
    assert!(
        told(&running).contains("another server works in"),
        "{}",
        told(&running)
    );
    assert!(moved.status.success(), "{}", told(&moved));
    let text = String::from_utf8_lossy(&moved.stdout);
    assert!(text.contains("43 tables"), "{text}");
    assert_eq!(again.status.code(), Some(1), "{}", told(&again));
    assert!(told(&again).contains("is not empty"), "{}", told(&again));
    assert_eq!(results(&world, &server), before);
    let checked = place.operate(&["reindex", "--check", "--no-progress"]);
    assert!(checked.status.success(), "{}", told(&checked));
}
