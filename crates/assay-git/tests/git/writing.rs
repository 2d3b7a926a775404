//! Commits that we write, read by git and by us.

use std::io::Read as _;

use assay_git::{
    Blob, Depth, EntryKind, Error, Expected, FileMode, LargeFile, LargeFileId, RefChange, RefName,
    TreeEdit,
};
use assay_model::RepoKey;

use crate::support::{Hub, path, plan, put};

#[test]
fn git_reads_a_new_repository_as_its_own() {
    let hub = Hub::with(&[("README.md", "# Hi\n"), (".eval_results/a.yaml", "- x\n")]);

    let log = hub.git(&["log", "--format=%an <%ae> %at %s|%b", "main"]);

    assert_eq!(
        log,
        "Ada Lovelace <ada@example.org> 1700000000 Change 0|The reason for it."
    );
    assert_eq!(
        hub.git(&["ls-tree", "-r", "--name-only", "HEAD"]),
        ".eval_results/a.yaml\nREADME.md"
    );
    assert_eq!(hub.git(&["cat-file", "blob", "HEAD:README.md"]), "# Hi");
    assert_eq!(hub.git(&["rev-parse", "--is-bare-repository"]), "true");
    assert_eq!(hub.unfinished(), 0);
    hub.assert_sound();
}

#[test]
fn operations_happen_in_their_order_and_empty_folders_go() {
    let hub = Hub::with(&[
        ("a/b/c.txt", "1"),
        ("a.txt", "2"),
        ("a-b", "3"),
        ("z/1", "4"),
        ("z/2", "5"),
    ]);

    let commit = hub.commit_to(
        &RefName::main(),
        vec![
            TreeEdit::Delete(path("a/b/c.txt")),
            put("a", "a file where a folder was"),
            TreeEdit::DeleteFolder(path("z")),
            put("z/new", "6"),
            TreeEdit::Put {
                path: path("run.sh"),
                blob: Blob::Bytes(b"#!/bin/sh\n".to_vec()),
                mode: FileMode::Executable,
            },
        ],
        1,
    );

    let tree = hub.git(&[
        "ls-tree",
        "-r",
        "--format=%(objectmode) %(path)",
        &commit.to_string(),
    ]);
    assert_eq!(
        tree,
        "100644 a\n100644 a-b\n100644 a.txt\n100755 run.sh\n100644 z/new"
    );
    hub.assert_sound();
}

#[test]
fn what_is_not_there_cannot_be_deleted_and_is_named() {
    let hub = Hub::with(&[("a/b", "1")]);
    let main = hub.main();
    let quarantine = hub.repository.quarantine();
    for operation in [
        TreeEdit::Delete(path("missing")),
        TreeEdit::Delete(path("a")),
        TreeEdit::Delete(path("a/b/c")),
        TreeEdit::DeleteFolder(path("a/b")),
        TreeEdit::DeleteFolder(path("x/y")),
    ] {
        let name = match &operation {
            TreeEdit::Delete(path) | TreeEdit::DeleteFolder(path) => path.clone(),
            TreeEdit::Put { .. } | TreeEdit::PutPointer { .. } => unreachable!(),
        };

        let refused = quarantine.write(&plan(Some(main), vec![operation], 1));

        assert!(
            matches!(&refused, Err(Error::NothingToDelete(path)) if *path == name),
            "{refused:?}"
        );
    }
}

#[test]
fn a_file_cannot_be_a_folder() {
    let hub = Hub::with(&[("a/b", "1")]);
    let quarantine = hub.repository.quarantine();
    for name in ["a", "a/b/c"] {
        let refused = quarantine.write(&plan(Some(hub.main()), vec![put(name, "x")], 1));

        assert!(
            matches!(&refused, Err(Error::FileAndFolder(path)) if path.as_str() == name),
            "{refused:?}"
        );
    }
}

#[test]
fn what_is_in_quarantine_can_be_read_there_and_nowhere_else() {
    let hub = Hub::with(&[("a", "1")]);
    let quarantine = hub.repository.quarantine();

    let commit = quarantine
        .write(&plan(Some(hub.main()), vec![put("b", "2")], 1))
        .unwrap();

    let entry = quarantine
        .objects()
        .entry(commit, &path("b"))
        .unwrap()
        .unwrap();
    assert_eq!(quarantine.objects().read(entry.oid, 10).unwrap(), b"2");
    assert!(!hub.repository.objects().contains(commit).unwrap());
    let moved = hub.repository.update_refs(&[RefChange {
        name: RefName::main(),
        expected: Expected::Any,
        new: Some(commit),
    }]);
    assert!(
        matches!(moved, Err(Error::NoObject(id)) if id == commit),
        "{moved:?}"
    );
    drop(quarantine);
    assert_eq!(hub.git(&["count-objects"]), "3 objects, 12 kilobytes");
}

