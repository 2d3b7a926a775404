//! The documentation, from the same sources as that in the repository and the command line.

use std::borrow::Cow;

use askama::Template;
use assay_app::{RulePage, rule_page, rule_pages};
use assay_model::Severity;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::frame::{Frame, Section};
use super::{Pages, Visitor, html, markdown};
use crate::error::Failure;
use crate::extract::PathParams;
use crate::rendered::Answer;

/// A page of the documentation.
struct Page {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    text: &'static str,
}

/// Pages of one kind, such as how-to guides.
struct DocsPart {
    title: &'static str,
    pages: &'static [Page],
}

macro_rules! page {
    ($name:literal, $title:literal, $about:literal) => {
        Page {
            name: $name,
            title: $title,
            about: $about,
            text: include_str!(concat!("../../../../docs/", $name, ".md")),
        }
    };
}

/// Every page, in the order of `docs/SUMMARY.md`.
const PARTS: [DocsPart; 5] = [
    DocsPart {
        title: "Tutorial",
        pages: &[page!(
            "tutorial",
            "From an empty directory to a verified row",
            "Fifteen minutes from an empty directory to a row that is verified offline."
        )],
    },
    DocsPart {
        title: "How-to",
        pages: &[
            page!(
                "benchmark-owners",
                "Publish a benchmark",
                "Define the metrics and tasks of a benchmark."
            ),
            page!(
                "model-developers",
                "Publish scores",
                "Publish the scores of a model."
            ),
            page!(
                "hub-clients",
                "Use a hub",
                "With Python, git, the shell or a webhook."
            ),
            page!(
                "mcp",
                "Ask a hub from a language model",
                "Tools of the Model Context Protocol."
            ),
            page!(
                "quickstart-inspect",
                "Submit from Inspect AI",
                "A verified row from an Inspect AI evaluation."
            ),
            page!(
                "quickstart-lm-eval",
                "Submit from lm-evaluation-harness",
                "A verified row from lm-evaluation-harness."
            ),
            page!(
                "quickstart-lighteval",
                "Submit from lighteval",
                "A verified row from lighteval."
            ),
            page!(
                "quickstart-run",
                "Submit from any command",
                "A verified row from any command."
            ),
            page!(
                "framework-authors",
                "Write records, sign results",
                "What evaluation frameworks write, and how results are signed."
            ),
            page!(
                "convert",
                "Convert logs",
                "From the logs of a harness to results."
            ),
            page!(
                "researchers",
                "Check and upgrade a datastore",
                "Check and upgrade a pile of records."
            ),
            page!(
                "lake",
                "Query results and samples",
                "Every result and every sample, in SQL."
            ),
            page!(
                "questions",
                "Twenty questions in SQL",
                "Questions that researchers ask, with their SQL."
            ),
            page!(
                "deploy",
                "Deploy a hub",
                "systemd, containers, nginx, PostgreSQL, backup and restore."
            ),
            page!(
                "hub-operators",
                "Operate a hub",
                "Settings, limits, accounts, keys and metrics."
            ),
            page!(
                "issuer",
                "Issue tokens",
                "Who gets tokens, by which policy, with which keys."
            ),
            page!(
                "transparency-log",
                "Audit a hub",
                "What is written down for good, and how to audit it."
            ),
        ],
    },
    DocsPart {
        title: "Reference",
        pages: &[
            page!("cli", "Command line", "Every command, with its exit codes."),
            page!("api-design", "API", "Addresses, answers and errors."),
            page!(
                "names",
                "Names of models",
                "Which model a name or alias means, and why."
            ),
            page!(
                "schema-differences",
                "Schema differences",
                "Where our schemas differ from the published ones."
            ),
            page!(
                "converter-differences",
                "Converter differences",
                "Where our converters differ from the reference."
            ),
            page!("glossary", "Glossary", "One word, one meaning."),
            page!(
                "conformance",
                "Conformance",
                "Which requirements are met, and the test that shows it."
            ),
            page!(
                "performance",
                "Performance",
                "What is promised, and how to check it."
            ),
            page!(
                "stopwatch",
                "Eight questions by the stopwatch",
                "How many clicks and seconds a question takes."
            ),
            page!("scaling", "Scaling", "What to run at which size."),
            page!(
                "imported-boards",
                "Boards of a published datastore",
                "A datastore of 5,566 records, before and after."
            ),
            page!(
                "truth",
                "What the records of others show",
                "What the rules find in published records."
            ),
        ],
    },
    DocsPart {
        title: "Concepts",
        pages: &[
            page!(
                "concepts",
                "Concepts on one page",
                "Results, comparability, verification, statistics and trust on one page."
            ),
            page!(
                "verification",
                "Verification",
                "What the badge says, and how to check it yourself."
            ),
            page!(
                "statistics",
                "Statistics",
                "What may be chance, and how that is computed."
            ),
            page!(
                "threats",
                "Threats",
                "Every attack that was thought of, with the test of its defence."
            ),
            page!(
                "comparison",
                "Comparison with other tools",
                "The Hugging Face Hub, Every Eval Ever, Inspect View and proofbundle beside Assay."
            ),
        ],
    },
    DocsPart {
        title: "Troubleshooting",
        pages: &[
            page!(
                "troubleshooting",
                "Errors by their text",
                "Error messages with their meaning and what to do."
            ),
            page!("faq", "Questions and answers", "What people ask."),
        ],
    },
];

