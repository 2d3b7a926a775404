use assay_model::RepoId;

/// Who asks. Made by [`Hub::authenticate`](crate::Hub::authenticate) alone.
#[derive(Debug, Clone)]
pub struct Caller {
    pub(crate) inner: CallerKind,
}

#[derive(Debug, Clone)]
pub(crate) enum CallerKind {
    /// Nobody in particular.
    Anonymous,
    /// A user, through one of their tokens.
    User(SignedIn),
}

#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    /// The account.
    pub(crate) account: i64,
    /// Its name.
    pub(crate) name: String,
    /// Whether it runs the hub.
    pub(crate) operator: bool,
    /// The token.
    pub(crate) token: i64,
    /// What the token allows.
    pub(crate) scope: Scope,
}

/// What a token allows; never more than its account may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Read what the account may read.
    Read,
    /// Also write what it may write.
    Write,
    /// Also manage accounts, when the account runs the hub.
    Admin,
    /// Read everything the account may, and write only to these.
    Fine(Vec<ScopePattern>),
}

/// One repository, or all of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopePattern {
    /// `namespace/name`
    Repo(RepoId),
    /// `namespace/*`
    Namespace(String),
}

/// What a caller needs of a repository. The order is from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// See it.
    Read,
    /// Open a discussion or pull request, or comment: anyone signed in who sees it.
    Discuss,
    /// Change its branches and tags, merge.
    Write,
    /// Rename, delete, change visibility.
    Admin,
}

impl Caller {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self {
            inner: CallerKind::Anonymous,
        }
    }

    /// The name of the account, when someone is signed in.
    pub fn name(&self) -> Option<&str> {
        match &self.inner {
            CallerKind::Anonymous => None,
            CallerKind::User(user) => Some(&user.name),
        }
    }

    /// The token that was used, for limits per token.
    pub fn token(&self) -> Option<i64> {
        match &self.inner {
            CallerKind::Anonymous => None,
            CallerKind::User(user) => Some(user.token),
        }
    }
}
