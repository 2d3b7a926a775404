use askama::Template;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};

use super::frame::{Frame, Section};
use super::{Theme, html};

#[derive(Template)]
#[template(path = "failure.html")]
struct FailurePage<'p> {
    frame: Frame,
    code: u16,
    heading: &'static str,
    message: &'p str,
    may_sign_in: bool,
}

/// A failure as a page: the same status and headers as a program gets, and the message in words.
pub(crate) fn page(
    status: StatusCode,
    facts: HeaderMap,
    message: &str,
    asked: Visit<'_>,
) -> Response {
    let heading = heading(status);
    let page = FailurePage {
        frame: Frame {
            title: heading.to_owned(),
            description: String::new(),
            theme: asked.theme,
            here: asked.here.to_owned(),
            person: asked.person.map(str::to_owned),
            form: String::new(),
            section: Section::None,
            search: String::new(),
            feed: None,
            unlisted: true,
            canonical: String::new(),
            json_ld: None,
            has_lake: false,
        },
        code: status.as_u16(),
        heading,
        message,
        may_sign_in: asked.person.is_none() && matches!(status.as_u16(), 401 | 403 | 404),
    };
    // A page that cannot be written is told in one line.
    let text = page.render().unwrap_or_else(|_| heading.to_owned());
    let mut headers = html::headers();
    let kind = headers.remove(CONTENT_TYPE);
    headers.extend(facts);
    if let Some(kind) = kind {
        headers.insert(CONTENT_TYPE, kind);
    }
    (status, headers, text).into_response()
}

/// The visitor who sees a failure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit<'v> {
    /// The user who is signed in.
    pub(crate) person: Option<&'v str>,
    /// The path and query, as they came.
    pub(crate) here: &'v str,
    /// Light or dark.
    pub(crate) theme: Theme,
}

fn heading(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 | 422 => "Check your input",
        401 => "Please sign in",
        403 => "You do not have permission",
        404 => "Page not found",
        405 => "Method not allowed",
        409 => "That name is taken or has changed",
        412 => "Changed in the meantime",
        413 => "That is too large",
        429 => "Too many requests",
        307 => "It has moved",
        _ => "Something went wrong",
    }
}
