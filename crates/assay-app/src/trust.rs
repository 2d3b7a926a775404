//! The keys and logs of the hub: `DATA/trust`.
//!
//! There are two logs. *results* says which tokens were issued and what was decided about each when
//! it first came; *control* says which keys and issuers are trusted and what is revoked. What an
//! entry is worth follows from git and these two, so `trust` is as much the truth of a hub as its
//! repositories are.
//!
//! One process writes a log at a time: the first that opened it, which is the server. Others read
//! it, and leave what they want logged in the database, where the writer finds it.

mod admission;
mod audited;
mod configured;
mod control;
mod evidence;
mod follow;
mod issuers;
mod keys;
mod mirror;
mod names;
mod proof;
mod provenance;
mod receipts;
mod rename;
mod revocation;
mod standings;
#[cfg(test)]
mod tests;
mod vault;
mod witnesses;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_tlog::{Log, LogError, LogOptions, VerifierKey};
use assay_trust::proof::log_name;
use assay_trust::{ControlLeaf, KeyPurpose, KeyState, Kid, SigningKey, TrustState};
use parking_lot::{Mutex, RwLock};

pub(crate) use self::admission::{Sighting, admit, has_commit, sightings};
pub(crate) use self::evidence::{evidence_of, mark_repeats};
pub(crate) use self::follow::Sizes;
pub use self::issuers::{NewIssuer, keys_of_jwks};
pub use self::keys::KeyInfo;
pub(crate) use self::keys::NoTokenKey;
use self::keys::is_revoked;
use self::names::Names;
pub use self::proof::{LogFile, LogName, TokenStatus, hint};
pub use self::provenance::{ClaimLine, EntryVersion, Provenance, TokenTrail};
pub use self::rename::{RenamedLogs, rename_logs};
pub use self::revocation::{AffectedRow, NewRevocation, RevocationInfo, Revoked, RevokedFrom};
pub(crate) use self::standings::compute_standings;
use self::vault::Vault;
use self::witnesses::Witnessing;
pub use self::witnesses::{AskWitness, WitnessAddress, WitnessAnswer, Witnesses};
use crate::config::{HubConfig, TrustConfig};
use crate::error::Error;

/// The longest that a process writes one of the two logs while it cannot have the other.
const HALF_FOR: Duration = Duration::from_secs(4);

/// The keys and the logs of a hub.
pub(crate) struct Trust {
    directory: PathBuf,
    role: Role,
    issuer: String,
    audience: String,
    origin: Origin,
    vault: Vault,
    results: RwLock<OpenLog>,
    control: RwLock<OpenLog>,
    state: RwLock<Arc<TrustState>>,
    /// The key that tokens were last signed with.
    token_key: RwLock<Option<Arc<SigningKey>>>,
    /// Held while logs are taken or let go of: who finds that this very process has taken one
    /// meanwhile would put it back. It says since when this process writes one of the two logs and
    /// not the other.
    holding: Mutex<Option<Instant>>,
    /// Held while a leaf of the control log is checked and written: it must still hold when it is
    /// there.
    appending: tokio::sync::Mutex<()>,
    /// The moments at which witnesses signed, when there are any.
    witnessing: Witnessing,
}

/// The role of a process at the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// To write them, as soon as nobody else does.
    Keeper,
    /// To read them.
    Visitor,
}

/// A log as this process has it.
struct OpenLog {
    log: Log,
    writes: bool,
}

/// The two logs, by the names of their directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Results,
    Control,
}

impl Which {
    fn directory(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Control => "control",
        }
    }

    fn purpose(self) -> KeyPurpose {
        match self {
            Self::Results => KeyPurpose::ResultsLog,
            Self::Control => KeyPurpose::ControlLog,
        }
    }
}

