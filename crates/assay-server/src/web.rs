//! The pages of a hub: what people read in a browser, made on the server and complete without a script.
//!
//! A page is a handler that takes a [`Visitor`], asks [`assay_app::Hub`] what the API asks it, and gives a template back
//! with [`Visitor::render`]. Every template extends `base.html`, which shows the [`frame::Frame`]. What strangers wrote
//! goes through the escaping of every template ([`Inert`]), through [`links::safe`] when it is an address, and through
//! [`markdown`] when it is a README; nothing else may mark text as safe.

mod accounts;
mod assets;
mod create;
mod diff;
mod discussions;
mod docs;
mod escape;
mod failure;
mod files;
mod finding;
mod form;
mod frame;
mod go;
mod gzip;
mod home;
mod hooks;
mod html;
mod links;
mod login;
mod markdown;
mod notice;
mod operator;
mod pages;
mod paging;
mod preview;
mod query;
mod repo;
mod repo_settings;
mod search;
pub(crate) mod session;
mod settings;
mod show;
mod submit;
mod theme;
mod visitor;
mod yaml;

use assay_model::RepoKind;
use axum::Router;
use axum::routing::get;

use crate::state::AppState;

pub(crate) use self::escape::Inert;
pub(crate) use self::failure::{Visit, page as failure_page};
pub(crate) use self::gzip::is_welcome as takes_gzip;
pub(crate) use self::pages::Pages;
pub(crate) use self::theme::Theme;
pub(crate) use self::visitor::Visitor;

/// Every page, with what it shows.
pub(crate) fn pages() -> Pages {
    Pages::new()
        .page("/", "The home of the hub.", get(home::home))
        .page(
            "/assets/{file}",
            "A style sheet, script or picture of the hub itself.",
            get(assets::asset),
        )
        .page(
            "/theme",
            "Remembers whether pages are light or dark.",
            get(theme::choose),
        )
        .merge(accounts::pages())
        .merge(create::pages())
        .merge(docs::pages())
        .merge(of_repositories())
        .merge(hooks::pages())
        .merge(login::pages())
        .merge(operator::pages())
        .merge(search::pages())
        .merge(settings::pages())
        .merge(submit::pages())
}

/// The pages of models, and the same of datasets.
fn of_repositories() -> Pages {
    let pages = || {
        Pages::new()
            .merge(discussions::of_repository())
            .merge(files::of_repository())
            .merge(repo_settings::of_repository())
            .merge(submit::of_repository())
    };
    let models = pages().below("", RepoKind::Model);
    models.merge(pages().below("/datasets", RepoKind::Dataset))
}

/// The pages as routes.
pub(crate) fn router() -> Router<AppState> {
    pages().into_router()
}
