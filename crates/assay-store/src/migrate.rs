use crate::backend::Connection;
use crate::error::is_busy;
use crate::{Error, sql};

/// Brings a database to the version that this program knows, one step at a time. A step and the
/// note that it was taken are one transaction, so a crash leaves the database at one version or the
/// next; and whoever comes second, in another process, finds the step taken.
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
    sql::query("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT PRIMARY KEY)")
        .execute(connection)
        .await?;
    sql::query_scalar("SELECT COALESCE(MAX(version), 0) FROM schema_version")
        .fetch_one(connection)
        .await
}

async fn take(connection: &mut Connection, found: i64, step: &'static str) -> sqlx::Result<()> {
    connection.begin().await?;
    let taken = take_begun(connection, found, step).await;
    let end = if taken.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.run(end).await;
    taken.and(ended)
}

async fn take_begun(
    connection: &mut Connection,
    found: i64,
    step: &'static str,
) -> sqlx::Result<()> {
    if version(connection).await? == found {
        connection.run(step).await?;
        sql::query("INSERT INTO schema_version (version) VALUES ($1)")
            .bind(found + 1)
            .execute(connection)
            .await?;
    }
    Ok(())
}

fn failed(version: i64) -> impl FnOnce(sqlx::Error) -> Error {
    move |error| {
        if is_busy(&error) {
            return Error::of("migrate", error);
        }
        Error::Migrate {
            version,
            source: error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tempfile::TempDir;

    use assay_model::Durability;

    use super::*;
    use crate::sqlite;

    const STEPS: [&str; 2] = [
        "CREATE TABLE one (a BIGINT); INSERT INTO one VALUES (1);",
        "CREATE TABLE two (b BIGINT); INSERT INTO two SELECT a FROM one; DROP TABLE one;",
    ];

    async fn connect(path: &Path) -> Connection {
        let database = path.join("hub.db");
        let pool = sqlite::writer(&database, Durability::Fast).await.unwrap();
        pool.acquire().await.unwrap().into()
    }

    async fn read(connection: &mut Connection, query: &'static str) -> Option<i64> {
        sql::query_scalar(query).fetch_one(connection).await.ok()
    }

    #[tokio::test]
    async fn steps_are_taken_once_and_in_order() {
        let directory = TempDir::new().unwrap();
        let mut connection = connect(directory.path()).await;
        migrate(&mut connection, &STEPS[..1]).await.unwrap();

        migrate(&mut connection, &STEPS).await.unwrap();
        migrate(&mut connection, &STEPS).await.unwrap();

        assert_eq!(version(&mut connection).await.unwrap(), 2);
        assert_eq!(
            read(&mut connection, "SELECT SUM(b) FROM two").await,
            Some(1)
        );
        assert_eq!(read(&mut connection, "SELECT a FROM one").await, None);
    }

    #[tokio::test]
    async fn a_step_that_fails_half_way_leaves_no_trace() {
        let directory = TempDir::new().unwrap();
        let mut connection = connect(directory.path()).await;
        let broken = [
            STEPS[0],
            "CREATE TABLE two (b BIGINT); DROP TABLE one; CREATE TABBLE;",
        ];

        let error = migrate(&mut connection, &broken).await.unwrap_err();

        assert!(matches!(error, Error::Migrate { version: 2, .. }));
        assert_eq!(version(&mut connection).await.unwrap(), 1);
        assert_eq!(read(&mut connection, "SELECT a FROM one").await, Some(1));
        migrate(&mut connection, &STEPS).await.unwrap();
        assert_eq!(read(&mut connection, "SELECT b FROM two").await, Some(1));
    }

    #[tokio::test]
    async fn a_crash_within_a_step_leaves_the_version_before_it() {
        let directory = TempDir::new().unwrap();
        let after = TempDir::new().unwrap();
        let mut connection = connect(directory.path()).await;
        migrate(&mut connection, &STEPS[..1]).await.unwrap();
        connection.begin().await.unwrap();
        connection.run(STEPS[1]).await.unwrap();

        // What is on the disk at this moment, as a machine that stops leaves it.
        for file in ["hub.db", "hub.db-wal"] {
            std::fs::copy(directory.path().join(file), after.path().join(file)).unwrap();
        }
        let mut connection = connect(after.path()).await;
        let found = version(&mut connection).await.unwrap();
        migrate(&mut connection, &STEPS).await.unwrap();

        assert_eq!(found, 1);
        assert_eq!(read(&mut connection, "SELECT b FROM two").await, Some(1));
    }

    #[tokio::test]
    async fn accounts_from_before_get_the_skeleton_that_new_ones_get() {
        let directory = TempDir::new().unwrap();
        let mut connection = connect(directory.path()).await;
        let steps = sqlite::MIGRATIONS;
        let place = steps.iter().position(|step| step.contains("skeleton"));
        migrate(&mut connection, &steps[..place.unwrap()])
            .await
            .unwrap();
        let names = ["Alice", "a-1.B_o0", "modern-vvhale", "x5y2z8", "Ill-1"];
        for name in names {
            let query =
                "INSERT INTO accounts (name, name_lower, kind, operator, created_ms, disabled)
                         VALUES ($1, $2, 'user', FALSE, 1, FALSE)";
            sql::query(query)
                .bind(name)
                .bind(name.to_lowercase())
                .execute(&mut connection)
                .await
                .unwrap();
        }

        migrate(&mut connection, steps).await.unwrap();

        for name in names {
            let found: String = sql::query_scalar("SELECT skeleton FROM accounts WHERE name = $1")
                .bind(name)
                .fetch_one(&mut connection)
                .await
                .unwrap();
            assert_eq!(found, assay_model::skeleton(name));
        }
    }

    #[tokio::test]
    async fn a_database_of_a_later_program_is_left_alone() {
        let directory = TempDir::new().unwrap();
        let mut connection = connect(directory.path()).await;
        migrate(&mut connection, &STEPS).await.unwrap();

        let error = migrate(&mut connection, &STEPS[..1]).await.unwrap_err();

        assert!(matches!(error, Error::Newer { found: 2, known: 1 }));
    }
}
