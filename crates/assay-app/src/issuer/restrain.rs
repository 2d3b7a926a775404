//! Rate limits of identities, and restraints of those who ask for what they should not.

use assay_model::{RepoId, Timestamp};
use assay_store::{EventFilter, NewIssuerEvent, Quota};
use assay_trust::issuer::{
    AbuseRules, Conduct, IdentityKey, Limits, Meter, Notice, Restraint, Signal,
};
use assay_trust::{Digest, Scope, Subject};

use super::{Authenticated, Issuer, Refusal, RefusalCode};
use crate::error::Error;

/// The state of an identity in memory.
#[derive(Debug, Default)]
pub(super) struct Watched {
    issue: Meter,
    preview: Meter,
    conduct: Conduct,
    /// True if the database has the suspension too. If it then has it no more, an operator took it
    /// back.
    is_kept: bool,
    /// Since when somebody is slowed, if they are. What an operator said after that counts.
    slowed_since: Option<Timestamp>,
}

/// The kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Issue,
    Preview,
}

/// The age of events that are read after a start, in milliseconds.
const MEMORY: i64 = 24 * 60 * 60 * 1_000;
/// A day, in seconds.
const DAY: i64 = 24 * 60 * 60;

impl Doing {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Preview => "preview",
        }
    }
}

impl Issuer {
    /// Returns whether somebody may ask now. Who is suspended may not, and who is slowed may less
    /// often.
    pub(super) async fn may_ask(
        &self,
        caller: &Authenticated,
        doing: Doing,
    ) -> Result<(), Refusal> {
        self.remember().await?;
        if let Some(reason) = &caller.suspended {
            return Err(Refusal::new(RefusalCode::IdentitySuspended, reason.clone()));
        }
        self.check_not_revoked(caller)?;
        self.let_go_if_resumed(caller.key()).await?;
        let integration = caller.integration().ok_or_else(Refusal::unauthenticated)?;
        let now = self.now();
        let mut watched = self.watched.lock();
        let own = watched.entry(caller.key().clone()).or_default();
        if own.is_kept {
            *own = Watched::default();
        }
        let restraint = own.conduct.restraint(now);
        if let Restraint::Stopped { reason } = restraint {
            return Err(Refusal::new(RefusalCode::IdentitySuspended, reason));
        }
        let (per_minute, burst) = match (&restraint, doing) {
            (_, Doing::Preview) => {
                let most = integration.limits.preview_per_minute;
                (most, most)
            }
            (Restraint::Slowed { .. }, Doing::Issue) => (self.rules.slow_per_minute, 1),
            (Restraint::None | Restraint::Stopped { .. }, Doing::Issue) => {
                let Limits {
                    issue_per_minute,
                    burst,
                    ..
                } = integration.limits;
                (issue_per_minute, burst)
            }
        };
        let meter = match doing {
            Doing::Issue => &mut own.issue,
            Doing::Preview => &mut own.preview,
        };
        let taken = meter.take(per_minute, burst, now);
        drop(watched);
        taken.map_err(|seconds| {
            let why = match restraint {
                Restraint::Slowed { reason, .. } => format!("you are slowed: {reason}"),
                Restraint::None | Restraint::Stopped { .. } => {
                    format!("this identity may ask {per_minute} times a minute")
                }
            };
            Refusal::too_often(seconds, why)
        })
    }

    /// Returns whether what somebody is given could count: a token for whom the control log has
    /// revoked never would.
    fn check_not_revoked(&self, caller: &Authenticated) -> Result<(), Refusal> {
        let key = caller.key();
        let (state, next) = (self.hub.trust.state(), self.logged());
        let mut revocations = state.revocations();
        let found = revocations.find(|(_, revocation)| {
            let is_meant = match &revocation.scope {
                Scope::Integration(own) => own == key.integration(),
                Scope::Identity(own) => *own == key.to_string(),
                Scope::Kid(_)
                | Scope::Issuer(_)
                | Scope::Jti(_)
                | Scope::Framework { .. }
                | Scope::BenchmarkRevision(_) => false,
            };
            is_meant && revocation.from_index <= next
        });
        match found {
            None => Ok(()),
            Some((index, revocation)) => {
                let reason = &revocation.reason;
                let detail = format!("leaf {index} of the control log revokes it: {reason}");
                Err(Refusal::new(RefusalCode::IdentitySuspended, detail))
            }
        }
    }

    /// Returns the daily counters of a token. Many addresses, many subjects and many nodes share
    /// these counts.
    pub(super) fn quotas(caller: &Authenticated, subject: &Subject, limits: &Limits) -> Vec<Quota> {
        let integration = caller.key().integration();
        let quota = |key: String, most| Quota { key, most };
        let target = target_of(subject);
        let mut quotas = vec![
            quota(format!("identity {}", caller.key()), limits.issue_per_day),
            quota(
                format!("integration {integration}"),
                limits.integration_per_day,
            ),
            quota(
                format!("target {integration} {target}"),
                limits.same_target_per_day,
            ),
        ];
        if let Some(owner) = &caller.facts.owner {
            quotas.push(quota(format!("owner {owner}"), limits.owner_per_day));
        }
        quotas
    }

