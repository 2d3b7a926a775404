use assay_app::issuer::{ClientProof, Exchange, ExchangeError};
use assay_app::{DEVICE_CODE_SECONDS, DEVICE_POLL_SECONDS, DevicePoll, PUBLISHER_TOKEN_SECONDS};
use assay_hub_api::{
    OauthDevice, OauthDeviceRequest, OauthError, OauthIntrospection, OauthToken, OauthTokenOnly,
    OauthTokenRequest,
};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use super::bearer;
use super::tokens::{request_id, text};
use crate::base_url::BaseUrl;
use crate::describe::{Access, RouteDoc, Subject, says};
use crate::extract::Base;
use crate::problem::OauthRefused;
use crate::routes::{Routes, post};
use crate::state::AppState;

const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const DEVICE_CODE: &str = "urn:ietf:params:oauth:grant-type:device_code";
const JWT_BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";
const JWT: &str = "urn:ietf:params:oauth:token-type:jwt";
const ACCESS_TOKEN: &str = "urn:ietf:params:oauth:token-type:access_token";
const FORM: &str = "application/x-www-form-urlencoded";
const SCOPE: &str = "eval:issue";

/// Marks a refusal of a program whose device code is known: it waits, and guesses nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownDevice;

/// Returns the routes at which a machine authenticates.
pub(crate) fn exchange_routes() -> Routes {
    Routes::about(Subject::Issuer)
        .route(
            "/oauth/token",
            post(
                token,
                refusals(
                    says("Gives an access token to a machine that proves who it is.")
                        .more("An OAuth client by `client_credentials`, with a signed assertion or its secret; a workload by exchanging its ID token (RFC 8693). The audience of both kinds of assertion is the name of this issuer. With `resource`, a trusted publisher of that repository gets a hub token for one hour, which writes there and nowhere else; the audience is then the address of the hub. A program that began a sign-in by device code asks here until somebody approves it (RFC 8628).")
                        .asks(Access::Open)
                        .takes::<OauthTokenRequest>()
                        .also_as(FORM)
                        .answers::<OauthToken>("An access token; `expires_in` says how long it lasts."),
                ),
            ),
        )
}

/// Returns the routes at which programs begin a sign-in by device code.
pub(crate) fn device_routes() -> Routes {
    Routes::about(Subject::Issuer).route(
        "/oauth/device",
        post(
            device,
            refusals(
                says("Begins a sign-in by device code (RFC 8628).")
                    .more("A person who is signed in to the pages approves the code; the program gets its token from `POST /oauth/token`.")
                    .asks(Access::Open)
                    .takes::<OauthDeviceRequest>()
                    .also_as(FORM)
                    .answers::<OauthDevice>("The codes, and where to approve them."),
            ),
        ),
    )
}

/// Returns the routes of access tokens.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Issuer)
        .route(
            "/oauth/revoke",
            post(
                revoke,
                refusals(
                    says("Ends an access token or a credential (RFC 7009).")
                        .more("Whoever has it may end it.")
                        .asks(Access::Open)
                        .takes::<OauthTokenOnly>()
                        .also_as(FORM)
                        .answers_nothing(200, "It opens nothing any more, if it ever did."),
                ),
            ),
        )
        .route(
            "/oauth/introspect",
            post(
                introspect,
                refusals(
                    says("Tells whose an access token is (RFC 7662).")
                        .more("For operators of the hub, with their own token.")
                        .asks(Access::Machines)
                        .takes::<OauthTokenOnly>()
                        .also_as(FORM)
                        .answers::<OauthIntrospection>("Whether it opens anything, and for whom."),
                ),
            ),
        )
}

fn refusals(told: RouteDoc) -> RouteDoc {
    [
        (400, "`invalid_request`, `invalid_grant`, `invalid_scope`, `unauthorized_client` or `unsupported_grant_type`."),
        (401, "`invalid_client`: nobody knows who is asking."),
        (413, "The request is too large."),
        (429, "Asked too often; `Retry-After` says when to come again."),
        (500, "A fault of the issuer."),
    ]
    .into_iter()
    .fold(told, |told, (status, words)| {
        told.or_answers_as::<OauthError>(status, "application/json", words)
    })
}

