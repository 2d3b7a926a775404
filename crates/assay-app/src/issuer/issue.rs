use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_hub_api::{EvalToken, EvalTokenPreview, TokenDigests, TokenLog};
use assay_model::{RepoKind, Timestamp};
use assay_store::{NewIssuerEvent, Repeated, Sha256};
use assay_trust::issuer::{Ask, Decision, Signal};
use assay_trust::{Claims, Digest, Issue, ResultsLeaf, SigningKey, result_path};

use super::request::Request;
use super::restrain::{Doing, day_of, rest_of_day, scores_of, target_of};
use super::{Authenticated, Issuer, Refusal, RefusalCode};
use crate::error::Error;
use crate::hub::blocking;
use crate::trust::NoTokenKey;
use crate::validator::SharedValidator;

/// Maximum duration of the log before a request is given up.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time that a server waits for a key to sign with while the logs change hands.
const KEY_PATIENCE: Duration = Duration::from_secs(3);
/// The pause between two looks for it.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The time that a request that was never answered keeps its key, in seconds.
const STALE: i64 = 60;
/// The time that an answer is kept, in seconds.
const KEPT: i64 = 24 * 60 * 60;
/// The longest idempotency key, in bytes.
const MAX_KEY: usize = 128;

impl Issuer {
    /// Issues a token for what the text asks for. It is in the log before it is given away, and
    /// with the same key the same request gets the same answer. The answer is [`EvalToken`] as
    /// JSON.
    pub async fn issue(
        &self,
        caller: &Authenticated,
        text: &str,
        key: Option<&str>,
        request: &str,
    ) -> Result<String, Refusal> {
        let key = key.map(checked_key).transpose()?;
        if let Some(key) = key
            && let Some(answer) = self.begin_once(caller, key, text).await?
        {
            return Ok(answer);
        }
        let issued = self.issue_now(caller, text, key, request).await;
        if issued.is_err()
            && let Some(key) = key
        {
            self.forget_once(caller, key).await;
        }
        issued
    }

    async fn issue_now(
        &self,
        caller: &Authenticated,
        text: &str,
        key: Option<&str>,
        request: &str,
    ) -> Result<String, Refusal> {
        let prepared = self.prepare(caller, text, Doing::Issue).await;
        let (asked, claims) = match prepared {
            Ok(prepared) => prepared,
            Err(refusal) => return Err(self.refused(caller, refusal, request).await),
        };
        match self.sign(caller, &asked, &claims, key, request).await {
            Ok(answer) => {
                let signal = Signal::Issued {
                    target: target_of(&asked.subject),
                    scores: scores_of(&asked.subject),
                };
                self.watch(caller.key(), signal).await;
                Ok(answer)
            }
            Err(refusal) => Err(self.refused(caller, refusal, request).await),
        }
    }

    /// Says what would be signed.
    pub async fn preview(
        &self,
        caller: &Authenticated,
        text: &str,
    ) -> Result<EvalTokenPreview, Refusal> {
        self.may_ask(caller, Doing::Preview).await?;
        let asked = Request::read(text)?;
        self.check_rules(&asked).await?;
        let decision = decide(caller, &asked)?;
        self.check_benchmark(&asked.subject).await?;
        let claims = self.claims(caller, &asked)?;
        Ok(EvalTokenPreview {
            subject: asked.subject.to_jcs(),
            entry: asked.canonical.as_json().to_owned(),
            claims: claims.to_jcs(),
            digests: digests(&claims),
            path: result_path(&claims).to_string(),
            entry_yaml: asked.canonical.to_yaml(None),
            allowed: decision.is_allowed(),
            decision: decision.to_string(),
        })
    }

    /// Everything that is checked before anything is counted or signed.
    async fn prepare(
        &self,
        caller: &Authenticated,
        text: &str,
        doing: Doing,
    ) -> Result<(Request, Claims), Refusal> {
        self.may_ask(caller, doing).await?;
        let asked = Request::read(text)?;
        if let Decision::Denied(denial) = decide(caller, &asked)? {
            let code = match denial.code() {
                "framework_not_allowed" => RefusalCode::FrameworkNotAllowed,
                _ => RefusalCode::TargetNotAllowed,
            };
            return Err(Refusal::new(code, denial.to_string()));
        }
        self.check_rules(&asked).await?;
        self.check_benchmark(&asked.subject).await?;
        let claims = self.claims(caller, &asked)?;
        Ok((asked, claims))
    }

