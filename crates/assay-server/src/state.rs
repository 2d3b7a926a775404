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

/// What every handler can reach.
#[derive(Clone)]
pub(crate) struct AppState {
    /// The hub.
    pub(crate) hub: Arc<Hub>,
    /// The issuer of tokens.
    pub(crate) issuer: Arc<Issuer>,
    /// Everything else.
    pub(crate) web: Arc<Web>,
}

/// What the HTTP side knows and the hub does not.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Web {
    /// What is answered.
    pub(crate) serves: Serves,
    /// What clients call this hub, when that is configured.
    pub(crate) public_url: Option<BaseUrl>,
    /// `http` or `https`, when no proxy says otherwise.
    pub(crate) scheme: &'static str,
    /// Whether connections are encrypted by this server.
    pub(crate) has_tls: bool,
    /// Whether the headers of a proxy are believed.
    pub(crate) trust_proxy: bool,
    /// Whether the request log names the address of each client.
    pub(crate) logs_addresses: bool,
    /// Whether `/metrics` is answered.
    pub(crate) shows_metrics: bool,
    /// The largest body of an ordinary request.
    pub(crate) body_bytes: usize,
    /// What the hub allows, for what is refused before the hub is asked.
    pub(crate) limits: Limits,
    /// Where uploads wait until they are committed.
    pub(crate) scratch: PathBuf,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
    /// Who has asked how often.
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
