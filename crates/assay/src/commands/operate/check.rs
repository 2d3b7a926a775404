use assay_app::{NewIssuer, WitnessAddress};
use assay_cli::{Exit, Printer};
use assay_server::{Config as ServerConfig, ConfigFault};
use serde_json::json;

use super::args::{ConfigAction, ConfigArgs};
use crate::args::ShowFormat;
use crate::plural::count;
use crate::table::table;
use assay_render::visible;

/// Shows a configuration and everything that is wrong with it.
pub(crate) fn run(command: &ConfigArgs, printer: &mut Printer) -> Exit {
    let ConfigAction::Check { server, format } = &command.action;
    let loaded = match ServerConfig::load(server.config.as_deref(), &server.flags()) {
        Ok(loaded) => loaded,
        Err(faults) => return told(&faults, *format, printer),
    };
    let faults = loaded.config.check();
    let mut rows: Vec<Vec<String>> = loaded
        .origins
        .iter()
        .map(|(key, origin)| {
            let value = visible(&(key.show)(&loaded.config));
            vec![
                key.name.to_owned(),
                value,
                origin.to_string(),
                key.about.to_owned(),
            ]
        })
        .collect();
    rows.extend(loaded.config.issuers.iter().map(issuer));
    rows.extend(loaded.config.witnesses.iter().map(witness));
    match format {
        ShowFormat::Text => printer.data(&table(&["KEY", "VALUE", "FROM", "WHAT"], &rows)),
        ShowFormat::Json if faults.is_empty() => {
            let keys: Vec<_> = rows
                .iter()
                .map(|row| json!({ "key": row[0], "value": row[1], "from": row[2], "about": row[3] }))
                .collect();
            printer.json(&json!({ "version": 1, "keys": keys, "faults": [] }));
        }
        ShowFormat::Json => {}
    }
    told(&faults, *format, printer)
}

/// An issuer that is trusted beside this hub, as a line of the table. Only a file names one.
fn issuer(new: &NewIssuer) -> Vec<String> {
    let frameworks = new.frameworks.as_ref();
    let frameworks = frameworks.map_or_else(|| "every framework".to_owned(), |all| all.join(", "));
    let keys = count(new.keys.len() as u64, "key", "keys");
    vec![
        "trust.issuers".to_owned(),
        visible(&new.issuer),
        "file".to_owned(),
        visible(&format!("trusted with {keys} for {frameworks}")),
    ]
}

/// A witness that signs the checkpoints, as a line of the table. Only a file names one.
fn witness(address: &WitnessAddress) -> Vec<String> {
    vec![
        "trust.witnesses".to_owned(),
        visible(&address.url),
        "file".to_owned(),
        visible(&format!("signs checkpoints with {}", address.key)),
    ]
}

fn told(faults: &[ConfigFault], format: ShowFormat, printer: &mut Printer) -> Exit {
    if faults.is_empty() {
        return Exit::Clean;
    }
    match format {
        ShowFormat::Text => {
            for fault in faults {
                printer.error(&visible(&fault.to_string()));
            }
        }
        ShowFormat::Json => {
            let faults: Vec<_> = faults
                .iter()
                .map(|fault| json!({ "key": fault.key, "reason": fault.reason }))
                .collect();
            printer.json(&json!({ "version": 1, "faults": faults }));
        }
    }
    Exit::Errors
}
