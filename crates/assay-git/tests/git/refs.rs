//! Refs: found, resolved, and moved by one of many.

use std::sync::Barrier;

use assay_git::{Error, Expected, RefChange, RefKind, RefName, Repositories};
use assay_model::{ObjectId, RepoKey};

use crate::support::{Hub, put};

fn change(name: &RefName, expected: Expected, new: Option<ObjectId>) -> RefChange {
    RefChange {
        name: name.clone(),
        expected,
        new,
    }
}

#[test]
fn refs_are_told_with_their_kinds_and_commits() {
    let hub = Hub::with(&[("a", "1")]);
    let main = hub.main();
    hub.git(&["tag", "light", "main"]);
    hub.git(&[
        "-c",
        "user.name=x",
        "-c",
        "user.email=x",
        "tag",
        "-a",
        "-m",
        "x",
        "heavy",
        "main",
    ]);
    hub.git(&["update-ref", "refs/pr/1", "main"]);
    hub.git(&["update-ref", "refs/convert/x", "main"]);
    hub.git(&["update-ref", "refs/tags/blob", "main:a"]);

    let refs = hub.repository.refs().unwrap();
    hub.git(&["pack-refs", "--all"]);
    let packed = hub.repository.refs().unwrap();

    let told: Vec<_> = refs
        .iter()
        .map(|found| (found.name.as_str(), found.kind))
        .collect();
    assert_eq!(
        told,
        [
            ("refs/convert/x", RefKind::Other),
            ("refs/heads/main", RefKind::Branch),
            ("refs/pr/1", RefKind::Pull),
            ("refs/tags/heavy", RefKind::Tag),
            ("refs/tags/light", RefKind::Tag),
        ]
    );
    assert!(refs.iter().all(|found| found.target == main));
    assert_eq!(packed, refs);
    let heavy = hub
        .repository
        .ref_value(&RefName::tag("heavy").unwrap())
        .unwrap();
    assert_ne!(heavy, Some(main));
}

#[test]
fn a_text_resolves_as_hash_then_full_ref_then_branch_then_tag() {
    let hub = Hub::with(&[("a", "1")]);
    let first = hub.main();
    let second = hub.commit_to(&RefName::main(), vec![put("a", "2")], 1);
    hub.git(&["tag", "main", &first.to_string()]);
    hub.git(&["tag", "v1", &first.to_string()]);
    hub.git(&["update-ref", "refs/pr/3", &first.to_string()]);
    let resolve = |text: &str| hub.repository.resolve(text).unwrap();

    assert_eq!(resolve("main"), Some(second));
    assert_eq!(resolve("HEAD"), Some(second));
    assert_eq!(resolve("v1"), Some(first));
    assert_eq!(resolve("refs/tags/main"), Some(first));
    assert_eq!(resolve("refs/pr/3"), Some(first));
    assert_eq!(resolve(&first.to_string()), Some(first));
    assert_eq!(
        resolve(&second.to_string()[..9].to_uppercase()),
        Some(second)
    );
    assert_eq!(resolve(&first.to_string()[..4]), None);
    for text in [
        "",
        "nowhere",
        "../../HEAD",
        "refs/heads/nowhere",
        "0123456789",
        "a\0b",
        "zzzzz",
        "-x",
        "refs/pr/4",
    ] {
        assert_eq!(resolve(text), None, "{text:?}");
    }
    let tree = hub.git(&["rev-parse", "HEAD^{tree}"]);
    assert_eq!(resolve(&tree), None);
    assert_eq!(resolve(&tree[..10]), None);
}

#[test]
fn a_ref_that_has_moved_is_told_and_nothing_changes() {
    let hub = Hub::with(&[("a", "1")]);
    let first = hub.main();
    let second = hub.commit_to(&RefName::main(), vec![put("a", "2")], 1);
    let other = RefName::branch("other").unwrap();

    let refused = hub.repository.update_refs(&[
        change(&other, Expected::Absent, Some(first)),
        change(&RefName::main(), Expected::At(first), Some(first)),
    ]);

    assert!(
        matches!(&refused, Err(Error::RefMoved { name, actual }) if *name == RefName::main() && *actual == Some(second)),
        "{refused:?}"
    );
    assert_eq!(hub.repository.find_ref(&other).unwrap(), None);
    assert_eq!(hub.main(), second);
}

#[test]
fn refs_are_made_and_deleted_together_packed_or_not() {
    let hub = Hub::with(&[("a", "1")]);
    let main = hub.main();
    let (a, b, below) = (
        RefName::branch("a").unwrap(),
        RefName::branch("b").unwrap(),
        RefName::branch("b/c").unwrap(),
    );
    hub.repository
        .update_refs(&[
            change(&a, Expected::Absent, Some(main)),
            change(&b, Expected::Any, Some(main)),
        ])
        .unwrap();
    hub.git(&["pack-refs", "--all"]);

    hub.repository
        .update_refs(&[
            change(&a, Expected::At(main), None),
            change(&b, Expected::At(main), None),
            change(&below, Expected::Absent, Some(main)),
        ])
        .unwrap();

    assert_eq!(
        hub.git(&["for-each-ref", "--format=%(refname)"]),
        "refs/heads/b/c\nrefs/heads/main"
    );
    let again = hub
        .repository
        .update_refs(&[change(&a, Expected::At(main), None)]);
    assert!(
        matches!(again, Err(Error::RefMoved { actual: None, .. })),
        "{again:?}"
    );
}

