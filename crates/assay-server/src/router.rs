use std::any::Any;
use std::sync::Arc;

use assay_app::Hub;
use assay_model::{Clock, RepoKind};
use axum::extract::DefaultBodyLimit;
use axum::http::header::{ETAG, LINK, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use axum::{Json, Router};
use serde_json::json;
use tower::Layer as _;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as Anyone, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::config::{Config, Serves};
use crate::describe::Subject;
use crate::error::Failure;
use crate::group::RouteGroup;
use crate::routes::Routes;
use crate::state::AppState;
use crate::{
    answer, api, avatar, download, git, health, issuer, lfs, mcp, observe, openapi, web, xet,
};

/// The headers that clients in a browser may read.
const EXPOSED: [HeaderName; 8] = [
    ETAG,
    LINK,
    HeaderName::from_static("x-error-code"),
    HeaderName::from_static("x-error-message"),
    HeaderName::from_static("x-linked-etag"),
    HeaderName::from_static("x-linked-size"),
    HeaderName::from_static("x-repo-commit"),
    HeaderName::from_static("x-request-id"),
];

/// The header that tells browsers to come back encrypted, for a year.
const ENCRYPTED_ALWAYS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Everything a hub answers, as one service.
pub fn router(hub: Arc<Hub>, config: &Config, clock: Arc<dyn Clock>) -> Router {
    router_of(&AppState::new(hub, config, clock))
}

/// Everything that this state is asked for, as one service.
pub(crate) fn router_of(state: &AppState) -> Router {
    let (groups, unmatched) = match state.web.serves {
        Serves::Hub => (hub_groups(), RouteGroup::Page),
        Serves::IssuerAlone => (issuer_groups(), RouteGroup::Service),
    };
    let mut router = group_router(unmatched, Router::new().fallback(web::fallback), state);
    for (group, routes) in groups {
        let mut routes = with_fallback(group, routes.into_router());
        if group == RouteGroup::Api {
            routes = mcp::with_api(routes, state);
        }
        router = router.merge(group_router(group, routes, state));
    }
    if state.web.serves == Serves::Hub {
        for (group, pages) in [
            (RouteGroup::Page, web::pages()),
            (RouteGroup::Part, web::parts()),
        ] {
            router = router.merge(group_router(group, pages.into_router(), state));
        }
    }
    with_layers(router, state)
}

/// Puts the layer of a group round its routes.
fn group_router(group: RouteGroup, routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    let answer = from_fn_with_state((state.clone(), group), answer::answer);
    routes
        .method_not_allowed_fallback(wrong_method)
        .layer((answer, catch_panics(state)))
}

/// Lets a group answer for unknown addresses below its own ones. Where a page could have such an
/// address, as that of the model `api/x`, they are routes.
fn with_fallback(group: RouteGroup, routes: Router<AppState>) -> Router<AppState> {
    let missing = async || Failure::no_route();
    match group {
        RouteGroup::Api => routes.route("/api/{*rest}", any(api::fallback)),
        RouteGroup::Oauth => routes.route("/oauth/{*rest}", any(missing)),
        RouteGroup::Xet => routes.nest("/xet", Router::new().fallback(missing)),
        RouteGroup::EvalTokens => routes
            .nest("/v1/eval-tokens", Router::new().fallback(missing))
            .nest("/v1/credentials", Router::new().fallback(missing)),
        RouteGroup::Page
        | RouteGroup::Part
        | RouteGroup::Git
        | RouteGroup::Service
        | RouteGroup::TokenExchange => routes,
    }
}

/// Puts the layers round the router that are the same for every route, from the inside out.
fn with_layers(routes: Router<AppState>, state: &AppState) -> Router {
    let readable_anywhere = CorsLayer::new()
        .allow_origin(Anyone)
        .allow_methods(Anyone)
        .allow_headers(Anyone)
        .expose_headers(EXPOSED);
    let never_guessed = SetResponseHeaderLayer::if_not_present(
        X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    let routes = routes.with_state(state.clone());
    let service = DefaultBodyLimit::max(state.web.body_bytes).layer(routes);
    let always = state.web.has_tls.then_some(ENCRYPTED_ALWAYS);
    let encrypted_always =
        SetResponseHeaderLayer::if_not_present(STRICT_TRANSPORT_SECURITY, always);
    let service = never_guessed.layer(readable_anywhere.layer(service));
    let service = encrypted_always.layer(service);
    let service = from_fn_with_state(state.clone(), observe::observe).layer(service);
    Router::new().fallback_service(service)
}

/// Every route that the document describes.
pub(crate) fn routes() -> Routes {
    let all = Routes::about(Subject::Repositories);
    let groups = hub_groups().into_iter();
    groups.fold(all, |all, (_, routes)| all.merge(routes))
}

/// The routes of a hub, by group.
fn hub_groups() -> Vec<(RouteGroup, Routes)> {
    let of_api = every_kind("/api/models", "/api/datasets", api::of_repository);
    let of_git = || git::routes().merge(lfs::routes());
    let mut groups = issuer_groups();
    groups.push((RouteGroup::TokenExchange, issuer::device_routes()));
    groups.extend([
        (
            RouteGroup::Api,
            of_api
                .merge(api::routes())
                .merge(openapi::routes())
                .merge(mcp::routes()),
        ),
        (
            RouteGroup::Git,
            every_kind("", "/datasets", of_git).merge(git::of_logs()),
        ),
        (RouteGroup::Xet, xet::routes()),
        (
            RouteGroup::Part,
            every_kind("", "/datasets", download::routes)
                .merge(avatar::routes())
                .merge(lfs::links()),
        ),
    ]);
    groups
}

/// The routes of an issuer that has no repositories, by group.
fn issuer_groups() -> Vec<(RouteGroup, Routes)> {
    let service = health::routes()
        .merge(api::of_logs())
        .merge(issuer::metadata_routes());
    vec![
        (RouteGroup::Service, service),
        (RouteGroup::EvalTokens, issuer::token_routes()),
        (RouteGroup::TokenExchange, issuer::exchange_routes()),
        (RouteGroup::Oauth, issuer::oauth_routes()),
    ]
}

/// The same routes for models and for datasets.
fn every_kind(models: &str, datasets: &str, routes: impl Fn() -> Routes) -> Routes {
    let models = routes().below(models, RepoKind::Model);
    models.merge(routes().below(datasets, RepoKind::Dataset))
}

/// A panic is our fault: one request fails, the server goes on.
fn catch_panics(
    state: &AppState,
) -> CatchPanicLayer<impl Fn(Box<dyn Any + Send + 'static>) -> Response + Clone + use<>> {
    let state = state.clone();
    CatchPanicLayer::custom(move |panic: Box<dyn Any + Send>| {
        state.web.metrics.panics.inc();
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Failure::internal(format!("a handler panicked: {text}")).into_response()
    })
}

async fn wrong_method() -> Response {
    let body = Json(json!({ "error": "this method is not allowed here" }));
    (StatusCode::METHOD_NOT_ALLOWED, body).into_response()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use assay_app::{NewToken, Scope};
    use axum::Extension;
    use axum::body::Body;
    use axum::http::Request;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;
    use crate::clock::SystemClock;
    use crate::web::session::Session;

    async fn text(router: &Router, path: &str) -> String {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let body = axum::body::to_bytes(response.into_body(), 100_000).await;
        String::from_utf8(body.unwrap().to_vec()).unwrap()
    }

    async fn state(directory: &Path) -> AppState {
        let config = Config {
            data: directory.join("data"),
            ..Config::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let hub = Hub::open(config.hub(), Arc::clone(&clock)).await.unwrap();
        AppState::new(hub, &config, clock)
    }

    #[tokio::test]
    async fn a_panic_fails_one_request_with_an_id_and_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let state = state(directory.path()).await;
        let boom = get(async || -> &'static str { panic!("secret") });
        let routes = health::routes().into_router().route("/boom", boom);
        let router = with_layers(group_router(RouteGroup::Service, routes, &state), &state);

        let response = router
            .clone()
            .oneshot(Request::get("/boom").body(Body::empty()).unwrap())
            .await
            .unwrap();

        assert_eq!(response.status(), 500);
        let id = response.headers()["x-request-id"]
            .to_str()
            .unwrap()
            .to_owned();
        let body = axum::body::to_bytes(response.into_body(), 1000)
            .await
            .unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains(&id) && !text.contains("secret"), "{text}");
        let metrics = self::text(&router, "/metrics").await;
        assert!(metrics.contains("assay_panics_total 1\n"), "{metrics}");
    }

    #[tokio::test]
    async fn a_session_is_looked_up_for_pages_alone() {
        let directory = tempfile::tempdir().unwrap();
        let state = state(directory.path()).await;
        let hub = &state.hub;
        let shell = hub.shell();
        hub.accounts()
            .create_user(&shell, "alice", "Alice", None, false)
            .await
            .unwrap();
        let token = NewToken {
            label: "test".to_owned(),
            scope: Scope::Write,
            expires: None,
        };
        let (_, token) = hub
            .accounts()
            .create_token(&shell, "alice", token)
            .await
            .unwrap();
        let session = hub
            .accounts()
            .sign_in_with_token(token.reveal(), "test", shell.origin());
        let session = session.await.unwrap();
        for group in [
            RouteGroup::Page,
            RouteGroup::Part,
            RouteGroup::Api,
            RouteGroup::Git,
            RouteGroup::Xet,
            RouteGroup::Service,
            RouteGroup::EvalTokens,
            RouteGroup::TokenExchange,
            RouteGroup::Oauth,
        ] {
            let name = async |session: Option<Extension<Session>>| match session {
                Some(Extension(Session(visitor))) => visitor.caller.name().unwrap().to_owned(),
                None => "nobody".to_owned(),
            };
            let routes = Router::new().route("/who", get(name));
            let router = with_layers(group_router(group, routes, &state), &state);
            let request = Request::get("/who")
                .header("host", "127.0.0.1:8460")
                .header("cookie", format!("assay_session={}", session.reveal()))
                .body(Body::empty())
                .unwrap();

            let response = router.oneshot(request).await.unwrap();

            let body = axum::body::to_bytes(response.into_body(), 1000).await;
            let expected = match group {
                RouteGroup::Page => "alice",
                _ => "nobody",
            };
            assert_eq!(body.unwrap(), expected, "{group:?}");
        }
    }
}
