//! The git protocol: what is said before, around and after a pack.

mod advertise;
mod commands;
mod feed;
mod inspect;
mod pkt;
mod receive;
mod reply;
mod upload;

pub use commands::{Command, Commands, WireError, parse_commands};
pub use receive::{Push, ReceiveLimits, Received};
pub use reply::Reply;
pub use upload::UploadPack;

/// One of git's two services.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// `git fetch` and `git clone`.
    UploadPack,
    /// `git push`.
    ReceivePack,
}

impl Service {
    /// Returns its name on the wire, as in `?service=git-upload-pack`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

/// The version of the protocol that a client asked for in `Git-Protocol`, in git's own words.
/// Nothing else of what it said reaches a process.
fn version(protocol: Option<&str>) -> Option<&'static str> {
    let asked = protocol?.split(':').map(str::trim);
    ["version=2", "version=1"]
        .into_iter()
        .find(|version| asked.clone().any(|asked| asked == *version))
}
