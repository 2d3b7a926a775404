//! The issuer over HTTP: where machines prove who they are, and where they get tokens.

mod benchmarks;
mod fetch;
mod oauth;
mod tokens;

use std::sync::Arc;

use assay_app::Hub;
use assay_app::issuer::{BenchmarkSource, Issuer, IssuerParts};
use assay_hub_api::{OauthMetadata, Problem};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, http::HeaderMap};

pub(crate) use self::benchmarks::HubBenchmarks;
use self::fetch::KeyFetcher;
pub(crate) use self::oauth::{KnownDevice, device_routes, exchange_routes, routes as oauth_routes};
pub(crate) use self::tokens::routes as token_routes;
use crate::config::Config;
use crate::describe::{Access, RouteDoc, Subject, says};
use crate::error::Failure;
use crate::extract::Base;
use crate::routes::{Routes, get};
use crate::state::AppState;

/// Returns the routes of the issuer's metadata.
pub(crate) fn metadata_routes() -> Routes {
    Routes::about(Subject::Issuer)
        .route(
            "/.well-known/oauth-authorization-server",
            get(
                metadata,
                says("Tells where and how tokens are issued (RFC 8414).")
                    .asks(Access::Open)
                    .answers::<OauthMetadata>("What the issuer says of itself."),
            ),
        )
        .route(
            "/.well-known/jwks.json",
            get(
                key_set,
                says("Tells the public keys of tokens, as a JWK set.")
                    .more("Keys that will sign, that sign, and that signed lately. The control log has all of them, for ever.")
                    .asks(Access::Open)
                    .answers_bytes("application/jwk-set+json", "The keys."),
            ),
        )
}

/// The issuer that a configuration asks for.
pub fn open(hub: &Arc<Hub>, config: &Config) -> Arc<Issuer> {
    let benchmarks = config.issuer.hub.as_ref().map(|hub| {
        let benchmarks = HubBenchmarks::new(hub, config.issuer.allow_loopback);
        Arc::new(benchmarks) as Arc<dyn BenchmarkSource>
    });
    Issuer::new(
        hub,
        IssuerParts {
            policy: config.issuer.policy.clone(),
            fetch: Arc::new(KeyFetcher::new(config.issuer.allow_loopback)),
            benchmarks,
            rules: config.issuer.rules,
        },
    )
}

/// The ways in which the issuer refuses.
fn problems(told: RouteDoc, statuses: &[u16]) -> RouteDoc {
    let always = [
        (401, "Prove who you are."),
        (
            429,
            "Asked too often; `Retry-After` says when to come again.",
        ),
        (500, "A fault of the issuer."),
    ];
    let told = always.into_iter().fold(told, |told, (status, words)| {
        told.or_answers_as::<Problem>(status, "application/problem+json", words)
    });
    statuses.iter().fold(told, |told, status| {
        let words = match status {
            400 => "The request cannot be read, or a number in it cannot be signed.",
            403 => "The caller is known and does not get this: `framework_not_allowed`, `target_not_allowed`, `identity_suspended` or `assurance_not_allowed`.",
            404 => "There is no such token, or it belongs to another integration.",
            409 => "The idempotency key was used for another request, or the same one is under way.",
            413 => "The request is too large.",
            415 => "The body is compressed.",
            422 => "The request can be read and must not be signed; the code says why.",
            503 => "Nothing can be issued: `log_unavailable` or `no_signing_key`.",
            _ => "It is refused.",
        };
        told.or_answers_as::<Problem>(*status, "application/problem+json", words)
    })
}

/// The token in the `Authorization` header, if there is exactly one.
fn bearer(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(axum::http::header::AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else {
        return None;
    };
    let (scheme, rest) = value.to_str().ok()?.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| rest.trim().to_owned())
}

async fn metadata(
    State(state): State<AppState>,
    Base(base): Base,
) -> Result<Json<OauthMetadata>, Failure> {
    let at = |path: &str| format!("{base}{path}");
    Ok(Json(OauthMetadata {
        issuer: state.issuer.name().to_owned(),
        token_endpoint: at("/oauth/token"),
        revocation_endpoint: at("/oauth/revoke"),
        introspection_endpoint: at("/oauth/introspect"),
        jwks_uri: at("/.well-known/jwks.json"),
        eval_tokens_endpoint: at("/v1/eval-tokens"),
        scopes_supported: vec!["eval:issue"],
        grant_types_supported: vec![
            "client_credentials",
            "urn:ietf:params:oauth:grant-type:token-exchange",
            "urn:ietf:params:oauth:grant-type:device_code",
        ],
        token_endpoint_auth_methods_supported: vec![
            "private_key_jwt",
            "client_secret_basic",
            "client_secret_post",
            "none",
        ],
        token_endpoint_auth_signing_alg_values_supported: vec!["EdDSA", "ES256", "RS256"],
        response_types_supported: Vec::new(),
    }))
}

async fn key_set(State(state): State<AppState>) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/jwk-set+json"),
        (CACHE_CONTROL, "public, max-age=300"),
    ];
    (headers, state.issuer.key_set()).into_response()
}
