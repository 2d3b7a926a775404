use crate::checks::check;
use crate::load::World;
use crate::server::Place;

/// How often each command is run beside the server.
const ROUNDS: usize = 6;

#[test]
fn commands_of_the_operator_do_not_disturb_a_living_server() {
    let place = Place::new();
    let server = place.serve();
    let world = World::new(&server);

    std::thread::scope(|scope| {
        world.begin(scope, 11, place.path());
        for round in 0..ROUNDS {
            let user = format!("user-{round}");
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
