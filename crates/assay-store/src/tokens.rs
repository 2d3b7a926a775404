use assay_model::{Role, Timestamp};

use crate::accounts::{account_columns, read_account};
use crate::backend::Connection;
use crate::row::{Cells, to_json};
use crate::{Account, AccountId, Error, Sha256, Taken, Tx, sql};

/// The identifier of a token; never the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenId(pub i64);

/// A personal access token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The identifier of the token.
    pub id: TokenId,
    /// The owner.
    pub account: AccountId,
    /// The label that its owner gave it.
    pub label: String,
    /// The most that can be done with it.
    pub scope: Role,
    /// The repositories that it is good for, as `namespace/name` or `namespace/*`; none when it is
    /// good for all.
    pub only: Option<Vec<String>>,
    /// Time at which it was made.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Option<Timestamp>,
    /// The time of its last use, to the precision that the caller writes.
    pub last_used: Option<Timestamp>,
    /// Time at which it was revoked.
    pub revoked: Option<Timestamp>,
    /// The token that it was made with, which it ends with.
    pub parent: Option<TokenId>,
}

/// A token that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// The owner.
    pub account: AccountId,
    /// The label that its owner gave it.
    pub label: String,
    /// The hash of its secret.
    pub hash: Sha256,
    /// The most that can be done with it.
    pub scope: Role,
    /// The repositories that it is good for; none when it is good for all.
    pub only: Option<Vec<String>>,
    /// Time at which it is made.
    pub created: Timestamp,
    /// The time at which it expires.
    pub expires: Option<Timestamp>,
    /// The token that it is made with, which it will end with.
    pub parent: Option<TokenId>,
}

/// A token with its account. Whether it is still good is for the caller to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The token.
    pub token: Token,
    /// The owner.
    pub account: Account,
}

questions! {
    /// The token whose secret has this hash, revoked and expired ones too.
    fn credential(hash: &Sha256) -> Option<Credential>;
    /// The token of this number, revoked and expired ones too.
    fn token(id: TokenId) -> Option<Token>;
    /// The tokens of an account, newest first, revoked and expired ones too.
    fn tokens_of(account: AccountId) -> Vec<Token>;
}

impl Tx {
    /// Makes a token. [`Error::Taken`] when the hash exists.
    pub async fn add_token(&mut self, new: &NewToken) -> Result<TokenId, Error> {
        let only = new.only.as_ref().map(to_json).transpose();
        let only = only.map_err(|error| Error::of("add_token", error))?;
        let query = sql::query(
            "INSERT INTO tokens (account, label, hash, scope, limited_to, created_ms, expires_ms, parent)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id",
        )
        .bind(new.account.0)
        .bind(&new.label)
        .bind(new.hash.as_bytes().as_slice())
        .bind(new.scope.as_str())
        .bind(only)
        .bind(new.created.millis())
        .bind(new.expires.map(Timestamp::millis))
        .bind(new.parent.map(|parent| parent.0));
        let id = self.add("add_token", Taken::Token, query).await?;
        Ok(TokenId(id.unwrap_or_default()))
    }

    /// Writes when a token was used. Nothing that is shown to others depends on it, so the
    /// generation stays; how often it is called is for the caller to limit.
    pub async fn touch_token(&mut self, id: TokenId, used: Timestamp) -> Result<(), Error> {
        sql::query("UPDATE tokens SET last_used_ms = $2 WHERE id = $1")
            .bind(id.0)
            .bind(used.millis())
            .execute(self.connection())
            .await
            .map_err(|error| Error::of("touch_token", error))?;
        Ok(())
    }

    /// Revokes a token and every token that was made with it, directly or by way of others. The
    /// answer is how many were not revoked before.
    pub async fn revoke_token(&mut self, id: TokenId, at: Timestamp) -> Result<u64, Error> {
        let query = sql::query(
            "UPDATE tokens SET revoked_ms = $2 WHERE revoked_ms IS NULL AND id IN (
                 WITH RECURSIVE line (id) AS (
                     SELECT CAST($1 AS BIGINT)
                     UNION SELECT t.id FROM tokens t JOIN line l ON t.parent = l.id)
                 SELECT id FROM line)",
        )
        .bind(id.0)
        .bind(at.millis());
        self.change("revoke_token", query).await
    }
}

/// The columns that [`read_token`] reads, of a table called `t`.
macro_rules! token_columns {
    () => {
        "t.id, t.account, t.label, t.scope, t.limited_to, t.created_ms, t.expires_ms, t.last_used_ms, t.revoked_ms, t.parent"
    };
}

fn read_token(cells: &mut Cells<'_>) -> sqlx::Result<Token> {
    Ok(Token {
        id: TokenId(cells.get()?),
        account: AccountId(cells.get()?),
        label: cells.get()?,
        scope: cells.parse()?,
        only: cells.json_option()?,
        created: cells.time()?,
        expires: cells.time_option()?,
        last_used: cells.time_option()?,
        revoked: cells.time_option()?,
        parent: cells.get::<Option<i64>>()?.map(TokenId),
    })
}

async fn credential(
    connection: &mut Connection,
    hash: &Sha256,
) -> sqlx::Result<Option<Credential>> {
    let query = concat!(
        "SELECT ",
        token_columns!(),
        ", ",
        account_columns!(),
        " FROM tokens t JOIN accounts a ON a.id = t.account WHERE t.hash = $1"
    );
    let row = sql::query(query)
        .bind(hash.as_bytes().as_slice())
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some(Credential {
        token: read_token(&mut cells)?,
        account: read_account(&mut cells)?,
    }))
}

pub(crate) async fn token(connection: &mut Connection, id: TokenId) -> sqlx::Result<Option<Token>> {
    let query = concat!(
        "SELECT ",
        token_columns!(),
        " FROM tokens t WHERE t.id = $1"
    );
    let row = sql::query(query)
        .bind(id.0)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read_token(&mut Cells::of(&row))).transpose()
}

async fn tokens_of(connection: &mut Connection, account: AccountId) -> sqlx::Result<Vec<Token>> {
    let query = concat!(
        "SELECT ",
        token_columns!(),
        " FROM tokens t WHERE t.account = $1 ORDER BY t.id DESC"
    );
    let rows = sql::query(query)
        .bind(account.0)
        .fetch_all(connection)
        .await?;
    rows.iter()
        .map(|row| read_token(&mut Cells::of(row)))
        .collect()
}
