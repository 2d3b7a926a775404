use assay_model::Timestamp;

use crate::backend::{Connection, Row};
use crate::row::Cells;
use crate::{Error, Taken, Tx, sql};

/// An integration that an operator has registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerIntegration {
    /// The name of the integration.
    pub id: String,
    /// Time at which it was registered.
    pub created: Timestamp,
    /// Since when it gets nothing, and why.
    pub suspended: Option<(Timestamp, String)>,
}

questions! {
    /// Every registered integration, by name.
    fn issuer_integrations() -> Vec<IssuerIntegration>;
}

impl Tx {
    /// Registers an integration. [`Error::Taken`] when one of that name, or one that looks like it,
    /// is registered.
    pub async fn add_integration(
        &mut self,
        id: &str,
        skeleton: &str,
        at: Timestamp,
    ) -> Result<(), Error> {
        let query =
            sql::query("INSERT INTO integrations (id, skeleton, created_ms) VALUES ($1, $2, $3)")
                .bind(id)
                .bind(skeleton)
                .bind(at.millis());
        self.quietly_add("add_integration", Taken::Integration, query)
            .await
    }

    /// Suspends an integration with the reason, or lets it go on. The answer is whether there is
    /// one.
    pub async fn suspend_integration(
        &mut self,
        id: &str,
        suspended: Option<(Timestamp, &str)>,
    ) -> Result<bool, Error> {
        let query =
            sql::query("UPDATE integrations SET suspended_ms = $2, reason = $3 WHERE id = $1")
                .bind(id)
                .bind(suspended.map(|(at, _)| at.millis()))
                .bind(suspended.map(|(_, reason)| reason));
        Ok(self.quietly("suspend_integration", query).await? > 0)
    }
}

async fn issuer_integrations(connection: &mut Connection) -> sqlx::Result<Vec<IssuerIntegration>> {
    let query = "SELECT id, created_ms, suspended_ms, reason FROM integrations ORDER BY id";
    let rows = sql::query(query).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> sqlx::Result<IssuerIntegration> {
    let mut cells = Cells::of(row);
    Ok(IssuerIntegration {
        id: cells.get()?,
        created: cells.time()?,
        suspended: suspension(&mut cells)?,
    })
}

/// Since when something is suspended, and why.
pub(super) fn suspension(cells: &mut Cells<'_>) -> sqlx::Result<Option<(Timestamp, String)>> {
    let since = cells.time_option()?;
    let reason: Option<String> = cells.get()?;
    Ok(since.map(|since| (since, reason.unwrap_or_default())))
}
