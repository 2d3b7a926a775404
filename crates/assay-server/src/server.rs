use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assay_app::issuer::Issuer;
use assay_app::{Account, Hub, ServerMark, Servers, TokenSecret};

use crate::audit::keep_audit_log;
use crate::clock::SystemClock;
use crate::config::{Config, ConfigFault};
use crate::connection::{ConnectionLimits, Listener};
use crate::descriptors;
use crate::hooks::send_for_ever;
use crate::lake;
use crate::outbound::Reach;
use crate::router::router_of;
use crate::state::AppState;
use crate::tls::{Certificate, TlsError};
use crate::witnesses::ask_for_ever;

/// The interval at which the policy file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The time between two looks for uploads that no commit named.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// The number of retries on an address that is in use: for two seconds.
const BIND_TRIES: u32 = 40;
/// The time between two of them.
const BETWEEN_BINDS: Duration = Duration::from_millis(50);
/// Maximum duration of requests in flight when nobody said otherwise.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The reason why a server did not start or did not go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The configuration contradicts itself.
    #[error("the configuration has {} that `assay config check` explains; the first: {}", plural(.0), .0[0])]
    Config(Vec<ConfigFault>),
    /// The data directory cannot be used.
    #[error("failed to open the hub in `{data}`{}", forbidden(.source))]
    Hub {
        /// The data directory.
        data: PathBuf,
        /// The cause.
        source: assay_app::Error,
    },
    /// The address cannot be listened on.
    #[error("failed to listen on `{address}`{}", in_use(.source))]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// The certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Connections could no longer be taken.
    #[error("failed to go on serving")]
    Serve(#[source] io::Error),
}

/// A hub that listens and does not answer yet.
pub struct Server {
    config: Config,
    hub: Arc<Hub>,
    first: Option<(Account, TokenSecret)>,
    listener: TcpListener,
    address: SocketAddr,
    mark: ServerMark,
}

/// Opens the hub and binds its address.
pub async fn serve(config: Config) -> Result<Server, ServeError> {
    let faults = config.check();
    if !faults.is_empty() {
        return Err(ServeError::Config(faults));
    }
    let failed = |source| ServeError::Hub {
        data: config.data.clone(),
        source,
    };
    // The address comes first: a second server on the same one must not touch the data of the
    // first.
    let (listener, address) = bind(config.listen)?;
    let mark =
        ServerMark::set(&config.data, Servers::with(config.database.as_ref())).map_err(failed)?;
    let clock = Arc::new(SystemClock);
    let hub = Hub::open(config.hub(), clock).await.map_err(failed)?;
    hub.evidence()
        .trust_as_configured(&hub.shell(), &config.issuers)
        .await
        .map_err(failed)?;
    let first = hub.first_operator().await.map_err(failed)?;
    Ok(Server {
        config,
        hub,
        first,
        listener,
        address,
        mark,
    })
}

impl Server {
    /// Returns the address it listens on; the port is the actual one when the configuration said 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns its public address: `public_url`, else the address it listens on.
    pub fn url(&self) -> String {
        if let Some(url) = &self.config.public_url {
            return url.to_string();
        }
        let scheme = if self.config.has_tls() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address)
    }

    /// Its data directory.
    pub fn data(&self) -> &Path {
        &self.config.data
    }

    /// The hub behind it.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    /// The operator's token, when this was the first start. It is shown once.
    pub fn first_operator(&self) -> Option<&(Account, TokenSecret)> {
        self.first.as_ref()
    }

    /// Answers until the process is told to stop, then finishes the requests in flight.
    pub async fn run(self) -> Result<(), ServeError> {
        self.run_until(told_to_stop()).await
    }

    /// Answers until `stop` is done, then finishes the requests in flight.
    pub async fn run_until(
        self,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let Self {
            config,
            hub,
            listener,
            address,
            mark,
            first: _,
        } = self;
        let reach = if config.webhooks_private {
            Reach::Anywhere
        } else {
            Reach::Public
        };
        let sweeper = tokio::spawn(end_uploads_for_ever(Arc::clone(&hub)));
        let asker = tokio::spawn(ask_for_ever(Arc::clone(&hub), config.witnesses.clone()));
        let auditor = tokio::spawn(keep_audit_log(Arc::clone(&hub), config.audit_days));
        let lake = tokio::spawn(lake::keep(config.clone()));
        let state = AppState::new(Arc::clone(&hub), &config, Arc::new(SystemClock));
        let metrics = || Arc::clone(&state.web.metrics);
        let sender = tokio::spawn(send_for_ever(Arc::clone(&hub), metrics(), reach));
        let filling = tokio::spawn(lake::fill(hub, config.clone(), metrics()));
        let certificate = certificate(&config)?;
        let reloading = tokio::spawn(follow_files(Arc::clone(&state.issuer), certificate.clone()));
        let listener = Listener {
            socket: listener,
            tls: certificate.map(|own| own.server_config()).transpose()?,
            router: router_of(&state),
            limits: connection_limits(&config),
            counts: Arc::clone(&state.web.connections),
        };
        let stop = async {
            stop.await;
            tracing::info!("stopping: requests in flight are finished first");
        };
        tracing::info!(%address, "listening on {address}");
        let patience = Duration::from_secs(config.shutdown_seconds);
        let served = listener.serve(stop, patience).await;
        sender.abort();
        sweeper.abort();
        asker.abort();
        auditor.abort();
        reloading.abort();
        lake.abort();
        filling.abort();
        // The directory is ours until the last request is answered.
        drop(mark);
        tracing::info!("stopped");
        served.map_err(ServeError::Serve)
    }
}

