//! Deliveries that somebody asks for: a test, the same again, and the end of a pause.

use assay_model::Timestamp;
use assay_store::{self as store, AuditAction, DeliveryCause, HookedTo};

use super::{HookPlace, host_of, missing};
use crate::access::Caller;
use crate::error::{Conflict, Error};
use crate::services::WebhookService;

/// The most deliveries that are asked for by hand within [`BY_HAND_MILLIS`], for all webhooks of an
/// owner.
const BY_HAND: u64 = 10;
/// The window in which deliveries by hand are counted, in milliseconds.
const BY_HAND_MILLIS: i64 = 60 * 1_000;

impl WebhookService<'_> {
    /// Sends the same again, as a delivery of its own.
    pub async fn redeliver(
        self,
        caller: &Caller,
        place: &HookPlace,
        id: i64,
        delivery: i64,
    ) -> Result<i64, Error> {
        let hook = self.own_hook(caller, place, id).await?;
        let found = self
            .hub
            .store
            .delivery(store::DeliveryId(delivery))
            .await?
            .filter(|found| found.webhook == hook.id)
            .ok_or_else(|| missing(format!("webhook {id} has no delivery {delivery}")))?;
        self.queue_by_hand(&hook, &found.event, &found.body).await
    }

    /// Sends something that has not happened, to try the way.
    pub async fn ping_webhook(
        self,
        caller: &Caller,
        place: &HookPlace,
        id: i64,
    ) -> Result<i64, Error> {
        let hook = self.own_hook(caller, place, id).await?;
        let body = serde_json::json!({ "event": "ping", "at": self.hub.now().to_string() });
        self.queue_by_hand(&hook, "ping", &body.to_string()).await
    }

    /// Queues what somebody asked for by hand, unless their webhooks had too much of that within a
    /// minute.
    async fn queue_by_hand(
        self,
        hook: &store::Webhook,
        event: &str,
        body: &str,
    ) -> Result<i64, Error> {
        if hook.paused.is_some() {
            return Err(Error::Conflict(Conflict::WebhookPaused));
        }
        let now = self.hub.now();
        let since = Timestamp::from_millis(now.millis() - BY_HAND_MILLIS);
        let mut tx = self.hub.store.begin().await?;
        let owner = match hook.to {
            HookedTo::Account(account) => Some(account),
            HookedTo::Repository(key) => tx.repository(key).await?.map(|held| held.owner),
        };
        let owner = owner.ok_or_else(|| missing("there is no such webhook any more".to_owned()))?;
        if tx.deliveries_by_hand(owner, since).await? >= BY_HAND {
            return Err(Error::RateLimited {
                after_seconds: BY_HAND_MILLIS.unsigned_abs() / 1_000,
            });
        }
        let cause = DeliveryCause::ByHand;
        let id = tx.add_delivery(hook.id, event, body, now, cause).await?;
        tx.commit().await?;
        Ok(id.0)
    }

    /// Lets a paused webhook go on: what waits for it is sent, and what happens from now on.
    pub async fn resume_webhook(
        self,
        caller: &Caller,
        place: &HookPlace,
        id: i64,
    ) -> Result<(), Error> {
        let hook = self.own_hook(caller, place, id).await?;
        let mut tx = self.hub.store.begin().await?;
        if tx.resume_webhook(hook.id).await? {
            let words = format!("webhook {} to {}", hook.id.0, host_of(&hook.url));
            let subject = place.audited(hook.to).with(words);
            self.hub
                .operations()
                .audit(&mut tx, caller, AuditAction::WebhookResumed, subject)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
