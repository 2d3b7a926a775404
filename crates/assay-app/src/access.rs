//! Access decisions, made here and nowhere else.
//!
//! The decisions are pure functions of what is known: who asks, through which token, and what they
//! are to the repository. [`Hub::repo`](crate::Hub::repo) looks these facts up and is the one door.

use assay_model::{RepoId, Role};
use assay_store::AccountId;

use crate::error::{Denied, Error, Missing};
use crate::origin::Origin;

/// The sender of a request. Made by
/// [`AccountService::authenticate`](crate::AccountService::authenticate) and
/// [`Hub::shell`](crate::Hub::shell) alone.
#[derive(Debug, Clone)]
pub struct Caller {
    pub(crate) inner: CallerKind,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone)]
pub(crate) enum CallerKind {
    /// Nobody in particular.
    Anonymous,
    /// A user, through one of their tokens.
    User(SignedIn),
    /// Whoever can read the data directory.
    Shell,
}

#[derive(Debug, Clone)]
pub(crate) struct SignedIn {
    /// The account.
    pub(crate) account: AccountId,
    /// Its name.
    pub(crate) name: String,
    /// The address, for commits.
    pub(crate) email: Option<String>,
    /// True if it runs the hub.
    pub(crate) operator: bool,
    /// The token; none when a password opened a session.
    pub(crate) token: Option<i64>,
    /// The session of the pages; none for the API and git.
    pub(crate) session: Option<i64>,
    /// The scope of the token.
    pub(crate) scope: Scope,
}

/// The scope of a token; never more than its account may.
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

/// The access that a caller needs to a repository, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Need {
    /// See it.
    Read,
    /// Open a discussion or pull request, or comment: anyone signed in who sees it.
    Discuss,
    /// Change its branches and tags, merge.
    Write,
    /// Rename, delete, change visibility.
    Admin,
}

/// The relation of an account to a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Nothing.
    Stranger,
    /// It is its own.
    Owner,
    /// It is that of an organisation in which it has a part.
    Member(Role),
}

/// The facts of a repository that are known before access is decided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'r> {
    /// Its name.
    pub(crate) id: &'r RepoId,
    /// True if only some may see it.
    pub(crate) private: bool,
    /// True if the operator has closed it.
    pub(crate) disabled: bool,
    /// The relation of the caller to its namespace.
    pub(crate) relation: Relation,
    /// True if the caller made it.
    pub(crate) created: bool,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They may.
    Allowed,
    /// For them it does not exist.
    Invisible,
    /// They have to say who they are first.
    SignIn,
    /// They may not.
    Denied(Denied),
}

/// Decides what a caller may do with a repository.
pub(crate) fn decide(caller: &Caller, subject: &Subject<'_>, need: Need) -> Verdict {
    let user = match &caller.inner {
        CallerKind::Shell => return Verdict::Allowed,
        CallerKind::Anonymous => None,
        CallerKind::User(user) => Some(user),
    };
    let is_operator = user.is_some_and(|user| user.operator);
    let is_related = subject.relation != Relation::Stranger || is_operator;
    if subject.private && !is_related {
        return Verdict::Invisible;
    }
    if subject.disabled && !is_operator {
        return Verdict::Denied(Denied::Disabled);
    }
    if need == Need::Read {
        return Verdict::Allowed;
    }
    let Some(user) = user else {
        return Verdict::SignIn;
    };
    match by_scope(&user.scope, subject.id, need) {
        Verdict::Allowed => {}
        refused => return refused,
    }
    by_role(is_operator, subject, need)
}

/// Returns the decision by the scope of a token, whoever it belongs to.
fn by_scope(scope: &Scope, id: &RepoId, need: Need) -> Verdict {
    match scope {
        Scope::Read => Verdict::Denied(Denied::TokenReads),
        Scope::Write | Scope::Admin => Verdict::Allowed,
        Scope::Fine(_) if need == Need::Admin => Verdict::Denied(Denied::TokenManages),
        Scope::Fine(patterns) if patterns.iter().any(|pattern| pattern.matches(id)) => {
            Verdict::Allowed
        }
        Scope::Fine(_) => Verdict::Denied(Denied::TokenElsewhere),
    }
}

/// Returns the decision for an account that sees the repository.
fn by_role(is_operator: bool, subject: &Subject<'_>, need: Need) -> Verdict {
    let role = match subject.relation {
        Relation::Owner => Some(Role::Admin),
        Relation::Member(role) => Some(role),
        Relation::Stranger => None,
    };
    let writes = role >= Some(Role::Write) || (role == Some(Role::Contribute) && subject.created);
    let (may, otherwise) = match need {
        Need::Read | Need::Discuss => return Verdict::Allowed,
        Need::Write => (writes, Denied::NotAWriter),
        Need::Admin => (role == Some(Role::Admin), Denied::NotAnAdmin),
    };
    if may || is_operator {
        Verdict::Allowed
    } else {
        Verdict::Denied(otherwise)
    }
}

