//! The page of the founding documents: its tests exist, and its numbers are those of its rows.

use std::collections::{BTreeMap, BTreeSet};

use super::{root, tests_in};

/// Number of sentences that the three documents were taken apart into.
const SENTENCES: usize = 192;

/// One sentence of a document, and what shows it.
struct Sentence<'t> {
    number: usize,
    from: &'t str,
    state: &'t str,
    /// The tests that are named in code: `file::test`.
    tests: Vec<&'t str>,
    /// The text of the last column beside the tests.
    reason: String,
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/conformance.md")).unwrap()
}

/// The rows of the table that is numbered.
fn sentences(page: &str) -> Vec<Sentence<'_>> {
    let mut sentences = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Ok(number) = cells[0].parse() else {
            continue;
        };
        let [_, from, said, state, shown] = cells[..] else {
            panic!("a row has five cells: {line}");
        };
        assert!(!said.is_empty(), "{line}");
        let (tests, words): (Vec<_>, Vec<_>) = shown
            .split('`')
            .enumerate()
            .partition(|(at, part)| at % 2 == 1 && part.contains("::"));
        sentences.push(Sentence {
            number,
            from,
            state,
            tests: tests.into_iter().map(|(_, test)| test).collect(),
            reason: words.into_iter().map(|(_, word)| word).collect(),
        });
    }
    sentences
}

/// Returns whether a test is there: a test of Rust, a check of `compat`, or a journey of `browser`.
fn exists(test: &str) -> bool {
    let (file, name) = test.split_once("::").unwrap();
    let is_script = file.starts_with("compat/") || file.starts_with("browser/");
    let path = if is_script {
        root().join(file)
    } else {
        root().join("crates").join(file)
    };
    let Ok(text) = std::fs::read_to_string(path) else {
        return false;
    };
    match file.rsplit_once('.') {
        Some((_, "rs")) => {
            let mut found = BTreeSet::new();
            tests_in(&text, &mut found);
            found.contains(name)
        }
        Some((_, "py")) if name == "main" => text.contains("\nmain()\n"),
        Some((_, "py")) => text.contains(&format!("@check\ndef {name}(")),
        Some((_, "mjs")) => text.contains(&format!("export async function {name}(")),
        _ => false,
    }
}

#[test]
fn every_sentence_of_the_documents_has_a_test_or_a_reason() {
    let page = page();
    let sentences = sentences(&page);

    for Sentence {
        number,
        from,
        state,
        tests,
        reason,
    } in &sentences
    {
        let is_reasoned = reason.chars().any(char::is_alphabetic);
        match *state {
            "shown" => assert!(!tests.is_empty() && !is_reasoned, "{number}: {reason}"),
            "both" | "partly" => assert!(!tests.is_empty() && is_reasoned, "{number}"),
            "not" => assert!(tests.is_empty() && is_reasoned, "{number}"),
            other => panic!("{number}: `{other}` is no state"),
        }
        assert!(
            ["T", "P", "T P", "E"].contains(from),
            "{number}: `{from}` is no document"
        );
        for test in tests {
            assert!(exists(test), "{number}: there is no test `{test}`");
        }
    }

    let numbers: Vec<usize> = sentences.iter().map(|sentence| sentence.number).collect();
    assert_eq!(numbers, (1..=SENTENCES).collect::<Vec<_>>());
}

#[test]
fn the_numbers_above_the_table_are_those_of_its_rows() {
    let page = page();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for sentence in sentences(&page) {
        *counts.entry(sentence.state).or_default() += 1;
    }
    let count = |state| counts.get(state).copied().unwrap_or_default();

    let told = format!(
        "{SENTENCES} sentences: {} shown, {} both, {} partly, {} not.",
        count("shown"),
        count("both"),
        count("partly"),
        count("not")
    );

    assert!(page.lines().any(|line| line == told), "{told}");
}

#[test]
fn a_test_that_is_not_there_is_noticed() {
    let here = "assay/tests/docs/conformance.rs";

    assert!(exists(&format!(
        "{here}::a_test_that_is_not_there_is_noticed"
    )));
    for missing in [
        format!("{here}::a_test_of_another_name"),
        format!("{here}::exists"),
        "assay/tests/docs/nowhere.rs::exists".to_owned(),
        "compat/checks/results.py::publish".to_owned(),
        "browser/journeys/submit.mjs::mistake".to_owned(),
        "compat/run.sh::check".to_owned(),
        "compat/checks/results.py::main".to_owned(),
    ] {
        assert!(!exists(&missing), "{missing}");
    }
}
