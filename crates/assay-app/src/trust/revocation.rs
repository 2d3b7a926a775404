//! Taking back what was signed, from a position in the log on, and saying first what that does.

use std::sync::Arc;

use assay_model::{PullNumber, RepoId, RepoPath, Standing, TaskId, Timestamp};
use assay_trust::{ControlLeaf, ResultsLeaf, Scope, TrustState};

use super::keys::known_key;
use super::standings::compute_standings_under;
use super::{Trust, log_error};
use crate::access::Caller;
use crate::error::{Error, Missing};
use crate::hub::blocking;
use crate::services::EvidenceService;

/// Number of entries that are looked at in one go.
const ENTRIES: u32 = 512;
/// The longest reason of a revocation, in bytes.
const REASON_BYTES: usize = 500;

/// A revocation to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRevocation {
    /// The scope of the revocation.
    pub scope: Scope,
    /// From where on.
    pub from: RevokedFrom,
    /// The reason in words. It is public.
    pub reason: String,
}

/// From where on something is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevokedFrom {
    /// All of it.
    Start,
    /// Everything from this index of the results log on.
    Index(u64),
    /// Everything that the results log got after a moment. The position in the log counts, whatever
    /// time a token names.
    After(Timestamp),
}

/// The effect of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// The index in the control log; none when nothing was written.
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
    pub pull: Option<PullNumber>,
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
    /// The standing before.
    pub before: Standing,
    /// The standing after.
    pub after: Standing,
}

/// A revocation in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationInfo {
    /// The index in the control log.
    pub index: u64,
    /// The scope of the revocation.
    pub scope: Scope,
    /// From which index of the results log on.
    pub from_index: u64,
    /// The reason.
    pub reason: String,
    /// The person who decided it.
    pub actor: String,
}

impl EvidenceService<'_> {
    /// The revocations in force. For operators.
    pub async fn revocations(self, caller: &Caller) -> Result<Vec<RevocationInfo>, Error> {
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

    /// Revokes, or only says what that would do. When a key that signs tokens here is revoked,
    /// another takes its place first. For operators.
    pub async fn revoke(
        self,
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
        let from_index = self.first_index(new.from).await?;
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
            index: Some(self.log_control(caller, &leaf).await?),
            from_index,
            rows,
        })
    }

    /// Takes a revocation back, by its index in the control log, or only says what that would do.
    /// For operators.
    pub async fn unrevoke(
        self,
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
            Some(self.log_control(caller, &leaf).await?)
        };
        Ok(Revoked {
            index,
            from_index: found.from_index,
            rows,
        })
    }

    async fn first_index(self, from: RevokedFrom) -> Result<u64, Error> {
        match from {
            RevokedFrom::Start => Ok(0),
            RevokedFrom::Index(index) => Ok(index),
            RevokedFrom::After(moment) => {
                let trust = Arc::clone(&self.hub.trust);
                blocking(move || first_after(&trust, moment)).await
            }
        }
    }

    /// The results whose standing a leaf would change, if it were the next one.
    async fn affected_by(
        self,
        state: &TrustState,
        leaf: &ControlLeaf,
    ) -> Result<Vec<AffectedRow>, Error> {
        let mut next = TrustState::clone(state);
        next.apply(leaf.to_json().as_bytes())
            .map_err(|error| Error::Operator(error.fault.to_string()))?;
        let next = Arc::new(next);
        let mut tx = self.hub.store.begin().await?;
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
                let versions = vec![&mut version];
                compute_standings_under(&self.hub.trust, &next, &mut tx, &repository, versions)
                    .await?;
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
}

/// The first leaf of the results log that came after a moment, or its end. Leaves have the time of
/// the one who wrote them, and stand in the order in which they came; so what stands behind a later
/// one came later, whatever it says.
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
