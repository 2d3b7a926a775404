//! The reasons of failures, in words of the domain. The status that a client gets is the server's
//! business.

use assay_git::{LargeFileId, RefName};
use assay_model::{PullNumber, RepoId, RepoKey, RepoKind, Timestamp};

/// A token that lets nobody in any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the token `{label}` {} at {at}", if *is_revoked { "was revoked" } else { "expired" })]
pub struct EndedToken {
    /// The label that its owner gave it.
    pub label: String,
    /// True if somebody revoked it before its time.
    pub is_revoked: bool,
    /// The moment from which on it lets nobody in.
    pub at: Timestamp,
}

/// The reason why a known caller may not do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// An operator has disabled the repository.
    #[error("Access to this resource is disabled.")]
    Disabled,
    /// The token is of scope `read`.
    #[error("this token may only read: make one with the scope `write` under Settings, Tokens")]
    TokenReads,
    /// The fine-grained token names other repositories.
    #[error("this token may not write to this repository")]
    TokenElsewhere,
    /// Fine-grained tokens do not manage repositories.
    #[error("a fine-grained token may not rename, delete or change settings")]
    TokenManages,
    /// The caller may read and open pull requests.
    #[error("you may not write to this repository; you may open a pull request")]
    NotAWriter,
    /// The caller may write and not manage.
    #[error("you may not rename, delete or change the settings of this repository")]
    NotAnAdmin,
    /// The namespace is that of others.
    #[error(
        "you may not create repositories in the namespace `{namespace}`: use your own, `{user}`, or that of an organisation in \
         which you may write"
    )]
    NotYourNamespace {
        /// The namespace.
        namespace: String,
        /// The name of the caller.
        user: String,
    },
    /// The shell has no account, and what is written needs an author.
    #[error("this needs an account: use the token of a user")]
    NotAUser,
    /// Only operators do this.
    #[error("this is for the operator of the hub, with a token of scope `admin`")]
    NotAnOperator,
    /// Users do not create organisations on this hub.
    #[error("organisations are made by the operators of this hub")]
    OrganisationsByOperators,
    /// The account has created as many organisations as it may.
    #[error("an account makes at most {most} organisations; ask an operator for more")]
    OrganisationLimit {
        /// The limit.
        most: u64,
    },
    /// The members of an organisation are not public.
    #[error("only members see the members of an organisation")]
    NotAMember,
    /// Members are managed by admins.
    #[error("only admins of an organisation manage its members")]
    NotAnOrganisationAdmin,
    /// The token is of scope `read`, or fine-grained.
    #[error("this needs a token of scope `write`")]
    TokenOfScopeWrite,
    /// Passwords are set by people, not by tokens.
    #[error("a token may not set a password: sign in with your password, or ask an operator")]
    TokenSetsPassword,
    /// The current password was not given correctly.
    #[error("the current password is not this one")]
    WrongPassword,
    /// The account has as many open pull requests in the repository as it may.
    #[error("you have {most} open pull requests in `{repo}`: close or merge one first")]
    OpenPulls {
        /// The limit.
        most: u64,
        /// The repository.
        repo: RepoId,
    },
    /// The account has as many repositories as it may.
    #[error("an account has at most {most} repositories")]
    RepositoryLimit {
        /// The limit.
        most: u64,
    },
    /// The main branch stays.
    #[error("the branch `main` cannot be deleted")]
    MainStays,
    /// The history of the main branch stays.
    #[error(
        "the history of `main` is kept: make a branch of it and squash that, or an operator takes commits out with `assay \
         admin purge`"
    )]
    MainHistoryStays,
    /// The pull request is that of somebody else.
    #[error(
        "only its author and those who may write to the repository may change pull request {0}"
    )]
    PullOfOthers(PullNumber),
    /// A token cannot grant more than it has.
    #[error("a token may not make one that allows more than itself")]
    TokenAllowsMore,
    /// A token cannot make one that outlives it.
    #[error(
        "a token that is made with another one ends no later than that one, at {0}; sign in with your password to \
         make one that lasts longer"
    )]
    TokenLastsLonger(Timestamp),
    /// Tokens are managed by their owner.
    #[error("only the operator manages the tokens of others")]
    TokensOfOthers,
    /// Webhooks of a user are managed by that user.
    #[error("only a user manages their own webhooks")]
    WebhooksOfOthers,
    /// Comments are edited by their author.
    #[error("only who wrote a comment may change it")]
    CommentOfOthers,
    /// A device code is approved on a page, by somebody who signed in there.
    #[error("a code is approved on the pages of the hub")]
    CodeWithoutSession,
}