    /// Validates the entry by the rules that a push would be validated by.
    async fn check_rules(&self, asked: &Request) -> Result<(), Refusal> {
        let validator = SharedValidator::new(&self.hub, RepoKind::Model, None).await?;
        let name = asked.subject.benchmark_repo.result_file_name();
        let path = format!(".eval_results/{name}");
        let files = BTreeMap::from([(path, asked.canonical.to_yaml(None).into_bytes())]);
        let validation = blocking(move || Ok(validator.get().preview(&files))).await?;
        let Some(first) = validation.errors.first() else {
            return Ok(());
        };
        let detail = format!("{}: {}", first.code, first.message);
        Err(Refusal {
            diagnostics: validation.errors.clone().into(),
            ..Refusal::new(RefusalCode::EntryInvalid, detail).at("/entry")
        })
    }

    async fn sign(
        &self,
        caller: &Authenticated,
        asked: &Request,
        claims: &Claims,
        key: Option<&str>,
        request: &str,
    ) -> Result<String, Refusal> {
        // What cannot be signed is not counted either.
        let signing = self.signing_key().await?;
        self.publish_policy(&caller.policy).await?;
        self.count(caller, asked).await?;
        let token = signing.sign_token(claims);
        let mut leaf = Issue::of(claims, signing.kid(), &token);
        let target = target_of(&asked.subject);
        let discloses = caller.integration().is_some_and(|one| one.disclose_targets);
        leaf.target = discloses.then_some(target);
        let (index, receipt) = self.log(ResultsLeaf::Issue(leaf)).await?;
        let issued = EvalToken {
            entry_yaml: asked.canonical.to_yaml(Some(&token)),
            verify_token: token,
            jti: claims.jti.to_string(),
            expires_at: Timestamp::from_seconds(claims.exp),
            path: result_path(claims).to_string(),
            digests: digests(claims),
            log: TokenLog { index, receipt },
        };
        let answer = serde_json::to_string(&issued).map_err(Error::internal)?;
        self.keep(caller, &issued, asked, key, &answer, request)
            .await?;
        Ok(answer)
    }

    /// Returns the key that signs now. While another server takes the logs over, this one may not
    /// know the key yet, and waits for it.
    async fn signing_key(&self) -> Result<Arc<SigningKey>, NoTokenKey> {
        let until = Instant::now() + KEY_PATIENCE;
        loop {
            match self.hub.trust.token_key() {
                Err(NoTokenKey::NoneSigns)
                    if !self.hub.trust.is_writer() && Instant::now() < until => {}
                found => return found,
            }
            tokio::time::sleep(LOOK_EVERY).await;
            let trust = Arc::clone(&self.hub.trust);
            blocking(move || trust.refresh()).await?;
        }
    }

    /// Counts a token against every quota, all or none.
    async fn count(&self, caller: &Authenticated, asked: &Request) -> Result<(), Refusal> {
        let integration = caller.integration().ok_or_else(Refusal::unauthenticated)?;
        let limits = &integration.limits;
        let mut quotas = Self::quotas(caller, &asked.subject, limits);
        let now = self.now();
        let day = day_of(now);
        let mut tx = self.store().begin().await?;
        let model = asked.subject.model_repo.as_str().to_ascii_lowercase();
        let model = format!("model {} {model}", integration.id);
        if tx.note_distinct(day, &model).await? {
            quotas.push(assay_store::Quota {
                key: format!("models {}", integration.id),
                most: limits.distinct_models_per_day,
            });
        }
        if let Some(beyond) = tx.take_quotas(day, &quotas).await? {
            let kind = beyond.key.split(' ').next().unwrap_or_default();
            let detail = format!("no more than {} a day for one {kind}", beyond.most);
            return Err(Refusal::too_often(rest_of_day(now), detail));
        }
        tx.commit().await?;
        Ok(())
    }

    /// Writes a leaf, and waits until it is there to stay and a checkpoint covers it.
    async fn log(&self, leaf: ResultsLeaf) -> Result<(u64, String), Refusal> {
        let unavailable = |source: Box<dyn std::error::Error + Send + Sync>| Refusal {
            retry_after: Some(5),
            source: Some(source),
            ..Refusal::new(
                RefusalCode::LogUnavailable,
                "nothing is issued that is not logged",
            )
        };
        let appended = self.hub.evidence().log_results(vec![leaf.to_json()]);
        let index = match tokio::time::timeout(PATIENCE, appended).await {
            Ok(Ok(indices)) => indices.first().copied().unwrap_or_default(),
            Ok(Err(error)) => return Err(unavailable(error.into())),
            Err(elapsed) => return Err(unavailable(elapsed.into())),
        };
        // Another process may have written it.
        let trust = Arc::clone(&self.hub.trust);
        let reached = blocking(move || trust.reach_results(index + 1)).await;
        reached.map_err(|error| unavailable(error.into()))?;
        let log = self.hub.trust.results();
        let receipt = blocking(move || log.receipt(index).map_err(Error::internal)).await;
        let receipt = receipt.map_err(|error| unavailable(error.into()))?;
        Ok((index, receipt.to_string()))
    }

