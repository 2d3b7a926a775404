//! The cookies that tell who looks at a page, and what forms carry so that no other site can send
//! them.

use assay_app::{Caller, Error, Hub, SessionSecret, Visitor as SignedIn};
use axum::http::StatusCode;
use axum::http::header::{COOKIE, ORIGIN};
use axum::http::{HeaderMap, HeaderValue};

use crate::base_url::BaseUrl;
use crate::error::{Failure, one_line};

/// The cookie of a session. Over https its name keeps other hosts of the same domain from setting
/// it.
const NAMES: [&str; 2] = ["assay_session", "__Host-assay_session"];
/// The cookie that binds the forms of those who are not signed in.
const FORM_NAMES: [&str; 2] = ["assay_form", "__Host-assay_form"];
/// The longest secret that is looked up.
const MAX_SECRET: usize = 128;

/// The user who is signed in in this browser, put into the request before a page is made. It is no
/// caller of the API.
#[derive(Debug, Clone)]
pub(crate) struct Session(pub(crate) SignedIn);

/// Returns whether a request says that somebody is signed in, true or not.
pub(crate) fn is_claimed(headers: &HeaderMap) -> bool {
    NAMES.iter().any(|name| cookie(headers, name).is_some())
}

/// Returns the user who is signed in, if any.
pub(crate) async fn find(
    hub: &Hub,
    base: &BaseUrl,
    headers: &HeaderMap,
) -> Result<Option<Session>, Error> {
    let name = NAMES[usize::from(is_secure(base))];
    match cookie(headers, name) {
        Some(secret) if secret.len() <= MAX_SECRET => {
            Ok(hub.accounts().visitor(secret).await?.map(Session))
        }
        Some(_) | None => Ok(None),
    }
}

/// The cookie of a session that begins.
pub(crate) fn begin(base: &BaseUrl, secret: &SessionSecret) -> HeaderValue {
    let lasts = SessionSecret::LASTS_SECONDS;
    set(base, NAMES, secret.reveal(), lasts)
}

/// The cookie of a session that ends.
pub(crate) fn end(base: &BaseUrl) -> HeaderValue {
    set(base, NAMES, "", 0)
}

/// Returns the form token of a visitor who is not signed in, with the cookie that it belongs to.
pub(crate) fn stranger(
    hub: &Hub,
    base: &BaseUrl,
    drawn: Option<&str>,
) -> Result<(String, Option<HeaderValue>), Failure> {
    if let Some(drawn) = drawn {
        return Ok((form_token(hub, drawn), None));
    }
    let drawn = assay_app::draw_secret()?;
    let token = form_token(hub, &drawn);
    Ok((token, Some(set(base, FORM_NAMES, &drawn, 86_400))))
}

/// Refuses a form that was not sent by a page of this hub: it must say that it comes from here, and
/// carry what only a page for this very browser has.
pub(crate) fn check_form(
    hub: &Hub,
    base: &BaseUrl,
    headers: &HeaderMap,
    session: Option<&Session>,
    carried: Option<&str>,
) -> Result<(), Failure> {
    if !is_from_here(base, headers) {
        return Err(foreign());
    }
    let carried = carried.unwrap_or_default();
    let is_own = match session {
        Some(Session(visitor)) => is_same(&visitor.form_token, carried),
        None => drawn(base, headers)
            .is_some_and(|drawn| hub.verifies(&format!("stranger {drawn}"), carried)),
    };
    if is_own { Ok(()) } else { Err(foreign()) }
}

/// Returns whether a form says that it comes from a page of this hub, which browsers do not say for
/// others.
pub(crate) fn is_from_here(base: &BaseUrl, headers: &HeaderMap) -> bool {
    let origin = headers.get(ORIGIN).and_then(|value| value.to_str().ok());
    origin == Some(origin_of(base).as_str())
}

/// Returns the caller of a page: the user who is signed in in the browser, else the caller that the
/// request itself names.
pub(crate) fn caller(session: Option<&Session>, otherwise: Caller) -> Caller {
    session.map_or(otherwise, |Session(visitor)| visitor.caller.clone())
}

fn foreign() -> Failure {
    let text = "this form was not sent by a page of this hub, or that page is out of date: go back, reload it and try again";
    Failure::new(StatusCode::FORBIDDEN, text)
}

fn form_token(hub: &Hub, drawn: &str) -> String {
    hub.sign(&format!("stranger {drawn}"))
}

/// Returns the value that a browser was given to bind forms to it.
pub(crate) fn drawn<'h>(base: &BaseUrl, headers: &'h HeaderMap) -> Option<&'h str> {
    let name = FORM_NAMES[usize::from(is_secure(base))];
    cookie(headers, name).filter(|drawn| drawn.len() <= MAX_SECRET && !drawn.is_empty())
}

fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(own, _)| *own == name)
        .map(|(_, value)| value)
}

fn set(base: &BaseUrl, names: [&str; 2], value: &str, seconds: i64) -> HeaderValue {
    let is_secure = is_secure(base);
    let name = names[usize::from(is_secure)];
    let secure = if is_secure { "; Secure" } else { "" };
    one_line(&format!(
        "{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    ))
}

fn is_secure(base: &BaseUrl) -> bool {
    base.to_string().starts_with("https:")
}

/// The scheme and host of an address, as browsers name where a form comes from.
fn origin_of(base: &BaseUrl) -> String {
    let whole = base.to_string();
    let mut parts = whole.splitn(4, '/');
    let (scheme, host) = (parts.next(), parts.nth(1));
    format!(
        "{}//{}",
        scheme.unwrap_or_default(),
        host.unwrap_or_default()
    )
}

/// Returns whether two texts are the same, in a time that does not tell where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let differs = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |differs, (left, right)| differs | (left ^ right));
    one.len() == other.len() && differs == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_and_a_host() {
        for (base, origin) in [
            ("http://127.0.0.1:8460", "http://127.0.0.1:8460"),
            ("https://hub.example.org/assay", "https://hub.example.org"),
        ] {
            assert_eq!(origin_of(&base.parse().unwrap()), origin);
        }
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_static("a=1; assay_session=xyz"));

        assert!(is_claimed(&headers));
        assert_eq!(cookie(&headers, "assay_session"), Some("xyz"));
        assert_eq!(cookie(&headers, "session"), None);
    }

    #[test]
    fn over_https_a_cookie_stays_with_its_host() {
        let base: BaseUrl = "https://hub.example.org".parse().unwrap();

        let cookie = end(&base);

        assert_eq!(
            cookie.to_str().unwrap(),
            "__Host-assay_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
        );
    }
}
