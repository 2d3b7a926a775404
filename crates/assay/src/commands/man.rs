use std::io;
use std::path::Path;

use assay_cli::{Exit, Printer};
use clap::CommandFactory as _;
use clap_mangen::Man as Page;

use crate::args::{Args, Man};

/// Prints the page of the program, or writes a page for each command.
pub(crate) fn run(command: &Man, printer: &mut Printer) -> Exit {
    let done = match &command.out {
        None => print(printer),
        Some(directory) => write(directory),
    };
    match done {
        Ok(()) => Exit::Clean,
        Err(error) => {
            printer.error(&format!("the manual cannot be written: {error}"));
            Exit::Failed
        }
    }
}

fn print(printer: &mut Printer) -> io::Result<()> {
    let mut page = Vec::new();
    Page::new(Args::command()).render(&mut page)?;
    printer.data(&String::from_utf8_lossy(&page));
    Ok(())
}

fn write(directory: &Path) -> io::Result<()> {
    fs_err::create_dir_all(directory)?;
    clap_mangen::generate_to(Args::command(), directory)
}
