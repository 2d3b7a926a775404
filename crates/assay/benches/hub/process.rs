//! The programs that are measured, as processes of their own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A hub that serves a data directory.
pub(crate) struct HubProcess {
    server: Server,
    pub(crate) token: String,
}

/// A process that listens.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl HubProcess {
    /// Starts the program. Without a token it is the first start, and the program tells the token.
    pub(crate) fn start(data: &Path, token: Option<String>) -> Self {
        Self::start_with(data, &[], token)
    }

    /// The same, with more flags.
    pub(crate) fn start_with(data: &Path, more: &[&str], token: Option<String>) -> Self {
        let mut command = program();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .args(more)
            // One machine asks more often than a stranger may.
            .args(["--set", "limits.requests_per_token=1000000000"])
            .args(["--set", "limits.requests_per_address=1000000000"])
            .stderr(Stdio::null());
        let mut shown = Vec::new();
        let lines = if token.is_some() { 1 } else { 3 };
        let server = Server::start(&mut command, lines, &mut shown);
        let token = token.unwrap_or_else(|| shown[2].trim().to_owned());
        Self { server, token }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address
    }

    pub(crate) fn id(&self) -> u32 {
        self.server.id()
    }
}

impl Server {
    /// Starts a program whose first line of so many ends with `http://` and its address.
    pub(crate) fn start(command: &mut Command, lines: usize, shown: &mut Vec<String>) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        shown.extend(output.lines().take(lines).map(Result::unwrap));
        let first = shown.first().expect("the server tells where it is");
        let (_, address) = first.rsplit_once("http://").unwrap();
        Self {
            address: address.parse().unwrap(),
            child,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program itself.
#[expect(
    clippy::disallowed_methods,
    reason = "the benchmark measures the real program"
)]
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_assay"))
}

/// Returns the memory of a process, in MiB, without the files that it maps: those are the system's,
/// and shared.
pub(crate) fn memory(id: u32) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.split_whitespace().next());
    kib.unwrap().parse::<f64>().unwrap() / 1024.0
}

/// User and system time of a process and of its children that have ended, in seconds.
pub(crate) fn cpu_seconds(id: u32) -> f64 {
    const TICKS_PER_SECOND: f64 = 100.0;
    let text = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let after_name = text.rsplit_once(')').unwrap().1;
    let fields = after_name.split_whitespace().skip(11).take(4);
    let ticks: f64 = fields.map(|field| field.parse::<f64>().unwrap()).sum();
    ticks / TICKS_PER_SECOND
}
