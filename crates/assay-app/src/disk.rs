//! Recognition of a full or read-only disk in the errors of any layer.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;

use assay_tlog::LogError;

/// A reason of the disk for refusing writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskFault {
    /// There is no space left, or what the hub's user may take of it is taken.
    Full,
    /// It can only be read.
    ReadOnly,
}

/// Messages of `git` for the same, in the C locale.
const SAID_BY_GIT: [(&str, DiskFault); 4] = [
    ("No space left on device", DiskFault::Full),
    ("Out of diskspace", DiskFault::Full),
    ("Disk quota exceeded", DiskFault::Full),
    ("Read-only file system", DiskFault::ReadOnly),
];

impl DiskFault {
    /// Finds what the disk said behind an error.
    pub(crate) fn behind(error: &(dyn StdError + 'static)) -> Option<Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(fault) = Self::of(error) {
                return Some(fault);
            }
            next = error.source();
        }
        None
    }

    fn of(error: &(dyn StdError + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Self::of_io(error);
        }
        if let Some(error) = error.downcast_ref::<Arc<io::Error>>() {
            return Self::of_io(error);
        }
        if let Some(error) = error.downcast_ref::<assay_store::Error>() {
            return error.disk_fault().and_then(Self::of_kind);
        }
        if let Some(LogError::Broken(first)) = error.downcast_ref::<LogError>() {
            return Self::behind(&**first);
        }
        match error.downcast_ref::<assay_git::Error>() {
            Some(assay_git::Error::Git { output, .. }) => SAID_BY_GIT
                .into_iter()
                .find(|(text, _)| output.contains(text))
                .map(|(_, fault)| fault),
            Some(_) | None => None,
        }
    }

    /// Classifies an I/O error, or the error wrapped in it, which `source` skips.
    fn of_io(error: &io::Error) -> Option<Self> {
        let inner = || Self::behind(error.get_ref()?);
        Self::of_kind(error.kind()).or_else(inner)
    }

    fn of_kind(kind: io::ErrorKind) -> Option<Self> {
        match kind {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(Self::Full),
            io::ErrorKind::ReadOnlyFilesystem => Some(Self::ReadOnly),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn a_full_disk_is_told_from_one_that_can_only_be_read_and_from_our_own_faults() {
        let io = |kind| Error::internal(io::Error::from(kind));
        let by_git = |output: &str| {
            Error::from(assay_git::Error::Git {
                subcommand: "index-pack",
                output: output.to_owned(),
            })
        };

        for full in [
            io(io::ErrorKind::StorageFull),
            io(io::ErrorKind::QuotaExceeded),
            by_git("fatal: write error: No space left on device"),
            by_git("fatal: sha1 file 'x.idx' write error. Out of diskspace"),
            Error::from(assay_git::Error::Disk {
                action: "write",
                path: "x".into(),
                source: io::ErrorKind::StorageFull.into(),
            }),
            Error::internal(io::Error::other(io::Error::from(
                io::ErrorKind::StorageFull,
            ))),
        ] {
            assert!(matches!(full, Error::NoSpace(_)), "{full:?}");
        }
        for fixed in [
            io(io::ErrorKind::ReadOnlyFilesystem),
            by_git("error: unable to create file: Read-only file system"),
        ] {
            assert!(matches!(fixed, Error::ReadOnly(_)), "{fixed:?}");
        }
        for ours in [
            io(io::ErrorKind::PermissionDenied),
            by_git("fatal: bad object"),
        ] {
            assert!(matches!(ours, Error::Internal(_)), "{ours:?}");
        }
    }
}
