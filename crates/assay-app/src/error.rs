use assay_model::{Diagnostic, PullNumber, RepoId, RepoKind};

use crate::disk::DiskFault;

mod reason;

pub use reason::{Busy, Conflict, Denied, EndedToken, Existing, Limit, Quota, UnusablePath};

/// A request that the hub refused or could not carry out. Everything but [`Error::Internal`] is
/// meant for the caller.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not there, or the caller may not know that it is.
    #[error("{0}")]
    NotFound(Missing),
    /// The repository has another name now.
    #[error("the {kind} is now called `{to}`")]
    Moved {
        /// The kind of the repository.
        kind: RepoKind,
        /// Its name now.
        to: RepoId,
    },
    /// The caller has to sign in first.
    #[error("sign in first: this needs an account")]
    NotSignedIn,
    /// The token, session or password is unknown, expired or revoked.
    #[error("the token, session or password is not valid, or not any more")]
    BadCredentials,
    /// The token was good once. Only who has it is told.
    #[error(transparent)]
    TokenEnded(#[from] EndedToken),
    /// The caller may see it, and may not do this with it.
    #[error(transparent)]
    Denied(#[from] Denied),
    /// Something of that name is there already.
    #[error(transparent)]
    Exists(#[from] Existing),
    /// It cannot be done as things stand, such as a merge with conflicts.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A command of an operator cannot go on with these directories, backups, keys or logs; the
    /// text says what to do.
    #[error("{0}")]
    Operator(String),
    /// The branch has moved on since the caller looked.
    #[error("the branch has moved since it was read")]
    Stale,
    /// Validation refused the files; nothing has changed.
    #[error("{} found in the files of this change", faults(.0))]
    Refused(Vec<Diagnostic>),
    /// A value that the caller gave is none that it can be; the text says which and why.
    #[error("{0}")]
    Invalid(String),
    /// A file cannot have this path, or be what it is there.
    #[error(transparent)]
    UnusablePath(#[from] UnusablePath),
    /// A limit was exceeded.
    #[error(transparent)]
    TooLarge(#[from] Limit),
    /// An account or a repository has stored as much as it may.
    #[error("{0}; an operator can raise the quota")]
    OverQuota(Quota),
    /// Too many requests.
    #[error("too many requests; try again in {after_seconds} seconds")]
    RateLimited {
        /// The time at which the next one may be made.
        after_seconds: u64,
    },
    /// Git took longer than it may, and was ended.
    #[error("`git {subcommand}` took longer than {seconds} seconds and was ended")]
    OutOfTime {
        /// The subcommand of git.
        subcommand: &'static str,
        /// The time it had.
        seconds: u64,
    },
    /// It cannot be done at the moment; a little later it can.
    #[error(transparent)]
    Busy(#[from] Busy),
    /// The disk is full. What is there can be read.
    #[error(
        "the disk of the hub is full: it can be read, and nothing can be written until its operator has made room"
    )]
    NoSpace(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The disk can only be read.
    #[error("the disk of the hub can only be read at the moment; nothing can be written")]
    ReadOnly(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A repository is damaged: a ref points at an object that is not there.
    #[error("the repository is damaged: {0}; the operator of the hub has to restore it")]
    Damaged(String),
    /// It is our fault: the log has the whole chain, the caller gets a request id.
    #[error("internal error")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// The thing that was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// No such repository, or none the caller may see.
    #[error("there is no such repository")]
    Repo,
    /// No such branch, tag or commit.
    #[error("there is no revision `{0}`")]
    Revision(String),
    /// No such file or folder at this commit.
    #[error("there is no such file or folder")]
    Entry {
        /// The commit that was looked in, when it is known.
        commit: Option<assay_model::ObjectId>,
    },
    /// No such discussion or pull request.
    #[error("there is no discussion or pull request {0} here")]
    Discussion(PullNumber),
    /// The dataset is no benchmark, or has no such task.
    #[error("{0}")]
    Leaderboard(String),
    /// No such user, organisation, token or comment.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Wraps what is our fault, or the disk's: this is where the two are told apart.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let source = source.into();
        match DiskFault::behind(&*source) {
            Some(DiskFault::Full) => Self::NoSpace(source),
            Some(DiskFault::ReadOnly) => Self::ReadOnly(source),
            None => Self::Internal(source),
        }
    }

    /// The cause that only the log is told.
    pub fn hidden_cause(&self) -> Option<&(dyn std::error::Error + Send + Sync + 'static)> {
        match self {
            Self::NoSpace(source) | Self::ReadOnly(source) | Self::Internal(source) => {
                Some(&**source)
            }
            _ => None,
        }
    }

    /// The same, for a change whose refs have moved: whoever tries again must know that it is in
    /// git.
    pub(crate) fn after_refs_moved(self) -> Self {
        match self {
            Self::Busy(busy) => Self::Busy(Busy::AfterRefsMoved(Box::new(busy))),
            other => other,
        }
    }
}

impl From<assay_store::Error> for Error {
    fn from(error: assay_store::Error) -> Self {
        match error {
            assay_store::Error::Taken { .. } => Self::Exists(Existing::Record(error)),
            assay_store::Error::Filter => Self::Invalid(error.to_string()),
            assay_store::Error::NotEmpty { .. } => Self::Operator(error.to_string()),
            assay_store::Error::Busy { .. } | assay_store::Error::Away { .. } => {
                tracing::warn!(?error, "the database did not answer in time");
                Self::Busy(Busy::Database)
            }
            assay_store::Error::Open { .. }
            | assay_store::Error::Reach { .. }
            | assay_store::Error::Miscounted { .. }
            | assay_store::Error::Damaged { .. }
            | assay_store::Error::Newer { .. }
            | assay_store::Error::Migrate { .. }
            | assay_store::Error::Related { .. }
            | assay_store::Error::Refused
            | assay_store::Error::Database { .. } => Self::internal(error),
        }
    }
}

impl From<assay_git::Error> for Error {
    fn from(error: assay_git::Error) -> Self {
        use assay_git::Error as Git;
        match error {
            Git::RefMoved { .. } => Self::Stale,
            // It was deleted while the request was on its way.
            Git::NoRepository(_) => Self::NotFound(Missing::Repo),
            Git::RefConflict { .. } | Git::RefTwice(_) => Self::Conflict(Conflict::Refs(error)),
            Git::BrokenRef { .. } => {
                tracing::error!("a repository is damaged: {error}");
                Self::Damaged(error.to_string())
            }
            Git::NothingToDelete(_) => Self::NotFound(Missing::Entry { commit: None }),
            Git::FileAndFolder(_) => Self::UnusablePath(UnusablePath::FileAndFolder(error)),
            Git::RefName(_) => Self::Invalid(error.to_string()),
            Git::BlobTooLarge { .. }
            | Git::TooManyFiles { .. }
            | Git::TooManyCommits(_)
            | Git::Wire(assay_git::WireError::TooLarge(_)) => Self::TooLarge(Limit::Git(error)),
            Git::TooManyProcesses(running) => Self::Busy(Busy::Processes(running)),
            Git::OutOfTime {
                subcommand,
                seconds,
            } => Self::OutOfTime {
                subcommand,
                seconds,
            },
            Git::Wire(_) | Git::Body(_) | Git::WrongHash { .. } | Git::WrongSize { .. } => {
                Self::Invalid(error.to_string())
            }
            // Everything else is between us and the disk, also what a later version of the crate
            // adds.
            other => Self::internal(other),
        }
    }
}

fn faults(diagnostics: &[Diagnostic]) -> String {
    match diagnostics.len() {
        1 => "1 fault was".to_owned(),
        count => format!("{count} faults were"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_is_busy_or_away_is_no_fault_of_the_hub() {
        let cause = || "no connection".into();
        let busy = assay_store::Error::Busy {
            doing: "begin",
            source: cause(),
        };
        let away = assay_store::Error::Away {
            doing: "commit",
            source: cause(),
        };

        for error in [busy, away] {
            let told = Error::from(error);
            assert!(matches!(told, Error::Busy(_)), "{told:?}");
            let told = told.after_refs_moved().to_string();
            assert!(told.contains("the change itself is in git"), "{told}");
        }
    }
}