    /// Tells the watch what somebody did, and suspends them when that was once too often.
    pub(super) async fn watch(&self, key: &IdentityKey, signal: Signal) {
        let now = self.now();
        let notice = {
            let mut watched = self.watched.lock();
            let own = watched.entry(key.clone()).or_default();
            own.observe(signal, now, &self.rules)
        };
        let Some(notice) = notice else { return };
        let outcome = if notice.is_stopped {
            "suspended"
        } else {
            "slowed"
        };
        tracing::warn!(identity = %key, "`{key}` is {outcome}: {}", notice.reason);
        if notice.is_stopped {
            match self.keep_suspension(key, &notice.reason, now).await {
                Ok(()) => {
                    let mut watched = self.watched.lock();
                    watched.entry(key.clone()).or_default().is_kept = true;
                }
                Err(error) => {
                    tracing::error!(%error, "failed to keep the suspension of `{key}`");
                }
            }
        }
        self.note(NewIssuerEvent {
            action: "restrain".to_owned(),
            integration: Some(key.integration().to_string()),
            identity: Some(key.to_string()),
            outcome: outcome.to_owned(),
            detail: Some(notice.reason),
            ..NewIssuerEvent::default()
        })
        .await;
    }

    async fn keep_suspension(
        &self,
        key: &IdentityKey,
        reason: &str,
        now: Timestamp,
    ) -> Result<(), Error> {
        let mut tx = self.store().begin().await?;
        tx.suspend_identity(key.integration().as_str(), key.name(), reason, now)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Until when an identity is slowed, and why, if it is.
    pub(super) async fn slowed(
        &self,
        key: &IdentityKey,
    ) -> Result<Option<(Timestamp, String)>, Error> {
        self.remember().await?;
        self.let_go_if_resumed(key).await?;
        let watched = self.watched.lock();
        let restraint = watched
            .get(key)
            .map(|own| own.conduct.restraint(self.now()));
        Ok(match restraint {
            Some(Restraint::Slowed { until, reason }) => Some((until, reason)),
            Some(Restraint::Stopped { .. } | Restraint::None) | None => None,
        })
    }

    /// Forgets why somebody is slowed when an operator has let them go on since. They do so in
    /// another process, so what they said is in the database.
    async fn let_go_if_resumed(&self, key: &IdentityKey) -> Result<(), Error> {
        let since = {
            let watched = self.watched.lock();
            watched.get(key).and_then(|own| own.slowed_since)
        };
        let Some(since) = since else { return Ok(()) };
        let filter = EventFilter {
            identity: Some(key.to_string()),
            outcome: Some("resumed".to_owned()),
            ..EventFilter::default()
        };
        let resumed = self.store().issuer_events(&filter, 1).await?;
        if resumed.iter().any(|event| event.at >= since) {
            self.pardon(key);
        }
        Ok(())
    }

    /// Forgets the conduct of an identity: an operator has looked into it.
    pub(super) fn pardon(&self, key: &IdentityKey) {
        let mut watched = self.watched.lock();
        watched.remove(key);
    }

    /// Tells the watch what happened on the day before the start. A restart is no pardon.
    async fn remember(&self) -> Result<(), Error> {
        let told = async {
            let since = Timestamp::from_millis(self.now().millis() - MEMORY);
            let events = self.store().issuer_events_since(since).await?;
            let mut watched = self.watched.lock();
            for event in events {
                let Some(key) = event
                    .event
                    .identity
                    .as_deref()
                    .and_then(|key| key.parse().ok())
                else {
                    continue;
                };
                let key: IdentityKey = key;
                if event.event.outcome == "resumed" {
                    watched.remove(&key);
                } else if let Some(signal) = signal_of(&event.event) {
                    let own = watched.entry(key).or_default();
                    let notice = own.observe(signal, event.at, &self.rules);
                    own.is_kept |= notice.is_some_and(|notice| notice.is_stopped);
                }
            }
            Ok(())
        };
        self.remembered.get_or_try_init(|| told).await.copied()
    }
}

impl Watched {
    fn observe(&mut self, signal: Signal, at: Timestamp, rules: &AbuseRules) -> Option<Notice> {
        let notice = self.conduct.observe(signal, at, rules)?;
        if !notice.is_stopped {
            self.slowed_since = Some(at);
        }
        Some(notice)
    }
}

/// Returns the signal of an event for the watch.
fn signal_of(event: &NewIssuerEvent) -> Option<Signal> {
    if event.action != Doing::Issue.word() {
        return None;
    }
    match event.outcome.as_str() {
        "refused" => Some(Signal::Refused),
        "limited" => Some(Signal::Limited),
        "done" => Some(Signal::Issued {
            target: event.target.as_deref()?.parse().ok()?,
            scores: event.scores.as_deref()?.parse().ok()?,
        }),
        _ => None,
    }
}

/// The digest of model, benchmark and task, as the log discloses it. Names are in lower case, as a
/// hub compares them: another spelling is no other target.
pub(super) fn target_of(subject: &Subject) -> Digest {
    let lower = |id: &RepoId| assay_trust::Json::Text(id.as_str().to_ascii_lowercase());
    let json = assay_trust::Json::map([
        ("benchmark_repo", lower(&subject.benchmark_repo)),
        ("model_repo", lower(&subject.model_repo)),
        ("task_id", assay_trust::Json::shown(&subject.task_id)),
    ]);
    Digest::in_domain("eval-target/v1", json.to_jcs().as_bytes())
}

/// The digest of the scores alone.
pub(super) fn scores_of(subject: &Subject) -> Digest {
    let lines = subject.metrics.iter().map(|metric| {
        let slice = metric.slice.as_deref().unwrap_or_default();
        format!("{}\t{slice}\t{}\n", metric.metric_id, metric.value)
    });
    let text: String = lines.collect();
    Digest::in_domain("eval-scores/v1", text.as_bytes())
}

/// Returns the number of the day.
pub(super) fn day_of(now: Timestamp) -> i64 {
    now.seconds().div_euclid(DAY)
}

/// Returns the rest of the day, in seconds.
pub(super) fn rest_of_day(now: Timestamp) -> u64 {
    u64::try_from(DAY - now.seconds().rem_euclid(DAY)).unwrap_or(1)
}
