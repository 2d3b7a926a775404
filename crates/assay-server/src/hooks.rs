//! Sends what webhooks are to be told. Addresses come from users, so none inside our own network is asked unless the
//! operator says so, and no redirect leads to one.

mod address;

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use assay_app::{DeliveryOutcome, Error, Hub, Parcel};
use ureq::Agent;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};

use self::address::is_public;

/// How often the queue is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// How long an address may take to answer, all in all.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Whether addresses inside our own network may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only what everyone can reach.
    Public,
    /// Everything.
    Anywhere,
}

/// Sends what is due, as long as somebody waits for it.
pub(crate) async fn send_for_ever(hub: Arc<Hub>, reach: Reach) {
    loop {
        let sent = async {
            hub.announce_ranks().await?;
            send_due(&hub, reach).await
        };
        if let Err(error) = sent.await {
            let cause = error.source().map(ToString::to_string);
            tracing::warn!(%error, cause, "webhooks cannot be sent");
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Sends what is due now, one after the other. The answer is how many there were.
pub(crate) async fn send_due(hub: &Arc<Hub>, reach: Reach) -> Result<usize, Error> {
    let parcels = hub.due_deliveries().await?;
    let count = parcels.len();
    for parcel in parcels {
        let delivery = parcel.delivery;
        let sent = tokio::task::spawn_blocking(move || send(&parcel, reach)).await;
        let outcome = sent.map_err(Error::internal)?;
        hub.note_delivery(delivery, outcome).await?;
    }
    Ok(count)
}

fn send(parcel: &Parcel, reach: Reach) -> DeliveryOutcome {
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        // A proxy would ask for us what we may not ask ourselves.
        .proxy(None)
        .user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")))
        .build();
    let resolver = Guarded {
        reach,
        inner: DefaultResolver::default(),
    };
    let agent = Agent::with_parts(config, DefaultConnector::default(), resolver);
    let answer = agent
        .post(&parcel.url)
        .header("content-type", "application/json")
        .header("x-assay-event", &parcel.event)
        .header("x-assay-delivery", parcel.delivery.to_string())
        .header("x-assay-signature", &parcel.signature)
        .send(parcel.body.as_bytes());
    match answer {
        Ok(answer) => DeliveryOutcome::Answered(answer.status().as_u16()),
        Err(ureq::Error::Other(error)) if error.is::<Unwelcome>() => {
            DeliveryOutcome::Forbidden(error.to_string())
        }
        Err(error) => DeliveryOutcome::Failed(error.to_string()),
    }
}

/// The address leads into our own network.
#[derive(Debug, thiserror::Error)]
#[error("the address is inside a private network, which this hub does not ask")]
struct Unwelcome;

/// Looks up a name and gives out what it found only when all of it may be asked. The connection is made to what was
/// looked up here, so a name that changes its mind changes nothing.
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
        let is_welcome = match self.reach {
            Reach::Anywhere => true,
            Reach::Public => found.iter().all(|address| is_public(address.ip())),
        };
        if is_welcome {
            Ok(found)
        } else {
            Err(ureq::Error::Other(Box::new(Unwelcome)))
        }
    }
}
