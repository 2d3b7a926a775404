use assay_app::Caller;
use assay_app::issuer::{Authenticated, Refusal, RefusalCode};
use assay_hub_api::{
    EvalToken, EvalTokenPreview, EvalTokenRequest, EvalTokenStatus, LeakedCredentials,
    RevokeEvalToken,
};
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::{bearer, problems};
use crate::describe::{Access, Subject, says};
use crate::observe::RequestId;
use crate::problem::Refused;
use crate::routes::{Routes, get, post};
use crate::state::AppState;

/// The header that makes a request unique.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The largest body, in bytes.
const MAX_BODY: usize = 256 * 1024;
/// The most leaked credentials in one report.
const MAX_LEAKED: usize = 1000;
/// The longest reason of a revocation, in bytes.
const MAX_REASON: usize = 500;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Issuer)
        .route(
            "/v1/eval-tokens",
            post(
                issue,
                problems(
                    says("Issues a token for an entry.")
                        .more("The token is in the log before it is answered. With an `Idempotency-Key`, the same request gets the same token for a day.")
                        .asks(Access::Machines)
                        .takes::<EvalTokenRequest>()
                        .or_answers_json::<EvalToken>(201, "The token, the entry with it, and the proof that it is logged."),
                    &[400, 403, 409, 413, 415, 422, 503],
                ),
            ),
        )
        .route(
            "/v1/eval-tokens/preview",
            post(
                preview,
                problems(
                    says("Tells what would be signed: canonical bytes, digests and the verdict of the policy.")
                        .more("Nothing is signed and nothing is logged. For checking a canonical form in another language.")
                        .asks(Access::Machines)
                        .takes::<EvalTokenRequest>()
                        .answers::<EvalTokenPreview>("What would be signed."),
                    &[400, 403, 413, 415, 422],
                ),
            ),
        )
        .route(
            "/v1/eval-tokens/{jti}",
            get(
                status,
                problems(
                    says("Tells what became of a token.")
                        .more("For the integration that it was issued to, and for operators.")
                        .asks(Access::Machines)
                        .answers::<EvalTokenStatus>("Its state, with receipts."),
                    &[404],
                ),
            ),
        )
        .route(
            "/v1/eval-tokens/{jti}/revoke",
            post(
                revoke,
                problems(
                    says("Revokes a token.")
                        .more("For the integration that it was issued to, and for operators. The control log says so, with the reason.")
                        .asks(Access::Machines)
                        .may_take::<RevokeEvalToken>()
                        .answers_nothing(204, "It is revoked."),
                    &[400, 404, 413, 415],
                ),
            ),
        )
        .route(
            "/v1/credentials/revoke",
            post(
                leaked,
                problems(
                    says("Ends credentials that were found where they should not be.")
                        .more("Whoever has a secret may end it. The answer does not tell whether it was one.")
                        .asks(Access::Open)
                        .takes::<LeakedCredentials>()
                        .answers_nothing(202, "Those that were credentials are revoked."),
                    &[400, 413, 415],
                ),
            ),
        )
}

