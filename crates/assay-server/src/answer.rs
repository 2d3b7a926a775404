//! What happens round every handler: who asks, how often, and what a failure becomes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use assay_app::{Caller, Error, Origin};
use assay_model::Timestamp;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{ACCEPT, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::error::{self, Asked, Failure};
use crate::extract::Base;
use crate::observe::{RequestId, RequestNotes};
use crate::rate::{RateKey, Verdict};
use crate::rendered::Address;
use crate::state::AppState;
use crate::web::session::{self, Session};
use crate::web::{Theme, takes_gzip};
use crate::{credentials, issuer, problem};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Lets a caller in, runs the handler, and turns a failure into an answer.
pub(crate) async fn answer(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let mut asked = asked(&parts);
    let from = address(&parts, state.web.trust_proxy);
    let (admitted, verdict) = match check_host(&parts.headers) {
        Ok(()) => admit(&state, &parts, from).await,
        Err(error) => (Err(error), None),
    };
    let response = match admitted {
        Ok(caller) => {
            let origin = origin(&asked, from);
            let caller = caller.with_origin(origin.clone());
            asked.anonymous = caller.is_anonymous();
            asked.name = asked.page.and(caller.name()).map(str::to_owned);
            sign_in(&state, &mut parts, &mut asked, &origin).await;
            note_account(&parts, &caller);
            if let Some(answer) = kept(&state, &mut parts, &caller) {
                answer
            } else {
                parts.extensions.insert(caller);
                next.run(Request::from_parts(parts, body)).await
            }
        }
        Err(error) => Failure::from(error).into_response(),
    };
    let response = finish(response, &asked);
    let mut response = match state.web.answer_bytes.hold(response) {
        Ok(response) => response,
        Err(error) => finish(Failure::from(error).into_response(), &asked),
    };
    if is_wrong_guess(asked.uri.path(), response.status()) {
        let guesses = RateKey::machine_guess(from);
        state.web.limiter.take(guesses, state.web.clock.now());
    }
    if let Some(verdict) = verdict {
        tell_rate(response.headers_mut(), &verdict);
    }
    response
}

/// Finds out who is signed in in a browser that looks at a page. Only pages ask for it: neither the API nor git nor what
/// others embed knows of sessions.
async fn sign_in(state: &AppState, parts: &mut Parts, asked: &mut Asked, origin: &Origin) {
    let path = parts.uri.path();
    let is_embedded = path.starts_with("/datasets/") && path.ends_with("/embed/leaderboard");
    let is_for_people = is_page(path) && !is_of_git(path) && !is_embedded;
    if !is_for_people || !asked.anonymous || !session::is_claimed(&parts.headers) {
        return;
    }
    let Ok(Base(base)) = Base::of(parts, state) else {
        return;
    };
    match session::find(&state.hub, &base, &parts.headers).await {
        Ok(Some(mut found)) => {
            found.0.caller = found.0.caller.with_origin(origin.clone());
            asked.name = found.0.caller.name().map(str::to_owned);
            asked.anonymous = false;
            parts.extensions.insert(found);
        }
        Ok(None) => {}
        // Whoever cannot be looked up is nobody; the page says what is wrong with the database.
        Err(error) => tracing::warn!(%error, "failed to look up a session"),
    }
}

/// What nobody in particular was told before and is still true: it is given again before any route is looked for.
/// Otherwise the handler finds the address under which its answer may be kept.
fn kept(state: &AppState, parts: &mut Parts, caller: &Caller) -> Option<Response> {
    let is_known = !caller.is_anonymous() || parts.extensions.get::<Session>().is_some();
    if parts.method != Method::GET || is_known {
        return None;
    }
    let Base(base) = Base::of(parts, state).ok()?;
    let address = if is_page(parts.uri.path()) {
        let theme = Theme::of(&parts.headers);
        Address::of_page(&base, &parts.uri, theme, takes_gzip(&parts.headers))
    } else {
        Address::new(&base, &parts.uri)
    };
    let Some((answer, route)) = state.web.rendered.find(&state.hub, &address) else {
        parts.extensions.insert(address);
        return None;
    };
    if let Some(notes) = parts.extensions.get::<RequestNotes>() {
        notes.route(route);
    }
    state.web.metrics.cache_hits.add();
    Some(answer.into_response())
}

/// Whoever names two hosts could mean one to a proxy and the other to us.
fn check_host(headers: &HeaderMap) -> Result<(), Error> {
    if headers.get_all(HOST).iter().nth(1).is_some() {
        let text = "a request has one `Host` header".to_owned();
        return Err(Error::Invalid(text));
    }
    Ok(())
}

/// Who asks, unless they may not: the token is wrong, or they have asked too often.
async fn admit(
    state: &AppState,
    parts: &Parts,
    address: IpAddr,
) -> (Result<Caller, Error>, Option<Verdict>) {
    let now = state.web.clock.now();
    let limiter = &state.web.limiter;
    if issuer::is_of_machines(parts.uri.path()) {
        return admit_machine(state, address, now);
    }
    let secret = match credentials::of(&parts.headers) {
        Ok(None) => {
            let verdict = limiter.take(RateKey::address(address), now);
            return (within(Caller::anonymous(), verdict), verdict);
        }
        Ok(Some(secret)) => Ok(secret),
        Err(error) => Err(error),
    };
    // Guessing costs a look-up each, so those who guess wrong too often are no longer looked up.
    let guesses = RateKey::guess(address);
    if let Some(verdict) = limiter
        .would_allow(guesses, now)
        .filter(|guess| !guess.allowed)
    {
        return (Err(too_many(&verdict)), Some(verdict));
    }
    let caller = match secret {
        Ok(secret) => state.hub.authenticate(Some(&secret)).await,
        Err(error) => Err(error),
    };
    match caller {
        Ok(caller) => {
            let verdict = caller
                .token()
                .and_then(|token| limiter.take(RateKey::Token(token), now));
            (within(caller, verdict), verdict)
        }
        Err(error) => {
            state.web.metrics.refused_tokens.add();
            let verdict = limiter.take(guesses, now);
            (Err(error), verdict)
        }
    }
}

/// Machines prove who they are to the issuer. Those from whose address too many could not are not asked any more.
fn admit_machine(
    state: &AppState,
    address: IpAddr,
    now: Timestamp,
) -> (Result<Caller, Error>, Option<Verdict>) {
    let limiter = &state.web.limiter;
    let guesses = limiter.would_allow(RateKey::machine_guess(address), now);
    if let Some(verdict) = guesses.filter(|guess| !guess.allowed) {
        return (Err(too_many(&verdict)), Some(verdict));
    }
    let verdict = limiter.take(RateKey::address(address), now);
    (within(Caller::anonymous(), verdict), verdict)
}

/// Whether an answer says that somebody did not prove who they are.
fn is_wrong_guess(path: &str, status: StatusCode) -> bool {
    let is_exchange = path == "/oauth/token" && status == StatusCode::BAD_REQUEST;
    issuer::is_of_machines(path) && (status == StatusCode::UNAUTHORIZED || is_exchange)
}

fn within(caller: Caller, verdict: Option<Verdict>) -> Result<Caller, Error> {
    match verdict {
        Some(verdict) if !verdict.allowed => Err(too_many(&verdict)),
        _ => Ok(caller),
    }
}

fn too_many(verdict: &Verdict) -> Error {
    Error::RateLimited {
        after_seconds: verdict.reset_seconds,
    }
}

/// The address that requests without a token are counted by.
pub(crate) fn address(parts: &Parts, trust_proxy: bool) -> IpAddr {
    let forwarded = || {
        let header = parts.headers.get_all(FORWARDED_FOR).iter().next_back()?;
        // The last one was added by the proxy that we trust; those before it by anybody.
        header
            .to_str()
            .ok()?
            .rsplit(',')
            .next()?
            .trim()
            .parse()
            .ok()
    };
    let direct = || {
        let info = parts.extensions.get::<ConnectInfo<SocketAddr>>()?;
        Some(info.0.ip())
    };
    trust_proxy
        .then(forwarded)
        .flatten()
        .or_else(direct)
        .unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED))
}

