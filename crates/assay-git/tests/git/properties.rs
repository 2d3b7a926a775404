//! Properties that hold for any files and any bytes.

use std::collections::BTreeMap;
use std::path::Path;

use assay_git::{Depth, EntryKind, LargeFile, RefName, TreeEdit, parse_commands};
use proptest::prelude::*;

use crate::support::{Hub, path, plan, put, try_git};

/// Names that sort differently as files and as folders, and that clash with each other.
fn any_path() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec!["a", "a.b", "a-b", "ab", "é", "B", "x y"]);
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("/"))
}

/// Files none of which lies below another.
fn any_files() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop::collection::btree_map(any_path(), "[ -~]{0,8}", 0..12).prop_map(|files| {
        let all: Vec<String> = files.keys().cloned().collect();
        let clashes = |path: &String| {
            all.iter()
                .any(|other| other.starts_with(&format!("{path}/")))
        };
        files
            .into_iter()
            .filter(|(path, _)| !clashes(path))
            .collect()
    })
}

fn operations(old: &BTreeMap<String, String>, new: &BTreeMap<String, String>) -> Vec<TreeEdit> {
    let gone = old.keys().filter(|path| !new.contains_key(*path));
    let gone = gone.map(|name| TreeEdit::Delete(path(name)));
    let made = new
        .iter()
        .filter(|(path, text)| old.get(*path) != Some(text));
    gone.chain(made.map(|(path, text)| put(path, text)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_is_read_and_changes_lead_from_one_to_the_other(old in any_files(), new in any_files()) {
        let hub = Hub::with(&[]);
        let quarantine = hub.repository.quarantine();
        let first = quarantine.write(&plan(None, operations(&BTreeMap::new(), &old), 1)).unwrap();
        let second = quarantine.write(&plan(Some(first), operations(&old, &new), 2)).unwrap();
        let direct = quarantine.write(&plan(None, operations(&BTreeMap::new(), &new), 3)).unwrap();
        let objects = quarantine.objects();

        let listed = objects.list(second, None, Depth::Recursive).unwrap().unwrap();
        let changes = objects.changes(Some(first), second).unwrap();

        let read: BTreeMap<String, String> = listed
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::File(_)))
            .map(|entry| {
                let bytes = objects.read(entry.oid, 100).unwrap();
                (entry.path.to_string(), String::from_utf8(bytes).unwrap())
            })
            .collect();
        prop_assert_eq!(&read, &new);
        // The same files have the same tree, whichever way they came.
        prop_assert_eq!(objects.commit(second).unwrap().tree, objects.commit(direct).unwrap().tree);
        let mut patched = old.clone();
        for change in changes {
            prop_assert!(change.old != change.new);
            match change.new {
                Some(version) => {
                    let bytes = objects.read(version.oid, 100).unwrap();
                    patched.insert(change.path.to_string(), String::from_utf8(bytes).unwrap());
                }
                None => {
                    patched.remove(change.path.as_str());
                }
            }
        }
        prop_assert_eq!(patched, new);
        quarantine.admit().unwrap();
        hub.git(&["update-ref", "refs/heads/main", &second.to_string()]);
        hub.assert_sound();
    }
}

proptest! {
    #[test]
    fn any_bytes_are_commands_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), max in 0_usize..4) {
        if let Ok(Some((commands, used))) = parse_commands(&bytes, max) {
            prop_assert!(used <= bytes.len());
            prop_assert!(commands.commands.len() + commands.refused.len() <= max);
        }
    }

    #[test]
    fn commands_are_not_read_before_their_end(names in prop::collection::vec("[a-z]{1,5}", 1..4)) {
        let id = "1".repeat(40);
        let lines = names.iter().map(|name| format!("{id} {id} refs/heads/{name}"));
        let lines: Vec<_> = lines.map(|line| format!("{:04x}{line}", line.len() + 4)).collect();
        let bytes = format!("{}0000", lines.concat());

        for end in 0..bytes.len() {
            prop_assert_eq!(parse_commands(&bytes.as_bytes()[..end], 10), Ok(None));
        }
        let (commands, used) = parse_commands(bytes.as_bytes(), 10).unwrap().unwrap();
        prop_assert_eq!(used, bytes.len());
        prop_assert_eq!(commands.commands.len() + commands.refused.len(), names.len());
    }

    #[test]
    fn any_bytes_are_a_pointer_or_not(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert_eq!(LargeFile::of_pointer(&bytes), None);
    }

    #[test]
    fn a_text_is_a_ref_name_exactly_when_git_says_so(text in "[a-z./@{~ -]{0,8}|[a-c]{1,2}(/|\\.|\\.lock){0,2}[a-c]{0,2}") {
        let full = format!("refs/heads/{text}");

        let (is_one, _) = try_git(Path::new("."), &["check-ref-format", &full]);

        prop_assert_eq!(full.parse::<RefName>().is_ok(), is_one, "{}", full);
    }
}
