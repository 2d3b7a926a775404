//! One result and all that stands behind it: what was signed beside what is written, by whom, when,
//! and how to check it.

mod told;

use askama::Template;
use assay_app::{ClaimLine, EvalResult, Provenance, Repo};
use assay_model::{PullNumber, RepoKind, Timestamp};
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_DISPOSITION;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::Value as Json;

use self::told::{Reason, Report, Signed, Version};
use super::board::{Status, status};
use super::finding::KeptFinding;
use super::frame::Frame;
use super::paging::Paging;
use super::repo::{self, RepoHead, Tab};
use super::{Pages, Visitor, html, links, show};
use crate::api::evidence::PROOF;
use crate::error::Failure;
use crate::extract::{PathParams, RepoName};
use crate::rendered::Answer;
use crate::state::AppState;

/// The pages, for models alone: datasets have no results.
pub(super) fn pages() -> Pages {
    let pages = Pages::new()
        .page(
            "/{namespace}/{name}/results/{jti}",
            "One result with the evidence for it, by its token.",
            get(by_token),
        )
        .page(
            "/{namespace}/{name}/results/{jti}/row.proof",
            "The proof of a result, to be checked without a network.",
            get(proof),
        )
        .page(
            "/{namespace}/{name}/results/at/{ordinal}/{*file}",
            "One result with the evidence for it, by its place in a file.",
            get(by_place),
        );
    pages.below("", RepoKind::Model)
}

#[derive(Debug, Deserialize)]
struct Token {
    jti: String,
}

#[derive(Debug, Deserialize)]
struct Place {
    ordinal: u32,
    file: String,
}

#[derive(Template)]
#[template(path = "provenance.html")]
struct ProvenancePage {
    frame: Frame,
    head: RepoHead,
    sentence: String,
    /// The board that it is on.
    board: Option<String>,
    benchmark: Option<String>,
    result: Facts,
    status: Status,
    state: &'static str,
    reason: Option<Reason>,
    signed: Option<Signed>,
    claims: Vec<ClaimLine>,
    /// The findings of the rules.
    findings: Vec<KeptFinding>,
    reports: Vec<Report>,
    history: Vec<Version>,
    paging: Paging,
    as_of: (u64, u64),
}

/// Number of details of an entry that are shown; the file has all of them.
const MAX_DETAILS: usize = 100;
/// Number of characters of a detail that are shown.
const MAX_DETAIL: usize = 400;
/// The keys of an entry that have a place of their own on the page.
const SHOWN_ELSEWHERE: [&str; 9] = [
    "dataset",
    "value",
    "metricId",
    "framework",
    "verify_token",
    "verifyToken",
    "date",
    "notes",
    "source",
];

/// The facts of a result beside its evidence.
struct Facts {
    dataset: String,
    task: String,
    date: (String, String),
    commit: String,
    commit_to: String,
    committed: Timestamp,
    submitter: Option<String>,
    file: (String, String),
    framework: Option<String>,
    notes: Option<String>,
    values: Vec<String>,
    /// True if the entry says when it was evaluated.
    is_dated: bool,
    /// The other values of the entry, each with its name.
    details: Vec<(String, String)>,
}

async fn by_token(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Token { jti }): PathParams<Token>,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let found = state.hub.evidence().token_status(&repo, &jti).await?;
    let place = Place {
        ordinal: found.ordinal,
        file: found.file.as_str().to_owned(),
    };
    show_at(&state, &visitor, &repo, &place, found.pull).await
}

async fn by_place(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(place): PathParams<Place>,
) -> Result<Answer, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let pull = match visitor.state.get("pr") {
        None => None,
        Some(number) => Some(number.parse().map_err(|_| gone())?),
    };
    show_at(&state, &visitor, &repo, &place, pull).await
}

async fn proof(
    State(state): State<AppState>,
    visitor: Visitor,
    name: RepoName,
    PathParams(Token { jti }): PathParams<Token>,
) -> Result<Response, Failure> {
    let repo = repo::open(&state, &visitor, &name).await?;
    let proof = state.hub.evidence().proof(&repo, &jti).await?;
    let mut headers = html::headers_of(PROOF);
    let file = HeaderValue::from_static("attachment; filename=\"row.proof\"");
    headers.insert(CONTENT_DISPOSITION, file);
    Ok((headers, proof).into_response())
}

