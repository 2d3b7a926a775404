//! The standings of entries, at given sizes of the two logs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use assay_model::{Attested, RepoId, RepoPath, Standing, Timestamp};
use assay_store::{Evidence, LogKind, NewEntry, Repository, Tx};
use assay_tlog::Log;
use assay_trust::{
    Decide, Digest, Facts, Issue, Jti, Outcome, RepoUid, RepoView, ResultsLeaf, Submission,
    TrustState, Verdict, standing,
};

use super::evidence::form;
use super::follow::Sizes;
use super::{Trust, log_error};
use crate::error::Error;
use crate::hub::blocking;

/// Everything that the results log says of one token.
#[derive(Debug, Clone, Default)]
pub(super) struct OfToken {
    issue: Option<(u64, Issue)>,
    decisions: Vec<(u64, Decide)>,
}

/// An entry whose standing is computed, with all that its verdict depends on but for the control
/// log.
pub(super) struct Case {
    pub(super) uid: RepoUid,
    pub(super) name: RepoId,
    pub(super) path: RepoPath,
    pub(super) token: Option<String>,
    pub(super) evidence: Evidence,
    pub(super) of_token: Arc<OfToken>,
    pub(super) results_size: u64,
}

/// Gives every entry its standing, as the logs are known in this transaction.
pub(crate) async fn compute_standings(
    trust: &Trust,
    tx: &mut Tx,
    repository: &Repository,
    entries: Vec<&mut NewEntry>,
) -> Result<(), Error> {
    let sizes = Sizes::known(tx).await?;
    trust.reach(sizes)?;
    let state = trust.state_at(sizes.control)?;
    compute_standings_under(trust, &state, tx, repository, entries).await
}

/// The same, under what a control log says that may be another.
pub(super) async fn compute_standings_under(
    trust: &Trust,
    state: &Arc<TrustState>,
    tx: &mut Tx,
    repository: &Repository,
    entries: Vec<&mut NewEntry>,
) -> Result<(), Error> {
    let mut signed: Vec<&mut NewEntry> = Vec::new();
    for entry in entries {
        // Whatever brings no token stands as whoever read it said.
        if entry.evidence.is_some() {
            signed.push(entry);
        }
    }
    if signed.is_empty() {
        return Ok(());
    }
    let results_size = tx.log_cursor(LogKind::Results).await?;
    let results = trust.results();
    let state = Arc::clone(state);
    let mut tokens: BTreeMap<String, Arc<OfToken>> = BTreeMap::new();
    let mut cases = Vec::new();
    // A history says the same entry many times; its standing is computed once.
    let mut known: HashMap<(RepoPath, Evidence, Option<String>), usize> = HashMap::new();
    let mut places = Vec::with_capacity(signed.len());
    for entry in &signed {
        let Some(evidence) = entry.evidence.clone() else {
            continue;
        };
        let said = (
            entry.file.clone(),
            evidence.clone(),
            entry.entry.token.clone(),
        );
        if let Some(place) = known.get(&said) {
            places.push(*place);
            continue;
        }
        let of_token = match &evidence.jti {
            None => Arc::default(),
            Some(jti) => {
                if !tokens.contains_key(jti) {
                    let found = of_token(tx, &results, jti).await?;
                    tokens.insert(jti.clone(), Arc::new(found));
                }
                tokens.get(jti).cloned().unwrap_or_default()
            }
        };
        places.push(cases.len());
        known.insert(said, cases.len());
        cases.push(Case {
            uid: RepoUid::from_bytes(repository.uid),
            name: repository.id.clone(),
            path: entry.file.clone(),
            token: entry.entry.token.clone(),
            evidence,
            of_token,
            results_size,
        });
    }
    let standings = blocking(move || {
        Ok(cases
            .iter()
            .map(|case| case.standing(&state))
            .collect::<Vec<_>>())
    })
    .await?;
    for (entry, place) in signed.into_iter().zip(places) {
        standings[place].clone_into(&mut entry.standing);
    }
    Ok(())
}

