//! The documentation as a book: one list of all pages, the words that people search for, and errors
//! by their text.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::{links, pages, root};

/// The pages below `docs`, with their paths from there.
fn pages_below(folder: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(root().join("docs").join(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("{folder}{name}");
        if root().join("docs").join(&path).is_dir() {
            pages_below(&format!("{path}/"), found);
        } else if Path::new(&name).extension().is_some_and(|own| own == "md") {
            found.insert(path);
        }
    }
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// The entries of the pages in a folder, below that of its `README.md`: each has the title of its
/// page. Of a decision the part before the first comma is enough.
fn entries_of(folder: &str) -> String {
    let mut names = BTreeSet::new();
    pages_below(folder, &mut names);
    names.remove(&format!("{folder}README.md"));
    let mut entries = String::new();
    for name in names {
        let text = page(&name);
        let title = text.lines().next().unwrap_or_default();
        let title = title.trim_start_matches("# ").replace(['[', ']'], "");
        let title = match folder {
            "adr/" => title.split(',').next().unwrap_or_default(),
            _ => &title,
        };
        writeln!(entries, "  - [{title}]({name})").unwrap();
    }
    entries
}

/// The summary with the entries of codes and decisions as they have to be.
fn with_entries(summary: &str) -> String {
    let mut whole = String::new();
    for line in summary.lines().filter(|line| !line.starts_with("  - ")) {
        whole.push_str(line);
        whole.push('\n');
        let folder = line.strip_suffix("README.md)");
        let folder = folder
            .and_then(|line| line.split_once("]("))
            .map(|(_, path)| path);
        if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
            whole.push_str(&entries_of(folder));
        }
    }
    whole
}

#[test]
fn the_summary_of_the_book_names_every_page_once_and_nothing_else() {
    let mut expected = BTreeSet::new();
    pages_below("", &mut expected);
    expected.remove("SUMMARY.md");
    let mut summary = page("SUMMARY.md");
    let whole = with_entries(&summary);
    if std::env::var_os("ASSAY_UPDATE").is_some() {
        std::fs::write(root().join("docs/SUMMARY.md"), &whole).unwrap();
        summary.clone_from(&whole);
    }

    let named: Vec<String> = links(&summary).map(ToOwned::to_owned).collect();

    let set: BTreeSet<String> = named.iter().cloned().collect();
    let missing: Vec<&String> = expected.difference(&set).collect();
    let unknown: Vec<&String> = set.difference(&expected).collect();
    assert!(
        missing.is_empty(),
        "docs/SUMMARY.md lacks {missing:?}; ASSAY_UPDATE=1 adds codes and decisions"
    );
    assert!(unknown.is_empty(), "there are no pages {unknown:?}");
    assert_eq!(named.len(), set.len(), "a page is named twice");
    assert_eq!(
        summary, whole,
        "a title has changed; run the test with ASSAY_UPDATE=1"
    );
}

#[test]
fn the_table_of_documents_links_every_page() {
    let table = page("README.md");
    let linked: BTreeSet<&str> = links(&table)
        .map(|link| link.split('#').next().unwrap_or_default())
        .collect();

    let missing: Vec<String> = pages()
        .into_iter()
        .filter_map(|(page, _)| Some(page.strip_prefix("docs/")?.to_owned()))
        .filter(|page| !page.contains('/') && page != "README.md" && page != "SUMMARY.md")
        .filter(|page| !linked.contains(page.as_str()))
        .collect();

    assert_eq!(missing, Vec::<String>::new());
}

/// Words that people search for, with a page that answers.
const SEARCHED: &[(&str, &str)] = &[
    ("garbage collection", "faq.md"),
    ("anonymous", "faq.md"),
    ("authenticate", "faq.md"),
    ("restore", "deploy.md"),
    ("systemd", "deploy.md"),
    ("rate limit", "faq.md"),
    ("quota", "hub-operators.md"),
    ("alias", "names.md"),
    ("sampling error", "concepts.md"),
];

#[test]
fn what_people_search_for_stands_in_its_page() {
    for (words, name) in SEARCHED {
        let text = page(name).to_lowercase().replace('\n', " ");

        assert!(text.contains(words), "`{words}` is not in docs/{name}");
    }
}

/// All sources of the workspace but tests, with strings that go over several lines put together.
fn sources(directory: &Path, text: &mut String) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() && name != "tests" && name != "target" {
            sources(&path, text);
        } else if path.extension().is_some_and(|kind| kind == "rs") && name != "tests.rs" {
            let source = std::fs::read_to_string(&path).unwrap();
            let mut goes_on = false;
            for line in source.lines() {
                let line = if goes_on { line.trim_start() } else { line };
                goes_on = line.ends_with('\\');
                text.push_str(line.trim_end_matches('\\'));
                if !goes_on {
                    text.push('\n');
                }
            }
        }
    }
}