/// Notes who acts, for the log: the account of the token, or of the session in a browser.
fn note_account(parts: &Parts, caller: &Caller) {
    let session = parts.extensions.get::<Session>();
    let name = caller
        .name()
        .or_else(|| session.and_then(|Session(visitor)| visitor.caller.name()));
    if let (Some(notes), Some(name)) = (parts.extensions.get::<RequestNotes>(), name) {
        notes.account(name);
    }
}

/// The place that a request came from, for the audit log.
fn origin(asked: &Asked, address: IpAddr) -> Origin {
    Origin {
        // A request without a connection, as in tests, has no address.
        address: (!address.is_unspecified()).then_some(address),
        request_id: (!asked.request_id.is_empty()).then(|| asked.request_id.as_str().into()),
    }
}

fn asked(parts: &Parts) -> Asked {
    let path = parts.uri.path();
    let by_git = is_of_git(path);
    let by_browser = is_page(path) && !by_git && takes_pages(&parts.headers);
    Asked {
        anonymous: true,
        name: None,
        by_git,
        page: by_browser.then(|| Theme::of(&parts.headers)),
        uri: parts.uri.clone(),
        request_id: parts
            .extensions
            .get::<RequestId>()
            .map(|id| id.0.clone())
            .unwrap_or_default(),
    }
}

