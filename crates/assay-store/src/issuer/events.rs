use assay_model::Timestamp;

use crate::backend::{Connection, Row};
use crate::row::{Cells, to_number};
use crate::{Error, Tx, sql};

/// Something that the issuer did or refused, for whoever looks into it later. It has no secret and
/// no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuerEvent {
    /// Its number.
    pub id: i64,
    /// The time of the event.
    pub at: Timestamp,
    /// The rest.
    pub event: NewIssuerEvent,
}

/// An event that is to be noted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewIssuerEvent {
    /// The operation: `issue`, `exchange`, `revoke`, ...
    pub action: String,
    /// By which integration.
    pub integration: Option<String>,
    /// By which identity.
    pub identity: Option<String>,
    /// The outcome: `done`, `refused` or `limited`; `slowed`, `suspended` or `resumed` for a
    /// restraint.
    pub outcome: String,
    /// The code of a refusal.
    pub code: Option<String>,
    /// The reason, for the operator.
    pub detail: Option<String>,
    /// The token it is about.
    pub jti: Option<String>,
    /// The index in the log.
    pub leaf: Option<u64>,
    /// The digest of model, benchmark and task.
    pub target: Option<String>,
    /// The digest of the scores.
    pub scores: Option<String>,
    /// The request.
    pub request: Option<String>,
}

/// A filter of events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFilter {
    /// Of this integration.
    pub integration: Option<String>,
    /// Of this identity.
    pub identity: Option<String>,
    /// That ended like this.
    pub outcome: Option<String>,
}

questions! {
    /// The last events, newest first.
    fn issuer_events(filter: &EventFilter, limit: u32) -> Vec<IssuerEvent>;
    /// Returns the events of identities since a moment, oldest first.
    fn issuer_events_since(since: Timestamp) -> Vec<IssuerEvent>;
}

impl Tx {
    /// Notes an event.
    pub async fn note_issuer_event(
        &mut self,
        at: Timestamp,
        event: &NewIssuerEvent,
    ) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO issuer_events
             (at_ms, action, integration, identity, outcome, code, detail, jti, leaf, target, scores, request)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        )
        .bind(at.millis())
        .bind(&event.action)
        .bind(&event.integration)
        .bind(&event.identity)
        .bind(&event.outcome)
        .bind(&event.code)
        .bind(&event.detail)
        .bind(&event.jti)
        .bind(event.leaf.map(to_number))
        .bind(&event.target)
        .bind(&event.scores)
        .bind(&event.request);
        self.quietly("note_issuer_event", query).await?;
        Ok(())
    }
}

macro_rules! columns {
    () => {
        "SELECT id, at_ms, action, integration, identity, outcome, code, detail, jti, leaf, target, scores, request FROM issuer_events "
    };
}

async fn issuer_events(
    connection: &mut Connection,
    filter: &EventFilter,
    limit: u32,
) -> sqlx::Result<Vec<IssuerEvent>> {
    let query = concat!(
        columns!(),
        "WHERE ($1 IS NULL OR integration = $1) AND ($2 IS NULL OR identity = $2)
         AND ($3 IS NULL OR outcome = $3) ORDER BY id DESC LIMIT $4"
    );
    let rows = sql::query(query)
        .bind(&filter.integration)
        .bind(&filter.identity)
        .bind(&filter.outcome)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

async fn issuer_events_since(
    connection: &mut Connection,
    since: Timestamp,
) -> sqlx::Result<Vec<IssuerEvent>> {
    let query = concat!(
        columns!(),
        "WHERE at_ms >= $1 AND identity IS NOT NULL ORDER BY id"
    );
    let rows = sql::query(query)
        .bind(since.millis())
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> sqlx::Result<IssuerEvent> {
    let mut cells = Cells::of(row);
    Ok(IssuerEvent {
        id: cells.get()?,
        at: cells.time()?,
        event: NewIssuerEvent {
            action: cells.get()?,
            integration: cells.get()?,
            identity: cells.get()?,
            outcome: cells.get()?,
            code: cells.get()?,
            detail: cells.get()?,
            jti: cells.get()?,
            leaf: cells.number_option()?,
            target: cells.get()?,
            scores: cells.get()?,
            request: cells.get()?,
        },
    })
}
