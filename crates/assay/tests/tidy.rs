//! Words of the code and of the documents: summaries, names and lines that a newcomer can read.
//!
//! A bound that is met exactly is a ratchet: it may be lowered, and never raised.

#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words with which no summary begins: the summary says what the item is or does.
const QUESTION_WORDS: [&str; 10] = [
    "What", "Who", "Whom", "Whose", "Whether", "How", "Where", "When", "Why", "Which",
];
/// The most summaries that may begin with such a word, in a thousand.
const MAX_QUESTIONS_PER_MILLE: usize = 30;
/// The most functions with a name of one word, in a thousand. The goal is 400.
const MAX_ONE_WORD_PER_MILLE: usize = 510;
/// The number of definitions of one name of a type from which it counts as often defined.
const OFTEN: usize = 4;
/// The most names of types that are often defined. The goal is 0.
const MAX_OFTEN_DEFINED: usize = 95;
/// The longest line of a comment, in characters.
const MAX_COMMENT: usize = 100;
/// The longest line of prose in a document, in characters. Tables, code and pictures may be longer.
const MAX_PROSE: usize = 120;
/// The longest line of a template, in characters.
const MAX_TEMPLATE: usize = 160;
/// The most lines of templates that are longer. The goal is 0.
const MAX_LONG_TEMPLATE_LINES: usize = 360;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the files below a directory of the repository that have an ending, with their text.
fn files(directory: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(directory)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let name = entry.file_name().into_string().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if name.ends_with(ending) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut sources = files("crates", ".rs");
    sources.extend(files("fuzz", ".rs"));
    sources
}

/// Returns the text of a documentation comment, if the line is one.
fn doc_comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///")
        .or_else(|| line.strip_prefix("//!"))
        .map(str::trim_start)
}

/// Returns the first lines of all documentation comments of a file, with their line numbers.
fn summaries(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut inside = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let comment = doc_comment(line);
        let is_first = !std::mem::replace(&mut inside, comment.is_some());
        Some((index + 1, comment?)).filter(|_| is_first)
    })
}

/// Returns the name behind a keyword of a definition, such as `fn`, if the line has one.
fn defined_after<'t>(line: &'t str, keywords: &[&str]) -> Option<&'t str> {
    let mut words = line.split_whitespace();
    loop {
        let word = words.next()?;
        let is_modifier = word.starts_with("pub") || matches!(word, "async" | "const" | "unsafe");
        if keywords.contains(&word) {
            let rest = words.next()?;
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            return Some(&rest[..end]).filter(|name| !name.is_empty());
        }
        if !is_modifier {
            return None;
        }
    }
}

fn per_mille(part: usize, whole: usize) -> usize {
    part * 1000 / whole
}

/// Returns some of the places for a message.
fn excerpt(places: &[String]) -> String {
    let shown: Vec<&str> = places.iter().take(20).map(String::as_str).collect();
    format!(
        "{}\n(+{} more)",
        shown.join("\n"),
        places.len().saturating_sub(20)
    )
}

#[test]
fn summaries_say_what_an_item_is_or_does() {
    let mut all = 0;
    let mut questions = Vec::new();

    for (path, text) in sources() {
        for (line, summary) in summaries(&text) {
            all += 1;
            let first = summary
                .split(|c: char| !c.is_alphabetic())
                .next()
                .unwrap_or("");
            if QUESTION_WORDS.contains(&first) {
                questions.push(format!("{}:{line}: {summary}", path.display()));
            }
        }
    }

    assert!(all > 10_000, "summaries are not found: {all}");
    assert!(
        per_mille(questions.len(), all) <= MAX_QUESTIONS_PER_MILLE,
        "{} of {all} summaries ask:\n{}",
        questions.len(),
        excerpt(&questions)
    );
}

#[test]
fn names_of_functions_say_what_they_do() {
    let mut all = 0;
    let mut one_word = 0;

    for (_, text) in sources() {
        for name in text
            .lines()
            .filter_map(|line| defined_after(line.trim_start(), &["fn"]))
        {
            all += 1;
            one_word += usize::from(!name.contains('_'));
        }
    }

    assert!(all > 10_000, "functions are not found: {all}");
    assert!(
        per_mille(one_word, all) <= MAX_ONE_WORD_PER_MILLE,
        "{one_word} of {all} functions have a name of one word"
    );
}

