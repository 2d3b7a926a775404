//! Keeping up with the logs: what they say goes into the index, and the standings that it changes
//! are computed again.

use std::sync::Arc;

use assay_model::RepoKey;
use assay_store::{LogKind, LoggedDecision, LoggedIssue, TokenEntry, Tx};
use assay_tlog::Log;
use assay_trust::{Outcome, ResultsLeaf};

use super::standings::compute_standings;
use super::{Trust, log_error};
use crate::error::Error;
use crate::hub::blocking;
use crate::index::Touched;

/// Number of leaves that are read at a time.
const LEAVES: u64 = 4096;
/// Number of standings that are computed at a time.
const ENTRIES: u32 = 512;

/// The known sizes of the two logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sizes {
    pub(crate) results: u64,
    pub(crate) control: u64,
}

impl Sizes {
    /// Returns the sizes that a transaction knows.
    pub(crate) async fn known(tx: &mut Tx) -> Result<Self, Error> {
        Ok(Self {
            results: tx.log_cursor(LogKind::Results).await?,
            control: tx.log_cursor(LogKind::Control).await?,
        })
    }
}

impl Trust {
    /// Returns the length of the logs.
    pub(crate) fn sizes(&self) -> Sizes {
        Sizes {
            results: self.results().size(),
            control: self.control().size(),
        }
    }

    /// Takes in what the logs say beyond what the index knows, up to sizes or to their ends, and
    /// computes standings again of whatever that touches: the entries whose token a new leaf is
    /// about, and every entry with a token when the control log has grown.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        tx: &mut Tx,
        until: Option<Sizes>,
    ) -> Result<Touched, Error> {
        let known = Sizes::known(tx).await?;
        if !self.is_writer() {
            let trust = Arc::clone(self);
            blocking(move || trust.refresh()).await?;
        }
        let until = until.unwrap_or_else(|| self.sizes());
        if known == until {
            return Ok(Touched::default());
        }
        if known.results > until.results || known.control > until.control {
            return Err(Error::internal(
                "the index knows more of the logs than there is; `DATA/trust` is an old copy",
            ));
        }
        take_in(tx, &self.results(), known.results, until.results).await?;
        tx.set_log_cursor(LogKind::Results, until.results).await?;
        tx.set_log_cursor(LogKind::Control, until.control).await?;
        if known.control == until.control {
            let mut touched = Touched::default();
            for jti in tx.tokens_of_leaves(known.results).await? {
                let entries = tx.entries_with_jti(&jti).await?;
                touched.merge(self.recompute_standings(tx, entries).await?);
            }
            return Ok(touched);
        }
        self.recompute_all_standings(tx, None).await
    }

    /// Computes the standing of every entry with a token again, of one repository or of all.
    pub(crate) async fn recompute_all_standings(
        &self,
        tx: &mut Tx,
        key: Option<RepoKey>,
    ) -> Result<Touched, Error> {
        let (mut touched, mut last) = (Touched::default(), 0);
        loop {
            let entries = tx.token_entries(key, last, ENTRIES).await?;
            let Some(end) = entries.last() else {
                return Ok(touched);
            };
            last = end.id;
            touched.merge(self.recompute_standings(tx, entries).await?);
        }
    }

    /// Computes standings again, and writes what has changed.
    async fn recompute_standings(
        &self,
        tx: &mut Tx,
        mut entries: Vec<TokenEntry>,
    ) -> Result<Touched, Error> {
        let mut touched = Touched::default();
        entries.sort_by_key(|entry| entry.key);
        for of_one in entries.chunk_by_mut(|left, right| left.key == right.key) {
            let Some(key) = of_one.first().map(|entry| entry.key) else {
                continue;
            };
            let Some(repository) = tx.repository(key).await? else {
                continue;
            };
            let before: Vec<_> = of_one
                .iter()
                .map(|entry| entry.indexed.version.standing.clone())
                .collect();
            let versions = of_one
                .iter_mut()
                .map(|entry| &mut entry.indexed.version)
                .collect();
            compute_standings(self, tx, &repository, versions).await?;
            for (entry, before) in of_one.iter().zip(before) {
                let version = &entry.indexed.version;
                if version.standing != before {
                    tx.set_standing(entry.id, &version.standing).await?;
                    touched.add_entry(key, &repository.id, version);
                }
            }
        }
        Ok(touched)
    }
}

/// Writes what leaves of the results log say where questions are asked of it.
async fn take_in(tx: &mut Tx, results: &Log, from: u64, until: u64) -> Result<(), Error> {
    let mut next = from;
    while next < until {
        let (log, end) = (results.clone(), until.min(next + LEAVES));
        for (index, leaf) in blocking(move || read(&log, next, end)).await? {
            match leaf {
                ResultsLeaf::Issue(issue) => {
                    tx.add_issued(&LoggedIssue {
                        index,
                        jti: issue.jti.to_string(),
                        kid: issue.kid.to_string(),
                        integration: issue.integration.to_string(),
                        target: issue.target.map(|target| target.to_string()),
                    })
                    .await?;
                }
                ResultsLeaf::Decide(decide) => {
                    tx.add_decision(&LoggedDecision {
                        index,
                        jti: decide.jti.to_string(),
                        uid: decide.repo.to_string(),
                        entry: decide.entry.to_string(),
                        reason: match decide.outcome {
                            Outcome::Admitted { .. } => None,
                            Outcome::Refused { reason } => Some(reason),
                        },
                    })
                    .await?;
                }
            }
        }
        next = end;
    }
    Ok(())
}

fn read(log: &Log, from: u64, until: u64) -> Result<Vec<(u64, ResultsLeaf)>, Error> {
    let mut read = Vec::new();
    for leaf in log.leaves(from..until) {
        let (index, leaf) = leaf.map_err(log_error)?;
        read.push((index, ResultsLeaf::read(&leaf).map_err(Error::internal)?));
    }
    if read.len() as u64 == until - from {
        Ok(read)
    } else {
        Err(Error::internal("the results log is shorter than it says"))
    }
}