async fn issue(State(state): State<AppState>, request: Request) -> Result<Response, Refused> {
    let (parts, body) = request.into_parts();
    let caller = authenticate(&state, &parts.headers).await?;
    let text = text(&parts, body).await?;
    let key = idempotency_key(&parts.headers)?;
    let id = request_id(&parts);
    let answer = state.issuer.issue(&caller, &text, key, &id).await?;
    let headers = [
        (CONTENT_TYPE, "application/json"),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((StatusCode::CREATED, headers, answer).into_response())
}

async fn preview(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<EvalTokenPreview>, Refused> {
    let (parts, body) = request.into_parts();
    let caller = authenticate(&state, &parts.headers).await?;
    let text = text(&parts, body).await?;
    Ok(Json(state.issuer.preview(&caller, &text).await?))
}

async fn status(
    State(state): State<AppState>,
    Path(jti): Path<String>,
    headers: HeaderMap,
) -> Result<Json<EvalTokenStatus>, Refused> {
    let status = match who(&state, &headers).await? {
        Who::Machine(caller) => state.issuer.status(&caller, &jti).await?,
        Who::Operator(caller) => state.issuer.status_for_operator(&caller, &jti).await?,
    };
    Ok(Json(status))
}

async fn revoke(
    State(state): State<AppState>,
    Path(jti): Path<String>,
    request: Request,
) -> Result<StatusCode, Refused> {
    let (parts, body) = request.into_parts();
    let who = who(&state, &parts.headers).await?;
    let text = text(&parts, body).await?;
    let asked: RevokeEvalToken = if text.trim().is_empty() {
        RevokeEvalToken::default()
    } else {
        serde_json::from_str(&text).map_err(|error| malformed(&error.to_string()))?
    };
    if asked.reason.len() > MAX_REASON {
        return Err(malformed("the reason is too long").into());
    }
    let reason = match asked.reason.trim() {
        "" => "no reason was given",
        reason => reason,
    };
    let id = request_id(&parts);
    match who {
        Who::Machine(caller) => state.issuer.revoke(&caller, &jti, reason, &id).await?,
        Who::Operator(caller) => {
            let issuer = &state.issuer;
            issuer
                .revoke_for_operator(&caller, &jti, reason, &id)
                .await?;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn leaked(State(state): State<AppState>, request: Request) -> Result<StatusCode, Refused> {
    let (parts, body) = request.into_parts();
    let text = text(&parts, body).await?;
    let report: LeakedCredentials =
        serde_json::from_str(&text).map_err(|error| malformed(&error.to_string()))?;
    for credential in report.credentials.iter().take(MAX_LEAKED) {
        let revoked = state.issuer.revoke_secret(credential, "reported as leaked");
        revoked.await.map_err(Refusal::from)?;
    }
    Ok(StatusCode::ACCEPTED)
}

/// The caller of a look-up of a token.
enum Who {
    Machine(Box<Authenticated>),
    Operator(Caller),
}

/// A machine by its own token, or an operator by theirs.
async fn who(state: &AppState, headers: &HeaderMap) -> Result<Who, Refusal> {
    let secret = bearer(headers);
    let refusal = match state.issuer.authenticate(secret.as_deref()).await {
        Ok(caller) => return Ok(Who::Machine(Box::new(caller))),
        Err(refusal) => refusal,
    };
    match state.hub.accounts().authenticate(secret.as_deref()).await {
        Ok(caller) if caller.is_operator() => Ok(Who::Operator(caller)),
        Ok(_) | Err(_) => Err(refusal),
    }
}

async fn authenticate(state: &AppState, headers: &HeaderMap) -> Result<Authenticated, Refusal> {
    let secret = bearer(headers);
    state.issuer.authenticate(secret.as_deref()).await
}

/// The whole body, as it is: what is compressed could be larger than it looks.
pub(super) async fn text(parts: &Parts, body: Body) -> Result<String, Refusal> {
    if parts.headers.contains_key(CONTENT_ENCODING) {
        let detail = "send the body without `Content-Encoding`";
        return Err(Refusal::new(RefusalCode::ContentEncodingRefused, detail));
    }
    let bytes = axum::body::to_bytes(body, MAX_BODY).await.map_err(|_| {
        let detail = format!("a body has at most {MAX_BODY} bytes");
        Refusal::new(RefusalCode::TooLarge, detail)
    })?;
    String::from_utf8(bytes.into()).map_err(|_| malformed("the body is not UTF-8"))
}

pub(super) fn request_id(parts: &Parts) -> String {
    let id = parts.extensions.get::<RequestId>();
    id.map(|id| id.0.clone()).unwrap_or_default()
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let text = value
        .to_str()
        .map_err(|_| malformed("an idempotency key is plain ASCII"))?;
    Ok(Some(text.trim_matches('"')))
}

fn malformed(detail: &str) -> Refusal {
    Refusal::new(RefusalCode::Malformed, detail)
}
