//! Webhooks: the part of a page that lists them, and what its forms do.

use askama::Template;
use assay_app::{DeliveryInfo, HookEvent, HookInfo, HookPlace};
use assay_model::{RepoId, RepoKind};
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};

use super::form::Form;
use super::frame::Frame;
use super::go::Go;
use super::notice::{self, Notice};
use super::{Pages, Visitor, links, show};
use crate::error::Failure;
use crate::rendered::Answer;
use crate::state::AppState;

pub(super) fn pages() -> Pages {
    Pages::new()
        .page("/webhooks/new", "Makes a webhook.", post(create))
        .page(
            "/webhooks/deliveries",
            "What an address was told, and how it answered.",
            get(deliveries),
        )
        .page("/webhooks/remove", "Removes a webhook.", post(remove))
        .page("/webhooks/ping", "Tries a webhook.", post(ping))
        .page(
            "/webhooks/resume",
            "Lets a paused webhook go on.",
            post(resume),
        )
        .page("/webhooks/redeliver", "Tells it again.", post(redeliver))
}

/// The webhooks of a place, as part of its settings.
#[derive(Debug)]
pub(super) struct Hooks {
    /// The place, as forms name it.
    pub(super) place: String,
    /// The webhooks.
    pub(super) list: Vec<HookInfo>,
}

#[derive(Template)]
#[template(path = "webhooks/deliveries.html")]
struct DeliveriesPage {
    frame: Frame,
    notice: Notice,
    place: String,
    back: String,
    hook: HookInfo,
    deliveries: Vec<DeliveryInfo>,
}

#[derive(Template)]
#[template(path = "webhooks/made.html")]
struct CreatedWebhookPage {
    frame: Frame,
    back: String,
    url: String,
    secret: String,
}

impl Hooks {
    /// The kinds of events, with what each means.
    pub(super) fn events() -> [(&'static str, &'static str); 3] {
        HookEvent::ALL.map(|event| {
            let about = match event {
                HookEvent::Results => "results that come or go",
                HookEvent::PullRequest => "pull requests, discussions and comments",
                HookEvent::Ranks => "ranks that change",
            };
            (event.as_str(), about)
        })
    }

    /// Returns the address of the deliveries of a webhook.
    pub(super) fn deliveries(&self, hook: &HookInfo) -> String {
        deliveries_at(&self.place, hook.id)
    }
}

/// The webhooks of a place.
pub(super) async fn of(
    state: &AppState,
    visitor: &Visitor,
    place: HookPlace,
) -> Result<Hooks, Failure> {
    Ok(Hooks {
        list: state
            .hub
            .webhooks()
            .webhooks(&visitor.caller, &place)
            .await?,
        place: written(&place),
    })
}

async fn create(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    let place = read(form.get("place"))?;
    let events: Vec<HookEvent> = form.all("events").filter_map(HookEvent::of).collect();
    let (hook, secret) = state
        .hub
        .webhooks()
        .create_webhook(&signed_in.caller, &place, form.get("url"), &events)
        .await?;
    visitor.render(&CreatedWebhookPage {
        frame: visitor.frame("Webhook").unlisted(),
        back: settings_of(&visitor, &place),
        url: hook.url,
        secret: secret.reveal().to_owned(),
    })
}

async fn deliveries(State(state): State<AppState>, visitor: Visitor) -> Result<Answer, Failure> {
    let signed_in = visitor.signed_in()?;
    let place = read(visitor.state.get("place").unwrap_or_default())?;
    let id = number(visitor.state.get("id").unwrap_or_default())?;
    let hooks = state
        .hub
        .webhooks()
        .webhooks(&signed_in.caller, &place)
        .await?;
    let hook = hooks.into_iter().find(|hook| hook.id == id);
    visitor.render(&DeliveriesPage {
        frame: visitor.frame("Deliveries").unlisted(),
        notice: notice::of(&visitor),
        deliveries: state
            .hub
            .webhooks()
            .deliveries(&signed_in.caller, &place, id)
            .await?,
        hook: hook.ok_or_else(Failure::no_route)?,
        back: settings_of(&visitor, &place),
        place: written(&place),
    })
}

async fn remove(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let place = read(form.get("place"))?;
    let caller = &visitor.signed_in()?.caller;
    let id = number(form.get("id"))?;
    state
        .hub
        .webhooks()
        .remove_webhook(caller, &place, id)
        .await?;
    Ok(Go::to(&format!("{}?done=removed", settings_of(&visitor, &place))).into_response())
}

async fn ping(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let place = read(form.get("place"))?;
    let caller = &visitor.signed_in()?.caller;
    let id = number(form.get("id"))?;
    state
        .hub
        .webhooks()
        .ping_webhook(caller, &place, id)
        .await?;
    let back = deliveries_at(&written(&place), id);
    Ok(Go::to(&format!("{back}&done=queued")).into_response())
}

async fn resume(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let place = read(form.get("place"))?;
    let caller = &visitor.signed_in()?.caller;
    let id = number(form.get("id"))?;
    state
        .hub
        .webhooks()
        .resume_webhook(caller, &place, id)
        .await?;
    let back = deliveries_at(&written(&place), id);
    Ok(Go::to(&format!("{back}&done=saved")).into_response())
}

async fn redeliver(
    State(state): State<AppState>,
    visitor: Visitor,
    form: Form,
) -> Result<Response, Failure> {
    let place = read(form.get("place"))?;
    let caller = &visitor.signed_in()?.caller;
    let (id, delivery) = (number(form.get("id"))?, number(form.get("delivery"))?);
    state
        .hub
        .webhooks()
        .redeliver(caller, &place, id, delivery)
        .await?;
    let back = deliveries_at(&written(&place), id);
    Ok(Go::to(&format!("{back}&done=queued")).into_response())
}

fn deliveries_at(place: &str, id: i64) -> String {
    format!("/webhooks/deliveries?place={}&id={id}", links::part(place))
}

fn number(text: &str) -> Result<i64, Failure> {
    text.parse()
        .map_err(|_| Failure::invalid("there is no such webhook"))
}

/// A place as a form names it: `model acme/small`, `dataset acme/sums` or `account acme`.
fn written(place: &HookPlace) -> String {
    match place {
        HookPlace::Repository(kind, id) => format!("{kind} {id}"),
        HookPlace::Account(name) => format!("account {name}"),
    }
}

fn read(text: &str) -> Result<HookPlace, Failure> {
    let (kind, name) = text.split_once(' ').ok_or_else(Failure::no_route)?;
    if kind == "account" {
        return Ok(HookPlace::Account(name.to_owned()));
    }
    let kind: RepoKind = kind.parse().map_err(|_| Failure::no_route())?;
    let id: RepoId = name.parse().map_err(|_| Failure::no_repo())?;
    Ok(HookPlace::Repository(kind, id))
}

/// Returns the address at which the webhooks of a place are managed.
fn settings_of(visitor: &Visitor, place: &HookPlace) -> String {
    match place {
        HookPlace::Account(name) if visitor.caller.name() == Some(name) => {
            "/settings/webhooks".to_owned()
        }
        HookPlace::Repository(kind, id) => format!("{}/settings", links::repo(*kind, id)),
        HookPlace::Account(name) => format!("/organizations/{}", links::part(name)),
    }
}
