//! The state after a process is killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use assay_git::{Expected, RefChange, RefName, Repositories, Repository};
use assay_model::{ObjectId, RepoKey};

use crate::support::{Hub, plan, put};

/// Tells a copy of this test where to work until it is killed.
const WORKPLACE: &str = "ASSAY_GIT_TEST_WORKPLACE";
/// The number of kills.
const KILLS: usize = 25;

/// Adds a commit to `main`, and says which.
fn advance(repository: &Repository, tick: i64) -> ObjectId {
    let old = repository
        .find_ref(&RefName::main())
        .unwrap()
        .unwrap()
        .target;
    let quarantine = repository.quarantine();
    // Enough that some of it goes through a directory.
    let operations = vec![
        put("small", &tick.to_string()),
        put("large", &tick.to_string().repeat(300_000)),
    ];
    let new = quarantine
        .write(&plan(Some(old), operations, tick))
        .unwrap();
    quarantine.admit().unwrap();
    let change = RefChange {
        name: RefName::main(),
        expected: Expected::At(old),
        new: Some(new),
    };
    repository.update_refs(&[change]).unwrap();
    new
}

/// By itself a small test; as a copy with a workplace, the one that is killed.
#[test]
#[expect(
    clippy::print_stdout,
    reason = "each line is a commit that is promised to be kept"
)]
fn a_worker_adds_commits() {
    if let Some(root) = std::env::var_os(WORKPLACE) {
        let repository = Repositories::new(Path::new(&root))
            .unwrap()
            .get(RepoKey(258))
            .unwrap();
        for tick in 1_000_000.. {
            println!("commit {}", advance(&repository, tick));
        }
    }
    let hub = Hub::with(&[("a", "1")]);

    let commits: Vec<_> = (0..3).map(|tick| advance(&hub.repository, tick)).collect();

    assert_eq!(hub.main(), commits[2]);
    assert_eq!(hub.git(&["rev-list", "--count", "main"]), "4");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the process is this one again")]
fn a_commit_that_was_promised_outlives_the_process_that_is_killed() {
    let hub = Hub::with(&[("a", "1")]);
    let root = hub.directory.path().join("repos");
    for round in 0..KILLS {
        let mut worker = Command::new(std::env::current_exe().unwrap())
            .args(["recovery::a_worker_adds_commits", "--exact", "--nocapture"])
            .env(WORKPLACE, &root)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(worker.stdout.take().unwrap()).lines();
        // Killed while it works on the next one, at another moment each time.
        let promised: Vec<ObjectId> = lines
            .map_while(Result::ok)
            .filter_map(|line| line.rsplit_once("commit ")?.1.parse().ok())
            .take(1 + round % 3)
            .collect();
        worker.kill().unwrap();
        worker.wait().unwrap();

        let promised = *promised.last().expect("the worker promised something");
        hub.repositories.recover().unwrap();
        let repository = hub.repositories.get(RepoKey(258)).unwrap();
        assert!(
            repository
                .objects()
                .is_ancestor(promised, hub.main())
                .unwrap()
        );
        advance(&repository, 0);
    }
    assert_eq!(hub.unfinished(), 0);
    hub.assert_sound();
}

#[test]
fn locks_that_a_killed_process_left_do_not_last() {
    let hub = Hub::with(&[("a", "1")]);
    hub.git(&["pack-refs", "--all"]);
    for name in ["refs/heads/main.lock", "packed-refs.lock"] {
        std::fs::create_dir_all(hub.repository.path().join("refs/heads")).unwrap();
        std::fs::write(hub.repository.path().join(name), "").unwrap();
    }

    let new = advance(&hub.repository, 1);

    assert_eq!(hub.main(), new);
    hub.assert_sound();
}
