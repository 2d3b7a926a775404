//! The API below `/api`, one file a subject.

use axum::http::Uri;

use crate::describe::Subject;
use crate::error::Failure;
use crate::routes::Routes;

mod accounts;
pub(crate) mod audit;
mod changes;
mod commits;
mod compare;
mod discussions;
mod duplicate;
pub(crate) mod evidence;
mod files;
mod findings;
mod history;
mod info;
mod large_files;
mod leaderboards;
mod listing;
mod operate;
mod records;
mod refs;
mod repositories;
mod settings;
mod sql;
mod tolerated;
mod uploads;
mod validate;
mod webhooks;

/// Returns the routes of one repository, below `/api/models` and `/api/datasets`.
pub(crate) fn of_repository() -> Routes {
    Routes::about(Subject::Repositories)
        .merge(commits::routes())
        .merge(discussions::routes())
        .merge(duplicate::routes())
        .merge(evidence::of_repository())
        .merge(files::routes())
        .merge(history::routes())
        .merge(info::routes())
        .merge(large_files::routes())
        .merge(listing::routes())
        .merge(records::routes())
        .merge(refs::routes())
        .merge(settings::routes())
        .merge(uploads::routes())
}

/// Returns the routes of the logs, outside of `/api`. An issuer alone has them too.
pub(crate) fn of_logs() -> Routes {
    evidence::routes()
}

/// Returns the routes of the hub as a whole, at their full address.
pub(crate) fn routes() -> Routes {
    Routes::about(Subject::Repositories)
        .merge(accounts::routes())
        .merge(accounts::of_owners())
        .merge(audit::routes())
        .merge(changes::routes())
        .merge(compare::routes())
        .merge(findings::routes())
        .merge(leaderboards::routes())
        .merge(operate::routes())
        .merge(operate::removals())
        .merge(repositories::routes())
        .merge(sql::routes())
        .merge(tolerated::routes())
        .merge(validate::routes())
        .merge(webhooks::routes())
}

/// Fails a request below `/api` that no route matches. Clients read `RepoNotFound`
/// for names of one part (`gpt2`) and for kinds of repositories that this hub does not keep.
pub(crate) async fn fallback(uri: Uri) -> Failure {
    let mut parts = uri.path().split('/').skip(2);
    let names_a_repo = match parts.next() {
        Some("spaces" | "kernels") => parts.next().is_some(),
        Some("models" | "datasets") => {
            let name = parts.next().unwrap_or_default();
            let of_one_part = matches!(
                parts.next(),
                None | Some("commits" | "refs" | "revision" | "tree" | "paths-info")
            );
            !name.is_empty() && of_one_part
        }
        _ => false,
    };
    if names_a_repo {
        Failure::no_repo()
    } else {
        Failure::no_route()
    }
}
