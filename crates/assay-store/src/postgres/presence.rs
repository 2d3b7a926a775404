use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// The first number of the advisory locks of those who serve: "assa" in ASCII. The second is that
/// of their connection.
const SERVING: i32 = 0x61_73_73_61;
/// The time that the server has to say who is there. A connection that takes longer counts as lost:
/// it may hang without an end.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// The servers that are alive. Each keeps a lock for as long as it lives, and sees those of the
/// others: when a lock is gone, so is its server.
#[derive(Debug)]
pub(crate) struct Presence {
    options: Box<PgConnectOptions>,
    own: Mutex<Option<Own>>,
}

/// Our own lock, and the others that were seen.
#[derive(Debug)]
struct Own {
    connection: PgConnection,
    others: BTreeSet<i64>,
}

impl Presence {
    pub(crate) fn new(options: &PgConnectOptions) -> Self {
        Self {
            options: Box::new(options.clone()),
            own: Mutex::new(None),
        }
    }

    /// Returns whether somebody is gone since the last time. Who asks for the first time, or has
    /// lost the connection, cannot know whom they have missed; the first has caught up when it
    /// opened the hub, the other says yes to be sure.
    pub(crate) async fn someone_left(&self) -> sqlx::Result<bool> {
        let mut own = self.own.lock().await;
        if let Some(held) = own.as_mut() {
            let looked = timeout(ANSWER_WITHIN, held.look()).await;
            return match looked.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
                Ok(left) => Ok(left),
                Err(error) => {
                    *own = None;
                    tracing::warn!(%error, "the other servers cannot be seen");
                    Ok(true)
                }
            };
        }
        let begun = timeout(ANSWER_WITHIN, Own::begin(&self.options)).await;
        *own = Some(begun.unwrap_or(Err(sqlx::Error::PoolTimedOut))?);
        Ok(false)
    }

    pub(crate) async fn close(&self) {
        if let Some(own) = self.own.lock().await.take() {
            // Whether it says good-bye or not, it is gone.
            let _ = own.connection.close().await;
        }
    }
}

impl Own {
    async fn begin(options: &PgConnectOptions) -> sqlx::Result<Self> {
        let mut connection = options.connect().await?;
        sqlx::query("SELECT pg_advisory_lock($1, pg_backend_pid())")
            .bind(SERVING)
            .execute(&mut connection)
            .await?;
        let others = read_others(&mut connection).await?;
        Ok(Self { connection, others })
    }

    async fn look(&mut self) -> sqlx::Result<bool> {
        let others = read_others(&mut self.connection).await?;
        let left = !self.others.is_subset(&others);
        self.others = others;
        Ok(left)
    }
}

async fn read_others(connection: &mut PgConnection) -> sqlx::Result<BTreeSet<i64>> {
    let query = "SELECT CAST(objid AS BIGINT) FROM pg_locks
                 WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND CAST(classid AS BIGINT) = $1
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let others: Vec<i64> = sqlx::query_scalar(query)
        .bind(i64::from(SERVING))
        .fetch_all(connection)
        .await?;
    Ok(others.into_iter().collect())
}
