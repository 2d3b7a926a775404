use assay_app::AuditQuery;
use assay_hub_api as hub_api;
use assay_model::{Date, Timestamp};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::describe::{Access, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, Query};
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::wire;

/// The rows of a page when the query names no number.
const PAGE: u32 = 100;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Operation).route(
        "/api/assay/audit",
        get(
            list,
            says("Lists the audit log, newest first.")
                .more("Every condition that is given holds. The next page is asked for with `before` and the number in `next`.")
                .asks(Access::Operators)
                .query::<AuditParams>()
                .answers::<hub_api::AuditPage>("A page."),
        ),
    )
}

/// The query of `GET /api/assay/audit`.
#[derive(Debug, Deserialize, IntoParams)]
pub(crate) struct AuditParams {
    /// Only rows since this date or moment, such as `2026-11-01` or `2026-11-01T12:00:00Z`.
    since: Option<String>,
    /// Only what this account did, or what was done to it.
    account: Option<String>,
    /// Only what was done to this repository, also under former names and after it was deleted.
    repo: Option<String>,
    /// Only this action, such as `repo.deleted`, or all of one subject, such as `repo`.
    action: Option<String>,
    /// Only rows with lower numbers than this.
    before: Option<i64>,
    /// The most rows: 100 when absent, up to 1,000.
    limit: Option<u32>,
}

async fn list(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Query(asked): Query<AuditParams>,
) -> Result<Json<hub_api::AuditPage>, Failure> {
    let query = AuditQuery {
        since: asked.since.as_deref().map(moment).transpose()?,
        account: asked.account,
        repo: asked.repo.as_deref().map(repo).transpose()?,
        action: asked.action,
        before: asked.before,
        limit: asked.limit.unwrap_or(PAGE),
    };
    let page = state.hub.operations().audit_page(&caller, &query).await?;
    Ok(Json(wire::audit_page(page)))
}

/// Reads a date or a moment.
pub(crate) fn moment(text: &str) -> Result<Timestamp, Failure> {
    let date: Option<Date> = text.trim().parse().ok();
    date.as_ref().and_then(Timestamp::of_date).ok_or_else(|| {
        Failure::invalid(format!(
            "`{text}` is no date such as `2026-11-01` or `2026-11-01T12:00:00Z`"
        ))
    })
}

/// Reads the name of a repository, which need not exist any more.
pub(crate) fn repo(text: &str) -> Result<assay_model::RepoId, Failure> {
    text.trim()
        .parse()
        .map_err(|error| Failure::invalid(format!("`{text}`: {error}")))
}
