//! `assay token`: have entries signed, and look at what was signed.

mod args;
mod inspect;
mod request;

use self::args::Action;
pub(crate) use self::args::TokenArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::printer::Printer;

/// Does what was asked.
pub(crate) fn run(args: &TokenArgs, config: &Config, printer: &mut Printer) -> Exit {
    match &args.action {
        Action::Request(args) => request::run(args, config, printer),
        Action::Inspect(args) => inspect::run(args, printer),
    }
}
