use assay_model::Timestamp;

use crate::backend::Connection;
use crate::row::Cells;
use crate::{AccountId, Error, Store, Tx, WebhookId, sql};

/// The identifier of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId(pub i64);

/// Something that an address is to be told, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The identifier of the delivery.
    pub id: DeliveryId,
    /// Through which webhook.
    pub webhook: WebhookId,
    /// The kind of event.
    pub event: String,
    /// The body of the request.
    pub body: String,
    /// The time of the event.
    pub created: Timestamp,
    /// The number of attempts.
    pub attempts: u32,
    /// Time at which it is to be tried next; none when it is over.
    pub due: Option<Timestamp>,
    /// Time at which it was last tried.
    pub tried: Option<Timestamp>,
    /// The status of the last answer.
    pub status: Option<u16>,
    /// The reason why there was no response, or an error.
    pub problem: Option<String>,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Time at which it was made.
    pub tried: Timestamp,
    /// The time of the next attempt; none when there is none.
    pub due: Option<Timestamp>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The reason why there was no response, or an error.
    pub problem: Option<String>,
}

/// The reason why something is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryCause {
    /// It happened.
    Event,
    /// Somebody asked for a test, or for the same again.
    ByHand,
}

/// A delivery that may be sent now: of each owner the one that has waited longest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The identifier of the delivery.
    pub id: DeliveryId,
    /// The account whose webhook it is, or whose repository the webhook watches.
    pub owner: AccountId,
    /// The address.
    pub url: String,
    /// The moment from which on it may be sent.
    pub due: Timestamp,
}

/// The queue of deliveries, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeliveryCounts {
    /// Deliveries that are due and not of a paused webhook.
    pub due: u64,
    /// All deliveries that are to be tried, now or later.
    pub waiting: u64,
    /// Webhooks that are paused.
    pub paused: u64,
}

questions! {
    /// The last deliveries of a webhook, newest first.
    fn deliveries_of(webhook: WebhookId, limit: u32) -> Vec<Delivery>;
    /// A delivery.
    fn delivery(id: DeliveryId) -> Option<Delivery>;
    /// The deliveries that may be sent by now, one of each owner, those that have waited longest
    /// first. Those of paused webhooks are left out.
    fn due_deliveries(now: Timestamp, limit: u32) -> Vec<DueDelivery>;
    /// The deliveries that somebody has asked for by hand since a moment, of all webhooks of an
    /// owner.
    fn deliveries_by_hand(owner: AccountId, since: Timestamp) -> u64;
    /// The queue, counted.
    fn delivery_counts(now: Timestamp) -> DeliveryCounts;
}

impl Store {
    /// Takes a delivery that is due, so that nobody else takes it until a moment: by then its
    /// outcome is noted, or whoever took it is gone. None when another process was faster. It waits
    /// for nobody who writes.
    pub async fn take_delivery(
        &self,
        id: DeliveryId,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<Option<Delivery>, Error> {
        let mut worker = self.worker("take_delivery").await?;
        let taken = take_delivery(worker.connection(), id, now, until).await;
        let taken = taken.map_err(|error| Error::of("take_delivery", error))?;
        worker.end("take_delivery").await?;
        Ok(taken)
    }
}

impl Tx {
    /// Puts something into the queue. Nobody else sees it, so the generation stays.
    pub async fn add_delivery(
        &mut self,
        webhook: WebhookId,
        event: &str,
        body: &str,
        at: Timestamp,
        cause: DeliveryCause,
    ) -> Result<DeliveryId, Error> {
        let id: i64 = sql::query_scalar(
            "INSERT INTO deliveries (webhook, event, body, created_ms, attempts, due_ms, by_hand)
             VALUES ($1, $2, $3, $4, 0, $4, $5) RETURNING id",
        )
        .bind(webhook.0)
        .bind(event)
        .bind(body)
        .bind(at.millis())
        .bind(cause == DeliveryCause::ByHand)
        .fetch_one(self.connection())
        .await
        .map_err(|error| Error::of("add_delivery", error))?;
        Ok(DeliveryId(id))
    }

    /// Writes what became of an attempt.
    pub async fn note_attempt(&mut self, id: DeliveryId, attempt: &Attempt) -> Result<(), Error> {
        sql::query(
            "UPDATE deliveries SET attempts = attempts + 1, tried_ms = $2, due_ms = $3, status = $4, problem = $5
             WHERE id = $1",
        )
        .bind(id.0)
        .bind(attempt.tried.millis())
        .bind(attempt.due.map(Timestamp::millis))
        .bind(attempt.status.map(i64::from))
        .bind(&attempt.problem)
        .execute(self.connection())
        .await
        .map_err(|error| Error::of("note_attempt", error))?;
        Ok(())
    }

