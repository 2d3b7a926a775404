use assay_model::Timestamp;

use crate::backend::{Connection, Row};
use crate::row::{Cells, to_number};
use crate::{Error, LogKind, Taken, Tx, sql};

/// Something that is to be written to a log by the process that may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogRequest {
    /// Its number.
    pub id: i64,
    /// The log to write to.
    pub log: LogKind,
    /// The leaf, as JSON.
    pub leaf: String,
    /// The index in the log, once it is written.
    pub index: Option<u64>,
    /// The reason why it was not written.
    pub fault: Option<String>,
}

questions! {
    /// A request, by its number.
    fn log_request(id: i64) -> Option<LogRequest>;
    /// The requests that nobody has answered yet, oldest first.
    fn open_log_requests(limit: u32) -> Vec<LogRequest>;
    /// The number of requests that nobody has answered yet.
    fn log_request_count() -> u64;
}

impl Tx {
    /// Asks for a leaf in a log. The answer is the number of the request.
    pub async fn ask_log(&mut self, log: LogKind, leaf: &str, at: Timestamp) -> Result<i64, Error> {
        let query = sql::query(
            "INSERT INTO control_requests (log, leaf, asked_ms) VALUES ($1, $2, $3) RETURNING id",
        )
        .bind(log.as_str())
        .bind(leaf)
        .bind(at.millis());
        let id = self.add("ask_log", Taken::Entry, query).await?;
        Ok(id.unwrap_or_default())
    }

    /// Answers a request: with the index of its leaf, or why there is none.
    pub async fn answer_log(&mut self, id: i64, answer: Result<u64, &str>) -> Result<(), Error> {
        let (index, fault) = match answer {
            Ok(index) => (Some(to_number(index)), None),
            Err(fault) => (None, Some(fault.to_owned())),
        };
        let query = sql::query("UPDATE control_requests SET idx = $2, fault = $3 WHERE id = $1")
            .bind(id)
            .bind(index)
            .bind(fault);
        self.change("answer_log", query).await?;
        Ok(())
    }

    /// Forgets what was asked of the results log before a moment and is answered. There may be much
    /// of it, and its leaves say the same.
    pub async fn forget_log_requests(&mut self, before: Timestamp) -> Result<(), Error> {
        let query = sql::query(
            "DELETE FROM control_requests WHERE log = 'results' AND asked_ms < $1 AND idx IS NOT NULL",
        )
        .bind(before.millis());
        let done = query.execute(self.connection()).await;
        done.map_err(|error| Error::of("forget_log_requests", error))?;
        Ok(())
    }
}

async fn log_request(connection: &mut Connection, id: i64) -> sqlx::Result<Option<LogRequest>> {
    let query = "SELECT id, log, leaf, idx, fault FROM control_requests WHERE id = $1";
    let row = sql::query(query)
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read(&row)).transpose()
}

async fn open_log_requests(
    connection: &mut Connection,
    limit: u32,
) -> sqlx::Result<Vec<LogRequest>> {
    let query =
        "SELECT id, log, leaf, idx, fault FROM control_requests WHERE idx IS NULL AND fault IS NULL
                 ORDER BY id LIMIT $1";
    let rows = sql::query(query).bind(limit).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

async fn log_request_count(connection: &mut Connection) -> sqlx::Result<u64> {
    let row =
        sql::query("SELECT COUNT(*) FROM control_requests WHERE idx IS NULL AND fault IS NULL")
            .fetch_one(connection)
            .await?;
    Cells::of(&row).number()
}

fn read(row: &Row) -> sqlx::Result<LogRequest> {
    let mut cells = Cells::of(row);
    Ok(LogRequest {
        id: cells.get()?,
        log: cells.parse()?,
        leaf: cells.get()?,
        index: cells.number_option()?,
        fault: cells.get()?,
    })
}
