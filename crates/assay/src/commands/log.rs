//! `assay log`: the transparency logs of a hub.

mod address;
mod args;
mod audit;
mod saved;
mod show;
mod source;
#[cfg(feature = "hub")]
mod witness;

use assay_cli::{Exit, Printer};

use self::args::LogAction;
pub(crate) use self::args::LogArgs;
#[cfg(feature = "hub")]
use self::args::WitnessAction;

use crate::config::Config;

/// Does what was asked.
pub(crate) fn run(command: &LogArgs, config: &Config, printer: &mut Printer) -> Exit {
    match &command.action {
        LogAction::Audit(action) => audit::run(action, config, printer),
        #[cfg(feature = "hub")]
        LogAction::Witness(command) => match &command.action {
            WitnessAction::Serve(args) => witness::serve(args, printer),
        },
    }
}
