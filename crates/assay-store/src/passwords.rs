use assay_model::Timestamp;

use crate::backend::Connection;
use crate::{AccountId, Error, Tx, sql};

questions! {
    /// The hash of an account's password, with its salt and parameters, when the account has one.
    fn password_of(account: AccountId) -> Option<String>;
}

impl Tx {
    /// Writes the hash of an account's password, or removes it. Nobody but its owner sees any
    /// difference.
    pub async fn set_password(
        &mut self,
        account: AccountId,
        hash: Option<&str>,
        at: Timestamp,
    ) -> Result<(), Error> {
        let query = match hash {
            Some(hash) => sql::query(
                "INSERT INTO passwords (account, hash, changed_ms) VALUES ($1, $2, $3)
                 ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, changed_ms = excluded.changed_ms",
            )
            .bind(account.0)
            .bind(hash)
            .bind(at.millis()),
            None => sql::query("DELETE FROM passwords WHERE account = $1").bind(account.0),
        };
        self.change("set_password", query).await?;
        Ok(())
    }
}

async fn password_of(
    connection: &mut Connection,
    account: AccountId,
) -> sqlx::Result<Option<String>> {
    sql::query_scalar("SELECT hash FROM passwords WHERE account = $1")
        .bind(account.0)
        .fetch_optional(connection)
        .await
}
