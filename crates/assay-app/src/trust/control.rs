//! What operators write to the control log, from the server or beside it.

use std::sync::Arc;
use std::time::Duration;

use assay_model::{RepoId, RepoPath, Standing, TaskId, Timestamp};
use assay_store::LogKind;
use assay_trust::{
    ControlLeaf, IssuerTrust, KeyPurpose, KeyState, Kid, PublicKey, ResultsLeaf, Scope, SigningKey,
    TrustState, TrustedKey,
};

use super::{Trust, Which, log_error};
use crate::access::Caller;
use crate::error::{Error, Missing};
use crate::hub::{Hub, blocking};
use crate::trust::judge::judge_under;

/// How long a command waits for the process that writes the control log.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How many requests are answered at a time.
const REQUESTS: u32 = 64;
/// How many entries are looked at in one go.
const ENTRIES: u32 = 512;
/// In every which turn of the watch a server looks whether the logs have become free.
const TAKE_OVER_EVERY: u64 = 10;
/// In every which turn of the watch what others clone is brought up to the logs: every five seconds.
const MIRROR_EVERY: u64 = 25;
/// The longest reason of a revocation, in bytes.
const REASON_BYTES: usize = 500;

/// A key that the control log knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    /// Its name.
    pub kid: Kid,
    /// Whose it is: an issuer, or the origin of a log.
    pub issuer: String,
    /// What it signs.
    pub purpose: KeyPurpose,
    /// Where it is in its life.
    pub state: KeyState,
    /// From which index of the results log on what it signed is revoked.
    pub revoked_from: Option<u64>,
    /// Whether this hub has its secret half.
    pub is_own: bool,
}

/// A revocation to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevocation {
    /// What is revoked.
    pub scope: Scope,
    /// From where on.
    pub from: RevokedFrom,
    /// Why, in words. It is public.
    pub reason: String,
}

/// From where on something is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevokedFrom {
    /// All of it.
    Start,
    /// What the results log has from this index on.
    Index(u64),
    /// What the results log got after a moment. The position in the log counts, whatever time a token names.
    After(Timestamp),
}

/// What a revocation does, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// Where the control log has it; none when nothing was written.
    pub index: Option<u64>,
    /// From which index of the results log on it counts.
    pub from_index: u64,
    /// Every result that changes, in the order of models, branches, files and places.
    pub rows: Vec<AffectedRow>,
}

/// A result whose standing a leaf of the control log changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AffectedRow {
    /// The model.
    pub model: RepoId,
    /// The pull request, when it is in one.
    pub pull: Option<u32>,
    /// The file.
    pub file: RepoPath,
    /// Its place in the file, from 0.
    pub ordinal: u32,
    /// The benchmark.
    pub dataset: RepoId,
    /// The task.
    pub task: TaskId,
    /// The identity of its token.
    pub jti: Option<String>,
    /// What it was.
    pub before: Standing,
    /// What it becomes.
    pub after: Standing,
}

/// A revocation in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationInfo {
    /// Where the control log has it.
    pub index: u64,
    /// What is revoked.
    pub scope: Scope,
    /// From which index of the results log on.
    pub from_index: u64,
    /// Why.
    pub reason: String,
    /// Who decided it.
    pub actor: String,
}

/// An issuer to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewIssuer {
    /// Its name, as its tokens have it.
    pub issuer: String,
    /// The audience that its tokens name; that of this hub when absent.
    pub audience: Option<String>,
    /// The frameworks that it may sign for; none for all.
    pub frameworks: Option<Vec<String>>,
    /// Whether its tokens count only when the results log of this hub has their issuance.
    pub must_be_logged: bool,
    /// Its keys.
    pub keys: Vec<PublicKey>,
}

impl Hub {
    /// Writes a leaf to the control log, or asks the process that may, and returns where it stands once everything that it
    /// changes has been judged again.
    pub(crate) async fn log_control(&self, leaf: &ControlLeaf) -> Result<u64, Error> {
        if self.trust.writes(Which::Control) {
            let index = self.trust.append_control(leaf).await?;
            self.follow_logs().await?;
            return Ok(index);
        }
        let mut tx = self.store.begin().await?;
        let id = tx.ask_control(&leaf.to_json(), self.now()).await?;
        tx.commit().await?;
        let mut waited = Duration::ZERO;
        loop {
            let asked = self.store.control_request(id).await?;
            let asked = asked.ok_or_else(|| Error::internal("a request was lost"))?;
            match (asked.index, asked.fault) {
                (Some(index), _) => return Ok(index),
                (None, Some(fault)) => return Err(Error::Conflict(fault)),
                (None, None) => {}
            }
            // When no server runs, the log is ours for a moment.
            if self.take_control().await? {
                continue;
            }
            if waited >= PATIENCE {
                return Err(Error::internal(
                    "the process that writes the control log does not answer; what was asked for stays asked for",
                ));
            }
            tokio::time::sleep(LOOK_EVERY).await;
            waited += LOOK_EVERY;
        }
    }

