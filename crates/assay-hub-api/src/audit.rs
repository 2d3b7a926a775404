use assay_model::Timestamp;
use serde::Serialize;

/// The answer to `GET /api/assay/audit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditPage {
    /// The rows, newest first.
    pub rows: Vec<AuditRow>,
    /// The number to ask for the next page with, as `before`; null on the last one.
    pub next: Option<i64>,
}

/// A row of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// Its number: later rows have higher ones.
    pub id: i64,
    /// The moment of the change.
    pub at: Timestamp,
    /// The one who did it.
    pub actor: AuditActor,
    /// The stable name of the action, such as `repo.deleted`.
    pub action: String,
    /// The thing that was changed.
    pub subject: AuditSubject,
    /// The address of the client; null at the shell.
    pub address: Option<String>,
    /// The id of the request, as in its answer and in the request log.
    pub request_id: Option<String>,
}

/// The one who did something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditActor {
    /// `account`, `shell`, `server` or `anonymous`.
    #[serde(rename = "type")]
    pub actor_type: String,
    /// The name of the account, or of the operating system user.
    pub name: Option<String>,
    /// The number of the token; null in a session that was opened by password.
    pub token: Option<i64>,
}

/// The thing that an action changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AuditSubject {
    /// `hub`, `account`, `model`, `dataset`, `key`, `evidence` or `integration`.
    #[serde(rename = "type")]
    pub subject_type: String,
    /// The name that it had then; empty for the hub itself.
    pub name: String,
    /// The rest, in words.
    pub detail: Option<String>,
}
