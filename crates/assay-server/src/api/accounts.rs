use assay_app::{AccountKind, Caller};
use assay_hub_api as hub_api;
use assay_model::{RepoKind, Timestamp};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::describe::{Access, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, PathParams};
use crate::routes::{Routes, get};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Accounts)
        .route(
            "/api/whoami-v2",
            get(
                who_am_i,
                says("Tells who a token belongs to.")
                    .asks(Access::SignedIn)
                    .answers::<hub_api::WhoAmI>(
                        "The account, its organisations and the token's role.",
                    ),
            ),
        )
        .route(
            "/api/users/{account}/overview",
            get(
                user_overview,
                says("Tells of a user.")
                    .answers::<Overview>("The user.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
        .route(
            "/api/organizations/{account}/overview",
            get(
                organisation_overview,
                says("Tells of an organisation.")
                    .answers::<Overview>("The organisation.")
                    .refuses(&[Refusal::Missing]),
            ),
        )
}

/// The routes by which accounts see what is theirs.
pub(crate) fn of_owners() -> Routes {
    Routes::about(Subject::Accounts)
        .route(
            "/api/organizations/{account}/members",
            get(
                members,
                says("Lists the members of an organisation, for its members.")
                    .asks(Access::SignedIn)
                    .lists::<hub_api::Member>("The members.")
                    .refuses(&[Refusal::Missing, Refusal::Forbidden]),
            ),
        )
        .route(
            "/api/settings/repositories",
            get(
                own_repositories,
                says("Lists the repositories of the caller, with the bytes that each takes.")
                    .asks(Access::SignedIn)
                    .lists::<hub_api::StoredRepo>("The repositories."),
            ),
        )
        .route(
            "/api/organizations/{account}/settings/repositories",
            get(
                repositories_of,
                says("Lists the repositories of an organisation, with the bytes that each takes, for its members.")
                    .asks(Access::SignedIn)
                    .lists::<hub_api::StoredRepo>("The repositories.")
                    .refuses(&[Refusal::Missing, Refusal::Forbidden]),
            ),
        )
}

#[derive(Deserialize)]
struct AccountParams {
    account: String,
}

/// The public facts of an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Overview {
    /// The id of the account on the hub.
    #[serde(rename = "_id")]
    id: String,
    /// The name of a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// The name of an organisation.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The name for people.
    fullname: String,
    /// The picture.
    avatar_url: String,
    /// Time at which it was made.
    created_at: Timestamp,
    /// Number of models of it that the caller may see.
    num_models: u64,
    /// Number of datasets of it that the caller may see.
    num_datasets: u64,
    /// Always 0; clients read it.
    num_spaces: u64,
}

/// Tells who a token belongs to.
async fn who_am_i(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
) -> Result<Json<hub_api::WhoAmI>, Failure> {
    if caller.name().is_none() {
        return Err(Failure::sign_in("give a token"));
    }
    let identity = state.hub.accounts().identity(&caller).await?;
    Ok(Json(wire::who_am_i(&identity)))
}

async fn user_overview(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(AccountParams { account }): PathParams<AccountParams>,
) -> Result<Json<Overview>, Failure> {
    overview(&state, &caller, &account, AccountKind::User).await
}

async fn organisation_overview(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(AccountParams { account }): PathParams<AccountParams>,
) -> Result<Json<Overview>, Failure> {
    overview(&state, &caller, &account, AccountKind::Organisation).await
}

async fn overview(
    state: &AppState,
    caller: &Caller,
    name: &str,
    kind: AccountKind,
) -> Result<Json<Overview>, Failure> {
    let account = state.hub.accounts().account(name).await?;
    if account.kind != kind {
        return Err(Failure::no_route());
    }
    let is_user = kind == AccountKind::User;
    let count = async |kind| {
        let hub = &state.hub;
        hub.repositories()
            .count_repositories(caller, kind, &account.name)
            .await
    };
    let num_models = count(RepoKind::Model).await?;
    let num_datasets = count(RepoKind::Dataset).await?;
    Ok(Json(Overview {
        num_models,
        num_datasets,
        num_spaces: 0,
        id: wire::account_id(&account.name),
        avatar_url: wire::avatar(&account.name),
        user: is_user.then(|| account.name.clone()),
        name: (!is_user).then_some(account.name),
        fullname: account.full_name,
        created_at: account.created,
    }))
}

/// Lists the members of an organisation.
async fn members(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(AccountParams { account }): PathParams<AccountParams>,
) -> Result<Json<Vec<hub_api::Member>>, Failure> {
    let members = state.hub.accounts().members(&caller, &account).await?;
    let members = members.into_iter().map(|(account, role)| hub_api::Member {
        id: wire::account_id(&account.name),
        avatar_url: wire::avatar(&account.name),
        account_type: wire::account_type(account.kind),
        user: account.name,
        fullname: account.full_name,
        role,
    });
    Ok(Json(members.collect()))
}

async fn own_repositories(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
) -> Result<Json<Vec<hub_api::StoredRepo>>, Failure> {
    stored(&state, &caller, None).await
}

async fn repositories_of(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(AccountParams { account }): PathParams<AccountParams>,
) -> Result<Json<Vec<hub_api::StoredRepo>>, Failure> {
    stored(&state, &caller, Some(&account)).await
}

async fn stored(
    state: &AppState,
    caller: &Caller,
    organisation: Option<&str>,
) -> Result<Json<Vec<hub_api::StoredRepo>>, Failure> {
    let stored = state
        .hub
        .repositories()
        .stored_repositories(caller, organisation)
        .await?;
    let total: u64 = stored.iter().map(|(_, bytes)| bytes).sum();
    let items = stored
        .into_iter()
        .map(|(info, storage)| hub_api::StoredRepo {
            id: info.id,
            kind: info.kind,
            updated_at: info.updated,
            visibility: if info.private { "private" } else { "public" }.into(),
            storage,
            storage_percent: percent(storage, total),
        });
    Ok(Json(items.collect()))
}

/// The share of a whole in percent, to a hundredth.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share to a hundredth of a percent needs no more digits"
)]
fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    (part as f64 / whole as f64 * 10_000.0).round() / 100.0
}
