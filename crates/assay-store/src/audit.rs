use std::net::IpAddr;

use assay_model::{RepoId, RepoKey, RepoKind, Timestamp};

use crate::backend::Connection;
use crate::row::Cells;
use crate::{AuditAction, Error, Tx, sql};

/// The setting with the moment up to which rows may be removed; the triggers of the table read it.
const SWEPT_BEFORE: &str = "audit_swept_before_ms";

/// A row that is to be appended to the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditRow {
    /// The moment of the change.
    pub at: Timestamp,
    /// The account, operating system user or server that acted.
    pub actor: AuditActor,
    /// The kind of change.
    pub action: AuditAction,
    /// The repository, account or other thing that was changed.
    pub subject: AuditSubject,
    /// The address of the caller.
    pub address: Option<IpAddr>,
    /// The id of the request, as in the answer and the request log.
    pub request: Option<String>,
}

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number: later rows have higher ones.
    pub id: i64,
    /// The moment of the change.
    pub at: Timestamp,
    /// The account, operating system user or server that acted.
    pub actor: AuditActor,
    /// The name of an [`AuditAction`]. A newer server on the same database may have written one
    /// that this one does not know.
    pub action: String,
    /// The thing that was changed.
    pub subject: AuditSubject,
    /// The address of the caller, as it was written.
    pub address: Option<String>,
    /// The id of the request.
    pub request: Option<String>,
}

/// The one who did something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditActor {
    /// An account.
    Account {
        /// Its name.
        name: String,
        /// The number of its token; none in a session that was opened by password.
        token: Option<i64>,
    },
    /// A user of the operating system, at the shell.
    Shell(String),
    /// The server itself.
    Server,
    /// Somebody who was not signed in.
    Anonymous,
}

/// The thing that an action changed, by the name it had then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSubject {
    /// Its kind.
    pub kind: AuditSubjectKind,
    /// Its name; empty for the hub itself.
    pub name: String,
    /// The repository, which keeps its key when it is renamed.
    pub repo: Option<RepoKey>,
    /// The rest, in words: the number of a token, the new name, a role.
    pub detail: Option<String>,
}

/// The kind of thing that an action changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditSubjectKind {
    /// The hub itself.
    Hub,
    /// A user or an organisation.
    Account,
    /// A model repository.
    Model,
    /// A dataset repository.
    Dataset,
    /// A signing key.
    Key,
    /// An issuer of evidence, or a token or key that it signed with.
    Evidence,
    /// An integration of the issuer of this hub, or one of its identities.
    Integration,
}

/// A selection of rows; every condition that is present holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Not before this moment.
    pub since: Option<Timestamp>,
    /// By this account, or about it, in any case.
    pub account: Option<String>,
    /// About the repository of this name, in any case.
    pub repo: Option<String>,
    /// Or about one of these, under any name; only together with `repo`.
    pub repo_keys: Vec<RepoKey>,
    /// The name of an action, or the part before its dot for all of that subject.
    pub action: Option<String>,
    /// With a lower number than this: the page after the one that ended with it.
    pub before: Option<i64>,
}

questions! {
    /// Rows of the audit log, newest first.
    fn audit_rows(filter: &AuditFilter, limit: u32) -> Vec<AuditRow>;
    /// The number of rows in the audit log, from the first and the last number: those of changes
    /// that were given up count too, and no row is read.
    fn audit_count() -> u64;
}

impl Tx {
    /// Appends a row to the audit log, as part of the change that it records. No page shows it to
    /// others, so the generation stays.
    pub async fn add_audit_row(&mut self, row: &NewAuditRow) -> Result<(), Error> {
        let (actor, token) = match &row.actor {
            AuditActor::Account { name, token } => (Some(name.as_str()), *token),
            AuditActor::Shell(user) => (Some(user.as_str()), None),
            AuditActor::Server | AuditActor::Anonymous => (None, None),
        };
        sql::query(
            "INSERT INTO audit (at_ms, actor_kind, actor, token, action, subject_kind, subject, repo, detail, address, request)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(row.at.millis())
        .bind(row.actor.kind())
        .bind(actor)
        .bind(token)
        .bind(row.action.as_str())
        .bind(row.subject.kind.as_str())
        .bind(&row.subject.name)
        .bind(row.subject.repo.map(|key| key.0))
        .bind(&row.subject.detail)
        .bind(row.address.map(|address| address.to_string()))
        .bind(&row.request)
        .execute(self.connection())
        .await
        .map_err(|error| Error::of("add_audit_row", error))?;
        Ok(())
    }

    /// Removes the oldest rows from before a moment, up to a number of them, and returns how many
    /// there were. The database refuses to remove any other.
    pub async fn sweep_audit(&mut self, before: Timestamp, limit: u32) -> Result<u64, Error> {
        let failed = |error| Error::of("sweep_audit", error);
        sql::query(
            "INSERT INTO settings (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(SWEPT_BEFORE)
        .bind(before.millis().to_string())
        .execute(self.connection())
        .await
        .map_err(failed)?;
        sql::query(
            "DELETE FROM audit WHERE id IN
             (SELECT id FROM audit WHERE at_ms < $1 ORDER BY at_ms LIMIT $2)",
        )
        .bind(before.millis())
        .bind(limit)
        .execute(self.connection())
        .await
        .map_err(failed)
    }
}

impl AuditActor {
    /// The kind of actor, in one word: `account`, `shell`, `server` or `anonymous`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Account { .. } => "account",
            Self::Shell(_) => "shell",
            Self::Server => "server",
            Self::Anonymous => "anonymous",
        }
    }

