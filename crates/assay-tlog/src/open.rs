use std::fs::{File, TryLockError};
use std::path::Path;

use crate::checkpoint::{CheckpointError, SignedCheckpoint};
use crate::disk::{Access, Disk};
use crate::error::LogError;
use crate::hash::TreeHash;
use crate::key::{NoteKey, VerifierKey};
use crate::recover::{Recovered, recover};
use crate::slots::{Record, Slots};
use crate::tree::Tree;

/// The keys that the last checkpoint may be signed with.
pub(crate) struct Keys<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) current: VerifierKey,
    pub(crate) former: &'a [VerifierKey],
}

impl Keys<'_> {
    /// Makes sure that a checkpoint was signed with one of them.
    pub(crate) fn check(&self, record: &Record) -> Result<(), LogError> {
        let outcome = record.checkpoint.verify(&self.current);
        let is_former = |key: &VerifierKey| record.checkpoint.verify(key).is_ok();
        match outcome {
            Ok(_) => Ok(()),
            Err(_) if self.former.iter().any(is_former) => Ok(()),
            Err(source) => Err(self.not_ours(source)),
        }
    }

    fn not_ours(&self, source: CheckpointError) -> LogError {
        LogError::NotOurs {
            dir: self.dir.to_owned(),
            source,
        }
    }

    /// Signs the last checkpoint again when it was signed with a former key.
    pub(crate) fn renew(
        &self,
        record: Record,
        key: &NoteKey,
        signed: &mut Slots,
    ) -> Result<Record, LogError> {
        if record.checkpoint.verify(&self.current).is_ok() {
            return Ok(record);
        }
        let claimed = record.checkpoint.claimed();
        let record = Record {
            checkpoint: SignedCheckpoint::sign(claimed.size, claimed.root, key),
            ..record
        };
        signed.write(&record)?;
        signed.sync()?;
        Ok(record)
    }
}

/// Lets no other process write the log for as long as the file is open.
pub(crate) fn lock(dir: &Path) -> Result<File, LogError> {
    let path = dir.join("lock");
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(LogError::io("open", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LogError::InUse(dir.to_owned())),
        Err(TryLockError::Error(error)) => Err(LogError::io("lock", &path)(error)),
    }
}

/// Begins a log: an empty one is signed for before it gets its first leaf. So where there are
/// entries, there is a checkpoint.
pub(crate) fn begin(
    disk: &Disk,
    key: &NoteKey,
    signed: &mut Slots,
    remembered: Option<&Record>,
) -> Result<Record, LogError> {
    if let Some(remembered) = remembered {
        return Err(rollback(disk.dir(), remembered, 0));
    }
    if disk.entries_length()? > 0 {
        return Err(LogError::Damaged(disk.dir().join("checkpoint.last")));
    }
    let record = Record {
        end: 0,
        settled: 0,
        checkpoint: SignedCheckpoint::sign(0, TreeHash::of_nothing(), key),
    };
    signed.write(&record)?;
    signed.sync()?;
    // The names of new files are durable only when the directories that have them are.
    for dir in [Some(disk.dir()), disk.dir().parent()]
        .into_iter()
        .flatten()
    {
        let sync = File::open(dir).and_then(|dir| dir.sync_all());
        sync.map_err(LogError::io("sync", dir))?;
    }
    Ok(record)
}

/// Makes sure that the log is what was signed, all of it, and not an old copy.
pub(crate) fn restore(
    disk: &Disk,
    record: &Record,
    remembered: Option<&Record>,
    access: Access,
    keys: &Keys<'_>,
) -> Result<Recovered, LogError> {
    let size = record.checkpoint.claimed().size;
    if let Some(remembered) = remembered {
        keys.check(remembered)?;
        if remembered.checkpoint.claimed().size > size {
            return Err(rollback(disk.dir(), remembered, size));
        }
    }
    let found = disk.entries_length()?;
    if found < record.end {
        return Err(LogError::Smaller {
            dir: disk.dir().to_owned(),
            signed: record.end,
            found,
        });
    }
    let recovered = recover(disk, record, access)?;
    if let Some(remembered) = remembered {
        let claimed = remembered.checkpoint.claimed();
        if Tree::new(disk, size).root(claimed.size)? != claimed.root {
            return Err(LogError::Differs {
                dir: disk.dir().to_owned(),
                size: claimed.size,
            });
        }
    }
    Ok(recovered)
}

fn rollback(dir: &Path, remembered: &Record, found: u64) -> LogError {
    LogError::Rollback {
        dir: dir.to_owned(),
        remembered: remembered.checkpoint.claimed().size,
        found,
    }
}
