use assay_model::Timestamp;

use super::integrations::suspension;
use crate::backend::{Connection, Row};
use crate::row::Cells;
use crate::{Error, Taken, Tx, sql};

/// An identity that was added at the shell, or what became of one that the policy defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerIdentity {
    /// Its integration.
    pub integration: String,
    /// Its name.
    pub name: String,
    /// The way it proves its identity, as JSON; none when the policy says.
    pub definition: Option<String>,
    /// Time at which it was added or first suspended.
    pub created: Timestamp,
    /// Since when it gets nothing, and why.
    pub suspended: Option<(Timestamp, String)>,
}

questions! {
    /// Every identity that is known here, by integration and name.
    fn issuer_identities() -> Vec<IssuerIdentity>;
}

impl Tx {
    /// Adds an identity. [`Error::Taken`] when there is one of that name, [`Error::Related`] when
    /// there is no such integration.
    pub async fn add_identity(
        &mut self,
        integration: &str,
        name: &str,
        definition: &str,
        at: Timestamp,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO identities (integration, name, definition, created_ms) VALUES ($1, $2, $3, $4)",
        )
        .bind(integration)
        .bind(name)
        .bind(definition)
        .bind(at.millis());
        self.quietly_add("add_identity", Taken::Identity, query)
            .await
    }

    /// Suspends an identity with the reason.
    pub async fn suspend_identity(
        &mut self,
        integration: &str,
        name: &str,
        reason: &str,
        at: Timestamp,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO identities (integration, name, created_ms, suspended_ms, reason)
             VALUES ($1, $2, $3, $3, $4)
             ON CONFLICT (integration, name) DO UPDATE SET suspended_ms = $3, reason = $4",
        )
        .bind(integration)
        .bind(name)
        .bind(at.millis())
        .bind(reason);
        self.quietly("suspend_identity", query).await?;
        Ok(())
    }

    /// Lets an identity go on. The answer is whether it was suspended.
    pub async fn resume_identity(&mut self, integration: &str, name: &str) -> Result<bool, Error> {
        let query = sql::query(
            "UPDATE identities SET suspended_ms = NULL, reason = NULL
             WHERE integration = $1 AND name = $2 AND suspended_ms IS NOT NULL",
        )
        .bind(integration)
        .bind(name);
        Ok(self.quietly("resume_identity", query).await? > 0)
    }

    /// Removes an identity that was added, with its credentials. The answer is whether there was
    /// one.
    pub async fn remove_identity(&mut self, integration: &str, name: &str) -> Result<bool, Error> {
        for query in [
            "DELETE FROM credentials WHERE integration = $1 AND name = $2",
            "DELETE FROM access_tokens WHERE integration = $1 AND name = $2",
        ] {
            let query = sql::query(query).bind(integration).bind(name);
            self.quietly("remove_identity", query).await?;
        }
        let query = sql::query("DELETE FROM identities WHERE integration = $1 AND name = $2")
            .bind(integration)
            .bind(name);
        Ok(self.quietly("remove_identity", query).await? > 0)
    }
}

async fn issuer_identities(connection: &mut Connection) -> sqlx::Result<Vec<IssuerIdentity>> {
    let query = "SELECT integration, name, definition, created_ms, suspended_ms, reason
                 FROM identities ORDER BY integration, name";
    let rows = sql::query(query).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> sqlx::Result<IssuerIdentity> {
    let mut cells = Cells::of(row);
    Ok(IssuerIdentity {
        integration: cells.get()?,
        name: cells.get()?,
        definition: cells.get()?,
        created: cells.time()?,
        suspended: suspension(&mut cells)?,
    })
}