    /// Writes what others have asked for, if this process may.
    pub(crate) async fn answer_control_requests(&self) -> Result<(), Error> {
        if !self.trust.writes(Which::Control) {
            return Ok(());
        }
        for asked in self.store.open_control_requests(REQUESTS).await? {
            let answer = match ControlLeaf::read(asked.leaf.as_bytes()) {
                Err(error) => Err(error.to_string()),
                Ok(leaf) => match self.trust.append_control(&leaf).await {
                    Ok(index) => Ok(index),
                    Err(Error::Conflict(why)) => Err(why),
                    Err(error) => return Err(error),
                },
            };
            let mut tx = self.store.begin().await?;
            let touched = self.trust.follow(&mut tx, None).await?;
            let answer = answer.as_ref().map(|index| *index).map_err(String::as_str);
            tx.answer_control(asked.id, answer).await?;
            tx.commit().await?;
            self.touch(&touched);
        }
        Ok(())
    }

    /// What a server does with its logs now and then: it takes them over when nobody writes them any more, answers those
    /// who work beside it, and brings the index up to what was logged.
    pub(crate) async fn keep_logs(&self, turn: u64) -> Result<(), Error> {
        if self.trust.role != super::Role::Keeper {
            return Ok(());
        }
        if !self.trust.is_writer() {
            if turn.is_multiple_of(TAKE_OVER_EVERY) {
                let trust = Arc::clone(&self.trust);
                blocking(move || trust.refresh()).await?;
            }
            return Ok(());
        }
        self.answer_control_requests().await?;
        let sizes = self.trust.sizes();
        if self.known_of_logs().await? != (sizes.results, sizes.control) {
            self.follow_logs().await?;
        }
        if turn % MIRROR_EVERY == MIRROR_EVERY - 1 {
            self.mirror_logs().await?;
        }
        Ok(())
    }

    /// Writes the control log for a moment, when nobody else does.
    async fn take_control(&self) -> Result<bool, Error> {
        let trust = Arc::clone(&self.trust);
        if !blocking(move || trust.take(Which::Control)).await? {
            return Ok(false);
        }
        let answered = self.answer_control_requests().await;
        let trust = Arc::clone(&self.trust);
        blocking(move || trust.let_go()).await?;
        answered.map(|()| true)
    }