/// The hubs of the examples. Their address is that of this hub on [`PAGES_ABOUT_THIS_HUB`].
const EXAMPLE_HUBS: [&str; 2] = ["http://127.0.0.1:8460", "https://hub.example"];
/// The pages for people who use a hub that is there. On all others the reader starts one, or
/// several hubs are meant.
const PAGES_ABOUT_THIS_HUB: [&str; 9] = [
    "benchmark-owners",
    "model-developers",
    "hub-clients",
    "mcp",
    "framework-authors",
    "quickstart-inspect",
    "quickstart-lm-eval",
    "quickstart-lighteval",
    "quickstart-run",
];

/// The published schemas, as files.
const SCHEMAS: [(&str, &str); 2] = [
    (
        "eee.schema.json",
        include_str!("../../../../docs/schemas/eee.schema.json"),
    ),
    (
        "eee-samples.schema.json",
        include_str!("../../../../docs/schemas/eee-samples.schema.json"),
    ),
];

pub(super) fn pages() -> Pages {
    Pages::new()
        .page("/docs", "What is documented.", get(index))
        .page("/docs/codes", "Every rule with its code.", get(codes))
        .page(
            "/docs/codes/{code}",
            "What a rule finds and how to mend it.",
            get(code),
        )
        .page("/docs/schemas/{file}", "A JSON Schema.", get(schema))
        .page("/docs/{page}", "A page of the documentation.", get(page))
}

#[derive(Template)]
#[template(path = "docs/index.html")]
struct Index {
    frame: Frame,
    parts: &'static [DocsPart],
    schemas: Vec<&'static str>,
    rules: usize,
}

