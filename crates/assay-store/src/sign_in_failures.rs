use assay_model::Timestamp;

use crate::backend::Connection;
use crate::row::Cells;
use crate::{Error, Tx, sql};

/// Wrong passwords of one subject (an account name or an address) within the present window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignInFailures {
    /// The number of wrong passwords.
    pub failures: u64,
    /// The time of the first, which opened the window.
    pub first: Timestamp,
    /// The time of the last.
    pub last: Timestamp,
}

questions! {
    /// The failures of a subject since a moment; none when its window began before that.
    fn sign_in_failures(subject: &str, since: Timestamp) -> Option<SignInFailures>;
}

impl Tx {
    /// Counts a wrong password for each subject, and forgets windows that began before a moment.
    /// Nobody sees any difference, so the generation stays.
    pub async fn add_sign_in_failure(
        &mut self,
        subjects: &[String],
        now: Timestamp,
        since: Timestamp,
    ) -> Result<(), Error> {
        let doing = "add_sign_in_failure";
        sql::query("DELETE FROM sign_in_failures WHERE first_ms < $1")
            .bind(since.millis())
            .execute(self.connection())
            .await
            .map_err(|error| Error::of(doing, error))?;
        for subject in subjects {
            sql::query(
                "INSERT INTO sign_in_failures (subject, failures, first_ms, last_ms) VALUES ($1, 1, $2, $2)
                 ON CONFLICT (subject) DO UPDATE SET
                     failures = sign_in_failures.failures + 1, last_ms = excluded.last_ms",
            )
            .bind(subject)
            .bind(now.millis())
            .execute(self.connection())
            .await
            .map_err(|error| Error::of(doing, error))?;
        }
        Ok(())
    }

    /// Takes back one failure of a subject.
    pub async fn take_back_sign_in_failure(&mut self, subject: &str) -> Result<(), Error> {
        sql::query(
            "UPDATE sign_in_failures SET failures = failures - 1 WHERE subject = $1 AND failures > 0",
        )
        .bind(subject)
        .execute(self.connection())
        .await
        .map_err(|error| Error::of("take_back_sign_in_failure", error))?;
        Ok(())
    }

    /// Forgets the failures of a subject.
    pub async fn clear_sign_in_failures(&mut self, subject: &str) -> Result<(), Error> {
        sql::query("DELETE FROM sign_in_failures WHERE subject = $1")
            .bind(subject)
            .execute(self.connection())
            .await
            .map_err(|error| Error::of("clear_sign_in_failures", error))?;
        Ok(())
    }
}

async fn sign_in_failures(
    connection: &mut Connection,
    subject: &str,
    since: Timestamp,
) -> sqlx::Result<Option<SignInFailures>> {
    let row = sql::query(
        "SELECT failures, first_ms, last_ms FROM sign_in_failures WHERE subject = $1 AND first_ms >= $2",
    )
    .bind(subject)
    .bind(since.millis())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let mut cells = Cells::of(&row);
    Ok(Some(SignInFailures {
        failures: cells.number()?,
        first: cells.time()?,
        last: cells.time()?,
    }))
}
