//! The commands, one file each.

mod completions;
pub(crate) mod convert;
mod explain;
pub(crate) mod hub;
pub(crate) mod import;
pub(crate) mod issuer;
pub(crate) mod lake;
pub(crate) mod log;
mod man;
pub(crate) mod operate;
mod schema;
pub(crate) mod serve;
pub(crate) mod submit;
pub(crate) mod token;
mod upgrade;
mod validate;
pub(crate) mod verify;

use assay_cli::{Exit, Printer};

use crate::args::{Args, Color, Command};
use crate::config::Config;

/// Runs what was asked for.
pub(crate) fn run(args: &Args, config: &Config, printer: &mut Printer) -> Exit {
    match &args.command {
        Command::Validate(command) => validate::run(command, args.color, config, printer),
        Command::Explain(command) => explain::run(command, args.color, config, printer),
        Command::Schema(command) => schema::run(command, printer),
        Command::Convert(command) => convert::run(command, config, printer),
        Command::Hub(command) => hub::run(command, config, printer),
        Command::Submit(command) => submit::run(command, config, printer),
        Command::Verify(command) => verify::run(command, config, printer),
        Command::Token(command) => token::run(command, config, printer),
        Command::Import(command) => import::run(command, config, printer),
        Command::Issuer(command) => issuer::run(command, printer),
        Command::Log(command) => log::run(command, config, printer),
        Command::Ingest(command) => lake::run("ingest", &command.arguments, printer),
        Command::Query(command) => lake::run("query", &command.arguments, printer),
        Command::Compare(command) => lake::run("compare", &command.arguments, printer),
        Command::Lake(command) => lake::run("lake", &command.arguments, printer),
        Command::Serve(command) => serve::run(command, printer),
        Command::Admin(command) => operate::admin::run(command, config, printer),
        Command::Keys(command) => operate::trust::run_keys(command, printer),
        Command::Trust(command) => operate::trust::run(command, printer),
        Command::Reindex(command) => operate::reindex::run(command, config, printer),
        Command::Migrate(command) => operate::migrate::run(command, printer),
        Command::Config(command) => operate::check::run(command, printer),
        Command::Upgrade(command) => upgrade::run(command, config, printer),
        Command::Completions(command) => completions::run(command, printer),
        Command::Man(command) => man::run(command, printer),
    }
}

/// Says why the command line cannot be followed, or prints the help or version that it asked for.
pub(crate) fn refuse(error: &clap::Error, config: &Config, printer: &mut Printer) -> Exit {
    let text = error.render();
    if error.use_stderr() {
        let text = if config.error_colors(Color::Auto) {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        printer.aside(text.trim_end());
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
