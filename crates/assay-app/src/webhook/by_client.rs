//! Webhooks as clients manage them: by number alone, wherever they belong, with scopes in the words
//! of the caller.

use assay_model::Role;
use assay_store::{self as store, AuditAction, HookedTo, WebhookId};

use super::{
    HookInfo, HookPlace, HookSecret, checked_url, events_of, host_of, info, is_scope, missing,
};
use crate::access::Caller;
use crate::account::{AccountKind, writer};
use crate::error::{Conflict, Error};
use crate::secret;
use crate::services::WebhookService;

/// The most webhooks of one repository or account.
const MAX_HOOKS: usize = 20;
/// The most scopes of one webhook.
const MAX_SCOPES: usize = 16;
/// The longest secret that a caller may bring along, in bytes.
const MAX_SECRET: usize = 256;

/// A webhook with the place whose doings it tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedHook {
    /// The webhook.
    pub hook: HookInfo,
    /// The repository or account that it watches.
    pub place: HookPlace,
    /// True when it watches an organisation.
    pub is_organisation: bool,
}

/// Changes to a webhook; a field that is none stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookChange<'c> {
    /// The repository or account that it watches.
    pub place: Option<HookPlace>,
    /// The address.
    pub url: Option<&'c str>,
    /// The scopes of its events.
    pub scopes: Option<Vec<&'c str>>,
    /// The secret that signs deliveries.
    pub secret: Option<&'c str>,
}