    /// Forgets all but the last deliveries of a webhook that are over.
    pub async fn prune_deliveries(&mut self, webhook: WebhookId, keep: u32) -> Result<(), Error> {
        sql::query(
            "DELETE FROM deliveries WHERE webhook = $1 AND due_ms IS NULL AND id NOT IN
             (SELECT id FROM deliveries WHERE webhook = $1 ORDER BY id DESC LIMIT $2)",
        )
        .bind(webhook.0)
        .bind(keep)
        .execute(self.connection())
        .await
        .map_err(|error| Error::of("prune_deliveries", error))?;
        Ok(())
    }
}

macro_rules! select_deliveries {
    ($condition:literal) => {
        concat!(
            "SELECT id, webhook, event, body, created_ms, attempts, due_ms, tried_ms, status, problem FROM deliveries ",
            $condition
        )
    };
}

fn read_delivery(cells: &mut Cells<'_>) -> sqlx::Result<Delivery> {
    Ok(Delivery {
        id: DeliveryId(cells.get()?),
        webhook: WebhookId(cells.get()?),
        event: cells.get()?,
        body: cells.get()?,
        created: cells.time()?,
        attempts: cells.number()?,
        due: cells.time_option()?,
        tried: cells.time_option()?,
        status: cells.number_option()?,
        problem: cells.get()?,
    })
}

async fn deliveries_of(
    connection: &mut Connection,
    webhook: WebhookId,
    limit: u32,
) -> sqlx::Result<Vec<Delivery>> {
    let statement = select_deliveries!("WHERE webhook = $1 ORDER BY id DESC LIMIT $2");
    let rows = sql::query(statement)
        .bind(webhook.0)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_delivery(&mut Cells::of(row)))
        .collect()
}

async fn delivery(connection: &mut Connection, id: DeliveryId) -> sqlx::Result<Option<Delivery>> {
    let row = sql::query(select_deliveries!("WHERE id = $1"))
        .bind(id.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_delivery(&mut Cells::of(&row)))
        .transpose()
}

async fn due_deliveries(
    connection: &mut Connection,
    now: Timestamp,
    limit: u32,
) -> sqlx::Result<Vec<DueDelivery>> {
    let query = sql::query(
        "SELECT id, owner, url, due_ms FROM
         (SELECT d.id, COALESCE(w.account, r.owner) AS owner, w.url, d.due_ms,
                 ROW_NUMBER() OVER (PARTITION BY COALESCE(w.account, r.owner) ORDER BY d.due_ms, d.id) AS place
          FROM deliveries d JOIN webhooks w ON w.id = d.webhook LEFT JOIN repositories r ON r.repo = w.repo
          WHERE d.due_ms <= $1 AND w.paused_ms IS NULL) AS queue
         WHERE place = 1 ORDER BY due_ms, id LIMIT $2",
    )
    .bind(now.millis())
    .bind(limit);
    let read = |cells: &mut Cells<'_>| {
        Ok(DueDelivery {
            id: DeliveryId(cells.get()?),
            owner: AccountId(cells.get()?),
            url: cells.get()?,
            due: cells.time()?,
        })
    };
    query.read_all(connection, read).await
}

async fn deliveries_by_hand(
    connection: &mut Connection,
    owner: AccountId,
    since: Timestamp,
) -> sqlx::Result<u64> {
    let row = sql::query(
        "SELECT COUNT(*) FROM deliveries d JOIN webhooks w ON w.id = d.webhook
         LEFT JOIN repositories r ON r.repo = w.repo
         WHERE d.by_hand AND d.created_ms > $2 AND COALESCE(w.account, r.owner) = $1",
    )
    .bind(owner.0)
    .bind(since.millis())
    .fetch_one(connection)
    .await?;
    Cells::of(&row).number()
}

async fn delivery_counts(
    connection: &mut Connection,
    now: Timestamp,
) -> sqlx::Result<DeliveryCounts> {
    let row = sql::query(
        "SELECT (SELECT COUNT(*) FROM deliveries d JOIN webhooks w ON w.id = d.webhook
                 WHERE d.due_ms <= $1 AND w.paused_ms IS NULL),
                (SELECT COUNT(*) FROM deliveries WHERE due_ms IS NOT NULL),
                (SELECT COUNT(*) FROM webhooks WHERE paused_ms IS NOT NULL)",
    )
    .bind(now.millis())
    .fetch_one(connection)
    .await?;
    let mut cells = Cells::of(&row);
    Ok(DeliveryCounts {
        due: cells.number()?,
        waiting: cells.number()?,
        paused: cells.number()?,
    })
}

async fn take_delivery(
    connection: &mut Connection,
    id: DeliveryId,
    now: Timestamp,
    until: Timestamp,
) -> sqlx::Result<Option<Delivery>> {
    let row = sql::query(
        "UPDATE deliveries SET due_ms = $3 WHERE id = $1 AND due_ms <= $2
         RETURNING id, webhook, event, body, created_ms, attempts, due_ms, tried_ms, status, problem",
    )
    .bind(id.0)
    .bind(now.millis())
    .bind(until.millis())
    .fetch_optional(connection)
    .await?;
    row.map(|row| read_delivery(&mut Cells::of(&row)))
        .transpose()
}
