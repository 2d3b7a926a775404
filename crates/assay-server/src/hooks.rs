//! Sends what webhooks are to be told, several at once. Addresses come from users, so none inside
//! our own network is asked unless the operator says so, and no redirect leads to one.

use std::collections::HashMap;
use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use assay_app::{DeliveryOutcome, Error, Hub, InFlight, QueuedDelivery};
use tokio::task::{Id, JoinError, JoinSet};

use crate::metrics::Metrics;
use crate::outbound::{self, Reach, Scheme, Unwelcome, is_unwelcome};

/// The time between two looks at the queue.
const EVERY: Duration = Duration::from_secs(1);
/// The time that an address may take to answer, all in all.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Sends deliveries side by side. Which ones may be sent beside each other is for the hub to
/// decide.
pub(crate) struct Sender {
    hub: Arc<Hub>,
    metrics: Arc<Metrics>,
    reach: Reach,
    in_flight: InFlight,
    sending: JoinSet<DeliveryOutcome>,
    queued: HashMap<Id, Arc<QueuedDelivery>>,
}

/// A task that ended, with what it brought.
type Ended = Result<(Id, DeliveryOutcome), JoinError>;

/// Sends what is due, as long as somebody waits for it.
pub(crate) async fn send_for_ever(hub: Arc<Hub>, metrics: Arc<Metrics>, reach: Reach) {
    let announcing = announce_for_ever(Arc::clone(&hub));
    let mut sender = Sender::new(hub, metrics, reach);
    tokio::join!(announcing, sender.run());
}

/// Queues what is to be told of ranks that changed. It may take long, and nothing waits for it.
async fn announce_for_ever(hub: Arc<Hub>) {
    loop {
        if let Err(error) = hub.webhooks().announce_ranks().await {
            warn(&error, "ranks cannot be announced");
        }
        tokio::time::sleep(EVERY).await;
    }
}

impl Sender {
    pub(crate) fn new(hub: Arc<Hub>, metrics: Arc<Metrics>, reach: Reach) -> Self {
        Self {
            hub,
            metrics,
            reach,
            in_flight: InFlight::default(),
            sending: JoinSet::new(),
            queued: HashMap::new(),
        }
    }

    async fn run(&mut self) {
        loop {
            if let Err(error) = self.begin_due().await {
                warn(&error, "webhooks cannot be sent");
            }
            // A place that becomes free is taken at once; what is new waits for the next look.
            let ended = tokio::select! {
                Some(ended) = self.sending.join_next_with_id() => ended,
                () = tokio::time::sleep(EVERY) => continue,
            };
            if let Err(error) = self.note(ended).await {
                warn(&error, "the outcome of a delivery cannot be noted");
            }
        }
    }

    /// Sends everything that is due now, and returns how many deliveries that were.
    #[cfg(feature = "testing")]
    pub(crate) async fn send_due(&mut self) -> Result<usize, Error> {
        let mut count = self.begin_due().await?;
        while let Some(ended) = self.sending.join_next_with_id().await {
            self.note(ended).await?;
            count += self.begin_due().await?;
        }
        Ok(count)
    }

    /// Begins what may be sent beside what is being sent.
    async fn begin_due(&mut self) -> Result<usize, Error> {
        let due = self
            .hub
            .webhooks()
            .due_deliveries(&mut self.in_flight)
            .await?;
        let count = due.len();
        for queued in due {
            let (queued, reach) = (Arc::new(queued), self.reach);
            let sent = Arc::clone(&queued);
            let task = self.sending.spawn_blocking(move || send(&sent, reach));
            self.queued.insert(task.id(), queued);
        }
        Ok(count)
    }

    /// Makes room for the next delivery, and notes the outcome of this one.
    async fn note(&mut self, ended: Ended) -> Result<(), Error> {
        let (id, outcome) = match ended {
            Ok(ended) => ended,
            Err(error) => (error.id(), DeliveryOutcome::Failed(error.to_string())),
        };
        let Some(queued) = self.queued.remove(&id) else {
            return Ok(());
        };
        self.in_flight.end(&queued);
        self.metrics.delivered(&outcome);
        self.hub
            .webhooks()
            .note_delivery(queued.delivery, outcome)
            .await
    }
}

fn warn(error: &Error, what: &str) {
    let cause = error.source().map(ToString::to_string);
    tracing::warn!(%error, cause, "{what}");
}

fn send(queued: &QueuedDelivery, reach: Reach) -> DeliveryOutcome {
    let answer = outbound::agent(TIMEOUT, Scheme::Any, reach)
        .post(&queued.url)
        .header("content-type", "application/json")
        .header("x-assay-event", &queued.event)
        .header("x-assay-delivery", queued.delivery.to_string())
        .header("x-assay-signature", &queued.signature)
        .send(queued.body.as_bytes());
    match answer {
        Ok(answer) => DeliveryOutcome::Answered(answer.status().as_u16()),
        Err(error) if is_unwelcome(&error) => DeliveryOutcome::Forbidden(Unwelcome.to_string()),
        Err(error) => DeliveryOutcome::Failed(error.to_string()),
    }
}
