use sqlx::Connection as _;

use crate::Error;
use crate::sqlite::{self, BEGIN, Connection};

/// Brings a database to the version that this program knows, one step at a time. A step and the note that it was taken
/// are one transaction, so a crash leaves the database at one version or the next; and whoever comes second, in another
/// process, finds the step taken.
pub(crate) async fn migrate(
    connection: &mut Connection,
    steps: &[&'static str],
) -> Result<(), Error> {
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    loop {
        let found = version(connection).await.map_err(failed(0))?;
        if found > known {
            return Err(Error::Newer { found, known });
        }
        let next = usize::try_from(found)
            .ok()
            .and_then(|found| steps.get(found));
        let Some(step) = next else {
            return Ok(());
        };
        take(connection, found, step)
            .await
            .map_err(failed(found + 1))?;
    }
}

async fn version(connection: &mut Connection) -> sqlx::Result<i64> {
    sqlx::query("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
        .execute(&mut *connection)
        .await?;
    sqlx::query_scalar("SELECT COALESCE(MAX(version), 0) FROM schema_version")
        .fetch_one(connection)
        .await
}

async fn take(connection: &mut Connection, found: i64, step: &'static str) -> sqlx::Result<()> {
    let mut transaction = connection.begin_with(BEGIN).await?;
    if version(&mut transaction).await? == found {
        sqlx::raw_sql(step).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO schema_version (version) VALUES ($1)")
            .bind(found + 1)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}

fn failed(version: i64) -> impl FnOnce(sqlx::Error) -> Error {
    move |error| {
        if sqlite::is_busy(&error) {
            return Error::of("migrate", error);
        }
        Error::Migrate {
            version,
            source: error.into(),
        }
    }
}