#[test]
fn large_files_and_many_go_through_the_disk_and_come_out_the_same() {
    let hub = Hub::with(&[("a", "1")]);
    let file = hub.clone_path("big.bin");
    let big: Vec<u8> = (0..400_000_u32)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .collect();
    std::fs::write(&file, &big).unwrap();
    let mut operations = vec![TreeEdit::Put {
        path: path("big.bin"),
        blob: Blob::File(file),
        mode: FileMode::Regular,
    }];
    operations.extend((0..6).map(|n| put(&format!("many/{n}"), &format!("{n}").repeat(900_000))));
    let quarantine = hub.repository.quarantine();

    let commit = quarantine
        .write(&plan(Some(hub.main()), operations, 1))
        .unwrap();
    let before = quarantine.objects();
    quarantine.admit().unwrap();

    for objects in [before, hub.repository.objects()] {
        let entry = objects.entry(commit, &path("big.bin")).unwrap().unwrap();
        let mut reader = objects.open(entry.oid).unwrap();
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        assert_eq!((reader.size(), entry.size), (1_600_000, 1_600_000));
        assert!(bytes == big, "the bytes differ");
        let many = objects
            .list(commit, Some(&path("many")), Depth::Direct)
            .unwrap()
            .unwrap();
        assert_eq!(many.len(), 6);
        assert!(matches!(
            objects.read(entry.oid, 100),
            Err(Error::BlobTooLarge {
                size: 1_600_000,
                ..
            })
        ));
    }
    assert_eq!(hub.unfinished(), 0);
    hub.git(&["update-ref", "refs/heads/main", &commit.to_string()]);
    hub.assert_sound();
}

#[test]
fn a_listing_tells_kinds_sizes_and_pointers() {
    let hub = Hub::with(&[("a/b/c.txt", "hello"), ("z.txt", "")]);
    let large = LargeFile::new(LargeFileId::from_bytes([7; 32]), 123_456_789);
    let commit = hub.commit_to(
        &RefName::main(),
        vec![TreeEdit::PutPointer {
            path: path("model.bin"),
            file: large,
        }],
        1,
    );
    let objects = hub.repository.objects();

    let direct = objects.list(commit, None, Depth::Direct).unwrap().unwrap();
    let all = objects
        .list(commit, None, Depth::Recursive)
        .unwrap()
        .unwrap();
    let below = objects
        .list(commit, Some(&path("a/b")), Depth::Recursive)
        .unwrap()
        .unwrap();

    let names = |entries: &[assay_git::TreeEntry]| -> Vec<String> {
        entries.iter().map(|entry| entry.path.to_string()).collect()
    };
    assert_eq!(names(&direct), ["a", "model.bin", "z.txt"]);
    assert_eq!(names(&all), ["a", "a/b", "a/b/c.txt", "model.bin", "z.txt"]);
    assert_eq!(names(&below), ["a/b/c.txt"]);
    assert_eq!(direct[0].kind, EntryKind::Directory);
    assert_eq!(
        (direct[1].large, direct[1].size),
        (Some(large), large.pointer_size)
    );
    assert_eq!(
        (all[2].kind, all[2].size),
        (EntryKind::File(FileMode::Regular), 5)
    );
    assert_eq!(
        objects
            .list(commit, Some(&path("z.txt")), Depth::Direct)
            .unwrap(),
        None
    );
    assert_eq!(
        objects
            .list(commit, Some(&path("nowhere")), Depth::Direct)
            .unwrap(),
        None
    );
}

