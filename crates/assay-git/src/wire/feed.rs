use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Child;

use super::commands::WireError;
use super::inspect::Inspector;
use crate::command::Git;
use crate::error::disk_complaint;
use crate::process::Process;
use crate::{Error, cpu_limit};

/// A fault in the objects of a push: the client's, with a sentence for them, or ours.
pub(super) enum Fault {
    Theirs(String),
    Ours(Error),
}

/// A `git` that reads what a client sends, for a limited time.
pub(super) struct Fed {
    process: Process,
}

/// Number of bytes that are handed on at a time.
const CHUNK: usize = 64 * 1024;
/// The number of bytes of git's complaints that are kept.
const MAX_COMPLAINT: u64 = 4096;
/// The most processor time of one `git` for a push.
const CPU_LIMIT: Duration = Duration::from_mins(5);

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            // What takes that long is made to.
            Error::OutOfTime { seconds, .. } => {
                Self::Theirs(took_too_long(Duration::from_secs(seconds)))
            }
            other => Self::Ours(other),
        }
    }
}

impl Fed {
    /// Starts a `git` that waits for its input, and that may be waited for this long in all.
    pub(super) fn spawn(git: Git, time: Duration) -> Result<Self, Error> {
        let process = Process::start(git, time, |command| {
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
        })?;
        cpu_limit::set(process.child.id(), CPU_LIMIT).map_err(|source| process.failed(source))?;
        Ok(Self { process })
    }

    /// Hands a pack on to git after it was inspected. What the inspector refuses ends git.
    pub(super) async fn send_pack(
        &mut self,
        header: &[u8],
        body: &mut (impl AsyncRead + Unpin),
        max: u64,
        inspector: Inspector,
    ) -> Result<Inspector, Fault> {
        let sent = self.stream(header, body, max, inspector).await;
        if sent.is_err() {
            // It would go on writing to a directory that is about to be removed.
            let _ = self.process.child.kill().await;
        }
        sent
    }

    /// Hands bytes on to git, which are all of its input.
    pub(super) async fn send(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.write(bytes).await?;
        drop(self.process.child.stdin.take());
        Ok(())
    }

    /// Waits for the end of git. The inner error is what it complained of: the line that says what
    /// was fatal, if one does.
    pub(super) async fn finish(mut self) -> Result<Result<(), String>, Fault> {
        let ended = self.process.wait_for(wait).await?;
        Ok(ended.map_err(|source| self.process.failed(source))?)
    }

    async fn stream(
        &mut self,
        header: &[u8],
        body: &mut (impl AsyncRead + Unpin),
        max: u64,
        mut inspector: Inspector,
    ) -> Result<Inspector, Fault> {
        let mut is_open = self.write(header).await?;
        let mut sent = header.len() as u64;
        let mut chunk = vec![0; CHUNK];
        while is_open {
            let read = body.read(&mut chunk).await;
            let read = read.map_err(|error| Fault::Ours(Error::Body(error)))?;
            if read == 0 {
                break;
            }
            sent += read as u64;
            if sent > max {
                return Err(Fault::Theirs(WireError::TooLarge(max).to_string()));
            }
            let verdict;
            (inspector, chunk, verdict) = inspect(inspector, chunk, read).await?;
            verdict.map_err(Fault::Theirs)?;
            is_open = self.write(&chunk[..read]).await?;
        }
        // Git has its input when this is closed.
        drop(self.process.child.stdin.take());
        Ok(inspector)
    }

    /// Writes to git, and says whether it still listens. When it closes its end early, what it
    /// complains of says why.
    async fn write(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        let written = self.process.wait_for(async |child| match &mut child.stdin {
            Some(stdin) => stdin.write_all(bytes).await.is_ok(),
            None => false,
        });
        Ok(written.await?)
    }
}

/// Waits for the end of a `git`. The inner error is what it complained of.
async fn wait(child: &mut Child) -> std::io::Result<Result<(), String>> {
    let mut complaint = Vec::new();
    if let Some(stderr) = child.stderr.take() {
        // It is read to its end, so that git is never held up, and its beginning is kept.
        let mut beginning = stderr.take(MAX_COMPLAINT);
        beginning.read_to_end(&mut complaint).await?;
        let mut rest = beginning.into_inner();
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await?;
    }
    let status = child.wait().await?;
    if status.success() {
        return Ok(Ok(()));
    }
    Ok(Err(reason(status, &String::from_utf8_lossy(&complaint))))
}

/// Inspects where blocking is allowed: a few bytes may inflate to many.
async fn inspect(
    mut inspector: Inspector,
    chunk: Vec<u8>,
    read: usize,
) -> Result<(Inspector, Vec<u8>, Result<(), String>), Error> {
    let work = move || {
        let verdict = inspector.inspect(&chunk[..read]);
        (inspector, chunk, verdict)
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Error::Body(error.into()))
}

fn reason(status: ExitStatus, complaint: &str) -> String {
    if cpu_limit::has_ended(status) {
        return took_too_long(CPU_LIMIT);
    }
    // What the disk said may stand before or after what git made of it.
    if let Some(sentence) = disk_complaint(complaint) {
        tracing::error!(complaint, "a push was refused: {sentence}");
        return sentence.to_owned();
    }
    let told = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let mut lines = complaint.lines();
    let line = lines.clone().find(told).or_else(|| lines.next_back());
    line.unwrap_or("the pack is of no use").to_owned()
}

fn took_too_long(limit: Duration) -> String {
    format!(
        "it took more than {} seconds to unpack the push: push fewer commits at once",
        limit.as_secs()
    )
}
