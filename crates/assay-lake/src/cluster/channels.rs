use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, WorkerChannel};
use tokio::runtime::Handle;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tower::ServiceExt as _;
use url::Url;

use super::ClusterToken;

/// The time that an executor has to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(3);
/// The time after which a connection without traffic is tried, also while a query waits for rows.
pub(super) const PING_EVERY: Duration = Duration::from_secs(2);
/// The time after which a connection that does not answer is closed.
pub(super) const PONG_WITHIN: Duration = Duration::from_secs(6);
/// How many connections are kept. Executors that come and go at new addresses must not add up.
const MAX_CHANNELS: usize = 1_024;

/// The connections of a process to executors. Every request on them has the token of the cluster.
#[derive(Clone)]
pub(super) struct Channels {
    token: ClusterToken,
    wire: &'static Handle,
    open: Arc<Mutex<BTreeMap<Url, Channel>>>,
}

impl Channels {
    /// Connects to nobody yet. What carries bytes later runs on `wire`.
    pub(super) fn new(token: ClusterToken, wire: &'static Handle) -> Self {
        Self {
            token,
            wire,
            open: Arc::default(),
        }
    }

    /// Returns the runtime of the connections.
    pub(super) fn wire(&self) -> &'static Handle {
        self.wire
    }

    /// Returns the connection to an executor, which is opened by the first request and again by the
    /// first after a failure.
    fn channel(&self, url: &Url) -> Result<Channel> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = open.get(url) {
            return Ok(channel.clone());
        }
        let endpoint = Endpoint::from_shared(url.to_string())
            .map_err(|error| DataFusionError::External(Box::new(error)))?
            .connect_timeout(CONNECT_WITHIN)
            .http2_keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PONG_WITHIN)
            .keep_alive_while_idle(true);
        if open.len() >= MAX_CHANNELS {
            open.clear();
        }
        let _on_wire = self.wire.enter();
        let channel = endpoint.connect_lazy();
        open.insert(url.clone(), channel.clone());
        Ok(channel)
    }

    /// Returns a client of an executor.
    pub(super) fn client(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let token = self.token.header();
        let channel = self
            .channel(url)?
            .map_request(move |request: Request<Body>| {
                let mut request = request;
                request.headers_mut().insert(AUTHORIZATION, token.clone());
                request
            });
        Ok(create_worker_client(BoxCloneSyncChannel::new(channel)))
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        self.client(url)
    }
}
