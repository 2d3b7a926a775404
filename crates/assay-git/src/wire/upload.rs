use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};
use tokio::process::{Child, ChildStdout};
use tokio::task::JoinHandle;

use super::version;
use crate::command::Git;
use crate::{Error, Repository};

/// The output of `git upload-pack`, as it comes. Dropping it ends the process.
#[derive(Debug)]
pub struct UploadPack {
    stdout: ChildStdout,
    feeder: JoinHandle<()>,
    /// Ended when this is dropped.
    _child: Child,
}

/// How much a client may say about what it has and wants.
const MAX_REQUEST: u64 = 64 << 20;

impl Repository {
    /// Answers `git fetch`: the body goes to `git upload-pack`, its output is read from what is returned. Dropping that
    /// ends it.
    pub fn upload_pack(
        &self,
        body: impl AsyncRead + Send + Unpin + 'static,
        protocol: Option<&str>,
    ) -> Result<UploadPack, Error> {
        let git = Git::new("upload-pack").within(self.path());
        let git = match version(protocol) {
            Some(version) => git.env("GIT_PROTOCOL", version),
            None => git,
        };
        let git = git.arg("--stateless-rpc").arg(self.path());
        let failed = |source| Error::Spawn {
            subcommand: "upload-pack",
            source,
        };
        let mut child = tokio::process::Command::from(git.into_command())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let no_pipe = || failed(io::Error::other("it has no pipe"));
        let mut stdin = child.stdin.take().ok_or_else(no_pipe)?;
        let stdout = child.stdout.take().ok_or_else(no_pipe)?;
        let feeder = tokio::spawn(async move {
            // Git may have heard enough before the end; whether it was content is told by what it says.
            let _ = tokio::io::copy(&mut body.take(MAX_REQUEST), &mut stdin).await;
            let _ = stdin.shutdown().await;
        });
        Ok(UploadPack {
            stdout,
            feeder,
            _child: child,
        })
    }
}

impl AsyncRead for UploadPack {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stdout).poll_read(context, buffer)
    }
}

impl Drop for UploadPack {
    fn drop(&mut self) {
        self.feeder.abort();
    }
}
