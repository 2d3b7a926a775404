use std::fs::File;
use std::future::Future as _;
use std::io::{self, Seek as _, Write as _};
use std::path::Path;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};
use tokio::process::ChildStdout;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep};

use super::version;
use crate::command::Git;
use crate::process::{Process, ProcessTurn, Processes};
use crate::{Error, Repository};

/// The output of `git upload-pack`, as it comes. Dropping it ends the process.
#[derive(Debug)]
pub struct UploadPack {
    stdout: ChildStdout,
    feeder: Option<JoinHandle<()>>,
    process: Process,
    /// The wait for output that is under way, and when it began.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    _turn: ProcessTurn,
}

/// The largest request, in which a client lists the objects that it has and wants.
const MAX_REQUEST: u64 = 64 << 20;
/// The largest request that is kept in memory; a longer one waits in a file.
const MAX_IN_MEMORY: usize = 64 << 10;

/// A question of a client that has arrived as a whole.
enum Question {
    Memory(Vec<u8>),
    Disk(File),
}

impl Repository {
    /// Answers `git fetch`: the body goes to `git upload-pack`, its output is read from what is
    /// returned. Dropping that ends it. The process starts when the whole body has arrived, so a
    /// slow client holds none.
    pub async fn upload_pack(
        &self,
        body: impl AsyncRead + Send + Unpin,
        protocol: Option<&str>,
        processes: &Processes,
    ) -> Result<UploadPack, Error> {
        let question = read_question(body, &self.base.scratch).await?;
        let turn = processes.turn().await?;
        let git = Git::new("upload-pack").within(self.path());
        let git = match version(protocol) {
            Some(version) => git.env("GIT_PROTOCOL", version),
            None => git,
        };
        let git = git.arg("--stateless-rpc").arg(self.path());
        let (stdin, bytes) = match question {
            Question::Memory(bytes) => (Stdio::piped(), Some(bytes)),
            Question::Disk(file) => (Stdio::from(file), None),
        };
        let mut process = Process::start(git, processes.time(), |command| {
            command
                .stdin(stdin)
                .stdout(Stdio::piped())
                .stderr(Stdio::null());
        })?;
        let stdout = process.child.stdout.take();
        let stdout = stdout.ok_or_else(|| process.failed(io::Error::other("it has no pipe")))?;
        let feeder = process.child.stdin.take().map(|mut stdin| {
            tokio::spawn(async move {
                // Git may have heard enough before the end; whether it was content is told by what
                // it says.
                let _ = stdin.write_all(&bytes.unwrap_or_default()).await;
                let _ = stdin.shutdown().await;
            })
        });
        Ok(UploadPack {
            stdout,
            feeder,
            process,
            waiting: None,
            _turn: turn,
        })
    }
}

impl AsyncRead for UploadPack {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let left = this.process.left();
        if left.is_zero() {
            return Poll::Ready(Err(out_of_time(&this.process)));
        }
        if let Poll::Ready(read) = Pin::new(&mut this.stdout).poll_read(context, buffer) {
            if let Some((since, _)) = this.waiting.take() {
                this.process.spend(since.elapsed());
            }
            return Poll::Ready(read);
        }
        let (_, timer) = this
            .waiting
            .get_or_insert_with(|| (Instant::now(), Box::pin(tokio::time::sleep(left))));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(out_of_time(&this.process)))
    }
}

fn out_of_time(process: &Process) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, process.out_of_time())
}

impl Drop for UploadPack {
    fn drop(&mut self) {
        if let Some(feeder) = &self.feeder {
            feeder.abort();
        }
    }
}

/// Reads all that a client says. More than a little of it goes to a file without a name.
async fn read_question(
    body: impl AsyncRead + Send + Unpin,
    scratch: &Path,
) -> Result<Question, Error> {
    let mut body = body.take(MAX_REQUEST);
    let mut bytes = Vec::new();
    let mut file: Option<File> = None;
    loop {
        let read = body.read_buf(&mut bytes).await.map_err(Error::Body)?;
        if read > 0 && bytes.len() <= MAX_IN_MEMORY {
            continue;
        }
        if read == 0 && file.is_none() {
            return Ok(Question::Memory(bytes));
        }
        let held = match file.take() {
            Some(held) => held,
            None => {
                tempfile::tempfile_in(scratch).map_err(Error::disk("make a file in", scratch))?
            }
        };
        let piece = std::mem::take(&mut bytes);
        let written = tokio::task::spawn_blocking(move || append(held, &piece, read == 0)).await;
        let written = written.map_err(io::Error::other).flatten();
        let held = written.map_err(Error::disk("write to a file in", scratch))?;
        if read == 0 {
            return Ok(Question::Disk(held));
        }
        file = Some(held);
    }
}

/// Writes to the end of a file; after the last piece it is to be read from its beginning.
fn append(mut file: File, piece: &[u8], is_last: bool) -> io::Result<File> {
    file.write_all(piece)?;
    if is_last {
        file.rewind()?;
    }
    Ok(file)
}
