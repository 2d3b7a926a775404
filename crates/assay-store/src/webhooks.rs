use assay_model::{RepoKey, TaskId, Timestamp};
use serde_json::Value as Json;
use sqlx::AssertSqlSafe;

use crate::backend::Connection;
use crate::row::{Cells, to_json};
use crate::{AccountId, Error, Store, Taken, Tx, sql};

/// What a webhook is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebhookId(pub i64);

/// Whose doings a webhook tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookedTo {
    /// Those of one repository.
    Repository(RepoKey),
    /// Those of every repository of an account.
    Account(AccountId),
}

/// An address that is told what happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// What it is known by.
    pub id: WebhookId,
    /// Whose doings it tells of.
    pub to: HookedTo,
    /// The address.
    pub url: String,
    /// What deliveries are signed with.
    pub secret: String,
    /// The kinds of events that it tells of, in the caller's words.
    pub events: Vec<String>,
    /// When it was made.
    pub created: Timestamp,
}

/// A webhook that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Whose doings it tells of.
    pub to: HookedTo,
    /// The address.
    pub url: String,
    /// What deliveries are signed with.
    pub secret: String,
    /// The kinds of events that it tells of.
    pub events: Vec<String>,
    /// When it is made.
    pub created: Timestamp,
}

/// What a delivery is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeliveryId(pub i64);

/// Something that an address is to be told, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// What it is known by.
    pub id: DeliveryId,
    /// Through which webhook.
    pub webhook: WebhookId,
    /// The kind of event.
    pub event: String,
    /// What is said.
    pub body: String,
    /// When it happened.
    pub created: Timestamp,
    /// How often it was tried.
    pub attempts: u32,
    /// When it is to be tried next; none when it is over.
    pub due: Option<Timestamp>,
    /// When it was last tried.
    pub tried: Option<Timestamp>,
    /// The status of the last answer.
    pub status: Option<u16>,
    /// Why there was no answer, or not a good one.
    pub problem: Option<String>,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// When it was made.
    pub tried: Timestamp,
    /// When to try again; none when it is over.
    pub due: Option<Timestamp>,
    /// The status of the answer.
    pub status: Option<u16>,
    /// Why there was no answer, or not a good one.
    pub problem: Option<String>,
}

questions! {
    /// The webhooks of a repository or account itself, oldest first.
    fn webhooks_of(to: HookedTo) -> Vec<Webhook>;
    /// The webhooks that tell of a repository: its own and those of its owner.
    fn webhooks_for(key: RepoKey, owner: AccountId) -> Vec<Webhook>;
    /// Every webhook, oldest first.
    fn webhooks() -> Vec<Webhook>;
    /// A webhook.
    fn webhook(id: WebhookId) -> Option<Webhook>;
    /// The last deliveries of a webhook, newest first.
    fn deliveries_of(webhook: WebhookId, limit: u32) -> Vec<Delivery>;
    /// A delivery.
    fn delivery(id: DeliveryId) -> Option<Delivery>;
    /// Whether any delivery is to be tried by now.
    fn is_any_due(now: Timestamp) -> bool;
    /// The ranks of a board as they were last told.
    fn told_ranks(key: RepoKey, task: &TaskId) -> Option<Json>;
}

impl Store {
    /// Takes deliveries that are due, what waits longest first, so that nobody else takes them until a moment: by then
    /// they are noted, or whoever took them is gone. It waits for nobody who writes, and skips what another process is
    /// just taking.
    pub async fn take_deliveries(
        &self,
        now: Timestamp,
        until: Timestamp,
        limit: u32,
    ) -> Result<Vec<Delivery>, Error> {
        // Most of the time nothing is due, and nobody has to wait to find that out.
        if !self.is_any_due(now).await? {
            return Ok(Vec::new());
        }
        let mut worker = self.worker("take_deliveries").await?;
        let taken = take_deliveries(worker.connection(), now, until, limit).await;
        let taken = taken.map_err(|error| Error::of("take_deliveries", error))?;
        worker.end("take_deliveries").await?;
        Ok(taken)
    }
}

impl Tx {
    /// Makes a webhook.
    pub async fn add_webhook(&mut self, new: &NewWebhook) -> Result<WebhookId, Error> {
        let doing = "add_webhook";
        let events = to_json(&new.events).map_err(|error| Error::of(doing, error))?;
        let (account, repo) = columns(new.to);
        let query = sql::query(
            "INSERT INTO webhooks (account, repo, url, secret, events, created_ms)
             VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
        )
        .bind(account)
        .bind(repo)
        .bind(&new.url)
        .bind(&new.secret)
        .bind(events)
        .bind(new.created.millis());
        let id = self.add(doing, Taken::Webhook, query).await?;
        Ok(WebhookId(id.unwrap_or_default()))
    }