/// Decides whether a caller may make a repository of this name, being this to its namespace.
pub(crate) fn decide_creation(caller: &Caller, relation: Relation, id: &RepoId) -> Verdict {
    let user = match &caller.inner {
        CallerKind::Shell => return Verdict::Allowed,
        CallerKind::Anonymous => return Verdict::SignIn,
        CallerKind::User(user) => user,
    };
    // To create is to write where nothing is yet, so a fine-grained token for the place will do.
    match by_scope(&user.scope, id, Need::Write) {
        Verdict::Allowed => {}
        refused => return refused,
    }
    let may = match relation {
        Relation::Owner => true,
        Relation::Member(role) => role >= Role::Contribute,
        Relation::Stranger => user.operator,
    };
    if may {
        Verdict::Allowed
    } else {
        Verdict::Denied(Denied::NotYourNamespace {
            namespace: id.namespace().unwrap_or_default().to_owned(),
            user: user.name.clone(),
        })
    }
}

impl Verdict {
    /// The verdict as an answer.
    pub(crate) fn into_result(self) -> Result<(), Error> {
        match self {
            Self::Allowed => Ok(()),
            Self::Invisible => Err(Error::NotFound(Missing::Repo)),
            Self::SignIn => Err(Error::NotSignedIn),
            Self::Denied(why) => Err(Error::Denied(why)),
        }
    }
}

impl ScopePattern {
    fn matches(&self, id: &RepoId) -> bool {
        match self {
            Self::Repo(own) => own.as_str().eq_ignore_ascii_case(id.as_str()),
            Self::Namespace(own) => id
                .namespace()
                .is_some_and(|namespace| namespace.eq_ignore_ascii_case(own)),
        }
    }
}

impl std::fmt::Display for ScopePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Repo(id) => write!(f, "{id}"),
            Self::Namespace(namespace) => write!(f, "{namespace}/*"),
        }
    }
}

impl std::str::FromStr for ScopePattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let part = text.strip_suffix("/*").unwrap_or(text);
        let id: RepoId = part
            .parse()
            .map_err(|error: assay_model::RepoIdError| Error::Invalid(error.to_string()))?;
        match (text.ends_with("/*"), id.namespace()) {
            (true, None) => Ok(Self::Namespace(part.to_owned())),
            (false, Some(_)) => Ok(Self::Repo(id)),
            (true, Some(_)) | (false, None) => Err(Error::Invalid(format!(
                "`{text}` is neither `namespace/name` nor `namespace/*`"
            ))),
        }
    }
}

impl Caller {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self::new(CallerKind::Anonymous)
    }

    /// A caller of a kind, from an unknown place.
    pub(crate) fn new(inner: CallerKind) -> Self {
        Self {
            inner,
            origin: Origin::default(),
        }
    }

    /// The same caller with the place that their request came from, for the audit log.
    #[must_use]
    pub fn with_origin(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    /// The place that the request came from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The name of the account, when someone is signed in.
    pub fn name(&self) -> Option<&str> {
        match &self.inner {
            CallerKind::Anonymous | CallerKind::Shell => None,
            CallerKind::User(user) => Some(&user.name),
        }
    }

    /// The token that was used, for limits per token.
    pub fn token(&self) -> Option<i64> {
        match &self.inner {
            CallerKind::Anonymous | CallerKind::Shell => None,
            CallerKind::User(user) => user.token,
        }
    }

    /// Returns whether nobody in particular asks.
    pub fn is_anonymous(&self) -> bool {
        match &self.inner {
            CallerKind::Anonymous => true,
            CallerKind::User(_) | CallerKind::Shell => false,
        }
    }

    /// The account that acts: what is written has an author.
    pub(crate) fn signed_in(&self) -> Result<&SignedIn, Error> {
        match &self.inner {
            CallerKind::User(user) => Ok(user),
            CallerKind::Anonymous => Err(Error::NotSignedIn),
            CallerKind::Shell => Err(Error::Denied(Denied::NotAUser)),
        }
    }

    /// Returns whether this is somebody who runs the hub, with a token that allows it.
    pub fn is_operator(&self) -> bool {
        self.check_operator().is_ok()
    }

    /// Refuses everyone but the operator with a token for it, and the shell.
    pub(crate) fn check_operator(&self) -> Result<(), Error> {
        match &self.inner {
            CallerKind::Shell => Ok(()),
            CallerKind::User(user) if user.operator && user.scope == Scope::Admin => Ok(()),
            CallerKind::User(_) => Err(Error::Denied(Denied::NotAnOperator)),
            CallerKind::Anonymous => Err(Error::NotSignedIn),
        }
    }
}

#[cfg(test)]
mod tests;