impl WebhookService<'_> {
    /// The webhooks that the caller manages: their own, those of organisations that they
    /// administer, and those of the repositories of both.
    pub async fn own_webhooks(self, caller: &Caller) -> Result<Vec<PlacedHook>, Error> {
        let user = writer(caller)?;
        let organisations = self.hub.store.organisations_of(user).await?;
        let administered = organisations
            .into_iter()
            .filter(|member| member.role == Role::Admin)
            .map(|member| member.account.id);
        let mut placed = Vec::new();
        for owner in std::iter::once(user).chain(administered) {
            for hook in self.hub.store.webhooks_owned(owner).await? {
                placed.extend(self.placed(&hook).await?);
            }
        }
        Ok(placed)
    }

    /// Refuses who can manage no webhook at all.
    pub fn check_may_manage(self, caller: &Caller) -> Result<(), Error> {
        writer(caller).map(|_| ())
    }

    /// A webhook, for those who manage the place that it belongs to. For everybody else there is
    /// none.
    pub async fn webhook(self, caller: &Caller, id: i64) -> Result<PlacedHook, Error> {
        Ok(self.managed(caller, id).await?.1)
    }

    /// Makes a webhook for who asks by scopes. They are kept as they are written, so that a later
    /// version that tells more apart gives what was meant; until then
    /// [`HookEvent::in_scope`](super::HookEvent::in_scope) says what they mean. Without a secret of
    /// the caller's own, one is drawn.
    pub async fn create_scoped_webhook(
        self,
        caller: &Caller,
        place: &HookPlace,
        url: &str,
        scopes: &[&str],
        secret: Option<&str>,
    ) -> Result<(HookInfo, HookSecret), Error> {
        let to = self.hooked_to(caller, place).await?;
        let new = store::NewWebhook {
            to,
            url: checked_url(url)?,
            events: checked_scopes(scopes)?,
            secret: match secret {
                Some(own) => checked_secret(own)?,
                None => secret::session()?,
            },
            created: self.hub.now(),
        };
        self.check_room(to).await?;
        // What the boards say now is what later changes are told against.
        self.learn_ranks().await?;
        let mut tx = self.hub.begin_as(caller).await?;
        let id = tx.add_webhook(&new).await?;
        let subject = place.audited(to).with(words(id, &new.url));
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::WebhookCreated, subject)
            .await?;
        tx.commit().await?;
        let hook = HookInfo {
            id: id.0,
            url: new.url,
            events: events_of(&new.events),
            created: new.created,
            failing_since: None,
            paused: None,
        };
        Ok((hook, HookSecret(new.secret)))
    }

    /// Changes a webhook. To move it to another place, the caller must manage that too.
    pub async fn change_webhook(
        self,
        caller: &Caller,
        id: i64,
        change: &HookChange<'_>,
    ) -> Result<PlacedHook, Error> {
        let (held, placed) = self.managed(caller, id).await?;
        let place = change.place.as_ref().unwrap_or(&placed.place);
        let to = self.hooked_to(caller, place).await?;
        if to != held.to {
            self.check_room(to).await?;
        }
        let to_be = store::NewWebhook {
            to,
            url: change.url.map_or(Ok(held.url), checked_url)?,
            secret: change.secret.map_or(Ok(held.secret), checked_secret)?,
            events: match &change.scopes {
                Some(scopes) => checked_scopes(scopes)?,
                None => held.events,
            },
            created: held.created,
        };
        self.learn_ranks().await?;
        let mut tx = self.hub.begin_as(caller).await?;
        tx.change_webhook(held.id, &to_be).await?;
        let subject = place.audited(to).with(words(held.id, &to_be.url));
        self.hub
            .operations()
            .audit(&mut tx, caller, AuditAction::WebhookChanged, subject)
            .await?;
        tx.commit().await?;
        self.webhook(caller, id).await
    }

    /// Switches a webhook off. What waits for it goes on waiting, and what happens from now on is
    /// not sent.
    pub async fn pause_webhook(self, caller: &Caller, id: i64) -> Result<PlacedHook, Error> {
        let (held, placed) = self.managed(caller, id).await?;
        let mut tx = self.hub.begin_as(caller).await?;
        if tx.pause_webhook(held.id, self.hub.now()).await? {
            let subject = placed.place.audited(held.to);
            let subject = subject.with(words(held.id, &held.url));
            self.hub
                .operations()
                .audit(&mut tx, caller, AuditAction::WebhookPaused, subject)
                .await?;
        }
        tx.commit().await?;
        self.webhook(caller, id).await
    }

    /// The webhook with its secret, and as others see it.
    async fn managed(
        self,
        caller: &Caller,
        id: i64,
    ) -> Result<(store::Webhook, PlacedHook), Error> {
        writer(caller)?;
        let none = || missing(format!("there is no webhook {id}"));
        let held = self.hub.store.webhook(WebhookId(id)).await?;
        let held = held.ok_or_else(none)?;
        let placed = self.placed(&held).await?.ok_or_else(none)?;
        match self.hooked_to(caller, &placed.place).await {
            Ok(_) => Ok((held, placed)),
            // Whether there is one is nobody else's business.
            Err(Error::Denied(_) | Error::NotFound(_)) => Err(none()),
            Err(error) => Err(error),
        }
    }

    /// A webhook with its place; none when that went away meanwhile.
    async fn placed(self, hook: &store::Webhook) -> Result<Option<PlacedHook>, Error> {
        let (place, is_organisation) = match hook.to {
            HookedTo::Repository(key) => {
                let repository = self.hub.store.repository(key).await?;
                let place = repository.map(|held| HookPlace::Repository(held.kind, held.id));
                (place, false)
            }
            HookedTo::Account(id) => {
                let account = self.hub.store.account(id).await?;
                let kind = account
                    .as_ref()
                    .map(|account| AccountKind::from(account.kind));
                let place = account.map(|account| HookPlace::Account(account.name));
                (place, kind == Some(AccountKind::Organisation))
            }
        };
        Ok(place.map(|place| PlacedHook {
            hook: info(hook.clone()),
            place,
            is_organisation,
        }))
    }

    /// Refuses another webhook in a place that has as many as it may.
    async fn check_room(self, to: HookedTo) -> Result<(), Error> {
        if self.hub.store.webhooks_of(to).await?.len() >= MAX_HOOKS {
            return Err(Error::Conflict(Conflict::WebhookLimit { most: MAX_HOOKS }));
        }
        Ok(())
    }
}

/// A webhook in the words of the audit log.
fn words(id: WebhookId, url: &str) -> String {
    format!("webhook {} to {}", id.0, host_of(url))
}

fn checked_scopes(scopes: &[&str]) -> Result<Vec<String>, Error> {
    if scopes.is_empty() || scopes.len() > MAX_SCOPES {
        return Err(Error::Invalid(format!(
            "a webhook tells of at least one kind of event, and of {MAX_SCOPES} at most"
        )));
    }
    if let Some(wrong) = scopes.iter().find(|scope| !is_scope(scope)) {
        return Err(Error::Invalid(format!(
            "`{wrong}` is no scope such as `results` or `pull_request`"
        )));
    }
    Ok(scopes.iter().map(|&scope| scope.to_owned()).collect())
}

fn checked_secret(secret: &str) -> Result<String, Error> {
    if secret.is_empty() || secret.len() > MAX_SECRET {
        return Err(Error::Invalid(format!(
            "the secret of a webhook has 1 to {MAX_SECRET} bytes; leave it out, and the hub draws one"
        )));
    }
    Ok(secret.to_owned())
}
