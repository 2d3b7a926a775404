//! Webhooks by the calls of clients: the same that pages show, known by their number alone.

use assay_app::{HookChange, HookEvent, HookPlace, PlacedHook};
use assay_hub_api as hub_api;
use assay_model::{RepoId, RepoKind};
use axum::Json;
use axum::extract::State;
use serde::Deserialize;

use crate::describe::{Access, Refusal, RouteDoc, Subject, says};
use crate::error::Failure;
use crate::extract::{CallerExt, JsonBody, PathParams};
use crate::routes::{Routes, get, post};
use crate::state::AppState;
use crate::wire;

/// The events of a webhook for which none are named.
const DOMAINS: [&str; 2] = ["repo", "discussion"];

pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Accounts)
        .route(
            "/api/settings/webhooks",
            get(
                list,
                says("Lists the webhooks that the caller manages.")
                    .more("Those of the caller, of organisations that the caller administers, and of the repositories of both.")
                    .asks(Access::SignedIn)
                    .lists::<hub_api::Webhook>("The webhooks, without their secrets.")
                    .refuses(&[Refusal::Forbidden]),
            )
            .post(
                create,
                about_one("Makes a webhook.")
                    .more(
                        "It watches one model, dataset, user or organisation. `repo` tells of results and ranks, \
                         `discussion` of pull requests and discussions. The secret is in this answer alone.",
                    )
                    .takes::<hub_api::WebhookRequest>()
                    .refuses(&[Refusal::Taken]),
            ),
        )
        .route(
            "/api/settings/webhooks/{webhook}",
            get(show, about_one("Tells of a webhook."))
                .post(
                    change,
                    about_one("Changes a webhook: what is not given stays.")
                        .takes::<hub_api::WebhookRequest>()
                        .refuses(&[Refusal::Taken]),
                )
                .delete(
                    remove,
                    says("Removes a webhook with all that waits for it.")
                        .asks(Access::SignedIn)
                        .answers_ok()
                        .refuses(&[Refusal::Missing, Refusal::Forbidden]),
                ),
        )
        .route(
            "/api/settings/webhooks/{webhook}/enable",
            post(enable, about_one("Switches a webhook on.")),
        )
        .route(
            "/api/settings/webhooks/{webhook}/disable",
            post(disable, about_one("Switches a webhook off.")),
        )
}

fn about_one(summary: &'static str) -> RouteDoc {
    says(summary)
        .asks(Access::SignedIn)
        .answers::<hub_api::WebhookAnswer>("The webhook.")
        .refuses(&[Refusal::Missing, Refusal::Forbidden])
}

/// The number of a webhook. What is no number names none.
#[derive(Deserialize)]
struct WebhookParams {
    webhook: i64,
}

async fn list(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
) -> Result<Json<Vec<hub_api::Webhook>>, Failure> {
    let own = state.hub.webhooks().own_webhooks(&caller).await?;
    Ok(Json(
        own.into_iter().map(|placed| told(placed, None)).collect(),
    ))
}

async fn show(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(WebhookParams { webhook }): PathParams<WebhookParams>,
) -> Result<Json<hub_api::WebhookAnswer>, Failure> {
    let placed = state.hub.webhooks().webhook(&caller, webhook).await?;
    Ok(answer(placed, None))
}

async fn create(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    JsonBody(request): JsonBody<hub_api::WebhookRequest>,
) -> Result<Json<hub_api::WebhookAnswer>, Failure> {
    let hooks = state.hub.webhooks();
    hooks.check_may_manage(&caller)?;
    let url = address(&request)?.ok_or_else(|| Failure::invalid("a webhook has a `url`"))?;
    let place = place(&request.watched)?.ok_or_else(one_at_a_time)?;
    let scopes = scopes(&request).unwrap_or_else(|| DOMAINS.to_vec());
    let (hook, secret) = hooks
        .create_scoped_webhook(&caller, &place, url, &scopes, request.secret.as_deref())
        .await?;
    let placed = hooks.webhook(&caller, hook.id).await?;
    Ok(answer(placed, Some(secret.reveal().to_owned())))
}

