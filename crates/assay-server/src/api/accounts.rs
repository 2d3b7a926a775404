use assay_app::{AccountKind, Error};
use assay_hub_api as hub_api;
use assay_model::Timestamp;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::describe::{Door, Refusal, Subject, says};
use crate::error::Failure;
use crate::extract::{Asker, Segments};
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
                    .asks(Door::SignedIn)
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

#[derive(Deserialize)]
struct Named {
    account: String,
}

/// What everybody may know of an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Overview {
    /// What the hub knows it by.
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
    /// When it was made.
    created_at: Timestamp,
}

/// Tells who a token belongs to.
async fn who_am_i(
    State(state): State<AppState>,
    Asker(caller): Asker,
) -> Result<Json<hub_api::WhoAmI>, Failure> {
    if caller.name().is_none() {
        return Err(Error::NeedsLogin("give a token".to_owned()).into());
    }
    let identity = state.hub.identity(&caller).await?;
    Ok(Json(wire::who_am_i(&identity)))
}

async fn user_overview(
    State(state): State<AppState>,
    Segments(Named { account }): Segments<Named>,
) -> Result<Json<Overview>, Failure> {
    overview(&state, &account, AccountKind::User).await
}

async fn organisation_overview(
    State(state): State<AppState>,
    Segments(Named { account }): Segments<Named>,
) -> Result<Json<Overview>, Failure> {
    overview(&state, &account, AccountKind::Organisation).await
}

async fn overview(
    state: &AppState,
    name: &str,
    kind: AccountKind,
) -> Result<Json<Overview>, Failure> {
    let account = state.hub.account(name).await?;
    if account.kind != kind {
        return Err(Failure::no_route());
    }
    let is_user = kind == AccountKind::User;
    Ok(Json(Overview {
        id: wire::account_id(&account.name),
        avatar_url: wire::avatar(&account.name),
        user: is_user.then(|| account.name.clone()),
        name: (!is_user).then_some(account.name),
        fullname: account.full_name,
        created_at: account.created,
    }))
}
