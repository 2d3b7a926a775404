use assay_model::Timestamp;

use crate::backend::Connection;
use crate::{Error, Store, Tx, sql};

questions! {
    /// The value of a setting of this hub.
    fn setting(name: &str) -> Option<String>;
}

impl Tx {
    /// Writes a setting, or removes it.
    pub async fn set_setting(&mut self, name: &str, value: Option<&str>) -> Result<(), Error> {
        let query = match value {
            Some(value) => sql::query(
                "INSERT INTO settings (name, value) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )
            .bind(name)
            .bind(value),
            None => sql::query("DELETE FROM settings WHERE name = $1").bind(name),
        };
        self.change("set_setting", query).await?;
        Ok(())
    }
}

/// The setting that is written to find out whether anything can be.
const WRITE_PROBE: &str = "write_probe";

impl Store {
    /// Writes something that nobody reads, to find out whether the database can be written.
    pub async fn probe_write(&self, at: Timestamp) -> Result<(), Error> {
        let mut worker = self.worker("probe_write").await?;
        let query = sql::query(
            "INSERT INTO settings (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(WRITE_PROBE)
        .bind(at.to_string());
        let written = query.execute(worker.connection()).await;
        written.map_err(|error| Error::of("probe_write", error))?;
        worker.end("probe_write").await
    }
}

async fn setting(connection: &mut Connection, name: &str) -> sqlx::Result<Option<String>> {
    sql::query_scalar("SELECT value FROM settings WHERE name = $1")
        .bind(name)
        .fetch_optional(connection)
        .await
}
