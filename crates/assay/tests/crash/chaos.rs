//! Faults of every kind at random moments under a mixed load: nothing that was acknowledged is
//! lost.
//!
//! The short form runs with the other tests; `just chaos` runs it for half an hour.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use assay_store::testing::PrivateServer;

use crate::checks::check;
use crate::kills::{counts, number, tell};
use crate::load::{EndOfWork, World};
use crate::restored::{Backups, find_promised, restore, told};
use crate::server::{Place, Server};
use assay_testkit::random::Random;

/// The duration of faults, in seconds, unless `ASSAY_CHAOS_SECONDS` is set.
const SECONDS: u64 = 15;
/// The seed of the random moments, unless `ASSAY_CHAOS_SEED` is set.
const SEED: u64 = 18;
/// The longest quiet time between two faults, in milliseconds.
const QUIET: u64 = 700;
/// The longest time that a server is frozen or a disk is full, in milliseconds.
const FAULT: u64 = 1500;
/// The shortest pause between two writes of one person, in milliseconds.
const PACE: u64 = 20;
/// By how many of the seconds of a run the pause grows by a millisecond: a long run writes no more
/// than can be checked in some minutes.
const SECONDS_PER_PACE: u64 = 4;
/// The longest time between two backups, in milliseconds.
const BETWEEN_BACKUPS: u64 = 3000;
/// The time between two looks of a waiter whether it is all over.
const LOOK: Duration = Duration::from_millis(100);
/// The size of the disk of the hub. Half an hour of load fits when nothing is kept that should be
/// gone.
const DISK_MEBIBYTES: u64 = 1024;
/// The jumps of the clock.
const JUMPS: [&str; 4] = ["-1h", "+30d", "-30d", "+0"];
/// The messages of a backup that ends early: the disk is full, or the database is away.
const INTERRUPTIONS: [&str; 3] = [
    "the disk of the hub is full",
    "busy or away",
    "failed to open the database",
];

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// The backups of a run.
#[derive(Debug, Default)]
struct BackupCounts {
    /// Those that were restored elsewhere, with everything that was promised before they began.
    restored: u64,
    /// Those that a fault ended early, and that said so.
    interrupted: u64,
}

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
        .with_small_disk(number("ASSAY_CHAOS_DISK", DISK_MEBIBYTES))
        .with_fake_clock();
    run_chaos(&place, 3, Some(database_server));
}

/// Lets faults happen for a while, then looks whether every promise was kept.
fn run_chaos(place: &Place, servers: usize, database: Option<&PrivateServer>) {
    let seed = number("ASSAY_CHAOS_SEED", SEED);
    let seconds = number("ASSAY_CHAOS_SECONDS", SECONDS);
    let pace = Duration::from_millis(PACE.max(seconds / SECONDS_PER_PACE));
    let first = place.serve();
    let world = World::new(&first).paced(pace);
    world.expect_disturbance();
    let mut servers: Vec<Server> = std::iter::once(first)
        .chain((1..servers).map(|_| place.serve()))
        .collect();
    world.spread(&servers);
    let mut random = Random::new(seed);
    let mut happened = BTreeMap::new();
    let backups = Backups::new();

    let backup_counts = std::thread::scope(|scope| {
        let end_of_work = EndOfWork(&world);
        world.begin(scope, seed, place.path());
        world.hang_up_too(scope, seed + 100);
        world.begin_tokens_and_large_files(scope, seed + 200, place);
        let backing_up = scope.spawn(|| back_up(place, &world, &backups, seed + 300));
        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end && !backing_up.is_finished() {
            std::thread::sleep(Duration::from_millis(random.below(QUIET)));
            let fault = FAULTS[usize::try_from(random.below(FAULTS.len() as u64)).unwrap()];
            if happen(fault, place, &mut servers, &world, database, &mut random) {
                *happened.entry(fault).or_insert(0_u64) += 1;
            }
        }
        drop(end_of_work);
        backing_up.join().unwrap()
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
    assert!(promises > 20, "{promises}");
    check(place, &world);
    check_logs(place, &server);
    check_last_backup(place, &world, &backups);
    tell(&format!(
        "chaos with seed {seed} for {seconds} s\n\
         faults: {} {happened:?}\n\
         backups under load: {} restored with every commit, {} interrupted by a fault; the last one passed all checks below\n\
         acknowledged writes: {promises} ({})\n\
         lost: 0\n\
         reindex --check: equal; git fsck: clean; audit of the logs: clean",
        happened.values().sum::<u64>(),
        backup_counts.restored,
        backup_counts.interrupted,
        counts(&world),
    ));
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

/// Makes backups until the end of work, beside all faults, and restores each elsewhere.
fn back_up(place: &Place, world: &World, backups: &Backups, seed: u64) -> BackupCounts {
    let mut random = Random::new(seed);
    let mut counts = BackupCounts::default();
    while !world.is_over() {
        let next = Instant::now() + Duration::from_millis(random.below(BETWEEN_BACKUPS));
        while Instant::now() < next && !world.is_over() {
            std::thread::sleep(LOOK);
        }
        let promises = world.promises().clone();
        let made = backups.run(place, &["--keep", "2"]);
        if made.status.success() {
            let elsewhere = Place::new();
            told(&restore(&elsewhere, &backups.path(), &[]));
            find_promised(&elsewhere, world.keys, &promises);
            counts.restored += 1;
        } else {
            let text = [made.stdout, made.stderr].concat();
            let text = String::from_utf8(text).unwrap();
            let is_expected = INTERRUPTIONS.iter().any(|reason| text.contains(reason));
            assert!(is_expected, "{text}");
            counts.interrupted += 1;
        }
    }
    counts
}

/// A backup of everything, restored elsewhere, passes every check that the hub itself passes.
fn check_last_backup(place: &Place, world: &World, backups: &Backups) {
    backups.make(place, &["--keep", "2"]);
    let elsewhere = Place::new();
    told(&restore(&elsewhere, &backups.path(), &[]));
    let server = elsewhere.serve();
    world.moved(&server);
    check(&elsewhere, world);
    check_logs(&elsewhere, &server);
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
