use assay_model::{RepoKey, TaskId, Timestamp};
use serde_json::Value as Json;

use crate::backend::Connection;
use crate::row::{Cells, to_json};
use crate::{AccountId, Error, Taken, Tx, sql};

/// The identifier of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebhookId(pub i64);

/// The subject of a webhook.
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
    /// The identifier of the webhook.
    pub id: WebhookId,
    /// The subject of the webhook.
    pub to: HookedTo,
    /// The address.
    pub url: String,
    /// The secret that signs deliveries.
    pub secret: String,
    /// The kinds of events that it tells of, in the caller's words.
    pub events: Vec<String>,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The first failure since its address last answered well.
    pub failing_since: Option<Timestamp>,
    /// The moment since which nothing is sent, because the address failed for long or somebody
    /// switched it off.
    pub paused: Option<Timestamp>,
}

/// A webhook that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// The subject of the webhook.
    pub to: HookedTo,
    /// The address.
    pub url: String,
    /// The secret that signs deliveries.
    pub secret: String,
    /// The kinds of events that it tells of.
    pub events: Vec<String>,
    /// Time at which it is made.
    pub created: Timestamp,
}

questions! {
    /// The webhooks of a repository or account itself, oldest first.
    fn webhooks_of(to: HookedTo) -> Vec<Webhook>;
    /// The webhooks that tell of a repository: its own and those of its owner.
    fn webhooks_for(key: RepoKey, owner: AccountId) -> Vec<Webhook>;
    /// The webhooks of an account and of the repositories that it owns, oldest first.
    fn webhooks_owned(owner: AccountId) -> Vec<Webhook>;
    /// Every webhook, oldest first.
    fn webhooks() -> Vec<Webhook>;
    /// A webhook.
    fn webhook(id: WebhookId) -> Option<Webhook>;
    /// The ranks of a board as they were last told.
    fn told_ranks(key: RepoKey, task: &TaskId) -> Option<Json>;
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

    /// Gives a webhook another place, address, secret and other events. A new address starts
    /// without failures.
    pub async fn change_webhook(&mut self, id: WebhookId, to_be: &NewWebhook) -> Result<(), Error> {
        let doing = "change_webhook";
        let events = to_json(&to_be.events).map_err(|error| Error::of(doing, error))?;
        let (account, repo) = columns(to_be.to);
        let query = sql::query(
            "UPDATE webhooks SET account = $2, repo = $3, secret = $5, events = $6,
             failing_since_ms = CASE WHEN url = $4 THEN failing_since_ms ELSE NULL END, url = $4 WHERE id = $1",
        )
        .bind(id.0)
        .bind(account)
        .bind(repo)
        .bind(&to_be.url)
        .bind(&to_be.secret)
        .bind(events);
        self.change(doing, query).await?;
        Ok(())
    }

    /// Switches a webhook off: nothing is sent until it is resumed. Returns whether it was on.
    pub async fn pause_webhook(&mut self, id: WebhookId, at: Timestamp) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE webhooks SET paused_ms = $2, failing_since_ms = NULL WHERE id = $1 AND paused_ms IS NULL",
        )
        .bind(id.0)
        .bind(at.millis());
        Ok(self.change("pause_webhook", query).await? > 0)
    }

    /// Removes a webhook with its deliveries. The answer is whether there was one.
    pub async fn remove_webhook(&mut self, id: WebhookId) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM webhooks WHERE id = $1").bind(id.0);
        Ok(self.change("remove_webhook", query).await? > 0)
    }

    /// Notes that the address of a webhook answered well.
    pub async fn note_hook_success(&mut self, id: WebhookId) -> Result<(), Error> {
        sql::query("UPDATE webhooks SET failing_since_ms = NULL WHERE id = $1 AND failing_since_ms IS NOT NULL")
            .bind(id.0)
            .execute(self.connection())
            .await
            .map_err(|error| Error::of("note_hook_success", error))?;
        Ok(())
    }

    /// Notes that the address of a webhook failed, and pauses the webhook when it has failed since
    /// this moment or longer. Returns whether it was paused just now.
    pub async fn note_hook_failure(
        &mut self,
        id: WebhookId,
        at: Timestamp,
        pause_if_since: Timestamp,
    ) -> Result<bool, Error> {
        let failed = |error| Error::of("note_hook_failure", error);
        sql::query(
            "UPDATE webhooks SET failing_since_ms = $2
             WHERE id = $1 AND failing_since_ms IS NULL AND paused_ms IS NULL",
        )
        .bind(id.0)
        .bind(at.millis())
        .execute(self.connection())
        .await
        .map_err(failed)?;
        let paused = sql::query(
            "UPDATE webhooks SET paused_ms = $2 WHERE id = $1 AND paused_ms IS NULL AND failing_since_ms <= $3",
        )
        .bind(id.0)
        .bind(at.millis())
        .bind(pause_if_since.millis())
        .execute(self.connection())
        .await
        .map_err(failed)?;
        Ok(paused > 0)
    }

    /// Lets a paused webhook go on. Returns whether it was paused.
    pub async fn resume_webhook(&mut self, id: WebhookId) -> Result<bool, Error> {
        let resumed = sql::query(
            "UPDATE webhooks SET paused_ms = NULL, failing_since_ms = NULL WHERE id = $1 AND paused_ms IS NOT NULL",
        )
        .bind(id.0)
        .execute(self.connection())
        .await
        .map_err(|error| Error::of("resume_webhook", error))?;
        Ok(resumed > 0)
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
            "SELECT id, account, repo, url, secret, events, created_ms, failing_since_ms, paused_ms FROM webhooks ",
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
        failing_since: cells.time_option()?,
        paused: cells.time_option()?,
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

async fn webhooks_owned(
    connection: &mut Connection,
    owner: AccountId,
) -> sqlx::Result<Vec<Webhook>> {
    let rows = sql::query(select_webhooks!(
        "WHERE account = $1 OR repo IN (SELECT repo FROM repositories WHERE owner = $1)"
    ))
    .bind(owner.0)
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