#[test]
fn few_types_share_a_name() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();

    for (path, text) in sources() {
        for (index, line) in text.lines().enumerate() {
            let is_associated = line.starts_with(' ') && line.trim_start().starts_with("type ");
            let name = defined_after(line.trim_start(), &["struct", "enum", "trait", "type"]);
            let Some(name) = name.filter(|_| !is_associated) else {
                continue;
            };
            if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                let place = format!("{}:{}", path.display(), index + 1);
                places.entry(name.to_owned()).or_default().insert(place);
            }
        }
    }

    let often: Vec<String> = places
        .iter()
        .filter(|(_, at)| at.len() >= OFTEN)
        .map(|(name, at)| format!("{name}: {}", at.len()))
        .collect();
    assert!(places.len() > 1000, "types are not found");
    assert!(
        often.len() <= MAX_OFTEN_DEFINED,
        "{} names are defined {OFTEN} times or more:\n{}",
        often.len(),
        excerpt(&often)
    );
}

#[test]
fn comments_fit_the_width_of_the_code() {
    let mut long = Vec::new();

    for (path, text) in sources() {
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            in_code ^= doc_comment(line).is_some_and(|comment| comment.starts_with("```"));
            // A word that cannot be broken, such as an address, stays on its line.
            let breaks = line.trim_start_matches([' ', '/', '!']).contains(' ');
            let is_table = line
                .trim_start_matches([' ', '/', '!'])
                .starts_with(['|', '[']);
            if line.trim_start().starts_with("//")
                && line.chars().count() > MAX_COMMENT
                && breaks
                && !is_table
                && !in_code
                && !line.contains("://")
            {
                long.push(format!("{}:{}", path.display(), index + 1));
            }
        }
    }

    assert!(
        long.is_empty(),
        "comments are longer than {MAX_COMMENT}:\n{}",
        excerpt(&long)
    );
}

/// Returns whether a line of a document is prose that could be broken.
fn is_prose(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with(['|', '<', '#', '!', '['])
}

#[test]
fn prose_fits_the_width_of_a_page() {
    let mut pages = files("docs", ".md");
    pages.retain(|(path, _)| !path.components().any(|part| part.as_os_str() == "codes"));
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "STYLE.md",
    ] {
        let path = root().join(name);
        let text = std::fs::read_to_string(&path).unwrap();
        pages.push((path, text));
    }
    let mut long = Vec::new();

    for (path, text) in &pages {
        let mut in_code = false;
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
            }
            let words = line.split_whitespace().count();
            if !in_code && is_prose(line) && line.chars().count() > MAX_PROSE && words > 2 {
                long.push(format!("{}:{}", path.display(), index + 1));
            }
        }
    }

    assert!(pages.len() > 50, "pages are not found");
    assert!(
        long.len() <= MAX_LONG_PROSE,
        "prose is longer than {MAX_PROSE}:\n{}",
        excerpt(&long)
    );
}

/// The most lines of prose that are longer, because one span of code fills them.
const MAX_LONG_PROSE: usize = 12;

#[test]
fn lines_of_templates_can_be_read() {
    let templates = files("crates/assay-server/templates", ".html");
    let mut long = Vec::new();

    for (path, text) in &templates {
        for (index, line) in text.lines().enumerate() {
            if line.chars().count() > MAX_TEMPLATE {
                long.push(format!("{}:{}", path.display(), index + 1));
            }
        }
    }

    assert!(templates.len() > 50, "templates are not found");
    assert!(
        long.len() <= MAX_LONG_TEMPLATE_LINES,
        "{} lines are longer than {MAX_TEMPLATE}:\n{}",
        long.len(),
        excerpt(&long)
    );
}

#[test]
fn the_style_guide_names_things_that_exist() {
    let style = std::fs::read_to_string(root().join("STYLE.md")).unwrap();
    let sources = sources();
    let named: BTreeSet<&str> = style
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.starts_with(|c: char| c.is_ascii_uppercase()))
        .flat_map(|code| code.split("::"))
        .filter(|part| part.chars().all(|c| c.is_alphanumeric() || c == '_'))
        .collect();

    let missing: Vec<&&str> = named
        .iter()
        .filter(|name| !sources.iter().any(|(_, text)| text.contains(**name)))
        .collect();

    assert!(named.len() >= 5, "names are not found: {named:?}");
    assert!(missing.is_empty(), "STYLE.md names {missing:?}");
}

#[test]
fn decisions_have_one_number_each_and_are_listed() {
    let list = std::fs::read_to_string(root().join("docs/adr/README.md")).unwrap();
    let mut numbers = BTreeSet::new();

    for (path, text) in files("docs/adr", ".md") {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some((number, _)) = name.split_once('-') else {
            continue;
        };
        let number: u32 = number.parse().unwrap();
        assert!(numbers.insert(number), "two decisions have number {number}");
        assert!(
            list.contains(&format!("]({name})")),
            "{name} is not in the list"
        );
        assert!(text.starts_with(&format!("# {number}. ")), "{name}");
        assert!(text.contains("\nStatus: "), "{name} has no status");
    }

    assert!(numbers.len() > 40);
}
