//! Routes for operators alone, below `/api/assay`: they are no part of what other hubs offer.

use assay_app::{AccountKind, LookAlike, NewAccount};
use assay_hub_api::{self as hub_api, NewOrganisation, Official};
use assay_model::RepoId;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, JsonBody, PathParams, Query};
use crate::routes::{Routes, get, post, put};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Operation)
        .route(
            "/api/assay/organizations",
            post(
                create_organisation,
                says("Makes an organisation.")
                    .more("The caller becomes its first admin. The setting `organizations.create` says whether every user may do this or operators alone; `limits.organizations` bounds how many one user makes. A name that looks like that of another account is refused, unless an operator sets `allowLookAlike`.")
                    .asks(Access::SignedIn)
                    .takes::<NewOrganisation>()
                    .answers::<hub_api::Account>("The organisation.")
                    .refuses(&[Refusal::Taken, Refusal::Forbidden]),
            ),
        )
        .route(
            "/api/assay/benchmarks/{namespace}/{name}/official",
            put(
                set_official,
                says("Marks a benchmark as official, or takes the mark away.")
                    .asks(Access::Operators)
                    .takes::<Official>()
                    .answers::<Marked>("How it is marked now."),
            ),
        )
}

/// Returns the routes of the list of removed content, for everyone to read.
pub(crate) fn removals() -> Routes {
    Routes::about(Subject::Operation).route(
        "/api/assay/removals",
        get(
            list_removals,
            says("Lists what operators removed for good, newest first.")
                .more("What was part of a private repository is listed without its name.")
                .query::<RemovalsQuery>()
                .answers::<Removals>("Fifty at most."),
        ),
    )
}

/// The query of `GET /api/assay/removals`.
#[derive(Debug, Deserialize, IntoParams)]
struct RemovalsQuery {
    /// The page, from 0.
    #[serde(default)]
    p: u32,
}

/// A page of removals.
#[derive(Debug, Serialize, ToSchema)]
struct Removals {
    /// The removals, newest first.
    removals: Vec<Removal>,
    /// True if there are more.
    more: bool,
}

/// One removal.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Removal {
    /// The time of the removal.
    removed_at: String,
    /// The kind of what was removed: `discussion`, `commits`, `comment` or `account`.
    kind: &'static str,
    /// The repository that it was part of, such as `models/alice/small`.
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    /// The content that was removed, such as `#4`.
    #[serde(skip_serializing_if = "String::is_empty")]
    subject: String,
    /// The reason that the operator gave.
    reason: String,
}

async fn list_removals(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    Query(query): Query<RemovalsQuery>,
) -> Result<Json<Removals>, Failure> {
    let page = state.hub.operations().purged(&caller, query.p).await?;
    let removals = page.items.into_iter().map(|item| Removal {
        removed_at: item.at.to_string(),
        kind: item.kind,
        repo: item.repo.map(|(kind, id)| format!("{kind}s/{id}")),
        subject: item.subject,
        reason: item.reason,
    });
    Ok(Json(Removals {
        removals: removals.collect(),
        more: page.more,
    }))
}

/// The mark of a benchmark.
#[derive(Debug, Serialize, ToSchema)]
struct Marked {
    /// The benchmark.
    id: RepoId,
    /// True if it is official.
    official: bool,
}

#[derive(Deserialize)]
struct RepoParams {
    namespace: String,
    name: String,
}

/// Makes an organisation.
async fn create_organisation(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    JsonBody(request): JsonBody<NewOrganisation>,
) -> Result<Json<hub_api::Account>, Failure> {
    let new = NewAccount {
        name: &request.name,
        full_name: request.fullname.as_deref().unwrap_or(&request.name),
        email: None,
        operator: false,
        look_alike: if request.allow_look_alike && caller.is_operator() {
            LookAlike::Allowed
        } else {
            LookAlike::Refused
        },
    };
    let account = state
        .hub
        .accounts()
        .create_account(&caller, AccountKind::Organisation, &new)
        .await?;
    Ok(Json(wire::account(
        &account.name,
        &account.full_name,
        account.kind,
    )))
}

/// Marks a benchmark as official, or takes the mark away.
async fn set_official(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(RepoParams { namespace, name }): PathParams<RepoParams>,
    JsonBody(request): JsonBody<Official>,
) -> Result<Json<Marked>, Failure> {
    let id: RepoId = format!("{namespace}/{name}")
        .parse()
        .map_err(|_| Failure::no_repo())?;
    state
        .hub
        .operations()
        .set_official(&caller, &id, request.official)
        .await?;
    Ok(Json(Marked {
        id,
        official: request.official,
    }))
}
