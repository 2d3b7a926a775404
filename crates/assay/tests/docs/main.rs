//! The pages that people read: their links lead somewhere, their codes exist, and their transcripts
//! are true.

#![cfg(test)]

mod book;
mod conformance;
mod shell;

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page but those of the rules, which are made from the rules; with its path from the root.
fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for directory in [".", "docs", "docs/adr"] {
        let entries = std::fs::read_dir(root().join(directory)).unwrap();
        for entry in entries.map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|own| own == "md") {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                pages.push((format!("{directory}/{name}"), text));
            }
        }
    }
    pages.sort();
    pages
}

/// Returns the targets of the links of a page.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// The anchor that a heading gets: lower case, words joined by dashes, without other signs.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .replace(' ', "-")
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .collect()
}

fn leads_somewhere(page: &str, link: &str) -> bool {
    let (path, wanted) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => root().join(page),
        path => root().join(page).with_file_name(path),
    };
    let has_anchor = || {
        let text = std::fs::read_to_string(&target).unwrap_or_default();
        text.lines()
            .any(|line| line.starts_with('#') && anchor(line) == wanted)
    };
    target.exists() && (wanted.is_empty() || has_anchor())
}

/// The blocks of a page in one language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let fence = format!("```{language}\n");
    text.split(&fence)
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next())
        .collect()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program under test is no git command, and its environment is cleared here"
)]
fn assay(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(args).current_dir(root()).env_clear();
    command.output().unwrap()
}

/// The address at which a hub listens by itself.
const HUB: &str = "http://127.0.0.1:8460";

/// A demonstration hub, until it goes out of scope.
struct Demo {
    child: Child,
    url: String,
    _data: tempfile::TempDir,
}

impl Demo {
    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is no git command; it finds git by the path of the test"
    )]
    fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(["serve", "--demo", "--listen", "127.0.0.1:0", "--data"]);
        command
            .arg(data.path())
            .current_dir(data.path())
            .env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = told.next().unwrap().unwrap();
        let url = first.strip_prefix("the hub is at ").unwrap().to_owned();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let is_last = |line: &str| line.contains("the demonstration is ");
        let last = log.find(|line| is_last(line.as_ref().unwrap()));
        assert!(last.unwrap().unwrap().contains("is complete"));
        // What it has still to say must not block it.
        std::thread::spawn(move || told.chain(log).for_each(drop));
        Self {
            child,
            url,
            _data: data,
        }
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_link_leads_somewhere() {
    let mut dead = Vec::new();
    for (page, text) in pages() {
        for link in links(&text).filter(|link| !link.contains("://")) {
            if !leads_somewhere(&page, link) {
                dead.push(format!("{page}: {link}"));
            }
        }
    }

    assert_eq!(dead, Vec::<String>::new());
}

/// The longest line of a page, in characters. Tables and blocks of code are as wide as they are.
const COLUMNS: usize = 160;

#[test]
fn no_line_of_a_page_is_wider_than_a_screen() {
    let mut wide = Vec::new();
    for (page, text) in pages() {
        let is_decision = page.starts_with("docs/adr/");
        let mut is_code = false;
        for (number, line) in text.lines().enumerate().filter(|_| !is_decision) {
            is_code ^= line.trim_start().starts_with("```");
            let is_exempt = is_code || line.starts_with('|');
            if !is_exempt && line.chars().count() > COLUMNS {
                wide.push(format!("{page}:{}", number + 1));
            }
        }
    }

    assert_eq!(wide, Vec::<String>::new());
}

#[test]
fn a_link_to_a_decision_names_its_number() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for (page, text) in pages() {
        for rest in text.split("[ADR").skip(1) {
            let Some((number, rest)) = rest.split_once("](") else {
                continue;
            };
            let file = rest
                .split(')')
                .next()
                .and_then(|link| link.rsplit('/').next());
            let linked = file.and_then(|file| file.split('-').next()?.parse::<u32>().ok());
            if number.trim().parse().ok() != linked {
                wrong.push(format!("{page}: ADR {}", number.trim()));
            }
            checked += 1;
        }
    }

    assert_eq!(wrong, Vec::<String>::new());
    assert!(checked >= 20, "{checked} links");
}

/// The names of all functions in the sources of the workspace that are tests.
fn tests(directory: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            tests_in(&std::fs::read_to_string(&path).unwrap(), found);
        }
    }
}

