use std::sync::Arc;

use assay_git::{LargeFiles, Repositories, Repository};
use assay_model::{Clock, ObjectId, RepoId, RepoKey, RepoKind, Timestamp};
use assay_store::Store;

use crate::access::Caller;
use crate::access::Scope;
use crate::account::{Account, NewToken, TokenSecret};
use crate::board::{BoardQuery, BoardView, EvalResult};
use crate::config::HubConfig;
use crate::discussion::{
    Discussion, DiscussionFilter, DiscussionPage, Event, NewDiscussion, PullDetails, Status,
};
use crate::error::Error;
use crate::listing::{ListPage, ListQuery};
use crate::lock::{Locked, Locks};
use crate::operator::{IndexDifference, Reindexed};
use crate::repository::Repo;
use crate::session::Sessions;
use crate::sign::SigningKey;

/// The name of the operator that a new hub is given.
const FIRST_OPERATOR: &str = "operator";

/// A hub: its repositories, its records, and what may be done with them.
pub struct Hub {
    /// The records and the index.
    pub(crate) store: Store,
    /// The repositories.
    pub(crate) git: Arc<Repositories>,
    /// Files that are too large for git.
    pub(crate) large_files: LargeFiles,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where the data lies and what is allowed.
    pub(crate) config: HubConfig,
    /// Who changes which repository.
    pub(crate) locks: Locks,
    /// Who signed in lately.
    pub(crate) sessions: Sessions,
    /// What signs links.
    pub(crate) signing_key: SigningKey,
}

impl Hub {
    /// Opens the data directory, makes it when it is new, and catches up with what a crash left behind.
    pub async fn open(config: HubConfig, clock: Arc<dyn Clock>) -> Result<Arc<Self>, Error> {
        let data = config.data.clone();
        let (git, large_files) = blocking(move || {
            fs_err::create_dir_all(data.join("tmp")).map_err(Error::internal)?;
            let git = Repositories::new(data.join("repos"))?;
            git.recover()?;
            Ok((git, LargeFiles::new(data.join("lfs"))?))
        })
        .await?;
        let store = Store::open(&config.data.join("hub.db")).await?;
        let signing_key = SigningKey::load(&store).await?;
        let hub = Arc::new(Self {
            store,
            git: Arc::new(git),
            large_files,
            clock,
            config,
            locks: Locks::default(),
            sessions: Sessions::default(),
            signing_key,
        });
        Ok(hub)
    }

    /// Whether the hub can answer: its database and its directory.
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
        let account = self
            .create_user(&shell, FIRST_OPERATOR, "Operator", None, true)
            .await?;
        let token = NewToken {
            label: "first start".to_owned(),
            scope: Scope::Admin,
            expires: None,
        };
        let (_, secret) = self.create_token(&shell, &account.name, token).await?;
        Ok(Some((account, secret)))
    }

    /// The time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Waits for the right to change a repository.
    pub(crate) async fn lock(&self, key: RepoKey) -> Locked {
        self.locks.lock(key).await
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

/// Does work that blocks, where blocking is allowed.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(Error::internal(error)),
    }
}

#[expect(
    clippy::todo,
    unused_variables,
    clippy::unused_async,
    reason = "signatures first"
)]
impl Hub {
    // discussion.rs
    /// Opens a discussion or a draft pull request.
    pub async fn open_discussion(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        new: NewDiscussion,
    ) -> Result<Discussion, Error> {
        todo!()
    }
    /// Discussions, newest first.
    pub async fn discussions(
        &self,
        repo: &Repo,
        filter: &DiscussionFilter,
    ) -> Result<DiscussionPage, Error> {
        todo!()
    }
    /// One discussion with everything that happened.
    pub async fn discussion(
        &self,
        repo: &Repo,
        num: i64,
        diff: bool,
    ) -> Result<PullDetails, Error> {
        todo!()
    }
    /// Says something.
    pub async fn comment(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        text: &str,
    ) -> Result<Event, Error> {
        todo!()
    }
    /// Changes what one has said.
    pub async fn edit_comment(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        event: &str,
        text: &str,
    ) -> Result<Event, Error> {
        todo!()
    }
    /// Hides a comment, for ever.
    pub async fn hide_comment(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        event: &str,
    ) -> Result<Event, Error> {
        todo!()
    }
    /// Gives a discussion another title.
    pub async fn retitle(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        title: &str,
    ) -> Result<Event, Error> {
        todo!()
    }
    /// Closes or opens again; results of a closed pull request leave the boards, those of a reopened one return.
    pub async fn change_status(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        status: Status,
        comment: Option<&str>,
    ) -> Result<Event, Error> {
        todo!()
    }
    /// Merges a pull request: its results become the repository's own.
    pub async fn merge(
        &self,
        caller: &Caller,
        repo: &Repo,
        num: i64,
        comment: Option<&str>,
    ) -> Result<(Event, ObjectId), Error> {
        todo!()
    }

    // board.rs
    /// A leaderboard, of what the caller may see.
    pub async fn leaderboard(
        &self,
        caller: &Caller,
        benchmark: &RepoId,
        query: &BoardQuery,
    ) -> Result<Arc<BoardView>, Error> {
        todo!()
    }
    /// Every result of a model: on main and in open pull requests.
    pub async fn model_results(&self, repo: &Repo) -> Result<Arc<Vec<Arc<EvalResult>>>, Error> {
        todo!()
    }
    /// A number that changes whenever something that anonymous readers see has changed: for caches of rendered answers.
    pub fn generation(&self) -> u64 {
        todo!()
    }
    /// The benchmark that a dataset defines, with the commit of its definition.
    pub async fn benchmark(
        &self,
        repo: &Repo,
    ) -> Result<Option<(Arc<assay_model::Benchmark>, ObjectId)>, Error> {
        todo!()
    }

    // listing.rs
    /// Repositories that the caller may see.
    pub async fn list(&self, caller: &Caller, query: &ListQuery) -> Result<ListPage, Error> {
        todo!()
    }

    // operator.rs
    /// Marks a benchmark as official, or takes the mark away. For operators.
    pub async fn set_official(
        &self,
        caller: &Caller,
        benchmark: &RepoId,
        official: bool,
    ) -> Result<(), Error> {
        todo!()
    }
    /// Throws the index away and builds it again from the repositories.
    pub async fn reindex(&self, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Reindexed, Error> {
        todo!()
    }
    /// Builds the index again beside the live one and says where they differ.
    pub async fn check_index(
        &self,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Vec<IndexDifference>, Error> {
        todo!()
    }
}
