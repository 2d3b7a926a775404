//! Several servers on one database and one directory.

use std::time::Duration;

use assay_store::testing::{PrivateServer, TestDatabase};

use crate::checks::check;
use crate::load::World;
use crate::server::Place;
use assay_testkit::random::Random;

/// The seed of the random moments.
const SEED: u64 = 21;
/// The number of times that two of three servers are killed.
const ROUNDS: u64 = 3;
/// The number of looks whether those that are left have caught up.
const LOOKS: usize = 40;

/// A database on a private server, where there is one to be had.
pub(crate) fn new_database() -> Option<TestDatabase> {
    let server = PrivateServer::get()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    Some(runtime.block_on(server.new_database()))
}

#[test]
fn three_servers_of_which_two_are_killed_under_load_keep_every_promise() {
    let Some(database) = new_database() else {
        return;
    };
    let place = Place::new().with_database(&database.url());
    let first = place.serve();
    let world = World::new(&first);
    let mut servers = vec![first, place.serve(), place.serve()];
    world.spread(&servers);
    let mut random = Random::new(SEED);

    std::thread::scope(|scope| {
        world.begin(scope, SEED, place.path());
        for _ in 0..ROUNDS {
            for _ in 0..2 {
                std::thread::sleep(Duration::from_millis(1000 + random.below(1500)));
                let unlucky = random.below(servers.len() as u64);
                servers.remove(usize::try_from(unlucky).unwrap()).kill();
                world.spread(&servers);
            }
            std::thread::sleep(Duration::from_millis(random.below(1000)));
            servers.extend([place.serve(), place.serve()]);
            world.spread(&servers);
        }
        servers.remove(2).kill();
        servers.remove(0).kill();
        world.spread(&servers);
        std::thread::sleep(Duration::from_secs(1));
        world.end();
    });

    // The one that is left notices within a second or so, and catches up with what the others
    // began.
    let is_caught_up = || {
        let done = place.operate(&["reindex", "--check", "--no-progress"]);
        done.status.success()
    };
    for _ in 0..LOOKS {
        if is_caught_up() {
            break;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    assert!(world.promises().len() > 20, "{:?}", world.promises().len());
    assert!(
        place.log().contains("another server is gone"),
        "{}",
        place.log()
    );
    check(&place, &world);
}