    /// The name of the account or of the operating system user.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Account { name, .. } | Self::Shell(name) => Some(name),
            Self::Server | Self::Anonymous => None,
        }
    }
}

impl AuditSubject {
    /// The hub as a whole.
    pub fn hub() -> Self {
        Self::new(AuditSubjectKind::Hub, "")
    }

    /// A user or an organisation.
    pub fn account(name: &str) -> Self {
        Self::new(AuditSubjectKind::Account, name)
    }

    /// A repository.
    pub fn repo(kind: RepoKind, id: &RepoId, key: RepoKey) -> Self {
        let kind = match kind {
            RepoKind::Model => AuditSubjectKind::Model,
            RepoKind::Dataset => AuditSubjectKind::Dataset,
        };
        Self {
            repo: Some(key),
            ..Self::new(kind, id.as_str())
        }
    }

    /// Something of this kind and name.
    pub fn new(kind: AuditSubjectKind, name: &str) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            repo: None,
            detail: None,
        }
    }

    /// The same with a detail in words.
    #[must_use]
    pub fn with(self, detail: impl Into<String>) -> Self {
        Self {
            detail: Some(detail.into()),
            ..self
        }
    }
}

impl AuditSubjectKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Hub,
        Self::Account,
        Self::Model,
        Self::Dataset,
        Self::Key,
        Self::Evidence,
        Self::Integration,
    ];

    /// The kind in one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hub => "hub",
            Self::Account => "account",
            Self::Model => "model",
            Self::Dataset => "dataset",
            Self::Key => "key",
            Self::Evidence => "evidence",
            Self::Integration => "integration",
        }
    }
}

words!(
    AuditSubjectKind,
    "`hub`, `account`, `model`, `dataset`, `key`, `evidence` or `integration`"
);

async fn audit_rows(
    connection: &mut Connection,
    filter: &AuditFilter,
    limit: u32,
) -> sqlx::Result<Vec<AuditRow>> {
    let mut query = sql::Builder::new(
        "SELECT id, at_ms, actor_kind, actor, token, action, subject_kind, subject, repo, detail, address, request
         FROM audit WHERE 1 = 1",
    );
    if let Some(since) = filter.since {
        query.push(" AND at_ms >= ").push_bind(since.millis());
    }
    if let Some(account) = &filter.account {
        let account = account.to_ascii_lowercase();
        query
            .push(" AND ((actor_kind = 'account' AND lower(actor) = ")
            .push_bind(account.clone())
            .push(") OR (subject_kind = 'account' AND lower(subject) = ")
            .push_bind(account)
            .push("))");
    }
    if let Some(repo) = &filter.repo {
        query
            .push(" AND ((subject_kind IN ('model', 'dataset') AND lower(subject) = ")
            .push_bind(repo.to_ascii_lowercase())
            .push(")");
        for key in &filter.repo_keys {
            query.push(" OR repo = ").push_bind(key.0);
        }
        query.push(")");
    }
    if let Some(action) = &filter.action {
        query
            .push(" AND (action = ")
            .push_bind(action)
            .push(" OR (action >= ")
            .push_bind(format!("{action}."))
            .push(" AND action < ")
            // The character after the dot.
            .push_bind(format!("{action}/"))
            .push("))");
    }
    if let Some(before) = filter.before {
        query.push(" AND id < ").push_bind(before);
    }
    query.push(" ORDER BY id DESC LIMIT ").push_bind(limit);
    query.build().read_all(connection, read).await
}

async fn audit_count(connection: &mut Connection) -> sqlx::Result<u64> {
    let row = sql::query("SELECT COALESCE(MAX(id) - MIN(id) + 1, 0) FROM audit")
        .fetch_one(connection)
        .await?;
    Cells::of(&row).number()
}

fn read(cells: &mut Cells<'_>) -> sqlx::Result<AuditRow> {
    let (id, at) = (cells.get()?, cells.time()?);
    let (kind, name, token): (String, Option<String>, Option<i64>) =
        (cells.get()?, cells.get()?, cells.get()?);
    let name = name.unwrap_or_default();
    Ok(AuditRow {
        id,
        at,
        actor: match kind.as_str() {
            "account" => AuditActor::Account { name, token },
            "shell" => AuditActor::Shell(name),
            "server" => AuditActor::Server,
            _ => AuditActor::Anonymous,
        },
        action: cells.get()?,
        subject: AuditSubject {
            kind: cells.parse()?,
            name: cells.get()?,
            repo: cells.get::<Option<i64>>()?.map(RepoKey),
            detail: cells.get()?,
        },
        address: cells.get()?,
        request: cells.get()?,
    })
}
