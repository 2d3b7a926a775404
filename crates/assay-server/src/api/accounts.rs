use assay_app::{AccountKind, Error};
use assay_formats::hub_api;
use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::extract::{Asker, Segments};
use crate::state::AppState;
use crate::wire;

pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/whoami-v2", get(who_am_i))
        .route("/api/users/{account}/overview", get(user_overview))
        .route(
            "/api/organizations/{account}/overview",
            get(organisation_overview),
        )
}

#[derive(Deserialize)]
struct Named {
    account: String,
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
) -> Result<Json<Value>, Failure> {
    overview(&state, &account, AccountKind::User).await
}

async fn organisation_overview(
    State(state): State<AppState>,
    Segments(Named { account }): Segments<Named>,
) -> Result<Json<Value>, Failure> {
    overview(&state, &account, AccountKind::Organisation).await
}

async fn overview(state: &AppState, name: &str, kind: AccountKind) -> Result<Json<Value>, Failure> {
    let account = state.hub.account(name).await?;
    if account.kind != kind {
        return Err(Failure::no_route());
    }
    let key = match kind {
        AccountKind::User => "user",
        AccountKind::Organisation => "name",
    };
    Ok(Json(json!({
        "_id": wire::account_id(&account.name),
        key: account.name,
        "fullname": account.full_name,
        "avatarUrl": wire::avatar(&account.name),
        "createdAt": account.created,
    })))
}
