//! The mapping from a failure of the hub to an answer. This is the one place that knows both.

use std::borrow::Cow;
use std::sync::Arc;

use assay_app::{Error, Missing, findings};
use assay_model::{Diagnostic, Place, Severity};
use axum::Json;
use axum::http::header::{LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::connection::BodyTooSlow;
use crate::redirect;
use crate::web::{Theme, Visit, failure_page};

/// The code that clients turn into an exception of its own.
pub(crate) const ERROR_CODE: HeaderName = HeaderName::from_static("x-error-code");
/// The message for people, on one line of ASCII.
pub(crate) const ERROR_MESSAGE: HeaderName = HeaderName::from_static("x-error-message");
/// The commit that a revision named.
pub(crate) const REPO_COMMIT: HeaderName = HeaderName::from_static("x-repo-commit");

/// The longest message that goes into a header, in bytes.
const MAX_MESSAGE: usize = 512;
/// The time after which to retry a request that cannot be served at the moment.
pub(crate) const RETRY_SECONDS: u64 = 5;
/// The message to an anonymous caller about something missing or invisible. The two must not be
/// told apart.
const WHO_ARE_YOU: &str = "Invalid username or password.";
/// What clients compare the answer to a token with that lets nobody in.
const BAD_CREDENTIALS: &str = "Invalid credentials in Authorization header";
/// The challenge that makes git ask for credentials.
const CHALLENGE: HeaderValue =
    HeaderValue::from_static(r#"Basic realm="Authentication required", charset="UTF-8""#);

/// A failure on its way out of a handler. It becomes an answer where the caller is known, in
/// `answer.rs`.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) Arc<Cause>);

/// The cause of a failed request.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    /// The hub did not do what it was asked.
    #[error(transparent)]
    Hub(#[from] Error),
    /// The server did not ask the hub, for a reason of HTTP, of a form or of the lake.
    #[error("{message}")]
    Server {
        /// The status of the answer.
        status: StatusCode,
        /// The message for people.
        message: String,
    },
}

impl Cause {
    /// The cause that only the log is told.
    pub(crate) fn hidden(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        match self {
            Self::Hub(error) => error.hidden_cause(),
            Self::Server { .. } => None,
        }
    }
}

/// The context that the answer to a failure depends on.
#[derive(Debug, Clone)]
pub(crate) struct ErrorContext {
    /// True if nobody is signed in.
    pub(crate) anonymous: bool,
    /// The name of the user, when one is signed in and a browser asks.
    pub(crate) name: Option<String>,
    /// True if the client is git, which gives credentials only when it is challenged.
    pub(crate) by_git: bool,
    /// The theme of the page, when a browser asks for one.
    pub(crate) page: Option<Theme>,
    /// The address, as it came.
    pub(crate) uri: Uri,
    /// The id of the request.
    pub(crate) request_id: String,
}

impl ErrorContext {
    /// The path and query.
    fn target(&self) -> &str {
        let target = self.uri.path_and_query();
        target.map_or(self.uri.path(), |target| target.as_str())
    }
}

impl Failure {
    /// A failure that the server itself answers with this status.
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Arc::new(Cause::Server { status, message }))
    }

    /// The request makes no sense.
    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, text)
    }

    /// The caller has to sign in first.
    pub(crate) fn sign_in(why: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, format!("sign in first: {why}"))
    }

    /// A name that no repository can have.
    pub(crate) fn no_repo() -> Self {
        Error::NotFound(Missing::Repo).into()
    }

    /// Nothing is served at this address.
    pub(crate) fn no_route() -> Self {
        Error::NotFound(Missing::Other("Not found".to_owned())).into()
    }

    /// A limit was reached.
    pub(crate) fn too_large(text: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, text)
    }

    /// The body of the request came too slowly, if that is why it could not be read.
    pub(crate) fn too_slow(error: &(dyn std::error::Error + 'static)) -> Option<Self> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(slow) = error.downcast_ref::<BodyTooSlow>() {
                return Some(Self::new(StatusCode::REQUEST_TIMEOUT, slow.to_string()));
            }
            cause = error.source();
        }
        None
    }

    /// It is our fault.
    pub(crate) fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Error::internal(source).into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(Arc::new(Cause::Hub(error)))
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = StatusCode::INTERNAL_SERVER_ERROR.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The answer to a failure.
pub(crate) fn render(error: &Cause, asked: &ErrorContext) -> Response {
    let status = status(error, asked);
    let message = message(error, asked);
    let mut headers = HeaderMap::new();
    headers.insert(ERROR_MESSAGE, one_line(&headline(error, &message)));
    if let Some(code) = code(error) {
        headers.insert(ERROR_CODE, HeaderValue::from_static(code));
    }
    if status == StatusCode::UNAUTHORIZED && asked.by_git {
        headers.insert(WWW_AUTHENTICATE, CHALLENGE);
    }
    facts(error, asked, &mut headers);
    if let Some(theme) = asked.page {
        let visit = Visit {
            person: asked.name.as_deref(),
            here: asked.target(),
            theme,
        };
        return failure_page(status, headers, &for_people(error, message), visit);
    }
    (status, headers, Json(body(error, &message))).into_response()
}