/// The certificate of the server, when connections are encrypted.
fn certificate(config: &Config) -> Result<Option<Arc<Certificate>>, ServeError> {
    match (&config.tls_certificate, &config.tls_key) {
        (Some(certificate), Some(key)) => Ok(Some(Certificate::open(certificate, key)?)),
        (Some(_) | None, _) => Ok(None),
    }
}

/// The limits of connections as this process can keep them. Raises its limit of open files first.
fn connection_limits(config: &Config) -> ConnectionLimits {
    let wanted = config.connections;
    let descriptors = descriptors::raise_limit();
    let total = descriptors::connections_within(descriptors, wanted.total);
    tracing::info!(
        descriptors,
        connections = total,
        "at most {total} connections at once"
    );
    ConnectionLimits {
        total,
        // All connections come from the proxy, which has limits by address of its own.
        per_address: if config.trust_proxy {
            0
        } else {
            wanted.per_address
        },
        ..wanted
    }
}

/// Says what to do where another program has the address.
fn in_use(error: &io::Error) -> &'static str {
    if error.kind() == io::ErrorKind::AddrInUse {
        ", where another program listens (`--listen` chooses another)"
    } else {
        ""
    }
}

/// Says what to do where this user may not use the data directory.
fn forbidden(error: &assay_app::Error) -> &'static str {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let denied = error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        if denied {
            return ", which this user may not use (`--data` chooses another, or give it to this user)";
        }
        cause = error.source();
    }
    ""
}

/// Listens on an address. A server that was killed may leave a `git` behind that is not yet quite
/// started and holds what it inherited until it is; so an address that is in use is tried again for
/// a moment.
pub(crate) fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let failed = |source| ServeError::Bind { address, source };
    let mut bound = TcpListener::bind(address);
    for _ in 0..BIND_TRIES {
        match &bound {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Ok(_) | Err(_) => break,
        }
        std::thread::sleep(BETWEEN_BINDS);
        bound = TcpListener::bind(address);
    }
    let listener = bound.map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// Reads the policy of the issuer and the certificate again when they have changed, and when the
/// process gets SIGHUP. What cannot be used is reported and changes nothing.
async fn follow_files(issuer: Arc<Issuer>, certificate: Option<Arc<Certificate>>) {
    let mut fault = None;
    #[cfg(unix)]
    let mut hang_up = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::hangup()).ok()
    };
    loop {
        #[cfg(unix)]
        let told = async {
            match &mut hang_up {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending::<()>().await,
            }
        };
        #[cfg(not(unix))]
        let told = std::future::pending::<()>();
        tokio::select! {
            () = told => { issuer.reload().await; }
            () = tokio::time::sleep(LOOK_EVERY) => { issuer.reload_if_changed().await; }
        }
        if let Some(certificate) = &certificate {
            renew(certificate, &mut fault);
        }
    }
}

/// Takes the certificate that the files have now. A fault is reported once.
fn renew(certificate: &Certificate, fault: &mut Option<String>) {
    match certificate.reload_if_changed() {
        Ok(is_new) => {
            *fault = None;
            if is_new {
                tracing::info!("the certificate was renewed; new connections get it");
            }
        }
        Err(error) => {
            let text = error.to_string();
            if fault.as_ref() != Some(&text) {
                tracing::warn!(%error, "the changed certificate cannot be used; the former one stays in use");
                *fault = Some(text);
            }
        }
    }
}

/// Ends uploads that no commit named within a day, and pieces of files that are older than two.
async fn end_uploads_for_ever(hub: Arc<Hub>) {
    loop {
        tokio::time::sleep(SWEEP_EVERY).await;
        match hub.operations().end_uploads().await {
            Ok(0) => {}
            Ok(ended) => tracing::info!(ended, "ended {ended} uploads that no commit named"),
            Err(error) => tracing::warn!(%error, "failed to end uploads that no commit named"),
        }
        match hub.repositories().end_xorbs().await {
            Ok(0) => {}
            Ok(ended) => tracing::info!(ended, "removed {ended} xorbs that are old"),
            Err(error) => tracing::warn!(%error, "failed to remove old xorbs"),
        }
    }
}

/// Done when the process gets SIGTERM or SIGINT.
pub(crate) async fn told_to_stop() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}

fn plural(faults: &[ConfigFault]) -> String {
    match faults.len() {
        1 => "1 fault".to_owned(),
        count => format!("{count} faults"),
    }
}
