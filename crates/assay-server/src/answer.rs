//! The layer of every group of routes: authentication, rate limits, sessions, the cache, and
//! failures as responses.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use assay_app::{Caller, Error, Origin};
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::header::{ACCEPT, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::error::{self, ErrorContext, Failure};
use crate::extract::Base;
use crate::group::RouteGroup;
use crate::issuer::KnownDevice;
use crate::observe::{RequestId, RequestNotes};
use crate::rate::{RateKey, Verdict};
use crate::rendered::Address;
use crate::state::AppState;
use crate::web::session::{self, Session};
use crate::web::{FormSlot, Theme, takes_gzip};
use crate::xet::{self, XetToken};
use crate::{credentials, problem};

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Authenticates the caller, runs the handler, and turns a failure into a response, as the group of
/// the route has it.
pub(crate) async fn answer(
    State((state, group)): State<(AppState, RouteGroup)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    note_route(&parts);
    let mut asked = asked(&parts, group);
    let slot = FormSlot::default();
    let from = address(&parts, state.web.trust_proxy);
    let (admitted, verdict) = match check_host(&parts.headers) {
        Ok(()) if group.is_of_machines() => admit_machine(&state, from),
        Ok(()) if group == RouteGroup::Xet => admit_xet(&state, &mut parts, from),
        Ok(()) => admit(&state, &parts, from).await,
        Err(error) => (Err(error), None),
    };
    let response = match admitted {
        Ok(caller) => {
            let origin = origin(&asked, from);
            let caller = caller.with_origin(origin.clone());
            asked.anonymous = caller.is_anonymous();
            asked.name = asked.page.and(caller.name()).map(str::to_owned);
            if group.has_sessions() {
                sign_in(&state, &mut parts, &mut asked, &origin).await;
            }
            note_account(&parts, &caller);
            if parts.method == Method::POST && group.has_sessions() && asked.page.is_some() {
                parts.extensions.insert(slot.clone());
            }
            if let Some(answer) = cached(&state, group, &mut parts, &caller) {
                answer
            } else {
                parts.extensions.insert(caller);
                next.run(Request::from_parts(parts, body)).await
            }
        }
        Err(error) => Failure::from(error).into_response(),
    };
    let response = match slot.answer(&state, &response) {
        Some(sign_in) => sign_in,
        None => finish(response, group, &asked),
    };
    let mut response = match state.web.answer_bytes.hold(response) {
        Ok(response) => response,
        Err(failure) => finish(failure.into_response(), group, &asked),
    };
    let is_known = response.extensions().get::<KnownDevice>().is_some();
    if group.is_wrong_guess(response.status()) && !is_known {
        let guesses = RateKey::machine_guess(from);
        state.web.limiter.take(guesses, state.web.clock.now());
    }
    if let Some(verdict) = verdict {
        tell_rate(response.headers_mut(), &verdict);
    }
    response
}

/// Notes the route that matched, for the request log and the metrics.
fn note_route(parts: &Parts) {
    let notes = parts.extensions.get::<RequestNotes>();
    if let (Some(notes), Some(route)) = (notes, parts.extensions.get::<MatchedPath>()) {
        notes.route(route.clone());
    }
}

/// Looks up the session of an anonymous request that carries a session cookie.
async fn sign_in(state: &AppState, parts: &mut Parts, asked: &mut ErrorContext, origin: &Origin) {
    if !asked.anonymous || !session::is_claimed(&parts.headers) {
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

/// Returns the cached response to an anonymous request. Without one, gives the handler the address
/// under which its response may be cached.
fn cached(
    state: &AppState,
    group: RouteGroup,
    parts: &mut Parts,
    caller: &Caller,
) -> Option<Response> {
    let is_known = !caller.is_anonymous() || parts.extensions.get::<Session>().is_some();
    if parts.method != Method::GET || is_known {
        return None;
    }
    let Base(base) = Base::of(parts, state).ok()?;
    let address = match group {
        RouteGroup::Page | RouteGroup::Part => {
            let theme = Theme::of(&parts.headers);
            Address::of_page(&base, &parts.uri, theme, takes_gzip(&parts.headers))
        }
        RouteGroup::Api => Address::new(&base, &parts.uri),
        RouteGroup::Git
        | RouteGroup::Xet
        | RouteGroup::Service
        | RouteGroup::EvalTokens
        | RouteGroup::TokenExchange
        | RouteGroup::Oauth => return None,
    };
    let Some(answer) = state.web.rendered.find(&state.hub, &address) else {
        parts.extensions.insert(address);
        return None;
    };
    state.web.metrics.cache_hits.inc();
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

/// Returns the caller, unless it is refused: the token is wrong, or it has asked too often.
async fn admit(
    state: &AppState,
    parts: &Parts,
    address: IpAddr,
) -> (Result<Caller, Error>, Option<Verdict>) {
    let now = state.web.clock.now();
    let limiter = &state.web.limiter;
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
        Ok(secret) => state.hub.accounts().authenticate(Some(&secret)).await,
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
            state.web.metrics.refused_tokens.inc();
            let verdict = limiter.take(guesses, now);
            (Err(error), verdict)
        }
    }
}

/// Machines prove who they are to the issuer. Those from whose address too many could not are not
/// asked any more.
fn admit_machine(state: &AppState, address: IpAddr) -> (Result<Caller, Error>, Option<Verdict>) {
    let now = state.web.clock.now();
    let limiter = &state.web.limiter;
    let guesses = limiter.would_allow(RateKey::machine_guess(address), now);
    if let Some(verdict) = guesses.filter(|guess| !guess.allowed) {
        return (Err(too_many(&verdict)), Some(verdict));
    }
    let verdict = limiter.take(RateKey::address(address), now);
    (within(Caller::anonymous(), verdict), verdict)
}

/// Reads the token for Xet, which handlers then ask for.
fn admit_xet(
    state: &AppState,
    parts: &mut Parts,
    address: IpAddr,
) -> (Result<Caller, Error>, Option<Verdict>) {
    let now = state.web.clock.now();
    let limiter = &state.web.limiter;
    let token = credentials::of(&parts.headers).and_then(|secret| {
        secret
            .map(|secret| XetToken::read(state, &secret))
            .transpose()
    });
    match token {
        Ok(token) => {
            let owner = token.as_ref().and_then(|token| token.uploader.token());
            let key = owner.map_or(RateKey::address(address), RateKey::Token);
            if let Some(token) = token {
                parts.extensions.insert(token);
            }
            let verdict = limiter.take(key, now);
            (within(Caller::anonymous(), verdict), verdict)
        }
        Err(error) => (Err(error), limiter.take(RateKey::guess(address), now)),
    }
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
fn origin(asked: &ErrorContext, address: IpAddr) -> Origin {
    Origin {
        // A request without a connection, as in tests, has no address.
        address: (!address.is_unspecified()).then_some(address),
        request_id: (!asked.request_id.is_empty()).then(|| asked.request_id.as_str().into()),
    }
}

fn asked(parts: &Parts, group: RouteGroup) -> ErrorContext {
    let by_browser = group.has_pages() && takes_pages(&parts.headers);
    ErrorContext {
        anonymous: true,
        name: None,
        by_git: group == RouteGroup::Git,
        page: by_browser.then(|| Theme::of(&parts.headers)),
        uri: parts.uri.clone(),
        request_id: parts
            .extensions
            .get::<RequestId>()
            .map(|id| id.0.clone())
            .unwrap_or_default(),
    }
}

/// Returns whether who asks wants a page rather than data: browsers name HTML, git and the clients
/// of a hub do not.
fn takes_pages(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|text| text.to_ascii_lowercase().contains("text/html"))
}

/// Turns a failure that a handler returned into a response, and logs our own faults once.
fn finish(mut response: Response, group: RouteGroup, asked: &ErrorContext) -> Response {
    if let Some(response) = problem::finish(&mut response, &asked.request_id) {
        return response;
    }
    let Some(Failure(error)) = response.extensions_mut().remove::<Failure>() else {
        return response;
    };
    if let Some(source) = error.hidden() {
        log_chain(source, &asked.request_id);
    }
    match group {
        RouteGroup::EvalTokens => problem::of_error(&error, &asked.request_id),
        RouteGroup::TokenExchange | RouteGroup::Oauth => problem::of_oauth_error(&error),
        RouteGroup::Xet => xet::with_reason(error::render(&error, asked)),
        RouteGroup::Page
        | RouteGroup::Part
        | RouteGroup::Api
        | RouteGroup::Git
        | RouteGroup::Service => error::render(&error, asked),
    }
}

/// Logs a fault of ours with everything behind it.
pub(crate) fn log_chain(source: &(dyn std::error::Error + 'static), request_id: &str) {
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
