use assay_app::{Caller, ListQuery, ListSort, RepoInfo};
use assay_hub_api::{self as hub_api, Expand, Property};
use assay_model::RepoKind;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use serde::Deserialize;
use utoipa::IntoParams;

use super::info;
use crate::describe::{Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, LenientBool, Query};
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::{links, wire};

/// Number of repositories that a page has when nobody says.
const PAGE: usize = 500;
/// The most repositories of a page.
const MAX_PAGE: usize = 1000;
/// The most repositories of a page that tells what has to be read from each.
const MAX_COSTLY_PAGE: usize = 50;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories).route(
        "/",
        get(
            list,
            says("Lists repositories that the caller may see.")
                .query::<Listing>()
                .lists::<hub_api::RepoInfo>("A page.")
                .header("Link", links::NEXT),
        ),
    )
}

#[derive(Debug, Clone, Deserialize, IntoParams)]
struct Listing {
    /// A tag that each must have, repeated for several; `benchmark:official` for official
    /// benchmarks.
    #[serde(default)]
    filter: Vec<String>,
    /// A word in the name, repeated for several.
    #[serde(default)]
    search: Vec<String>,
    /// Only those in this namespace.
    author: Option<String>,
    /// `createdAt` (the default), `lastModified` or `name`; `downloads`, `likes` and
    /// `trendingScore` are taken and count nothing.
    sort: Option<String>,
    /// The most repositories of a page: 500 when nobody says, up to 1000.
    limit: Option<usize>,
    /// The start of the page, from the `Link` header.
    cursor: Option<String>,
    /// A property to tell, repeated for several.
    #[serde(default)]
    expand: Vec<String>,
    /// The same, in the spelling of other clients.
    #[serde(default, rename = "expand[]")]
    expand_list: Vec<String>,
    /// True if the files of each are returned; a page is then shorter.
    #[serde(default)]
    #[param(value_type = bool)]
    full: LenientBool,
}

/// Repositories that the caller may see, a page at a time; the `Link` header leads to the next.
async fn list(
    State(state): State<AppState>,
    Extension(kind): Extension<RepoKind>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    Query(query): Query<Listing>,
) -> Result<(HeaderMap, Json<Vec<hub_api::RepoInfo>>), Failure> {
    let expand = info::expand(kind, query.expand.iter().chain(&query.expand_list))?;
    let siblings = query.full.0 || expand.names(Property::Siblings);
    let costly = siblings || expand.names(Property::EvalResults);
    let most = if costly { MAX_COSTLY_PAGE } else { MAX_PAGE };
    let page = state
        .hub
        .repositories()
        .list(
            &caller,
            &ListQuery {
                kind,
                author: query.author.clone(),
                search: query.search.clone(),
                tags: query.filter.clone(),
                sort: sort(query.sort.as_deref())?,
                limit: Some(query.limit.unwrap_or(PAGE).clamp(1, most)),
                cursor: query.cursor.clone(),
            },
        )
        .await?;
    let mut items = Vec::with_capacity(page.repositories.len());
    for facts in &page.repositories {
        let mut item = wire::repo_info(facts);
        if costly {
            add_costly(&state, &caller, facts, &expand, siblings, &mut item).await?;
        }
        items.push(item.only(&expand));
    }
    let headers = match page.next {
        Some(cursor) => {
            let path = format!("/api/{}", kind.plural());
            links::next(&base, &path, &pairs(&query, cursor))
        }
        None => HeaderMap::new(),
    };
    Ok((headers, Json(items)))
}

/// Adds what has to be read from the repository itself. One that has gone in between keeps what the
/// list knows.
async fn add_costly(
    state: &AppState,
    caller: &Caller,
    facts: &RepoInfo,
    expand: &Expand,
    siblings: bool,
    item: &mut hub_api::RepoInfo,
) -> Result<(), Failure> {
    let opened = state.hub.repo(caller, facts.kind, &facts.id).await;
    let Ok(repo) = opened else {
        return Ok(());
    };
    if siblings {
        let commit = facts.sha.to_string();
        item.siblings = Some(info::siblings(state, &repo, &commit, false).await?);
    }
    if expand.names(Property::EvalResults) {
        item.eval_results = Some(info::results(state, &repo).await?);
    }
    Ok(())
}

/// The order. Downloads and likes are not counted here, so all are equal in them and the newest
/// come first.
fn sort(name: Option<&str>) -> Result<ListSort, Failure> {
    match name {
        None | Some("" | "createdAt" | "downloads" | "likes" | "trendingScore") => {
            Ok(ListSort::Created)
        }
        Some("lastModified") => Ok(ListSort::Updated),
        Some("name" | "id") => Ok(ListSort::Name),
        Some(other) => Err(Failure::invalid(format!("`{other}` is no order of a list"))),
    }
}

/// The same question, from the end of this page on.
fn pairs(query: &Listing, cursor: String) -> Vec<(&'static str, String)> {
    let many = |key, values: &[String]| -> Vec<(&'static str, String)> {
        values.iter().map(|value| (key, value.clone())).collect()
    };
    let mut pairs = many("filter", &query.filter);
    pairs.extend(many("search", &query.search));
    pairs.extend(many("expand", &query.expand));
    pairs.extend(many("expand", &query.expand_list));
    pairs.extend(query.author.clone().map(|author| ("author", author)));
    pairs.extend(query.sort.clone().map(|sort| ("sort", sort)));
    pairs.extend(query.limit.map(|limit| ("limit", limit.to_string())));
    if query.full.0 {
        pairs.push(("full", "true".to_owned()));
    }
    pairs.push(("cursor", cursor));
    pairs
}
