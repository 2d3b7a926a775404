//! A check whether the hub can write. Nothing here names a repository or a path: anybody may ask.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::hub::blocking;
use crate::services::OperationService;

/// The time for which a report is cached. Each one writes to the disk, and anybody may ask.
const KEPT_FOR: Duration = Duration::from_secs(2);
/// The longest wait for a turn to write to the database.
const PATIENCE: Duration = Duration::from_secs(5);
/// The size of the file written as a probe, in bytes.
const PROBE_BYTES: usize = 4096;
/// The directories of a data directory that may be on disks of their own.
const WRITTEN: [&str; 3] = ["tmp", "repos/tmp", "trust"];
/// The directory of large files, when they are on the disk.
const LARGE_FILES: &str = "lfs";
/// The longest wait for the object storage.
const STORAGE_PATIENCE: Duration = Duration::from_secs(10);

/// A readiness report: one entry for each check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// The checks, in a fixed order.
    pub checks: Vec<ReadinessCheck>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadinessCheck {
    /// Its name.
    pub name: &'static str,
    /// Its outcome.
    pub status: CheckStatus,
    /// The finding, in a sentence.
    pub detail: String,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// Requests can be answered; the operator should look.
    Warning,
    /// Changes cannot be made.
    Failed,
}

impl CheckStatus {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failed => "failed",
        }
    }
}

impl Readiness {
    /// Tells whether changes can be made.
    pub fn is_ready(&self) -> bool {
        let failed = |check: &ReadinessCheck| check.status == CheckStatus::Failed;
        !self.checks.iter().any(failed)
    }
}

impl ReadinessCheck {
    fn new(name: &'static str, status: CheckStatus, detail: impl Into<String>) -> Self {
        Self {
            name,
            status,
            detail: detail.into(),
        }
    }
}

