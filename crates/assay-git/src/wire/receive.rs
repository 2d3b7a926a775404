use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::commands::{Command, Commands, WireError, parse_commands};
use super::feed::{Fault, Fed};
use super::inspect::{Inspector, PackLimits};
use super::pkt;
use super::reply::Reply;
use crate::command::Git;
use crate::{Error, Quarantine, RefKind, Repository};

/// The limits of a push.
#[derive(Debug, Clone, Copy)]
pub struct ReceiveLimits {
    /// The largest number of refs that it moves.
    pub commands: usize,
    /// The largest size of its pack, in bytes.
    pub pack_bytes: u64,
    /// Number of bytes that an object has at most when it is unpacked.
    pub object_bytes: u64,
    /// Number of bytes that all objects have at most when they are unpacked. A push of few bytes
    /// may unpack to less: to 1 GiB, or to a thousand times what was sent.
    pub unpacked_bytes: u64,
    /// Number of objects that it has at most.
    pub objects: u32,
    /// Maximum duration of each `git` that takes it in waited for. Waiting for the client does not
    /// count.
    pub time: Duration,
}

/// The outcome of receiving.
#[derive(Debug)]
pub enum Received {
    /// The objects are in quarantine: validate them, admit them, move the refs, and send the
    /// report.
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
    /// The objects that it brought.
    pub quarantine: Quarantine,
    /// True if all refs must move or none (`git push --atomic`).
    pub atomic: bool,
    /// The writer of the answer.
    pub reply: Reply,
}

/// A push of fewer objects is unpacked into single files; a pack for each would make every search
/// longer.
const MIN_PACKED: u32 = 32;
/// The beginning of a pack: `PACK`, its version, how many objects it has.
const PACK_HEADER: usize = 12;
/// The longest chain of deltas that is accepted. It is git's own limit when it makes packs, and
/// bounds what it costs to read one object.
const MAX_DELTA_DEPTH: u32 = 50;
/// Room for what git needs besides the object itself.
const SPARE_MEMORY: u64 = 1 << 20;

impl Default for ReceiveLimits {
    fn default() -> Self {
        Self {
            commands: 1000,
            pack_bytes: 2 << 30,
            object_bytes: 128 << 20,
            unpacked_bytes: 16 << 30,
            objects: 1_000_000,
            time: Duration::from_mins(10),
        }
    }
}

impl Repository {
    /// Takes in what `git push` sends: the objects are in quarantine, complete and sound, and no
    /// ref has moved.
    ///
    /// A repository that is deleted meanwhile is [`Error::NoRepository`].
    pub async fn receive(
        &self,
        body: impl AsyncRead + Send + Unpin,
        limits: &ReceiveLimits,
    ) -> Result<Received, Error> {
        let received = self.receive_body(body, limits).await;
        // Without its directory no process can be started, and nothing that was received can be
        // checked.
        if self.path().is_dir() {
            received
        } else {
            Err(Error::NoRepository(self.key()))
        }
    }

    async fn receive_body(
        &self,
        mut body: impl AsyncRead + Send + Unpin,
        limits: &ReceiveLimits,
    ) -> Result<Received, Error> {
        let commands = read_commands(&mut body, limits).await?;
        if commands.commands.is_empty() && commands.refused.is_empty() {
            return Ok(Received::Probe);
        }
        let reply = Reply::new(&commands);
        let mut quarantine = self.quarantine();
        quarantine.is_checked = true;
        let taken = match check(&commands) {
            Ok(()) => self.take(&mut body, limits, &commands, &quarantine).await,
            Err(reason) => Err(Fault::Theirs(reason)),
        };
        match taken {
            Ok(()) => Ok(Received::Push(Push {
                atomic: commands.can("atomic"),
                commands: commands.commands,
                quarantine,
                reply,
            })),
            Err(Fault::Theirs(reason)) => {
                // A client that is still sending would not listen.
                drain(&mut body, limits.pack_bytes).await;
                Ok(Received::Refused(reply.unusable(&commands, &reason)))
            }
            Err(Fault::Ours(error)) => {
                let Some(sentence) = error.disk_sentence() else {
                    return Err(error);
                };
                tracing::error!(%error, "a push was refused: {sentence}");
                drain(&mut body, limits.pack_bytes).await;
                Ok(Received::Refused(reply.unusable(&commands, sentence)))
            }
        }
    }

    async fn take(
        &self,
        body: &mut (impl AsyncRead + Send + Unpin),
        limits: &ReceiveLimits,
        commands: &Commands,
        quarantine: &Quarantine,
    ) -> Result<(), Fault> {
        let new: Vec<_> = commands
            .commands
            .iter()
            .filter_map(|command| command.new)
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        self.unpack(body, limits, quarantine).await?;
        let wanted: Vec<_> = new.iter().map(|id| format!("{id}\n")).collect();
        self.check_connected(wanted.concat(), limits, quarantine)
            .await?;
        let objects = quarantine.objects();
        for command in &commands.commands {
            let Some(id) = command.new else { continue };
            let must_be_commit = match RefKind::of(&command.name) {
                RefKind::Branch | RefKind::Pull => true,
                RefKind::Tag | RefKind::Other => false,
            };
            if must_be_commit && !objects.is_commit(id)? {
                let reason = format!("`{}` cannot point at what is no commit", command.name);
                return Err(Fault::Theirs(reason));
            }
        }
        Ok(())
    }