    /// Every key that the control log knows, by its name. For operators.
    pub async fn keys(&self, caller: &Caller) -> Result<Vec<KeyInfo>, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let keys = state.keys().map(|key| self.key_info(&state, key));
        Ok(keys.collect())
    }

    /// Makes a key for tokens and publishes it, to be used later. For operators.
    pub async fn generate_key(&self, caller: &Caller) -> Result<KeyInfo, Error> {
        caller.check_operator()?;
        let key = self.new_token_key(KeyState::Pending).await?;
        self.key(key.kid()).await
    }

    /// Lets another key sign tokens from now on: the one that is named, else one that waits, else a new one. The one that
    /// signed before retires. For operators.
    pub async fn rotate_key(&self, caller: &Caller, to: Option<Kid>) -> Result<KeyInfo, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let own: Vec<&TrustedKey> = self.trust.own_token_keys(&state).collect();
        let waiting = |key: &&&TrustedKey| key.state == KeyState::Pending;
        let next = match to {
            Some(kid) => {
                let found = own.iter().find(|key| key.key.kid() == kid);
                let found = found.filter(waiting).ok_or_else(|| {
                    Error::Conflict(format!(
                        "`{kid}` is no key of this hub that waits to be used"
                    ))
                })?;
                Some(*found)
            }
            None => own.iter().find(waiting).copied(),
        };
        let kid = match next {
            Some(next) => {
                self.set_key_state(next, KeyState::Active).await?;
                next.key.kid()
            }
            None => self.new_token_key(KeyState::Active).await?.kid(),
        };
        for former in own.iter().filter(|key| key.state == KeyState::Active) {
            self.set_key_state(former, KeyState::Retiring).await?;
        }
        self.key(kid).await
    }

    /// Ends the life of a key that signs no more. What it signed stands. For operators.
    pub async fn retire_key(&self, caller: &Caller, kid: Kid) -> Result<KeyInfo, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let key = known_key(&state, kid)?;
        if key.state == KeyState::Active && self.trust.vault.has(key.purpose, kid) {
            return Err(Error::Conflict(
                "this key signs at present; `assay keys rotate` first".to_owned(),
            ));
        }
        self.set_key_state(key, KeyState::Retired).await?;
        self.key(kid).await
    }

    /// The revocations in force. For operators.
    pub async fn revocations(&self, caller: &Caller) -> Result<Vec<RevocationInfo>, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let told = state.revocations().map(|(index, own)| RevocationInfo {
            index,
            scope: own.scope.clone(),
            from_index: own.from_index,
            reason: own.reason.clone(),
            actor: own.actor.clone(),
        });
        Ok(told.collect())
    }

    /// Revokes, or only says what that would do. When a key that signs tokens here is revoked, another takes its place
    /// first. For operators.
    pub async fn revoke(
        &self,
        caller: &Caller,
        new: NewRevocation,
        dry_run: bool,
    ) -> Result<Revoked, Error> {
        caller.check_operator()?;
        let reason = new.reason.trim();
        if reason.is_empty() || reason.len() > REASON_BYTES {
            return Err(Error::Invalid(format!(
                "a revocation needs a reason of at most {REASON_BYTES} bytes; it is public"
            )));
        }
        let state = self.trust_now().await?;
        if let Scope::Kid(kid) = &new.scope {
            known_key(&state, *kid)?;
        }
        let from_index = self.from_index(new.from).await?;
        let leaf = ControlLeaf::Revoke {
            scope: new.scope.clone(),
            from_index,
            reason: reason.to_owned(),
            actor: caller.name().unwrap_or("operator").to_owned(),
        };
        let rows = self.affected_by(&state, &leaf).await?;
        if dry_run {
            return Ok(Revoked {
                index: None,
                from_index,
                rows,
            });
        }
        if let Scope::Kid(kid) = new.scope
            && self.signs_now(&state, kid)
        {
            self.rotate_key(caller, None).await?;
        }
        Ok(Revoked {
            index: Some(self.log_control(&leaf).await?),
            from_index,
            rows,
        })
    }

    /// Takes a revocation back, by its index in the control log, or only says what that would do. For operators.
    pub async fn unrevoke(
        &self,
        caller: &Caller,
        revocation: u64,
        reason: &str,
        dry_run: bool,
    ) -> Result<Revoked, Error> {
        caller.check_operator()?;
        let state = self.trust_now().await?;
        let found = state.revocations().find(|(index, _)| *index == revocation);
        let Some((_, found)) = found else {
            return Err(Error::NotFound(Missing::Other(format!(
                "leaf {revocation} of the control log is no revocation that is in force"
            ))));
        };
        let leaf = ControlLeaf::Unrevoke {
            revocation,
            reason: reason.trim().to_owned(),
            actor: caller.name().unwrap_or("operator").to_owned(),
        };
        let rows = self.affected_by(&state, &leaf).await?;
        let index = if dry_run {
            None
        } else {
            Some(self.log_control(&leaf).await?)
        };
        Ok(Revoked {
            index,
            from_index: found.from_index,
            rows,
        })
    }

    /// The issuers that the control log knows, by their names. For operators.
    pub async fn issuers(&self, caller: &Caller) -> Result<Vec<assay_trust::TrustedIssuer>, Error> {
        caller.check_operator()?;
        Ok(self.trust_now().await?.issuers().cloned().collect())
    }

    /// Trusts an issuer and its keys from now on. For operators.
    pub async fn trust_issuer(&self, caller: &Caller, new: NewIssuer) -> Result<(), Error> {
        caller.check_operator()?;
        if new.issuer == self.trust.issuer() {
            return Err(Error::Conflict(
                "this hub trusts itself already, and on its own terms".to_owned(),
            ));
        }
        let audience = new.audience.unwrap_or_else(|| self.trust.audience.clone());
        self.log_control(&ControlLeaf::Issuer(IssuerTrust {
            issuer: new.issuer.clone(),
            audience,
            frameworks: new.frameworks,
            must_be_logged: new.must_be_logged,
            is_trusted: true,
        }))
        .await?;
        let state = self.trust_now().await?;
        for key in new.keys {
            let is_known = state
                .key(key.kid())
                .is_some_and(|known| known.issuer == new.issuer);
            if is_known {
                continue;
            }
            self.log_control(&ControlLeaf::Key {
                issuer: new.issuer.clone(),
                key,
                purpose: KeyPurpose::Token,
                state: KeyState::Active,
            })
            .await?;
        }
        Ok(())
    }

    /// Trusts an issuer no more: what it signed becomes unverified. For operators.
    pub async fn distrust_issuer(&self, caller: &Caller, issuer: &str) -> Result<(), Error> {
        caller.check_operator()?;
        if issuer == self.trust.issuer() {
            return Err(Error::Conflict(
                "this is the issuer of this hub; revoke its keys instead".to_owned(),
            ));
        }
        let state = self.trust_now().await?;
        let known = state.issuer(issuer).ok_or_else(|| {
            Error::NotFound(Missing::Other(format!("`{issuer}` is no known issuer")))
        })?;
        self.log_control(&ControlLeaf::Issuer(IssuerTrust {
            is_trusted: false,
            ..known.trust.clone()
        }))
        .await?;
        Ok(())
    }

    /// What the control log says at this moment, whoever writes it.
    async fn trust_now(&self) -> Result<Arc<TrustState>, Error> {
        self.follow_logs().await?;
        Ok(self.trust.state())
    }

    async fn new_token_key(&self, state: KeyState) -> Result<SigningKey, Error> {
        let trust = Arc::clone(&self.trust);
        // The secret is on disk before the world is told of the key.
        let key = blocking(move || trust.vault.make(KeyPurpose::Token)).await?;
        self.log_control(&ControlLeaf::Key {
            issuer: self.trust.issuer().to_owned(),
            key: key.public(),
            purpose: KeyPurpose::Token,
            state,
        })
        .await?;
        Ok(key)
    }

    async fn set_key_state(&self, key: &TrustedKey, state: KeyState) -> Result<(), Error> {
        self.log_control(&ControlLeaf::Key {
            issuer: key.issuer.clone(),
            key: key.key.clone(),
            purpose: key.purpose,
            state,
        })
        .await?;
        Ok(())
    }

    async fn key(&self, kid: Kid) -> Result<KeyInfo, Error> {
        let state = self.trust_now().await?;
        let key = known_key(&state, kid)?;
        Ok(self.key_info(&state, key))
    }

    fn key_info(&self, state: &TrustState, key: &TrustedKey) -> KeyInfo {
        let kid = key.key.kid();
        let revoked = state
            .revocations()
            .filter(|(_, own)| own.scope == Scope::Kid(kid))
            .map(|(_, own)| own.from_index)
            .min();
        KeyInfo {
            kid,
            issuer: key.issuer.clone(),
            purpose: key.purpose,
            state: key.state,
            revoked_from: revoked,
            is_own: self.trust.vault.has(key.purpose, kid),
        }
    }

    fn signs_now(&self, state: &TrustState, kid: Kid) -> bool {
        self.trust
            .own_token_keys(state)
            .any(|key| key.key.kid() == kid && key.state == KeyState::Active)
    }

    async fn from_index(&self, from: RevokedFrom) -> Result<u64, Error> {
        match from {
            RevokedFrom::Start => Ok(0),
            RevokedFrom::Index(index) => Ok(index),
            RevokedFrom::After(moment) => {
                let trust = Arc::clone(&self.trust);
                blocking(move || first_after(&trust, moment)).await
            }
        }
    }

    /// The results whose standing a leaf would change, if it were the next one.
    async fn affected_by(
        &self,
        state: &TrustState,
        leaf: &ControlLeaf,
    ) -> Result<Vec<AffectedRow>, Error> {
        let mut next = TrustState::clone(state);
        next.apply(leaf.to_json().as_bytes())
            .map_err(|error| Error::Conflict(error.fault.to_string()))?;
        let next = Arc::new(next);
        let mut tx = self.store.begin().await?;
        let (mut rows, mut last) = (Vec::new(), 0);
        loop {
            let entries = tx.token_entries(None, last, ENTRIES).await?;
            let Some(end) = entries.last() else {
                break;
            };
            last = end.id;
            for entry in entries
                .into_iter()
                .filter(|own| own.indexed.until.is_none())
            {
                let Some(repository) = tx.repository(entry.key).await? else {
                    continue;
                };
                let pull = entry.indexed.branch.pull();
                let mut version = entry.indexed.version;
                let before = version.standing.clone();
                let judged = vec![&mut version];
                judge_under(&self.trust, &next, &mut tx, &repository, judged).await?;
                if version.standing != before {
                    rows.push(AffectedRow {
                        model: repository.id,
                        pull,
                        file: version.file,
                        ordinal: version.ordinal,
                        dataset: version.entry.dataset,
                        task: version.entry.task,
                        jti: version.evidence.and_then(|evidence| evidence.jti),
                        before,
                        after: version.standing,
                    });
                }
            }
        }
        tx.rollback().await?;
        let place = |row: &AffectedRow| {
            let model = row.model.as_str().to_ascii_lowercase();
            (model, row.pull, row.file.clone(), row.ordinal)
        };
        rows.sort_by_cached_key(place);
        Ok(rows)
    }

    /// How many tokens the results log has for a target, when its integration discloses that.
    pub async fn count_issued(&self, target: &assay_trust::Digest) -> Result<u64, Error> {
        Ok(self.store.count_issued(&target.to_string()).await?)
    }

    /// Up to which sizes the index knows the logs: results and control.
    pub async fn known_of_logs(&self) -> Result<(u64, u64), Error> {
        Ok((
            self.store.log_cursor(LogKind::Results).await?,
            self.store.log_cursor(LogKind::Control).await?,
        ))
    }
}