impl Trust {
    /// Opens `DATA/trust`, and makes what is missing: a passphrase, a key for tokens, a key for
    /// each log, the logs, and the leaves that say so.
    pub(crate) fn open(config: &HubConfig, role: Role) -> Result<Self, Error> {
        let directory = config.data.join("trust");
        let vault = Vault::open(&directory, &config.trust)?;
        // Two processes that come to a new hub at once must not make two sets of keys.
        let lock = vault.lock()?;
        let Names { issuer, audience } = Names::find(&vault, &config.trust, role)?;
        let origin = Origin::find(&vault, &issuer)?;
        let results = hold(&directory, Which::Results, &origin, &vault, role)?;
        let after = control_role(role, results.writes);
        let control = hold(&directory, Which::Control, &origin, &vault, after)?;
        let trust = Self {
            directory,
            role,
            issuer,
            audience,
            origin,
            vault,
            results: RwLock::new(results),
            control: RwLock::new(control),
            state: RwLock::new(Arc::new(TrustState::default())),
            token_key: RwLock::new(None),
            holding: Mutex::new(None),
            appending: tokio::sync::Mutex::new(()),
            witnessing: Witnessing::default(),
        };
        trust.read_state()?;
        if trust.writes(Which::Control) {
            trust.introduce()?;
        }
        drop(lock);
        if role == Role::Visitor {
            trust.let_go()?;
        }
        Ok(trust)
    }

    /// The log of tokens and decisions.
    pub(crate) fn results(&self) -> Log {
        self.log(Which::Results)
    }

    /// The log of keys, issuers and revocations.
    pub(crate) fn control(&self) -> Log {
        self.log(Which::Control)
    }

    /// Returns the state of the control log.
    pub(crate) fn state(&self) -> Arc<TrustState> {
        Arc::clone(&self.state.read())
    }

    /// The name under which this hub issues tokens.
    pub(crate) fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The key that tokens are signed with now.
    pub(crate) fn token_key(&self) -> Result<Arc<SigningKey>, NoTokenKey> {
        let state = self.state();
        self.check_not_revoked(&state)?;
        let active = self
            .own_token_keys(&state)
            .find(|key| key.state == KeyState::Active && !is_revoked(&state, key.key.kid()))
            .ok_or(NoTokenKey::NoneSigns)?;
        let kid = active.key.kid();
        let held = self.token_key.read();
        if let Some(key) = held.as_ref().filter(|key| key.kid() == kid) {
            return Ok(Arc::clone(key));
        }
        drop(held);
        let key = Arc::new(self.vault.load(KeyPurpose::Token, kid)?);
        *self.token_key.write() = Some(Arc::clone(&key));
        Ok(key)
    }

    /// Returns the state of the control log at a size.
    pub(crate) fn state_at(&self, size: u64) -> Result<Arc<TrustState>, Error> {
        let state = self.state();
        if state.size() == size {
            return Ok(state);
        }
        replay(&self.control(), TrustState::default(), size).map(Arc::new)
    }

    /// Opens a log again that stopped writing because the disk failed it. What it had promised is
    /// there; what it had not is cut off.
    pub(crate) fn reopen_broken(&self) -> Result<(), Error> {
        let mut is_reopened = false;
        for which in [Which::Results, Which::Control] {
            let log = self.log(which);
            let Some(fault) = log.fault().filter(|_| self.writes(which)) else {
                continue;
            };
            let directory = self.directory.join(which.directory());
            let view = Log::view(&directory, log.key().clone()).map_err(log_error)?;
            drop(log);
            self.put(
                which,
                OpenLog {
                    log: view,
                    writes: false,
                },
            );
            let held = hold(&self.directory, which, &self.origin, &self.vault, self.role)?;
            tracing::warn!(%fault, "the {} log stopped writing and is opened again", which.directory());
            self.put(which, held);
            is_reopened = true;
        }
        if is_reopened {
            self.read_state()
        } else {
            Ok(())
        }
    }

    /// Tells whether a log that this process writes takes leaves.
    pub(crate) fn fault(&self) -> Option<LogError> {
        let logs = [self.results(), self.control()];
        logs.iter().find_map(Log::fault)
    }

    /// Takes in what another process wrote, or takes over when nobody writes any more.
    pub(crate) fn refresh(&self) -> Result<(), Error> {
        self.hold_again(self.role)
    }

