//! `assay log`: the transparency logs of a hub.

mod address;
mod args;
mod audit;
mod saved;
mod show;
mod source;

use self::args::LogAction;
pub(crate) use self::args::LogArgs;

use crate::config::Config;
use crate::exit::Exit;
use crate::printer::Printer;

/// Does what was asked.
pub(crate) fn run(command: &LogArgs, config: &Config, printer: &mut Printer) -> Exit {
    match &command.action {
        LogAction::Audit(action) => audit::run(action, config, printer),
    }
}
