use crate::checks::check;
use crate::load::World;
use crate::server::Place;

/// The number of times that each command is run beside the server.
const ROUNDS: usize = 6;

#[test]
fn commands_of_the_operator_do_not_disturb_a_living_server() {
    let place = Place::new();
    let server = place.serve();
    let world = World::new(&server);

    std::thread::scope(|scope| {
        world.begin(scope, 11, place.path());
        for round in 0..ROUNDS {
            let user = format!("drill-{round}");
            for args in [
                &["admin", "user", "create", &user] as &[&str],
                &["keys", "rotate"],
                &[
                    "trust",
                    "revoke",
                    "--integration",
                    &user,
                    "--reason",
                    "a drill",
                ],
                &["reindex", "--no-progress"],
                &["reindex", "--check", "--no-progress"],
            ] {
                let done = place.operate(args);

                let (told, errors) = (
                    String::from_utf8_lossy(&done.stdout),
                    String::from_utf8_lossy(&done.stderr),
                );
                if !done.status.success() {
                    world.end();
                }
                assert!(done.status.success(), "{args:?}: {told}{errors}");
            }
        }
        world.end();
    });

    assert!(!world.promises().is_empty());
    check(&place, &world);
    drop(server);
}

#[test]
fn a_second_server_is_turned_away_and_commands_are_not() {
    let place = Place::new();
    let server = place.serve();

    let second = place.operate(&["serve", "--listen", "127.0.0.1:0"]);
    let collected = place.operate(&["admin", "gc", "--dry-run"]);

    let told = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(3), "{told}");
    assert!(told.contains("another server works in"), "{told}");
    let told = String::from_utf8_lossy(&collected.stdout);
    assert_eq!(
        told,
        "would remove 0 large files of 0 bytes that no repository has; 0 stay\n"
    );
    server.kill();
    // The mark goes with the process, however that ends.
    drop(place.serve());
}
