//! A log checked from outside, through nothing but its files.

mod fault;
mod files;
mod quorum;
mod walk;

pub use self::fault::AuditFault;
use self::files::Files;
pub use self::quorum::{Quorum, QuorumReport};
use self::walk::{Walk, WalkResult};
use crate::checkpoint::{Checkpoint, SignedCheckpoint};
use crate::key::VerifierKey;
use crate::source::LogSource;
use crate::tree::Tree;

/// The thoroughness of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// Every entry is read and hashed, and every tile is compared with what comes out.
    #[default]
    Entries,
    /// A few tiles prove that the log goes on from the earlier checkpoint, and only entries since
    /// then are read. When something is wrong, everything is read after all, to tell what.
    Tiles,
}

/// Options of an audit.
#[derive(Default)]
pub struct AuditOptions<'a> {
    /// A checkpoint of the same log that was kept from an earlier audit.
    pub since: Option<&'a SignedCheckpoint>,
    /// Former keys of the log, such as the same key under the former name: the earlier checkpoint
    /// may be signed with one.
    pub former: &'a [VerifierKey],
    /// The thoroughness.
    pub depth: Depth,
    /// Progress callback: leaves hashed so far, and leaves in all.
    pub progress: Option<&'a dyn Fn(u64, u64)>,
    /// The witnesses that must have signed this history.
    pub quorum: Option<Quorum<'a>>,
}

/// The report of an audit that found no fault.
#[derive(Debug, Clone)]
pub struct AuditReport {
    /// The checkpoint, to keep for the next audit.
    pub checkpoint: SignedCheckpoint,
    /// The size of the earlier checkpoint that the log goes on from.
    pub since: Option<u64>,
    /// The signatures of the required witnesses.
    pub seen: Option<QuorumReport>,
    /// Number of entries read and hashed.
    pub entries: u64,
    /// Number of files fetched.
    pub files: u64,
    /// Size of these files in bytes.
    pub bytes: u64,
}

/// Checks a log. Nothing that the source says is believed but what hashes to a root that the key
/// signed.
pub fn audit(
    source: &mut dyn LogSource,
    key: &VerifierKey,
    options: &AuditOptions<'_>,
) -> Result<AuditReport, AuditFault> {
    let mut files = Files::new(source);
    let since = earlier(options.since, key, options.former)?;
    // What witnesses have seen is asked for first: the log may grow meanwhile, and must not shrink.
    let witnessed = match options.quorum {
        Some(_) => files.witnessed()?,
        None => None,
    };
    let signed = match (files.checkpoint()?, since) {
        (Some(signed), _) => signed,
        (None, None) => return Err(AuditFault::NoCheckpoint),
        (None, Some(Checkpoint { size: was, .. })) => {
            return Err(AuditFault::Shrunk { was: *was, is: 0 });
        }
    };
    let checkpoint = signed.verify(key).map_err(AuditFault::NotSigned)?;
    compare(since, checkpoint, &signed, options)?;
    let entries = match options.depth {
        Depth::Entries => None,
        Depth::Tiles => shortcut(&mut files, checkpoint, since, options)?,
    };
    let entries = if let Some(entries) = entries {
        entries
    } else {
        whole(&mut files, checkpoint, &signed, options)?;
        checkpoint.size
    };
    let seen = match options.quorum {
        Some(quorum) => Some(quorum.check(&mut files, key, &signed, witnessed)?),
        None => None,
    };
    Ok(AuditReport {
        seen,
        since: since.map(|since| since.size),
        entries,
        files: files.fetched(),
        bytes: files.bytes(),
        checkpoint: signed,
    })
}

/// The earlier checkpoint, if it is one of this log: it proves nothing unless the log signed it
/// too.
fn earlier<'a>(
    since: Option<&'a SignedCheckpoint>,
    key: &VerifierKey,
    former: &[VerifierKey],
) -> Result<Option<&'a Checkpoint>, AuditFault> {
    let Some(since) = since else {
        return Ok(None);
    };
    let fault = match since.verify(key) {
        Ok(checkpoint) => return Ok(Some(checkpoint)),
        Err(fault) => fault,
    };
    let mut checked = former.iter().filter_map(|key| since.verify(key).ok());
    let signed = checked.next().ok_or(AuditFault::EarlierNotSigned(fault))?;
    Ok(Some(signed))
}

/// Compares two checkpoints without reading any entry.
fn compare(
    since: Option<&Checkpoint>,
    now: &Checkpoint,
    signed: &SignedCheckpoint,
    options: &AuditOptions<'_>,
) -> Result<(), AuditFault> {
    let Some(since) = since else { return Ok(()) };
    if now.size < since.size {
        return Err(AuditFault::Shrunk {
            was: since.size,
            is: now.size,
        });
    }
    if now.size == since.size && now.root != since.root {
        return Err(forked(signed, options));
    }
    Ok(())
}

/// Hashes every entry. It tells apart what was changed below a signature and what was signed
/// differently.
fn whole(
    files: &mut Files<'_>,
    now: &Checkpoint,
    signed: &SignedCheckpoint,
    options: &AuditOptions<'_>,
) -> Result<(), AuditFault> {
    let since = options.since.map(SignedCheckpoint::claimed);
    let walk = Walk::from_start(now.size, since.map(|since| since.size));
    let WalkResult {
        root,
        earlier,
        first_difference,
    } = walk.run(files, options.progress)?;
    if root != now.root {
        return Err(AuditFault::Rewritten {
            index: first_difference.map(|(index, _)| index),
        });
    }
    // The entries are those under the new signature. If they are not those under the old one, the
    // log signed for two histories.
    if let (Some(since), Some(earlier)) = (since, earlier)
        && since.root != earlier
    {
        return Err(forked(signed, options));
    }
    match first_difference {
        None => Ok(()),
        Some((_, path)) => Err(AuditFault::TileDiffers { path }),
    }
}

/// Goes on from the earlier checkpoint, and returns how many entries it had to read; none when that
/// leads nowhere.
fn shortcut(
    files: &mut Files<'_>,
    now: &Checkpoint,
    since: Option<&Checkpoint>,
    options: &AuditOptions<'_>,
) -> Result<Option<u64>, AuditFault> {
    let mut tree = Tree::new(&mut *files, now.size);
    if tree.root(now.size)? != now.root {
        return Ok(None);
    }
    let Some(since) = since else {
        return Ok(Some(0));
    };
    let frontier = tree.frontier(since.size)?;
    if frontier.root() != since.root {
        return Ok(None);
    }
    let walked = Walk::from_frontier(frontier, now.size).run(files, options.progress)?;
    Ok((walked.root == now.root).then_some(now.size - since.size))
}

fn forked(signed: &SignedCheckpoint, options: &AuditOptions<'_>) -> AuditFault {
    let old = options.since.unwrap_or(signed);
    AuditFault::Forked {
        old: Box::new(old.clone()),
        new: Box::new(signed.clone()),
    }
}
