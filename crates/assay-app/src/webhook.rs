//! Addresses that are told what happens: results, pull requests and ranks.
//!
//! What is to be told of a change is put into a queue in the transaction that makes the change, so
//! nothing is told that did not happen, and nothing that happened is forgotten by a crash. Who
//! sends it is no concern of the hub: [`WebhookService::due_deliveries`] says what is to be sent
//! now, and [`WebhookService::note_delivery`] takes note of what became of it.

mod by_client;
mod by_hand;
mod deliver;
mod in_flight;
mod ranks;
mod tell;

use assay_model::{RepoId, RepoKind, Timestamp};
use assay_store::{self as store, AuditAction, AuditSubject, HookedTo, WebhookId};

pub use self::by_client::{HookChange, PlacedHook};
pub use self::deliver::{DeliveryOutcome, QueuedDelivery};
pub use self::in_flight::InFlight;
pub(crate) use self::ranks::ReportedBoards;
pub(crate) use self::tell::{Telling, tell_pull};
use crate::access::{Caller, Need};
use crate::account::{AccountKind, writer};
use crate::error::{Denied, Error, Missing};
use crate::services::WebhookService;

/// The longest address, in bytes.
const MAX_URL: usize = 2_048;
/// The longest scope, in bytes.
const MAX_SCOPE: usize = 64;
/// Number of deliveries of a webhook that are shown, and kept once they are over.
const KEPT: u32 = 50;

/// A kind of event that a webhook can report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    /// Results that came or went.
    Results,
    /// Events of pull requests and discussions.
    PullRequest,
    /// Ranks that changed on a board.
    Ranks,
}

/// The subject of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookPlace {
    /// Those of one repository.
    Repository(RepoKind, RepoId),
    /// Those of every repository of a user or organisation.
    Account(String),
}

/// A webhook, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookInfo {
    /// Its number.
    pub id: i64,
    /// The address.
    pub url: String,
    /// The events that it reports.
    pub events: Vec<HookEvent>,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The first failure since its address last answered well.
    pub failing_since: Option<Timestamp>,
    /// The moment since which nothing is sent, because the address failed for long or somebody
    /// switched it off.
    pub paused: Option<Timestamp>,
}

/// Something that an address is to be told, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryInfo {
    /// Its number.
    pub id: i64,
    /// The kind of event, or `ping`.
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

/// The secret that signs deliveries of a new webhook, shown once.
pub struct HookSecret(String);

impl HookSecret {
    /// The secret, to show it to its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for HookSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HookSecret(hidden)")
    }
}

impl HookEvent {
    /// Everything that can be told of.
    pub const ALL: [Self; 3] = [Self::Results, Self::PullRequest, Self::Ranks];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::PullRequest => "pull_request",
            Self::Ranks => "ranks",
        }
    }

    /// Returns the event that a word means.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == word)
    }

    /// What a scope asks for. One that is not known asks for the broader one that it is a part of,
    /// `results.verified` for `results`, and one that is a part of nothing known asks for
    /// everything: whoever knows more kinds than this hub is told too much rather than nothing.
    /// Clients of other hubs ask by the domains `repo` and `discussion`.
    pub fn in_scope(scope: &str) -> Vec<Self> {
        let mut broader = scope;
        loop {
            if let Some(event) = Self::of(broader) {
                return vec![event];
            }
            match broader {
                "repo" => return vec![Self::Results, Self::Ranks],
                "discussion" => return vec![Self::PullRequest],
                _ => {}
            }
            match broader.rsplit_once('.') {
                Some((head, _)) => broader = head,
                None => return Self::ALL.to_vec(),
            }
        }
    }

    /// Returns whether any of these scopes asks for it.
    pub(crate) fn is_asked_for(self, scopes: &[String]) -> bool {
        let mut asked = scopes.iter().flat_map(|scope| Self::in_scope(scope));
        asked.any(|event| event == self)
    }
}

