//! The one way to run `git`: without the environment and the configuration of whoever started the
//! hub, and not for ever.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use parking_lot::Mutex;

use crate::Error;

/// A `git` that is about to run.
#[derive(Debug)]
pub struct Git {
    subcommand: &'static str,
    command: Command,
    configured: usize,
    time_limit: Duration,
}

/// The output of a `git`.
#[derive(Debug)]
pub struct Output {
    /// The exit code; `None` when it was killed, by us or by somebody else.
    pub code: Option<i32>,
    /// True if it had more to say than was asked for, and was ended for it.
    pub is_cut: bool,
    /// True if it took longer than it may, and was ended for it.
    pub is_late: bool,
    /// The standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// The beginning of what it complained of.
    pub stderr: String,
}

/// Maximum duration of a `git` whose output is waited for, unless its caller says otherwise.
const TIME_LIMIT: Duration = Duration::from_mins(1);
/// The number of bytes of its error output that are kept.
const MAX_COMPLAINT: u64 = 16 * 1024;
/// The time between two looks whether a `git` that has closed its output has ended.
const PAUSE: Duration = Duration::from_millis(1);

/// Configuration that holds for every `git`, whatever a repository says.
const CONFIGURATION: [(&str, &str); 9] = [
    // The directory belongs to the hub, which may run as another user than the one who made it.
    ("safe.directory", "*"),
    ("protocol.allow", "never"),
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.attributesFile", "/dev/null"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("uploadpack.allowFilter", "true"),
    ("uploadpack.allowAnySHA1InWant", "true"),
];

impl Git {
    /// `git` with a subcommand, and nothing of the environment but the way to `git` itself.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that runs a process"
    )]
    pub fn new(subcommand: &'static str) -> Self {
        let mut command = Command::new("git");
        command.env_clear();
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        for (name, value) in [
            ("LC_ALL", "C"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            // A push may bring `refs/replace/..`, with which one commit would be shown for another.
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
        ] {
            command.env(name, value);
        }
        command.arg(subcommand).stdin(Stdio::null());
        let git = Self {
            subcommand,
            command,
            configured: 0,
            time_limit: TIME_LIMIT,
        };
        let configure = |git: Self, (key, value): (&str, &str)| git.config(key, value);
        CONFIGURATION.into_iter().fold(git, configure)
    }

    /// In a repository.
    #[must_use]
    pub fn within(mut self, git_dir: &Path) -> Self {
        self.command.env("GIT_DIR", git_dir).current_dir(git_dir);
        self
    }

    /// With objects that are not part of the repository: they are read, and new ones are written
    /// there.
    #[must_use]
    pub fn quarantined(self, objects: &Path, repository: &Path) -> Self {
        // Git reads a list here, in which a path stands in quotes if need be.
        let mut others = OsString::from("\"");
        let objects_of = repository.to_string_lossy();
        others.push(objects_of.replace('\\', "\\\\").replace('"', "\\\""));
        others.push("\"");
        self.env("GIT_OBJECT_DIRECTORY", objects)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others)
            .env("GIT_QUARANTINE_PATH", objects)
    }

    /// With a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// With a setting, which children of git's see as well.
    #[must_use]
    pub fn config(mut self, key: &str, value: &str) -> Self {
        let index = self.configured;
        self.configured += 1;
        self.env("GIT_CONFIG_COUNT", (index + 1).to_string())
            .env(&format!("GIT_CONFIG_KEY_{index}"), key)
            .env(&format!("GIT_CONFIG_VALUE_{index}"), value)
    }

    /// With another time limit than a minute.
    #[must_use]
    pub(crate) fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// With a file to read from, in place of nothing.
    #[must_use]
    pub(crate) fn input(mut self, file: File) -> Self {
        self.command.stdin(file);
        self
    }

    /// With an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// With several arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Runs it and waits. What it prints beyond `max` bytes is not waited for.
    pub fn run(mut self, max: usize) -> Result<Output, Error> {
        self.command.stdout(Stdio::piped());
        let subcommand = self.subcommand;
        self.attend(|child| {
            let stdout = child.lock().stdout.take().ok_or_else(no_pipe);
            let stdout = stdout.map_err(|source| Error::Spawn { subcommand, source })?;
            let mut output = Vec::new();
            let read = stdout.take(max as u64 + 1).read_to_end(&mut output);
            let is_cut = output.len() > max;
            if is_cut || read.is_err() {
                end(child);
            }
            output.truncate(max);
            Ok((output, is_cut))
        })
    }

    /// Runs it and waits. What it prints goes to a file, and none of it through this process.
    pub fn run_into(mut self, file: File) -> Result<Output, Error> {
        self.command.stdout(file);
        self.attend(|_| Ok((Vec::new(), false)))
    }

    /// Starts it, lets `read` take what it prints, and waits for its end, or ends it when its time
    /// is over.
    fn attend(
        mut self,
        read: impl FnOnce(&Mutex<Child>) -> Result<(Vec<u8>, bool), Error>,
    ) -> Result<Output, Error> {
        let (subcommand, time_limit) = (self.subcommand, self.time_limit);
        let failed = |source| Error::Spawn { subcommand, source };
        let mut child = self
            .command
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let stderr = child.stderr.take().ok_or_else(no_pipe).map_err(failed)?;
        let child = Mutex::new(child);
        let is_late = AtomicBool::new(false);
        let (done, is_done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let complaint = scope.spawn(move || read_complaint(stderr));
            let (child, is_late) = (&child, &is_late);
            scope.spawn(move || {
                if is_done.recv_timeout(time_limit) == Err(RecvTimeoutError::Timeout) {
                    is_late.store(true, Ordering::Release);
                    end(child);
                }
            });
            let (stdout, is_cut) = read(child)?;
            let status = wait(child);
            drop(done);
            Ok(Output {
                code: status.and_then(|status| status.code()),
                is_cut,
                is_late: is_late.load(Ordering::Acquire),
                stdout,
                stderr: complaint.join().unwrap_or_default(),
            })
        })
    }

    /// The command itself, for whoever wants to stream.
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Returns the subcommand.
    pub fn subcommand(&self) -> &'static str {
        self.subcommand
    }
}

impl Output {
    /// An error, if it did not end well.
    pub(crate) fn require(self, subcommand: &'static str) -> Result<Self, Error> {
        if self.is_cut || self.code == Some(0) {
            return Ok(self);
        }
        Err(Error::Git {
            subcommand,
            output: self.stderr.trim().to_owned(),
        })
    }
}

fn no_pipe() -> io::Error {
    io::Error::other("it has no pipe")
}

/// Reads to the end, so that it is never held up, and keeps the beginning.
fn read_complaint(stderr: impl Read) -> String {
    let mut bytes = Vec::new();
    let mut beginning = stderr.take(MAX_COMPLAINT);
    // What cannot be read is no complaint.
    let _ = beginning.read_to_end(&mut bytes);
    let _ = io::copy(&mut beginning.into_inner(), &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}

fn end(child: &Mutex<Child>) {
    // It may have ended by itself.
    let _ = child.lock().kill();
}

/// Waits without holding on to the child, so that it can still be ended.
fn wait(child: &Mutex<Child>) -> Option<ExitStatus> {
    loop {
        let status = child.lock().try_wait();
        match status {
            Ok(None) => std::thread::sleep(PAUSE),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}
