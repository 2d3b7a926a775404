//! The pages of a hub: what people read in a browser, made on the server and complete without a
//! script.
//!
//! A page is a handler that takes a [`Visitor`], asks [`assay_app::Hub`] what the API asks it, and
//! gives a template back with [`Visitor::render`]. Every template extends `base.html`, which shows
//! the [`frame::Frame`]. What strangers wrote goes through the escaping of every template
//! ([`Inert`]), through [`links::safe`] when it is an address, through [`markdown`] when it is a
//! README, and through [`cite`] when it is JSON-LD; nothing else may mark text as safe.

mod accounts;
mod assets;
mod badge;
mod between;
mod board;
mod changes;
mod chart;
mod cite;
mod compare;
mod confirm;
mod create;
mod device;
mod diff;
mod discover;
mod discussions;
mod docs;
mod embed;
mod escape;
mod failure;
mod feed;
mod files;
mod finding;
mod finding_list;
mod form;
mod frame;
mod go;
mod gzip;
mod home;
mod hooks;
mod html;
mod inbox;
mod kept;
mod links;
mod listing;
mod login;
mod markdown;
mod matrix;
mod model;
mod moves;
mod notice;
mod operator;
mod pages;
mod paging;
mod preview;
mod provenance;
mod publishers;
mod query;
mod readme;
mod refusal;
mod repo;
mod repo_settings;
mod samples;
mod search;
pub(crate) mod session;
mod settings;
mod show;
mod submit;
mod svg;
mod theme;
mod upload;
mod visitor;
mod yaml;

use assay_model::RepoKind;
use axum::http::Uri;
use axum::routing::get;

use crate::error::Failure;

pub(crate) use self::between::board_diff_page;
pub(crate) use self::escape::{Inert, escape};
pub(crate) use self::failure::{Visit, page as failure_page};
pub(crate) use self::gzip::is_welcome as takes_gzip;
pub(crate) use self::kept::FormSlot;
pub(crate) use self::links::{is_hidden, result as result_page};
pub(crate) use self::matrix::{AggregateCache, PublicMatrixCache};
pub(crate) use self::pages::Pages;
pub(crate) use self::theme::Theme;
pub(crate) use self::visitor::Visitor;

/// The pages, with what each shows.
pub(crate) fn pages() -> Pages {
    Pages::new()
        .merge(reading())
        .merge(changes::pages())
        .merge(discover::pages())
        .merge(elsewhere())
        .merge(acting())
        .page(
            "/theme",
            "Remembers whether pages are light or dark.",
            get(theme::choose),
        )
}

/// Returns the routes that pages of the hub and of others embed. None of them depends on who is
/// signed in.
pub(crate) fn parts() -> Pages {
    Pages::new()
        .page(
            "/assets/{file}",
            "A style sheet, script or picture of the hub itself.",
            get(assets::asset),
        )
        .page(
            "/datasets/{namespace}/{name}/embed/leaderboard",
            "A leaderboard for the pages of others.",
            get(embed::leaderboard),
        )
}

/// Returns the routes of pages for reading.
fn reading() -> Pages {
    Pages::new()
        .page("/", "The home of the hub: what is new.", get(home::home))
        .page(
            "/results",
            "Models by the tasks of every benchmark, ranked by their expected win rate.",
            get(matrix::hub),
        )
        .page(
            finding_list::OF_HUB,
            "The results on all boards in which the rules find something.",
            get(finding_list::of_hub),
        )
        .page(
            "/datasets/{namespace}/{name}/findings",
            "The results for a benchmark in which the rules find something.",
            get(finding_list::of_benchmark),
        )
        .page(
            "/benchmarks",
            "The benchmarks, with who leads.",
            get(listing::benchmarks),
        )
        .page("/models", "The models.", get(listing::models))
        .page(
            "/datasets/{namespace}/{name}",
            "A benchmark with the leaderboard of a task, or what another dataset says of itself.",
            get(board::dataset),
        )
        .page(
            "/datasets/{namespace}/{name}/leaderboard/{task}",
            "The leaderboard of a task.",
            get(board::dataset),
        )
        .page(
            "/datasets/{namespace}/{name}/matrix",
            "Every task of a benchmark side by side: models by tasks.",
            get(matrix::benchmark),
        )
        .page(
            "/{namespace}/{name}",
            "A model with its results and where it stands.",
            get(model::model),
        )
        .page(
            "/compare",
            "Models side by side on every board.",
            get(compare::compare),
        )
}

/// Badges and feeds, which are shown elsewhere.
fn elsewhere() -> Pages {
    Pages::new()
        .page(
            "/badges/models/{namespace}/{name}/{badge}",
            "A picture of a model's rank, score or standing for its README.",
            get(badge::badge),
        )
        .page(
            "/feeds/changes",
            "A feed of new results and rank changes on every board.",
            get(feed::of_hub),
        )
        .page(
            "/feeds/benchmarks/{namespace}/{name}",
            "A feed of what changes on a board.",
            get(feed::of_benchmark),
        )
        .page(
            "/feeds/models/{namespace}/{name}",
            "A feed of the results and rank changes of a model.",
            get(feed::of_model),
        )
        .page(
            "/feeds/organizations/{name}",
            "A feed of the results and rank changes of an organisation or user.",
            get(feed::of_account),
        )
}

/// Returns the routes of pages for acting.
fn acting() -> Pages {
    Pages::new()
        .merge(accounts::pages())
        .merge(create::pages())
        .merge(docs::pages())
        .merge(of_repositories())
        .merge(hooks::pages())
        .merge(device::pages())
        .merge(inbox::pages())
        .merge(login::pages())
        .merge(operator::pages())
        .merge(provenance::pages())
        .merge(samples::pages())
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
            .merge(upload::of_repository())
    };
    let models = pages().below("", RepoKind::Model);
    models.merge(pages().below("/datasets", RepoKind::Dataset))
}

/// Fails a request that no route matches. Clients read `RepoNotFound` for kinds of repositories
/// that this hub does not keep.
pub(crate) async fn fallback(uri: Uri) -> Failure {
    let mut parts = uri.path().split('/').skip(1);
    match (parts.next(), parts.next()) {
        (Some("spaces" | "kernels"), Some(_)) => Failure::no_repo(),
        _ => Failure::no_route(),
    }
}
