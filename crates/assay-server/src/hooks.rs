//! Sends what webhooks are to be told. Addresses come from users, so none inside our own network is asked unless the
//! operator says so, and no redirect leads to one.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use assay_app::{DeliveryOutcome, Error, Hub, Parcel};

use crate::outbound::{self, Reach, Scheme, Unwelcome, is_unwelcome};

/// How often the queue is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// How long an address may take to answer, all in all.
const TIMEOUT: Duration = Duration::from_secs(10);

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
    let answer = outbound::agent(TIMEOUT, Scheme::Any, reach)
        .post(&parcel.url)
        .header("content-type", "application/json")
        .header("x-assay-event", &parcel.event)
        .header("x-assay-delivery", parcel.delivery.to_string())
        .header("x-assay-signature", &parcel.signature)
        .send(parcel.body.as_bytes());
    match answer {
        Ok(answer) => DeliveryOutcome::Answered(answer.status().as_u16()),
        Err(error) if is_unwelcome(&error) => DeliveryOutcome::Forbidden(Unwelcome.to_string()),
        Err(error) => DeliveryOutcome::Failed(error.to_string()),
    }
}
