//! Signed evidence that anyone can take away: standings, proofs, the files of the logs, and what is
//! needed to check them.

use assay_app::LogName;
use assay_hub_api as hub_api;
use assay_model::{ObjectId, RepoPath};
use axum::Json;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, JsonBody, PathParams, RepoName};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::wire;

/// The media type of a proof.
pub(crate) const PROOF: &str = "application/vnd.assay.proof+json";
const BYTES: &str = "application/octet-stream";
const TEXT: &str = "text/plain; charset=utf-8";
/// A file whose name says everything that is in it never changes.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// The header of answers that a revocation may change at any moment.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Returns the routes for the results of one repository.
pub(crate) fn of_repository() -> Routes {
    Routes::about(Subject::Evidence)
        .route(
            "/{namespace}/{name}/eval-results",
            get(
                results,
                says("Lists the results of a model, on main and in open pull requests, each with its standing.")
                    .lists::<hub_api::EvalResult>("The results; a dataset has none."),
            ),
        )
        .route(
            "/{namespace}/{name}/eval-results/preview",
            post(
                preview,
                says("Tells what would become of the entries of a result file if it were pushed now.")
                    .more("Nothing is decided and nothing is logged: the same file may be asked about again.")
                    .takes::<PreviewFile>()
                    .lists::<hub_api::BoardStanding>("The standing of each entry, in the order of the file."),
            ),
        )
        .route(
            "/{namespace}/{name}/eval-results/{jti}",
            get(
                status,
                says("Tells what became of a token in a repository.")
                    .answers::<TokenStatus>("Its standing, where it stands, and its receipts."),
            ),
        )
        .route(
            "/{namespace}/{name}/eval-results/{jti}/proof",
            get(
                proof,
                says("Gives the proof of a result, by its token.")
                    .more(
                        "One small file with the result, the token, the receipts of both log leaves and the whole control \
                         log. `assay verify` checks it on a machine without a network.",
                    )
                    .answers_bytes(PROOF, "The proof."),
            ),
        )
}

