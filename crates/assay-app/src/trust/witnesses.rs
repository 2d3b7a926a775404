//! Witnesses: others who sign the checkpoints of the logs, each only when it goes on from the one
//! that they signed before. A hub that shows someone a history of their own gets no signature for
//! it.
//!
//! Nothing waits for them. A leaf is acknowledged when it is durable; who wants to know that others
//! have seen it asks for the newest checkpoint that most of them signed.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use assay_model::Timestamp;
use assay_tlog::{AddCheckpoint, Log, SignedCheckpoint, WitnessKey};

use super::{Trust, Which, log_error};
use crate::error::Error;
use crate::hub::Hub;
use crate::status::WitnessLag;

/// The interval at which a checkpoint is signed again although the log has not grown: an old
/// signature could hide a fork.
const RENEW_EVERY: Duration = Duration::from_mins(5);
/// The time to wait after too few have signed.
const RETRY_EVERY: Duration = Duration::from_secs(10);
/// The number of requests to a witness in a round: once more when it knows another size than was
/// thought.
const ATTEMPTS: usize = 2;

/// A witness that is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WitnessAddress {
    /// The base address of `add-checkpoint`.
    pub url: String,
    /// The key of the witness.
    pub key: WitnessKey,
}

/// A way to ask a witness. The hub itself knows no HTTP.
pub trait AskWitness: Sync {
    /// Sends a request to the witness at an address.
    fn add_checkpoint(&self, url: &str, request: &str) -> Result<WitnessAnswer, String>;
}

/// The answer of a witness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WitnessAnswer {
    /// Its signatures, a line each.
    Signed(String),
    /// It signed a checkpoint of this size last.
    Knows(u64),
    /// It does not sign, and says why.
    Refused(String),
}

/// The witnesses of a hub, and what each is thought to know.
pub struct Witnesses {
    hub: Arc<Hub>,
    watched: Vec<Watched>,
    results: Turn,
    control: Turn,
}

struct Watched {
    address: WitnessAddress,
    /// The size of what it signed last, of the results log and of the control log.
    known: [u64; 2],
    /// The fault when it was last asked, of each log.
    trouble: [Option<String>; 2],
}

/// The time at which a log was last brought to the witnesses.
#[derive(Debug, Clone, Copy, Default)]
struct Turn {
    at: Option<Timestamp>,
    failed: bool,
}

/// The moments at which most witnesses signed a log, in milliseconds since 1970; zero for none.
#[derive(Debug, Default)]
pub(super) struct Witnessing {
    began: AtomicI64,
    signed: [AtomicI64; 2],
}

impl Witnesses {
    /// The witnesses of a hub.
    pub fn new(hub: Arc<Hub>, addresses: Vec<WitnessAddress>) -> Self {
        if !addresses.is_empty() {
            let witnessing = &hub.trust.witnessing;
            witnessing
                .began
                .store(hub.now().millis(), Ordering::Relaxed);
        }
        let watched = |address| Watched {
            address,
            known: [0; 2],
            trouble: [None, None],
        };
        Self {
            hub,
            watched: addresses.into_iter().map(watched).collect(),
            results: Turn::default(),
            control: Turn::default(),
        }
    }

    /// Has the newest checkpoint of each log signed, if that is due and this process writes the
    /// logs. It takes as long as the slowest witness.
    pub fn round(&mut self, ask: &dyn AskWitness) -> Result<(), Error> {
        if !self.hub.trust.is_writer() {
            return Ok(());
        }
        self.round_of(Which::Results, ask)?;
        self.round_of(Which::Control, ask)
    }

    fn round_of(&mut self, which: Which, ask: &dyn AskWitness) -> Result<(), Error> {
        let trust = Arc::clone(&self.hub.trust);
        let log = trust.log(which);
        let newest = log.checkpoint();
        let kept = trust.witnessed(which)?;
        let same = kept.filter(|kept| kept.note().text() == newest.note().text());
        let now = self.hub.now();
        if !self.turn(which).is_due(same.is_none(), now) {
            return Ok(());
        }
        let mut signed = same.unwrap_or_else(|| newest.as_ref().clone());
        let answers = self.ask_all(which, &log, &newest, ask);
        let size = newest.claimed().size;
        let mut count = 0;
        for (watched, answer) in self.watched.iter_mut().zip(answers) {
            let added = answer.and_then(|lines| {
                let added = signed.add_cosignature(&lines, &watched.address.key);
                added.map_err(|error| error.to_string())
            });
            count += usize::from(added.is_ok());
            watched.note(which, size, added.err());
        }
        let is_most = 2 * count > self.watched.len();
        if is_most {
            trust.keep_witnessed(which, &signed)?;
            let signed_at = &trust.witnessing.signed[place(which)];
            signed_at.store(now.millis(), Ordering::Relaxed);
        }
        *self.turn(which) = Turn {
            at: Some(now),
            failed: !is_most,
        };
        Ok(())
    }

    /// Asks all of them at once.
    fn ask_all(
        &self,
        which: Which,
        log: &Log,
        newest: &SignedCheckpoint,
        ask: &dyn AskWitness,
    ) -> Vec<Result<String, String>> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = self
                .watched
                .iter()
                .map(|watched| scope.spawn(move || watched.ask(which, log, newest, ask)))
                .collect();
            let joined = threads.into_iter().map(|thread| {
                let lost = |_| Err("it was not asked: a thread came to its end".to_owned());
                thread.join().unwrap_or_else(lost)
            });
            joined.collect()
        })
    }

    fn turn(&mut self, which: Which) -> &mut Turn {
        match which {
            Which::Results => &mut self.results,
            Which::Control => &mut self.control,
        }
    }
}