async fn change(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(WebhookParams { webhook }): PathParams<WebhookParams>,
    JsonBody(request): JsonBody<hub_api::WebhookRequest>,
) -> Result<Json<hub_api::WebhookAnswer>, Failure> {
    let hooks = state.hub.webhooks();
    hooks.webhook(&caller, webhook).await?;
    let change = HookChange {
        place: place(&request.watched)?,
        url: address(&request)?,
        scopes: scopes(&request),
        secret: request.secret.as_deref(),
    };
    let placed = hooks.change_webhook(&caller, webhook, &change).await?;
    Ok(answer(placed, None))
}

async fn enable(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(WebhookParams { webhook }): PathParams<WebhookParams>,
) -> Result<Json<hub_api::WebhookAnswer>, Failure> {
    let hooks = state.hub.webhooks();
    let held = hooks.webhook(&caller, webhook).await?;
    hooks.resume_webhook(&caller, &held.place, webhook).await?;
    Ok(answer(hooks.webhook(&caller, webhook).await?, None))
}

async fn disable(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(WebhookParams { webhook }): PathParams<WebhookParams>,
) -> Result<Json<hub_api::WebhookAnswer>, Failure> {
    let placed = state.hub.webhooks().pause_webhook(&caller, webhook).await?;
    Ok(answer(placed, None))
}

async fn remove(
    State(state): State<AppState>,
    CallerExt(caller): CallerExt,
    PathParams(WebhookParams { webhook }): PathParams<WebhookParams>,
) -> Result<&'static str, Failure> {
    let hooks = state.hub.webhooks();
    let held = hooks.webhook(&caller, webhook).await?;
    hooks.remove_webhook(&caller, &held.place, webhook).await?;
    Ok(wire::OK)
}

fn answer(placed: PlacedHook, secret: Option<String>) -> Json<hub_api::WebhookAnswer> {
    let webhook = told(placed, secret);
    Json(hub_api::WebhookAnswer { webhook })
}

/// A webhook in the words of clients.
fn told(placed: PlacedHook, secret: Option<String>) -> hub_api::Webhook {
    let hook = placed.hook;
    let (watched_type, name) = match placed.place {
        HookPlace::Repository(kind, id) => (kind.to_string(), id.to_string()),
        HookPlace::Account(name) if placed.is_organisation => ("org".to_owned(), name),
        HookPlace::Account(name) => ("user".to_owned(), name),
    };
    let tells = |domain: &&str| {
        let mut events = HookEvent::in_scope(domain).into_iter();
        events.any(|event| hook.events.contains(&event))
    };
    let domains = DOMAINS.into_iter().filter(tells).map(str::to_owned);
    hub_api::Webhook {
        id: hook.id.to_string(),
        domains: domains.collect(),
        url: Some(hook.url),
        watched: vec![hub_api::Watched { watched_type, name }],
        secret,
        disabled: hook.paused.is_some(),
    }
}

/// The address that is asked for. There are no jobs to start instead.
fn address(request: &hub_api::WebhookRequest) -> Result<Option<&str>, Failure> {
    if request.job_source_id.is_some() {
        return Err(Failure::invalid(
            "there are no jobs on this hub: give the webhook a `url`",
        ));
    }
    Ok(request.url.as_deref())
}

fn scopes(request: &hub_api::WebhookRequest) -> Option<Vec<&str>> {
    let domains = request.domains.as_ref()?;
    Some(domains.iter().map(String::as_str).collect())
}

/// The one place that is watched; none when the caller does not say.
fn place(watched: &[hub_api::Watched]) -> Result<Option<HookPlace>, Failure> {
    let watched = match watched {
        [] => return Ok(None),
        [one] => one,
        [_, _, ..] => return Err(one_at_a_time()),
    };
    let kind: RepoKind = match watched.watched_type.as_str() {
        "user" | "org" => return Ok(Some(HookPlace::Account(watched.name.clone()))),
        "model" => RepoKind::Model,
        "dataset" => RepoKind::Dataset,
        _ => {
            return Err(Failure::invalid(
                "a webhook watches a `model`, a `dataset`, a `user` or an `org`",
            ));
        }
    };
    let id: RepoId = watched.name.parse().map_err(|_| Failure::no_repo())?;
    Ok(Some(HookPlace::Repository(kind, id)))
}

fn one_at_a_time() -> Failure {
    Failure::invalid(
        "a webhook watches one model, dataset, user or organisation: make one for each",
    )
}