#[test]
fn a_ref_cannot_lie_below_another() {
    let hub = Hub::with(&[("a", "1")]);
    let main = hub.main();
    let name = RefName::branch("main/x").unwrap();

    let refused = hub
        .repository
        .update_refs(&[change(&name, Expected::Absent, Some(main))]);

    assert!(
        matches!(&refused, Err(Error::RefConflict { existing, .. }) if *existing == RefName::main()),
        "{refused:?}"
    );
    let twice = hub.repository.update_refs(&[
        change(&RefName::main(), Expected::Any, Some(main)),
        change(&RefName::main(), Expected::Any, None),
    ]);
    assert!(matches!(twice, Err(Error::RefTwice(_))), "{twice:?}");
}

#[test]
fn a_branch_points_at_a_commit() {
    let hub = Hub::with(&[("a", "1")]);
    let blob: ObjectId = hub.git(&["rev-parse", "HEAD:a"]).parse().unwrap();

    let refused =
        hub.repository
            .update_refs(&[change(&RefName::main(), Expected::Any, Some(blob))]);

    assert!(
        matches!(refused, Err(Error::BadObject { .. })),
        "{refused:?}"
    );
}

/// Each thread has its own `Repositories`, as each process would.
#[test]
fn of_many_who_move_a_ref_at_once_exactly_one_wins_each_time() {
    const THREADS: usize = 4;
    const ROUNDS: i64 = 12;
    let hub = Hub::with(&[("a", "1")]);
    let root = hub.directory.path().join("repos");
    let start = Barrier::new(THREADS);

    let wins: Vec<i64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let (root, start) = (&root, &start);
                scope.spawn(move || {
                    let repository = Repositories::new(root).unwrap().get(RepoKey(258)).unwrap();
                    let mut wins = 0;
                    for round in 0..ROUNDS {
                        start.wait();
                        let old = repository
                            .find_ref(&RefName::main())
                            .unwrap()
                            .unwrap()
                            .target;
                        start.wait();
                        let quarantine = repository.quarantine();
                        let text = format!("{thread} {round}");
                        let new = quarantine
                            .write(&crate::support::plan(
                                Some(old),
                                vec![put("a", &text)],
                                round,
                            ))
                            .unwrap();
                        quarantine.admit().unwrap();
                        match repository.update_refs(&[change(
                            &RefName::main(),
                            Expected::At(old),
                            Some(new),
                        )]) {
                            Ok(()) => wins += 1,
                            Err(Error::RefMoved { .. }) => {}
                            Err(error) => panic!("{error:?}"),
                        }
                        start.wait();
                    }
                    wins
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });

    assert_eq!(wins.iter().sum::<i64>(), ROUNDS);
    assert_eq!(
        hub.git(&["rev-list", "--count", "main"]),
        (ROUNDS + 1).to_string()
    );
    hub.assert_sound();
}

#[test]
fn a_full_hash_and_a_full_ref_name_are_never_a_branch_of_that_name() {
    let hub = Hub::with(&[("a", "1")]);
    let first = hub.main();
    let second = hub.commit_to(&RefName::main(), vec![put("a", "2")], 1);
    let hash = first.to_string();
    let nowhere = "1".repeat(40);
    hub.git(&["update-ref", "refs/pr/1", &hash]);
    // As a repository may have them from before.
    for name in [&hash, &nowhere, "refs/pr/1", "refs/pr/2", "HEAD"] {
        let name = format!("refs/heads/{name}");
        hub.git(&["update-ref", &name, &second.to_string()]);
    }
    let resolve = |text: &str| hub.repository.resolve(text).unwrap();

    assert_eq!(resolve(&hash), Some(first));
    assert_eq!(resolve(&hash.to_uppercase()), Some(first));
    assert_eq!(resolve("refs/pr/1"), Some(first));
    assert_eq!((resolve(&nowhere), resolve("refs/pr/2")), (None, None));
    // They can be read by their full names, deleted, and not be moved.
    let name: RefName = format!("refs/heads/{hash}").parse().unwrap();
    assert_eq!(hub.tip(&name), second);
    let to = |new| RefChange {
        name: name.clone(),
        expected: Expected::At(second),
        new,
    };
    let moved = hub.repository.update_refs(&[to(Some(first))]);
    assert!(matches!(moved, Err(Error::RefName(_))), "{moved:?}");
    hub.repository.update_refs(&[to(None)]).unwrap();
    assert_eq!(hub.repository.find_ref(&name).unwrap(), None);
}
