use std::sync::Arc;

use assay_model::{Clock, Diagnostic, ObjectId, RepoId, RepoKind, Role};
use bytes::Bytes;
use tokio::io::AsyncRead;

use crate::access::{Caller, Need};
use crate::account::{Account, Identity, NewToken, TokenInfo, TokenSecret};
use crate::board::{BoardQuery, BoardView, EvalResult};
use crate::commit::{CommitRequest, Committed, Preupload, PreuploadPlan};
use crate::config::HubConfig;
use crate::discussion::{
    Discussion, DiscussionFilter, DiscussionPage, Event, NewDiscussion, PullDetails, Status,
};
use crate::error::Error;
use crate::file::{Blob, CommitPage, FileEntry, RefList};
use crate::large::LargeObject;
use crate::listing::{ListPage, ListQuery};
use crate::operator::{IndexDifference, Reindexed};
use crate::push::PushReply;
use crate::repository::{NewRepository, Repo, RepoInfo, Settings};

/// A hub: its repositories, its records, and what may be done with them.
pub struct Hub {}

#[expect(
    clippy::todo,
    unused_variables,
    clippy::unused_async,
    reason = "signatures first"
)]
impl Hub {
    // hub.rs: opening
    /// Opens the data directory, makes it when it is new, and catches up with what a crash left behind.
    pub async fn open(config: HubConfig, clock: Arc<dyn Clock>) -> Result<Arc<Self>, Error> {
        todo!()
    }
    /// Whether the hub can answer: its database and its directory.
    pub async fn healthy(&self) -> Result<(), Error> {
        todo!()
    }
    /// The operator's first token, made when there is no account yet; it is shown once.
    pub async fn first_operator(&self) -> Result<Option<(Account, TokenSecret)>, Error> {
        todo!()
    }

    // access.rs, account.rs
    /// Who a token belongs to; a bad one is refused and never taken for nobody.
    pub async fn authenticate(&self, secret: Option<&str>) -> Result<Caller, Error> {
        todo!()
    }
    /// Who the caller is.
    pub async fn identity(&self, caller: &Caller) -> Result<Identity, Error> {
        todo!()
    }
    /// Makes a user. For operators.
    pub async fn create_user(
        &self,
        caller: &Caller,
        name: &str,
        full_name: &str,
        email: Option<&str>,
        operator: bool,
    ) -> Result<Account, Error> {
        todo!()
    }
    /// Makes an organisation, with the caller as its first admin.
    pub async fn create_organisation(
        &self,
        caller: &Caller,
        name: &str,
        full_name: &str,
    ) -> Result<Account, Error> {
        todo!()
    }
    /// Gives a user a role in an organisation, or takes it away.
    pub async fn set_member(
        &self,
        caller: &Caller,
        organisation: &str,
        user: &str,
        role: Option<Role>,
    ) -> Result<(), Error> {
        todo!()
    }
    /// The members of an organisation.
    pub async fn members(
        &self,
        caller: &Caller,
        organisation: &str,
    ) -> Result<Vec<(Account, Role)>, Error> {
        todo!()
    }
    /// Every account. For operators.
    pub async fn accounts(&self, caller: &Caller) -> Result<Vec<Account>, Error> {
        todo!()
    }
    /// A public account by name.
    pub async fn account(&self, name: &str) -> Result<Account, Error> {
        todo!()
    }
    /// Disables an account: its tokens stop working, what it made stays.
    pub async fn disable_account(&self, caller: &Caller, name: &str) -> Result<(), Error> {
        todo!()
    }
    /// Makes a token for the caller, or for another user when the caller is an operator.
    pub async fn create_token(
        &self,
        caller: &Caller,
        user: &str,
        token: NewToken,
    ) -> Result<(TokenInfo, TokenSecret), Error> {
        todo!()
    }
    /// The tokens of a user.
    pub async fn tokens(&self, caller: &Caller, user: &str) -> Result<Vec<TokenInfo>, Error> {
        todo!()
    }
    /// Ends a token at once.
    pub async fn revoke_token(&self, caller: &Caller, user: &str, id: i64) -> Result<(), Error> {
        todo!()
    }
    /// The operator at the shell of the machine: whoever can read the data directory may do everything.
    pub fn shell(&self) -> Caller {
        todo!()
    }

