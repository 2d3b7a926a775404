//! The commands, one file each.

mod completions;
#[cfg(feature = "convert")]
pub(crate) mod convert;
mod explain;
#[cfg(feature = "client")]
pub(crate) mod hub;
#[cfg(feature = "client")]
pub(crate) mod import;
#[cfg(feature = "hub")]
pub(crate) mod issuer;
#[cfg(feature = "hub")]
pub(crate) mod lake;
#[cfg(feature = "client")]
pub(crate) mod log;
mod man;
#[cfg(feature = "hub")]
pub(crate) mod operate;
#[cfg(feature = "client")]
pub(crate) mod outbox;
#[cfg(feature = "client")]
pub(crate) mod run;
mod schema;
#[cfg(feature = "hub")]
pub(crate) mod serve;
#[cfg(feature = "client")]
pub(crate) mod submit;
#[cfg(feature = "client")]
pub(crate) mod token;
mod upgrade;
mod validate;
pub(crate) mod verify;
mod who;

use assay_cli::{Exit, Printer};

use crate::args::{Args, Color, Command};
use crate::config::Config;
use crate::left_out::LeftOut;

/// Runs what was asked for.
pub(crate) fn run(args: &Args, config: &Config, printer: &mut Printer) -> Exit {
    match &args.command {
        Command::Validate(command) => validate::run(command, args.color, config, printer),
        Command::Explain(command) => explain::run(command, args.color, config, printer),
        Command::Who(command) => who::run(command, printer),
        Command::Schema(command) => schema::run(command, printer),
        #[cfg(feature = "convert")]
        Command::Convert(command) => convert::run(command, config, printer),
        #[cfg(feature = "client")]
        Command::Hub(command) => hub::run(command, config, printer),
        #[cfg(feature = "client")]
        Command::Submit(command) => submit::run(command, config, printer),
        #[cfg(feature = "client")]
        Command::Run(command) => run::run(command, config, printer),
        #[cfg(feature = "client")]
        Command::Outbox(command) => outbox::run(command, config, printer),
        Command::Verify(command) => verify::run(command, config, printer),
        #[cfg(feature = "client")]
        Command::Token(command) => token::run(command, config, printer),
        #[cfg(feature = "client")]
        Command::Import(command) => import::run(command, config, printer),
        #[cfg(feature = "hub")]
        Command::Issuer(command) => issuer::run(command, printer),
        #[cfg(feature = "client")]
        Command::Log(command) => log::run(command, config, printer),
        #[cfg(feature = "hub")]
        Command::Ingest(command) => lake::run("ingest", &command.arguments, printer),
        #[cfg(feature = "hub")]
        Command::Query(command) => lake::run("query", &command.arguments, printer),
        #[cfg(feature = "hub")]
        Command::Compare(command) => lake::run("compare", &command.arguments, printer),
        #[cfg(feature = "hub")]
        Command::Lake(command) => lake::run("lake", &command.arguments, printer),
        #[cfg(feature = "hub")]
        Command::Serve(command) => serve::run(command, printer),
        #[cfg(feature = "hub")]
        Command::Admin(command) => operate::admin::run(command, config, printer),
        #[cfg(feature = "hub")]
        Command::Keys(command) => operate::trust::run_keys(command, printer),
        #[cfg(feature = "hub")]
        Command::Trust(command) => operate::trust::run(command, printer),
        #[cfg(feature = "hub")]
        Command::Reindex(command) => operate::reindex::run(command, config, printer),
        #[cfg(feature = "hub")]
        Command::Migrate(command) => operate::migrate::run(command, printer),
        #[cfg(feature = "hub")]
        Command::Config(command) => operate::check::run(command, printer),
        Command::Upgrade(command) => upgrade::run(command, config, printer),
        Command::Completions(command) => completions::run(command, printer),
        Command::Man(command) => man::run(command, printer),
    }
}

/// Says why the command line cannot be followed, or prints the help or version that it asked for.
pub(crate) fn refuse(error: &clap::Error, config: &Config, printer: &mut Printer) -> Exit {
    if let Some(left_out) = LeftOut::from_error(error) {
        printer.error(&left_out.to_string());
        return Exit::Failed;
    }
    let text = error.render();
    if error.use_stderr() {
        let text = if config.error_colors(Color::Auto) {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        printer.usage(text.trim_end(), &error.render().to_string());
        return Exit::Failed;
    }
    let text = if config.colors(Color::Auto) {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    printer.data(&text);
    Exit::Clean
}
