//! Starts `assay-lake` and starts it again when it ends.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use assay_formats::lake_api::{INSTALL, PROGRAM};
use tokio::process::{Child, Command};

use super::{SOURCES, socket_of};
use crate::config::Config;

/// The wait before a process is started again that has answered before it ended.
const SHORT_WAIT: Duration = Duration::from_millis(200);
/// The first wait before a process is started again that ended before it answered. Each further one
/// doubles it.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The time between two looks whether a process answers that was just started.
const READY_EVERY: Duration = Duration::from_millis(100);
/// The time between two looks whether a process still answers that another server has started.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Keeps the process of the lake running for as long as this is polled. Where there is none to be
/// started, it does nothing.
pub(crate) async fn keep(config: Config) {
    let Some(directory) = config.lake.directory.clone() else {
        return;
    };
    let Some(socket) = socket_of(&config) else {
        return;
    };
    let mut wait = FIRST_WAIT;
    loop {
        let mut has_answered = false;
        if is_answered(&socket).await {
            // Another server of this hub has started it already.
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        match start(&config, &directory, &socket) {
            Ok(mut child) => {
                tracing::info!(
                    "started `{PROGRAM}` for the lake at `{}`",
                    directory.display()
                );
                // Its standard input is held open here: waiting for a process closes it, and that
                // ends this one.
                let _held = child.stdin.take();
                let ended = tokio::select! {
                    ended = child.wait() => ended,
                    () = until_answered(&socket) => {
                        has_answered = true;
                        child.wait().await
                    }
                };
                tracing::warn!("`{PROGRAM}` has ended ({ended:?}) and is started again");
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => tracing::warn!(
                "there is no `{PROGRAM}` beside this program or on the PATH, so nothing can be asked about samples; \
                 `{INSTALL}` installs it"
            ),
            Err(error) => tracing::error!("failed to start `{PROGRAM}`: {error}"),
        }
        if has_answered {
            wait = FIRST_WAIT;
            tokio::time::sleep(SHORT_WAIT).await;
        } else {
            tokio::time::sleep(wait).await;
            wait = LONGEST_WAIT.min(wait * 2);
        }
    }
}

/// Waits until a process answers on the socket.
async fn until_answered(socket: &Path) {
    while !is_answered(socket).await {
        tokio::time::sleep(READY_EVERY).await;
    }
}

#[cfg(unix)]
async fn is_answered(socket: &Path) -> bool {
    tokio::net::UnixStream::connect(socket).await.is_ok()
}

#[cfg(not(unix))]
async fn is_answered(_: &Path) -> bool {
    false
}

/// Starts the process. It ends with this one: its standard input is a pipe that this process holds.
fn start(config: &Config, directory: &Path, socket: &Path) -> io::Result<Child> {
    let sources = config.data.join(SOURCES);
    fs_err::create_dir_all(&sources)?;
    let directory = std::path::absolute(directory)?;
    let program = match &config.lake.program {
        Some(program) => std::path::absolute(program)?,
        None => found(),
    };
    let cluster = config.lake.cluster.iter();
    let cluster = cluster.flat_map(|url| [OsStr::new("--cluster"), OsStr::new(url)]);
    let memory = config.lake.memory >> 20;
    // What is taken in is named from here on, so that no row tells where the hub lies on this
    // machine.
    Command::new(program)
        .args([
            OsStr::new("lake"),
            OsStr::new("serve"),
            OsStr::new("--until-stdin-ends"),
            OsStr::new("--lake"),
            directory.as_os_str(),
            OsStr::new("--socket"),
            socket.as_os_str(),
            OsStr::new("--memory"),
            OsStr::new(&memory.to_string()),
        ])
        .args(cluster)
        .current_dir(sources)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
}

/// The program beside this one, else whatever the PATH has.
fn found() -> PathBuf {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe()
        .ok()
        .map(|own| own.with_file_name(&name))
        .filter(|path| path.is_file());
    beside.unwrap_or_else(|| PathBuf::from(PROGRAM))
}