/// A thing that exists already.
#[derive(Debug, thiserror::Error)]
pub enum Existing {
    /// An account of that name.
    #[error("`{0}` is taken")]
    Account(String),
    /// An account, or an address of the hub, whose name looks the same.
    #[error("`{name}` looks like `{other}`; choose a name that nobody takes for another one")]
    LooksLike {
        /// The name that was asked for.
        name: String,
        /// The name that it looks like.
        other: String,
    },
    /// A repository of that name.
    #[error("there is a {kind} `{id}` already")]
    Repo {
        /// The kind of repository.
        kind: RepoKind,
        /// The name.
        id: RepoId,
    },
    /// A branch or tag of that name.
    #[error("`{0}` exists already")]
    Ref(RefName),
    /// An identity of the issuer.
    #[error("there is an identity `{0}`")]
    Identity(String),
    /// An OAuth client of the issuer.
    #[error("there is a client `{0}`")]
    Client(String),
    /// A record of the database.
    #[error(transparent)]
    Record(assay_store::Error),
}

/// A conflict of a change with the current state.
#[derive(Debug, thiserror::Error)]
pub enum Conflict {
    /// The last admin of an organisation would leave.
    #[error("an organisation keeps at least one admin")]
    LastAdmin,
    /// A pull request needs a branch to merge into.
    #[error("the repository has no branch `main`")]
    NoMain,
    /// The discussion was changed by somebody else meanwhile.
    #[error("discussion {0} has changed meanwhile")]
    DiscussionChanged(PullNumber),
    /// The pull request is closed or merged.
    #[error("pull request {num} is {status}")]
    PullNotOpen {
        /// Its number.
        num: PullNumber,
        /// Its status.
        status: &'static str,
    },
    /// The pull request was closed or merged meanwhile.
    #[error("pull request {0} is not open any more")]
    PullClosed(PullNumber),
    /// Both sides changed these files.
    #[error("the pull request conflicts with its base in {}; bring it up to date first", .0.join(", "))]
    Merge(Vec<String>),
    /// The base or the head of a pull request is gone.
    #[error("there is no `{0}` to merge")]
    NothingToMerge(RefName),
    /// The large file is part of the history.
    #[error(
        "a commit names {0}, and the history of a repository is kept here: an operator can take it out with `assay admin purge`"
    )]
    LargeFileInHistory(LargeFileId),
    /// The place has as many webhooks as it may.
    #[error("there are at most {most} webhooks in one place")]
    WebhookLimit {
        /// The limit.
        most: usize,
    },
    /// The webhook was switched off, or its address failed for long.
    #[error("this webhook is paused: resume it first")]
    WebhookPaused,
    /// A repository trusts as many publishers as it may.
    #[error("a repository has at most {most} trusted publishers")]
    PublisherLimit {
        /// Number of it that may trust.
        most: usize,
    },
    /// Refs that cannot be there together, or one that is moved twice.
    #[error(transparent)]
    Refs(assay_git::Error),
}