/// An answer that refuses, with a body of its own.
pub(crate) fn refuse(status: StatusCode, message: &str, mut body: Value) -> Response {
    body["error"] = message.into();
    let headers = [(ERROR_MESSAGE, one_line(message))];
    (status, headers, Json(body)).into_response()
}

/// A text as a header can carry it: one line of ASCII.
pub(crate) fn one_line(text: &str) -> HeaderValue {
    let mut line = String::with_capacity(text.len().min(MAX_MESSAGE));
    for character in text.chars() {
        if line.len() >= MAX_MESSAGE {
            break;
        }
        match character {
            ' '..='~' => line.push(character),
            _ if character.is_whitespace() => line.push(' '),
            _ => line.push('?'),
        }
    }
    HeaderValue::from_str(line.trim()).unwrap_or(HeaderValue::from_static("error"))
}

fn status(cause: &Cause, asked: &ErrorContext) -> StatusCode {
    let error = match cause {
        Cause::Hub(error) => error,
        Cause::Server { status, .. } => return *status,
    };
    match error {
        // Clients expect to be asked who they are; people who mistyped an address do not.
        Error::NotFound(Missing::Repo) if asked.anonymous && asked.page.is_none() => {
            StatusCode::UNAUTHORIZED
        }
        Error::NotFound(_) => StatusCode::NOT_FOUND,
        Error::Moved { .. } => StatusCode::TEMPORARY_REDIRECT,
        Error::NotSignedIn | Error::BadCredentials | Error::TokenEnded(_) => {
            StatusCode::UNAUTHORIZED
        }
        Error::Denied(_) | Error::OverQuota(_) => StatusCode::FORBIDDEN,
        Error::Exists(_) | Error::Conflict(_) | Error::Operator(_) => StatusCode::CONFLICT,
        Error::Stale => StatusCode::PRECONDITION_FAILED,
        Error::Refused(_) | Error::Invalid(_) => StatusCode::BAD_REQUEST,
        Error::UnusablePath(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
        Error::RateLimited { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::OutOfTime { .. } => StatusCode::REQUEST_TIMEOUT,
        Error::Busy(_) | Error::ReadOnly(_) => StatusCode::SERVICE_UNAVAILABLE,
        Error::NoSpace(_) => StatusCode::INSUFFICIENT_STORAGE,
        Error::Damaged(_) | Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn code(error: &Cause) -> Option<&'static str> {
    match error {
        Cause::Hub(Error::NotFound(Missing::Repo)) => Some("RepoNotFound"),
        Cause::Hub(Error::NotFound(Missing::Revision(_))) => Some("RevisionNotFound"),
        Cause::Hub(Error::NotFound(Missing::Entry { .. })) => Some("EntryNotFound"),
        _ => None,
    }
}

fn message(cause: &Cause, asked: &ErrorContext) -> String {
    match cause {
        Cause::Hub(Error::NotFound(Missing::Repo)) if asked.anonymous => WHO_ARE_YOU.to_owned(),
        Cause::Hub(Error::Internal(_)) => {
            format!("internal error; request id {}", asked.request_id)
        }
        Cause::Hub(Error::Refused(diagnostics)) => findings(diagnostics).trim_end().to_owned(),
        Cause::Hub(error) => wording(error),
        Cause::Server { message, .. } => message.clone(),
    }
}

/// Returns the words that clients of a hub expect. They compare some of them.
pub(crate) fn wording(error: &Error) -> String {
    match error {
        Error::BadCredentials => BAD_CREDENTIALS.to_owned(),
        Error::TokenEnded(ended) => format!("{BAD_CREDENTIALS}: {ended}"),
        Error::Stale => {
            "The branch was updated since you opened this page. Please refresh and try again."
                .to_owned()
        }
        Error::NotFound(Missing::Repo) => "Repository not found".to_owned(),
        Error::NotFound(Missing::Revision(revision)) => format!("Invalid rev id: {revision}"),
        Error::NotFound(Missing::Entry { .. }) => "Entry not found".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns the message of a page. It tells missing and invisible apart as little as an answer to a
/// program does.
fn for_people(error: &Cause, message: String) -> String {
    match error {
        Cause::Hub(Error::NotFound(Missing::Repo)) => {
            "There is no such repository, or you may not see it.".to_owned()
        }
        _ => message,
    }
}

/// Headers that tell more than the message.
fn facts(cause: &Cause, asked: &ErrorContext, headers: &mut HeaderMap) {
    let error = match cause {
        Cause::Hub(error) => error,
        Cause::Server { status, .. } => {
            if *status == StatusCode::SERVICE_UNAVAILABLE {
                headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
            }
            return;
        }
    };
    match error {
        Error::NotFound(Missing::Entry {
            commit: Some(commit),
        }) => {
            headers.insert(REPO_COMMIT, one_line(&commit.to_string()));
        }
        Error::RateLimited { after_seconds } => {
            headers.insert(RETRY_AFTER, HeaderValue::from(*after_seconds));
        }
        Error::Busy(_) | Error::ReadOnly(_) => {
            headers.insert(RETRY_AFTER, HeaderValue::from(RETRY_SECONDS));
        }
        Error::Moved { kind, to } => {
            if let Some(place) = redirect::renamed(asked.target(), *kind, to)
                && let Ok(place) = HeaderValue::from_str(&place)
            {
                headers.insert(LOCATION, place);
            }
        }
        _ => {}
    }
}

fn body(error: &Cause, message: &str) -> Value {
    match error {
        Cause::Hub(Error::Refused(diagnostics)) => {
            json!({ "error": message, "diagnostics": diagnostics })
        }
        _ => json!({ "error": message }),
    }
}

/// The message on one line. Clients print it above the body, so of a refusal it has the place and
/// not the words.
fn headline<'m>(error: &Cause, message: &'m str) -> Cow<'m, str> {
    // Clients compare these words; the body says more.
    if let Cause::Hub(Error::TokenEnded(_)) = error {
        return Cow::Borrowed(BAD_CREDENTIALS);
    }
    let Cause::Hub(Error::Refused(diagnostics)) = error else {
        return Cow::Borrowed(first_line(message));
    };
    let mut faults = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error);
    let Some(first) = faults.next() else {
        return Cow::Owned(error.to_string());
    };
    let Place {
        file, line, column, ..
    } = &first.place;
    let place = if first.place.is_whole() {
        file.to_string()
    } else {
        format!("{file}:{line}:{column}")
    };
    let others = match faults.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Cow::Owned(format!("refused for {} at {place}{others}", first.code))
}

/// A finding on one line.
pub(crate) fn brief(diagnostic: &Diagnostic) -> String {
    let Diagnostic {
        code,
        severity,
        message,
        place,
        ..
    } = diagnostic;
    let file = &place.file;
    if place.is_whole() {
        return format!("{severity}[{code}]: {file}: {message}");
    }
    let (line, column) = (place.line, place.column);
    format!("{severity}[{code}]: {file}:{line}:{column}: {message}")
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io;

    use assay_app::{Busy, Conflict, Denied, Existing, Limit, Quota, UnusablePath};
    use assay_model::RepoKind;

    use super::*;

    fn asked(anonymous: bool) -> ErrorContext {
        ErrorContext {
            anonymous,
            name: None,
            by_git: false,
            page: None,
            uri: Uri::from_static("/api/models/alice/old/tree/main?recursive=true"),
            request_id: "r1".to_owned(),
        }
    }

    fn header(response: &Response, name: &HeaderName) -> Option<String> {
        let value = response.headers().get(name)?;
        Some(value.to_str().unwrap().to_owned())
    }

    #[test]
    fn what_is_missing_is_a_401_for_nobody_and_a_404_for_someone() {
        let error = Cause::Hub(Error::NotFound(Missing::Repo));

        let to_nobody = render(&error, &asked(true));
        let to_someone = render(&error, &asked(false));

        assert_eq!(to_nobody.status(), 401);
        assert_eq!(header(&to_nobody, &ERROR_MESSAGE).unwrap(), WHO_ARE_YOU);
        assert_eq!(header(&to_nobody, &ERROR_CODE).unwrap(), "RepoNotFound");
        assert_eq!(header(&to_nobody, &WWW_AUTHENTICATE), None);
        assert_eq!(to_someone.status(), 404);
        assert_eq!(header(&to_someone, &ERROR_CODE).unwrap(), "RepoNotFound");
    }

    #[test]
    fn a_browser_is_shown_a_page_with_the_same_facts() {
        let by_browser = |anonymous| ErrorContext {
            page: Some(Theme::System),
            ..asked(anonymous)
        };
        let error = Cause::Hub(Error::NotFound(Missing::Repo));

        let to_nobody = render(&error, &by_browser(true));
        let to_someone = render(&error, &by_browser(false));

        for response in [&to_nobody, &to_someone] {
            assert_eq!(response.status(), 404);
            assert_eq!(header(response, &ERROR_CODE).unwrap(), "RepoNotFound");
            let kind = header(response, &axum::http::header::CONTENT_TYPE).unwrap();
            assert_eq!(kind, "text/html; charset=utf-8");
        }
    }

    #[test]
    fn git_is_challenged() {
        let by_git = ErrorContext {
            by_git: true,
            ..asked(true)
        };

        let response = render(&Error::NotSignedIn.into(), &by_git);

        assert_eq!(response.status(), 401);
        assert!(
            header(&response, &WWW_AUTHENTICATE)
                .unwrap()
                .starts_with("Basic ")
        );
    }

    #[test]
    fn every_failure_has_the_status_and_code_that_clients_know() {
        let text = || "text".to_owned();
        let table = [
            (
                Error::NotFound(Missing::Revision(text())),
                404,
                Some("RevisionNotFound"),
            ),
            (
                Error::NotFound(Missing::Entry { commit: None }),
                404,
                Some("EntryNotFound"),
            ),
            (Error::NotFound(Missing::Discussion(1)), 404, None),
            (Error::NotFound(Missing::Leaderboard(text())), 404, None),
            (Error::NotFound(Missing::Other(text())), 404, None),
            (Error::NotSignedIn, 401, None),
            (Error::BadCredentials, 401, None),
            (Denied::NotAWriter.into(), 403, None),
            (Existing::Account(text()).into(), 409, None),
            (Conflict::LastAdmin.into(), 409, None),
            (Error::Stale, 412, None),
            (Error::Refused(Vec::new()), 400, None),
            (Error::Operator(text()), 409, None),
            (Error::Invalid(text()), 400, None),
            (UnusablePath::NotAFile(text()).into(), 422, None),
            (Limit::Proof.into(), 413, None),
            (Error::OverQuota(Quota::Waiting { most: 1 }), 403, None),
            (Error::RateLimited { after_seconds: 9 }, 429, None),
            (
                Error::OutOfTime {
                    subcommand: "fetch",
                    seconds: 1,
                },
                408,
                None,
            ),
            (Busy::Database.into(), 503, None),
            (
                Error::internal(io::Error::from(io::ErrorKind::StorageFull)),
                507,
                None,
            ),
            (
                Error::internal(io::Error::from(io::ErrorKind::ReadOnlyFilesystem)),
                503,
                None,
            ),
            (Error::Damaged(text()), 500, None),
            (Error::internal("secret"), 500, None),
        ];

        for (error, status, code) in table {
            let error = Cause::Hub(error);
            let response = render(&error, &asked(false));

            assert_eq!(response.status(), status, "{error:?}");
            assert_eq!(header(&response, &ERROR_CODE).as_deref(), code, "{error:?}");
        }
    }

    #[test]
    fn clients_get_the_words_that_they_compare() {
        let words = |error: Error| {
            let response = render(&error.into(), &asked(false));
            header(&response, &ERROR_MESSAGE).unwrap()
        };

        assert_eq!(
            words(Error::BadCredentials),
            "Invalid credentials in Authorization header"
        );
        assert!(words(Error::Stale).ends_with("Please refresh and try again."));
        assert_eq!(
            words(Error::NotFound(Missing::Repo)),
            "Repository not found"
        );
        assert_eq!(
            words(Error::NotFound(Missing::Entry { commit: None })),
            "Entry not found"
        );
        assert_eq!(
            words(Error::NotFound(Missing::Revision("v9".to_owned()))),
            "Invalid rev id: v9"
        );
    }

    #[test]
    fn a_failure_of_the_server_itself_has_its_own_status() {
        let Failure(away) = Failure::new(StatusCode::SERVICE_UNAVAILABLE, "no lake");

        let response = render(&away, &asked(false));

        assert_eq!(response.status(), 503);
        assert_eq!(header(&response, &RETRY_AFTER).as_deref(), Some("5"));
        assert_eq!(header(&response, &ERROR_MESSAGE).unwrap(), "no lake");
    }

    #[test]
    fn who_cannot_write_is_told_why_and_when_to_come_again_and_nothing_of_the_machine() {
        let fault = |kind| Cause::Hub(Error::internal(io::Error::new(kind, "/srv/secret/hub.db")));

        let full = render(&fault(io::ErrorKind::StorageFull), &asked(false));
        let fixed = render(&fault(io::ErrorKind::ReadOnlyFilesystem), &asked(false));

        let message = header(&full, &ERROR_MESSAGE).unwrap();
        assert!(
            message.starts_with("the disk of the hub is full"),
            "{message}"
        );
        assert!(!message.contains("secret"), "{message}");
        assert_eq!(header(&fixed, &RETRY_AFTER).as_deref(), Some("5"));
    }

    #[test]
    fn our_own_faults_are_told_by_the_id_alone() {
        let response = render(
            &Error::internal("the disk of /secret is full").into(),
            &asked(false),
        );

        let message = header(&response, &ERROR_MESSAGE).unwrap();
        assert_eq!(message, "internal error; request id r1");
    }

    #[test]
    fn a_renamed_repository_leads_to_its_new_name() {
        let error = Cause::Hub(Error::Moved {
            kind: RepoKind::Model,
            to: "bob/new".parse().unwrap(),
        });

        let response = render(&error, &asked(false));

        assert_eq!(response.status(), 307);
        assert_eq!(
            header(&response, &LOCATION).unwrap(),
            "/api/models/bob/new/tree/main?recursive=true"
        );
    }

    #[test]
    fn a_header_has_one_line_of_ascii_whatever_the_text_is() {
        assert_eq!(one_line("a\r\nb: c\u{e9}\u{0}"), "a  b: c??");
        assert_eq!(one_line(&"x".repeat(10_000)).len(), MAX_MESSAGE);
        assert_eq!(one_line("\n"), "");
    }
}
