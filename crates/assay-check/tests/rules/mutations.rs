//! One wrong stroke anywhere in a valid file: validation never panics, and what it finds lies
//! inside the file.

use std::sync::LazyLock;

use assay_check::Context;
use proptest::prelude::*;

use crate::support::{Shelf, judged};

const FILES: [(&str, &str); 4] = [
    (
        "eval.yaml",
        include_str!("../fixtures/seeds/coco.benchmark.yaml"),
    ),
    (
        "eval.yaml",
        include_str!("../fixtures/seeds/open_asr.benchmark.yaml"),
    ),
    (
        ".eval_results/hle.yaml",
        include_str!("../fixtures/seeds/hle.provenance.yaml"),
    ),
    (
        ".eval_results/datasets.yaml",
        include_str!("../fixtures/seeds/open_asr.results.yaml"),
    ),
];

/// Replacements of a character: special in YAML, wide, and invisible ones.
const STROKES: [&str; 24] = [
    "", "\t", "\n", "\r", " ", "\"", "'", "-", ":", "#", "[", "]", "{", "}", "&a ", "*a", "!!int ",
    "? ", "|", "%", "\u{feff}", "\u{202e}", "é", "0",
];

/// Replacements of a line.
const LINES: [&str; 12] = [
    "",
    "- ",
    "  metrics:",
    "  value: 1e999",
    "  <<: *a",
    "---",
    "...",
    "%YAML 1.1",
    "\t- x",
    "    - metric_id: [",
    "  date: 2026-02-30",
    "tasks: [{id: {}}]",
];

/// The benchmarks that the result files name.
static SHELF: LazyLock<Shelf> = LazyLock::new(|| {
    let hle = include_str!("../fixtures/seeds/hle.benchmark.yaml");
    Shelf::default()
        .with("cais/hle", hle)
        .with("esb/datasets", FILES[1].1)
});

#[derive(Debug, Clone)]
enum Change {
    DeleteLine(usize),
    RepeatLine(usize),
    ReplaceLine(usize, usize),
    ReplaceCharacter(usize, usize),
    Cut(usize),
}

fn change() -> impl Strategy<Value = Change> {
    let anywhere = 0_usize..10_000;
    prop_oneof![
        anywhere.clone().prop_map(Change::DeleteLine),
        anywhere.clone().prop_map(Change::RepeatLine),
        (anywhere.clone(), 0..LINES.len()).prop_map(|(at, new)| Change::ReplaceLine(at, new)),
        (anywhere.clone(), 0..STROKES.len())
            .prop_map(|(at, new)| Change::ReplaceCharacter(at, new)),
        anywhere.prop_map(Change::Cut),
    ]
}

fn changed(text: &str, change: &Change) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let count = lines.len();
    let characters: Vec<char> = text.chars().collect();
    match *change {
        Change::DeleteLine(at) => {
            lines.remove(at % count);
        }
        Change::RepeatLine(at) => lines.insert(at % count, lines[at % count]),
        Change::ReplaceLine(at, new) => lines[at % count] = LINES[new],
        Change::ReplaceCharacter(at, new) => {
            let at = at % characters.len();
            let before: String = characters[..at].iter().collect();
            let after: String = characters[at + 1..].iter().collect();
            return format!("{before}{}{after}", STROKES[new]);
        }
        Change::Cut(at) => return characters[..at % characters.len()].iter().collect(),
    }
    lines.join("\n") + "\n"
}

/// Validates a text, alone and beside its benchmark, and checks each finding.
fn check(path: &str, text: &str) -> Result<(), TestCaseError> {
    let beside = Context {
        benchmarks: &*SHELF,
        ..Context::default()
    };
    check_in(path, text, &Context::default())?;
    check_in(path, text, &beside)
}

/// Checks that each finding lies in the text and says what to do.
fn check_in(path: &str, text: &str, context: &Context<'_>) -> Result<(), TestCaseError> {
    let report = judged(path, text, context);
    let lines = text.split('\n').count() as u64;
    for finding in report.findings.diagnostics() {
        let place = &finding.place;
        prop_assert!(place.line <= lines, "{finding:?}");
        prop_assert!(place.span.end <= text.len() as u64, "{finding:?}");
        let is_boundary = |at: u64| usize::try_from(at).is_ok_and(|at| text.is_char_boundary(at));
        prop_assert!(is_boundary(place.span.start), "{finding:?}");
        prop_assert!(is_boundary(place.span.end), "{finding:?}");
        prop_assert!(finding.help.is_some(), "{finding:?}");
        prop_assert!(!finding.message.is_empty());
    }
    prop_assert_eq!(
        report.validated.is_some(),
        !report.findings.has_errors(),
        "a file without errors is read, and only such a file:\n{}",
        text
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_000) })]

    #[test]
    fn one_wrong_stroke_never_panics(file in 0..FILES.len(), change in change()) {
        let (path, text) = FILES[file];

        check(path, &changed(text, &change))?;
    }

    #[test]
    fn three_wrong_strokes_never_panic(file in 0..FILES.len(), changes in proptest::collection::vec(change(), 3)) {
        let (path, text) = FILES[file];

        let text = changes.iter().fold(text.to_owned(), |text, change| {
            if text.trim().is_empty() { text } else { changed(&text, change) }
        });

        check(path, &text)?;
    }
}
