use assay_model::{ObjectId, PullNumber, RepoId, RepoKind};
use axum::http::header::LINK;
use axum::http::{HeaderMap, HeaderValue};

use crate::base_url::BaseUrl;

/// The description of the header that leads to the next page, for the document.
pub(crate) const NEXT: &str =
    "The address of the next page, with `rel=\"next\"`, when there is one.";

/// The page of a repository.
pub(crate) fn repo(base: &BaseUrl, kind: RepoKind, id: &RepoId) -> String {
    match kind {
        RepoKind::Model => format!("{base}/{id}"),
        RepoKind::Dataset => format!("{base}/datasets/{id}"),
    }
}

/// The page of a commit.
pub(crate) fn commit(base: &BaseUrl, kind: RepoKind, id: &RepoId, commit: &ObjectId) -> String {
    format!("{}/commit/{commit}", repo(base, kind, id))
}

/// The page of a discussion or pull request. Clients take the number from its end.
pub(crate) fn discussion(base: &BaseUrl, kind: RepoKind, id: &RepoId, num: PullNumber) -> String {
    format!("{}/discussions/{num}", repo(base, kind, id))
}

/// The header that leads to the next page: absolute, with everything the first one asked for.
pub(crate) fn next(base: &BaseUrl, path: &str, pairs: &[(&str, String)]) -> HeaderMap {
    let query = serde_html_form::to_string(pairs).unwrap_or_default();
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(&format!("<{base}{path}?{query}>; rel=\"next\"")) {
        headers.insert(LINK, value);
    }
    headers
}