/// The error texts of a page: what stands in backticks in the first column of its tables.
fn error_texts(text: &str) -> Vec<&str> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split_once("` |"))
        .map(|(text, _)| text)
        .collect()
}

#[test]
fn every_error_of_the_troubleshooting_page_is_one_that_the_program_prints() {
    let mut printed = String::new();
    sources(&root().join("crates"), &mut printed);
    let page = page("troubleshooting.md");
    let texts = error_texts(&page);

    let mut unknown = Vec::new();
    for text in &texts {
        for fragment in text.split('…').filter(|part| !part.trim().is_empty()) {
            if !printed.contains(fragment.trim()) {
                unknown.push(*text);
            }
        }
    }

    assert_eq!(unknown, Vec::<&str>::new());
    assert!(texts.len() > 60, "{} texts", texts.len());
}

/// Pages for readers who are new: short lines, short sentences.
const PLAIN_PAGES: &[&str] = &[
    "tutorial.md",
    "concepts.md",
    "faq.md",
    "troubleshooting.md",
    "comparison.md",
];
/// The longest sentence of such a page, in words.
const WORDS: usize = 35;
/// The longest line of such a page, in characters.
const COLUMNS: usize = 120;

/// The sentences of a page. A paragraph, an item of a list, and a cell of a table each begin a new
/// one.
fn sentences(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.starts_with("```");
        let line = line.trim();
        if is_code || line.is_empty() || line.starts_with("```") {
            blocks.push(String::new());
        } else if line.starts_with('|') {
            blocks.extend(line.split('|').map(ToOwned::to_owned));
            blocks.push(String::new());
        } else {
            let is_item = line.starts_with("- ") || line.starts_with(|c: char| c.is_ascii_digit());
            if is_item || line.starts_with('#') {
                blocks.push(String::new());
            }
            if let Some(block) = blocks.last_mut() {
                block.push_str(line);
                block.push(' ');
            }
        }
    }
    let marked = blocks
        .iter()
        .map(|block| block.replace(". ", ".\n").replace("? ", "?\n"));
    marked
        .flat_map(|block| {
            let sentences = block.lines().map(|sentence| sentence.trim().to_owned());
            sentences.collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn pages_for_newcomers_have_short_sentences_and_lines() {
    let mut long = Vec::new();
    for name in PLAIN_PAGES {
        let text = page(name);
        let lines = text.lines().filter(|line| !line.starts_with('|'));
        long.extend(
            lines
                .filter(|line| line.chars().count() > COLUMNS)
                .map(|line| format!("{name}: {line}")),
        );
        let sentences = sentences(&text).into_iter();
        long.extend(
            sentences
                .filter(|sentence| sentence.split_whitespace().count() > WORDS)
                .map(|sentence| format!("{name}: {sentence}")),
        );
    }

    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn a_long_sentence_is_found_across_lines_and_not_across_items() {
    let text =
        "One two.\nThree\nfour.\n\n- five\n- six\n\n| seven | eight |\n```sh\nnine\n```\nten\n";

    let found: Vec<String> = sentences(text)
        .into_iter()
        .filter(|s| !s.is_empty())
        .collect();

    assert_eq!(
        found,
        [
            "One two.",
            "Three four.",
            "- five",
            "- six",
            "seven",
            "eight",
            "ten"
        ]
    );
}
