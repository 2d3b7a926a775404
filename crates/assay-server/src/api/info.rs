use assay_app::{Caller, Repo};
use assay_hub_api::{self as hub_api, Expand, Property};
use assay_model::RepoKind;
use axum::Extension;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{RouteDoc, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, LenientBool, PathParams, Query, RepoName};
use crate::rendered::{About, Address, Answer, Place};
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories)
        .route(
            "/{namespace}/{name}",
            get(head, told("Tells of a repository at the head of `main`.")),
        )
        .route(
            "/{namespace}/{name}/revision/{revision}",
            get(
                at_revision,
                told("Tells of a repository at a branch, tag, commit or pull request."),
            ),
        )
}

fn told(summary: &'static str) -> RouteDoc {
    says(summary)
        .query::<InfoQuery>()
        .answers::<hub_api::RepoInfo>("The repository; with `expand`, only what it names.")
}

#[derive(Debug, Deserialize, IntoParams)]
struct InfoQuery {
    /// A property to tell, repeated for several: `sha`, `tags`, `siblings`, `evalResults` and
    /// others; none for the usual ones.
    #[serde(default)]
    expand: Vec<String>,
    /// The same, in the spelling of other clients.
    #[serde(default, rename = "expand[]")]
    expand_list: Vec<String>,
    /// True if the size and object of each file are returned.
    #[serde(default)]
    #[param(value_type = bool)]
    blobs: LenientBool,
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

/// Returns the facts of a repository at the head of `main`.
async fn head(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    repo: RepoName,
    Query(query): Query<InfoQuery>,
    address: Option<Extension<Address>>,
) -> Result<Response, Failure> {
    let wanted = Wanted::of(&repo, &query)?;
    // Results alone are what pages ask for again and again, and they change only when the model's
    // generation does.
    let Some(Extension(address)) = address.filter(|_| wanted.is_results_alone()) else {
        return answer(&state, &caller, &repo, None, &wanted).await;
    };
    let about = About::Model(repo.id.clone());
    let place = Place::new(&state.hub, about, address);
    let info = info(&state, &caller, &repo, None, &wanted).await?;
    let body = serde_json::to_vec(&info).map_err(Failure::internal)?;
    let answer = Answer {
        headers: HeaderMap::from_iter([(
            CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )]),
        body: body.into(),
    };
    state.web.rendered.put(place, answer.clone());
    Ok(answer.into_response())
}

/// Returns the facts of a repository at a branch, tag, commit or pull request.
async fn at_revision(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    repo: RepoName,
    PathParams(At { revision }): PathParams<At>,
    Query(query): Query<InfoQuery>,
) -> Result<Response, Failure> {
    let wanted = Wanted::of(&repo, &query)?;
    answer(&state, &caller, &repo, Some(&revision), &wanted).await
}

/// The requested facts; those that cost something are looked up only then.
#[derive(Debug)]
pub(super) struct Wanted {
    expand: Expand,
    blobs: bool,
}

impl Wanted {
    fn of(repo: &RepoName, query: &InfoQuery) -> Result<Self, Failure> {
        let names = query.expand.iter().chain(&query.expand_list);
        Ok(Self {
            expand: expand(repo.kind, names)?,
            blobs: query.blobs.0,
        })
    }

    fn is_results_alone(&self) -> bool {
        let others = Property::of(RepoKind::Model)
            .iter()
            .filter(|property| **property != Property::EvalResults);
        self.expand.names(Property::EvalResults)
            && !others.clone().any(|own| self.expand.names(*own))
    }

    fn siblings(&self) -> bool {
        self.expand.is_empty() || self.expand.names(Property::Siblings)
    }
}

/// The properties that a query names.
pub(super) fn expand<'a>(
    kind: RepoKind,
    names: impl IntoIterator<Item = &'a String>,
) -> Result<Expand, Failure> {
    Expand::read(kind, names.into_iter().map(String::as_str))
        .map_err(|error| Failure::invalid(error.to_string()))
}

/// The files of a repository, as its page lists them.
pub(super) async fn siblings(
    state: &AppState,
    repo: &Repo,
    commit: &str,
    blobs: bool,
) -> Result<Vec<hub_api::Sibling>, Failure> {
    let files = state
        .hub
        .repositories()
        .tree(repo, commit, None, true, false)
        .await?;
    let files = files.iter().filter(|entry| !entry.is_folder);
    Ok(files.map(|entry| wire::sibling(entry, blobs)).collect())
}

/// The results of a model.
pub(super) async fn results(
    state: &AppState,
    repo: &Repo,
) -> Result<Vec<hub_api::EvalResult>, Failure> {
    let results = state.hub.boards().model_results(repo).await?;
    Ok(results
        .iter()
        .map(|result| wire::eval_result(result))
        .collect())
}

async fn answer(
    state: &AppState,
    caller: &Caller,
    repo: &RepoName,
    revision: Option<&str>,
    wanted: &Wanted,
) -> Result<Response, Failure> {
    let info = info(state, caller, repo, revision, wanted).await?;
    Ok(axum::Json(info).into_response())
}

async fn info(
    state: &AppState,
    caller: &Caller,
    repo: &RepoName,
    revision: Option<&str>,
    wanted: &Wanted,
) -> Result<hub_api::RepoInfo, Failure> {
    let repo = repo.open(state, caller).await?;
    let facts = state.hub.repositories().repo_info(&repo, revision).await?;
    let mut info = wire::repo_info(&facts);
    if wanted.siblings() {
        let commit = facts.sha.to_string();
        info.siblings = Some(siblings(state, &repo, &commit, wanted.blobs).await?);
    }
    if wanted.expand.names(Property::EvalResults) {
        info.eval_results = Some(results(state, &repo).await?);
    }
    Ok(info.only(&wanted.expand))
}
