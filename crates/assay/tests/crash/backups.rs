//! Backups of a hub under load: each is restored elsewhere and has every promise that was made
//! before it began.

use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::checks::{check, check_index};
use crate::kills::{number, tell};
use crate::load::{EndOfWork, World};
use crate::restored::{Backups, find_promised, restore, told};
use crate::server::Place;
use crate::several::new_database;

/// Number of backups that are made of a hub with a file; `ASSAY_BACKUPS` says otherwise.
const ROUNDS: u64 = 12;
/// Number of are that made of a hub with `PostgreSQL`; `ASSAY_BACKUPS_POSTGRES` says otherwise.
const ROUNDS_ON_POSTGRES: u64 = 4;
/// The seed of the random choices.
const SEED: u64 = 31;
/// The time that everyone rests: the hub is to be written all the time, and to stay small.
const PACE: Duration = Duration::from_millis(400);
/// After how many rounds the index of a restored hub is compared with a rebuilt one.
const CHECKED_EVERY: u64 = 10;

/// A new hub for a round: with its database in a file, or with `PostgreSQL`.
type NewHub = fn(u64) -> Place;

/// Makes backups under load and restores each.
fn back_up_under_load(hub: &Place, rounds: u64, new_hub: NewHub) {
    let server = hub.serve();
    let world = World::new(&server).paced(PACE);
    let backups = Backups::new();
    let begun = Instant::now();
    let mut slowest = Duration::ZERO;

    std::thread::scope(|scope| {
        let _end = EndOfWork(&world);
        world.begin(scope, SEED, hub.path());
        world.come_and_go(scope, SEED + 100);
        let mut restoring: Option<ScopedJoinHandle<'_, ()>> = None;
        for round in 1..=rounds {
            let promises = world.promises().clone();
            let at = Instant::now();
            let made = backups.make(hub, &["--keep", "3"]);
            slowest = slowest.max(at.elapsed());
            assert_eq!(made["faults"], Value::Array(Vec::new()));

            // One is restored while the next one is made.
            if let Some(before) = restoring.take() {
                before.join().unwrap();
            }
            let generation = made["generation"].as_str().unwrap().to_owned();
            let (world, place) = (&world, backups.path());
            restoring = Some(scope.spawn(move || {
                let elsewhere = new_hub(round);
                told(&restore(&elsewhere, &place, &["--at", &generation]));
                find_promised(&elsewhere, world.keys, &promises);
                if round % CHECKED_EVERY == 0 {
                    check_index(&elsewhere);
                }
                if round == rounds {
                    let server = elsewhere.serve();
                    let answer = world.client.get(&format!("{}/api/models", server.url));
                    answer.unwrap().good();
                }
            }));
        }
        // The load goes on until the last one is restored.
        if let Some(last) = restoring {
            last.join().unwrap();
        }
    });

    let promised = world.promises().len();
    tell(&format!(
        "{rounds} backups beside {promised} promises in {:?}, the slowest took {slowest:?}",
        begun.elapsed()
    ));
    assert!(promised as u64 > rounds, "{promised}");
    let (code, text) = backups.verify(hub, &[]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(backups.generations(hub).len(), 3);
    check(hub, &world);
}

#[test]
fn backups_under_load_have_every_commit_that_was_acknowledged_before() {
    let rounds = number("ASSAY_BACKUPS", ROUNDS);

    back_up_under_load(&Place::new(), rounds, |_| Place::new());
}

#[test]
fn backups_of_a_hub_on_postgresql_are_restored_to_servers_and_to_files() {
    let Some(database) = new_database() else {
        return;
    };
    let rounds = number("ASSAY_BACKUPS_POSTGRES", ROUNDS_ON_POSTGRES);
    let hub = Place::new().with_database(&database.url());

    back_up_under_load(&hub, rounds, |round| {
        // Dropping a database waits for whoever is connected; these go with the server.
        let database = new_database().filter(|_| round % 2 == 0);
        match database.map(std::mem::ManuallyDrop::new) {
            Some(database) => Place::new().with_database(&database.url()),
            None => Place::new(),
        }
    });
}

#[test]
fn a_backup_of_a_file_is_restored_to_postgresql_unless_something_is_there() {
    let Some(database) = new_database() else {
        return;
    };
    let hub = Place::new();
    let server = hub.serve();
    let world = World::new(&server);
    let backups = Backups::new();
    backups.make(&hub, &[]);
    let elsewhere = Place::new().with_database(&database.url());

    told(&restore(&elsewhere, &backups.path(), &[]));
    let again = Place::new().with_database(&database.url());
    let refused = restore(&again, &backups.path(), &[]);

    check_index(&elsewhere);
    let server = elsewhere.serve();
    let url = format!("{}/api/models/operator/committed", server.url);
    world.client.get(&url).unwrap().good();
    let text = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(1), "{text}");
    assert!(text.contains("the database is not empty"), "{text}");
    assert!(!again.data().exists());
}
