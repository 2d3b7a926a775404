use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use assay_git::{Processes, Repositories, Repository};
use assay_model::{Clock, RepoKey, Timestamp};
use assay_store::{Database, Store, Tx};
use tokio::sync::Semaphore;

use crate::access::Scope;
use crate::account::{Account, NewToken, TokenSecret};
use crate::audit::FailedSignIns;
use crate::board::BoardCache;
use crate::board::brought::CONVERSIONS;
use crate::config::{HubConfig, Limits};
use crate::damage::DamageList;
use crate::data_dir_lock::DataDirLock;
use crate::diffs::Diffs;
use crate::error::{Busy, Error};
use crate::home::{Home, Purpose};
use crate::hub_file::HubId;
use crate::index::Sources;
use crate::large_storage::LargeStorage;
use crate::lock::{Locked, Locks};
use crate::push_turns::PushTurns;
use crate::quota::WriteCounts;
use crate::readiness::Readiness;
use crate::reserve;
use crate::session::Sessions;
use crate::sign::SigningKey;
use crate::trust::{Role, Trust};
use crate::unpacked::UnpackedBlobs;
use crate::webhook::ReportedBoards;
use crate::xet::StagedXorbs;

/// Files of git that are read into memory at once.
const BLOB_READS: usize = 8;
/// The name of the operator that a new hub is given.
const FIRST_OPERATOR: &str = "operator";

/// The time to wait for another change of the same repository. Git and the index of a large push
/// take their time.
const LOCK_PATIENCE: Duration = Duration::from_mins(1);

/// A hub: its repositories, its records, and what may be done with them.
pub struct Hub {
    /// The records and the index.
    pub(crate) store: Store,
    /// The address of the database that `store` has open.
    pub(crate) database: Database,
    /// The repositories.
    pub(crate) git: Arc<Repositories>,
    /// Files that are too large for git.
    pub(crate) large_files: LargeStorage,
    /// The pieces of large files that came by Xet.
    pub(crate) xorbs: StagedXorbs,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// The configuration.
    pub(crate) config: HubConfig,
    /// The locks of repositories under change.
    pub(crate) locks: Locks,
    /// The accounts whose pushes are received now.
    pub(crate) push_turns: PushTurns,
    /// The cache of the index.
    pub(crate) board_cache: BoardCache,
    /// Writes by account in this minute.
    pub(crate) writes: WriteCounts,
    /// The cache of recent sign-ins.
    pub(crate) sessions: Sessions,
    /// Failed sign-ins that are counted and not recorded yet.
    pub(crate) failed_sign_ins: FailedSignIns,
    /// The ranks that were reported to subscribers.
    pub(crate) reported_boards: ReportedBoards,
    /// The key that signs links.
    pub(crate) signing_key: SigningKey,
    /// The keys that sign evidence, and the logs.
    pub(crate) trust: Arc<Trust>,
    /// Turns to read a file of git into memory. A small one may be made out of one that is not.
    pub(crate) blob_reads: Arc<Semaphore>,
    /// Turns to convert logs that people bring to a page.
    pub(crate) conversions: Arc<Semaphore>,
    /// Files out of git that are being sent.
    pub(crate) unpacked: UnpackedBlobs,
    /// The fetches that are being answered.
    pub(crate) fetches: Processes,
    /// The pushes that are being taken in.
    pub(crate) pushes: Processes,
    /// The diffs that were worked out lately.
    pub(crate) diffs: Arc<Diffs>,
    /// The sources of the index.
    pub(crate) sources: Sources,
    /// The repositories that cannot be read.
    pub(crate) damaged: DamageList,
    /// True while recovery waits for space on the disk.
    pub(crate) is_behind: AtomicBool,
    /// The last readiness report and its age.
    pub(crate) readiness: tokio::sync::Mutex<Option<(Instant, Readiness)>>,
    /// The id of this hub; none for a visitor of a directory that no server of this version has
    /// opened yet.
    id: Option<HubId>,
    /// The mark that this process works in the data directory.
    _tenant: DataDirLock,
    /// Weak self-reference for tasks that outlive the request.
    me: Weak<Self>,
}

impl Hub {
    /// Opens the data directory, makes it when it is new, and catches up with what a crash left
    /// behind. Others may work in it. On a disk that is full it opens to be read, and catches up
    /// when there is space.
    pub async fn open(config: HubConfig, clock: Arc<dyn Clock>) -> Result<Arc<Self>, Error> {
        let data = config.data.clone();
        let entered = Self::enter(config.clone(), Arc::clone(&clock), Purpose::Serve).await;
        let hub = match entered {
            Err(Error::NoSpace(cause)) => {
                tracing::error!(%cause, "the disk is full; the space that is kept for a start is given back");
                reserve::release(&data);
                Self::enter(config, clock, Purpose::Serve).await?
            }
            entered => entered?,
        };
        hub.catch_up_or_wait().await?;
        blocking(move || {
            reserve::take(&data);
            Ok(())
        })
        .await?;
        Ok(hub)
    }

    /// Opens the data directory and leaves it as it is: for who looks, or changes a record, while a
    /// server may be at work. What a crash left behind waits for the next [`Hub::open`].
    pub async fn visit(config: HubConfig, clock: Arc<dyn Clock>) -> Result<Arc<Self>, Error> {
        Self::enter(config, clock, Purpose::Visit).await
    }