impl WebhookService<'_> {
    /// The webhooks of a repository or account, for those who manage it.
    pub async fn webhooks(
        self,
        caller: &Caller,
        place: &HookPlace,
    ) -> Result<Vec<HookInfo>, Error> {
        let to = self.hooked_to(caller, place).await?;
        let hooks = self.hub.store.webhooks_of(to).await?;
        Ok(hooks.into_iter().map(info).collect())
    }

    /// Makes a webhook. Whether its address may be asked at all is for who sends to decide, each
    /// time.
    pub async fn create_webhook(
        self,
        caller: &Caller,
        place: &HookPlace,
        url: &str,
        events: &[HookEvent],
    ) -> Result<(HookInfo, HookSecret), Error> {
        let scopes: Vec<&str> = events.iter().map(|event| event.as_str()).collect();
        self.create_scoped_webhook(caller, place, url, &scopes, None)
            .await
    }

    /// Removes a webhook with all that waits for it.
    pub async fn remove_webhook(
        self,
        caller: &Caller,
        place: &HookPlace,
        id: i64,
    ) -> Result<(), Error> {
        let hook = self.own_hook(caller, place, id).await?;
        let mut tx = self.hub.begin_as(caller).await?;
        tx.remove_webhook(hook.id).await?;
        let words = format!("webhook {} to {}", hook.id.0, host_of(&hook.url));
        let subject = place.audited(hook.to).with(words);
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::WebhookDeleted, subject)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// The last deliveries of a webhook, newest first.
    pub async fn deliveries(
        self,
        caller: &Caller,
        place: &HookPlace,
        id: i64,
    ) -> Result<Vec<DeliveryInfo>, Error> {
        let hook = self.own_hook(caller, place, id).await?;
        let deliveries = self.hub.store.deliveries_of(hook.id, KEPT).await?;
        Ok(deliveries.into_iter().map(told).collect())
    }

    async fn own_hook(
        self,
        caller: &Caller,
        place: &HookPlace,
        id: i64,
    ) -> Result<store::Webhook, Error> {
        let to = self.hooked_to(caller, place).await?;
        let hooks = self.hub.store.webhooks_of(to).await?;
        hooks
            .into_iter()
            .find(|hook| hook.id == WebhookId(id))
            .ok_or_else(|| missing(format!("there is no webhook {id} here")))
    }

    /// The repository or account, if the caller manages it.
    async fn hooked_to(self, caller: &Caller, place: &HookPlace) -> Result<HookedTo, Error> {
        let name = match place {
            HookPlace::Repository(kind, id) => {
                let repo = self.hub.repo_for(caller, *kind, id, Need::Admin).await?;
                return Ok(HookedTo::Repository(repo.key));
            }
            HookPlace::Account(name) => name,
        };
        let account = self.hub.accounts().account_named(name).await?;
        match AccountKind::from(account.kind) {
            AccountKind::Organisation => {
                self.hub
                    .accounts()
                    .check_manager(caller, account.id)
                    .await?;
            }
            AccountKind::User if caller.check_operator().is_ok() => {}
            AccountKind::User => {
                if writer(caller)? != account.id {
                    return Err(Error::Denied(Denied::WebhooksOfOthers));
                }
            }
        }
        Ok(HookedTo::Account(account.id))
    }
}

impl HookPlace {
    /// The repository or account as the audit log names it.
    fn audited(&self, to: HookedTo) -> AuditSubject {
        match (self, to) {
            (Self::Repository(kind, id), HookedTo::Repository(key)) => {
                AuditSubject::repo(*kind, id, key)
            }
            (Self::Repository(_, id), HookedTo::Account(_)) => AuditSubject::account(id.as_str()),
            (Self::Account(name), _) => AuditSubject::account(name),
        }
    }
}

/// The host of an address: the path may be a secret.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn missing(text: String) -> Error {
    Error::NotFound(Missing::Other(text))
}

fn info(hook: store::Webhook) -> HookInfo {
    HookInfo {
        id: hook.id.0,
        url: hook.url,
        events: events_of(&hook.events),
        created: hook.created,
        failing_since: hook.failing_since,
        paused: hook.paused,
    }
}

/// Everything that scopes ask for, each once.
fn events_of(scopes: &[String]) -> Vec<HookEvent> {
    let mut events = HookEvent::ALL.to_vec();
    events.retain(|event| event.is_asked_for(scopes));
    events
}

/// Returns whether a word has the form of a scope: small words with dots between them.
fn is_scope(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    text.len() <= MAX_SCOPE && text.split('.').all(is_word)
}

fn told(delivery: store::Delivery) -> DeliveryInfo {
    DeliveryInfo {
        id: delivery.id.0,
        event: delivery.event,
        body: delivery.body,
        created: delivery.created,
        attempts: delivery.attempts,
        due: delivery.due,
        tried: delivery.tried,
        status: delivery.status,
        problem: delivery.problem,
    }
}

/// An address that something can be sent to: `http` or `https`, a host, no name and password.
fn checked_url(url: &str) -> Result<String, Error> {
    let url = url.trim();
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    let is_plain = url
        .chars()
        .all(|character| matches!(character, '!'..='~') && !"\"<>\\^`{|}".contains(character));
    let is_good = host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && is_plain
        && url.len() <= MAX_URL;
    if is_good {
        Ok(url.to_owned())
    } else {
        Err(Error::Invalid(
            "a webhook has an address such as `https://example.org/hook`".to_owned(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap T26: a scope that this hub does not know degrades to the broader one.
    #[test]
    fn t26_an_unknown_scope_means_the_broader_one() {
        for (scope, meant) in [
            ("results", &[HookEvent::Results][..]),
            ("results.verified", &[HookEvent::Results]),
            ("pull_request.comment.edited", &[HookEvent::PullRequest]),
            ("audit", &HookEvent::ALL),
            ("audit.keys", &HookEvent::ALL),
            ("resultsverified", &HookEvent::ALL),
            ("repo", &[HookEvent::Results, HookEvent::Ranks]),
            ("repo.content", &[HookEvent::Results, HookEvent::Ranks]),
            ("discussion", &[HookEvent::PullRequest]),
        ] {
            assert_eq!(HookEvent::in_scope(scope), meant, "{scope}");
        }
    }

    #[test]
    fn an_address_is_a_plain_one() {
        assert!(checked_url("https://example.org/hook?a=b").is_ok());
        assert!(checked_url(" http://127.0.0.1:8000 ").is_ok());
        for bad in [
            "",
            "example.org",
            "ftp://example.org",
            "https://",
            "https:///hook",
            "https://user:secret@example.org/",
            "https://exa mple.org/",
            "javascript:alert(1)",
            "https://example.org/\u{202e}",
        ] {
            assert!(checked_url(bad).is_err(), "{bad}");
        }
    }
}
