//! The documentation, from the same sources as that in the repository and the command line.

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

const PAGES: [Page; 14] = [
    page!(
        "model-developers",
        "Result files",
        "Publish the scores of a model."
    ),
    page!(
        "benchmark-owners",
        "eval.yaml",
        "Define the metrics and tasks of a benchmark."
    ),
    page!(
        "framework-authors",
        "Records and samples",
        "What evaluation frameworks write."
    ),
    page!(
        "researchers",
        "Datastores",
        "Check and upgrade a pile of records."
    ),
    page!(
        "convert",
        "Converting logs",
        "From the logs of a harness to results."
    ),
    page!(
        "hub-clients",
        "Using a hub",
        "With Python, git, the shell or a webhook."
    ),
    page!(
        "deploy",
        "Deploying a hub",
        "systemd, containers, nginx, PostgreSQL, backup and restore."
    ),
    page!(
        "hub-operators",
        "Operating a hub",
        "Settings, limits, accounts, keys and metrics."
    ),
    page!(
        "cli",
        "The command line",
        "Every command, with its exit codes."
    ),
    page!(
        "verification",
        "Verified results",
        "What the badge says, and how to check it yourself."
    ),
    page!(
        "issuer",
        "Signing results",
        "Who gets tokens, by which policy, with which keys."
    ),
    page!(
        "transparency-log",
        "The public log",
        "What is written down for good, and how to audit it."
    ),
    page!("api-design", "The API", "Addresses, answers and errors."),
    page!(
        "schema-differences",
        "Schema differences",
        "Where our schemas differ from the published ones."
    ),
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
    pages: &'static [Page],
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
    others: Vec<(String, &'static str, bool)>,
}

/// The way to the other pages: address, name, and whether it is this one.
fn others(visitor: &Visitor) -> Vec<(String, &'static str, bool)> {
    let pages = PAGES.iter().map(|page| {
        let address = format!("/docs/{}", page.name);
        let current = visitor.path.trim_end_matches(".md") == address;
        (address, page.title, current)
    });
    let codes = ("/docs/codes".to_owned(), "Rule codes", false);
    pages.chain([codes]).collect()
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
        pages: &PAGES,
        schemas: SCHEMAS.iter().map(|(name, _)| *name).collect(),
        rules: rule_pages().len(),
    })
}

async fn page(visitor: Visitor, PathParams(name): PathParams<String>) -> Result<Answer, Failure> {
    // Pages link to each other by the names of their files.
    let name = name.strip_suffix(".md").unwrap_or(&name);
    let found = PAGES.iter().find(|page| page.name == name);
    let page = found.ok_or_else(Failure::no_route)?;
    visitor.render(&Article {
        frame: visitor
            .frame(page.title)
            .within(Section::Docs)
            .about(page.about),
        crumb: None,
        html: markdown::render(page.text, "/docs"),
        others: others(&visitor),
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
        html: markdown::render(&rule.page, "/docs/codes"),
        others: others(&visitor),
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

/// What a rule is about: the heading that it stands under in the list of all codes.
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
    use super::*;

    #[test]
    fn every_rule_stands_under_a_heading() {
        for rule in rule_pages() {
            assert_ne!(group_of(&rule.code), "Others", "{}", rule.code);
        }
    }
}