    // repository.rs
    /// Lets a caller in, or not: the one door to a repository. An invisible one is missing, a renamed one is `Moved`.
    pub async fn repo(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        need: Need,
    ) -> Result<Repo, Error> {
        todo!()
    }
    /// Makes a repository with a first commit on `main`.
    pub async fn create_repository(
        &self,
        caller: &Caller,
        new: NewRepository,
    ) -> Result<RepoInfo, Error> {
        todo!()
    }
    /// Deletes a repository.
    pub async fn delete_repository(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
    ) -> Result<(), Error> {
        todo!()
    }
    /// Renames a repository; the old name leads to it until someone takes that name.
    pub async fn move_repository(
        &self,
        caller: &Caller,
        kind: RepoKind,
        from: &RepoId,
        to: &RepoId,
    ) -> Result<(), Error> {
        todo!()
    }
    /// Changes visibility or description.
    pub async fn change_settings(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        settings: Settings,
    ) -> Result<RepoInfo, Error> {
        todo!()
    }
    /// What pages and lists say of a repository, at a revision.
    pub async fn repo_info(&self, repo: &Repo, revision: Option<&str>) -> Result<RepoInfo, Error> {
        todo!()
    }

    // file.rs
    /// The commit that a branch, tag, hash or `refs/pr/N` names.
    pub async fn resolve(&self, repo: &Repo, revision: &str) -> Result<ObjectId, Error> {
        todo!()
    }
    /// The files of a folder, in order of path.
    pub async fn tree(
        &self,
        repo: &Repo,
        revision: &str,
        folder: Option<&str>,
        recursive: bool,
        last_commits: bool,
    ) -> Result<Vec<FileEntry>, Error> {
        todo!()
    }
    /// What lies at some paths; those that do not exist are left out.
    pub async fn paths(
        &self,
        repo: &Repo,
        revision: &str,
        paths: &[String],
        last_commits: bool,
    ) -> Result<Vec<FileEntry>, Error> {
        todo!()
    }
    /// A file, with its bytes when `content`; the stored pointer of a large file when `raw`.
    pub async fn blob(
        &self,
        repo: &Repo,
        revision: &str,
        path: &str,
        content: bool,
        raw: bool,
    ) -> Result<Blob, Error> {
        todo!()
    }
    /// Branches, tags and pull requests.
    pub async fn refs(&self, repo: &Repo) -> Result<RefList, Error> {
        todo!()
    }
    /// The history, newest first.
    pub async fn commits(
        &self,
        repo: &Repo,
        revision: &str,
        offset: usize,
        limit: usize,
    ) -> Result<CommitPage, Error> {
        todo!()
    }
    /// Makes a branch.
    pub async fn create_branch(
        &self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
        start: Option<&str>,
    ) -> Result<(), Error> {
        todo!()
    }
    /// Deletes a branch; never `main`.
    pub async fn delete_branch(
        &self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
    ) -> Result<(), Error> {
        todo!()
    }
    /// Makes a tag, with a message or without.
    pub async fn create_tag(
        &self,
        caller: &Caller,
        repo: &Repo,
        name: &str,
        revision: &str,
        message: Option<&str>,
    ) -> Result<(), Error> {
        todo!()
    }
    /// Deletes a tag.
    pub async fn delete_tag(&self, caller: &Caller, repo: &Repo, name: &str) -> Result<(), Error> {
        todo!()
    }

    // commit.rs
    /// How files are to be uploaded.
    pub async fn preupload(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        request: Preupload,
    ) -> Result<PreuploadPlan, Error> {
        todo!()
    }
    /// Makes a commit, or a pull request of one commit.
    pub async fn commit(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: &RepoId,
        request: CommitRequest,
    ) -> Result<Committed, Error> {
        todo!()
    }
    /// What the judge would say of these files, as if committed to `main`; nothing is kept.
    pub async fn preview(
        &self,
        caller: &Caller,
        kind: RepoKind,
        id: Option<&RepoId>,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<Vec<Diagnostic>, Error> {
        todo!()
    }

    // push.rs
    /// What `git` is told first, for a fetch or a push (`service` is `git-upload-pack` or `git-receive-pack`).
    pub async fn advertise(
        &self,
        repo: &Repo,
        service: &str,
        protocol: Option<&str>,
    ) -> Result<Bytes, Error> {
        todo!()
    }
    /// Answers a fetch, as a stream.
    pub async fn fetch(
        &self,
        repo: &Repo,
        protocol: Option<&str>,
        request: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<Box<dyn AsyncRead + Send + Unpin>, Error> {
        todo!()
    }
    /// Takes a push: judged before any ref moves.
    pub async fn push(
        &self,
        caller: &Caller,
        repo: &Repo,
        request: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<PushReply, Error> {
        todo!()
    }

    // large.rs
    /// Takes the bytes of a large file for a repository.
    pub async fn store_large(
        &self,
        repo: &Repo,
        sha256: &str,
        size: u64,
        content: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<(), Error> {
        todo!()
    }
    /// A large file that this repository has.
    pub async fn large(&self, repo: &Repo, sha256: &str) -> Result<Option<LargeObject>, Error> {
        todo!()
    }
    /// A signature over a text that only this hub can make, for links that carry their own permission until they expire.
    pub fn sign(&self, text: &str) -> String {
        todo!()
    }

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