    /// Takes over the writing of both logs, if nobody else writes them, whatever the role of this
    /// process is.
    fn take_over(&self) -> Result<(), Error> {
        self.hold_again(Role::Keeper)
    }

    /// Opens both logs again that this process does not write. They are taken in one order by
    /// everybody, so that no two processes end up with one each. Who has had one alone for too long
    /// lets go of it: somebody else holds the other, and may want this one.
    fn hold_again(&self, role: Role) -> Result<(), Error> {
        let mut half_since = self.holding.lock();
        if !self.writes(Which::Results) {
            self.hold_one(Which::Results, role)?;
        }
        if !self.writes(Which::Control) {
            let results = self.writes(Which::Results);
            self.hold_one(Which::Control, control_role(role, results))?;
        }
        self.read_state()?;
        if self.writes(Which::Results) == self.writes(Which::Control) {
            *half_since = None;
        } else if half_since.get_or_insert_with(Instant::now).elapsed() > HALF_FOR {
            *half_since = None;
            tracing::warn!(
                "another process keeps one of the two logs: this one lets go of the other"
            );
            self.view_both()?;
        }
        if self.role == Role::Keeper && self.writes(Which::Control) {
            self.introduce()?;
        }
        Ok(())
    }

    fn hold_one(&self, which: Which, role: Role) -> Result<(), Error> {
        let held = hold(&self.directory, which, &self.origin, &self.vault, role)?;
        self.put(which, held);
        Ok(())
    }

    /// Takes in what another process wrote, if less than this is known here.
    pub(crate) fn reach(&self, sizes: Sizes) -> Result<(), Error> {
        let known = self.sizes();
        if known.results >= sizes.results && known.control >= sizes.control {
            return Ok(());
        }
        self.refresh()
    }

    /// Takes in what another process wrote to the results log, if less than this is known here.
    pub(crate) fn reach_results(&self, size: u64) -> Result<(), Error> {
        self.reach(Sizes {
            results: size,
            control: 0,
        })
    }

    /// Returns whether this process writes both logs.
    pub(crate) fn is_writer(&self) -> bool {
        self.writes(Which::Results) && self.writes(Which::Control)
    }

    /// Checks that a leaf can be followed, and writes it to the control log. Only for who writes
    /// that.
    async fn append_control(&self, leaf: &ControlLeaf) -> Result<u64, Error> {
        let _one_at_a_time = self.appending.lock().await;
        let bytes = leaf.to_json().into_bytes();
        let mut next = TrustState::clone(&self.state());
        next.apply(&bytes)
            .map_err(|error| Error::Operator(error.fault.to_string()))?;
        let index = self.control().append(bytes).await.map_err(log_error)?;
        self.read_state()?;
        Ok(index)
    }

    /// Follows the control log to its end.
    fn read_state(&self) -> Result<(), Error> {
        let log = self.control();
        let size = log.size();
        let mut held = self.state.write();
        if held.size() < size {
            *held = Arc::new(replay(&log, TrustState::clone(&held), size)?);
        }
        Ok(())
    }

    /// Gives up the right to write, so that a server that is started meanwhile gets it.
    fn let_go(&self) -> Result<(), Error> {
        let _held = self.holding.lock();
        self.view_both()
    }

    /// Opens the logs for reading that this process writes.
    fn view_both(&self) -> Result<(), Error> {
        for which in [Which::Results, Which::Control] {
            let mut held = self.place(which).write();
            if held.writes {
                let key = held.log.key().clone();
                let view = Log::view(&self.directory.join(which.directory()), key);
                *held = OpenLog {
                    log: view.map_err(log_error)?,
                    writes: false,
                };
            }
        }
        Ok(())
    }

    fn place(&self, which: Which) -> &RwLock<OpenLog> {
        match which {
            Which::Results => &self.results,
            Which::Control => &self.control,
        }
    }

    fn put(&self, which: Which, held: OpenLog) {
        let place = self.place(which);
        *place.write() = held;
    }

    fn log(&self, which: Which) -> Log {
        let held = self.place(which).read();
        held.log.clone()
    }

    fn writes(&self, which: Which) -> bool {
        self.writer(which).is_some()
    }

