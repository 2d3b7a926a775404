use std::any::Any;
use std::sync::Arc;

use assay_app::Hub;
use assay_model::{Clock, RepoKind};
use axum::extract::DefaultBodyLimit;
use axum::http::header::{ETAG, LINK, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::{from_fn_with_state, map_request};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde_json::json;
use tower::Layer as _;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as Anyone, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;

use crate::config::{Config, Serves};
use crate::describe::Subject;
use crate::error::Failure;
use crate::routes::Routes;
use crate::state::AppState;
use crate::{answer, api, avatar, download, git, health, issuer, lfs, observe, openapi, web};

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

/// What tells browsers to come back encrypted, for a year.
const ENCRYPTED_ALWAYS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Everything a hub answers, as one service.
pub fn router(hub: Arc<Hub>, config: &Config, clock: Arc<dyn Clock>) -> Router {
    router_of(&AppState::new(hub, config, clock))
}

/// Everything that this state is asked for, as one service.
pub(crate) fn router_of(state: &AppState) -> Router {
    let routes = match state.web.serves {
        Serves::Hub => routes().into_router().merge(web::router()),
        Serves::IssuerAlone => issuer_routes().into_router(),
    };
    let routes = routes
        .fallback(api::fallback)
        .method_not_allowed_fallback(wrong_method);
    with_layers(routes, state)
}

/// What happens round every handler, from the inside out.
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
    let routes = routes
        .layer(map_request(observe::tell_route))
        .with_state(state.clone());
    // They are put round the router and not round each route: for every request the route is copied with its layers.
    let service = DefaultBodyLimit::max(state.web.body_bytes).layer(routes);
    let service = catch_panics(state).layer(service);
    let service = from_fn_with_state(state.clone(), answer::answer).layer(service);
    let always = state.web.has_tls.then_some(ENCRYPTED_ALWAYS);
    let encrypted_always =
        SetResponseHeaderLayer::if_not_present(STRICT_TRANSPORT_SECURITY, always);
    let service = never_guessed.layer(readable_anywhere.layer(service));
    let service = encrypted_always.layer(service);
    let service = from_fn_with_state(state.clone(), observe::observe).layer(service);
    Router::new().fallback_service(service)
}

/// Every route, with what is said of it.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories)
        .merge(every_kind(
            "/api/models",
            "/api/datasets",
            api::of_repository,
        ))
        .merge(every_kind("", "/datasets", of_page))
        .merge(api::routes())
        .merge(avatar::routes())
        .merge(lfs::links())
        .merge(git::of_logs())
        .merge(openapi::routes())
        .merge(health::routes())
        .merge(issuer::routes())
}

/// What an issuer answers that has no repositories.
fn issuer_routes() -> Routes {
    Routes::about(Subject::Issuer)
        .merge(issuer::routes())
        .merge(api::of_logs())
        .merge(health::routes())
}

/// What hangs below the page of a repository: downloads, git, large files.
fn of_page() -> Routes {
    Routes::about(Subject::Files)
        .merge(download::routes())
        .merge(git::routes())
        .merge(lfs::routes())
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
    use axum::body::Body;
    use axum::http::Request;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;
    use crate::clock::SystemClock;

    async fn text(router: &Router, path: &str) -> String {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let body = axum::body::to_bytes(response.into_body(), 100_000).await;
        String::from_utf8(body.unwrap().to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_panic_fails_one_request_with_an_id_and_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let config = Config {
            data: directory.path().join("data"),
            ..Config::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let hub = Hub::open(config.hub(), Arc::clone(&clock)).await.unwrap();
        let state = AppState::new(hub, &config, clock);
        let boom = get(async || -> &'static str { panic!("secret") });
        let routes = health::routes().into_router().route("/boom", boom);
        let router = with_layers(routes, &state);

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
}
