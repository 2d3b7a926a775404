use assay_app::LastCommit;
use assay_hub_api as hub_api;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, PathParams, Query, RepoName};
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::web::escape;
use crate::{links, wire};

/// Number of commits that a page has when nobody says.
const PAGE: usize = 50;
/// The most commits of a page.
const MAX_PAGE: usize = 1000;
const TOTAL: HeaderName = HeaderName::from_static("x-total-count");

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Commits).route(
        "/{namespace}/{name}/commits/{revision}",
        get(
            commits,
            says("Lists the commits of a revision, newest first.")
                .query::<Paging>()
                .lists::<hub_api::CommitItem>("A page.")
                .header("Link", links::NEXT)
                .header("X-Total-Count", "How many commits there are in all."),
        ),
    )
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct Paging {
    /// The page, from 0 on.
    #[serde(default)]
    p: usize,
    /// The most commits of a page: 50 when nobody says, up to 1000.
    limit: Option<usize>,
    /// `formatted` for titles and messages as HTML too.
    #[serde(default, rename = "expand[]")]
    expand: Vec<String>,
}

/// The commits of a revision, newest first.
async fn commits(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    PathParams(At { revision }): PathParams<At>,
    Query(Paging { p, limit, expand }): Query<Paging>,
) -> Result<(HeaderMap, Json<Vec<hub_api::CommitItem>>), Failure> {
    let repo = name.open(&state, &caller).await?;
    let hub = &state.hub;
    // The pages after the first go on in the same history, whatever happens to the branch
    // meanwhile.
    let head = hub
        .repositories()
        .resolve(&repo, &revision)
        .await?
        .to_string();
    let size = limit.unwrap_or(PAGE).clamp(1, MAX_PAGE);
    let page = hub
        .repositories()
        .commits(&repo, &head, p.saturating_mul(size), size)
        .await?;
    let mut headers = HeaderMap::new();
    if page.more {
        let path = format!("/api/{}/{}/commits/{head}", repo.kind().plural(), repo.id());
        let mut pairs = vec![
            ("p", p.saturating_add(1).to_string()),
            ("limit", size.to_string()),
        ];
        pairs.extend(expand.iter().map(|own| ("expand[]", own.clone())));
        headers = links::next(&base, &path, &pairs);
    }
    headers.insert(TOTAL, HeaderValue::from(page.total));
    let is_formatted = expand.iter().any(|own| own == "formatted");
    let items = page.commits.iter();
    let items = items.map(|commit| hub_api::CommitItem {
        formatted: is_formatted.then(|| formatted(commit)),
        ..wire::commit_item(commit)
    });
    let items = items.collect();
    Ok((headers, Json(items)))
}

/// The title and the message of a commit as HTML: their text, with nothing in it that a browser
/// would carry out.
fn formatted(commit: &LastCommit) -> hub_api::FormattedCommit {
    hub_api::FormattedCommit {
        title: escape(&commit.title),
        message: escape(&commit.body),
    }
}
