//! Faults of every kind at random moments under a mixed load: nothing that was acknowledged is lost.
//!
//! The short form runs with the other tests; `just chaos` runs it for half an hour.

use std::time::{Duration, Instant};

use assay_store::testing::PrivateServer;

use crate::checks::check;
use crate::kills::{number, tell};
use crate::load::World;
use crate::random::Random;
use crate::server::{Place, Server};

/// How long faults go on, in seconds; `ASSAY_CHAOS_SECONDS` says otherwise.
const SECONDS: u64 = 15;
/// Where the random moments begin; `ASSAY_CHAOS_SEED` says otherwise.
const SEED: u64 = 18;
/// The longest quiet time between two faults, in milliseconds.
const QUIET: u64 = 700;
/// The longest time that a server is frozen or a disk is full, in milliseconds.
const FAULT: u64 = 1500;
/// The size of the disk of the hub. Half an hour of load fits when nothing is kept that should be gone.
const DISK_MEBIBYTES: u64 = 1024;
/// How far the clock jumps.
const JUMPS: [&str; 4] = ["-1h", "+30d", "-30d", "+0"];

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// SIGKILL, and a start.
    Kill,
    /// SIGSTOP for a moment.
    Freeze,
    /// No space on the disk, a SIGKILL and a start meanwhile, and space again.
    FullDisk,
    /// The clock jumps.
    Clock,
    /// The database server crashes and starts again.
    Database,
}

const FAULTS: [Fault; 5] = [
    Fault::Kill,
    Fault::Freeze,
    Fault::FullDisk,
    Fault::Clock,
    Fault::Database,
];

#[test]
fn nothing_acknowledged_is_lost_whatever_fails() {
    let place = Place::new()
        .with_small_disk(number("ASSAY_CHAOS_DISK", DISK_MEBIBYTES))
        .with_fake_clock();
    run_chaos(&place, 1, None);
}

#[test]
fn nothing_acknowledged_is_lost_by_three_servers_on_postgres_whatever_fails() {
    let Some(database_server) = PrivateServer::start_another() else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let database = runtime.block_on(database_server.new_database());
    let place = Place::new()
        .with_database(&database.url())
        .with_fake_clock();
    run_chaos(&place, 3, Some(database_server));
}

/// Lets faults happen for a while, then looks whether every promise was kept.
fn run_chaos(place: &Place, servers: usize, database: Option<&PrivateServer>) {
    let seed = number("ASSAY_CHAOS_SEED", SEED);
    let time = Duration::from_secs(number("ASSAY_CHAOS_SECONDS", SECONDS));
    let first = place.serve();
    let world = World::new(&first);
    world.expect_disturbance();
    let mut servers: Vec<Server> = std::iter::once(first)
        .chain((1..servers).map(|_| place.serve()))
        .collect();
    world.spread(&servers);
    let mut random = Random::new(seed);
    let mut happened = Vec::new();

    std::thread::scope(|scope| {
        world.begin(scope, seed, place.path());
        world.hang_up_too(scope, seed + 100);
        world.begin_tokens_and_large_files(scope, seed + 200, place);
        let end = Instant::now() + time;
        while Instant::now() < end {
            std::thread::sleep(Duration::from_millis(random.below(QUIET)));
            let fault = FAULTS[usize::try_from(random.below(FAULTS.len() as u64)).unwrap()];
            if happen(fault, place, &mut servers, &world, database, &mut random) {
                happened.push(fault);
            }
        }
        world.end();
    });

    if let Some(clock) = place.clock() {
        clock.set("+0");
    }
    // Whatever the last ones did is as good as any other crash.
    for server in std::mem::take(&mut servers) {
        server.kill();
    }
    let server = place.serve();
    world.moved(&server);
    let promises = world.promises().len();
    tell(&format!(
        "seed {seed}: {promises} promises and {} faults: {happened:?}",
        happened.len()
    ));
    assert!(promises > 20, "{promises}");
    check(place, &world);
    check_logs(place, &server);
}

/// Lets one fault happen; false when it cannot happen here.
fn happen(
    fault: Fault,
    place: &Place,
    servers: &mut Vec<Server>,
    world: &World,
    database: Option<&PrivateServer>,
    random: &mut Random,
) -> bool {
    let unlucky = usize::try_from(random.below(servers.len() as u64)).unwrap();
    let time = Duration::from_millis(random.below(FAULT));
    match fault {
        Fault::Kill => restart(place, servers, world, unlucky),
        Fault::Freeze => servers[unlucky].freeze(time),
        Fault::FullDisk => {
            let Some(disk) = place.disk() else {
                return false;
            };
            disk.fill();
            std::thread::sleep(time);
            restart(place, servers, world, unlucky);
            disk.relieve();
        }
        Fault::Clock => {
            let Some(clock) = place.clock() else {
                return false;
            };
            clock.set(JUMPS[usize::try_from(random.below(JUMPS.len() as u64)).unwrap()]);
        }
        Fault::Database => match database {
            Some(database) => database.restart_at_once(),
            None => return false,
        },
    }
    true
}

fn restart(place: &Place, servers: &mut Vec<Server>, world: &World, unlucky: usize) {
    servers.remove(unlucky).kill();
    servers.insert(unlucky, place.serve());
    world.spread(servers);
}

/// Both logs only grew: every entry leads to what was signed.
fn check_logs(place: &Place, server: &Server) {
    let audited = place
        .assay(&["log", "audit", &server.url])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&audited.stderr);
    assert!(audited.status.success(), "{told}");
}