    pub(crate) async fn enter(
        config: HubConfig,
        clock: Arc<dyn Clock>,
        purpose: Purpose,
    ) -> Result<Arc<Self>, Error> {
        let role = match purpose {
            Purpose::Serve => Role::Keeper,
            Purpose::Visit | Purpose::Adopt | Purpose::RehearseAdoption => Role::Visitor,
        };
        let (data, durability) = (config.data.clone(), config.durability);
        let (data_dir_lock, git) = blocking(move || {
            let data_dir_lock = DataDirLock::enter(&data)?;
            let git = Repositories::new(data.join("repos"))?.with_durability(durability);
            Ok((data_dir_lock, git))
        })
        .await?;
        let home = Home::find(&config, &git, purpose).await?;
        let large_files = LargeStorage::open(&config, &home.large_files(), purpose).await?;
        let own = config.clone();
        let trust = Arc::new(blocking(move || Trust::open(&own, role)).await?);
        let store = Store::connect(&home.database, durability).await?;
        let id = home.settle(&store, &git, &large_files.place()).await?;
        let database = home.database;
        let signing_key = SigningKey::load(&store).await?;
        store.generation().await?;
        let git = Arc::new(git);
        let board_cache = BoardCache::since(store.generation_of_others(), Arc::clone(&git));
        let limits = config.limits;
        let xorbs = StagedXorbs::new(config.data.join("xet"), large_files.bucket().cloned());
        let unpacked = UnpackedBlobs::new(config.data.join("tmp"), &limits);
        let rows = limits.transaction_rows;
        let sources = Sources::new(Arc::clone(&git), Arc::clone(&trust), rows);
        let hub = Arc::new_cyclic(|me| Self {
            store,
            database,
            git,
            large_files,
            xorbs,
            clock,
            config,
            locks: Locks::default(),
            push_turns: PushTurns::default(),
            board_cache,
            writes: WriteCounts::default(),
            sessions: Sessions::default(),
            failed_sign_ins: FailedSignIns::default(),
            reported_boards: ReportedBoards::default(),
            signing_key,
            trust,
            blob_reads: Arc::new(Semaphore::new(BLOB_READS)),
            conversions: Arc::new(Semaphore::new(CONVERSIONS)),
            unpacked,
            fetches: Processes::new(limits.git_processes, limits.git_time),
            pushes: Processes::new(limits.git_processes, limits.git_time),
            diffs: Arc::default(),
            sources,
            damaged: DamageList::default(),
            is_behind: AtomicBool::new(false),
            readiness: tokio::sync::Mutex::default(),
            id,
            _tenant: data_dir_lock,
            me: Weak::clone(me),
        });
        Self::watch(&hub);
        Ok(hub)
    }

    /// The id of this hub. None for a visitor of a directory that no server of this version has
    /// opened yet.
    pub fn id(&self) -> Option<&HubId> {
        self.id.as_ref()
    }

    /// Returns the limits of one request, file or account.
    pub fn limits(&self) -> &Limits {
        &self.config.limits
    }

    /// Returns how many fetches and pushes are being answered.
    pub fn git_processes(&self) -> usize {
        self.fetches.running() + self.pushes.running()
    }

    /// Returns the disk space of files out of git that are being sent, in bytes.
    pub fn unpacked_bytes(&self) -> u64 {
        self.unpacked.bytes()
    }

    /// Returns whether the hub can answer: its database and its directory.
    pub async fn healthy(&self) -> Result<(), Error> {
        self.store.generation().await?;
        let data = self.config.data.join("repos");
        blocking(move || {
            fs_err::metadata(data).map_err(Error::internal)?;
            Ok(())
        })
        .await
    }

    /// The operator's first token, made when there is no account yet; it is shown once.
    pub async fn first_operator(&self) -> Result<Option<(Account, TokenSecret)>, Error> {
        if !self.store.accounts(None, None, 1).await?.is_empty() {
            return Ok(None);
        }
        let shell = self.shell();
        let made = self
            .accounts()
            .create_user(&shell, FIRST_OPERATOR, "Operator", None, true)
            .await;
        let account = match made {
            // Another server on the same database has started as well, and tells the token.
            Err(Error::Exists(_)) => return Ok(None),
            made => made?,
        };
        let token = NewToken {
            label: "first start".to_owned(),
            scope: Scope::Admin,
            expires: None,
        };
        let (_, secret) = self
            .accounts()
            .create_token(&shell, &account.name, token)
            .await?;
        Ok(Some((account, secret)))
    }

    /// The hub, to take along.
    pub(crate) fn shared(&self) -> Result<Arc<Self>, Error> {
        self.me
            .upgrade()
            .ok_or_else(|| Error::internal("the hub is closing"))
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Waits for the right to change a repository: first of those in this process, then of all.
    pub(crate) async fn lock(&self, key: RepoKey) -> Result<Locked, Error> {
        let locked = tokio::time::timeout(LOCK_PATIENCE, self.locks.lock(key)).await;
        let locked = locked.map_err(|_| Error::Busy(Busy::Repository))?;
        let turn = self.store.repository_turn(key).await?;
        Ok(locked.in_turn(turn))
    }

    /// Opens a repository and works on it where blocking is allowed.
    pub(crate) async fn with_git<T: Send + 'static>(
        &self,
        key: RepoKey,
        work: impl FnOnce(&Repository) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let git = Arc::clone(&self.git);
        blocking(move || work(&git.get(key)?)).await
    }
}

/// Does work that may take long while a transaction is open, which would be taken for one that
/// hangs otherwise.
pub(crate) async fn alongside<T>(
    tx: &mut Tx,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::select! {
        biased;
        done = work => done,
        ended = tx.stay_alive() => Err(ended.into()),
    }
}

/// Does work that blocks, where blocking is allowed.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::internal(error)),
    }
}
