use assay_model::Timestamp;

use crate::accounts::{account_columns, read_account};
use crate::backend::Connection;
use crate::row::Cells;
use crate::tokens::token;
use crate::{Account, AccountId, Error, Sha256, Taken, Token, TokenId, Tx, sql};

/// The identifier of a session that its owner sees; never the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebSessionId(pub i64);

/// A browser in which someone is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSession {
    /// The identifier of the session.
    pub id: WebSessionId,
    /// The user agent of the browser.
    pub agent: String,
    /// The time at which it began.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Timestamp,
    /// The time of its last use, to the precision that the caller writes.
    pub last_used: Timestamp,
}

/// A session that is to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebSession {
    /// The owner.
    pub account: AccountId,
    /// The token that opened it; none when a password did.
    pub token: Option<TokenId>,
    /// The hash of its secret.
    pub hash: Sha256,
    /// The user agent of the browser.
    pub agent: String,
    /// The time at which it begins.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Timestamp,
}

/// A session with its account. Whether it is still good is for the caller to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebVisitor {
    /// The session.
    pub session: WebSession,
    /// The owner.
    pub account: Account,
    /// The token that opened it; none when a password did.
    pub token: Option<Token>,
}

questions! {
    /// The session whose secret has this hash, expired ones too.
    fn web_visitor(hash: &Sha256) -> Option<WebVisitor>;
    /// The sessions of an account, newest first, expired ones too.
    fn web_sessions_of(account: AccountId) -> Vec<WebSession>;
}

impl Tx {
    /// Begins a session, and forgets those that have ended by then. [`Error::Taken`] when the hash
    /// exists.
    pub async fn add_web_session(&mut self, new: &NewWebSession) -> Result<WebSessionId, Error> {
        let doing = "add_web_session";
        sql::query("DELETE FROM web_sessions WHERE expires_ms <= $1")
            .bind(new.created.millis())
            .execute(self.connection())
            .await
            .map_err(|error| Error::of(doing, error))?;
        let query = sql::query(
            "INSERT INTO web_sessions (account, token, hash, agent, created_ms, expires_ms, last_used_ms)
             VALUES ($1, $2, $3, $4, $5, $6, $5) RETURNING id",
        )
        .bind(new.account.0)
        .bind(new.token.map(|token| token.0))
        .bind(new.hash.as_bytes().as_slice())
        .bind(&new.agent)
        .bind(new.created.millis())
        .bind(new.expires.millis());
        let id = self.add(doing, Taken::Session, query).await?;
        Ok(WebSessionId(id.unwrap_or_default()))
    }

    /// Writes when a session was used. Nothing that is shown to others depends on it, so the
    /// generation stays.
    pub async fn touch_web_session(
        &mut self,
        id: WebSessionId,
        used: Timestamp,
    ) -> Result<(), Error> {
        sql::query("UPDATE web_sessions SET last_used_ms = $2 WHERE id = $1")
            .bind(id.0)
            .bind(used.millis())
            .execute(self.connection())
            .await
            .map_err(|error| Error::of("touch_web_session", error))?;
        Ok(())
    }

    /// Ends a session of an account. The answer is whether there was one.
    pub async fn end_web_session(
        &mut self,
        account: AccountId,
        id: WebSessionId,
    ) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM web_sessions WHERE account = $1 AND id = $2")
            .bind(account.0)
            .bind(id.0);
        Ok(self.change("end_web_session", query).await? > 0)
    }

    /// Ends every session of an account but one. The answer is how many there were.
    pub async fn end_web_sessions(
        &mut self,
        account: AccountId,
        but: Option<WebSessionId>,
    ) -> Result<u64, Error> {
        let query = sql::query("DELETE FROM web_sessions WHERE account = $1 AND id <> $2")
            .bind(account.0)
            .bind(but.map_or(0, |id| id.0));
        self.change("end_web_sessions", query).await
    }
}

/// The columns that [`read_session`] reads, of a table called `s`.
macro_rules! session_columns {
    () => {
        "s.id, s.agent, s.created_ms, s.expires_ms, s.last_used_ms"
    };
}

fn read_session(cells: &mut Cells<'_>) -> sqlx::Result<WebSession> {
    Ok(WebSession {
        id: WebSessionId(cells.get()?),
        agent: cells.get()?,
        created: cells.time()?,
        expires: cells.time()?,
        last_used: cells.time()?,
    })
}

async fn web_visitor(
    connection: &mut Connection,
    hash: &Sha256,
) -> sqlx::Result<Option<WebVisitor>> {
    let query = concat!(
        "SELECT ",
        session_columns!(),
        ", ",
        account_columns!(),
        ", s.token FROM web_sessions s JOIN accounts a ON a.id = s.account WHERE s.hash = $1"
    );
    let row = sql::query(query)
        .bind(hash.as_bytes().as_slice())
        .fetch_optional(&mut *connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut cells = Cells::of(&row);
    let (session, account) = (read_session(&mut cells)?, read_account(&mut cells)?);
    let token = match cells.get::<Option<i64>>()? {
        None => None,
        Some(id) => token(connection, TokenId(id)).await?,
    };
    Ok(Some(WebVisitor {
        session,
        account,
        token,
    }))
}

/// The session of this number.
pub(crate) async fn web_session(
    connection: &mut Connection,
    id: WebSessionId,
) -> sqlx::Result<Option<WebSession>> {
    let query = concat!(
        "SELECT ",
        session_columns!(),
        " FROM web_sessions s WHERE s.id = $1"
    );
    let row = sql::query(query)
        .bind(id.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_session(&mut Cells::of(&row)))
        .transpose()
}

async fn web_sessions_of(
    connection: &mut Connection,
    account: AccountId,
) -> sqlx::Result<Vec<WebSession>> {
    let query = concat!(
        "SELECT ",
        session_columns!(),
        " FROM web_sessions s WHERE s.account = $1 ORDER BY s.id DESC"
    );
    let rows = sql::query(query)
        .bind(account.0)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_session(&mut Cells::of(row)))
        .collect()
}
