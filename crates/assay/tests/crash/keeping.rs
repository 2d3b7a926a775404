//! Commands and starts with a database that is not the hub's.

use std::process::Output;

use crate::client::result;
use crate::load::{COMMITTED, MODELS, World};
use crate::server::Place;
use crate::several::new_database;

/// The repositories of a [`World`]: a benchmark and the models.
const REPOSITORIES: usize = 1 + MODELS.len();

fn told(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// Returns the number of repositories that lie in the data directory.
fn repositories(place: &Place) -> usize {
    let repos = place.data().join("repos");
    let shards = std::fs::read_dir(repos)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let is_shard = |path: &std::path::PathBuf| path.file_name().is_some_and(|name| name.len() == 2);
    shards
        .filter(is_shard)
        .map(|shard| std::fs::read_dir(shard).unwrap().count())
        .sum()
}

#[test]
fn commands_beside_a_hub_on_a_server_refuse_to_work_on_another_database() {
    let Some(database) = new_database() else {
        return;
    };
    let place = Place::new().with_database(&database.url());
    let server = place.serve();
    let world = World::new(&server);
    let forgetful = place.without_database();

    for args in [
        &["reindex", "--no-progress"] as &[&str],
        &["reindex", "--check", "--no-progress"],
        &["admin", "user", "list"],
        &["keys", "list"],
        &["trust", "list"],
        &["issuer", "identity", "list"],
        &["admin", "gc", "--dry-run"],
        &["admin", "adopt", "--dry-run"],
    ] {
        let refused = forgetful(args);

        assert_eq!(
            refused.status.code(),
            Some(3),
            "{args:?}: {}",
            told(&refused)
        );
        assert!(
            told(&refused).contains("postgres://"),
            "{args:?}: {}",
            told(&refused)
        );
        assert!(
            !told(&refused).contains("password="),
            "{args:?}: {}",
            told(&refused)
        );
    }
    assert_eq!(repositories(&place), REPOSITORIES);
    assert!(!place.data().join("hub.db").exists());
    let url = format!("{}/api/models/operator/{COMMITTED}", server.url);
    world.client.get(&url).unwrap().good();
    assert!(
        place
            .operate(&["reindex", "--no-progress"])
            .status
            .success()
    );
}

#[test]
fn a_hub_whose_database_is_lost_does_not_start_and_is_adopted() {
    let place = Place::new();
    let server = place.serve();
    let world = World::new(&server);
    let at = format!("models/operator/{COMMITTED}/commit/main");
    let file = ".eval_results/a.yaml";
    world
        .client
        .commit(&server.url, &at, file, &result(7))
        .unwrap()
        .good();
    server.kill();
    for name in ["hub.db", "hub.db-wal", "hub.db-shm"] {
        let _ = std::fs::remove_file(place.data().join(name));
    }

    let started = place.operate(&["serve", "--listen", "127.0.0.1:0"]);
    let reindexed = place.operate(&["reindex", "--no-progress"]);
    let rehearsed = place.operate(&["admin", "adopt", "--dry-run"]);
    let made_none = !place.data().join("hub.db").exists();
    let adopted = place.operate(&["admin", "adopt", "--format", "json"]);
    let checked = place.operate(&["reindex", "--check", "--no-progress"]);

    assert_eq!(started.status.code(), Some(3), "{}", told(&started));
    assert!(
        told(&started).contains("assay admin adopt"),
        "{}",
        told(&started)
    );
    assert_eq!(reindexed.status.code(), Some(3), "{}", told(&reindexed));
    assert!(rehearsed.status.success(), "{}", told(&rehearsed));
    assert!(
        told(&rehearsed).contains(&format!("{REPOSITORIES} repositories would get a record")),
        "{}",
        told(&rehearsed)
    );
    assert!(made_none);
    assert!(adopted.status.success(), "{}", told(&adopted));
    let json: serde_json::Value = serde_json::from_slice(&adopted.stdout).unwrap();
    assert_eq!(json["repositories"].as_array().unwrap().len(), REPOSITORIES);
    assert_eq!(json["accounts"], serde_json::json!(["operator"]));
    assert!(checked.status.success(), "{}", told(&checked));
    assert_eq!(repositories(&place), REPOSITORIES);
    let server = place.serve();
    let board = format!(
        "{}/api/datasets/operator/sums/leaderboard?task_id=words",
        server.url
    );
    let rows = world.client.get(&board);
    // The token is gone with the database; who signs in with nothing sees what is public.
    assert_eq!(rows.unwrap().status, 401);
    let created = place.operate(&["admin", "token", "create", "operator", "--format", "json"]);
    let token: serde_json::Value = serde_json::from_slice(&created.stdout).unwrap();
    let client = crate::client::Client::new(token["token"].as_str().unwrap());
    let rows = client.get(&board).unwrap().good().json();
    assert_eq!(rows[0]["value"], serde_json::json!(7.0), "{rows}");
}

#[test]
fn a_damaged_branch_is_named_by_the_check() {
    let place = Place::new();
    let server = place.serve();
    let world = World::new(&server);
    server.kill();
    let key = world.keys[0];
    let shard = format!("{:02x}", key % 256);
    let repository = place
        .data()
        .join("repos")
        .join(shard)
        .join(format!("{key}.git"));
    let missing = "1234567890123456789012345678901234567890";
    std::fs::write(repository.join("refs/heads/main"), format!("{missing}\n")).unwrap();

    let checked = place.operate(&["reindex", "--check", "--no-progress"]);
    let rebuilt = place.operate(&["reindex", "--no-progress"]);

    for output in [&checked, &rebuilt] {
        assert_eq!(output.status.code(), Some(1), "{}", told(output));
        for part in ["operator/committed", "refs/heads/main", missing] {
            assert!(told(output).contains(part), "{part}: {}", told(output));
        }
    }
    let server = place.serve();
    assert!(place.log().contains(missing));
    drop(server);
}
