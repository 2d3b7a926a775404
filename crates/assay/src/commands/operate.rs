//! Commands of an operator at the shell: accounts, tokens, benchmarks, the index, the
//! configuration.

pub(crate) mod admin;
mod adopt;
pub(crate) mod args;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod migrate;
pub(crate) mod reindex;
pub(crate) mod trust;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use assay_app::{Error, Hub, HubConfig};
use assay_cli::{Exit, Printer};
use assay_model::chain;
use assay_server::{Config as ServerConfig, SystemClock};

use self::args::HubPlace;
use crate::commands::serve::{load, refuse, runtime};
use crate::config::shell_user;
use assay_render::visible;

/// Opens the hub in a data directory as it is and does something with it: a server that runs does
/// not notice, and one that died catches up when it is started again. Whoever can write there may
/// do everything.
pub(super) fn with_hub<T, F>(
    place: &HubPlace,
    printer: &mut Printer,
    work: impl FnOnce(Arc<Hub>) -> F,
) -> Result<T, Exit>
where
    F: Future<Output = Result<T, Error>>,
{
    let (config, flags) = (place.config.as_deref(), place.flags());
    with_hub_and(config, &flags, printer, |hub, _| work(hub))
}

/// The same, for who needs to know what else was configured.
pub(super) fn with_hub_and<T, F>(
    config: Option<&Path>,
    flags: &[(&str, String)],
    printer: &mut Printer,
    work: impl FnOnce(Arc<Hub>, ServerConfig) -> F,
) -> Result<T, Exit>
where
    F: Future<Output = Result<T, Error>>,
{
    let config = open_config(config, flags, printer)?;
    let runtime = runtime(printer).ok_or(Exit::Failed)?;
    let opened = runtime.block_on(Hub::visit(hub_config(&config), Arc::new(SystemClock)));
    let hub = opened.map_err(|error| {
        printer.error(&visible(&chain(&error)));
        Exit::Failed
    })?;
    runtime.block_on(work(hub, config)).map_err(|error| {
        printer.error(&visible(&chain(&error)));
        match error {
            Error::Internal(_) | Error::NoSpace(_) | Error::ReadOnly(_) => Exit::Failed,
            _ => Exit::Errors,
        }
    })
}

/// Does something that needs the configuration and no hub.
pub(super) fn with_config<T, F>(
    place: &HubPlace,
    printer: &mut Printer,
    work: impl FnOnce(ServerConfig) -> F,
) -> Result<T, Exit>
where
    F: Future<Output = Result<T, Error>>,
{
    let loaded = load(place.config.as_deref(), &place.flags(), &[]);
    let mut server = loaded.map_err(|faults| refuse(&faults, printer))?;
    // The names are those that the server kept, which the backup has.
    server.trust.names_as_kept = true;
    let runtime = runtime(printer).ok_or(Exit::Failed)?;
    runtime.block_on(work(server)).map_err(|error| {
        printer.error(&visible(&chain(&error)));
        match error {
            Error::Internal(_) => Exit::Failed,
            _ => Exit::Errors,
        }
    })
}

/// Loads the configuration of a command that works on a data directory, which must exist.
fn open_config(
    config: Option<&Path>,
    flags: &[(&str, String)],
    printer: &mut Printer,
) -> Result<ServerConfig, Exit> {
    let mut config = load(config, flags, &[]).map_err(|faults| refuse(&faults, printer))?;
    // The server may have been told its names by flags that this command was not given.
    config.trust.names_as_kept = true;
    if !config.data.is_dir() {
        printer.error(&visible(&format!(
            "there is no hub in `{}`; `assay serve` makes one, `--data DIR` names another",
            config.data.display()
        )));
        return Err(Exit::Failed);
    }
    Ok(config)
}

/// The configuration of a hub that a command opens, with the user of the operating system for the
/// audit log.
fn hub_config(config: &ServerConfig) -> HubConfig {
    HubConfig {
        shell_user: Some(shell_user()),
        ..config.hub()
    }
}
