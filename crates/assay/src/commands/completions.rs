use assay_cli::{Exit, Printer};
use clap::CommandFactory as _;

use crate::args::{Args, Completions};

/// Prints a completion script.
pub(crate) fn run(command: &Completions, printer: &mut Printer) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Args::command(), "assay", &mut script);
    printer.data(&String::from_utf8_lossy(&script));
    Exit::Clean
}
