//! `assay token`: have entries signed, and look at what was signed.

mod args;
mod inspect;
mod request;

use assay_cli::{Exit, Printer};

use self::args::Action;
pub(crate) use self::args::TokenArgs;
use crate::config::Config;

/// Does what was asked.
pub(crate) fn run(args: &TokenArgs, config: &Config, printer: &mut Printer) -> Exit {
    match &args.action {
        Action::Request(args) => request::run(args, config, printer),
        Action::Inspect(args) => inspect::run(args, printer),
    }
}
