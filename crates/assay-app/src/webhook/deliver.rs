//! The queue of what is to be told: what to send, signed, and when to try again.

use assay_model::Timestamp;
use assay_store::{Attempt, AuditAction, AuditSubject, DeliveryId, HookedTo, Tx, WebhookId};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::in_flight::InFlight;
use super::{KEPT, host_of};
use crate::error::Error;
use crate::services::WebhookService;

/// The times to wait after each attempt that failed, in seconds; after the last there is no other.
const BACK_OFF: [i64; 7] = [60, 300, 1_800, 7_200, 21_600, 43_200, 86_400];
/// The time for which a delivery that was given out is nobody else's, in milliseconds: longer than
/// it takes to send it.
const TAKEN_MILLIS: i64 = 60 * 1_000;
/// The most owners that are looked at for the next deliveries.
const CANDIDATES: u32 = 256;
/// The time after which a webhook is paused when every delivery since then failed, in milliseconds:
/// three days.
const PAUSED_AFTER_MILLIS: i64 = 3 * 24 * 60 * 60 * 1_000;
/// The longest account of a problem that is kept, in bytes.
const MAX_PROBLEM: usize = 500;

/// Something to send: a `POST` of JSON to an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedDelivery {
    /// The number of the delivery.
    pub delivery: i64,
    /// The account whose deliveries are sent one at a time.
    pub owner: i64,
    /// The address.
    pub url: String,
    /// The kind of event.
    pub event: String,
    /// The body, as it is signed.
    pub body: String,
    /// The signature: `t=` the seconds since 1970, `v1=` the HMAC-SHA-256 of that number, a dot and
    /// the body.
    pub signature: String,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// There was an answer; a status from 200 to 299 is a good one.
    Answered(u16),
    /// There was none.
    Failed(String),
    /// The address must not be asked, now or later.
    Forbidden(String),
}

impl WebhookService<'_> {
    /// Returns what is to be sent now beside what is being sent: one delivery of each owner, owners
    /// in turn. Nobody else sends it too, unless whoever took it is gone.
    pub async fn due_deliveries(
        self,
        in_flight: &mut InFlight,
    ) -> Result<Vec<QueuedDelivery>, Error> {
        if in_flight.free() == 0 {
            return Ok(Vec::new());
        }
        let now = self.hub.now();
        let until = Timestamp::from_millis(now.millis() + TAKEN_MILLIS);
        let mut due = self.hub.store.due_deliveries(now, CANDIDATES).await?;
        due.sort_by_key(|due| (in_flight.last_turn(due.owner), due.due, due.id));
        let mut taken = Vec::new();
        for due in due {
            if !in_flight.admits(due.owner, host_of(&due.url)) {
                continue;
            }
            let Some(delivery) = self.hub.store.take_delivery(due.id, now, until).await? else {
                continue;
            };
            let Some(hook) = self.hub.store.webhook(delivery.webhook).await? else {
                continue;
            };
            let queued = QueuedDelivery {
                delivery: delivery.id.0,
                owner: due.owner.0,
                url: hook.url,
                event: delivery.event,
                signature: signature(&hook.secret, now, &delivery.body),
                body: delivery.body,
            };
            in_flight.begin(&queued);
            taken.push(queued);
        }
        Ok(taken)
    }

    /// Takes note of what became of an attempt, and when there is to be another.
    pub async fn note_delivery(self, delivery: i64, outcome: DeliveryOutcome) -> Result<(), Error> {
        let id = DeliveryId(delivery);
        let Some(found) = self.hub.store.delivery(id).await? else {
            return Ok(());
        };
        let tried = self.hub.now();
        let (status, problem, is_over) = match outcome {
            DeliveryOutcome::Answered(status @ 200..=299) => (Some(status), None, true),
            DeliveryOutcome::Answered(status) => {
                (Some(status), Some(format!("answered {status}")), false)
            }
            DeliveryOutcome::Failed(why) => (None, Some(why), false),
            DeliveryOutcome::Forbidden(why) => (None, Some(why), true),
        };
        let attempt = Attempt {
            tried,
            due: next(found.attempts, tried).filter(|_| !is_over),
            status,
            problem: problem.map(shortened),
        };
        let mut tx = self.hub.store.begin().await?;
        tx.note_attempt(id, &attempt).await?;
        tx.prune_deliveries(found.webhook, KEPT).await?;
        if attempt.problem.is_none() {
            tx.note_hook_success(found.webhook).await?;
        } else {
            self.note_hook_failure(&mut tx, found.webhook, tried)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Notes a failure of the address, and pauses the webhook when it has failed for long.
    async fn note_hook_failure(
        self,
        tx: &mut Tx,
        id: WebhookId,
        at: Timestamp,
    ) -> Result<(), Error> {
        let since = Timestamp::from_millis(at.millis() - PAUSED_AFTER_MILLIS);
        if !tx.note_hook_failure(id, at, since).await? {
            return Ok(());
        }
        let Some(hook) = tx.webhook(id).await? else {
            return Ok(());
        };
        let subject = match hook.to {
            HookedTo::Account(account) => {
                let account = tx.account(account).await?;
                account.map(|account| AuditSubject::account(&account.name))
            }
            HookedTo::Repository(key) => {
                let held = tx.repository(key).await?;
                held.map(|held| AuditSubject::repo(held.kind, &held.id, key))
            }
        };
        let words = format!("webhook {} to {}", id.0, host_of(&hook.url));
        let subject = subject.unwrap_or_else(AuditSubject::hub).with(words);
        self.hub
            .operations()
            .audit_server(tx, AuditAction::WebhookPaused, subject)
            .await
    }
}

/// Returns the time of the next attempt after so many earlier ones.
fn next(earlier: u32, tried: Timestamp) -> Option<Timestamp> {
    let wait = BACK_OFF.get(usize::try_from(earlier).ok()?)?;
    Some(Timestamp::from_millis(tried.millis() + wait * 1_000))
}

fn signature(secret: &str, now: Timestamp, body: &str) -> String {
    let seconds = now.millis().div_euclid(1_000);
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{seconds}.{body}").as_bytes());
    let bytes: [u8; 32] = mac.finalize().into_bytes().into();
    let digest = assay_store::Sha256::from_bytes(bytes);
    format!("t={seconds},v1={digest}")
}

fn shortened(mut text: String) -> String {
    if text.len() > MAX_PROBLEM {
        let end = (0..=MAX_PROBLEM)
            .rev()
            .find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_binds_the_time_and_the_body() {
        let at = Timestamp::from_millis(1_771_065_000_500);

        let signed = signature("secret", at, "{}");

        // openssl: printf '1771065000.{}' | openssl dgst -sha256 -hmac secret
        assert!(signed.starts_with("t=1771065000,v1="), "{signed}");
        assert_eq!(signed.len(), "t=1771065000,v1=".len() + 64);
        assert_ne!(signed, signature("secret", at, "{ }"));
        assert_ne!(signed, signature("other", at, "{}"));
    }

    #[test]
    fn there_is_an_end_to_trying() {
        let at = Timestamp::from_millis(0);

        assert_eq!(next(0, at), Some(Timestamp::from_millis(60_000)));
        assert_eq!(next(6, at), Some(Timestamp::from_millis(86_400_000)));
        assert_eq!(next(7, at), None);
    }
}
