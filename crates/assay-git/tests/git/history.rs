//! History, compared with the output of git.

use assay_git::{Change, RefName};
use assay_model::ObjectId;

use crate::support::{Hub, path, plan, put};
use assay_git::TreeEdit;

/// Two lines of history that were merged, with commits of the same second among them.
fn branched() -> (Hub, Vec<ObjectId>) {
    let hub = Hub::with(&[("a", "1"), ("dir/x", "1"), ("dir/y", "1")]);
    let root = hub.main();
    let left = hub.commit(root, vec![put("a", "2")], 1);
    let right = hub.commit(root, vec![put("dir/x", "2")], 1);
    let right = hub.commit(right, vec![put("dir/x", "3")], 2);
    let mut merge = plan(Some(left), vec![put("dir/x", "3")], 3);
    merge.parents.push(right);
    let quarantine = hub.repository.quarantine();
    let merge = quarantine.write(&merge).unwrap();
    quarantine.admit().unwrap();
    let tip = hub.commit(
        merge,
        vec![TreeEdit::Delete(path("dir/y")), put("new", "1")],
        4,
    );
    hub.git(&["update-ref", "refs/heads/main", &tip.to_string()]);
    (hub, vec![root, left, right, merge, tip])
}

fn ids(text: &str) -> Vec<ObjectId> {
    text.lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn the_log_is_in_the_order_of_git_log() {
    let (hub, commits) = branched();
    let objects = hub.repository.objects();
    let tip = *commits.last().unwrap();
    let expected = ids(&hub.git(&["rev-list", "main"]));

    let log: Vec<_> = objects
        .log(tip, 0, 100)
        .unwrap()
        .iter()
        .map(|commit| commit.id)
        .collect();
    let page: Vec<_> = objects
        .log(tip, 2, 2)
        .unwrap()
        .iter()
        .map(|commit| commit.id)
        .collect();

    assert_eq!(log, expected);
    assert_eq!(page, expected[2..4]);
    assert_eq!(objects.count(tip).unwrap(), 6);
    let first = ids(&hub.git(&["rev-list", "--first-parent", "main"]));
    let line = objects.first_parents(tip, None).unwrap();
    assert_eq!(
        line.iter().map(|commit| commit.id).collect::<Vec<_>>(),
        first
    );
    assert_eq!(
        objects.first_parents(tip, Some(commits[1])).unwrap().len(),
        2
    );
}

#[test]
fn ancestors_and_merge_bases_are_those_of_git() {
    let (hub, commits) = branched();
    let objects = hub.repository.objects();
    for one in &commits {
        for other in &commits {
            let (is_ancestor, _) = crate::support::try_git(
                hub.repository.path(),
                &[
                    "merge-base",
                    "--is-ancestor",
                    &one.to_string(),
                    &other.to_string(),
                ],
            );
            let base = hub.git(&["merge-base", &one.to_string(), &other.to_string()]);

            assert_eq!(
                objects.is_ancestor(*one, *other).unwrap(),
                is_ancestor,
                "{one} {other}"
            );
            assert_eq!(
                objects.merge_base(*one, *other).unwrap(),
                Some(base.parse().unwrap())
            );
        }
    }
    let quarantine = hub.repository.quarantine();
    let stranger = quarantine
        .write(&plan(None, vec![put("s", "s")], 9))
        .unwrap();
    assert_eq!(
        quarantine
            .objects()
            .merge_base(stranger, commits[0])
            .unwrap(),
        None
    );
}

#[test]
fn changes_are_those_of_git() {
    let (hub, commits) = branched();
    let objects = hub.repository.objects();
    for old in &commits {
        for new in &commits {
            let expected = hub.git(&[
                "diff-tree",
                "-r",
                "--name-status",
                &old.to_string(),
                &new.to_string(),
            ]);

            let changes = objects.changes(Some(*old), *new).unwrap();

            let told: Vec<String> = changes.iter().map(status).collect();
            assert_eq!(told.join("\n"), expected, "{old} {new}");
        }
    }
    let all = objects.changes(None, commits[0]).unwrap();
    assert_eq!(
        all.iter().map(status).collect::<Vec<_>>(),
        ["A\ta", "A\tdir/x", "A\tdir/y"]
    );
}

fn status(change: &Change) -> String {
    let letter = match (&change.old, &change.new) {
        (None, _) => 'A',
        (_, None) => 'D',
        (Some(_), Some(_)) => 'M',
    };
    format!("{letter}\t{}", change.path)
}

#[test]
fn a_file_that_becomes_a_folder_is_two_changes() {
    let hub = Hub::with(&[("a", "1"), ("a.b", "1")]);
    let old = hub.main();
    let new = hub.commit(old, vec![TreeEdit::Delete(path("a")), put("a/x", "1")], 1);

    let changes = hub.repository.objects().changes(Some(old), new).unwrap();

    assert_eq!(
        changes.iter().map(status).collect::<Vec<_>>(),
        ["D\ta", "A\ta/x"]
    );
}

#[test]
fn the_last_commit_of_a_path_is_the_one_that_brought_it_to_the_branch() {
    let (hub, commits) = branched();
    let [root, left, _, merge, tip] = commits[..] else {
        unreachable!()
    };
    let paths = ["a", "dir", "dir/x", "new", "dir/y", "nowhere"].map(path);

    let last = hub.repository.objects().last_commits(tip, &paths).unwrap();

    let told: Vec<_> = last
        .iter()
        .map(|(path, commit)| (path.as_str(), commit.id))
        .collect();
    assert_eq!(
        told,
        [("a", left), ("dir", tip), ("dir/x", merge), ("new", tip)]
    );
    let before = hub.repository.objects().last_commits(left, &paths).unwrap();
    assert_eq!(before[&path("dir/y")].id, root);
}

#[test]
fn a_file_was_made_when_it_came_and_stayed() {
    let hub = Hub::with(&[("x", "0")]);
    let main = RefName::main();
    hub.commit_to(&main, vec![put("dir/a", "1")], 1);
    hub.commit_to(&main, vec![TreeEdit::Delete(path("dir/a"))], 2);
    let made = hub.commit_to(&main, vec![put("dir/a", "1")], 3);
    hub.commit_to(&main, vec![put("other", "1")], 4);
    let tip = hub.commit_to(&main, vec![put("dir/a", "2")], 5);
    let objects = hub.repository.objects();

    let created = objects.created(tip, &path("dir/a")).unwrap();

    assert_eq!(created.map(|commit| commit.id), Some(made));
    assert_eq!(objects.created(tip, &path("missing")).unwrap(), None);
}

#[test]
fn a_commit_tells_its_title_body_and_times() {
    let hub = Hub::with(&[("x", "0")]);
    let mut written = plan(Some(hub.main()), vec![], 7);
    written.message = "One title\nover two lines\n\nBody.\n\n- more\n\n".to_owned();
    let quarantine = hub.repository.quarantine();

    let id = quarantine.write(&written).unwrap();

    let commit = quarantine.objects().commit(id).unwrap();
    assert_eq!(
        (commit.title.as_str(), commit.body.as_str()),
        ("One title over two lines", "Body.\n\n- more")
    );
    assert_eq!(commit.authored.seconds(), crate::support::START + 7);
    assert_eq!(commit.parents, [hub.main()]);
    assert_eq!(
        (commit.author_name.as_str(), commit.author_email.as_str()),
        ("Ada Lovelace", "ada@example.org")
    );
}

#[test]
fn everything_reads_the_same_when_it_is_packed() {
    let (hub, commits) = branched();
    let tip = *commits.last().unwrap();
    let loose = hub.repository.objects().log(tip, 0, 100).unwrap();
    let changes = hub.repository.objects().changes(None, tip).unwrap();

    hub.git(&["repack", "-adq"]);

    assert_eq!(hub.repository.objects().log(tip, 0, 100).unwrap(), loose);
    assert_eq!(
        hub.repository.objects().changes(None, tip).unwrap(),
        changes
    );
}
