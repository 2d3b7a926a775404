//! The logs: written by one process, asked for by others, followed by all.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use assay_model::Timestamp;
use assay_store::{LogKind, Tx};
use assay_tlog::Log;
use assay_trust::{ControlLeaf, TrustState};

use super::audited::audited;
use super::{Role, Which, log_error};
use crate::access::Caller;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::EvidenceService;

/// The time that a command waits for the process that writes the control log.
const PATIENCE: Duration = Duration::from_secs(30);
/// The interval at which it looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Number of requests that are answered at a time.
const REQUESTS: u32 = 64;
/// In every which turn of the watch a server looks whether the logs have become free.
const TAKE_OVER_EVERY: u64 = 10;
/// In every which turn of the watch a server looks whether another one is gone: every second.
const LOOK_ROUND_EVERY: u64 = 5;
/// The time that an answered request to the results log is kept, in milliseconds.
const KEPT_MILLIS: i64 = 60 * 60 * 1_000;
/// In every which turn of the watch what others clone is brought up to the logs: every five
/// seconds.
const MIRROR_EVERY: u64 = 25;

impl EvidenceService<'_> {
    /// Writes a leaf to the control log, or asks the process that may, and returns where it stands
    /// once everything that it changes has been computed again. The audit log has it with the first
    /// change of the database that follows from it.
    pub(crate) async fn log_control(
        self,
        caller: &Caller,
        leaf: &ControlLeaf,
    ) -> Result<u64, Error> {
        if self.hub.trust.writes(Which::Control) {
            let index = self.hub.trust.append_control(leaf).await?;
            let mut tx = self.hub.store.begin().await?;
            let touched = self.hub.trust.follow(&mut tx, None).await?;
            self.audit_leaf(&mut tx, caller, leaf).await?;
            tx.commit().await?;
            self.hub.boards().touch(&touched);
            return Ok(index);
        }
        let mut tx = self.hub.store.begin().await?;
        self.audit_leaf(&mut tx, caller, leaf).await?;
        let json = leaf.to_json();
        let id = tx.ask_log(LogKind::Control, &json, self.hub.now()).await?;
        tx.commit().await?;
        self.answer_to(id, Which::Control).await
    }

    async fn audit_leaf(
        self,
        tx: &mut Tx,
        caller: &Caller,
        leaf: &ControlLeaf,
    ) -> Result<(), Error> {
        match audited(leaf) {
            Some((action, subject)) => {
                self.hub
                    .operations()
                    .audit(tx, caller, action, subject)
                    .await
            }
            None => Ok(()),
        }
    }

    /// Writes leaves to the results log, or asks the process that may, and returns where they stand
    /// once they are there to stay.
    pub(crate) async fn log_results(self, leaves: Vec<String>) -> Result<Vec<u64>, Error> {
        if !self.hub.trust.writes(Which::Results) {
            // Whoever wrote the log may be gone by now.
            let trust = Arc::clone(&self.hub.trust);
            blocking(move || trust.refresh()).await?;
        }
        if let Some(log) = self.hub.trust.writer(Which::Results) {
            // All are queued before any is waited for: they share one write to the disk.
            let pending: Vec<_> = leaves
                .into_iter()
                .map(|leaf| log.append(leaf.into_bytes()))
                .collect();
            let mut indices = Vec::with_capacity(pending.len());
            for appended in pending {
                indices.push(appended.await.map_err(log_error)?);
            }
            return Ok(indices);
        }
        let mut tx = self.hub.store.begin().await?;
        let mut asked = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let id = tx.ask_log(LogKind::Results, &leaf, self.hub.now()).await?;
            asked.push(id);
        }
        tx.commit().await?;
        let mut indices = Vec::with_capacity(asked.len());
        for id in asked {
            indices.push(self.answer_to(id, Which::Results).await?);
        }
        Ok(indices)
    }

    /// Waits for the answer to a request.
    async fn answer_to(self, id: i64, which: Which) -> Result<u64, Error> {
        let mut waited = Duration::ZERO;
        loop {
            let asked = self.hub.store.log_request(id).await?;
            let asked = asked.ok_or_else(|| Error::internal("a request was lost"))?;
            match (asked.index, asked.fault) {
                (Some(index), _) => return Ok(index),
                (None, Some(fault)) => return Err(Error::Operator(fault)),
                (None, None) => {}
            }
            // When no server runs, the logs are ours for a moment.
            if self.take_logs(which).await? {
                continue;
            }
            if waited >= PATIENCE {
                return Err(Error::internal(
                    "the process that writes the logs does not answer; what was asked for stays asked for",
                ));
            }
            tokio::time::sleep(LOOK_EVERY).await;
            waited += LOOK_EVERY;
        }
    }

    /// Writes what others have asked for, if this process may.
    pub(crate) async fn answer_log_requests(self) -> Result<(), Error> {
        for asked in self.hub.store.open_log_requests(REQUESTS).await? {
            let which = match asked.log {
                LogKind::Results => Which::Results,
                LogKind::Control => Which::Control,
            };
            let Some(log) = self.hub.trust.writer(which) else {
                continue;
            };
            let answer = self.write_asked(which, &log, &asked.leaf).await?;
            let mut tx = self.hub.store.begin().await?;
            let touched = self.hub.trust.follow(&mut tx, None).await?;
            let answer = answer.as_ref().map(|index| *index).map_err(String::as_str);
            tx.answer_log(asked.id, answer).await?;
            let old = self.hub.now().millis() - KEPT_MILLIS;
            tx.forget_log_requests(Timestamp::from_millis(old)).await?;
            tx.commit().await?;
            self.hub.boards().touch(&touched);
        }
        Ok(())
    }

    /// Writes a leaf that another process asked for. The answer is where it stands, or why it
    /// cannot.
    async fn write_asked(
        self,
        which: Which,
        log: &Log,
        leaf: &str,
    ) -> Result<Result<u64, String>, Error> {
        match which {
            // Decisions and issues are checked by who makes them.
            Which::Results => {
                let appended = log.append(leaf.as_bytes().to_vec());
                Ok(Ok(appended.await.map_err(log_error)?))
            }
            Which::Control => match ControlLeaf::read(leaf.as_bytes()) {
                Err(error) => Ok(Err(error.to_string())),
                Ok(leaf) => match self.hub.trust.append_control(&leaf).await {
                    Ok(index) => Ok(Ok(index)),
                    Err(Error::Operator(why)) => Ok(Err(why)),
                    Err(error) => Err(error),
                },
            },
        }
    }

    /// Keeps the logs of a server: takes them over when nobody writes them any more, answers
    /// processes that work beside it, and brings the index up to what was logged.
    pub(crate) async fn keep_logs(self, turn: u64) -> Result<(), Error> {
        if self.hub.trust.role != Role::Keeper {
            return Ok(());
        }
        if turn.is_multiple_of(LOOK_ROUND_EVERY) && self.hub.store.someone_left().await? {
            tracing::info!("another server is gone: what it was doing is caught up with");
            self.hub.recover().await?;
        }
        if turn.is_multiple_of(LOOK_ROUND_EVERY) && self.hub.is_behind.load(Ordering::Relaxed) {
            self.hub.catch_up_or_wait().await?;
        }
        if !self.hub.trust.is_writer() && turn.is_multiple_of(TAKE_OVER_EVERY) {
            let trust = Arc::clone(&self.hub.trust);
            blocking(move || trust.refresh()).await?;
        }
        if self.hub.trust.fault().is_some() {
            let trust = Arc::clone(&self.hub.trust);
            blocking(move || trust.reopen_broken()).await?;
        }
        // Whoever writes one log answers for that one, also while the other is somebody else's.
        if self.hub.trust.writes(Which::Results) || self.hub.trust.writes(Which::Control) {
            self.answer_log_requests().await?;
        }
        if !self.hub.trust.is_writer() {
            return Ok(());
        }
        let sizes = self.hub.trust.sizes();
        if self.known_of_logs().await? != (sizes.results, sizes.control) {
            self.hub.operations().follow_logs().await?;
        }
        if turn % MIRROR_EVERY == MIRROR_EVERY - 1 {
            self.mirror_logs().await?;
        }
        Ok(())
    }

    /// Writes the logs when nobody else does: for a moment, or for good if this is a server.
    /// Returns whether this process wrote the log that is meant.
    async fn take_logs(self, which: Which) -> Result<bool, Error> {
        let trust = Arc::clone(&self.hub.trust);
        blocking(move || trust.take_over()).await?;
        let writes = self.hub.trust.writes(which);
        let answered = self.answer_log_requests().await;
        if self.hub.trust.role == Role::Visitor {
            let trust = Arc::clone(&self.hub.trust);
            blocking(move || trust.let_go()).await?;
        }
        answered.map(|()| writes)
    }

    /// Returns the current state of the control log, whoever writes it.
    pub(super) async fn trust_now(self) -> Result<Arc<TrustState>, Error> {
        self.hub.operations().follow_logs().await?;
        Ok(self.hub.trust.state())
    }

    /// Up to which sizes the index knows the logs: results and control.
    pub(crate) async fn known_of_logs(self) -> Result<(u64, u64), Error> {
        Ok((
            self.hub.store.log_cursor(LogKind::Results).await?,
            self.hub.store.log_cursor(LogKind::Control).await?,
        ))
    }
}