/// The names of the tests in one source file.
fn tests_in(text: &str, found: &mut BTreeSet<String>) {
    let mut is_next = false;
    for line in text.lines().map(str::trim_start) {
        is_next |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        let line = line.strip_prefix("async ").unwrap_or(line);
        if let Some(rest) = line.strip_prefix("fn ") {
            let name = rest.split(['(', '<']).next().filter(|_| is_next);
            found.extend(name.map(ToOwned::to_owned));
            is_next = false;
        }
    }
}

#[test]
fn every_threat_has_a_test_or_says_that_it_has_none() {
    let page = std::fs::read_to_string(root().join("docs/threats.md")).unwrap();
    let mut known = BTreeSet::new();
    tests(&root().join("crates"), &mut known);

    let rows = page.lines().filter(|line| line.starts_with("| "));
    let rows = rows.filter(|line| !line.starts_with("| # |"));
    let mut numbers = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        numbers.extend(cells[0].parse::<u32>());
        let named: Vec<&str> = cells[2].split('`').skip(1).step_by(2).collect();
        let named: Vec<&str> = named
            .into_iter()
            .filter(|name| !name.contains(' '))
            .collect();
        let is_honest = cells[2].contains("not built") || cells[2].contains("no test");
        assert!(!named.is_empty() || is_honest, "{row}");
        for name in named {
            assert!(known.contains(name), "`{name}` is no test: {row}");
        }
    }

    assert_eq!(numbers, (1..=110).collect::<Vec<u32>>());
}

#[test]
fn every_code_that_a_page_names_is_that_of_a_rule() {
    let mut unknown = Vec::new();
    for (page, text) in pages() {
        for rest in text.split("AY").skip(1) {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let code = format!("AY{digits}");
            let is_known = root().join(format!("docs/codes/{code}.md")).exists();
            if digits.len() == 3 && !is_known {
                unknown.push(format!("{page}: {code}"));
            }
        }
    }

    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn what_a_transcript_of_the_examples_shows_is_printed_in_that_order() {
    let mut checked = 0;
    for (page, text) in pages() {
        for block in blocks(&text, "console") {
            let (command, shown) = block.split_once('\n').unwrap_or((block, ""));
            let Some(line) = command.strip_prefix("$ assay ") else {
                continue;
            };
            let args: Vec<&str> = line.split_whitespace().take_while(|a| *a != ">").collect();
            if !args.iter().any(|arg| arg.starts_with("examples")) {
                continue;
            }
            let printed = String::from_utf8(assay(&args).stdout).unwrap();
            let mut printed = printed.lines();
            for line in shown.lines() {
                assert!(printed.any(|own| own == line), "{page}: {command}\n{line}");
            }
            checked += 1;
        }
    }

    assert!(checked >= 4, "{checked} transcripts");
}

#[test]
fn what_a_transcript_of_the_demonstration_shows_is_all_that_is_printed() {
    let demo = Demo::start();
    let mut checked = 0;
    for (page, text) in pages() {
        for block in blocks(&text, "console") {
            let (command, shown) = block.split_once('\n').unwrap_or((block, ""));
            let line = command.strip_prefix("$ assay hub ");
            let Some(line) = line.filter(|line| line.contains(HUB)) else {
                continue;
            };
            let line = line.replace(HUB, &demo.url);
            let args: Vec<&str> = ["hub"].into_iter().chain(line.split_whitespace()).collect();

            let output = assay(&args);

            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed.trim_end(), shown.trim_end(), "{page}: {command}");
            checked += 1;
        }
    }

    assert!(checked >= 2, "{checked} transcripts");
}

#[test]
fn the_sample_of_the_json_output_is_true() {
    let page = std::fs::read_to_string(root().join("docs/cli.md")).unwrap();
    let mut sample: Value = serde_json::from_str(blocks(&page, "json")[0]).unwrap();
    let output = assay(&["validate", "examples/faulty/benchmark", "--format", "json"]);
    let mut printed: Value = serde_json::from_slice(&output.stdout).unwrap();

    let shown = sample["files"][0]["findings"].take();
    let all = printed["files"][0]["findings"].take();

    assert_eq!(sample, printed);
    assert!(all.as_array().unwrap().contains(&shown[0]), "{all:#}");
}