impl Trust {
    /// Takes over the writing of a log, if nobody else writes it.
    fn take(&self, which: Which) -> Result<bool, Error> {
        let held = super::hold(
            &self.directory,
            which,
            &self.origin,
            &self.vault,
            super::Role::Keeper,
        )?;
        let writes = held.writes;
        self.put(which, held);
        self.read_state()?;
        Ok(writes)
    }
}

fn known_key(state: &TrustState, kid: Kid) -> Result<&TrustedKey, Error> {
    state.key(kid).ok_or_else(|| {
        let text = format!("the control log knows no key `{kid}`");
        Error::NotFound(Missing::Other(text))
    })
}

/// The first leaf of the results log that came after a moment, or its end. Leaves have the time of the one who wrote them,
/// and stand in the order in which they came; so what stands behind a later one came later, whatever it says.
fn first_after(trust: &Trust, moment: Timestamp) -> Result<u64, Error> {
    let log = trust.results();
    for leaf in log.leaves(0..log.size()) {
        let (index, leaf) = leaf.map_err(log_error)?;
        let seconds = match ResultsLeaf::read(&leaf).map_err(Error::internal)? {
            ResultsLeaf::Issue(issue) => issue.iat,
            ResultsLeaf::Decide(decide) => decide.received_at.seconds(),
        };
        if seconds > moment.seconds() {
            return Ok(index);
        }
    }
    Ok(log.size())
}

/// Reads the keys of a JWK set that can sign tokens.
pub fn keys_of_jwks(text: &str) -> Result<Vec<PublicKey>, Error> {
    let wrong = |what: &str| Error::Invalid(format!("this is no set of keys: {what}"));
    let json: serde_json::Value =
        serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    let keys = json.get("keys").and_then(serde_json::Value::as_array);
    let keys = keys.ok_or_else(|| wrong("it has no list `keys`"))?;
    let mut read = Vec::new();
    for jwk in keys {
        let member = |name: &str| jwk.get(name).and_then(serde_json::Value::as_str);
        if (member("kty"), member("crv")) != (Some("OKP"), Some("Ed25519")) {
            continue;
        }
        let x = member("x").ok_or_else(|| wrong("a key has no `x`"))?;
        let plain = serde_json::json!({ "crv": "Ed25519", "kty": "OKP", "x": x }).to_string();
        let plain = assay_trust::Json::read(&plain).map_err(|error| wrong(&error.to_string()))?;
        read.push(PublicKey::from_jwk(plain).map_err(|error| wrong(&error.to_string()))?);
    }
    if read.is_empty() {
        return Err(wrong("it has no Ed25519 key"));
    }
    Ok(read)
}
