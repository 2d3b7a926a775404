use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::faults::{FakeClock, SmallDisk, run};

/// The number of lines of the log that are shown of a server that does not start.
const LAST_LINES: usize = 40;

/// `assay serve` as a process of its own, on a free port. It is killed when this is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    /// The operator's token, when this was the first start.
    pub(crate) token: Option<String>,
    child: Child,
}

/// A data directory, and the log of all servers that worked in it.
pub(crate) struct Place {
    directory: tempfile::TempDir,
    /// The address of the database, when it is no file in the data directory.
    database: Option<String>,
    /// The small disk that the data directory is on.
    disk: Option<SmallDisk>,
    /// The clock that the programs see, when it can be set.
    clock: Option<FakeClock>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            database: None,
            disk: None,
            clock: None,
        }
    }

    /// From now on the data directory is on a disk of this size; without the right to mount one,
    /// nothing changes.
    pub(crate) fn with_small_disk(mut self, mebibytes: u64) -> Self {
        self.disk = SmallDisk::mount(&self.path().join("disk"), mebibytes);
        self
    }

    /// From now on the programs see a clock that can be set, where libfaketime is installed.
    pub(crate) fn with_fake_clock(mut self) -> Self {
        self.clock = FakeClock::new(&self.path().join("clock"));
        self
    }

    pub(crate) fn disk(&self) -> Option<&SmallDisk> {
        self.disk.as_ref()
    }

    pub(crate) fn clock(&self) -> Option<&FakeClock> {
        self.clock.as_ref()
    }

    /// From now on the database is this one.
    pub(crate) fn with_database(mut self, address: &str) -> Self {
        self.database = Some(address.to_owned());
        self
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        let disk = self.disk.as_ref().map(SmallDisk::path);
        disk.unwrap_or_else(|| self.path()).join("data")
    }

    /// Returns the log of the servers.
    pub(crate) fn log(&self) -> String {
        let bytes = std::fs::read(self.path().join("log")).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Starts a server and waits until it listens.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// The same, with settings.
    pub(crate) fn serve_with(&self, settings: &[&str]) -> Server {
        self.start(self.assay(&[]), settings)
    }

    /// The same, as a process that may have so many files open.
    #[cfg(unix)]
    pub(crate) fn serve_within(&self, descriptors: usize, settings: &[&str]) -> Server {
        let assay = self.assay(&[]);
        let mut shell = self.program("sh");
        let limited = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        shell.args(["-c", &limited]).arg(assay.get_program());
        self.start(shell, settings)
    }

    /// Starts a server at an address that clients know already.
    pub(crate) fn serve_at(&self, address: &str) -> Server {
        self.start_at(self.assay(&[]), address, &[])
    }

    fn start(&self, program: Command, settings: &[&str]) -> Server {
        self.start_at(program, "127.0.0.1:0", settings)
    }

    fn start_at(&self, mut program: Command, address: &str, settings: &[&str]) -> Server {
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.path().join("log"))
            .unwrap();
        let is_first = !self.data().exists();
        let mut child = program
            .args(["serve", "--listen", address])
            .args(["--set", "limits.requests_per_token=0"])
            .args(settings.iter().flat_map(|setting| ["--set", setting]))
            .arg("--data")
            .arg(self.data())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut line = || lines.next().and_then(Result::ok);
        let Some(first) = line() else {
            let log = self.log();
            let last = log.lines().count().saturating_sub(LAST_LINES);
            let last: Vec<&str> = log.lines().skip(last).collect();
            panic!("the server did not start:\n{}", last.join("\n"));
        };
        let token = is_first.then(|| {
            line().unwrap();
            line().unwrap().trim().to_owned()
        });
        Server {
            url: first.strip_prefix("the hub is at ").unwrap().to_owned(),
            token,
            child,
        }
    }

    /// Runs the program on the data directory, whoever else works in it.
    pub(crate) fn operate(&self, args: &[&str]) -> Output {
        let mut command = self.assay(args);
        command.arg("--data").arg(self.data());
        command.output().unwrap()
    }

    /// Runs the program on the data directory as somebody does who was not told where the database
    /// is.
    pub(crate) fn without_database(&self) -> impl Fn(&[&str]) -> Output {
        |args| {
            let mut command = self.assay(args);
            command.env_remove("ASSAY_DATABASE");
            command.arg("--data").arg(self.data());
            command.output().unwrap()
        }
    }

    pub(crate) fn assay(&self, args: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_assay"));
        command.args(args);
        command
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the program under test is no git command, and its environment is cleared here"
    )]
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.current_dir(self.path()).env_clear();
        // The program runs `git`.
        command.env("PATH", std::env::var_os("PATH").unwrap());
        if let Some(database) = &self.database {
            command.env("ASSAY_DATABASE", database);
        }
        if let Some(clock) = &self.clock {
            command.envs(clock.environment());
        }
        command.stdin(Stdio::null());
        command
    }
}

impl Server {
    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Freezes it for a moment with SIGSTOP, as a paused virtual machine is.
    pub(crate) fn freeze(&self, time: Duration) {
        let id = self.child.id().to_string();
        run("kill", &["-STOP", &id]);
        std::thread::sleep(time);
        run("kill", &["-CONT", &id]);
    }

    /// The largest amount of memory that it ever had, in bytes.
    pub(crate) fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
        kibibytes.parse::<u64>().unwrap() * 1024
    }

    /// Kills it with SIGKILL: it has no chance to finish anything.
    pub(crate) fn kill(mut self) {
        self.stop();
    }

    /// Waits until it has ended by itself.
    pub(crate) fn wait(mut self) {
        self.child.wait().unwrap();
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
