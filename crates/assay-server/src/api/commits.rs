use assay_app::{CommitRequest, Committed};
use assay_hub_api::{self as hub_api, CommitError, CommitFault, CommitLimits, CommitReader};
use assay_model::{Diagnostic, Timestamp};
use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::{HeaderMap, HeaderName};
use futures_util::StreamExt as _;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::{self, Failure};
use crate::extract::{Base, CallerExt, LenientBool, PathParams, Query, RepoName};
use crate::links;
use crate::routes::{Routes, post};
use crate::state::AppState;

mod spool;

use spool::Spool;

const WARNING: HeaderName = HeaderName::from_static("x-hf-warning");
/// The most warnings that are told in headers.
const MAX_WARNINGS: usize = 16;
/// The most that a body may have beside its content, for each byte of content: base64 takes a third
/// more.
const OVERHEAD: u64 = 2;
/// The size that every commit may have, however little content it brings.
const LEAST_BODY: u64 = 64 << 20;
/// The description of the body, for the document.
const BODY: &str = "One JSON object a line, each with `key` and `value`. First `header` (`summary`, `description`, \
    `parentCommit`), then in any order `file` (`path`, `content`, `encoding`, `oldPath`), `lfsFile` (`path`, `oid`, `size`, \
    `algo`), `deletedFile` and `deletedFolder` (`path`).";
/// A body, for the document.
const EXAMPLE: &str = r#"{"key":"header","value":{"summary":"Add results","description":""}}
{"key":"file","value":{"path":"notes.md","content":"aGVsbG8K","encoding":"base64"}}"#;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Commits)
        .route(
            "/{namespace}/{name}/commit/{revision}",
            post(
                commit,
                says("Makes a commit, or a pull request of one commit.")
                    .more(
                        "Result files, benchmark definitions and records in the commit are validated first; errors refuse all of \
                         it and `diagnostics` tells what and where. Anyone signed in may open a pull request on a repository \
                         they can see; a commit to a branch needs the right to write.",
                    )
                    .asks(Access::SignedIn)
                    .query::<CommitQuery>()
                    .takes_bytes("application/x-ndjson", BODY, Some(EXAMPLE))
                    .answers::<hub_api::CommitAnswer>("The commit, and the pull request when one was asked for.")
                    .header("X-HF-Warning", "A warning about a file, one header each.")
                    .refuses(&[Refusal::Taken, Refusal::Stale, Refusal::Unprocessable]),
            ),
        )
}

#[derive(Deserialize)]
struct At {
    revision: String,
}

#[derive(Debug, Deserialize, IntoParams)]
struct CommitQuery {
    /// True if a pull request against the revision is opened instead.
    #[serde(default)]
    #[param(value_type = bool)]
    create_pr: LenientBool,
}

/// Makes a commit, or a pull request of one commit.
async fn commit(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Base(base): Base,
    name: RepoName,
    PathParams(At { revision }): PathParams<At>,
    Query(query): Query<CommitQuery>,
    request: Request,
) -> Result<(HeaderMap, Json<hub_api::CommitAnswer>), Failure> {
    let create_pull = query.create_pr.0;
    let branch = (!create_pull).then_some(revision.as_str());
    let repo = name.open_for_upload(&state, &caller, branch).await?;
    let (commit, received_at) = read(&state, request.into_body()).await?;
    let operations = commit.operations.into_iter();
    let operations = operations.map(|operation| operation.map(Spool::into_source));
    let request = CommitRequest {
        revision,
        summary: commit.summary,
        description: commit.description,
        parent: commit.parent,
        create_pull,
        received_at: Some(received_at),
        operations: operations.collect(),
    };
    let hub = &state.hub;
    let committed = hub
        .repositories()
        .commit(&caller, repo.kind(), repo.id(), request)
        .await?;
    state.web.metrics.commits.inc();
    let Committed {
        commit,
        pull,
        warnings,
    } = committed;
    let page = |num| links::discussion(&base, repo.kind(), repo.id(), num);
    Ok((
        tell_warnings(&warnings),
        Json(hub_api::CommitAnswer {
            success: true,
            commit_oid: commit,
            commit_url: links::commit(&base, repo.kind(), repo.id(), &commit),
            hook_output: String::new(),
            pull_request_url: pull.map(page),
        }),
    ))
}

/// Reads the body as it arrives, and tells when the last of it came. Content that is more than a
/// little goes to temporary files, so a commit of a hundred megabytes takes no more memory than a
/// small one.
async fn read(
    state: &AppState,
    body: Body,
) -> Result<(hub_api::Commit<Spool>, Timestamp), Failure> {
    let limits = &state.web.limits;
    let scratch = state.web.scratch.clone();
    let mut reader = CommitReader::new(
        CommitLimits {
            operations: limits.commit_files,
            file_bytes: limits.file_bytes,
            commit_bytes: limits.commit_bytes,
        },
        move || Ok(Spool::new(scratch.clone())),
    );
    let most = limits.commit_bytes.saturating_mul(OVERHEAD).max(LEAST_BODY);
    let mut seen: u64 = 0;
    let mut pieces = body.into_data_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| {
            Failure::too_slow(&error)
                .unwrap_or_else(|| Failure::invalid("the body of the commit broke off"))
        })?;
        seen = seen.saturating_add(piece.len() as u64);
        if seen > most {
            let text = format!("the body of a commit may have {most} bytes at most");
            return Err(Failure::too_large(text));
        }
        reader.feed(&piece).map_err(refused)?;
    }
    let received_at = state.web.clock.now();
    let commit = reader.finish().map_err(refused)?;
    Ok((commit, received_at))
}

fn refused(error: CommitError) -> Failure {
    let text = error.to_string();
    match error.fault() {
        CommitFault::Malformed => Failure::invalid(text),
        CommitFault::UnsafePath => Failure::new(StatusCode::UNPROCESSABLE_ENTITY, text),
        CommitFault::TooLarge => Failure::too_large(text),
        CommitFault::Ours => Failure::internal(error),
    }
}

/// Warnings, as clients print them: once for each code.
fn tell_warnings(warnings: &[Diagnostic]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for warning in warnings.iter().take(MAX_WARNINGS) {
        let text = format!("{}; {}", warning.code, error::brief(warning));
        headers.append(WARNING, error::one_line(&text));
    }
    headers
}
