use assay_model::Timestamp;

use crate::backend::{Connection, Row};
use crate::row::{Cells, to_number};
use crate::{Error, Taken, Tx, sql};

/// Something that is to be written to the control log by the process that may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlRequest {
    /// Its number.
    pub id: i64,
    /// The leaf, as JSON.
    pub leaf: String,
    /// Where it stands in the log, once it does.
    pub index: Option<u64>,
    /// Why it was not written.
    pub fault: Option<String>,
}

questions! {
    /// A request, by its number.
    fn control_request(id: i64) -> Option<ControlRequest>;
    /// The requests that nobody has answered yet, oldest first.
    fn open_control_requests(limit: u32) -> Vec<ControlRequest>;
}

impl Tx {
    /// Asks for a leaf in the control log. The answer is the number of the request.
    pub async fn ask_control(&mut self, leaf: &str, at: Timestamp) -> Result<i64, Error> {
        let query = sql::query(
            "INSERT INTO control_requests (leaf, asked_ms) VALUES ($1, $2) RETURNING id",
        )
        .bind(leaf)
        .bind(at.millis());
        let id = self.add("ask_control", Taken::Entry, query).await?;
        Ok(id.unwrap_or_default())
    }

    /// Answers a request: with the index of its leaf, or why there is none.
    pub async fn answer_control(
        &mut self,
        id: i64,
        answer: Result<u64, &str>,
    ) -> Result<(), Error> {
        let (index, fault) = match answer {
            Ok(index) => (Some(to_number(index)), None),
            Err(fault) => (None, Some(fault.to_owned())),
        };
        let query = sql::query("UPDATE control_requests SET idx = $2, fault = $3 WHERE id = $1")
            .bind(id)
            .bind(index)
            .bind(fault);
        self.change("answer_control", query).await?;
        Ok(())
    }
}

async fn control_request(
    connection: &mut Connection,
    id: i64,
) -> sqlx::Result<Option<ControlRequest>> {
    let query = "SELECT id, leaf, idx, fault FROM control_requests WHERE id = $1";
    let row = sql::query(query)
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(|row| read(&row)).transpose()
}

async fn open_control_requests(
    connection: &mut Connection,
    limit: u32,
) -> sqlx::Result<Vec<ControlRequest>> {
    let query =
        "SELECT id, leaf, idx, fault FROM control_requests WHERE idx IS NULL AND fault IS NULL
                 ORDER BY id LIMIT $1";
    let rows = sql::query(query).bind(limit).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> sqlx::Result<ControlRequest> {
    let mut cells = Cells::of(row);
    Ok(ControlRequest {
        id: cells.get()?,
        leaf: cells.get()?,
        index: cells.number_option()?,
        fault: cells.get()?,
    })
}