#[derive(Template)]
#[template(path = "docs/codes.html")]
struct Codes {
    frame: Frame,
    groups: Vec<(&'static str, Vec<RulePage>)>,
}

#[derive(Template)]
#[template(path = "docs/page.html")]
struct Article {
    frame: Frame,
    crumb: Option<(&'static str, &'static str)>,
    html: String,
    contents: Vec<(&'static str, Vec<ContentsLink>)>,
}

/// A link in the table of contents beside a page.
struct ContentsLink {
    address: String,
    title: &'static str,
    is_current: bool,
}

/// Returns the table of contents beside a page, by part.
fn contents(visitor: &Visitor) -> Vec<(&'static str, Vec<ContentsLink>)> {
    let link = |page: &Page| {
        let address = format!("/docs/{}", page.name);
        ContentsLink {
            is_current: visitor.path.trim_end_matches(".md") == address,
            address,
            title: page.title,
        }
    };
    let mut contents: Vec<(&str, Vec<ContentsLink>)> = PARTS
        .iter()
        .map(|part| (part.title, part.pages.iter().map(link).collect()))
        .collect();
    if let Some((_, reference)) = contents.iter_mut().find(|(title, _)| *title == "Reference") {
        reference.push(ContentsLink {
            address: "/docs/codes".to_owned(),
            title: "Rule codes",
            is_current: false,
        });
    }
    contents
}

impl Codes {
    fn class(severity: Severity) -> &'static str {
        match severity {
            Severity::Error => "bad",
            Severity::Warning => "community",
            Severity::Note => "source",
        }
    }
}

async fn index(visitor: Visitor) -> Result<Answer, Failure> {
    visitor.render(&Index {
        frame: visitor
            .frame("Documentation")
            .within(Section::Docs)
            .about("Formats, rules, the command line and the API."),
        parts: &PARTS,
        schemas: SCHEMAS.iter().map(|(name, _)| *name).collect(),
        rules: rule_pages().len(),
    })
}

async fn page(visitor: Visitor, PathParams(name): PathParams<String>) -> Result<Answer, Failure> {
    // Pages link to each other by the names of their files.
    let name = name.strip_suffix(".md").unwrap_or(&name);
    let mut pages = PARTS.iter().flat_map(|part| part.pages);
    let found = pages.find(|page| page.name == name);
    let page = found.ok_or_else(Failure::no_route)?;
    let mut text = Cow::Borrowed(page.text);
    if PAGES_ABOUT_THIS_HUB.contains(&page.name) {
        let base = visitor.base.as_str();
        for example in EXAMPLE_HUBS {
            text = Cow::Owned(text.replace(example, base));
        }
    }
    visitor.render(&Article {
        frame: visitor
            .frame(page.title)
            .within(Section::Docs)
            .about(page.about),
        crumb: None,
        html: markdown::render_page(&text, "/docs"),
        contents: contents(&visitor),
    })
}

async fn codes(visitor: Visitor) -> Result<Answer, Failure> {
    let mut groups: Vec<(&'static str, Vec<RulePage>)> = Vec::new();
    for rule in rule_pages() {
        let group = group_of(&rule.code);
        match groups.last_mut() {
            Some((held, rules)) if *held == group => rules.push(rule),
            _ => groups.push((group, vec![rule])),
        }
    }
    visitor.render(&Codes {
        frame: visitor
            .frame("Rule codes")
            .within(Section::Docs)
            .about("Every rule for files."),
        groups,
    })
}

async fn code(visitor: Visitor, PathParams(code): PathParams<String>) -> Result<Answer, Failure> {
    let code = code.strip_suffix(".md").unwrap_or(&code);
    if code.eq_ignore_ascii_case("README") {
        return codes(visitor).await;
    }
    let rule = rule_page(code).ok_or_else(Failure::no_route)?;
    visitor.render(&Article {
        frame: visitor
            .frame(format!("{}: {}", rule.code, rule.title))
            .within(Section::Docs)
            .about(rule.title),
        crumb: Some(("/docs/codes", "Rule codes")),
        html: markdown::render_page(&rule.page, "/docs/codes"),
        contents: contents(&visitor),
    })
}

async fn schema(PathParams(file): PathParams<String>) -> Result<Response, Failure> {
    let found = SCHEMAS.iter().find(|(name, _)| *name == file);
    let (_, text) = found.ok_or_else(Failure::no_route)?;
    let mut headers = html::headers_of("application/schema+json");
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/schema+json"),
    );
    Ok((headers, *text).into_response())
}

/// Returns the subject of a rule: its heading in the list of all codes.
fn group_of(code: &str) -> &'static str {
    let row = format!("| [{code}]");
    let mut group = "Others";
    for line in include_str!("../../../../docs/codes/README.md").lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            group = heading;
        } else if line.starts_with(&row) {
            return group;
        }
    }
    "Others"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_hub_shows_every_page_of_the_book_in_its_order() {
        let mut expected: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for line in include_str!("../../../../docs/SUMMARY.md").lines() {
            if let Some(part) = line.strip_prefix("# ") {
                expected.push((part.to_owned(), Vec::new()));
            } else if let Some(entry) = line.strip_prefix("- [") {
                let (title, file) = entry.split_once("](").unwrap();
                let name = file.strip_suffix(".md)").unwrap();
                // Codes and decisions have folders of their own.
                if !name.contains('/') {
                    let (_, pages) = expected.last_mut().unwrap();
                    pages.push((title.to_owned(), name.to_owned()));
                }
            }
        }
        expected.retain(|(_, pages)| !pages.is_empty());

        let shown: Vec<(String, Vec<(String, String)>)> = PARTS
            .iter()
            .map(|part| {
                let pages = part.pages.iter();
                let pages = pages.map(|page| (page.title.to_owned(), page.name.to_owned()));
                (part.title.to_owned(), pages.collect())
            })
            .collect();

        assert_eq!(shown, expected);
    }

    #[test]
    fn pages_about_this_hub_exist_and_name_a_hub_of_the_examples() {
        for name in PAGES_ABOUT_THIS_HUB {
            let mut pages = PARTS.iter().flat_map(|part| part.pages);
            let page = pages.find(|page| page.name == name).unwrap();

            assert!(
                EXAMPLE_HUBS.iter().any(|hub| page.text.contains(hub)),
                "{name}"
            );
        }
    }

    #[test]
    fn every_page_says_what_it_is_about_and_no_two_the_same() {
        let abouts: Vec<&str> = PARTS
            .iter()
            .flat_map(|part| part.pages.iter().map(|page| page.about))
            .collect();

        assert!(
            abouts.iter().all(|about| about.ends_with('.')),
            "{abouts:?}"
        );
        assert_eq!(abouts.iter().collect::<BTreeSet<_>>().len(), abouts.len());
    }

    #[test]
    fn every_rule_stands_under_a_heading() {
        for rule in rule_pages() {
            assert_ne!(group_of(&rule.code), "Others", "{}", rule.code);
        }
    }
}
