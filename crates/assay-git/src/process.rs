use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::Error;
use crate::command::Git;

/// A limit on the `git` processes of one kind: how many run at once, and how long each may take.
#[derive(Debug, Clone)]
pub struct Processes {
    turns: Arc<Semaphore>,
    at_once: usize,
    time: Duration,
}

/// The permission to run one process of [`Processes`]. Dropping it lets the next one start.
#[derive(Debug)]
pub struct ProcessTurn {
    _permit: OwnedSemaphorePermit,
}

/// A running `git`. Dropping it ends it and every process that it started.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) child: Child,
    subcommand: &'static str,
    time: Duration,
    /// Time that is left for waiting on this process. Waiting for a client does not count.
    left: Duration,
}

impl Processes {
    /// The longest wait for a turn.
    pub const PATIENCE: Duration = Duration::from_secs(10);

    /// At most `at_once` processes, each with so much time.
    pub fn new(at_once: usize, time: Duration) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(at_once)),
            at_once,
            time,
        }
    }

    /// Waits for a turn, for at most [`Processes::PATIENCE`].
    pub async fn turn(&self) -> Result<ProcessTurn, Error> {
        let turn = Arc::clone(&self.turns).acquire_owned();
        match tokio::time::timeout(Self::PATIENCE, turn).await {
            Ok(Ok(permit)) => Ok(ProcessTurn { _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(Error::TooManyProcesses(self.at_once)),
        }
    }

    /// Returns how many are running.
    pub fn running(&self) -> usize {
        self.at_once.saturating_sub(self.turns.available_permits())
    }

    /// Returns how long each may take.
    pub fn time(&self) -> Duration {
        self.time
    }
}

impl Process {
    /// Starts a `git` in a process group of its own.
    pub(crate) fn start(
        git: Git,
        time: Duration,
        connect: impl FnOnce(&mut tokio::process::Command),
    ) -> Result<Self, Error> {
        let subcommand = git.subcommand();
        let mut command = tokio::process::Command::from(git.into_command());
        connect(&mut command);
        #[cfg(unix)]
        command.process_group(0);
        let child = command
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| Error::Spawn { subcommand, source })?;
        Ok(Self {
            child,
            subcommand,
            time,
            left: time,
        })
    }

    /// Waits for something that this process does, as long as it has time left.
    pub(crate) async fn wait_for<T>(
        &mut self,
        work: impl AsyncFnOnce(&mut Child) -> T,
    ) -> Result<T, Error> {
        if self.left.is_zero() {
            return Err(self.out_of_time());
        }
        let started = Instant::now();
        let done = tokio::time::timeout(self.left, work(&mut self.child)).await;
        self.spend(started.elapsed());
        done.map_err(|_| self.out_of_time())
    }

    /// Returns the time that is left for waiting on this process.
    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// Takes time off that was spent waiting on this process.
    pub(crate) fn spend(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
    }

    pub(crate) fn out_of_time(&self) -> Error {
        Error::OutOfTime {
            subcommand: self.subcommand,
            seconds: self.time.as_secs(),
        }
    }

    /// The failure of a pipe or of the process itself.
    pub(crate) fn failed(&self, source: io::Error) -> Error {
        Error::Spawn {
            subcommand: self.subcommand,
            source,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A process that was waited for has no id any more, and its number may be another's.
        #[cfg(unix)]
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok())
            && let Some(group) = rustix::process::Pid::from_raw(id)
        {
            // It may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}
