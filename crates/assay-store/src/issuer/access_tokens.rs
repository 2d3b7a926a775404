use assay_model::Timestamp;

use super::credentials::hash;
use crate::backend::Connection;
use crate::row::Cells;
use crate::{Error, Sha256, Taken, Tx, sql};

/// An access token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessToken {
    /// Its public part.
    pub id: String,
    /// The hash of its secret.
    pub hash: Sha256,
    /// The integration of its identity.
    pub integration: String,
    /// The name of its identity.
    pub name: String,
    /// The facts about the caller when it was made, as JSON.
    pub facts: String,
    /// The time at which it expires.
    pub expires: Timestamp,
}

questions! {
    /// An access token by its public part, expired ones too.
    fn access_token(id: &str) -> Option<AccessToken>;
}

impl Tx {
    /// Keeps an access token, and forgets those that ended before now.
    pub async fn add_access_token(
        &mut self,
        new: &AccessToken,
        now: Timestamp,
    ) -> Result<(), Error> {
        let query =
            sql::query("DELETE FROM access_tokens WHERE expires_ms < $1").bind(now.millis());
        self.quietly("add_access_token", query).await?;
        let query = sql::query(
            "INSERT INTO access_tokens (id, hash, integration, name, facts, expires_ms)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(&new.id)
        .bind(new.hash.as_bytes().as_slice())
        .bind(&new.integration)
        .bind(&new.name)
        .bind(&new.facts)
        .bind(new.expires.millis());
        self.quietly_add("add_access_token", Taken::Token, query)
            .await
    }

    /// Ends an access token. The answer is whether there was one.
    pub async fn remove_access_token(&mut self, id: &str) -> Result<bool, Error> {
        let query = sql::query("DELETE FROM access_tokens WHERE id = $1").bind(id);
        Ok(self.quietly("remove_access_token", query).await? > 0)
    }
}

async fn access_token(connection: &mut Connection, id: &str) -> sqlx::Result<Option<AccessToken>> {
    let query =
        "SELECT id, hash, integration, name, facts, expires_ms FROM access_tokens WHERE id = $1";
    let row = sql::query(query)
        .bind(id)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some(AccessToken {
        id: cells.get()?,
        hash: hash(&mut cells)?.unwrap_or(Sha256::from_bytes([0; 32])),
        integration: cells.get()?,
        name: cells.get()?,
        facts: cells.get()?,
        expires: cells.time()?,
    }))
}