    /// The log, if this process writes it. Who has it in hand keeps it open until the end of what
    /// is written.
    fn writer(&self, which: Which) -> Option<Log> {
        let held = self.place(which).read();
        held.writes.then(|| held.log.clone())
    }
}

/// The role for the control log: only who writes the results log may come to write this one too.
fn control_role(role: Role, writes_results: bool) -> Role {
    if writes_results { role } else { Role::Visitor }
}

/// The name that the logs go by, and those that they had before.
struct Origin {
    name: String,
    former: Vec<String>,
}

impl Origin {
    /// Reads the names of the logs. Logs that begin now are named after the issuer.
    fn find(vault: &Vault, issuer: &str) -> Result<Self, Error> {
        Ok(Self {
            name: vault.origin(issuer)?,
            former: vault.former_origins()?,
        })
    }

    /// The name of a log.
    fn of(&self, which: Which) -> String {
        log_name(&self.name, which.directory())
    }

    /// The key of a log under its former names.
    fn former_keys(&self, which: Which, key: &VerifierKey) -> Vec<VerifierKey> {
        let public = key.public_bytes();
        let named = |name: &String| {
            VerifierKey::from_public(&log_name(name, which.directory()), &public).ok()
        };
        self.former.iter().filter_map(named).collect()
    }
}

/// Opens a log: to write it if that is wanted and nobody else does, or if it is to be made; else to
/// read it.
fn hold(
    directory: &Path,
    which: Which,
    origin: &Origin,
    vault: &Vault,
    role: Role,
) -> Result<OpenLog, Error> {
    let path = directory.join(which.directory());
    let secret = vault.own(which.purpose())?;
    let key = secret
        .note_key(&origin.of(which))
        .map_err(Error::internal)?;
    let verifier = key.verifier();
    let view = || {
        let log = Log::view(&path, verifier.clone())?;
        Ok(OpenLog { log, writes: false })
    };
    // A log that cannot be read may not have been made yet, or a crash was in the way: whoever
    // writes it makes that good.
    if role == Role::Visitor
        && let Ok(held) = view()
    {
        return Ok(held);
    }
    let options = LogOptions {
        former: origin.former_keys(which, &verifier),
        ..LogOptions::default()
    };
    match Log::open(&path, key, &options) {
        Ok(log) => Ok(OpenLog { log, writes: true }),
        Err(LogError::InUse(_)) => view().map_err(log_error),
        Err(error) => Err(log_error(error)),
    }
}

/// Opens copies of both logs as a server would, hashes them from the first leaf to the last, and
/// returns how long they are.
pub(crate) fn audit_logs(directory: &Path, config: &TrustConfig) -> Result<Sizes, Error> {
    let vault = Vault::open(directory, config)?;
    let Names { issuer, .. } = Names::find(&vault, config, Role::Visitor)?;
    let origin = Origin::find(&vault, &issuer)?;
    let audit = |which| {
        let held = hold(directory, which, &origin, &vault, Role::Keeper)?;
        let audited = held.log.check().map_err(Error::internal)?;
        Ok::<_, Error>(audited.checkpoint.claimed().size)
    };
    Ok(Sizes {
        results: audit(Which::Results)?,
        control: audit(Which::Control)?,
    })
}

/// Follows a control log from a state to a size.
fn replay(log: &Log, mut state: TrustState, size: u64) -> Result<TrustState, Error> {
    for leaf in log.leaves(state.size()..size) {
        let (_, leaf) = leaf.map_err(log_error)?;
        state.apply(&leaf).map_err(Error::internal)?;
    }
    if state.size() == size {
        Ok(state)
    } else {
        Err(Error::internal(format!(
            "the control log ends at {} and {size} leaves of it are asked for",
            state.size()
        )))
    }
}

/// A log that does not do what it was asked is our fault, whoever asked.
pub(crate) fn log_error(error: LogError) -> Error {
    Error::internal(error)
}

/// Returns the name of the file of a sealed key.
fn key_file(purpose: KeyPurpose, kid: Kid) -> String {
    format!("{purpose}-{kid}.sealed")
}
