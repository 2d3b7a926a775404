//! Files for search engines and language models: `robots.txt`, `sitemap.xml` and `llms.txt`.

use std::fmt::Write as _;

use assay_app::{ListQuery, ListSort};
use assay_model::RepoKind;
use axum::extract::State;
use axum::routing::get;

use super::escape::escape;
use super::{Pages, Visitor, links};
use crate::error::Failure;
use crate::rendered::{About, Answer};
use crate::state::AppState;

/// The most repositories of a kind in the sitemap; a sitemap may have 50,000 addresses.
const MAX_LISTED: usize = 20_000;
/// The number of benchmarks that `llms.txt` names.
const MAX_NAMED: usize = 100;
const TEXT: &str = "text/plain; charset=utf-8";
const XML: &str = "application/xml; charset=utf-8";
/// The pages that are there on every hub.
const FIRST_PAGES: [&str; 5] = ["/", "/results", "/benchmarks", "/models", "/docs"];
/// Pages that crawlers have no use for: forms, pages of those who are signed in, and views of the
/// same rows in other orders.
const NOT_FOR_CRAWLERS: [&str; 9] = [
    "/new/",
    "/login",
    "/settings",
    "/admin",
    "/theme",
    "/compare",
    "/search",
    "/*?*sort=",
    "/*?*format=",
];

pub(super) fn pages() -> Pages {
    Pages::new()
        .page(
            "/robots.txt",
            "What crawlers may read, and where the sitemap is.",
            get(robots),
        )
        .page(
            "/sitemap.xml",
            "The public benchmarks and models, with when each last changed.",
            get(sitemap),
        )
        .page(
            "/docs/llms.txt",
            "A summary of the hub for language models, with its benchmarks and its API.",
            get(llms),
        )
}

async fn robots(State(state): State<AppState>, visitor: Visitor) -> Answer {
    let mut text = "User-agent: *\n".to_owned();
    for path in NOT_FOR_CRAWLERS {
        // A text can always be written to.
        let _ = writeln!(text, "Disallow: {path}");
    }
    let _ = write!(text, "\nSitemap: {}/sitemap.xml\n", visitor.base);
    visitor.other_kept(&state, None, TEXT, text)
}

async fn sitemap(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let base = &visitor.base;
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n"
        .to_owned();
    for path in FIRST_PAGES {
        let _ = writeln!(
            text,
            "<url><loc>{}</loc></url>",
            escape(&format!("{base}{path}"))
        );
    }
    for kind in [RepoKind::Dataset, RepoKind::Model] {
        for info in public(&state, &visitor, kind, MAX_LISTED).await? {
            let address = format!("{base}{}", links::repo(kind, &info.id));
            let _ = writeln!(
                text,
                "<url><loc>{}</loc><lastmod>{}</lastmod></url>",
                escape(&address),
                info.updated
            );
        }
    }
    text.push_str("</urlset>\n");
    Ok(visitor.other_kept(&state, place, XML, text))
}

async fn llms(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let place = visitor.place(&state, About::Everything);
    let base = &visitor.base;
    let mut text = format!(
        "# Assay\n\n> A hub of AI evaluation results: benchmarks, models, and leaderboards where every score links to who \
         ran it, how, and a signed proof if there is one.\n\n\
         ## Reading\n\n\
         - [All results]({base}/results): models by tasks; add `?format=csv` or `?format=md` for a file\n\
         - [Benchmarks]({base}/benchmarks)\n\
         - [API]({base}/api/docs): described by [an OpenAPI document]({base}/api/openapi.json)\n\
         - [Documentation]({base}/docs)\n\
         - Tools: `{base}/mcp` speaks the Model Context Protocol (streamable HTTP, read-only): search, board, compare, \
         evidence, changes\n\n\
         A leaderboard is a file at `{base}/api/datasets/OWNER/NAME/leaderboard.md?task_id=TASK`, also as csv, json and \
         parquet.\n\n## Benchmarks\n\n"
    );
    for info in public(&state, &visitor, RepoKind::Dataset, MAX_NAMED).await? {
        let Some(definition) = state
            .hub
            .boards()
            .definition(&visitor.caller, &info.id)
            .await?
        else {
            continue;
        };
        let line = |text: &str| text.replace(['\r', '\n', '[', ']'], " ");
        let _ = writeln!(
            text,
            "- [{}]({base}{}): {}",
            line(&definition.name),
            links::benchmark(&info.id),
            line(&definition.description)
        );
    }
    Ok(visitor.other_kept(&state, place, TEXT, text))
}

/// The public repositories of a kind that anyone may see; of datasets the benchmarks alone.
async fn public(
    state: &AppState,
    visitor: &Visitor,
    kind: RepoKind,
    most: usize,
) -> Result<Vec<assay_app::RepoInfo>, Failure> {
    let tags = match kind {
        RepoKind::Dataset => vec!["benchmark".to_owned()],
        RepoKind::Model => Vec::new(),
    };
    let mut query = ListQuery {
        kind,
        author: None,
        search: Vec::new(),
        tags,
        sort: ListSort::Updated,
        limit: None,
        cursor: None,
    };
    let mut found = Vec::new();
    loop {
        let page = state
            .hub
            .repositories()
            .list(&visitor.caller, &query)
            .await?;
        found.extend(page.repositories.into_iter().filter(|info| !info.private));
        query.cursor = page.next;
        if query.cursor.is_none() || found.len() >= most {
            found.truncate(most);
            return Ok(found);
        }
    }
}
