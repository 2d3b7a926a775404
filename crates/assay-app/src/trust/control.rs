//! The control log: written by one process, asked for by others, followed by all.

use std::sync::Arc;
use std::time::Duration;

use assay_store::LogKind;
use assay_trust::{ControlLeaf, TrustState};

use super::{Role, Trust, Which, hold};
use crate::error::Error;
use crate::hub::{Hub, blocking};

/// How long a command waits for the process that writes the control log.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How many requests are answered at a time.
const REQUESTS: u32 = 64;
/// In every which turn of the watch a server looks whether the logs have become free.
const TAKE_OVER_EVERY: u64 = 10;
/// In every which turn of the watch what others clone is brought up to the logs: every five seconds.
const MIRROR_EVERY: u64 = 25;

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
        if self.trust.role != Role::Keeper {
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

    /// What the control log says at this moment, whoever writes it.
    pub(super) async fn trust_now(&self) -> Result<Arc<TrustState>, Error> {
        self.follow_logs().await?;
        Ok(self.trust.state())
    }

    /// Up to which sizes the index knows the logs: results and control.
    pub(crate) async fn known_of_logs(&self) -> Result<(u64, u64), Error> {
        Ok((
            self.store.log_cursor(LogKind::Results).await?,
            self.store.log_cursor(LogKind::Control).await?,
        ))
    }
}

impl Trust {
    /// Takes over the writing of a log, if nobody else writes it.
    fn take(&self, which: Which) -> Result<bool, Error> {
        let held = hold(
            &self.directory,
            which,
            &self.origin,
            &self.vault,
            Role::Keeper,
        )?;
        let writes = held.writes;
        self.put(which, held);
        self.read_state()?;
        Ok(writes)
    }
}
