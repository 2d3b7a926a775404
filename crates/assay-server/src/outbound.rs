//! How this machine asks others: within a time, without redirects and without a proxy, and only
//! where it may. Addresses come from users and from the policy, so none inside our own network is
//! asked unless the operator says so.

mod address;

use std::net::IpAddr;
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use self::address::is_public;

/// The addresses that may be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only what everyone can reach.
    Public,
    /// That, and this machine itself.
    PublicAndLoopback,
    /// Everything.
    Anywhere,
}

impl Reach {
    /// Returns whether an address may be asked.
    pub(crate) fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::PublicAndLoopback => is_public(address) || address.to_canonical().is_loopback(),
            Self::Anywhere => true,
        }
    }
}

/// The address leads into our own network.
#[derive(Debug, thiserror::Error)]
#[error("the address is inside a private network, which this hub does not ask")]
pub(crate) struct Unwelcome;

/// Returns whether a request was not made because of where it would have led.
pub(crate) fn is_unwelcome(error: &ureq::Error) -> bool {
    matches!(error, ureq::Error::Other(error) if error.is::<Unwelcome>())
}

/// A choice whether addresses without encryption may be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Only `https`.
    Https,
    /// `http` as well.
    Any,
}

/// Builds an HTTP agent with this timeout.
pub(crate) fn agent(timeout: Duration, scheme: Scheme, reach: Reach) -> Agent {
    let config = Agent::config_builder()
        .timeout_global(Some(timeout))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .https_only(scheme == Scheme::Https)
        // A proxy would ask for us what we may not ask ourselves.
        .proxy(None)
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
        .build();
    let resolver = Guarded {
        reach,
        inner: DefaultResolver::default(),
    };
    Agent::with_parts(config, DefaultConnector::default(), resolver)
}

/// Looks up a name and gives out what it found only when all of it may be asked: who answers with
/// one that may not is up to something. The connection is made to what was looked up here, so a
/// name that changes its mind changes nothing.
#[derive(Debug)]
struct Guarded {
    reach: Reach,
    inner: DefaultResolver,
}

impl Resolver for Guarded {
    fn resolve(
        &self,
        uri: &Uri,
        config: &ureq::config::Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout)?;
        if found.iter().all(|address| self.reach.allows(address.ip())) {
            Ok(found)
        } else {
            Err(ureq::Error::Other(Box::new(Unwelcome)))
        }
    }
}
