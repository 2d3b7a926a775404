//! `assay run`: starts an evaluation untouched, and submits the logs that it leaves.

mod args;
mod environment;
mod seen;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use assay_cli::{Exit, Printer};
use assay_model::Timestamp;
use assay_render::visible;
use serde_json::json;

pub(crate) use self::args::RunCommandArgs;
use self::seen::SeenFiles;
use crate::clock;
use crate::commands::convert::logs_below;
use crate::commands::outbox::{self, NewFile, OutboxError};
use crate::config::Config;

/// The exit code of a shell for a program that is not there.
const NOT_FOUND: u8 = 127;
/// The exit code of a shell for a program that cannot be started.
const NOT_STARTED: u8 = 126;
/// The exit code of a shell for a program that a signal ended is this and the number of the signal.
#[cfg(unix)]
const SIGNALLED: i32 = 128;
/// The name of the file that describes the run.
const DESCRIPTION: &str = "assay-run.json";

/// A command that has ended.
struct EndedCommand {
    status: ExitStatus,
    started: Timestamp,
    ended: Timestamp,
}

/// Runs the command, submits what it wrote, and ends as it ended.
pub(crate) fn run(args: &RunCommandArgs, config: &Config, printer: &mut Printer) -> Exit {
    let before = SeenFiles::new(&args.logs);
    let ended = match run_command(&args.program) {
        Ok(ended) => ended,
        Err(error) => {
            let program = args.program.first().map(|name| name.to_string_lossy());
            let program = program.unwrap_or_default();
            printer.error(&visible(&format!("`{program}` cannot be started: {error}")));
            return Exit::Command(match error.kind() {
                ErrorKind::NotFound => NOT_FOUND,
                _ => NOT_STARTED,
            });
        }
    };
    let exit = Exit::Command(exit_code(ended.status));
    if !ended.status.success() {
        printer.aside("assay: the command failed; nothing was submitted");
        return exit;
    }
    let after = SeenFiles::new(&args.logs);
    let logs: Vec<PathBuf> = logs_below(&args.logs)
        .into_iter()
        .filter(|log| after.is_new(log, &before))
        .collect();
    if logs.is_empty() {
        printer.aside(
            "assay: the command wrote no log that could be submitted; `--logs DIR` says where it writes them",
        );
        return exit;
    }
    for log in logs {
        if let Err(error) = submit(args, &ended, log, config, printer) {
            printer.aside(&visible(&format!("assay: {error}")));
        }
    }
    exit
}

/// Puts a log into the outbox and sends it, if that is possible now.
fn submit(
    args: &RunCommandArgs,
    ended: &EndedCommand,
    log: PathBuf,
    config: &Config,
    printer: &mut Printer,
) -> Result<(), OutboxError> {
    let command: Vec<String> = args
        .program
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut arguments = args.run.arguments();
    if args.run.logs.command.is_none() {
        arguments.extend(["--command".to_owned(), command.join(" ")]);
    }
    outbox::check_arguments(&arguments)?;
    let program = args.program.first().map(OsString::as_os_str);
    let packages = program
        .and_then(|program| environment::package_digest(program, config.search_path.as_deref()));
    let description = json!({
        "version": 1,
        "command": command,
        "exit_code": exit_code(ended.status),
        "started": ended.started.to_string(),
        "ended": ended.ended.to_string(),
        "system": std::env::consts::OS,
        "architecture": std::env::consts::ARCH,
        "assay": env!("CARGO_PKG_VERSION"),
        "packages": packages.map(|(sha256, count)| json!({"sha256": sha256, "count": count})),
    });
    let description = description.to_string();
    let item = outbox::outbox(config)?.add(
        clock::now(),
        config.hub.as_deref(),
        &arguments,
        &[log],
        &[NewFile::Text(DESCRIPTION, &description)],
    )?;
    let sent = outbox::send(item)?;
    outbox::report(&sent, printer);
    Ok(())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command of the user runs in the environment of the user"
)]
fn run_command(command: &[OsString]) -> std::io::Result<EndedCommand> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(ErrorKind::NotFound.into());
    };
    let started = clock::now();
    let mut child = Command::new(program).args(arguments).spawn()?;
    #[cfg(unix)]
    let _forwarding = forward_signals(&child)?;
    let status = child.wait()?;
    Ok(EndedCommand {
        status,
        started,
        ended: clock::now(),
    })
}

/// Hands signals on to the command, which decides when to end. A terminal sends Ctrl-C to it
/// anyway.
#[cfg(unix)]
fn forward_signals(child: &std::process::Child) -> std::io::Result<signal_hook::iterator::Handle> {
    use rustix::process::{Pid, Signal, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let handle = signals.handle();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let forwarded = match signal {
                SIGTERM => Some(Signal::TERM),
                SIGHUP => Some(Signal::HUP),
                _ => None,
            };
            if let (Some(signal), Some(pid)) = (forwarded, pid) {
                // It may have ended already.
                let _ = kill_process(pid, signal);
            }
        }
    });
    Ok(handle)
}

/// Returns the exit code that a shell would report.
fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        if let Some(signal) = status.signal() {
            return u8::try_from(SIGNALLED + signal).unwrap_or(u8::MAX);
        }
    }
    status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}