    /// Keeps the answer for those who ask again, and notes the event.
    async fn keep(
        &self,
        caller: &Authenticated,
        issued: &EvalToken,
        asked: &Request,
        key: Option<&str>,
        answer: &str,
        request: &str,
    ) -> Result<(), Error> {
        let mut event = event(caller, "done", request);
        event.jti = Some(issued.jti.clone());
        event.leaf = Some(issued.log.index);
        event.target = Some(target_of(&asked.subject).to_string());
        event.scores = Some(scores_of(&asked.subject).to_string());
        let mut tx = self.store().begin().await?;
        if let Some(key) = key {
            let identity = caller.key().to_string();
            tx.answer_once(&identity, key, answer).await?;
        }
        tx.note_issuer_event(self.now(), &event).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Notes a refusal, tells the watch, and gives it back.
    async fn refused(&self, caller: &Authenticated, refusal: Refusal, request: &str) -> Refusal {
        let is_limit = refusal.code == RefusalCode::RateLimited;
        let is_ours = matches!(
            refusal.code,
            RefusalCode::LogUnavailable | RefusalCode::NoSigningKey | RefusalCode::Internal
        );
        let outcome = if is_limit { "limited" } else { "refused" };
        let mut event = event(caller, if is_ours { "failed" } else { outcome }, request);
        event.code = Some(refusal.told_code());
        event.detail = Some(refusal.detail.clone());
        self.note(event).await;
        if !is_ours && refusal.code != RefusalCode::IdentitySuspended {
            let signal = if is_limit {
                Signal::Limited
            } else {
                Signal::Refused
            };
            self.watch(caller.key(), signal).await;
        }
        refusal
    }

    async fn begin_once(
        &self,
        caller: &Authenticated,
        key: &str,
        text: &str,
    ) -> Result<Option<String>, Refusal> {
        let now = self.now();
        let before = |seconds: i64| Timestamp::from_millis(now.millis() - seconds * 1_000);
        let hash = Sha256::from_bytes(*Digest::of(text.as_bytes()).as_bytes());
        let identity = caller.key().to_string();
        let mut tx = self.store().begin().await?;
        let repeated = tx
            .begin_once(&identity, key, &hash, now, before(STALE), before(KEPT))
            .await?;
        tx.commit().await?;
        match repeated {
            Repeated::No => Ok(None),
            Repeated::Answered(answer) => Ok(Some(answer)),
            Repeated::UnderWay => Err(Refusal {
                retry_after: Some(1),
                ..Refusal::new(
                    RefusalCode::IdempotencyConflict,
                    "a request with this key is under way",
                )
            }),
            Repeated::Other => Err(Refusal::new(
                RefusalCode::IdempotencyConflict,
                "this key was used for another request",
            )),
        }
    }

    async fn forget_once(&self, caller: &Authenticated, key: &str) {
        let identity = caller.key().to_string();
        let forgotten = async {
            let mut tx = self.store().begin().await?;
            tx.forget_once(&identity, key).await?;
            tx.commit().await
        };
        if let Err(error) = forgotten.await {
            tracing::warn!(%error, "a request that failed keeps its key for a minute");
        }
    }
}

fn decide(caller: &Authenticated, asked: &Request) -> Result<Decision, Refusal> {
    let integration = caller.integration().ok_or_else(Refusal::unauthenticated)?;
    let framework = &asked.subject.framework;
    Ok(integration.decide(&Ask {
        framework: &framework.name,
        version: &framework.version,
        benchmark: &asked.subject.benchmark_repo,
        model: &asked.subject.model_repo,
    }))
}

fn digests(claims: &Claims) -> TokenDigests {
    TokenDigests {
        subject: claims.digests.subject.to_string(),
        entry: claims.digests.entry.to_string(),
    }
}

fn event(caller: &Authenticated, outcome: &str, request: &str) -> NewIssuerEvent {
    NewIssuerEvent {
        action: Doing::Issue.word().to_owned(),
        integration: Some(caller.key().integration().to_string()),
        identity: Some(caller.key().to_string()),
        outcome: outcome.to_owned(),
        request: Some(request.to_owned()),
        ..NewIssuerEvent::default()
    }
}

fn checked_key(key: &str) -> Result<&str, Refusal> {
    let is_plain = key.bytes().all(|byte| byte.is_ascii_graphic());
    if (1..=MAX_KEY).contains(&key.len()) && is_plain {
        Ok(key)
    } else {
        let detail = format!("an idempotency key has 1 to {MAX_KEY} visible characters of ASCII");
        Err(Refusal::new(RefusalCode::Malformed, detail))
    }
}