/// Whether an address is one that people look at: the API answers programs, whatever they say they take.
fn is_page(path: &str) -> bool {
    !path.starts_with("/api/")
}

/// Whether who asks wants a page rather than data: browsers name HTML, git and the clients of a hub do not.
fn takes_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|text| text.to_ascii_lowercase().contains("text/html"))
}

/// Whether git or git-lfs asks: they give credentials only when they are challenged.
fn is_of_git(path: &str) -> bool {
    path.ends_with("/info/refs")
        || path.ends_with("/git-upload-pack")
        || path.ends_with("/git-receive-pack")
        || path.contains("/info/lfs/")
}

/// A failure that a handler left becomes its answer; our own faults are logged, once.
fn finish(mut response: Response, asked: &Asked) -> Response {
    if let Some(response) = problem::finish(&mut response, &asked.request_id) {
        return response;
    }
    let Some(Failure(error)) = response.extensions_mut().remove::<Failure>() else {
        return response;
    };
    if let Some(source) = error.hidden_cause() {
        log_chain(source, &asked.request_id);
    }
    let path = asked.uri.path();
    if issuer::is_of_machines(path) {
        return problem::of_error(&error, path, &asked.request_id);
    }
    error::render(&error, asked)
}

fn log_chain(source: &(dyn std::error::Error + 'static), request_id: &str) {
    let chain = assay_model::chain(source);
    tracing::error!(
        request_id,
        chain,
        "a request failed and it is our fault: {chain}"
    );
}

fn tell_rate(headers: &mut HeaderMap, verdict: &Verdict) {
    let Verdict {
        quota,
        remaining,
        reset_seconds,
        window_seconds,
        ..
    } = verdict;
    let state = format!("\"api\";r={remaining};t={reset_seconds}");
    let policy = format!("\"fixed window\";\"api\";q={quota};w={window_seconds}");
    for (name, text) in [(RATE_LIMIT, state), (RATE_LIMIT_POLICY, policy)] {
        if let Ok(value) = HeaderValue::from_str(&text) {
            headers.insert(name, value);
        }
    }
}
