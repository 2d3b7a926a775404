//! Repositories without a record: listed, and adopted.

pub(super) mod args;

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_app::{
    Adoption, Error, GivenName, Hub, NOT_IN_GIT, ServerMark, Servers, UnrecordedRepository,
    Visibility,
};
use assay_cli::{Exit, Printer};
use assay_model::{RepoKey, chain};
use assay_render::visible;
use assay_server::SystemClock;
use serde_json::{Value as Json, json};

use self::args::AdoptArgs;
use super::admin::Done;
use super::args::HubPlace;
use super::{hub_config, open_config};
use crate::args::ShowFormat;
use crate::commands::serve::runtime;
use crate::plural::count;
use crate::table::table;

/// Lists the repositories that were set aside.
pub(super) async fn list(hub: &Hub) -> Result<Done, Error> {
    let unrecorded = hub.operations().unrecorded().await?;
    let rows: Vec<Vec<String>> = unrecorded.iter().map(cells).collect();
    let json = unrecorded.iter().map(unrecorded_json).collect();
    let mut text = table(&["SET ASIDE", "NUMBER", "KIND", "NAME", "DIRECTORY"], &rows);
    if !unrecorded.is_empty() {
        text.push_str("`assay admin adopt` gives them a record again\n");
    }
    Ok(Done::new(text, Json::Array(json)))
}

/// Adopts every repository without a record.
pub(super) fn run(
    action: &AdoptArgs,
    place: &HubPlace,
    format: ShowFormat,
    printer: &mut Printer,
) -> Exit {
    match adopt(action, place, printer) {
        Err(exit) => exit,
        Ok((adoption, was_lost)) => {
            match format {
                ShowFormat::Json => printer.json(&adoption_json(&adoption, action.dry_run)),
                ShowFormat::Text => show(&adoption, action.dry_run, was_lost, printer),
            }
            if adoption.refused.is_empty() {
                Exit::Clean
            } else {
                Exit::Errors
            }
        }
    }
}

/// Runs the adoption. The flag is true when the database had to be made again.
fn adopt(
    action: &AdoptArgs,
    place: &HubPlace,
    printer: &mut Printer,
) -> Result<(Adoption, bool), Exit> {
    let config = open_config(place.config.as_deref(), &place.flags(), printer)?;
    let runtime = runtime(printer).ok_or(Exit::Failed)?;
    let names: BTreeMap<RepoKey, GivenName> = action
        .names
        .iter()
        .map(|named| (named.key, (named.kind, named.id.clone())))
        .collect();
    let adopted = runtime.block_on(async {
        let clock = Arc::new(SystemClock);
        // A server that runs has its database; what it does not know is adopted beside it.
        let mark = ServerMark::set(&config.data, Servers::One);
        let hub = match &mark {
            Err(Error::Operator(_)) => Hub::visit(hub_config(&config), clock).await?,
            Err(_) | Ok(_) => {
                Hub::open_for_adoption(hub_config(&config), clock, action.dry_run).await?
            }
        };
        let was_lost = hub.accounts().accounts(&hub.shell()).await?.is_empty();
        let adoption = hub
            .operations()
            .adopt(&hub.shell(), &names, action.dry_run)
            .await?;
        Ok((adoption, was_lost))
    });
    adopted.map_err(|error: Error| {
        printer.error(&visible(&chain(&error)));
        Exit::Failed
    })
}

fn show(adoption: &Adoption, dry_run: bool, was_lost: bool, printer: &mut Printer) {
    let rows: Vec<Vec<String>> = adoption
        .repositories
        .iter()
        .map(|adopted| {
            vec![
                adopted.key.to_string(),
                adopted.kind.to_string(),
                adopted.id.to_string(),
                word(adopted.visibility).to_owned(),
                adopted.pulls.to_string(),
                adopted.large_files.to_string(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let heads = [
            "NUMBER",
            "KIND",
            "NAME",
            "SEEN BY",
            "PULL REQUESTS",
            "LARGE FILES",
        ];
        printer.data(&table(&heads, &rows));
    }
    let number = count(rows.len() as u64, "repository", "repositories");
    printer.line(&if dry_run {
        format!("{number} would get a record; nothing was changed")
    } else {
        format!("{number} got a record")
    });
    for pull in &adoption.pulls {
        let verb = if dry_run { "would get" } else { "got" };
        printer.line(&format!(
            "pull request {} of the {} `{}` {verb} a record; it is closed unless it was merged",
            pull.num, pull.kind, pull.id
        ));
    }
    if !adoption.accounts.is_empty() {
        printer.line(&visible(&format!(
            "accounts without a token or a password: {}",
            adoption.accounts.join(", ")
        )));
    }
    for refused in &adoption.refused {
        printer.error(&visible(&format!(
            "repository {} in `{}` gets no record: {}",
            refused.key,
            refused.path.display(),
            refused.reason
        )));
    }
    for oid in &adoption.unclaimed_large_files {
        printer.error(&format!(
            "the large file {oid} is named by repositories of several owners, one of them private, and is given to none; let its owner upload it again"
        ));
    }
    if was_lost {
        printer.line("what only the lost database knew has to be made again:");
        for lost in NOT_IN_GIT {
            printer.line(&format!("  - {lost}"));
        }
    }
}

fn adoption_json(adoption: &Adoption, dry_run: bool) -> Json {
    let repositories = adoption.repositories.iter().map(|adopted| {
        json!({
            "number": adopted.key.0,
            "kind": adopted.kind,
            "id": adopted.id,
            "visibility": word(adopted.visibility),
            "pull_requests": adopted.pulls,
            "large_files": adopted.large_files,
        })
    });
    let refused = adoption.refused.iter().map(|refused| {
        json!({
            "number": refused.key.0,
            "path": refused.path.display().to_string(),
            "reason": refused.reason,
        })
    });
    let pulls = adoption
        .pulls
        .iter()
        .map(|pull| json!({ "kind": pull.kind, "id": pull.id, "number": pull.num }));
    json!({
        "version": 1,
        "dry_run": dry_run,
        "repositories": repositories.collect::<Vec<_>>(),
        "pull_requests": pulls.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
        "accounts": adoption.accounts,
        "unclaimed_large_files": adoption.unclaimed_large_files,
        "not_in_git": NOT_IN_GIT,
    })
}

fn cells(found: &UnrecordedRepository) -> Vec<String> {
    let (kind, name) = match found.name() {
        Some((kind, id)) => (kind.to_string(), id.to_string()),
        None => ("unknown".to_owned(), "unknown".to_owned()),
    };
    vec![
        found.moment.clone(),
        found.key.to_string(),
        kind,
        name,
        visible(&found.path.display().to_string()),
    ]
}

fn unrecorded_json(found: &UnrecordedRepository) -> Json {
    json!({
        "set_aside": found.moment,
        "number": found.key.0,
        "kind": found.name().map(|(kind, _)| kind),
        "id": found.name().map(|(_, id)| id),
        "path": found.path.display().to_string(),
    })
}

fn word(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Public => "public",
        Visibility::Private => "private",
    }
}
