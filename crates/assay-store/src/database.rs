use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use sqlx::postgres::PgConnectOptions;

use crate::postgres;

/// The place of a database: a file, or a server.
///
/// It is printed without a password.
///
/// ```
/// # use assay_store::Database;
/// let file: Database = "sqlite:data/hub.db".parse()?;
/// assert_eq!(file.to_string(), "sqlite:data/hub.db");
///
/// let server: Database = "postgres://hub:secret@db.example/assay".parse()?;
/// assert_eq!(server.to_string(), "postgres://hub@db.example:5432/assay");
///
/// assert!("mysql://db.example/assay".parse::<Database>().is_err());
/// # Ok::<(), assay_store::DatabaseError>(())
/// ```
#[derive(Debug, Clone)]
pub enum Database {
    /// A file of `SQLite`.
    File(PathBuf),
    /// A database of a `PostgreSQL` server.
    Server(Server),
}

/// A database of a `PostgreSQL` server, and how to get in.
#[derive(Clone)]
pub struct Server(Box<PgConnectOptions>);

/// The text is not the address of a database. It may have a password in it, so it is not repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// It begins like neither kind.
    #[error(
        "the address of a database is `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`"
    )]
    Kind,
    /// It begins like that of a server and cannot be read.
    #[error(
        "the address of the database cannot be read; one with a server is `postgres://USER:PASSWORD@HOST:PORT/NAME`, with `%` and two digits for what is no letter, digit, `-`, `.` or `_`"
    )]
    Server,
}

impl Server {
    pub(crate) fn options(&self) -> &PgConnectOptions {
        &self.0
    }
}

impl FromStr for Database {
    type Err = DatabaseError;

    fn from_str(text: &str) -> Result<Self, DatabaseError> {
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            return Ok(Self::File(PathBuf::from(path)));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            let options = postgres::options(text).map_err(|_| DatabaseError::Server)?;
            return Ok(Self::Server(Server(Box::new(options))));
        }
        Err(DatabaseError::Kind)
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "sqlite:{}", path.display()),
            Self::Server(server) => server.fmt(f),
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let options = &self.0;
        write!(f, "postgres://{}@", options.get_username())?;
        match options.get_socket() {
            Some(socket) => write!(f, "{}", socket.display())?,
            None => write!(f, "{}:{}", options.get_host(), options.get_port())?,
        }
        let name = options.get_database().unwrap_or(options.get_username());
        write!(f, "/{name}")
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
