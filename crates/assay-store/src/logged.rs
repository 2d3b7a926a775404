use crate::backend::{Connection, Row};
use crate::row::{Cells, to_number};
use crate::{Error, Tx, sql};

/// One of the two logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogKind {
    /// Tokens that were issued, and what was decided about them.
    Results,
    /// Keys, policies, trusted issuers and revocations.
    Control,
}

/// The issuance of a token in the results log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedIssue {
    /// The index of the leaf.
    pub index: u64,
    /// The identity of the token.
    pub jti: String,
    /// The identity of the key that signed it.
    pub kid: String,
    /// For whom.
    pub integration: String,
    /// The digest of its subject, when that is disclosed.
    pub target: Option<String>,
}

/// A decision about a token in the results log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedDecision {
    /// The index of the leaf.
    pub index: u64,
    /// The identity of the token.
    pub jti: String,
    /// The identity of the repository, as the log writes it.
    pub uid: String,
    /// The digest of the entry.
    pub entry: String,
    /// The reason of a refusal; none when it was admitted.
    pub reason: Option<String>,
}

impl LogKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Results, Self::Control];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Results => "results",
            Self::Control => "control",
        }
    }
}

words!(LogKind, "`results` or `control`");

questions! {
    /// Up to which size a log is known here.
    fn log_cursor(log: LogKind) -> u64;
    /// Returns the issuance of a token, by its identity. The first time counts.
    fn issued(jti: &str) -> Option<LoggedIssue>;
    /// Returns the decisions about a token, anywhere, in the order of the log.
    fn decisions(jti: &str) -> Vec<LoggedDecision>;
    /// The tokens that leaves from an index on are about, as far as an entry brings them.
    fn tokens_of_leaves(from: u64) -> Vec<String>;
}

impl Tx {
    /// Notes that a log is known up to a size.
    pub async fn set_log_cursor(&mut self, log: LogKind, size: u64) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO log_cursor (log, size) VALUES ($1, $2) ON CONFLICT (log) DO UPDATE SET size = excluded.size",
        )
        .bind(log.as_str())
        .bind(to_number(size));
        // Nobody sees the cursor itself, so it raises no generation.
        let done = query.execute(self.connection()).await;
        done.map_err(|error| Error::of("set_log_cursor", error))?;
        Ok(())
    }

    /// Takes in a leaf that says that a token was issued. Nobody sees it before an entry brings the
    /// token.
    pub async fn add_issued(&mut self, issue: &LoggedIssue) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO log_issued (idx, jti, kid, integration, target) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(to_number(issue.index))
        .bind(&issue.jti)
        .bind(&issue.kid)
        .bind(&issue.integration)
        .bind(&issue.target);
        let done = query.execute(self.connection()).await;
        done.map_err(|error| Error::of("add_issued", error))?;
        Ok(())
    }

    /// Takes in a leaf that says what was decided about a token.
    pub async fn add_decision(&mut self, decision: &LoggedDecision) -> Result<(), Error> {
        let query = sql::query(
            "INSERT INTO log_decisions (idx, jti, uid, entry, reason) VALUES ($1, $2, $3, $4, $5)",
        )
        .bind(to_number(decision.index))
        .bind(&decision.jti)
        .bind(&decision.uid)
        .bind(&decision.entry)
        .bind(&decision.reason);
        let done = query.execute(self.connection()).await;
        done.map_err(|error| Error::of("add_decision", error))?;
        Ok(())
    }

    /// Forgets everything that is known of the logs.
    pub async fn forget_logs(&mut self) -> Result<(), Error> {
        for statement in [
            "DELETE FROM log_issued",
            "DELETE FROM log_decisions",
            "DELETE FROM log_cursor",
        ] {
            let done = sql::query(statement).execute(self.connection()).await;
            done.map_err(|error| Error::of("forget_logs", error))?;
        }
        Ok(())
    }
}

async fn log_cursor(connection: &mut Connection, log: LogKind) -> sqlx::Result<u64> {
    let query = "SELECT COALESCE(MAX(size), 0) FROM log_cursor WHERE log = $1";
    let row = sql::query(query)
        .bind(log.as_str())
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

async fn issued(connection: &mut Connection, jti: &str) -> sqlx::Result<Option<LoggedIssue>> {
    let query = "SELECT idx, jti, kid, integration, target FROM log_issued WHERE jti = $1 ORDER BY idx LIMIT 1";
    let row = sql::query(query)
        .bind(jti)
        .fetch_optional(connection)
        .await?;
    let read = |row: Row| {
        let mut cells = Cells::of(&row);
        Ok(LoggedIssue {
            index: cells.number()?,
            jti: cells.get()?,
            kid: cells.get()?,
            integration: cells.get()?,
            target: cells.get()?,
        })
    };
    row.map(read).transpose()
}

async fn decisions(connection: &mut Connection, jti: &str) -> sqlx::Result<Vec<LoggedDecision>> {
    let query =
        "SELECT idx, jti, uid, entry, reason FROM log_decisions WHERE jti = $1 ORDER BY idx";
    let rows = sql::query(query).bind(jti).fetch_all(connection).await?;
    let read = |row| {
        let mut cells = Cells::of(row);
        Ok(LoggedDecision {
            index: cells.number()?,
            jti: cells.get()?,
            uid: cells.get()?,
            entry: cells.get()?,
            reason: cells.get()?,
        })
    };
    rows.iter().map(read).collect()
}

async fn tokens_of_leaves(connection: &mut Connection, from: u64) -> sqlx::Result<Vec<String>> {
    let query = "SELECT jti FROM (SELECT jti FROM log_issued WHERE idx >= $1
                 UNION SELECT jti FROM log_decisions WHERE idx >= $1) l
                 WHERE EXISTS (SELECT 1 FROM entries e WHERE e.jti = l.jti) ORDER BY jti";
    sql::query_scalar(query)
        .bind(to_number(from))
        .fetch_all(connection)
        .await
}
