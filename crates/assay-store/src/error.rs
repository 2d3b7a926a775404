use std::fmt;
use std::path::PathBuf;

use sqlx::error::DatabaseError;

use crate::{Database, Filter, Viewer, postgres, sqlite};

/// An operation of the store that failed. A cause is the backend's own error, kept for the log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database could not be opened or created.
    #[error("failed to open the database `{}`", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: Cause,
    },
    /// The server of the database could not be reached, or did not let us in.
    #[error("failed to open the database `{database}`")]
    Reach {
        /// The address, without its password.
        database: Database,
        /// The cause.
        source: Cause,
    },
    /// The database was made by a later version of this program.
    #[error("the database has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// The version of the database.
        found: i64,
        /// The last version that this program knows.
        known: i64,
    },
    /// A migration failed; the database is as it was before it.
    #[error("failed to bring the database to version {version}")]
    Migrate {
        /// The version that it should have had.
        version: i64,
        /// The cause.
        source: Cause,
    },
    /// No connection was free in time, or another process kept the database locked.
    #[error("the database is busy: `{doing}` did not get its turn")]
    Busy {
        /// The function that waited.
        doing: &'static str,
        /// The cause.
        source: Cause,
    },
    /// The server of the database went away, is starting, or ended the connection; what was not
    /// committed is undone.
    #[error("the database is away: `{doing}` has lost its connection")]
    Away {
        /// The function that was called.
        doing: &'static str,
        /// The cause.
        source: Cause,
    },
    /// A name that may exist only once exists already.
    #[error("{what} is taken")]
    Taken {
        /// The name or number that may exist only once.
        what: Taken,
    },
    /// The change refers to something that is not there, or would leave something behind that
    /// refers to what is gone.
    #[error("`{doing}` refers to what is not there, or removes what is still referred to")]
    Related {
        /// The function that was called.
        doing: &'static str,
        /// The cause.
        source: Cause,
    },
    /// One change of a transaction was refused, and its caller went on to commit the others.
    #[error("a change was refused before, so none of its transaction is made")]
    Refused,
    /// A database was to be filled that is not empty.
    #[error("the database is not empty: it has rows in `{table}`")]
    NotEmpty {
        /// A table with rows.
        table: &'static str,
    },
    /// A database is damaged.
    #[error("the database is damaged: {found}")]
    Damaged {
        /// The first complaint of the database.
        found: String,
    },
    /// A copy does not have what was copied.
    #[error("{rows} rows of `{table}` were copied, and {found} are there")]
    Miscounted {
        /// The table.
        table: &'static str,
        /// Number of rows that it has.
        rows: u64,
        /// The number of rows of the copy.
        found: u64,
    },
    /// A list was asked for with more conditions than it can be narrowed by.
    #[error(
        "a list is narrowed by at most {} texts and tags, for a viewer of at most {} accounts",
        Filter::MAX_TERMS,
        Viewer::MAX_ACCOUNTS
    )]
    Filter,
    /// Anything else: the disk, or a value in the database that this program did not write.
    #[error("`{doing}` failed in the database")]
    Database {
        /// The function that was called.
        doing: &'static str,
        /// The cause.
        source: Cause,
    },
}

impl Error {
    /// Returns the error that a backend's error means, for the operation that met it.
    pub(crate) fn of(doing: &'static str, error: sqlx::Error) -> Self {
        let is_related = error
            .as_database_error()
            .is_some_and(DatabaseError::is_foreign_key_violation);
        let is_late = |error: &sqlx::Error| match error {
            sqlx::Error::PoolTimedOut => true,
            sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::TimedOut,
            _ => false,
        };
        let is_busy = is_late(&error) || is_busy(&error);
        let is_away = postgres::is_away(&error);
        let source = Box::new(error);
        if is_related {
            Self::Related { doing, source }
        } else if is_busy {
            Self::Busy { doing, source }
        } else if is_away {
            Self::Away { doing, source }
        } else {
            Self::Database { doing, source }
        }
    }

    /// Returns the disk fault behind this error: a full disk, or one that can only be read.
    pub fn disk_fault(&self) -> Option<std::io::ErrorKind> {
        let source = match self {
            Self::Open { source, .. }
            | Self::Reach { source, .. }
            | Self::Migrate { source, .. }
            | Self::Busy { source, .. }
            | Self::Away { source, .. }
            | Self::Related { source, .. }
            | Self::Database { source, .. } => source,
            Self::Newer { .. }
            | Self::Taken { .. }
            | Self::Refused
            | Self::NotEmpty { .. }
            | Self::Damaged { .. }
            | Self::Miscounted { .. }
            | Self::Filter => return None,
        };
        let error = source.downcast_ref::<sqlx::Error>()?;
        sqlite::disk_fault(error).or_else(|| postgres::disk_fault(error))
    }

    /// The same, where a value that may exist only once is written.
    pub(crate) fn unless_taken(
        doing: &'static str,
        what: Taken,
    ) -> impl FnOnce(sqlx::Error) -> Self {
        move |error| {
            let is_taken = error
                .as_database_error()
                .is_some_and(DatabaseError::is_unique_violation);
            if is_taken {
                Self::Taken { what }
            } else {
                Self::of(doing, error)
            }
        }
    }
}

/// Returns whether an error of either backend says that somebody else was in the way. Their codes
/// have nothing in common.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    sqlite::is_busy(error) || postgres::is_busy(error)
}

/// The backend's own error.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A thing that may exist only once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// The name of an account, whatever its case.
    Account,
    /// The hash of a token.
    Token,
    /// The hash of a session.
    Session,
    /// The number of a webhook.
    Webhook,
    /// The name of a repository of one kind, whatever its case.
    Repository,
    /// The number of a discussion.
    Discussion,
    /// The id of an event.
    Event,
    /// The place of an entry at one moment: branch, file and ordinal.
    Entry,
    /// The name of an integration, or one that looks like it.
    Integration,
    /// The name of an identity.
    Identity,
    /// The number of a trusted publisher.
    Publisher,
    /// A code of a sign-in by device.
    DeviceCode,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Account => "the account name",
            Self::Token => "the token",
            Self::Session => "the session",
            Self::Webhook => "the webhook",
            Self::Repository => "the repository name",
            Self::Discussion => "the number of the discussion",
            Self::Event => "the id of the event",
            Self::Entry => "the place of the entry",
            Self::Integration => "the name of the integration, or one that looks like it,",
            Self::Identity => "the name of the identity",
            Self::Publisher => "the trusted publisher",
            Self::DeviceCode => "the device code",
        })
    }
}
