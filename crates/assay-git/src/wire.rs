//! The git protocol: what is said before, around and after a pack.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use assay_model::ObjectId;
use tokio::io::{AsyncRead, ReadBuf};

use crate::{Quarantine, RefName};

/// Which of git's two services a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// `git fetch` and `git clone`.
    UploadPack,
    /// `git push`.
    ReceivePack,
}

/// What a client sent is not the git protocol, or is more than it may send.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// A length that is no length, or a line that ends too soon.
    #[error("this is not a pkt-line")]
    Line,
    /// A command that is not `old new name`.
    #[error("this is not a command of `git push`")]
    Command,
    /// Too many commands.
    #[error("a push moves at most {0} refs")]
    TooManyCommands(usize),
    /// A pack that is too large.
    #[error("a push has at most {0} bytes")]
    TooLarge(u64),
}

/// What a push may be.
#[derive(Debug, Clone, Copy)]
pub struct ReceiveLimits {
    /// How many refs it moves at most.
    pub commands: usize,
    /// How many bytes its pack has at most.
    pub pack_bytes: u64,
    /// How many bytes an object has at most when it is unpacked.
    pub object_bytes: u64,
}

/// One ref that a push wants to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Which.
    pub name: RefName,
    /// Where the client thinks it is; `None` when it thinks that there is none.
    pub old: Option<ObjectId>,
    /// Where it shall be; `None` deletes it.
    pub new: Option<ObjectId>,
}

/// What came of receiving.
#[derive(Debug)]
pub enum Received {
    /// The objects are in quarantine: judge them, admit them, move the refs, and send the report.
    Push(Push),
    /// The push is of no use. Send this to the client, which will understand it.
    Refused(Vec<u8>),
    /// The client only asked whether it may push. Send an empty answer.
    Probe,
}

/// A push that has been received.
#[derive(Debug)]
pub struct Push {
    /// The refs that it wants to move.
    pub commands: Vec<Command>,
    /// What it brought.
    pub quarantine: Quarantine,
    /// Whether all refs must move or none (`git push --atomic`).
    pub atomic: bool,
    /// How to answer.
    pub reply: Reply,
}

/// Writes the answer to a push in the words that its client understands.
#[derive(Debug, Clone)]
pub struct Reply {
    _private: (),
}

/// The output of `git upload-pack`, as it comes. Dropping it ends the process.
#[derive(Debug)]
pub struct UploadPack {
    _private: (),
}

impl Service {
    /// What it is called on the wire, as in `?service=git-upload-pack`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

impl Default for ReceiveLimits {
    fn default() -> Self {
        Self {
            commands: 1000,
            pack_bytes: 2 << 30,
            object_bytes: 512 << 20,
        }
    }
}

impl Reply {
    /// What became of each ref, with text for the person: its lines are shown as `remote: ...`.
    pub fn report(&self, _results: &[(RefName, Result<(), String>)], _messages: &str) -> Vec<u8> {
        todo!()
    }
}

/// Reads the commands that a push begins with; returns them with what the client said it can do, and how many bytes
/// they took. `None` when they are not all there yet.
pub fn parse_commands(
    _bytes: &[u8],
    _max_commands: usize,
) -> Result<Option<(Vec<Command>, String, usize)>, WireError> {
    todo!()
}

impl AsyncRead for UploadPack {
    fn poll_read(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        _buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        todo!()
    }
}