    /// Streams the pack to git, which checks every object and writes it to the quarantine.
    async fn unpack(
        &self,
        body: &mut (impl AsyncRead + Send + Unpin),
        limits: &ReceiveLimits,
        quarantine: &Quarantine,
    ) -> Result<(), Fault> {
        let mut header = [0; PACK_HEADER];
        let Some(count) = read_header(body, &mut header).await? else {
            return Ok(());
        };
        let limits_of_pack = PackLimits {
            object_bytes: limits.object_bytes,
            unpacked_bytes: limits.unpacked_bytes,
            objects: limits.objects,
            delta_depth: MAX_DELTA_DEPTH,
        };
        let inspector = Inspector::new(count, limits_of_pack).map_err(Fault::Theirs)?;
        let (subcommand, arguments): (_, &[&str]) = if count < MIN_PACKED {
            ("unpack-objects", &["-q", "--strict"])
        } else {
            ("index-pack", &["--stdin", "--fix-thin", "--strict"])
        };
        let memory = limits.object_bytes.saturating_add(SPARE_MEMORY);
        let git = self
            .git_in(subcommand, quarantine)?
            .args(arguments)
            .arg(format!("--max-input-size={}", limits.pack_bytes))
            // Git streams what is larger than this to the disk, past the limit that comes next.
            .config("core.bigFileThreshold", "1024g")
            .env("GIT_ALLOC_LIMIT", memory.to_string());
        let mut fed = Fed::spawn(git, limits.time)?;
        let inspector = fed
            .send_pack(&header, body, limits.pack_bytes, inspector)
            .await?;
        fed.finish().await?.map_err(Fault::Theirs)?;
        check_chains(&quarantine.shadow.on_disk()?, &inspector)
    }

    /// Checks that everything that the new commits lead to is there.
    async fn check_connected(
        &self,
        wanted: String,
        limits: &ReceiveLimits,
        quarantine: &Quarantine,
    ) -> Result<(), Fault> {
        let git = self.git_in("rev-list", quarantine)?.args([
            "--objects",
            "--stdin",
            "--quiet",
            "--not",
            "--all",
        ]);
        let mut fed = Fed::spawn(git, limits.time)?;
        fed.send(wanted.as_bytes()).await?;
        match fed.finish().await? {
            Ok(()) => Ok(()),
            Err(complaint) => {
                tracing::debug!(complaint, "a push is not complete");
                let reason = "the push lacks objects that its commits need";
                Err(Fault::Theirs(reason.to_owned()))
            }
        }
    }

    fn git_in(&self, subcommand: &'static str, quarantine: &Quarantine) -> Result<Git, Error> {
        let objects = quarantine.shadow.on_disk()?;
        Ok(Git::new(subcommand)
            .within(self.path())
            .quarantined(&objects, &self.base.objects_dir()))
    }
}

/// Returns the fault of a push that is known before its objects are looked at.
fn check(commands: &Commands) -> Result<(), String> {
    if let Some((name, reason)) = commands.refused.first() {
        return Err(format!("`{name}` cannot be pushed: {reason}"));
    }
    let format = commands
        .capabilities
        .iter()
        .find_map(|can| can.strip_prefix("object-format="));
    match format {
        None | Some("sha1") => Ok(()),
        Some(_) => Err("only SHA-1 repositories can be pushed".to_owned()),
    }
}

/// Reads line by line, so that not a byte of the pack is taken.
async fn read_commands(
    body: &mut (impl AsyncRead + Unpin),
    limits: &ReceiveLimits,
) -> Result<Commands, Error> {
    let mut bytes = Vec::new();
    let mut lines = 0;
    loop {
        let mut digits = [0; 4];
        body.read_exact(&mut digits).await.map_err(Error::Body)?;
        let length = pkt::length(digits)?;
        let start = bytes.len();
        bytes.extend_from_slice(&digits);
        if length == 0 {
            break;
        }
        lines += 1;
        // Half may be lines about a shallow clone.
        if lines > limits.commands.saturating_mul(2) {
            return Err(WireError::TooManyCommands(limits.commands).into());
        }
        bytes.resize(start + length, 0);
        let payload = &mut bytes[start + 4..];
        body.read_exact(payload).await.map_err(Error::Body)?;
    }
    match parse_commands(&bytes, limits.commands)? {
        Some((commands, _)) => Ok(commands),
        None => Err(WireError::Line.into()),
    }
}

/// The number of objects in a pack; `None` when there is no pack at all.
async fn read_header(
    body: &mut (impl AsyncRead + Unpin),
    header: &mut [u8; PACK_HEADER],
) -> Result<Option<u32>, Fault> {
    let failed = |error| Fault::Ours(Error::Body(error));
    let first = body.read(&mut header[..]).await.map_err(failed)?;
    if first == 0 {
        return Ok(None);
    }
    let rest = body.read_exact(&mut header[first..]).await;
    let [b'P', b'A', b'C', b'K', _, _, _, _, count @ ..] = *header else {
        return Err(Fault::Theirs("this is not a pack".to_owned()));
    };
    match rest {
        Ok(_) => Ok(Some(u32::from_be_bytes(count))),
        Err(_) => Err(Fault::Theirs("the pack ends too soon".to_owned())),
    }
}

/// Checks how deep the deltas of a pack are, if they were kept as a pack.
fn check_chains(objects: &Path, inspector: &Inspector) -> Result<(), Fault> {
    let packs = objects.join("pack");
    let Ok(entries) = std::fs::read_dir(&packs) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry.map_err(Error::disk("list", &packs))?.path();
        if path.extension().is_some_and(|extension| extension == "idx") {
            inspector.check_chains(&path).map_err(Fault::Theirs)?;
        }
    }
    Ok(())
}

/// Reads on to the end, or to the limit.
async fn drain(body: &mut (impl AsyncRead + Unpin), max: u64) {
    // Nobody is interested any more.
    let _ = tokio::io::copy(&mut body.take(max), &mut tokio::io::sink()).await;
}
