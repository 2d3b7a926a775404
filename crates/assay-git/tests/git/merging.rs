//! Merges and diffs.

use assay_git::{Diff, Error, FastForward, MergePlan, Merged, TreeEdit};
use assay_model::ObjectId;

use crate::support::{Hub, path, plan, put, signature};

fn merge_plan(fast_forward: FastForward) -> MergePlan {
    MergePlan {
        message: "Merge it (#1)".to_owned(),
        author: signature(9),
        committer: signature(9),
        fast_forward,
    }
}

fn merge(hub: &Hub, ours: ObjectId, theirs: ObjectId, fast_forward: FastForward) -> Merged {
    let quarantine = hub.repository.quarantine();
    let merged = quarantine
        .merge(ours, theirs, &merge_plan(fast_forward))
        .unwrap();
    quarantine.admit().unwrap();
    merged
}

#[test]
fn what_one_has_already_is_not_merged_again() {
    let hub = Hub::with(&[("a", "1")]);
    let old = hub.main();
    let new = hub.commit(old, vec![put("a", "2")], 1);

    assert_eq!(merge(&hub, new, old, FastForward::Allow), Merged::UpToDate);
    assert_eq!(merge(&hub, new, new, FastForward::Never), Merged::UpToDate);
    assert_eq!(
        merge(&hub, old, new, FastForward::Allow),
        Merged::FastForward(new)
    );
}

#[test]
fn a_merge_commit_can_be_had_where_none_is_needed() {
    let hub = Hub::with(&[("a", "1")]);
    let old = hub.main();
    let new = hub.commit(old, vec![put("a", "2")], 1);

    let merged = merge(&hub, old, new, FastForward::Never);

    let Merged::Commit(id) = merged else {
        panic!("{merged:?}")
    };
    let commit = hub.repository.objects().commit(id).unwrap();
    assert_eq!(commit.parents, [old, new]);
    assert_eq!(
        commit.tree,
        hub.repository.objects().commit(new).unwrap().tree
    );
}

#[test]
fn changes_of_both_sides_go_together() {
    let hub = Hub::with(&[("a", "1\n2\n3\n4\n5\n6\n"), ("b", "1")]);
    let base = hub.main();
    let ours = hub.commit(base, vec![put("a", "ours\n2\n3\n4\n5\n6\n")], 1);
    let theirs = hub.commit(
        base,
        vec![put("a", "1\n2\n3\n4\n5\ntheirs\n"), put("c", "3")],
        2,
    );

    let merged = merge(&hub, ours, theirs, FastForward::Allow);

    let Merged::Commit(id) = merged else {
        panic!("{merged:?}")
    };
    assert_eq!(
        hub.git(&["cat-file", "blob", &format!("{id}:a")]),
        "ours\n2\n3\n4\n5\ntheirs"
    );
    assert_eq!(
        hub.git(&["ls-tree", "--name-only", &id.to_string()]),
        "a\nb\nc"
    );
    assert_eq!(
        hub.git(&["log", "-1", "--format=%an|%s|%P", &id.to_string()]),
        format!("Ada Lovelace|Merge it (#1)|{ours} {theirs}")
    );
    hub.git(&["update-ref", "refs/heads/main", &id.to_string()]);
    hub.assert_sound();
    assert_eq!(hub.unfinished(), 0);
}

#[test]
fn what_does_not_go_together_is_named() {
    let hub = Hub::with(&[("dir/a", "1\n"), ("b", "1\n"), ("c", "1\n")]);
    let base = hub.main();
    let ours = hub.commit(base, vec![put("dir/a", "ours\n"), put("c", "ours\n")], 1);
    let theirs = hub.commit(
        base,
        vec![
            put("dir/a", "theirs\n"),
            TreeEdit::Delete(path("c")),
            put("b", "2\n"),
        ],
        2,
    );

    let merged = merge(&hub, ours, theirs, FastForward::Allow);

    assert_eq!(merged, Merged::Conflict(vec![path("c"), path("dir/a")]));
}

#[test]
fn histories_without_a_common_beginning_merge_when_their_files_do() {
    let hub = Hub::with(&[("a", "1")]);
    let quarantine = hub.repository.quarantine();
    let stranger = quarantine
        .write(&plan(None, vec![put("b", "2")], 1))
        .unwrap();

    let merged = quarantine
        .merge(hub.main(), stranger, &merge_plan(FastForward::Allow))
        .unwrap();

    assert!(matches!(merged, Merged::Commit(_)), "{merged:?}");
}

#[test]
fn merging_what_is_not_there_is_an_error() {
    let hub = Hub::with(&[("a", "1")]);
    let nothing = ObjectId::from_bytes([9; 20]);
    let quarantine = hub.repository.quarantine();

    let refused = quarantine.merge(hub.main(), nothing, &merge_plan(FastForward::Allow));

    assert!(matches!(refused, Err(Error::NoObject(_))), "{refused:?}");
}

#[test]
fn a_diff_is_that_of_git_and_sees_what_is_in_quarantine() {
    let hub = Hub::with(&[("a", "1\n"), ("gone", "x\n")]);
    let quarantine = hub.repository.quarantine();
    let tip = quarantine
        .write(&plan(
            Some(hub.main()),
            vec![put("a", "2\n"), TreeEdit::Delete(path("gone"))],
            1,
        ))
        .unwrap();

    let diff = quarantine.objects().diff(hub.main(), tip, 10_000).unwrap();
    let cut = quarantine.objects().diff(hub.main(), tip, 60).unwrap();

    let Diff::Text { text, cut: false } = diff else {
        panic!("not the whole: {diff:?}");
    };
    assert!(text.starts_with("diff --git a/a b/a\n"), "{text}");
    assert!(
        text.contains("\n-1\n+2\n") && text.contains("deleted file"),
        "{text}"
    );
    let beginning = Diff::Text {
        text: "diff --git a/a b/a\n".to_owned(),
        cut: true,
    };
    assert_eq!(cut, beginning);
}

#[test]
fn a_diff_that_would_be_too_much_work_is_not_begun() {
    let lines = |word: &str| format!("{word}\n").repeat(6 << 20);
    let hub = Hub::with(&[("a", &lines("one"))]);
    let quarantine = hub.repository.quarantine();
    let tip = quarantine
        .write(&plan(Some(hub.main()), vec![put("a", &lines("two"))], 1))
        .unwrap();

    let diff = quarantine.objects().diff(hub.main(), tip, 10_000).unwrap();

    let bytes = 2 * 4 * (6 << 20);
    assert_eq!(diff, Diff::TooMuch { files: 1, bytes });
}

#[test]
fn the_lines_of_a_large_file_are_not_compared() {
    let text = |first: usize| {
        let lines = (first..first + 300_000).map(|number| format!("{number}\n"));
        lines.collect::<String>()
    };
    let hub = Hub::with(&[("a", &text(0)), ("b", "1\n")]);
    let quarantine = hub.repository.quarantine();
    let operations = vec![put("a", &text(500_000)), put("b", "2\n")];
    let tip = quarantine
        .write(&plan(Some(hub.main()), operations, 1))
        .unwrap();

    let diff = quarantine.objects().diff(hub.main(), tip, 10_000).unwrap();

    let Diff::Text { text, cut: false } = diff else {
        panic!("not the whole: {diff:?}");
    };
    assert!(text.contains("Binary files a/a and b/a differ"), "{text}");
    assert!(text.contains("\n-1\n+2\n"), "{text}");
}