    /// Removes a webhook with its deliveries. The answer is whether there was one.
    pub async fn remove_webhook(&mut self, id: WebhookId) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM webhooks WHERE id = $1").bind(id.0);
        Ok(self.change("remove_webhook", query).await? > 0)
    }

    /// Puts something into the queue. Nobody else sees it, so the generation stays.
    pub async fn add_delivery(
        &mut self,
        webhook: WebhookId,
        event: &str,
        body: &str,
        at: Timestamp,
    ) -> Result<DeliveryId, Error> {
        let id: i64 = sql::query_scalar(
            "INSERT INTO deliveries (webhook, event, body, created_ms, attempts, due_ms)
             VALUES ($1, $2, $3, $4, 0, $4) RETURNING id",
        )
        .bind(webhook.0)
        .bind(event)
        .bind(body)
        .bind(at.millis())
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

    /// Writes the ranks of a board as they are told.
    pub async fn set_told_ranks(
        &mut self,
        key: RepoKey,
        task: &TaskId,
        ranks: &Json,
    ) -> Result<(), Error> {
        sql::query(
            "INSERT INTO told_ranks (repo, task, ranks) VALUES ($1, $2, $3)
             ON CONFLICT (repo, task) DO UPDATE SET ranks = excluded.ranks",
        )
        .bind(key.0)
        .bind(task.as_str())
        .bind(ranks.to_string())
        .execute(self.connection())
        .await
        .map_err(|error| Error::of("set_told_ranks", error))?;
        Ok(())
    }
}

fn columns(to: HookedTo) -> (Option<i64>, Option<i64>) {
    match to {
        HookedTo::Account(account) => (Some(account.0), None),
        HookedTo::Repository(key) => (None, Some(key.0)),
    }
}

macro_rules! select_webhooks {
    ($condition:literal) => {
        concat!(
            "SELECT id, account, repo, url, secret, events, created_ms FROM webhooks ",
            $condition,
            " ORDER BY id"
        )
    };
}

fn read_webhook(cells: &mut Cells<'_>) -> sqlx::Result<Webhook> {
    let id = WebhookId(cells.get()?);
    let (account, repo): (Option<i64>, Option<i64>) = (cells.get()?, cells.get()?);
    Ok(Webhook {
        id,
        to: match account {
            Some(account) => HookedTo::Account(AccountId(account)),
            None => HookedTo::Repository(RepoKey(repo.unwrap_or_default())),
        },
        url: cells.get()?,
        secret: cells.get()?,
        events: cells.json()?,
        created: cells.time()?,
    })
}

async fn webhooks_of(connection: &mut Connection, to: HookedTo) -> sqlx::Result<Vec<Webhook>> {
    let (account, repo) = columns(to);
    let rows = sql::query(select_webhooks!("WHERE account = $1 OR repo = $2"))
        .bind(account)
        .bind(repo)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_webhook(&mut Cells::of(row)))
        .collect()
}

async fn webhooks_for(
    connection: &mut Connection,
    key: RepoKey,
    owner: AccountId,
) -> sqlx::Result<Vec<Webhook>> {
    let rows = sql::query(select_webhooks!("WHERE account = $1 OR repo = $2"))
        .bind(owner.0)
        .bind(key.0)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_webhook(&mut Cells::of(row)))
        .collect()
}

async fn webhooks(connection: &mut Connection) -> sqlx::Result<Vec<Webhook>> {
    let query = sql::query(select_webhooks!(""));
    let rows = query.fetch_all(connection).await?;
    rows.iter()
        .map(|row| read_webhook(&mut Cells::of(row)))
        .collect()
}

async fn webhook(connection: &mut Connection, id: WebhookId) -> sqlx::Result<Option<Webhook>> {
    let row = sql::query(select_webhooks!("WHERE id = $1"))
        .bind(id.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_webhook(&mut Cells::of(&row)))
        .transpose()
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

async fn is_any_due(connection: &mut Connection, now: Timestamp) -> sqlx::Result<bool> {
    sql::query_scalar("SELECT EXISTS (SELECT 1 FROM deliveries WHERE due_ms <= $1)")
        .bind(now.millis())
        .fetch_one(connection)
        .await
}

async fn take_deliveries(
    connection: &mut Connection,
    now: Timestamp,
    until: Timestamp,
    limit: u32,
) -> sqlx::Result<Vec<Delivery>> {
    let statement = format!(
        "UPDATE deliveries SET due_ms = $2 WHERE id IN
         (SELECT id FROM deliveries WHERE due_ms <= $1 ORDER BY due_ms, id LIMIT $3{})
         RETURNING id, webhook, event, body, created_ms, attempts, due_ms, tried_ms, status, problem",
        connection.skip_locked()
    );
    let rows = sql::query(AssertSqlSafe(statement))
        .bind(now.millis())
        .bind(until.millis())
        .bind(limit)
        .fetch_all(connection)
        .await?;
    let taken = rows.iter().map(|row| read_delivery(&mut Cells::of(row)));
    let mut taken = taken.collect::<sqlx::Result<Vec<_>>>()?;
    taken.sort_by_key(|delivery| (delivery.tried.unwrap_or(delivery.created), delivery.id));
    Ok(taken)
}

async fn told_ranks(
    connection: &mut Connection,
    key: RepoKey,
    task: &TaskId,
) -> sqlx::Result<Option<Json>> {
    let row = sql::query("SELECT ranks FROM told_ranks WHERE repo = $1 AND task = $2")
        .bind(key.0)
        .bind(task.as_str())
        .fetch_optional(connection)
        .await?;
    row.map(|row| Cells::of(&row).json()).transpose()
}
