//! The verdict on an entry: a pure function of git, of the two logs, and of nothing else.

use assay_model::{RepoId, RepoPath, Timestamp};

use crate::trust::claims_of;
use crate::{
    Canonical, Claims, Decide, Digest, Issue, Kid, Outcome, Reason, RepoUid, TrustState, Unverified,
};

mod admit;
mod compare;

pub use admit::{BenchmarkAt, World, admit};
pub use compare::result_path;

/// The tolerated difference between clocks, in seconds.
pub const CLOCK_SKEW: i64 = 60;

/// An entry as it stands in a tree.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'a> {
    /// The file.
    pub path: &'a RepoPath,
    /// Its canonical form, or why it has none.
    pub canonical: Result<&'a Canonical, &'a Unverified>,
    /// True if the file has this token with this very content before: see [`Canonical::repeats`].
    pub is_repeat: bool,
}

/// The repository that an entry stands in.
#[derive(Debug, Clone, Copy)]
pub struct RepoView<'a> {
    /// Its identity, which no other repository ever has.
    pub uid: RepoUid,
    /// Its name at present.
    pub name: &'a RepoId,
}

/// The facts of the first `results_size` leaves of the results log about a token, for one
/// repository and one entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// The size of the part of the log that was read.
    pub results_size: u64,
    /// The first issuance of a token of this identity, and its index.
    pub issue: Option<(u64, Issue)>,
    /// The decision on this token, in this repository, with this entry, and its index: the first
    /// decision, unless a later one [supersedes](Decide::supersedes) it.
    pub decision: Option<(u64, Decide)>,
    /// The repository and the entry that the token is bound to by its first admission.
    pub owner: Option<(RepoUid, Digest)>,
}

/// The verdict on an entry.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Its token holds.
    Verified(Box<Attestation>),
    /// It stands on its author's word.
    Unverified(Unverified),
    /// Its token held, and does not any more.
    Revoked(Unverified),
}

/// The evidence behind a verified entry. Everything that is shown of the entry comes from here, not
/// from the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Attestation {
    /// The signed claims.
    pub claims: Claims,
    /// By which key.
    pub kid: Kid,
    /// The time at which the hub first saw it.
    pub received_at: Timestamp,
    /// The index of its issuance in the results log; none for an issuer that keeps its own log.
    pub issue_index: Option<u64>,
    /// The index of its admission in the results log.
    pub decide_index: u64,
}

/// Returns the verdict on an entry. The same answer at a push, at a re-index, in a preview and on a
/// machine without a network: for given sizes of the two logs there is one.
pub fn standing(
    submission: &Submission<'_>,
    repo: &RepoView<'_>,
    facts: &Facts,
    trust: &TrustState,
) -> Verdict {
    match attest(submission, repo, facts, trust) {
        Err(unverified) => Verdict::Unverified(unverified),
        Ok(attestation) => {
            let position = attestation.issue_index.unwrap_or(attestation.decide_index);
            match trust.revocation(&attestation.claims, attestation.kid, position) {
                Some(revocation) => Verdict::Revoked(revocation.verdict()),
                None => Verdict::Verified(Box::new(attestation)),
            }
        }
    }
}

/// Returns whether an entry is the one that a token was made for; the first field that differs is
/// named. It says nothing of who signed, nor of when the token was first seen.
pub fn matches(canonical: &Canonical, claims: &Claims) -> Result<(), Unverified> {
    compare::entry(canonical, &canonical.digest(), claims)
}

fn attest(
    submission: &Submission<'_>,
    repo: &RepoView<'_>,
    facts: &Facts,
    trust: &TrustState,
) -> Result<Attestation, Unverified> {
    let held = SoundToken::of(submission, trust)?;
    if let Some((_, decide)) = &facts.decision
        && let Outcome::Refused { reason } = &decide.outcome
    {
        return Err(refused(reason, &held.claims, decide.received_at));
    }
    if facts.owner.is_some_and(|(owner, _)| owner != repo.uid) {
        let detail = "the token was first admitted in another repository";
        return Err(Unverified::new(Reason::BoundToOtherRepo, detail));
    }
    held.check_entry(submission)?;
    let Some((decide_index, decide)) = &facts.decision else {
        check_name(&held.claims, repo)?;
        let detail = "the hub has not decided on this token yet";
        return Err(Unverified::new(Reason::NotAdmitted, detail));
    };
    let issue_index = held.issuance(facts, trust)?;
    held.check_decision(decide, *decide_index, issue_index, repo)?;
    check_fresh(&held.claims, decide.received_at)?;
    Ok(Attestation {
        claims: held.claims,
        kid: held.kid,
        received_at: decide.received_at,
        issue_index,
        decide_index: *decide_index,
    })
}

/// A token that holds by itself, and the entry that it stands in.
struct SoundToken<'a> {
    canonical: &'a Canonical,
    token: Digest,
    entry: Digest,
    claims: Claims,
    kid: Kid,
}

