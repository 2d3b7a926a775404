use assay_app::{FileEntry, Repo};
use assay_hub_api as hub_api;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Refusal, RouteDoc, Subject, says};
use crate::error::Failure;
use crate::extract::{Base, CallerExt, LenientBool, PathParams, Query, RepoName, paths_info};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::{links, wire};

/// The most entries of a page of a tree.
const PAGE: usize = 1000;
/// The most entries of a page that tells the last commit of each.
const EXPANDED_PAGE: usize = 50;
/// The most paths that can be asked about at once.
const MAX_PATHS: usize = 1000;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Files)
        .route(
            "/{namespace}/{name}/tree/{revision}",
            get(root, tree("Lists the files at the root of a revision.")),
        )
        .route(
            "/{namespace}/{name}/tree/{revision}/{*path}",
            get(folder, tree("Lists the files of a folder.")),
        )
        .route(
            "/{namespace}/{name}/paths-info/{revision}",
            post(
                paths,
                says("Tells what lies at some paths.")
                    .more("At most 1000 paths at once; those that do not exist are left out.")
                    .takes::<hub_api::PathsInfo>()
                    .also_as("application/x-www-form-urlencoded")
                    .lists::<hub_api::TreeEntry>("What was found."),
            ),
        )
}

fn tree(summary: &'static str) -> RouteDoc {
    says(summary)
        .query::<TreeQuery>()
        .lists::<hub_api::TreeEntry>("A page, in the order of the paths.")
        .header("Link", links::NEXT)
        .refuses(&[Refusal::Unprocessable])
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

#[derive(Deserialize)]
struct AtPath {
    revision: String,
    path: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct TreeQuery {
    /// True if the content of folders is listed too.
    #[serde(default)]
    #[param(value_type = bool)]
    recursive: LenientBool,
    /// True if the last commit of each entry is returned; a page is then shorter.
    #[serde(default)]
    #[param(value_type = bool)]
    expand: LenientBool,
    /// The start of the page, from the `Link` header.
    cursor: Option<String>,
    /// The most entries of a page: up to 1000, or 50 with `expand`.
    limit: Option<usize>,
}

type Page = (HeaderMap, Json<Vec<hub_api::TreeEntry>>);

/// The files at the root of a revision.
async fn root(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    PathParams(At { revision }): PathParams<At>,
    Query(query): Query<TreeQuery>,
) -> Result<Page, Failure> {
    let repo = name.open(&state, &caller).await?;
    let Place { entries, next } = page(&state, &repo, &revision, None, &query).await?;
    Ok((link(&base, &repo, None, &query, next), Json(entries)))
}

/// The files of a folder. Clients write its path as one segment or as several.
async fn folder(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    PathParams(AtPath { revision, path }): PathParams<AtPath>,
    Query(query): Query<TreeQuery>,
) -> Result<Page, Failure> {
    let repo = name.open(&state, &caller).await?;
    let path = path.trim_matches('/');
    let folder = (!path.is_empty()).then_some(path);
    let Place { entries, next } = page(&state, &repo, &revision, folder, &query).await?;
    Ok((link(&base, &repo, folder, &query, next), Json(entries)))
}

/// Returns the entries at some paths; those that do not exist are left out.
async fn paths(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(At { revision }): PathParams<At>,
    request: Request,
) -> Result<Json<Vec<hub_api::TreeEntry>>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let question = paths_info(request, &state).await?;
    if question.paths.len() > MAX_PATHS {
        let text = format!("at most {MAX_PATHS} paths can be asked about at once");
        return Err(Failure::too_large(text));
    }
    let hub = &state.hub;
    let entries = hub
        .repositories()
        .paths(&repo, &revision, &question.paths, question.expand)
        .await?;
    Ok(Json(entries.iter().map(wire::tree_entry).collect()))
}

/// Some entries, and where to go on: the commit and the last path.
struct Place {
    entries: Vec<hub_api::TreeEntry>,
    next: Option<(String, String)>,
}

async fn page(
    state: &AppState,
    repo: &Repo,
    revision: &str,
    folder: Option<&str>,
    query: &TreeQuery,
) -> Result<Place, Failure> {
    let hub = &state.hub;
    // The pages after the first go on in the same commit, whatever happens to the branch meanwhile.
    let commit = hub
        .repositories()
        .resolve(repo, revision)
        .await?
        .to_string();
    let all = hub
        .repositories()
        .tree(repo, &commit, folder, query.recursive.0, false)
        .await?;
    let most = if query.expand.0 { EXPANDED_PAGE } else { PAGE };
    let limit = query.limit.unwrap_or(most).clamp(1, most);
    let after = query.cursor.as_deref().unwrap_or_default();
    let mut rest = all
        .into_iter()
        .filter(|entry| entry.path.as_str() > after)
        .peekable();
    let mut entries: Vec<FileEntry> = rest.by_ref().take(limit).collect();
    let last = entries.last().map(|entry| entry.path.to_string());
    let next = rest.peek().and(last).map(|path| (commit.clone(), path));
    if query.expand.0 {
        let paths: Vec<String> = entries.iter().map(|entry| entry.path.to_string()).collect();
        entries = hub
            .repositories()
            .paths(repo, &commit, &paths, true)
            .await?;
    }
    Ok(Place {
        entries: entries.iter().map(wire::tree_entry).collect(),
        next,
    })
}

fn link(
    base: &crate::base_url::BaseUrl,
    repo: &Repo,
    folder: Option<&str>,
    query: &TreeQuery,
    next: Option<(String, String)>,
) -> HeaderMap {
    let Some((commit, cursor)) = next else {
        return HeaderMap::new();
    };
    let mut path = format!("/api/{}/{}/tree/{commit}", repo.kind().plural(), repo.id());
    if let Some(folder) = folder {
        path.push('/');
        path.extend(utf8_percent_encode(folder, wire::SEGMENT));
    }
    let mut pairs = vec![
        ("recursive", query.recursive.0.to_string()),
        ("expand", query.expand.0.to_string()),
    ];
    pairs.extend(query.limit.map(|limit| ("limit", limit.to_string())));
    pairs.push(("cursor", cursor));
    links::next(base, &path, &pairs)
}
