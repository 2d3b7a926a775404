use std::path::PathBuf;
use std::sync::Arc;

use assay_app::issuer::Issuer;
use assay_app::{Hub, Limits};
use assay_model::Clock;

use crate::base_url::BaseUrl;
use crate::byte_budget::ByteBudget;
use crate::config::{Config, Serves};
use crate::connection::ConnectionCounts;
use crate::issuer;
use crate::lake::Lake;
use crate::metrics::Metrics;
use crate::rate::Limiter;
use crate::rendered::Rendered;
use crate::web::{AggregateCache, PublicMatrixCache};

/// The state that every handler can reach.
#[derive(Clone)]
pub(crate) struct AppState {
    /// The hub.
    pub(crate) hub: Arc<Hub>,
    /// The issuer of tokens.
    pub(crate) issuer: Arc<Issuer>,
    /// Everything else.
    pub(crate) web: Arc<Web>,
}

/// The state of the HTTP side, which the hub does not know.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Web {
    /// The parts of the hub that are served.
    pub(crate) serves: Serves,
    /// The public address of this hub, when it is configured.
    pub(crate) public_url: Option<BaseUrl>,
    /// `http` or `https`, when no proxy says otherwise.
    pub(crate) scheme: &'static str,
    /// True if connections are encrypted by this server.
    pub(crate) has_tls: bool,
    /// True if the headers of a proxy are believed.
    pub(crate) trust_proxy: bool,
    /// True if the request log names the address of each client.
    pub(crate) logs_addresses: bool,
    /// True if `/metrics` is answered.
    pub(crate) shows_metrics: bool,
    /// The largest body of an ordinary request.
    pub(crate) body_bytes: usize,
    /// The limits of the hub, for requests that are refused before the hub sees them.
    pub(crate) limits: Limits,
    /// The directory in which uploads wait until they are committed.
    pub(crate) scratch: PathBuf,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// The metrics.
    pub(crate) metrics: Arc<Metrics>,
    /// The rate limiter.
    pub(crate) limiter: Limiter,
    /// The lake, when there is one.
    pub(crate) lake: Option<Lake>,
    /// Answers that anonymous readers get again and again.
    pub(crate) rendered: Rendered,
    /// The aggregates of matrices.
    pub(crate) aggregates: AggregateCache,
    /// The matrix of the hub that anonymous visitors see.
    pub(crate) public_matrix: PublicMatrixCache,
    /// The open connections.
    pub(crate) connections: Arc<ConnectionCounts>,
    /// The bytes of answers that wait for their clients.
    pub(crate) answer_bytes: ByteBudget,
}

impl AppState {
    pub(crate) fn new(hub: Arc<Hub>, config: &Config, clock: Arc<dyn Clock>) -> Self {
        let web = Web {
            serves: config.serves,
            public_url: config.public_url.clone(),
            scheme: if config.has_tls() { "https" } else { "http" },
            has_tls: config.has_tls(),
            trust_proxy: config.trust_proxy,
            logs_addresses: config.log_addresses,
            shows_metrics: config.metrics,
            body_bytes: config.body_bytes,
            limits: config.limits,
            scratch: config.data.join("tmp"),
            clock,
            metrics: Arc::default(),
            limiter: Limiter::new(config.rates),
            lake: Lake::of(config),
            rendered: Rendered::new(config.slow_page),
            aggregates: AggregateCache::default(),
            public_matrix: PublicMatrixCache::default(),
            connections: Arc::default(),
            answer_bytes: ByteBudget::new(config.answer_bytes),
        };
        Self {
            issuer: issuer::open(&hub, config),
            hub,
            web: Arc::new(web),
        }
    }
}
