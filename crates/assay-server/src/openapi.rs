//! The description of the API, for machines and for people. Both are made from the routes
//! themselves.

use std::sync::LazyLock;

use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY};
use axum::http::{HeaderName, HeaderValue};
use axum::response::IntoResponse;
use bytes::Bytes;

use crate::describe::{Access, Subject, says};
use crate::routes::{Routes, get};

mod document;
mod page;

/// Both forms, made once: the routes do not change while a server runs.
static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    let document = document::document(crate::router::routes());
    let mut json = format!("{document:#}");
    json.push('\n');
    Written {
        html: page::page(&document).into(),
        json: json.into(),
    }
});

struct Written {
    json: Bytes,
    html: Bytes,
}

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Operation)
        .route(
            "/api/openapi.json",
            get(
                json,
                says("Describes this API for machines.")
                    .more("An OpenAPI 3.1 document, generated from the routes.")
                    .asks(Access::Open)
                    .answers_bytes("application/json", "The document."),
            ),
        )
        .route(
            "/api/docs",
            get(
                html,
                says("Describes this API for people.")
                    .more("The same document as a page, without scripts.")
                    .asks(Access::Open)
                    .answers_bytes("text/html; charset=utf-8", "The page."),
            ),
        )
}

async fn json() -> impl IntoResponse {
    let kind = HeaderValue::from_static("application/json");
    ([(CONTENT_TYPE, kind)], WRITTEN.json.clone())
}

async fn html() -> impl IntoResponse {
    let headers: [(HeaderName, HeaderValue); 3] = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (CONTENT_SECURITY_POLICY, page::policy()),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (headers, WRITTEN.html.clone())
}