impl Turn {
    fn is_due(self, is_new: bool, now: Timestamp) -> bool {
        let Some(at) = self.at else { return true };
        let waited = now.seconds().saturating_sub(at.seconds());
        let waited = Duration::from_secs(u64::try_from(waited).unwrap_or(0));
        if self.failed {
            waited >= RETRY_EVERY
        } else {
            is_new || waited >= RENEW_EVERY
        }
    }
}

impl Watched {
    /// Asks for a signature of the newest checkpoint, from where the witness is.
    fn ask(
        &self,
        which: Which,
        log: &Log,
        newest: &SignedCheckpoint,
        ask: &dyn AskWitness,
    ) -> Result<String, String> {
        let size = newest.claimed().size;
        let mut old = self.known[place(which)].min(size);
        for _ in 0..ATTEMPTS {
            let proof = log.consistency(old, size);
            let request = AddCheckpoint {
                old,
                proof: proof.map_err(|error| error.to_string())?.hashes,
                checkpoint: newest.clone(),
            };
            match ask.add_checkpoint(&self.address.url, &request.to_string())? {
                WitnessAnswer::Signed(lines) => return Ok(lines),
                WitnessAnswer::Refused(why) => return Err(why),
                WitnessAnswer::Knows(known) if known > size => {
                    return Err(format!(
                        "it has signed for {known} entries and the log has {size}: was the log set back?"
                    ));
                }
                WitnessAnswer::Knows(known) if known == old => {
                    return Err(format!(
                        "it has signed for another history of {known} entries"
                    ));
                }
                WitnessAnswer::Knows(known) => old = known,
            }
        }
        Err("it changes its mind about what it signed last".to_owned())
    }

    /// Remembers how it went, and tells the operator when that has changed.
    fn note(&mut self, which: Which, size: u64, trouble: Option<String>) {
        let (log, witness) = (which.directory(), self.address.key.name());
        let before = &mut self.trouble[place(which)];
        match (&trouble, &before) {
            (Some(why), before) if before.as_ref() != Some(why) => {
                tracing::warn!(log, witness, why, "a witness does not sign");
            }
            (None, Some(_)) => tracing::info!(log, witness, "a witness signs again"),
            (Some(_) | None, _) => {}
        }
        if trouble.is_none() {
            self.known[place(which)] = size;
        }
        *before = trouble;
    }
}

fn place(which: Which) -> usize {
    match which {
        Which::Results => 0,
        Which::Control => 1,
    }
}

impl Trust {
    /// The newest checkpoint of a log that most witnesses signed.
    pub(super) fn witnessed(&self, which: Which) -> Result<Option<SignedCheckpoint>, Error> {
        let log = self.log(which);
        let text = self.vault.kept(&file_of(which))?;
        let signed: Option<SignedCheckpoint> = text.and_then(|text| text.parse().ok());
        // What does not belong to this log, such as a file from another backup, is worth nothing.
        Ok(signed.filter(|signed| {
            let claimed = signed.verify(log.key());
            claimed.is_ok_and(|claimed| claimed.size <= log.size())
        }))
    }

    /// Returns how far the witnesses are behind each log; none when no witnesses are asked.
    pub(crate) fn witness_lags(&self, now: Timestamp) -> Option<[WitnessLag; 2]> {
        let began = self.witnessing.began.load(Ordering::Relaxed);
        if began == 0 {
            return None;
        }
        let lag = |which: Which| {
            let witnessed = self.witnessed(which).ok().flatten();
            let size = witnessed.map_or(0, |signed| signed.claimed().size);
            let signed = self.witnessing.signed[place(which)].load(Ordering::Relaxed);
            let millis = now.millis().saturating_sub(signed.max(began));
            WitnessLag {
                entries: self.log(which).size().saturating_sub(size),
                seconds: u64::try_from(millis / 1_000).unwrap_or_default(),
            }
        };
        Some([lag(Which::Results), lag(Which::Control)])
    }

    fn keep_witnessed(&self, which: Which, signed: &SignedCheckpoint) -> Result<(), Error> {
        self.vault.replace(&file_of(which), &signed.to_string())
    }

    /// A checkpoint with at least so many leaves: the newest that witnesses signed, if it has them,
    /// else the newest of all.
    pub(super) fn covering(&self, which: Which, leaves: u64) -> Result<SignedCheckpoint, Error> {
        let witnessed = self.witnessed(which)?;
        let fits = witnessed.filter(|signed| signed.claimed().size >= leaves);
        Ok(fits.unwrap_or_else(|| self.log(which).checkpoint().as_ref().clone()))
    }

    /// The receipt of a leaf, under a checkpoint that witnesses signed if there is one.
    pub(super) fn receipt(&self, which: Which, index: u64) -> Result<String, Error> {
        let checkpoint = self.covering(which, index + 1)?;
        let receipt = self.log(which).receipt_under(index, checkpoint);
        Ok(receipt.map_err(log_error)?.to_string())
    }
}

fn file_of(which: Which) -> String {
    format!("witnessed-{}", which.directory())
}
