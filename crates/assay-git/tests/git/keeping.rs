//! Repositories without a record, and refs without an object.

use assay_git::{Error, RefName, Unfinished};
use assay_model::RepoKey;

use crate::support::{Hub, plan, put};

#[test]
fn a_creation_and_a_deletion_are_marked_until_they_are_finished() {
    let hub = Hub::with(&[("a", "1")]);
    let (git, key) = (&hub.repositories, RepoKey(7));

    git.begin_creation(key, &plan(None, vec![], 0), "facts\n")
        .unwrap();
    let creating = git.unfinished(key);
    let is_as_created = git.is_as_created(key).unwrap();
    git.finish(key).unwrap();
    let finished = git.unfinished(key);
    git.begin_deletion(key).unwrap();
    let deleting = git.unfinished(key);

    assert_eq!(creating, Some(Unfinished::Creation));
    assert!(is_as_created);
    assert_eq!(finished, None);
    assert_eq!(deleting, Some(Unfinished::Deletion));
    let missing = git.begin_deletion(RepoKey(8));
    assert!(
        matches!(missing, Err(Error::NoRepository(_))),
        "{missing:?}"
    );
}

#[test]
fn a_repository_that_was_written_to_is_not_as_it_was_created() {
    let hub = Hub::with(&[("a", "1")]);
    hub.commit_to(&RefName::main(), vec![put("b", "2")], 1);

    let is_as_created = hub.repositories.is_as_created(RepoKey(258)).unwrap();

    assert!(!is_as_created);
}

#[test]
fn facts_are_replaced_whole_and_git_does_not_mind_them() {
    let hub = Hub::with(&[("a", "1")]);

    hub.repository.write_facts("one").unwrap();
    hub.repository.write_facts("two").unwrap();

    assert_eq!(hub.repository.facts().unwrap().as_deref(), Some("two"));
    hub.assert_sound();
}

#[test]
fn what_is_set_aside_can_be_brought_back_to_another_place() {
    let hub = Hub::with(&[("a", "1")]);
    let git = &hub.repositories;
    let (first, second) = (RepoKey(258), RepoKey(9));
    let head = hub.main();

    let path = git.set_aside(first, "2026-01-01T00-00-00.000Z").unwrap();
    let none = git.keys().unwrap();
    let aside = git.list_set_aside().unwrap();
    // The same key once more, in the same moment.
    git.create(first, &plan(None, vec![], 0)).unwrap();
    let again = git.set_aside(first, "2026-01-01T00-00-00.000Z").unwrap();
    git.bring_back(&aside[0], second).unwrap();

    assert_eq!(none, []);
    assert_eq!((aside.len(), aside[0].key), (1, first));
    assert_eq!(aside[0].path, path);
    assert_ne!(again, path);
    let back = git.get(second).unwrap();
    assert_eq!(
        back.find_ref(&RefName::main()).unwrap().unwrap().target,
        head
    );
    let occupied = git.bring_back(&git.list_set_aside().unwrap()[0], second);
    assert!(
        matches!(occupied, Err(Error::RepositoryExists(_))),
        "{occupied:?}"
    );
    assert!(again.is_dir());
}

#[test]
fn a_ref_to_an_object_that_is_not_there_is_an_error_and_not_an_absent_ref() {
    let hub = Hub::with(&[("a", "1")]);
    let head = hub.commit_to(&RefName::main(), vec![put("b", "2")], 1);
    hub.git(&["tag", "-a", "-m", "release", "v1", "main"]);
    hub.git(&["tag", "tree", "main^{tree}"]);
    let name = head.to_string();
    let objects = hub.repository.path().join("objects");
    std::fs::remove_file(objects.join(&name[..2]).join(&name[2..])).unwrap();
    let repository = hub.repositories.get(RepoKey(258)).unwrap();

    let found = repository.find_ref(&RefName::main());
    let listed = repository.refs();
    let resolved = repository.resolve("main");
    let broken = repository.broken_refs().unwrap();

    for error in [found.err(), listed.err(), resolved.err()] {
        let error = error.expect("it is broken");
        assert!(
            matches!(&error, Error::BrokenRef { missing, .. } if *missing == head),
            "{error:?}"
        );
    }
    // A tag that leads to it is broken as well; one of a tree is nobody's fault.
    let names: Vec<&str> = broken.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/tags/v1"]);
    assert!(broken.iter().all(|(_, missing)| *missing == head));
}
