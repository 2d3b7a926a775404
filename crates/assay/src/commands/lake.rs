//! `assay query`, `ingest`, `compare` and `lake`: another program does these, because its engine is heavy to build.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use assay_cli::{Exit, Printer};
use assay_formats::lake_api::{INSTALL, PROGRAM};
use clap::Args as ClapArgs;

/// Ask a lake of results and samples in SQL (by `assay-lake`)
#[derive(Debug, ClapArgs)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  assay query \"SELECT model, rank, score FROM standings\"
  assay query -f weekly.sql --format csv"
)]
pub(crate) struct QueryArgs {
    /// What `assay-lake query` takes; `assay query --help` tells, when it is installed
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// Take records, samples and result files into a lake (by `assay-lake`)
#[derive(Debug, ClapArgs)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  assay ingest data/
  assay ingest data/ models/ --lake /srv/lake"
)]
pub(crate) struct IngestArgs {
    /// What `assay-lake ingest` takes; `assay ingest --help` tells, when it is installed
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// Compare two models sample by sample (by `assay-lake`)
#[derive(Debug, ClapArgs)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  assay compare acme/small acme/large --task gsm8k"
)]
pub(crate) struct CompareArgs {
    /// What `assay-lake compare` takes; `assay compare --help` tells, when it is installed
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// Look after a lake: stats, compact, check, files (by `assay-lake`)
#[derive(Debug, ClapArgs)]
#[command(
    disable_help_flag = true,
    after_help = "\
Examples:
  assay lake stats
  assay lake check --lake /srv/lake"
)]
pub(crate) struct LakeArgs {
    /// What `assay-lake lake` takes; `assay lake --help` tells, when it is installed
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// Starts the program with what was typed, and ends as it ends.
pub(crate) fn run(command: &str, arguments: &[OsString], printer: &mut Printer) -> Exit {
    match start(command, arguments) {
        Ok(status) => exit_of(status),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            printer.error(&format!(
                "`assay {command}` needs the program `{PROGRAM}`, which lies neither beside `assay` nor on the PATH"
            ));
            printer.aside(&format!("help: install it with `{INSTALL}`"));
            Exit::Failed
        }
        Err(error) => {
            printer.error(&format!("`{PROGRAM}` cannot be started: {error}"));
            Exit::Failed
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the program is ours and reads the same environment as this one"
)]
fn start(command: &str, arguments: &[OsString]) -> std::io::Result<ExitStatus> {
    let own = std::env::current_exe().ok();
    let program = own
        .as_deref()
        .and_then(beside)
        .unwrap_or_else(|| PathBuf::from(PROGRAM));
    Command::new(program).arg(command).args(arguments).status()
}

/// Whether the program lies beside this one.
pub(crate) fn is_installed() -> bool {
    let own = std::env::current_exe().ok();
    own.as_deref().and_then(beside).is_some()
}

/// The program in the directory of this one.
fn beside(own: &Path) -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let path = own.with_file_name(name);
    path.is_file().then_some(path)
}

/// The exit codes of both programs mean the same; one that a signal ended has none.
fn exit_of(status: ExitStatus) -> Exit {
    match status.code() {
        Some(0) => Exit::Clean,
        Some(1) => Exit::Errors,
        Some(2) => Exit::Warnings,
        Some(_) | None => Exit::Failed,
    }
}
