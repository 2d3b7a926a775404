use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fs_err::OpenOptions;
use sha2::{Digest as _, Sha256};

use crate::checkpoint::{Checkpoint, CheckpointError, SignedCheckpoint};
use crate::cosigner::Cosigner;
use crate::key::{KeyError, VerifierKey};

/// The file with the secret.
const SECRET: &str = "key";
/// The file that is locked while a process signs.
const LOCK: &str = "lock";

/// The directory of a witness: its secret, and the newest checkpoint of each log.
#[derive(Debug)]
pub(super) struct State(PathBuf);

/// An error from opening a witness or from storing a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// A file cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another process signs with this key.
    #[error("another process has the witness in `{}` open", .0.display())]
    InUse(PathBuf),
    /// The name cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The key has another name.
    #[error("the witness in `{}` is called `{found}`, not `{asked}`", dir.display())]
    Named {
        /// Directory of the witness.
        dir: PathBuf,
        /// The name of its key.
        found: String,
        /// The name that was asked for.
        asked: String,
    },
    /// A file is not what a witness wrote. Who signed on without it could be led back.
    #[error("`{}` is not what a witness wrote", .0.display())]
    Damaged(PathBuf),
    /// The stored checkpoint of a log is signed by another key than the one given for that log.
    #[error("`{}` is not signed by the key that was given for `{origin}`", path.display())]
    NotTheKey {
        /// The file.
        path: PathBuf,
        /// The log.
        origin: String,
        /// The fault of the checkpoint.
        source: CheckpointError,
    },
}

impl State {
    pub(super) fn open(dir: &Path) -> Result<Self, WitnessError> {
        fs_err::create_dir_all(dir)?;
        Ok(Self(dir.to_owned()))
    }

    pub(super) fn directory(&self) -> &Path {
        &self.0
    }

    /// Keeps other processes from signing with the same key: two would not know of each other's
    /// checkpoints.
    pub(super) fn lock(&self) -> Result<File, WitnessError> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options.open(self.0.join(LOCK))?.into_parts().0;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(WitnessError::InUse(self.0.clone())),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// The secret, made when there is none.
    pub(super) fn cosigner(&self, name: &str) -> Result<Cosigner, WitnessError> {
        let path = self.0.join(SECRET);
        let text = match fs_err::read_to_string(&path) {
            Ok(text) => zeroize::Zeroizing::new(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let cosigner = Cosigner::generate(name)?;
                self.replace(SECRET, cosigner.to_text().as_bytes())?;
                return Ok(cosigner);
            }
            Err(error) => return Err(error.into()),
        };
        let cosigner = Cosigner::from_text(&text).ok_or(WitnessError::Damaged(path))?;
        if cosigner.key().name() == name {
            return Ok(cosigner);
        }
        Err(WitnessError::Named {
            dir: self.0.clone(),
            found: cosigner.key().name().to_owned(),
            asked: name.to_owned(),
        })
    }

    /// The newest checkpoint of a log, if one was ever signed.
    pub(super) fn newest(&self, key: &VerifierKey) -> Result<Option<Checkpoint>, WitnessError> {
        let path = self.0.join(file_of(key.name(), "checkpoint"));
        let text = match fs_err::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let signed: Result<SignedCheckpoint, _> = text.parse();
        let signed = signed.map_err(|_| WitnessError::Damaged(path.clone()))?;
        match signed.verify(key) {
            Ok(checkpoint) => Ok(Some(checkpoint.clone())),
            Err(source) => Err(WitnessError::NotTheKey {
                path,
                origin: key.name().to_owned(),
                source,
            }),
        }
    }

    /// Keeps a checkpoint. It is on disk when this returns.
    pub(super) fn keep(&self, signed: &SignedCheckpoint) -> Result<(), WitnessError> {
        let name = file_of(&signed.claimed().origin, "checkpoint");
        self.replace(&name, signed.to_string().as_bytes())
    }

    /// Keeps the first checkpoint that contradicts the newest one, for whoever looks after the
    /// witness.
    pub(super) fn keep_conflict(&self, signed: &SignedCheckpoint) {
        let name = file_of(&signed.claimed().origin, "conflict");
        let path = self.0.join(&name);
        tracing::error!(log = %signed.claimed().origin, kept = %path.display(), "a log signed for two histories");
        if !path.exists()
            && let Err(error) = self.replace(&name, signed.to_string().as_bytes())
        {
            tracing::warn!(%error, "what contradicts the history cannot be kept");
        }
    }

    /// Puts a file in the place of another, whole and durable, for its owner alone.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), WitnessError> {
        let new = self.0.join(format!("{name}.new"));
        let mut file = private(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs_err::rename(&new, self.0.join(name))?;
        // The name is durable only when the directory that has it is.
        fs_err::File::open(&self.0)?.sync_all()?;
        Ok(())
    }
}

fn private(path: &Path) -> io::Result<fs_err::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    options.open(path)
}

/// The name of a file about a log. Origins are names of strangers, and no names of files.
fn file_of(origin: &str, what: &str) -> String {
    let digest: [u8; 32] = Sha256::digest(origin).into();
    let (short, _) = digest.split_at(8);
    let mut name = String::new();
    for byte in short {
        let _ = write!(name, "{byte:02x}");
    }
    format!("{name}.{what}")
}