/// Looks up what the results log says of a token, as far as this transaction knows it.
pub(super) async fn of_token(tx: &mut Tx, results: &Log, jti: &str) -> Result<OfToken, Error> {
    let issued = tx.issued(jti).await?.map(|issued| issued.index);
    let decided: Vec<u64> = tx
        .decisions(jti)
        .await?
        .into_iter()
        .map(|decision| decision.index)
        .collect();
    if issued.is_none() && decided.is_empty() {
        return Ok(OfToken::default());
    }
    let results = results.clone();
    let jti = jti.to_owned();
    blocking(move || read_token(&results, &jti, issued, &decided)).await
}

/// Reads the leaves about a token. They are the truth, and what the database says of them is where
/// to look.
pub(super) fn read_token(
    results: &Log,
    jti: &str,
    issued: Option<u64>,
    decided: &[u64],
) -> Result<OfToken, Error> {
    let jti: Jti = jti.parse().map_err(Error::internal)?;
    let wrong = |index: u64| {
        Error::internal(format!(
            "leaf {index} of the results log is not about token `{jti}`"
        ))
    };
    let read = |index: u64| {
        let leaf = results.leaf(index).map_err(log_error)?;
        ResultsLeaf::read(&leaf).map_err(Error::internal)
    };
    let mut found = OfToken::default();
    if let Some(index) = issued {
        match read(index)? {
            ResultsLeaf::Issue(issue) if issue.jti == jti => found.issue = Some((index, issue)),
            ResultsLeaf::Issue(_) | ResultsLeaf::Decide(_) => return Err(wrong(index)),
        }
    }
    for index in decided {
        match read(*index)? {
            ResultsLeaf::Decide(decide) if decide.jti == jti => {
                found.decisions.push((*index, decide));
            }
            ResultsLeaf::Issue(_) | ResultsLeaf::Decide(_) => return Err(wrong(*index)),
        }
    }
    Ok(found)
}

impl OfToken {
    /// Returns the facts that count for an entry in a repository.
    pub(super) fn facts(&self, size: u64, uid: RepoUid, entry: Option<Digest>) -> Facts {
        let mut decision: Option<(u64, Decide)> = None;
        for (index, decide) in &self.decisions {
            if decide.repo != uid || Some(decide.entry) != entry {
                continue;
            }
            let counts = match &decision {
                None => true,
                Some((_, earlier)) => decide.supersedes(earlier),
            };
            if counts {
                decision = Some((*index, decide.clone()));
            }
        }
        let admitted = self
            .decisions
            .iter()
            .find(|(_, decide)| match decide.outcome {
                Outcome::Admitted { .. } => true,
                Outcome::Refused { .. } => false,
            });
        Facts {
            results_size: size,
            issue: self.issue.clone(),
            decision,
            owner: admitted.map(|(_, decide)| (decide.repo, decide.entry)),
        }
    }
}

impl Case {
    /// The verdict of the one function that decides.
    pub(super) fn standing(&self, state: &TrustState) -> Standing {
        let canonical = form(&self.evidence, self.token.as_deref());
        let entry = canonical.as_ref().ok().map(assay_trust::Canonical::digest);
        let facts = self.of_token.facts(self.results_size, self.uid, entry);
        self.verdict(canonical.as_ref(), &facts, state)
    }

    /// The verdict on given facts.
    pub(super) fn verdict(
        &self,
        canonical: Result<&assay_trust::Canonical, &assay_trust::Unverified>,
        facts: &Facts,
        state: &TrustState,
    ) -> Standing {
        let submission = Submission {
            path: &self.path,
            canonical,
            is_repeat: self.evidence.repeated,
        };
        let repo = RepoView {
            uid: self.uid,
            name: &self.name,
        };
        shown(standing(&submission, &repo, facts, state))
    }
}

/// A verdict in the words of the index.
fn shown(verdict: Verdict) -> Standing {
    match verdict {
        Verdict::Verified(found) => Standing::Verified(Box::new(Attested {
            assurance: found.claims.assurance.to_string(),
            integration: found.claims.sub.to_string(),
            issuer: found.claims.iss.clone(),
            kid: found.kid.to_string(),
            jti: found.claims.jti.to_string(),
            signed: Timestamp::from_seconds(found.claims.iat),
            first_seen: found.received_at,
            issue_index: found.issue_index,
            decide_index: found.decide_index,
        })),
        Verdict::Unverified(why) => Standing::Unverified {
            reason: why.reason.code(),
            detail: why.detail,
        },
        Verdict::Revoked(why) => Standing::Revoked {
            reason: why.reason.code(),
            detail: why.detail,
        },
    }
}
