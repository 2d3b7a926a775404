//! `assay query`, `ingest`, `compare` and `lake`: another program does these, because its engine is
//! heavy to build.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use assay_cli::{Exit, Printer};
use assay_formats::lake_api::{INSTALL, PROGRAM};
use clap::Args as ClapArgs;

// The arguments of a command that `assay-lake` carries out. What it does is said at the command: a
// doc comment here would replace that in the help.
#[derive(Debug, ClapArgs)]
pub(crate) struct ExternalArgs {
    /// Arguments of `assay-lake`; its `--help` lists them, when it is installed
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) arguments: Vec<OsString>,
}

/// Starts the program with what was typed, and ends as it ends. On Unix the program takes the place
/// of this one, so signals and exit codes are its own.
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
    let mut command_line = Command::new(program);
    command_line.arg(command).args(arguments);
    hand_over(command_line)
}

/// Replaces this process by the program. Returns only when the program cannot be started.
#[cfg(unix)]
fn hand_over(mut program: Command) -> std::io::Result<ExitStatus> {
    use std::os::unix::process::CommandExt as _;
    Err(program.exec())
}

/// Runs the program and waits for it.
#[cfg(not(unix))]
fn hand_over(mut program: Command) -> std::io::Result<ExitStatus> {
    program.status()
}

/// Returns whether the program lies beside this one.
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
