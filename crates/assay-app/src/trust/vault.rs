//! Private keys on disk, each sealed under the passphrase of the hub.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assay_trust::{KeyPurpose, Kid, SealCost, SigningKey};

use super::key_file;
use crate::config::TrustConfig;
use crate::error::Error;
use crate::secret;

/// The file with the passphrase that the hub has drawn itself.
const PASSPHRASE: &str = "passphrase";
/// The file with the name under which the logs of this hub are known. It is in every checkpoint,
/// and changes with [`rename`](super::rename) alone.
const ORIGIN: &str = "origin";
/// The file with the names that the logs had before, oldest first, a line each.
const FORMER_ORIGINS: &str = "former-origins";
/// The file that is locked while keys and logs are looked for or made.
const LOCK: &str = "lock";

/// The keys of a hub.
pub(super) struct Vault {
    directory: PathBuf,
    passphrase: Vec<u8>,
    cost: SealCost,
}

impl Vault {
    /// Opens the vault in a directory, and makes it when there is none.
    pub(super) fn open(directory: &Path, config: &TrustConfig) -> Result<Self, Error> {
        make_private(directory)?;
        make_private(&directory.join("keys"))?;
        let mut vault = Self {
            directory: directory.to_owned(),
            passphrase: Vec::new(),
            // What people think of can be guessed at, so each guess must cost something.
            cost: SealCost::HUMAN,
        };
        let given = match (&config.passphrase, &config.passphrase_file) {
            (Some(passphrase), _) => Some(passphrase.0.clone()),
            (None, Some(file)) => Some(fs_err::read_to_string(file).map_err(Error::internal)?),
            (None, None) => None,
        };
        let text = if let Some(text) = given {
            text
        } else {
            vault.cost = SealCost::RANDOM;
            vault.drawn()?
        };
        text.trim().as_bytes().clone_into(&mut vault.passphrase);
        if vault.passphrase.is_empty() {
            return Err(Error::internal(
                "the passphrase of the signing keys is empty",
            ));
        }
        Ok(vault)
    }

