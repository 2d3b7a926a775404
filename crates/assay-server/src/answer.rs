//! What happens round every handler: who asks, how often, and what a failure becomes.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use assay_app::{Caller, Error};
use assay_model::Timestamp;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::error::{self, Asked, Failure};
use crate::extract::Base;
use crate::observe::{Matched, RequestId};
use crate::rate::{RateKey, Verdict};
use crate::rendered::Address;
use crate::state::AppState;
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
    let path = parts.uri.path().to_owned();
    let from = address(&parts, state.web.trust_proxy);
    let (admitted, verdict) = admit(&state, &parts).await;
    let response = match admitted {
        Ok(caller) => {
            asked.anonymous = caller.is_anonymous();
            if let Some(answer) = kept(&state, &mut parts, &caller) {
                answer
            } else {
                parts.extensions.insert(caller);
                next.run(Request::from_parts(parts, body)).await
            }
        }
        Err(error) => Failure::from(error).into_response(),
    };
    let mut response = finish(response, &asked, &path);
    if is_wrong_guess(&path, response.status()) {
        let guesses = RateKey::machine_guess(from);
        state.web.limiter.take(guesses, state.web.clock.now());
    }
    if let Some(verdict) = verdict {
        tell_rate(response.headers_mut(), &verdict);
    }
    response
}

/// What nobody in particular was told before and is still true: it is given again before any route is looked for.
/// Otherwise the handler finds the address under which its answer may be kept.
fn kept(state: &AppState, parts: &mut Parts, caller: &Caller) -> Option<Response> {
    if parts.method != Method::GET || !caller.is_anonymous() {
        return None;
    }
    let Base(base) = Base::of(parts, state).ok()?;
    let address = Address::new(&base, &parts.uri);
    let Some((answer, route)) = state.web.rendered.find(&state.hub, &address) else {
        parts.extensions.insert(address);
        return None;
    };
    if let Some(matched) = parts.extensions.get::<Matched>() {
        matched.tell(route);
    }
    state.web.metrics.cache_hits.add();
    Some(answer.into_response())
}

/// Who asks, unless they may not: the token is wrong, or they have asked too often.
async fn admit(state: &AppState, parts: &Parts) -> (Result<Caller, Error>, Option<Verdict>) {
    let now = state.web.clock.now();
    let limiter = &state.web.limiter;
    let address = address(parts, state.web.trust_proxy);
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
fn address(parts: &Parts, trust_proxy: bool) -> IpAddr {
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

fn asked(parts: &Parts) -> Asked {
    let path = parts.uri.path();
    let target = parts
        .uri
        .path_and_query()
        .map_or(path, |target| target.as_str());
    Asked {
        anonymous: true,
        by_git: is_of_git(path),
        target: target.to_owned(),
        request_id: parts
            .extensions
            .get::<RequestId>()
            .map(|id| id.0.clone())
            .unwrap_or_default(),
    }
}

/// Whether git or git-lfs asks: they give credentials only when they are challenged.
fn is_of_git(path: &str) -> bool {
    path.ends_with("/info/refs")
        || path.ends_with("/git-upload-pack")
        || path.ends_with("/git-receive-pack")
        || path.contains("/info/lfs/")
}

/// A failure that a handler left becomes its answer; our own faults are logged, once.
fn finish(mut response: Response, asked: &Asked, path: &str) -> Response {
    if let Some(response) = problem::finish(&mut response, &asked.request_id) {
        return response;
    }
    let Some(Failure(error)) = response.extensions_mut().remove::<Failure>() else {
        return response;
    };
    if let Error::Internal(source) = &*error {
        log_chain(source.as_ref(), &asked.request_id);
    }
    if issuer::is_of_machines(path) {
        return problem::of_error(&error, path, &asked.request_id);
    }
    error::render(&error, asked)
}

fn log_chain(source: &(dyn std::error::Error + Send + Sync + 'static), request_id: &str) {
    let mut chain = source.to_string();
    let mut next = source.source();
    while let Some(cause) = next {
        chain.push_str(": ");
        chain.push_str(&cause.to_string());
        next = cause.source();
    }
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
