use crate::backend::Connection;
use crate::{Error, Tx, sql};

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

async fn setting(connection: &mut Connection, name: &str) -> sqlx::Result<Option<String>> {
    sql::query_scalar("SELECT value FROM settings WHERE name = $1")
        .bind(name)
        .fetch_optional(connection)
        .await
}
