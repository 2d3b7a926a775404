//! The pages of a hub: what people read in a browser, made on the server and complete without a script.
//!
//! A page is a handler that takes a [`Visitor`], asks [`assay_app::Hub`] what the API asks it, and gives a template back
//! with [`Visitor::render`]. Every template extends `base.html`, which shows the [`frame::Frame`]. What strangers wrote
//! goes through the escaping of every template ([`Inert`]), through [`links::safe`] when it is an address, and through
//! [`markdown`] when it is a README; nothing else may mark text as safe.

mod assets;
mod escape;
mod failure;
mod form;
mod frame;
mod go;
mod gzip;
mod home;
mod html;
mod links;
mod markdown;
mod pages;
mod paging;
mod query;
pub(crate) mod session;
mod show;
mod theme;
mod visitor;

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
}

/// The pages as routes.
pub(crate) fn router() -> Router<AppState> {
    pages().into_router()
}
