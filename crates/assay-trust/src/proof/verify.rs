use assay_model::RepoPath;
use assay_tlog::{Receipt, SignedCheckpoint, TreeHash, VerifierKey};

use super::{Anchor, Proof, ProofError, Proven, TrustNote};
use crate::verdict::result_path;
use crate::{
    Canonical, Claims, Decide, Digest, Facts, Issue, Outcome, RepoView, ResultsLeaf, Submission,
    TrustState, UnverifiedToken, standing,
};

impl Proof {
    /// Checks everything that the proof says, with the keys that the reader brings; without any,
    /// with its own.
    ///
    /// The verdict comes from the same function as that of the hub. It is as of the two logs when
    /// the proof was made: a later revocation is in a later control log.
    pub fn verify(&self, anchor: Option<&TrustNote>) -> Result<Proven, ProofError> {
        let note = anchor.unwrap_or(&self.note);
        self.check_anchor(note)?;
        let trust = self.replay(&note.control_keys())?;
        let (issue, decide) = self.leaves(&note.results_keys())?;
        let entry = self.entry(&decide.1)?;
        self.git.verify(entry.path.name())?;
        let facts = Facts {
            results_size: self.decide.proof().size,
            owner: owner(&decide.1),
            issue,
            decision: Some(decide),
        };
        let repo = RepoView {
            uid: entry.decide.repo,
            name: &entry.claims.subject.model_repo,
        };
        let submission = Submission {
            path: &entry.path,
            canonical: Ok(&entry.canonical),
            is_repeat: false,
        };
        Ok(Proven {
            verdict: standing(&submission, &repo, &facts, &trust),
            entry: entry.canonical.digest(),
            repo: entry.decide.repo,
            commit: self.git.id,
            path: entry.path,
            position: entry.position,
            results_size: facts.results_size,
            control_size: trust.size(),
            note: note.clone(),
            anchor: if anchor.is_some() {
                Anchor::Given
            } else {
                Anchor::Own
            },
        })
    }

    /// Checks that the proof is about the logs that the reader trusts, which may have had another
    /// name when it was made.
    fn check_anchor(&self, note: &TrustNote) -> Result<(), ProofError> {
        if self.note == *note || note.succeeds(&self.note) {
            return Ok(());
        }
        let (found, given) = (self.note.hub.clone(), note.hub.clone());
        Err(if self.note.succeeds(note) {
            ProofError::Renamed { found, given }
        } else {
            ProofError::OtherHub { found, given }
        })
    }

    /// Follows the control log, once it is known to be the whole of what was signed.
    fn replay(&self, keys: &[VerifierKey]) -> Result<TrustState, ProofError> {
        let checkpoint = &self.control_checkpoint;
        let checkpoint = checkpoint
            .verify(key_for(keys, checkpoint))
            .map_err(ProofError::Checkpoint)?;
        let is_whole = u64::try_from(self.control.len()) == Ok(checkpoint.size);
        if !is_whole || TreeHash::of_leaves(&self.control) != checkpoint.root {
            return Err(ProofError::ControlRoot);
        }
        Ok(TrustState::replay(&self.control)?)
    }

    /// The leaves of the receipts, with their places.
    #[expect(
        clippy::type_complexity,
        reason = "two pairs that are taken apart at once"
    )]
    fn leaves(
        &self,
        keys: &[VerifierKey],
    ) -> Result<(Option<(u64, Issue)>, (u64, Decide)), ProofError> {
        let issue = match &self.issue {
            None => None,
            Some(receipt) => match leaf("issuance", receipt, keys)? {
                ResultsLeaf::Issue(issue) => Some((receipt.index(), issue)),
                ResultsLeaf::Decide(_) => return Err(ProofError::WrongLeaf("issuance")),
            },
        };
        match leaf("decision", &self.decide, keys)? {
            ResultsLeaf::Decide(decide) => Ok((issue, (self.decide.index(), decide))),
            ResultsLeaf::Issue(_) => Err(ProofError::WrongLeaf("decision")),
        }
    }

    /// The entry that was decided on: the first one in the file with that very token and content.
    fn entry(&self, decide: &Decide) -> Result<ClaimedEntry, ProofError> {
        let entries = Canonical::read_file(&self.git.file);
        let is_it = |entry: &Canonical| {
            let token = entry.token().map(|token| Digest::of(token.as_bytes()));
            token == Some(decide.token) && entry.digest() == decide.entry
        };
        let position = entries
            .iter()
            .position(|entry| entry.as_ref().is_ok_and(is_it));
        let found =
            position.and_then(|at| entries.into_iter().nth(at)?.ok().map(|entry| (at, entry)));
        let (position, canonical) = found.ok_or(ProofError::NoEntry)?;
        let token = UnverifiedToken::read(canonical.token().unwrap_or_default());
        let claims = token.and_then(|token| token.unverified_claims());
        let claims = claims.map_err(ProofError::Token)?;
        Ok(ClaimedEntry {
            path: result_path(&claims),
            decide: decide.clone(),
            position,
            canonical,
            claims,
        })
    }
}

/// An entry in the file. Its claims are not believed: they only say where to look.
struct ClaimedEntry {
    position: usize,
    canonical: Canonical,
    claims: Claims,
    path: RepoPath,
    decide: Decide,
}

/// Returns the key under the name of the log that signed the checkpoint; without one, the first,
/// which then does not fit.
fn key_for<'k>(keys: &'k [VerifierKey], checkpoint: &SignedCheckpoint) -> &'k VerifierKey {
    let origin = &checkpoint.claimed().origin;
    let named = keys.iter().find(|key| key.name() == origin);
    named.unwrap_or(&keys[0])
}

fn leaf(
    which: &'static str,
    receipt: &Receipt,
    keys: &[VerifierKey],
) -> Result<ResultsLeaf, ProofError> {
    receipt
        .verify(key_for(keys, receipt.checkpoint()))
        .map_err(|source| ProofError::Receipt { which, source })?;
    ResultsLeaf::read(receipt.leaf()).map_err(|source| ProofError::Leaf { which, source })
}

fn owner(decide: &Decide) -> Option<(crate::RepoUid, Digest)> {
    match decide.outcome {
        Outcome::Admitted { .. } => Some((decide.repo, decide.entry)),
        Outcome::Refused { .. } => None,
    }
}