    /// Keeps others from making keys and logs at the same time.
    pub(super) fn lock(&self) -> Result<File, Error> {
        let file = fs_err::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.directory.join(LOCK))
            .map_err(Error::internal)?
            .into_parts()
            .0;
        file.lock().map_err(Error::internal)?;
        Ok(file)
    }

    /// The name under which the logs are known: what the hub was called when they began.
    pub(super) fn origin(&self, issuer: &str) -> Result<String, Error> {
        let path = self.directory.join(ORIGIN);
        if path.exists() {
            let text = fs_err::read_to_string(path).map_err(Error::internal)?;
            return Ok(text.trim().to_owned());
        }
        let (_, name) = issuer.split_once("://").unwrap_or(("", issuer));
        self.keep(ORIGIN, &format!("{name}\n"))?;
        Ok(name.to_owned())
    }

    /// Returns the names that the logs had before, oldest first.
    pub(super) fn former_origins(&self) -> Result<Vec<String>, Error> {
        let text = self.kept(FORMER_ORIGINS)?.unwrap_or_default();
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Gives the logs another name. The former one is kept first, so that a crash in between leaves
    /// logs that open.
    pub(super) fn rename_origin(&self, to: &str) -> Result<(), Error> {
        let from = self.kept(ORIGIN)?.unwrap_or_default();
        let mut former = self.former_origins()?;
        former.retain(|name| name != to && name != from.trim());
        former.push(from.trim().to_owned());
        self.replace(FORMER_ORIGINS, &format!("{}\n", former.join("\n")))?;
        self.replace(ORIGIN, &format!("{to}\n"))
    }

    /// The one key of a purpose that has but one, made when there is none.
    pub(super) fn own(&self, purpose: KeyPurpose) -> Result<SigningKey, Error> {
        let prefix = format!("{purpose}-");
        let mut found = Vec::new();
        for entry in fs_err::read_dir(self.keys()).map_err(Error::internal)? {
            let name = entry.map_err(Error::internal)?.file_name();
            let name = name.to_string_lossy().into_owned();
            let kid = name.strip_prefix(&prefix);
            found.extend(kid.and_then(|kid| kid.strip_suffix(".sealed")?.parse::<Kid>().ok()));
        }
        match found.as_slice() {
            [] => self.make(purpose),
            [kid] => self.load(purpose, *kid),
            _ => Err(Error::internal(format!(
                "there is more than one {purpose} key in `{}`",
                self.keys().display()
            ))),
        }
    }

    /// Makes a key and keeps it.
    pub(super) fn make(&self, purpose: KeyPurpose) -> Result<SigningKey, Error> {
        let random = |error: getrandom::Error| Error::internal(error.to_string());
        let key = SigningKey::generate().map_err(random)?;
        let sealed = key
            .seal(&self.passphrase, self.cost)
            .map_err(Error::internal)?;
        let name = format!("keys/{}", key_file(purpose, key.kid()));
        self.keep(&name, &format!("{sealed}\n"))?;
        Ok(key)
    }

    /// A key.
    pub(super) fn load(&self, purpose: KeyPurpose, kid: Kid) -> Result<SigningKey, Error> {
        let path = self.keys().join(key_file(purpose, kid));
        let sealed = fs_err::read_to_string(path).map_err(Error::internal)?;
        SigningKey::open(&sealed, &self.passphrase).map_err(Error::internal)
    }

    /// Returns whether a key is here.
    pub(super) fn has(&self, purpose: KeyPurpose, kid: Kid) -> bool {
        self.keys().join(key_file(purpose, kid)).exists()
    }

    fn keys(&self) -> PathBuf {
        self.directory.join("keys")
    }

    /// The passphrase that the hub has drawn itself.
    fn drawn(&self) -> Result<String, Error> {
        let path = self.directory.join(PASSPHRASE);
        if !path.exists() {
            let drawn: [u8; 32] = secret::bytes()?;
            let text = assay_store::Sha256::from_bytes(drawn).to_string();
            self.keep(PASSPHRASE, &format!("{text}\n"))?;
        }
        // Of two that drew one at the same time, the first counts for both.
        fs_err::read_to_string(path).map_err(Error::internal)
    }

    /// Returns the content of a file beside the keys, if it is there.
    pub(super) fn kept(&self, name: &str) -> Result<Option<String>, Error> {
        match fs_err::read_to_string(self.directory.join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::internal(error)),
        }
    }

    /// Writes a file beside the keys, whole or not at all, in place of the one that is there.
    pub(super) fn replace(&self, name: &str, text: &str) -> Result<(), Error> {
        if self.kept(name)?.as_deref() == Some(text) {
            return Ok(());
        }
        let path = self.directory.join(name);
        self.written(text)?.persist(path).map_err(Error::internal)?;
        self.sync()
    }

    /// Makes the names of files durable.
    fn sync(&self) -> Result<(), Error> {
        let directory = fs_err::File::open(&self.directory).map_err(Error::internal)?;
        directory.sync_all().map_err(Error::internal)
    }

    /// Writes a file that only its owner reads, whole or not at all. One that is there stays.
    fn keep(&self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.directory.join(name);
        let file = self.written(text)?;
        match file.persist_noclobber(&path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Error::internal(error)),
        }
        let parent = path.parent().unwrap_or(&self.directory);
        let directory = fs_err::File::open(parent).map_err(Error::internal)?;
        directory.sync_all().map_err(Error::internal)
    }

    /// A text on the disk that has no name yet.
    fn written(&self, text: &str) -> Result<tempfile::NamedTempFile, Error> {
        let mut file = tempfile::NamedTempFile::new_in(&self.directory).map_err(Error::internal)?;
        file.write_all(text.as_bytes()).map_err(Error::internal)?;
        file.as_file().sync_all().map_err(Error::internal)?;
        Ok(file)
    }
}

/// Makes a directory that only its owner enters.
fn make_private(path: &Path) -> Result<(), Error> {
    fs_err::create_dir_all(path).map_err(Error::internal)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = std::fs::Permissions::from_mode(0o700);
        fs_err::set_permissions(path, permissions).map_err(Error::internal)?;
    }
    Ok(())
}
