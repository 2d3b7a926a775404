use super::AuditFault;
use super::files::Files;
use crate::checkpoint::SignedCheckpoint;
use crate::key::{VerifierKey, WitnessKey};
use crate::tree::Tree;

/// The witnesses that must have signed the history of a log, and since when. A log that shows one
/// reader a history of its own gets no signature for it, and the signatures from before the fork
/// grow old.
#[derive(Debug, Clone, Copy)]
pub struct Quorum<'a> {
    /// The witnesses, each once.
    pub keys: &'a [WitnessKey],
    /// Minimum number of signatures.
    pub at_least: usize,
    /// Signatures before this time, in seconds since 1970, do not count.
    pub not_before: u64,
}

/// The checkpoint of a log that a quorum of witnesses signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuorumReport {
    /// Number of entries of that checkpoint.
    pub size: u64,
    /// Their names, and when they signed, in seconds since 1970.
    pub witnesses: Vec<(String, u64)>,
}

impl Quorum<'_> {
    /// Checks that enough witnesses signed the newest checkpoint, or one that it goes on from.
    pub(super) fn check(
        self,
        files: &mut Files<'_>,
        key: &VerifierKey,
        newest: &SignedCheckpoint,
        witnessed: Option<SignedCheckpoint>,
    ) -> Result<QuorumReport, AuditFault> {
        let of_newest = self.seen(newest);
        let Some(witnessed) = witnessed.filter(|_| of_newest.is_err()) else {
            return of_newest;
        };
        let old = witnessed.verify(key).map_err(AuditFault::NotSigned)?;
        let now = newest.claimed();
        let seen = self.seen(&witnessed)?;
        if old.size > now.size {
            return Err(AuditFault::Shrunk {
                was: old.size,
                is: now.size,
            });
        }
        // A proof leads to both roots or to none, whatever the tiles are that it is made of.
        let proof = Tree::new(files, now.size).consistency(old.size, now.size)?;
        match proof.verify(old.root, now.root) {
            Ok(()) => Ok(seen),
            Err(_) => Err(AuditFault::Forked {
                old: Box::new(witnessed),
                new: Box::new(newest.clone()),
            }),
        }
    }

    /// Returns the witnesses that signed the checkpoint, if they are enough.
    fn seen(self, signed: &SignedCheckpoint) -> Result<QuorumReport, AuditFault> {
        let all = signed.witnesses(self.keys);
        let (fresh, stale): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|(_, seconds)| *seconds >= self.not_before);
        if fresh.len() < self.at_least {
            return Err(AuditFault::NotWitnessed {
                signed: fresh.len(),
                wanted: self.at_least,
                stale: stale.len(),
            });
        }
        let named = |(key, seconds): (&WitnessKey, u64)| (key.name().to_owned(), seconds);
        Ok(QuorumReport {
            size: signed.claimed().size,
            witnesses: fresh.into_iter().map(named).collect(),
        })
    }
}