async fn show_at(
    state: &AppState,
    visitor: &Visitor,
    repo: &Repo,
    place: &Place,
    pull: Option<PullNumber>,
) -> Result<Answer, Failure> {
    let results = state.hub.boards().model_results(repo).await?;
    let is_it = |own: &EvalResult| {
        own.file == place.file && own.ordinal == place.ordinal && own.pull == pull
    };
    let result = results.iter().find(|own| is_it(own)).ok_or_else(gone)?;
    let versions = state.hub.evidence().count_versions(repo, result).await?;
    let versions = usize::try_from(versions).unwrap_or(usize::MAX);
    let paging = Paging::new(&visitor.path, &visitor.state, versions, Provenance::PAGE);
    let before = paging.offset() as u64;
    let provenance = state
        .hub
        .evidence()
        .provenance(repo, result, before)
        .await?;
    let definition = state
        .hub
        .boards()
        .definition(&visitor.caller, &result.dataset)
        .await?;
    let is_on_board = definition.is_some() && result.pending.is_none();
    let head = RepoHead::of(state, visitor, repo, Tab::Front).await?;
    let sentence = told::sentence(result, definition.as_deref());
    let same_cell = |own: &&std::sync::Arc<EvalResult>| !is_it(own) && told::same_cell(own, result);
    let reports = results.iter().filter(same_cell);
    let mut claims = Vec::new();
    let signed = provenance.token.map(|mut trail| {
        claims = std::mem::take(&mut trail.claims);
        Signed::of(trail, visitor, repo)
    });
    let mut frame = visitor
        .frame(format!("A result of {}", repo.id()))
        .about(sentence.clone());
    // A result with a token has a second address, by its place in a file.
    frame.canonical = format!("{}{}", visitor.base, links::result(result));
    let has_proof = signed.as_ref().is_some_and(|own| own.proof.is_some());
    let mut answer = visitor.render(&ProvenancePage {
        frame,
        board: is_on_board.then(|| links::row(&result.dataset, &result.task, repo.id())),
        benchmark: definition
            .as_ref()
            .map(|_| links::benchmark(&result.dataset)),
        result: facts(repo, result),
        status: status(result),
        state: result.standing.state(),
        reason: Reason::of(&result.standing),
        findings: result.findings.iter().map(KeptFinding::of).collect(),
        reports: reports.map(|own| Report::of(own)).collect(),
        history: provenance
            .history
            .into_iter()
            .map(|own| Version::of(own, repo))
            .collect(),
        paging,
        as_of: provenance.as_of,
        sentence,
        head,
        signed,
        claims,
    })?;
    if has_proof {
        html::let_compile(&mut answer.headers);
    }
    Ok(answer)
}

fn facts(repo: &Repo, result: &EvalResult) -> Facts {
    let commit = result.commit.to_string();
    let parts: Vec<String> = result.file.split('/').map(links::part).collect();
    Facts {
        dataset: result.dataset.to_string(),
        task: result.task.to_string(),
        date: (result.date.clone(), show::day_of(&result.date).to_owned()),
        commit_to: format!("/{}/commit/{commit}", repo.id()),
        file: (
            format!("/{}/blob/{commit}/{}", repo.id(), parts.join("/")),
            result.file.clone(),
        ),
        commit,
        committed: result.committed,
        submitter: result.submitter.clone(),
        framework: super::board::framework(result.entry.framework.as_ref()),
        notes: result.notes.clone(),
        values: result.entry.scores.iter().map(told::value).collect(),
        is_dated: result.entry.date.is_some(),
        details: details(result),
    }
}

/// Returns the values of an entry that have no line of their own on the page: setup, uncertainty,
/// run, cost and anything else that was written.
fn details(result: &EvalResult) -> Vec<(String, String)> {
    let mut details = Vec::new();
    for (key, value) in result.data() {
        match key.as_str() {
            "metrics" => {
                for metric in value.as_array().into_iter().flatten() {
                    let name = metric["metric_id"].as_str().unwrap_or_default();
                    let own = metric.as_object().into_iter().flatten();
                    let own =
                        own.filter(|(key, _)| !["metric_id", "value"].contains(&key.as_str()));
                    for (key, value) in own {
                        flatten(&format!("{name}: {key}"), value, &mut details);
                    }
                }
            }
            key if SHOWN_ELSEWHERE.contains(&key) => {}
            key => flatten(key, &value, &mut details),
        }
    }
    details.truncate(MAX_DETAILS);
    details
}

/// Adds a value under its name; a map by its keys.
fn flatten(name: &str, value: &Json, details: &mut Vec<(String, String)>) {
    match value {
        Json::Object(map) => {
            for (key, value) in map {
                flatten(&format!("{name}: {key}"), value, details);
            }
        }
        Json::String(text) => details.push((name.to_owned(), show::shortened(text, MAX_DETAIL))),
        other => details.push((
            name.to_owned(),
            show::shortened(&other.to_string(), MAX_DETAIL),
        )),
    }
}

fn gone() -> Failure {
    let text = "there is no such result".to_owned();
    assay_app::Error::NotFound(assay_app::Missing::Other(text)).into()
}