impl OperationService<'_> {
    /// Finds out whether the hub can write: its database, its disk and its logs, and what an
    /// operator has to look after.
    pub async fn readiness(self) -> Readiness {
        let mut kept = self.hub.readiness.lock().await;
        if let Some((since, readiness)) = &*kept
            && since.elapsed() < KEPT_FOR
        {
            return readiness.clone();
        }
        let readiness = Readiness {
            checks: vec![
                self.check_database().await,
                self.check_disk().await,
                self.check_large_files().await,
                self.check_logs().await,
                self.check_repositories().await,
                self.check_unrecorded().await,
            ],
        };
        *kept = Some((Instant::now(), readiness.clone()));
        readiness
    }

    async fn check_database(self) -> ReadinessCheck {
        let check = |status, detail: &str| ReadinessCheck::new("database", status, detail);
        if let Err(error) = self.hub.store.generation().await {
            return failed("database", &error.into(), "it cannot be read");
        }
        match tokio::time::timeout(PATIENCE, self.hub.store.probe_write(self.hub.now())).await {
            Ok(Ok(())) => check(CheckStatus::Ok, "it can be read and written"),
            Ok(Err(error)) => failed("database", &error.into(), "it can be read and not written"),
            Err(_) => check(
                CheckStatus::Warning,
                "it can be read; somebody else has been writing for a while",
            ),
        }
    }

    async fn check_disk(self) -> ReadinessCheck {
        let (data, floor) = (
            self.hub.config.data.clone(),
            self.hub.config.limits.free_bytes,
        );
        let mut written = WRITTEN.to_vec();
        if self.hub.large_files.bucket().is_none() {
            written.push(LARGE_FILES);
        }
        let looked = blocking(move || look_at_disk(&data, &written)).await;
        match looked {
            Ok(free) if free < floor => ReadinessCheck::new(
                "disk",
                CheckStatus::Failed,
                format!("{free} bytes are free, less than `limits.free_bytes`, {floor}"),
            ),
            Ok(free) => {
                ReadinessCheck::new("disk", CheckStatus::Ok, format!("{free} bytes are free"))
            }
            Err(error) => failed("disk", &error, "nothing can be written"),
        }
    }

    async fn check_large_files(self) -> ReadinessCheck {
        let check = |status, detail: &str| ReadinessCheck::new("large_files", status, detail);
        let Some(bucket) = self.hub.large_files.bucket() else {
            return check(CheckStatus::Ok, "they are on the disk");
        };
        let detail = "they cannot be written to the object storage";
        match tokio::time::timeout(STORAGE_PATIENCE, bucket.probe()).await {
            Ok(Ok(_)) => check(CheckStatus::Ok, "the object storage can be written"),
            Ok(Err(error)) => failed("large_files", &error.into(), detail),
            Err(_) => check(CheckStatus::Failed, "the object storage does not answer"),
        }
    }

    async fn check_logs(self) -> ReadinessCheck {
        let check = |status, detail| ReadinessCheck::new("logs", status, detail);
        if let Some(fault) = self.hub.trust.fault() {
            let error = Error::internal(fault);
            return failed("logs", &error, "a log takes no more leaves");
        }
        let directory = self.hub.config.data.join("trust");
        match blocking(move || write_probe(&directory)).await {
            Err(error) => failed("logs", &error, "they cannot be written"),
            Ok(()) if self.hub.trust.is_writer() => {
                check(CheckStatus::Ok, "this server writes them")
            }
            Ok(()) => check(CheckStatus::Ok, "another server writes them"),
        }
    }

    async fn check_repositories(self) -> ReadinessCheck {
        let check = |status, detail| ReadinessCheck::new("repositories", status, detail);
        match self.damaged_repositories().await {
            Ok(damaged) if damaged.is_empty() => {
                check(CheckStatus::Ok, "none is known to be damaged".to_owned())
            }
            Ok(damaged) => check(
                CheckStatus::Warning,
                format!(
                    "{} damaged; `assay reindex --check` names what is wrong",
                    count(damaged.len(), "repository is", "repositories are")
                ),
            ),
            Err(error) => failed("repositories", &error, "they cannot be looked up"),
        }
    }

    async fn check_unrecorded(self) -> ReadinessCheck {
        let check = |status, detail| ReadinessCheck::new("unrecorded", status, detail);
        let git = Arc::clone(&self.hub.git);
        match blocking(move || Ok(git.list_set_aside()?)).await {
            Ok(aside) if aside.is_empty() => {
                check(CheckStatus::Ok, "no repository is set aside".to_owned())
            }
            Ok(aside) => check(
                CheckStatus::Warning,
                format!(
                    "{} not in the database and set aside; `assay admin unrecorded` lists them",
                    count(aside.len(), "repository is", "repositories are")
                ),
            ),
            Err(error) => failed("unrecorded", &error, "they cannot be listed"),
        }
    }
}

/// A check that failed. The log is told the cause, whoever asks is told the consequence.
fn failed(name: &'static str, error: &Error, otherwise: &str) -> ReadinessCheck {
    let cause = error.hidden_cause().map(ToString::to_string);
    tracing::error!(check = name, cause, "the hub is not ready: {error}");
    let detail = match error {
        Error::NoSpace(_) => "the disk is full".to_owned(),
        Error::ReadOnly(_) => "the disk can only be read".to_owned(),
        _ => otherwise.to_owned(),
    };
    ReadinessCheck::new(name, CheckStatus::Failed, detail)
}

/// Writes to every directory that the hub writes to, and returns the free space of the fullest
/// disk.
fn look_at_disk(data: &Path, written: &[&str]) -> Result<u64, Error> {
    let mut least = u64::MAX;
    let directories: Vec<PathBuf> = written.iter().map(|name| data.join(name)).collect();
    for directory in directories {
        write_probe(&directory)?;
        least = least.min(free_bytes(&directory)?);
    }
    Ok(least)
}

/// Writes a file and removes it again.
fn write_probe(directory: &Path) -> Result<(), Error> {
    let mut file = tempfile::Builder::new()
        .prefix("probe")
        .tempfile_in(directory)
        .map_err(Error::internal)?;
    file.write_all(&[0; PROBE_BYTES]).map_err(Error::internal)?;
    file.flush().map_err(Error::internal)
}

/// The space that the user of this process may still take.
#[cfg(unix)]
fn free_bytes(directory: &Path) -> Result<u64, Error> {
    let found = rustix::fs::statvfs(directory).map_err(std::io::Error::from);
    let found = found.map_err(Error::internal)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Result<u64, Error> {
    Ok(u64::MAX)
}

fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