/// The limit that a request is beyond.
#[derive(Debug, thiserror::Error)]
pub enum Limit {
    /// Changed files of all commits of a push.
    #[error("these commits change more than {most} files together; push fewer at once")]
    PushedChanges {
        /// The limit.
        most: usize,
    },
    /// Commits of a push.
    #[error(
        "this push has more than {most} new commits; push an older commit first, as in \
         `git push origin main~{most}:main`, and the rest after it"
    )]
    PushedCommits {
        /// The limit.
        most: usize,
    },
    /// Changed files of one commit of a push.
    #[error("commit {commit} changes {files} files; a commit changes at most {most}")]
    PushedFiles {
        /// The commit, shortened.
        commit: String,
        /// The number of files that it changes.
        files: usize,
        /// The limit.
        most: usize,
    },
    /// Bytes of the files of one commit of a push.
    #[error(
        "the files of commit {commit} have {bytes} bytes together; those of a commit have at most {most}"
    )]
    PushedBytes {
        /// The commit, shortened.
        commit: String,
        /// The number of bytes of its files.
        bytes: u64,
        /// The limit.
        most: u64,
    },
    /// Files of a commit.
    #[error("a commit has at most {most} files")]
    CommitFiles {
        /// The limit.
        most: usize,
    },
    /// Bytes of the files of a commit.
    #[error("the files of a commit have at most {most} bytes together")]
    CommitBytes {
        /// The limit, in bytes.
        most: u64,
    },
    /// The message of a commit.
    #[error("the message of a commit has at most {most} bytes")]
    CommitMessage {
        /// The limit, in bytes.
        most: usize,
    },
    /// The message of a tag.
    #[error("the message of a tag has at most {most} bytes")]
    TagMessage {
        /// The limit, in bytes.
        most: usize,
    },
    /// Entries of the result files of one commit.
    #[error(
        "the result files of this commit have more than {most} entries together; \
         leave out those of single samples, and keep them as records in `data/`"
    )]
    ResultEntries {
        /// The limit.
        most: usize,
    },
    /// A file in git.
    #[error("`{path}` has {size} bytes; a file in git has at most {most}")]
    FileInGit {
        /// The file.
        path: String,
        /// Its size, in bytes.
        size: u64,
        /// The limit, in bytes.
        most: u64,
    },
    /// A file that is validated.
    #[error("`{path}` has {size} bytes; a {kind} file has at most {most}")]
    ValidatedFile {
        /// The file.
        path: String,
        /// Its size, in bytes.
        size: u64,
        /// The kind of file.
        kind: String,
        /// The limit, in bytes.
        most: u64,
    },
    /// Any file.
    #[error("`{path}` has {size} bytes; a file has at most {most}")]
    File {
        /// The file.
        path: String,
        /// Its size, in bytes.
        size: u64,
        /// The limit, in bytes.
        most: u64,
    },
    /// A large file.
    #[error("a large file has at most {most} bytes here")]
    LargeFile {
        /// The limit, in bytes.
        most: u64,
    },
    /// A xorb or shard of the Xet protocol.
    #[error("a {what} has at most {most} bytes")]
    XetPiece {
        /// The kind of piece.
        what: &'static str,
        /// The limit, in bytes.
        most: u64,
    },
    /// Large files that are deleted by one request.
    #[error("at most {most} large files are deleted at once")]
    DeletedFiles {
        /// The limit.
        most: usize,
    },
    /// Paths of one request.
    #[error("one request asks about at most {most} paths")]
    Paths {
        /// The limit.
        most: usize,
    },
    /// Files of a preview.
    #[error("a preview has at most {files} files of {bytes} bytes together")]
    Preview {
        /// The limit of files.
        files: usize,
        /// The limit of their bytes together.
        bytes: u64,
    },
    /// Commits that are made again after a purge.
    #[error("at most {most} commits can follow those that are removed")]
    ReplayedCommits {
        /// The limit.
        most: usize,
    },
    /// Events and text of a discussion.
    #[error(
        "discussion {num} is full: it may have {events} events with {characters} characters; open another one"
    )]
    Discussion {
        /// Its number.
        num: PullNumber,
        /// The limit of events.
        events: u64,
        /// The limit of characters.
        characters: u64,
    },
    /// A comment.
    #[error("a comment has at most {most} bytes, not {bytes}")]
    Comment {
        /// The limit, in bytes.
        most: usize,
        /// Number of it that has.
        bytes: usize,
    },
    /// The directory that a proof has to contain.
    #[error("the directory of this commit is too large for a proof")]
    Proof,
    /// A limit of what is read from git.
    #[error(transparent)]
    Git(assay_git::Error),
}