async fn token(State(state): State<AppState>, request: Request) -> Result<Response, OauthRefused> {
    let (parts, body) = request.into_parts();
    let body = text(&parts, body)
        .await
        .map_err(|refusal| invalid(&refusal.detail))?;
    let asked: OauthTokenRequest = read(&parts.headers, &body)?;
    match (asked.grant_type.as_str(), &asked.resource) {
        (DEVICE_CODE, _) => return poll_device(&state, asked, &request_id(&parts)).await,
        (EXCHANGE, Some(_)) => return publisher(&state, asked, &request_id(&parts)).await,
        _ => {}
    }
    if asked.scope.as_deref().is_some_and(|scope| scope != SCOPE) {
        let description = format!("the only scope is `{SCOPE}`");
        return Err(refused(
            StatusCode::BAD_REQUEST,
            "invalid_scope",
            &description,
        ));
    }
    let (exchange, issued_token_type) = match asked.grant_type.as_str() {
        "client_credentials" => (
            Exchange::ClientCredentials(proof(&parts.headers, asked)?),
            None,
        ),
        EXCHANGE => (subject_token(asked)?, Some(ACCESS_TOKEN)),
        _ => {
            let description =
                format!("`grant_type` is `client_credentials`, `{EXCHANGE}` or `{DEVICE_CODE}`");
            return Err(refused(
                StatusCode::BAD_REQUEST,
                "unsupported_grant_type",
                &description,
            ));
        }
    };
    let id = request_id(&parts);
    let granted = state
        .issuer
        .exchange(exchange, &id)
        .await
        .map_err(|error| of_exchange(&error, &id))?;
    let answer = OauthToken {
        access_token: granted.token.reveal().to_owned(),
        issued_token_type,
        token_type: "Bearer",
        expires_in: granted.expires_in,
        scope: granted.scope,
    };
    Ok(([(CACHE_CONTROL, "no-store")], Json(answer)).into_response())
}

/// Gives a trusted publisher a token of the hub.
async fn publisher(
    state: &AppState,
    asked: OauthTokenRequest,
    id: &str,
) -> Result<Response, OauthRefused> {
    let resource = asked.resource.clone().unwrap_or_default();
    let Exchange::SubjectToken(id_token) = subject_token(asked)? else {
        return Err(invalid("`subject_token` is missing"));
    };
    let public = state.web.public_url.as_ref().map(BaseUrl::as_str);
    let audience = public.unwrap_or(state.issuer.name());
    let token = state
        .issuer
        .publisher_token(&id_token, &resource, audience, id)
        .await
        .map_err(|error| of_exchange(&error, id))?;
    let answer = OauthToken {
        access_token: token.reveal().to_owned(),
        issued_token_type: Some(ACCESS_TOKEN),
        token_type: "Bearer",
        expires_in: PUBLISHER_TOKEN_SECONDS,
        scope: "write",
    };
    Ok(([(CACHE_CONTROL, "no-store")], Json(answer)).into_response())
}

async fn device(
    State(state): State<AppState>,
    Base(base): Base,
    request: Request,
) -> Result<Response, OauthRefused> {
    let (parts, body) = request.into_parts();
    let body = text(&parts, body)
        .await
        .map_err(|refusal| invalid(&refusal.detail))?;
    let _: OauthDeviceRequest = read(&parts.headers, &body)?;
    let begun = match state.hub.accounts().begin_device_sign_in().await {
        Ok(begun) => begun,
        Err(assay_app::Error::RateLimited { .. }) => {
            let description = "too many sign-ins are under way; try again in some minutes";
            let status = StatusCode::TOO_MANY_REQUESTS;
            return Err(refused(status, "slow_down", description));
        }
        Err(error) => return Err(internal(&error, &request_id(&parts))),
    };
    let page = format!("{base}/login/device");
    let answer = OauthDevice {
        verification_uri_complete: format!("{page}?code={}", begun.user_code),
        verification_uri: page,
        device_code: begun.device_code.reveal().to_owned(),
        user_code: begun.user_code,
        expires_in: DEVICE_CODE_SECONDS,
        interval: DEVICE_POLL_SECONDS,
    };
    Ok(([(CACHE_CONTROL, "no-store")], Json(answer)).into_response())
}

async fn poll_device(
    state: &AppState,
    asked: OauthTokenRequest,
    id: &str,
) -> Result<Response, OauthRefused> {
    let code = asked
        .device_code
        .ok_or_else(|| invalid("`device_code` is missing"))?;
    let polled = state.hub.accounts().poll_device_sign_in(&code).await;
    let (error, description) = match polled.map_err(|error| internal(&error, id))? {
        DevicePoll::Token(token, expires_in) => {
            let answer = OauthToken {
                access_token: token.reveal().to_owned(),
                issued_token_type: None,
                token_type: "Bearer",
                expires_in,
                scope: "hub",
            };
            return Ok(([(CACHE_CONTROL, "no-store")], Json(answer)).into_response());
        }
        DevicePoll::Pending => ("authorization_pending", "nobody has approved the code yet"),
        DevicePoll::SlowDown => ("slow_down", "ask less often"),
        DevicePoll::Denied => ("access_denied", "the code was denied"),
        DevicePoll::Expired => {
            let description = "the code is unknown, expired or was used";
            return Err(refused(
                StatusCode::BAD_REQUEST,
                "expired_token",
                description,
            ));
        }
    };
    let mut response = refused(StatusCode::BAD_REQUEST, error, description).into_response();
    response.extensions_mut().insert(KnownDevice);
    Ok(response)
}

async fn revoke(
    State(state): State<AppState>,
    request: Request,
) -> Result<StatusCode, OauthRefused> {
    let (parts, body) = request.into_parts();
    let body = text(&parts, body)
        .await
        .map_err(|refusal| invalid(&refusal.detail))?;
    let asked: OauthTokenOnly = read(&parts.headers, &body)?;
    let revoked = state
        .issuer
        .revoke_secret(&asked.token, "its holder ended it");
    revoked
        .await
        .map_err(|error| internal(&error, &request_id(&parts)))?;
    Ok(StatusCode::OK)
}

