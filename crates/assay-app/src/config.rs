use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use assay_model::Durability;
use assay_store::Database;

use crate::bucket::StorageVariables;
use crate::large_storage::LargeFilesPlace;

/// The configuration of a hub: its data and its limits.
#[derive(Debug, Clone)]
pub struct HubConfig {
    /// The data directory.
    pub data: PathBuf,
    /// The database; `DATA/hub.db` when absent.
    pub database: Option<Database>,
    /// Where large files and the pieces of uploads are; where they were last when absent, which is
    /// the data directory at first.
    pub large_files: Option<LargeFilesPlace>,
    /// The settings that reach object storage.
    pub storage: StorageVariables,
    /// The limits.
    pub limits: Limits,
    /// The failures that an acknowledged change survives.
    pub durability: Durability,
    /// The configuration of signing and trust.
    pub trust: TrustConfig,
    /// The operating system user who runs a command, for the audit log; absent for a server.
    pub shell_user: Option<String>,
}

impl HubConfig {
    /// Returns the database.
    pub(crate) fn database(&self) -> Database {
        let given = self.database.clone();
        given.unwrap_or_else(|| Database::File(self.data.join("hub.db")))
    }
}

/// The callers who may make organisations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Founders {
    /// Operators alone.
    Operators,
    /// Every user, up to [`Limits::organizations`].
    #[default]
    Users,
}

impl Founders {
    /// The word in a configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operators => "operators",
            Self::Users => "users",
        }
    }
}

impl std::str::FromStr for Founders {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "operators" => Ok(Self::Operators),
            "users" => Ok(Self::Users),
            _ => Err(format!("`{text}` is neither `operators` nor `users`")),
        }
    }
}

/// The configuration of signing and of accepted issuers. Choices of the first start stay: they are
/// written into the logs.
#[derive(Debug, Clone, Default)]
pub struct TrustConfig {
    /// The name under which this hub issues tokens; [`TrustConfig::DEFAULT_NAME`] when absent.
    pub issuer: Option<String>,
    /// The name that tokens for this hub are addressed to; that of the issuer when absent.
    pub audience: Option<String>,
    /// The file with the passphrase of the keys; `DATA/trust/passphrase` when absent.
    pub passphrase_file: Option<PathBuf>,
    /// The passphrase itself, in place of a file.
    pub passphrase: Option<Passphrase>,
    /// True if the names under which a server last ran in this directory outweigh these. For
    /// commands: they are often told less than the server was, and must mean the same issuer.
    pub names_as_kept: bool,
}

/// A secret that is not printed.
#[derive(Clone)]
pub struct Passphrase(pub String);

impl fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Passphrase(..)")
    }
}

impl TrustConfig {
    /// The name of a hub that was told none.
    pub const DEFAULT_NAME: &str = "http://127.0.0.1:8460";
}

/// The limits of one request, file or account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest file that is kept in git itself, in bytes; larger ones need git-lfs.
    pub file_bytes: u64,
    /// The largest large file, in bytes.
    pub large_file_bytes: u64,
    /// The largest commit, all its files together, in bytes.
    pub commit_bytes: u64,
    /// The largest pack of a push, in bytes.
    pub pack_bytes: u64,
    /// The size of the objects of a push when they are unpacked, together, in bytes. A push of few
    /// bytes may unpack to less.
    pub unpacked_bytes: u64,
    /// The most objects in one push.
    pub push_objects: u32,
    /// The number of pushes of one account that a server receives at once.
    pub pushes_at_once: usize,
    /// The most files in one commit.
    pub commit_files: usize,
    /// The most commits that one push brings to a branch or pull request.
    pub push_commits: usize,
    /// The number of rows of the index that one transaction writes, so that others need not wait
    /// long for their turn.
    pub transaction_rows: usize,
    /// The longest path of a file, in bytes; at most [`RepoPath::MAX`](assay_model::RepoPath::MAX).
    pub path_bytes: usize,
    /// The most repositories of one account.
    pub repositories: u64,
    /// The most bytes of one repository, git objects and large files together; 0 is no limit.
    pub repository_bytes: u64,
    /// The most git objects of one repository; 0 is no limit.
    pub repository_objects: u64,
    /// The most bytes of all repositories of one account; 0 is no limit.
    pub account_bytes: u64,
    /// The most bytes of uploads that no commit names yet, of one account; 0 is no limit.
    pub waiting_bytes: u64,
    /// The largest large file, in bytes, from accounts that may not write to the repository.
    pub stranger_file_bytes: u64,
    /// The most bytes of waiting uploads from an account that may not write to the repository; 0 is
    /// no limit.
    pub stranger_waiting_bytes: u64,
    /// The most open pull requests of one account in one repository; 0 is no limit.
    pub open_pulls: u64,
    /// The most writes of one account in a minute; 0 is no limit. Operators have none.
    pub writes_per_minute: u64,
    /// The callers who may make organisations.
    pub founders: Founders,
    /// The most organisations that one user makes.
    pub organizations: u64,
    /// The largest file that is validated, in bytes; a larger one of a validated kind is refused.
    pub validated_bytes: u64,
    /// The most fetches that are answered at once, and as many pushes.
    pub git_processes: usize,
    /// Maximum duration of `git` for a fetch or a push, not counting the time in which it waits for
    /// the client.
    pub git_time: Duration,
    /// The disk space for files out of git that are being sent, in bytes.
    pub streamed_bytes: u64,
    /// The free space of the disk below which the hub says that it is not ready, in bytes.
    pub free_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 100 << 20,
            large_file_bytes: 20 << 30,
            commit_bytes: 200 << 20,
            pack_bytes: 2 << 30,
            unpacked_bytes: 16 << 30,
            push_objects: 1_000_000,
            pushes_at_once: 4,
            commit_files: 25_000,
            push_commits: 20_000,
            transaction_rows: 500,
            path_bytes: assay_model::RepoPath::MAX,
            repositories: 10_000,
            repository_bytes: 500 << 30,
            repository_objects: 5_000_000,
            account_bytes: 2 << 40,
            waiting_bytes: 100 << 30,
            stranger_file_bytes: 1 << 30,
            stranger_waiting_bytes: 2 << 30,
            open_pulls: 100,
            writes_per_minute: 600,
            founders: Founders::default(),
            organizations: 10,
            validated_bytes: 100 << 20,
            git_processes: 32,
            git_time: Duration::from_mins(10),
            streamed_bytes: 2 << 30,
            free_bytes: 256 << 20,
        }
    }
}
