use super::super::checkpoint::SignedCheckpoint;
use super::super::key::{VerifierKey, WitnessKey};
use super::super::tree::Tree;
use super::AuditFault;
use super::files::Files;

/// Which witnesses must have seen the history that a log shows, and how lately. A log that shows someone a history of their own
/// can get no signature for it, and those for the time before the fork grow old.
#[derive(Debug, Clone, Copy)]
pub struct Quorum<'a> {
    /// The witnesses, each once.
    pub keys: &'a [WitnessKey],
    /// How many of them must have signed.
    pub at_least: usize,
    /// What was signed before this time, in seconds since 1970, does not count.
    pub not_before: u64,
}

/// What witnesses have seen of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// How many entries the checkpoint has that they signed.
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
    ) -> Result<Seen, AuditFault> {
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

    /// Who signed a checkpoint, if they are enough.
    fn seen(self, signed: &SignedCheckpoint) -> Result<Seen, AuditFault> {
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
        Ok(Seen {
            size: signed.claimed().size,
            witnesses: fresh.into_iter().map(named).collect(),
        })
    }
}
