//! The pages in `docs/codes` are the doc comments of the rules; a stale one is a failed test.
//! `ASSAY_UPDATE=1 cargo test -p assay-check --test codes` writes them again.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use assay_check::{Rule, rules};

/// The command that brings the pages up to date.
const UPDATE: &str = "run `ASSAY_UPDATE=1 cargo test -p assay-check --test codes`";

/// The subjects of the rules of each hundred.
const HUNDREDS: [&str; 7] = [
    "Text and syntax",
    "Shape",
    "Benchmarks",
    "Result files",
    "Records",
    "Samples",
    "Suspicions",
];

/// The longest title that stands in one line of a terminal.
const LONGEST_TITLE: usize = 80;

fn codes_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/codes")
}

/// Every page that should be there, by file name.
fn pages() -> BTreeMap<String, String> {
    let mut pages: BTreeMap<String, String> = rules::ALL
        .iter()
        .map(|rule| (format!("{}.md", rule.code), rule.page()))
        .collect();
    pages.insert("README.md".to_owned(), index(rules::ALL));
    pages
}

/// The table of all rules, by hundreds.
fn index(rules: &[&Rule]) -> String {
    let mut page = String::from(
        "# Every finding by its code\n\n\
         A code keeps its meaning and is never reused. `assay explain AY101` prints the same page.\n",
    );
    for (hundred, about) in (0..).zip(HUNDREDS) {
        let mut own = rules
            .iter()
            .filter(|rule| rule.code.number() / 100 == hundred)
            .peekable();
        if own.peek().is_some() {
            write!(
                page,
                "\n## {about}\n\n| code | name | severity | finding |\n|---|---|---|---|\n"
            )
            .unwrap();
        }
        for rule in own {
            let (code, title) = (rule.code, rule.title().replace('|', "\\|"));
            writeln!(
                page,
                "| [{code}]({code}.md) | `{}` | {} | {title} |",
                rule.name, rule.severity
            )
            .unwrap();
        }
    }
    page
}

fn written_pages() -> BTreeMap<String, String> {
    let Ok(directory) = std::fs::read_dir(codes_directory()) else {
        return BTreeMap::new();
    };
    directory
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

fn update(pages: &BTreeMap<String, String>) {
    std::fs::create_dir_all(codes_directory()).unwrap();
    for name in written_pages()
        .keys()
        .filter(|name| !pages.contains_key(*name))
    {
        std::fs::remove_file(codes_directory().join(name)).unwrap();
    }
    for (name, page) in pages {
        std::fs::write(codes_directory().join(name), page).unwrap();
    }
}

#[test]
fn every_page_in_the_documentation_is_the_doc_comment_of_a_rule() {
    let pages = pages();
    if std::env::var_os("ASSAY_UPDATE").is_some() {
        update(&pages);
    }

    let written = written_pages();

    let expected: BTreeSet<&String> = pages.keys().collect();
    let found: BTreeSet<&String> = written.keys().collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let left_over: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty() && left_over.is_empty(),
        "missing in `docs/codes`: {missing:?}; left over: {left_over:?}; {UPDATE}"
    );
    for (name, page) in &pages {
        assert!(
            written[name] == *page,
            "`docs/codes/{name}` is stale; {UPDATE}"
        );
    }
}

#[test]
fn rules_stand_in_the_order_of_their_codes_and_no_code_twice() {
    for pair in rules::ALL.windows(2) {
        assert!(
            pair[0].code < pair[1].code,
            "{} stands before {}",
            pair[0].code,
            pair[1].code
        );
    }
}

#[test]
fn every_rule_is_found_by_its_code_and_belongs_to_a_group() {
    for rule in rules::ALL {
        assert!(rules::find(rule.code).is_some_and(|found| std::ptr::eq(found, *rule)));
        assert!(
            usize::from(rule.code.number() / 100) < HUNDREDS.len(),
            "no group has {}",
            rule.code
        );
    }
}

#[test]
fn names_are_kebab_case_and_no_name_stands_twice() {
    let mut names = BTreeSet::new();
    for Rule { code, name, .. } in rules::ALL {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let words_fit = name
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(fits));

        assert!(words_fit, "{code} is called `{name}`");
        assert!(names.insert(name), "two rules are called `{name}`");
    }
}

#[test]
fn a_title_is_a_short_line_without_full_stop() {
    for rule in rules::ALL {
        let title = rule.title();
        let first = title.chars().next();

        assert!(
            first.is_some_and(|c| c.is_uppercase() || c == '`') && !title.ends_with('.'),
            "{}: {title:?}",
            rule.code
        );
        assert!(
            title.chars().count() <= LONGEST_TITLE,
            "{}: {title:?}",
            rule.code
        );
    }
}

#[test]
fn every_page_explains_and_says_what_to_do() {
    for rule in rules::ALL {
        let page = rule.page();
        let (explanation, steps) = page
            .split_once("\n## What to do\n")
            .unwrap_or_else(|| panic!("{} does not say what to do", rule.code));

        assert!(
            explanation
                .lines()
                .skip(3)
                .any(|line| !line.trim().is_empty()),
            "{} does not say what it finds",
            rule.code
        );
        assert!(
            !steps.trim().is_empty(),
            "{} says nothing under `What to do`",
            rule.code
        );
    }
}

#[test]
fn every_fence_names_its_language_and_is_closed() {
    for rule in rules::ALL {
        let mut open = false;
        for line in rule.doc.lines() {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                open = !open;
                assert_eq!(!language.trim().is_empty(), open, "{}: `{line}`", rule.code);
            }
        }

        assert!(!open, "{} leaves a fence open", rule.code);
    }
}

/// A rule that is written and forgotten in `ALL` would never be explained.
#[test]
fn every_rule_in_the_sources_is_registered() {
    let mut declared = BTreeSet::new();
    for path in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rules")) {
        let codes = declared_codes(&std::fs::read_to_string(&path).unwrap());
        assert!(!codes.is_empty(), "{} declares no rule", path.display());
        declared.extend(codes);
    }

    let registered: BTreeSet<u16> = rules::ALL.iter().map(|rule| rule.code.number()).collect();

    assert_eq!(declared, registered);
}

/// The source files of a directory; what lies in a directory of its own is a helper of the file of
/// that name.
fn sources(directory: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect()
}

/// The numbers in lines such as `NOT_UTF8 = (4, "not-utf8", Error)`.
fn declared_codes(source: &str) -> Vec<u16> {
    source
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.trim().split_once(" = (")?;
            let fits =
                |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
            name.bytes().all(fits).then_some(())?;
            rest.split_once(", \"")?.0.parse().ok()
        })
        .collect()
}