impl<'a> SoundToken<'a> {
    fn of(submission: &Submission<'a>, trust: &TrustState) -> Result<Self, Unverified> {
        let canonical = submission.canonical.map_err(Clone::clone)?;
        let token = canonical
            .token()
            .ok_or_else(|| Unverified::new(Reason::NoToken, "the entry carries no token"))?;
        let (claims, kid) = claims_of(token, trust)?;
        if submission.is_repeat {
            let detail = "the file has this token and this entry already";
            return Err(Unverified::new(Reason::DuplicateTokenInTree, detail));
        }
        Ok(Self {
            canonical,
            token: Digest::of(token.as_bytes()),
            entry: canonical.digest(),
            claims,
            kid,
        })
    }

    /// Returns whether the entry is the one that was signed, where it was meant to be.
    fn check_entry(&self, submission: &Submission<'_>) -> Result<(), Unverified> {
        compare::entry(self.canonical, &self.entry, &self.claims)?;
        compare::path(submission.path, &self.claims)
    }

    /// Returns the index of the issuance of this very token in the log.
    fn issuance(&self, facts: &Facts, trust: &TrustState) -> Result<Option<u64>, Unverified> {
        let Some((index, issue)) = &facts.issue else {
            let issuer = trust.issuer(&self.claims.iss);
            if issuer.is_some_and(|issuer| !issuer.trust.must_be_logged) {
                return Ok(None);
            }
            let detail = "the results log has no issuance of this token";
            return Err(Unverified::new(Reason::NotInIssuanceLog, detail));
        };
        if self.is_issued_as(issue) {
            return Ok(Some(*index));
        }
        let detail = format!("the results log has another token of this identity at {index}");
        Err(Unverified::new(Reason::IssuanceRecordMismatch, detail))
    }

    fn is_issued_as(&self, issue: &Issue) -> bool {
        let Issue {
            issuer,
            kid,
            jti,
            iat,
            exp,
            token,
            integration,
            // What the issuer discloses of the target is for those who count.
            target: _,
        } = issue;
        let claims = &self.claims;
        *token == self.token
            && *kid == self.kid
            && *jti == claims.jti
            && *issuer == claims.iss
            && *integration == claims.sub
            && (*iat, *exp) == (claims.iat, claims.exp)
    }

    /// Returns whether the decision is on this token, in this repository, with this entry, after
    /// its issuance.
    fn check_decision(
        &self,
        decide: &Decide,
        index: u64,
        issued_at: Option<u64>,
        repo: &RepoView<'_>,
    ) -> Result<(), Unverified> {
        let expected = Decide {
            jti: self.claims.jti,
            token: self.token,
            repo: repo.uid,
            entry: self.entry,
            received_at: decide.received_at,
            outcome: Outcome::Admitted {
                issue_index: issued_at,
            },
        };
        let is_after = issued_at.is_none_or(|issued_at| issued_at < index);
        if *decide == expected && is_after {
            return Ok(());
        }
        let detail = format!("the decision at {index} is about something else");
        Err(Unverified::new(Reason::ReceiptMismatch, detail))
    }
}

/// Returns whether the token is for the model of this name. Asked only before a decision: a
/// repository may be renamed later.
fn check_name(claims: &Claims, repo: &RepoView<'_>) -> Result<(), Unverified> {
    let claimed = &claims.subject.model_repo;
    if claimed == repo.name {
        return Ok(());
    }
    let detail = format!("the token is for `{claimed}` and this is `{}`", repo.name);
    Err(Unverified::new(Reason::ModelRepoMismatch, detail))
}

/// Returns whether a token held when it was first seen.
fn check_fresh(claims: &Claims, received_at: Timestamp) -> Result<(), Unverified> {
    let seconds = received_at.seconds();
    if seconds < claims.nbf - CLOCK_SKEW {
        return Err(early_or_late(Reason::NotYetValid, claims, received_at));
    }
    if seconds > claims.exp + CLOCK_SKEW {
        return Err(early_or_late(
            Reason::ExpiredAtFirstSeen,
            claims,
            received_at,
        ));
    }
    Ok(())
}

fn early_or_late(reason: Reason, claims: &Claims, received_at: Timestamp) -> Unverified {
    let [from, until] = [claims.nbf, claims.exp].map(Timestamp::from_seconds);
    let detail = format!("first seen at {received_at}, and it held from {from} until {until}");
    Unverified::new(reason, detail)
}

/// The words for a refusal that the log has. They follow from the leaf and the token, so they are
/// the same for ever.
fn refused(code: &str, claims: &Claims, received_at: Timestamp) -> Unverified {
    match Reason::from_code(code) {
        Some(reason @ (Reason::NotYetValid | Reason::ExpiredAtFirstSeen)) => {
            early_or_late(reason, claims, received_at)
        }
        Some(reason) => {
            let detail = format!("refused when it was first seen at {received_at}");
            Unverified::new(reason, detail)
        }
        None => {
            let shown = assay_model::quote(code);
            let detail = format!("refused when it was first seen at {received_at}: {shown}");
            Unverified::new(Reason::NotAdmitted, detail)
        }
    }
}
