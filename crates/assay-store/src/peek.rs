//! A look at a database that changes nothing in it: neither its version nor a file that is not
//! there.

use std::path::Path;

use sqlx::{ConnectOptions as _, Connection as _};

use crate::{Database, Error};

/// Facts of a hub's database, read before it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peeked {
    /// The value of the setting that was asked for.
    pub setting: Option<String>,
    /// True when it has any account.
    pub has_accounts: bool,
    /// True when it has any repository.
    pub has_repositories: bool,
}

/// The table that every version of a hub's database has.
const SETTINGS_IN_FILE: &str =
    "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'settings')";
const SETTINGS_ON_SERVER: &str = "SELECT to_regclass('settings') IS NOT NULL";
const VALUE: &str = "SELECT value FROM settings WHERE name = $1";
const ACCOUNTS: &str = "SELECT EXISTS (SELECT 1 FROM accounts)";
const REPOSITORIES: &str = "SELECT EXISTS (SELECT 1 FROM repositories)";

impl Database {
    /// Looks at a database without changing it. None when there is no file, or nothing of a hub in
    /// the database.
    pub async fn peek(&self, setting: &str) -> Result<Option<Peeked>, Error> {
        match self {
            Self::File(path) => {
                let peeked = peek_into_file(path, setting).await;
                peeked.map_err(|error| Error::Open {
                    path: path.clone(),
                    source: error.into(),
                })
            }
            Self::Server(server) => {
                let peeked = peek_into_server(server.options(), setting).await;
                peeked.map_err(|error| Error::Reach {
                    database: self.clone(),
                    source: error.into(),
                })
            }
        }
    }
}

/// The same questions to a connection of either kind.
macro_rules! ask {
    ($connection:expr, $has_settings:expr, $setting:expr) => {{
        let mut connection = $connection;
        let is_ours: bool = sqlx::query_scalar($has_settings)
            .fetch_one(&mut connection)
            .await?;
        let peeked = if is_ours {
            Some(Peeked {
                setting: sqlx::query_scalar(VALUE)
                    .bind($setting)
                    .fetch_optional(&mut connection)
                    .await?,
                has_accounts: sqlx::query_scalar(ACCOUNTS)
                    .fetch_one(&mut connection)
                    .await?,
                has_repositories: sqlx::query_scalar(REPOSITORIES)
                    .fetch_one(&mut connection)
                    .await?,
            })
        } else {
            None
        };
        connection.close().await?;
        peeked
    }};
}

async fn peek_into_file(path: &Path, setting: &str) -> sqlx::Result<Option<Peeked>> {
    match std::fs::metadata(path) {
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    let connection = crate::sqlite::look(path).connect().await?;
    Ok(ask!(connection, SETTINGS_IN_FILE, setting))
}

async fn peek_into_server(
    options: &sqlx::postgres::PgConnectOptions,
    setting: &str,
) -> sqlx::Result<Option<Peeked>> {
    let connection = crate::postgres::connect_once(options).await?;
    Ok(ask!(connection, SETTINGS_ON_SERVER, setting))
}
