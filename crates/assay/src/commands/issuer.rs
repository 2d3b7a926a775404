//! Commands of an operator on the issuer of tokens: run it alone, check its policy, register
//! identities, look into its events.

pub(crate) mod args;
mod done;
mod events;
mod policy;
mod registry;
mod serve;

use args::{Action, IssuerArgs};
use assay_cli::{Exit, Printer};

/// Does what the operator asked.
pub(crate) fn run(command: &IssuerArgs, printer: &mut Printer) -> Exit {
    match &command.action {
        Action::Serve(action) => serve::run(action, &command.place, printer),
        Action::Policy(action) => policy::run(action, command.place.format, printer),
        Action::Integration(action) => registry::integration(action, &command.place, printer),
        Action::Identity(action) => registry::identity(action, &command.place, printer),
        Action::Credential(action) => registry::credential(action, &command.place, printer),
        Action::Log(action) => events::run(action, &command.place, printer),
    }
}
