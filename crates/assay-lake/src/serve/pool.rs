//! Processes that work on questions, one question at a time each.
//!
//! The engine cannot bound what a question takes: functions make text out of nothing, operators
//! keep what no budget counts, and a piece of work cannot be called off in the middle. A process
//! can be bounded by the system, and ended. So whatever a question does, it does it to a process
//! that works for nobody else.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The time that a process has to begin to answer.
const START_WITHIN: Duration = Duration::from_secs(30);
/// The time after which a process that nobody needs is ended.
const IDLE_FOR: Duration = Duration::from_mins(1);

/// How processes are started.
#[derive(Debug)]
pub(crate) struct Recipe {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<OsString>,
    /// The directory for what questions write to the disk. It is emptied.
    pub(crate) directory: PathBuf,
    /// The resident memory above which a process is not used again, in bytes.
    pub(crate) reused_below: u64,
}

/// The processes.
#[derive(Debug)]
pub(crate) struct Pool {
    recipe: Recipe,
    started: AtomicU64,
    idle: Mutex<Vec<Worker>>,
}

/// A process.
#[derive(Debug)]
struct Worker {
    child: Child,
    /// Its questions go here. Its standard input is a socket, whose end tells it that nobody is
    /// there any more.
    questions: SendRequest<Full<Bytes>>,
    /// The directory for what it writes to the disk.
    directory: PathBuf,
    idle_since: Instant,
}

/// A process that works for one question. It is ended with this, unless it is given back.
#[derive(Debug)]
pub(crate) struct Lease {
    pool: Arc<Pool>,
    worker: Option<Worker>,
}

impl Pool {
    /// A pool without any process. Whatever an earlier one has left in the directory is removed.
    pub(crate) fn new(recipe: Recipe) -> io::Result<Arc<Self>> {
        match std::fs::remove_dir_all(&recipe.directory) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        make_private(&recipe.directory)?;
        Ok(Arc::new(Self {
            recipe,
            started: AtomicU64::new(0),
            idle: Mutex::default(),
        }))
    }

    /// A process for one question: one that has nothing to do, else a new one.
    pub(crate) async fn lease(self: &Arc<Self>) -> io::Result<Lease> {
        let mut worker = None;
        while worker.is_none()
            && let Some(mut idle) = self.idle().pop()
        {
            match idle.child.try_wait() {
                Ok(None) => worker = Some(idle),
                Ok(Some(_)) | Err(_) => idle.clear_away(),
            }
        }
        let worker = match worker {
            Some(worker) => worker,
            None => self.start().await?,
        };
        Ok(Lease {
            pool: Arc::clone(self),
            worker: Some(worker),
        })
    }

    /// Ends processes that nobody has needed for a while.
    pub(crate) async fn end_idle(self: Arc<Self>) {
        loop {
            tokio::time::sleep(IDLE_FOR).await;
            for worker in self.take_idle_for_long() {
                worker.end().await;
            }
        }
    }

    fn take_idle_for_long(&self) -> Vec<Worker> {
        let mut idle = self.idle();
        let (old, kept) = std::mem::take(&mut *idle)
            .into_iter()
            .partition(|worker| worker.idle_since.elapsed() > IDLE_FOR);
        *idle = kept;
        old
    }

    async fn start(&self) -> io::Result<Worker> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let directory = self.recipe.directory.join(number.to_string());
        make_private(&directory)?;
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut ours = UnixStream::from_std(ours)?;
        let child = Command::new(&self.recipe.program)
            .args(&self.recipe.arguments)
            .env("TMPDIR", &directory)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()?;
        // It says one byte when it is ready.
        let ready = timeout(START_WITHIN, ours.read_u8()).await;
        ready.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        let connected = handshake(TokioIo::new(ours)).await;
        let (questions, connection) = connected.map_err(io::Error::other)?;
        tokio::spawn(connection);
        Ok(Worker {
            child,
            questions,
            directory,
            idle_since: Instant::now(),
        })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lease {
    /// Sends a question and waits until the answer begins. An error says that the process is gone.
    pub(crate) async fn post(
        &mut self,
        path: &'static str,
        body: Bytes,
    ) -> io::Result<Response<Incoming>> {
        let worker = self.worker.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let request = Request::post(path)
            .header("host", "lake")
            .header("content-type", "application/json")
            .body(Full::new(body))
            .map_err(io::Error::other)?;
        worker.questions.ready().await.map_err(io::Error::other)?;
        let response = worker.questions.send_request(request).await;
        response.map_err(io::Error::other)
    }

    /// Lets the process work on other questions, unless it has kept too much memory.
    pub(crate) fn give_back(mut self) {
        let Some(mut worker) = self.worker.take() else {
            return;
        };
        let resident = worker.child.id().and_then(resident_bytes);
        if resident.is_some_and(|bytes| bytes > self.pool.recipe.reused_below) {
            self.worker = Some(worker);
            return;
        }
        worker.idle_since = Instant::now();
        self.pool.idle().push(worker);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(worker) = self.worker.take() else {
            return;
        };
        // Without a runtime this process is about to end, and its children end with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(worker.end());
        }
    }
}

impl Worker {
    /// Ends the process and removes what it has left.
    async fn end(mut self) {
        // Whether it was there to be ended or not, it is gone.
        let _ = self.child.kill().await;
        self.clear_away();
    }

    fn clear_away(&self) {
        // What cannot be removed now is removed with the next start.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Makes a directory that only its owner can look into.
fn make_private(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(directory)
}

/// The memory of a process that is not on the disk, where the system tells.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
