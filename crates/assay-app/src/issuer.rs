//! The issuer: it gives tokens to machines that have proved who they are, for what the policy
//! allows, and logs each before it is given away.
//!
//! There is one way to the signer, and it takes an [`Authenticated`] that only `authenticate.rs`
//! makes. What is refused leaves an event and no leaf.

mod authenticate;
mod benchmark;
mod claims;
mod exchange;
mod issue;
mod keys;
mod lookup;
mod policy;
mod publish;
mod refusal;
mod registry;
mod request;
mod restrain;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use assay_model::Timestamp;
use assay_store::{NewIssuerEvent, Store};
use assay_trust::issuer::IdentityKey;
use parking_lot::{Mutex, RwLock};

pub use self::authenticate::Authenticated;
pub use self::benchmark::{BenchmarkSource, Defined};
pub use self::exchange::{ClientProof, Exchange, ExchangeError, Granted};
use self::keys::KeyCaches;
use self::policy::Loaded;
pub use self::policy::{PolicyReport, PolicyView, check_policy};
pub use self::refusal::{Refusal, RefusalCode};
pub use self::registry::{CredentialInfo, IdentityInfo, IntegrationInfo, NewCredential};
use self::restrain::Watched;
use crate::error::Error;
use crate::hub::Hub;

pub use assay_store::{CredentialKind, EventFilter, IssuerEvent};
pub use assay_trust::issuer::{AbuseRules, Fetch, FetchError, MAX_KEY_SET_BYTES, Policy};

/// Gives tokens to machines.
pub struct Issuer {
    hub: Arc<Hub>,
    policy_file: Option<PathBuf>,
    policy: RwLock<Arc<Loaded>>,
    key_caches: KeyCaches,
    fetch: Arc<dyn Fetch>,
    benchmarks: Arc<dyn BenchmarkSource>,
    rules: AbuseRules,
    watched: Mutex<BTreeMap<IdentityKey, Watched>>,
    /// True if what happened before the start was looked at.
    remembered: tokio::sync::OnceCell<()>,
}

/// The outside parts of an issuer.
pub struct IssuerParts {
    /// The policy file; without one nobody gets anything.
    pub policy: Option<PathBuf>,
    /// Fetches key sets.
    pub fetch: Arc<dyn Fetch>,
    /// The source of benchmarks; the hub itself when absent.
    pub benchmarks: Option<Arc<dyn BenchmarkSource>>,
    /// The rules that slow and stop identities.
    pub rules: AbuseRules,
}

impl Issuer {
    /// The issuer of a hub. A policy that cannot be read is told, and nobody gets anything until it
    /// is mended.
    pub fn new(hub: &Arc<Hub>, parts: IssuerParts) -> Arc<Self> {
        let IssuerParts {
            policy,
            fetch,
            benchmarks,
            rules,
        } = parts;
        let own = Arc::clone(hub) as Arc<dyn BenchmarkSource>;
        let loaded = Loaded::first(policy.as_deref());
        Arc::new(Self {
            hub: Arc::clone(hub),
            policy_file: policy,
            policy: RwLock::new(Arc::new(loaded)),
            key_caches: KeyCaches::default(),
            fetch,
            benchmarks: benchmarks.unwrap_or(own),
            rules,
            watched: Mutex::default(),
            remembered: tokio::sync::OnceCell::new(),
        })
    }

    /// The name under which tokens are issued.
    pub fn name(&self) -> &str {
        self.hub.trust.issuer()
    }

    /// The public keys that tokens of this issuer can be checked with, as a JWK set.
    pub fn key_set(&self) -> String {
        self.hub.trust.state().jwks_json(self.name())
    }

    /// Returns the number of leaves that the results log has.
    pub fn logged(&self) -> u64 {
        self.hub.trust.results().size()
    }

    /// The policy in force.
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.loaded().policy)
    }

    fn store(&self) -> &Store {
        &self.hub.store
    }

    fn now(&self) -> Timestamp {
        self.hub.now()
    }

    /// Notes an event by itself. That it could not be noted is logged and refuses nobody.
    async fn note(&self, event: NewIssuerEvent) {
        let now = self.now();
        let noted = async {
            let mut tx = self.store().begin().await?;
            tx.note_issuer_event(now, &event).await?;
            tx.commit().await
        };
        if let Err(error) = noted.await {
            tracing::error!(%error, action = event.action, "failed to note an event of the issuer");
        }
    }

    /// The last events, newest first. For operators.
    pub async fn events(
        &self,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Vec<IssuerEvent>, Error> {
        Ok(self.store().issuer_events(filter, limit).await?)
    }
}
