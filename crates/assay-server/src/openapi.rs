//! The description of the API, made of the same list as the router: for machines as `OpenAPI`, for people as a page.

use axum::Router;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::routing::get;
use bytes::Bytes;

use crate::endpoints::Operation;
use crate::state::AppState;

mod document;
mod page;

/// The page has no script and loads nothing.
const ONLY_STYLE: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The description of the API.
pub(crate) fn routes(operations: &[Operation]) -> Router<AppState> {
    let json = Bytes::from(document::of(operations).to_string());
    let html = Bytes::from(page::of(operations));
    Router::new()
        .route(
            "/api/openapi.json",
            get(async move || ([(CONTENT_TYPE, "application/json")], json)),
        )
        .route(
            "/docs/api",
            get(async move || {
                let headers = [
                    (CONTENT_TYPE, "text/html; charset=utf-8"),
                    (CONTENT_SECURITY_POLICY, ONLY_STYLE),
                ];
                (headers, html)
            }),
        )
}

/// The parts of an address in braces, without them: the name, and whether slashes may stand in it.
fn parts(path: &str) -> impl Iterator<Item = (&str, bool)> {
    path.split('/').filter_map(|segment| {
        let start = segment.find('{')?;
        let name = segment[start + 1..].split('}').next()?;
        Some(match name.strip_prefix('*') {
            Some(name) => (name, true),
            None => (name, false),
        })
    })
}

/// What a part of an address means.
fn meaning(part: &str) -> &'static str {
    match part {
        "namespace" | "account" => "the user or organisation",
        "name" => "the name of the repository",
        "revision" => "a branch, a tag, a commit or `refs/pr/N`; slashes written as `%2F`",
        "path" => "the path of the file or folder",
        "branch" => "the branch",
        "tag" => "the tag, or the revision that a new one is for",
        "num" => "the number of the discussion or pull request",
        "event" => "the comment",
        "topic" => "anything",
        "kind" => "`models` or `datasets`",
        "oid" => "the SHA-256 of the file",
        _ => "",
    }
}
