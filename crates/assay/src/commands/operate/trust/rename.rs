//! `assay trust rename`: the right name for a hub that began under a wrong one.

use assay_app::{Error, RenamedLogs, rename_logs};
use assay_cli::{Exit, Printer};
use assay_model::chain;
use assay_render::visible;
use serde_json::json;

use super::super::admin::Done;
use super::super::args::HubPlace;
use super::super::{hub_config, open_config};
use super::args::RenameArgs;
use crate::plural::count;

/// Renames the logs of the hub in a data directory, if the configuration does not call it something
/// else.
pub(super) fn run(
    action: &RenameArgs,
    place: &HubPlace,
    printer: &mut Printer,
) -> Result<Done, Exit> {
    let flags = [place.flags(), vec![("public_url", action.url.clone())]].concat();
    // Flags outweigh the file and the environment: what these say is looked at by itself.
    let said = open_config(place.config.as_deref(), &place.flags(), printer)?;
    let config = open_config(place.config.as_deref(), &flags, printer)?;
    let url = config
        .public_url
        .as_ref()
        .map_or_else(|| action.url.clone(), ToString::to_string);
    if let Some(other) = said.public_url.as_ref().map(ToString::to_string)
        && other != url
    {
        printer.error(&visible(&format!(
            "the configuration calls this hub `{other}`: set `public_url` to `{url}` first, so that the server goes by it"
        )));
        return Err(Exit::Errors);
    }
    match rename_logs(&hub_config(&config), &url, action.dry_run) {
        Ok(renamed) => Ok(report(&renamed, action.dry_run)),
        Err(error) => {
            printer.error(&visible(&chain(&error)));
            Err(match error {
                Error::Internal(_) | Error::NoSpace(_) | Error::ReadOnly(_) => Exit::Failed,
                _ => Exit::Errors,
            })
        }
    }
}

fn report(renamed: &RenamedLogs, dry_run: bool) -> Done {
    let RenamedLogs {
        from,
        to,
        former_issuer,
        issuer,
        results,
        control,
    } = renamed;
    let verb = if dry_run { "would become" } else { "became" };
    let leaves = count(*results, "leaf", "leaves");
    let controls = count(*control, "leaf", "leaves");
    let next = if dry_run {
        String::new()
    } else {
        format!(
            "\n\
             next: start the server with `public_url = \"{issuer}\"`.\n\
             Tell those who kept the trust note, witness the logs or audit them: fetch {issuer}/.well-known/eval-trust again.\n\
             It lists the former name, so that proofs from before verify with it.\n"
        )
    };
    let text = format!(
        "logs    `{from}` {verb} `{to}`; their entries and keys stay ({leaves} in results, {controls} in control)\n\
         issuer  `{former_issuer}` {verb} `{issuer}`; the former one stays trusted for what it has signed\n{next}"
    );
    Done {
        text: visible_lines(&text),
        json: json!({
            "dry_run": dry_run,
            "logs": { "from": from, "to": to },
            "issuer": { "from": former_issuer, "to": issuer },
            "leaves": { "results": results, "control": control },
        }),
    }
}

/// A text of several lines without anything that a terminal would obey.
fn visible_lines(text: &str) -> String {
    text.lines().map(|line| visible(line) + "\n").collect()
}