#[test]
fn a_repository_is_made_once_and_gone_when_deleted() {
    let hub = Hub::with(&[("a", "1")]);

    let again = hub
        .repositories
        .create(RepoKey(258), &plan(None, vec![], 0));
    hub.repositories
        .create(RepoKey(3), &plan(None, vec![], 0))
        .unwrap();
    let keys = hub.repositories.keys().unwrap();
    hub.repositories.delete(RepoKey(258)).unwrap();

    assert!(
        matches!(again, Err(Error::RepositoryExists(RepoKey(258)))),
        "{again:?}"
    );
    assert_eq!(keys, [RepoKey(3), RepoKey(258)]);
    assert_eq!(hub.repositories.keys().unwrap(), [RepoKey(3)]);
    assert!(matches!(
        hub.repositories.get(RepoKey(258)),
        Err(Error::NoRepository(_))
    ));
    assert!(matches!(
        hub.repositories.delete(RepoKey(258)),
        Err(Error::NoRepository(_))
    ));
    assert_eq!(hub.unfinished(), 0);
}

#[test]
fn paths_that_a_hub_cannot_name_are_left_out() {
    let hub = Hub::with(&[("a", "1")]);
    let blob = hub.git(&["rev-parse", "HEAD:a"]);
    let listing = hub.clone_path("listing");
    std::fs::write(&listing, format!("100644 blob {blob}\tgood\0100644 blob {blob}\tbad\\name\0100644 blob {blob}\tbad\nline\0")).unwrap();
    let script = format!("git mktree -z < '{}'", listing.display());
    let tree = hub.git(&["-c", &format!("alias.make=!{script}"), "make"]);
    let objects = hub.repository.objects();

    let entries = objects
        .list(tree.parse().unwrap(), None, Depth::Direct)
        .unwrap()
        .unwrap();
    let changes = objects.changes(None, tree.parse().unwrap()).unwrap();

    assert_eq!(entries.len(), 1);
    assert_eq!(changes.len(), 1);
    assert_eq!(entries[0].path.as_str(), "good");
}

/// The most descriptors that this process has open while something is done.
#[cfg(target_os = "linux")]
fn most_descriptors(work: impl FnOnce()) -> usize {
    use std::sync::atomic::{AtomicBool, Ordering};

    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let counted = scope.spawn(|| {
            let mut most = 0;
            while !is_done.load(Ordering::Relaxed) {
                most = most.max(std::fs::read_dir("/proc/self/fd").unwrap().count());
            }
            most
        });
        work();
        is_done.store(true, Ordering::Relaxed);
        counted.join().unwrap()
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_commit_of_25000_files_needs_few_descriptors_and_is_one_pack() {
    let hub = Hub::with(&[("a", "1")]);
    let files = (0..25_000).map(|n| put(&format!("data/{}/{n}.json", n % 100), &n.to_string()));
    let files: Vec<TreeEdit> = files.collect();

    let most = most_descriptors(|| {
        hub.commit_to(&RefName::main(), files, 1);
    });

    // The other tests of this process have some open as well.
    assert!(most < 512, "{most} descriptors");
    let counted = hub.git(&["count-objects", "-v"]);
    assert!(
        counted.contains("in-pack: 25102\npacks: 1\n"),
        "25,000 files, 101 folders and a commit: {counted}"
    );
    assert_eq!(hub.git(&["show", "HEAD:data/7/24907.json"]), "24907");
    assert_eq!(hub.unfinished(), 0);
    hub.assert_sound();
}

#[test]
fn a_commit_of_few_files_is_written_without_a_pack() {
    let hub = Hub::with(&[("a", "1")]);
    let files = (0..99).map(|n| put(&n.to_string(), &n.to_string()));

    hub.commit_to(&RefName::main(), files.collect(), 1);

    assert!(hub.git(&["count-objects", "-v"]).contains("\npacks: 0\n"));
    hub.assert_sound();
}

#[test]
fn what_does_not_fit_into_memory_can_be_read_before_it_is_admitted() {
    let hub = Hub::with(&[("a", "1")]);
    let text = |n: usize| format!("{n}{}", "x".repeat(100_000));
    let files: Vec<TreeEdit> = (0..300).map(|n| put(&n.to_string(), &text(n))).collect();
    let quarantine = hub.repository.quarantine();
    let commit = quarantine.write(&plan(Some(hub.main()), files, 1)).unwrap();

    let objects = quarantine.objects();

    for n in [0, 150, 299] {
        let entry = objects.entry(commit, &path(&n.to_string())).unwrap();
        let read = objects.read(entry.unwrap().oid, 200_000).unwrap();
        assert_eq!(read, text(n).into_bytes());
    }
    drop(objects);
    quarantine.admit().unwrap();
    hub.assert_sound();
}