async fn introspect(
    State(state): State<AppState>,
    request: Request,
) -> Result<Json<OauthIntrospection>, OauthRefused> {
    let (parts, body) = request.into_parts();
    let secret = bearer(&parts.headers);
    let caller = state.hub.accounts().authenticate(secret.as_deref()).await;
    if !caller.is_ok_and(|caller| caller.is_operator()) {
        return Err(of_exchange(&ExchangeError::Client, ""));
    }
    let body = text(&parts, body)
        .await
        .map_err(|refusal| invalid(&refusal.detail))?;
    let asked: OauthTokenOnly = read(&parts.headers, &body)?;
    let found = state.issuer.authenticate(Some(&asked.token)).await.ok();
    Ok(Json(OauthIntrospection {
        active: found.is_some(),
        scope: found.is_some().then_some(SCOPE),
        sub: found.map(|found| found.key().to_string()),
    }))
}

/// Returns the proof of a client: exactly one is required.
fn proof(headers: &HeaderMap, asked: OauthTokenRequest) -> Result<ClientProof, OauthRefused> {
    let basic = headers.contains_key(AUTHORIZATION);
    let ways = [
        basic,
        asked.client_secret.is_some(),
        asked.client_assertion.is_some(),
    ];
    if ways.iter().filter(|is_used| **is_used).count() != 1 {
        return Err(invalid("prove who the client is in exactly one way"));
    }
    if let Some(assertion) = asked.client_assertion {
        if asked.client_assertion_type.as_deref() != Some(JWT_BEARER) {
            return Err(invalid(&format!(
                "`client_assertion_type` is `{JWT_BEARER}`"
            )));
        }
        return Ok(ClientProof::Assertion(assertion));
    }
    if basic {
        let (client_id, secret) =
            of_basic(headers).ok_or_else(|| of_exchange(&ExchangeError::Client, ""))?;
        return Ok(ClientProof::Secret { client_id, secret });
    }
    match (asked.client_id, asked.client_secret) {
        (Some(client_id), Some(secret)) => Ok(ClientProof::Secret { client_id, secret }),
        _ => Err(invalid("`client_id` and `client_secret` go together")),
    }
}

fn subject_token(asked: OauthTokenRequest) -> Result<Exchange, OauthRefused> {
    match asked.subject_token_type.as_deref() {
        Some(ID_TOKEN | JWT) => {}
        _ => return Err(invalid(&format!("`subject_token_type` is `{ID_TOKEN}`"))),
    }
    let token = asked
        .subject_token
        .ok_or_else(|| invalid("`subject_token` is missing"))?;
    Ok(Exchange::SubjectToken(token))
}

/// Client id and secret, each spelled as in a form (RFC 6749, 2.3.1).
fn of_basic(headers: &HeaderMap) -> Option<(String, String)> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    let (scheme, rest) = value.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = STANDARD.decode(rest.trim()).ok()?;
    let text = String::from_utf8(decoded).ok()?;
    let (client_id, secret) = text.split_once(':')?;
    let decode = |text: &str| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded.ok().map(std::borrow::Cow::into_owned)
    };
    Some((decode(client_id)?, decode(secret)?))
}

fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &str) -> Result<T, OauthRefused> {
    let content_type = headers.get(CONTENT_TYPE);
    let is_json =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/json"));
    if is_json {
        return serde_json::from_str(body).map_err(|error| invalid(&error.to_string()));
    }
    serde_html_form::from_str(body).map_err(|error| invalid(&error.to_string()))
}

fn of_exchange(error: &ExchangeError, id: &str) -> OauthRefused {
    let (status, code) = match error {
        ExchangeError::Client => (StatusCode::UNAUTHORIZED, "invalid_client"),
        ExchangeError::Grant | ExchangeError::Publisher => {
            (StatusCode::BAD_REQUEST, "invalid_grant")
        }
        ExchangeError::Target => (StatusCode::BAD_REQUEST, "invalid_target"),
        ExchangeError::Suspended => (StatusCode::BAD_REQUEST, "unauthorized_client"),
        ExchangeError::Internal(source) => return internal(source, id),
    };
    refused(status, code, &error.to_string())
}

fn internal(error: &assay_app::Error, id: &str) -> OauthRefused {
    let source = std::error::Error::source(error).map(ToString::to_string);
    tracing::error!(request_id = id, source, "the issuer failed: {error}");
    let description = format!("internal error; request id {id}");
    refused(
        StatusCode::INTERNAL_SERVER_ERROR,
        "server_error",
        &description,
    )
}

fn invalid(description: &str) -> OauthRefused {
    refused(StatusCode::BAD_REQUEST, "invalid_request", description)
}

fn refused(status: StatusCode, error: &'static str, description: &str) -> OauthRefused {
    OauthRefused {
        status,
        error,
        description: description.to_owned(),
    }
}