/// The storage that an account or a repository would exceed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Quota {
    /// Git objects of a repository.
    #[error("`{repo}` would have more than {most} git objects")]
    RepositoryObjects {
        /// The repository.
        repo: RepoId,
        /// The limit.
        most: u64,
    },
    /// Bytes of a repository.
    #[error("`{repo}` would take more than {most} bytes")]
    RepositoryBytes {
        /// The repository.
        repo: RepoId,
        /// The limit.
        most: u64,
    },
    /// Bytes of all repositories of an account.
    #[error("the repositories of `{owner}` would take more than {most} bytes together")]
    AccountBytes {
        /// The account.
        owner: String,
        /// The limit.
        most: u64,
    },
    /// Bytes of uploads that no commit names.
    #[error(
        "your uploads that no commit names yet would take more than {most} bytes: commit them, or wait a day until they end"
    )]
    Waiting {
        /// The limit.
        most: u64,
    },
}

/// The reason why a file cannot have its path, or be what it is there.
#[derive(Debug, thiserror::Error)]
pub enum UnusablePath {
    /// The path is none that a repository can have.
    #[error(transparent)]
    Invalid(#[from] assay_model::RepoPathError),
    /// The path of a pushed file is none that a repository can have.
    #[error(
        "`{path}` is not a valid path: it must be UTF-8 of at most {most} bytes, with at most {} between slashes, and stay \
         inside the repository",
        assay_model::RepoPath::MAX_PART
    )]
    Pushed {
        /// The beginning of the path.
        path: String,
        /// The limit, in bytes.
        most: usize,
    },
    /// Git does not accept the file.
    #[error("`{path}` is refused by git, and so would be every clone and push: {complaint}")]
    RefusedByGit {
        /// The file.
        path: String,
        /// The complaint of git.
        complaint: String,
    },
    /// A link or submodule where the hub reads a file.
    #[error("`{0}` has to be a file, not a link or submodule")]
    NotAFile(String),
    /// A pointer where the hub reads a file.
    #[error("`{0}` is a git-lfs pointer; commit the file itself: `git lfs untrack` it")]
    Pointer(String),
    /// A file and a folder of one name.
    #[error(transparent)]
    FileAndFolder(assay_git::Error),
}

/// A resource that is busy at the moment. A little later the same request can succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Busy {
    /// The database did not answer in time.
    #[error("the database of this hub is busy or away at the moment; try again in a few seconds")]
    Database,
    /// Another change holds the lock of the repository.
    #[error("another change of this repository takes long; try again in a minute")]
    Repository,
    /// Another process writes the index of the repository.
    #[error(
        "the index of repository {0} is being written by another process; it catches up by itself"
    )]
    Index(RepoKey),
    /// As many diffs are computed as may be at once.
    #[error("too many diffs are being worked out; try again in a few seconds")]
    Diffs,
    /// As many passwords are checked as may be at once.
    #[error("too many passwords are being checked; try again in a moment")]
    Passwords,
    /// As many logs are converted as may be at once.
    #[error("too many logs are being converted; try again in a few seconds")]
    Conversions,
    /// As many large files are sent as may be at once.
    #[error("too many large files are being sent; try again in a few seconds")]
    LargeFiles,
    /// The object storage did not answer, or has not what it was just given.
    #[error("the object storage of this hub does not answer at the moment; try again in a minute")]
    Storage,
    /// There is no room to unpack a file from git.
    #[error("the disk of this hub is full; small files can be read")]
    Scratch,
    /// As many processes of git run as may be at once.
    #[error("{0} requests like this one are being answered, as many as may be at once")]
    Processes(usize),
    /// The refs have moved already: whoever tries again must know that the change is in git.
    #[error(
        "{0}; the change itself is in git and is recorded as soon as possible: fetch before you try again"
    )]
    AfterRefsMoved(Box<Busy>),
}