/// Returns the routes of the logs, at their full address.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Evidence)
        .route(
            "/.well-known/eval-trust",
            get(
                trust_note,
                says("Gives the trust note: what a stranger has to know to check proofs of this hub.")
                    .more("Fetch it once over a way that you trust, and keep it.")
                    .asks(Access::Open)
                    .answers_bytes(TEXT, "The keys of the two logs, a line each."),
            ),
        )
        .route(
            "/v1/log/{log}/checkpoint",
            get(
                checkpoint,
                says("Gives the last checkpoint of a log, as a C2SP signed note.")
                    .asks(Access::Open)
                    .answers_bytes(TEXT, "The checkpoint.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
        .route(
            "/v1/log/{log}/witnessed",
            get(
                witnessed,
                says("Gives the newest checkpoint of a log that most of the hub's witnesses have signed.")
                    .more("The log may have grown since. Without witnesses there is none.")
                    .asks(Access::Open)
                    .answers_bytes(TEXT, "The checkpoint, with their signatures below the log's own.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
        .route(
            "/v1/log/{log}/tile/{*tile}",
            get(
                tile,
                says("Gives a tile or a bundle of entries of a log, as C2SP tlog-tiles names them.")
                    .asks(Access::Open)
                    .answers_bytes(BYTES, "The file; it never changes.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
        .route(
            "/v1/log/{log}/receipts/{index}",
            get(
                receipt,
                says("Gives the receipt of a leaf, as a C2SP `tlog-proof@v1`.")
                    .asks(Access::Open)
                    .answers_bytes(TEXT, "The leaf and its way to the last checkpoint.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
}

/// The body of a preview.
#[derive(Debug, Deserialize, ToSchema)]
struct PreviewFile {
    /// The path of the file, such as `.eval_results/hle.yaml`.
    path: String,
    /// The file.
    content: String,
}

/// The status of a token.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TokenStatus {
    /// The identity of the token.
    jti: String,
    /// The standing that it came to.
    standing: hub_api::BoardStanding,
    /// The pull request, when it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pull_request: Option<u32>,
    /// The file.
    filename: String,
    /// Its place in the file, from 0.
    position: u32,
    /// The commit that brought it.
    #[schema(value_type = String)]
    commit: ObjectId,
    /// The sizes of the logs that were taken into account.
    as_of: AsOf,
    /// The receipts of its leaves in the results log.
    receipts: Vec<String>,
}

/// The sizes of the logs.
#[derive(Debug, Serialize, ToSchema)]
struct AsOf {
    /// Of the results log.
    results: u64,
    /// Of the control log.
    control: u64,
}

#[derive(Deserialize)]
struct Token {
    jti: String,
}

#[derive(Deserialize)]
struct OfLog {
    log: String,
}

#[derive(Deserialize)]
struct TileOfLog {
    log: String,
    tile: String,
}

#[derive(Deserialize)]
struct LeafOfLog {
    log: String,
    index: String,
}

/// The results of a model.
async fn results(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
) -> Result<Json<Vec<hub_api::EvalResult>>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let results = state.hub.boards().model_results(&repo).await?;
    Ok(Json(
        results
            .iter()
            .map(|result| wire::eval_result(result))
            .collect(),
    ))
}

/// Previews the standings of a result file.
async fn preview(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    JsonBody(file): JsonBody<PreviewFile>,
) -> Result<Json<Vec<hub_api::BoardStanding>>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let path: RepoPath = file
        .path
        .parse()
        .map_err(|_| Failure::invalid("`path` is no path in a repository"))?;
    let hub = &state.hub;
    let standings = hub
        .evidence()
        .preview_standings(&repo, &path, file.content)
        .await?;
    Ok(Json(standings.iter().map(wire::standing).collect()))
}

/// Returns the status of a token.
async fn status(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Token { jti }): PathParams<Token>,
) -> Result<Json<TokenStatus>, Failure> {
    let repo = name.open(&state, &caller).await?;
    let found = state.hub.evidence().token_status(&repo, &jti).await?;
    Ok(Json(TokenStatus {
        standing: wire::standing(&found.standing),
        jti: found.jti,
        pull_request: found.pull,
        filename: found.file.as_str().to_owned(),
        position: found.ordinal,
        commit: found.commit,
        as_of: AsOf {
            results: found.as_of.0,
            control: found.as_of.1,
        },
        receipts: found.receipts,
    }))
}

/// The proof of a result.
async fn proof(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    name: RepoName,
    PathParams(Token { jti }): PathParams<Token>,
) -> Result<Response, Failure> {
    let repo = name.open(&state, &caller).await?;
    let proof = state.hub.evidence().proof(&repo, &jti).await?;
    Ok(file(PROOF, ASK_AGAIN, proof.into_bytes()))
}

/// Returns the trust note that a stranger needs.
async fn trust_note(State(state): State<AppState>) -> Response {
    file(
        TEXT,
        ASK_AGAIN,
        state.hub.evidence().trust_note().into_bytes(),
    )
}

/// The last checkpoint of a log.
async fn checkpoint(
    State(state): State<AppState>,
    PathParams(OfLog { log }): PathParams<OfLog>,
) -> Result<Response, Failure> {
    let found = state
        .hub
        .evidence()
        .log_file(log_named(&log)?, "checkpoint")
        .await?;
    Ok(file(TEXT, ASK_AGAIN, found.bytes))
}

/// The last checkpoint that witnesses signed.
async fn witnessed(
    State(state): State<AppState>,
    PathParams(OfLog { log }): PathParams<OfLog>,
) -> Result<Response, Failure> {
    let found = state
        .hub
        .evidence()
        .log_file(log_named(&log)?, "witnessed")
        .await?;
    Ok(file(TEXT, ASK_AGAIN, found.bytes))
}

/// A tile or a bundle of entries.
async fn tile(
    State(state): State<AppState>,
    PathParams(TileOfLog { log, tile }): PathParams<TileOfLog>,
) -> Result<Response, Failure> {
    let path = format!("tile/{tile}");
    let found = state
        .hub
        .evidence()
        .log_file(log_named(&log)?, &path)
        .await?;
    let kept = if found.is_immutable {
        FOR_EVER
    } else {
        ASK_AGAIN
    };
    Ok(file(BYTES, kept, found.bytes))
}

/// The receipt of a leaf.
async fn receipt(
    State(state): State<AppState>,
    PathParams(LeafOfLog { log, index }): PathParams<LeafOfLog>,
) -> Result<Response, Failure> {
    let index = index.parse().map_err(|_| Failure::no_route())?;
    let receipt = state
        .hub
        .evidence()
        .receipt(log_named(&log)?, index)
        .await?;
    Ok(file(TEXT, ASK_AGAIN, receipt.into_bytes()))
}

fn log_named(name: &str) -> Result<LogName, Failure> {
    match name {
        "results" => Ok(LogName::Results),
        "control" => Ok(LogName::Control),
        _ => Err(Failure::no_route()),
    }
}

fn file(content_type: &'static str, kept: HeaderValue, bytes: Vec<u8>) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (CACHE_CONTROL, kept),
    ];
    (headers, bytes).into_response()
}
