use std::time::Duration;

use crate::checks::check;
use crate::load::{Promise, World};
use crate::server::Place;
use assay_testkit::random::Random;

/// The number of kills, unless `ASSAY_CRASH_KILLS` is set.
const KILLS: u64 = 200;
/// The seed of the random moments, unless `ASSAY_CRASH_SEED` is set.
const SEED: u64 = 4;
/// The longest lives of a server, in milliseconds; most lives are much shorter.
const LIVES: [u64; 4] = [20, 100, 300, 700];

#[test]
fn a_hub_that_is_killed_hundreds_of_times_keeps_every_promise() {
    let (kills, seed) = (
        number("ASSAY_CRASH_KILLS", KILLS),
        number("ASSAY_CRASH_SEED", SEED),
    );
    let place = Place::new();
    let mut server = place.serve();
    let world = World::new(&server);
    let mut random = Random::new(seed);

    let mut server = std::thread::scope(|scope| {
        world.begin(scope, seed, place.path());
        world.hang_up_too(scope, seed + 100);
        for _ in 0..kills {
            let most = LIVES[usize::try_from(random.below(4)).unwrap()];
            std::thread::sleep(Duration::from_millis(random.below(most)));
            server.kill();
            server = place.serve();
            world.moved(&server);
        }
        world.end();
        server
    });
    // Whatever the last ones did is as good as any other crash.
    server.kill();
    server = place.serve();
    world.moved(&server);

    let behind = place.log().matches("is behind and catches up").count();
    let counts = counts(&world);
    tell(&format!(
        "seed {seed}, {kills} kills: {counts}, {behind} times behind"
    ));
    check(&place, &world);
    drop(server);
}

/// Returns the number of promises of each kind; there must be some.
pub(crate) fn counts(world: &World) -> String {
    let promises = world.promises();
    let count = |kind: fn(&Promise) -> bool| promises.iter().filter(|it| kind(it)).count();
    let commits = count(|it| matches!(it, Promise::Commit { .. }));
    let pulls = count(|it| matches!(it, Promise::Pull { .. }));
    let closed = count(|it| matches!(it, Promise::Closed { .. }));
    let merged = count(|it| matches!(it, Promise::Merged { .. }));
    let tokens = count(|it| matches!(it, Promise::Token { .. }));
    let files = count(|it| matches!(it, Promise::LargeFile { .. }));
    assert!(commits > 0 && pulls > 0, "{commits} and {pulls}");
    format!(
        "{commits} commits, {pulls} pull requests, {closed} closed, {merged} merged, {tokens} tokens, {files} large files"
    )
}

#[expect(
    clippy::print_stdout,
    reason = "shown when the test fails, and to who asks how much it has tried"
)]
pub(crate) fn tell(text: &str) {
    println!("{text}");
}

pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    let given = std::env::var_os(name);
    given.map_or(otherwise, |text| text.to_str().unwrap().parse().unwrap())
}
