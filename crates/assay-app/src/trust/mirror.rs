//! The logs in git: a repository that anyone clones, with the files of both logs as C2SP tlog-tiles
//! names them.
//!
//! It is written in batches, after the fact, and nothing here depends on it. Its history shows
//! every checkpoint that was mirrored, so whoever keeps a clone notices a log that was set back or
//! rewritten.

use std::sync::Arc;

use assay_git::{
    Blob, CommitPlan, Expected, FileMode, RefChange, RefName, Repositories, Repository, TreeEdit,
};
use assay_model::{RepoKey, Timestamp};
use assay_tlog::{Bundle, Log, LogPath, Tile};
use bytes::Bytes;
use tokio::io::AsyncRead;

use super::{Trust, Which, log_error};
use crate::commit::signature;
use crate::error::Error;
use crate::hub::blocking;
use crate::services::EvidenceService;

/// The one repository of the directory.
const MIRROR: RepoKey = RepoKey(1);

impl EvidenceService<'_> {
    /// Brings what others clone up to the logs: the mirror, and the receipts in the repositories of
    /// models.
    pub async fn mirror_logs(self) -> Result<(), Error> {
        if !self.hub.trust.is_writer() {
            return Ok(());
        }
        self.write_receipts().await?;
        let (trust, now) = (Arc::clone(&self.hub.trust), self.hub.now());
        blocking(move || trust.mirror(now)).await
    }

    /// Returns the first answer to a `git` that clones the mirror of the logs.
    pub async fn advertise_logs(self, protocol: Option<&str>) -> Result<Bytes, Error> {
        let git = self.mirrored().await?;
        let service = assay_git::Service::UploadPack;
        Ok(git.advertise(service, protocol).await?.into())
    }

    /// Answers a fetch from the mirror of the logs.
    pub async fn fetch_logs(
        self,
        protocol: Option<&str>,
        request: Box<dyn AsyncRead + Send + Unpin>,
    ) -> Result<Box<dyn AsyncRead + Send + Unpin>, Error> {
        let git = self.mirrored().await?;
        let pack = git
            .upload_pack(request, protocol, &self.hub.fetches)
            .await?;
        Ok(Box::new(pack))
    }

    async fn mirrored(self) -> Result<Repository, Error> {
        let (trust, now) = (Arc::clone(&self.hub.trust), self.hub.now());
        blocking(move || trust.mirror_repository(now)).await
    }
}

impl Trust {
    fn mirror_repository(&self, now: Timestamp) -> Result<Repository, Error> {
        let repositories = Repositories::new(self.directory.join("mirror"))?;
        match repositories.get(MIRROR) {
            Err(assay_git::Error::NoRepository(_)) => {}
            found => return Ok(found?),
        }
        let first = plan(Vec::new(), None, Vec::new(), "the logs of this hub", now);
        match repositories.create(MIRROR, &first) {
            Err(assay_git::Error::RepositoryExists(_)) => Ok(repositories.get(MIRROR)?),
            made => Ok(made?),
        }
    }

    fn mirror(&self, now: Timestamp) -> Result<(), Error> {
        let git = self.mirror_repository(now)?;
        let main = RefName::main();
        let head = git.find_ref(&main)?.map(|head| head.target);
        let mut operations = Vec::new();
        let mut sizes = Vec::new();
        for (which, log) in [
            (Which::Results, self.results()),
            (Which::Control, self.control()),
        ] {
            let folder = which.directory();
            // The log may grow meanwhile; what is mirrored belongs together.
            let checkpoint = log.checkpoint();
            let size = checkpoint.claimed().size;
            sizes.push(format!("{folder} {size}"));
            let old = mirrored_size(&git, head, folder, "checkpoint")?;
            operations.extend(self.mirrored_witnesses(which, size, &git, head)?);
            if old != Some(size) {
                operations.extend(changes(&log, folder, old.unwrap_or(0), size)?);
                operations.push(file(
                    folder,
                    "checkpoint",
                    checkpoint.to_string().into_bytes(),
                )?);
            }
        }
        if operations.is_empty() {
            return Ok(());
        }
        let parents = head.into_iter().collect();
        let plan = plan(parents, head, operations, &sizes.join(", "), now);
        let quarantine = git.quarantine();
        let commit = quarantine.write(&plan)?;
        quarantine.admit()?;
        git.update_refs(&[RefChange {
            name: main,
            expected: head.map_or(Expected::Absent, Expected::At),
            new: Some(commit),
        }])?;
        Ok(())
    }

    /// Returns the signatures of witnesses, when there are more: a signature that was only renewed
    /// is no news.
    fn mirrored_witnesses(
        &self,
        which: Which,
        size: u64,
        git: &Repository,
        head: Option<assay_model::ObjectId>,
    ) -> Result<Option<TreeEdit>, Error> {
        let (folder, name) = (which.directory(), "witnessed");
        // What is mirrored ends where its checkpoint does.
        let signed = self.witnessed(which)?;
        let Some(signed) = signed.filter(|signed| signed.claimed().size <= size) else {
            return Ok(None);
        };
        if mirrored_size(git, head, folder, name)? == Some(signed.claimed().size) {
            return Ok(None);
        }
        file(folder, name, signed.to_string().into_bytes()).map(Some)
    }
}

fn plan(
    parents: Vec<assay_model::ObjectId>,
    base: Option<assay_model::ObjectId>,
    operations: Vec<TreeEdit>,
    message: &str,
    now: Timestamp,
) -> CommitPlan {
    CommitPlan {
        parents,
        base,
        operations,
        message: message.to_owned(),
        author: signature(None, now),
        committer: signature(None, now),
    }
}

/// The size that a checkpoint of a log has in the mirror; none when it is not mirrored yet.
fn mirrored_size(
    git: &Repository,
    head: Option<assay_model::ObjectId>,
    folder: &str,
    name: &str,
) -> Result<Option<u64>, Error> {
    let Some(head) = head else { return Ok(None) };
    let path = format!("{folder}/{name}")
        .parse()
        .map_err(Error::internal)?;
    let objects = git.objects();
    let Some(entry) = objects.entry(head, &path)? else {
        return Ok(None);
    };
    let bytes = objects.read(entry.oid, crate::index::MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(text.lines().nth(1).and_then(|line| line.parse().ok()))
}

/// Returns the changes that turn the files of a log of one size into those of another, but for the
/// checkpoint.
fn changes(log: &Log, folder: &str, old: u64, new: u64) -> Result<Vec<TreeEdit>, Error> {
    let mut operations = Vec::new();
    let (before, after) = (partials(old), partials(new));
    for path in before.iter().filter(|path| !after.contains(path)) {
        let path = format!("{folder}/{path}")
            .parse()
            .map_err(Error::internal)?;
        operations.push(TreeEdit::Delete(path));
    }
    let grown = after.into_iter().filter(|path| !before.contains(path));
    for name in full_since(old, new).into_iter().chain(grown) {
        let name = name.to_string();
        let bytes = log.file(&name).map_err(log_error)?;
        let bytes = bytes.ok_or_else(|| Error::internal(format!("the log has no `{name}`")))?;
        operations.push(file(folder, &name, bytes)?);
    }
    Ok(operations)
}

fn file(folder: &str, name: &str, bytes: Vec<u8>) -> Result<TreeEdit, Error> {
    Ok(TreeEdit::Put {
        path: format!("{folder}/{name}")
            .parse()
            .map_err(Error::internal)?,
        blob: Blob::Bytes(bytes),
        mode: FileMode::Regular,
    })
}

/// Returns the number of hashes that each level of a tree has, from the leaves up.
fn levels(size: u64) -> impl Iterator<Item = (u8, u64)> {
    (0..Tile::LEVELS)
        .map(move |level| (level, size >> (8 * u32::from(level))))
        .take_while(|(_, count)| *count > 0)
}

/// The files of a log of some size that are not full.
fn partials(size: u64) -> Vec<LogPath> {
    let width = u64::from(Tile::WIDTH);
    let mut paths = Vec::new();
    for (level, count) in levels(size) {
        let Ok(rest) = u16::try_from(count % width) else {
            continue;
        };
        if rest == 0 {
            continue;
        }
        let index = count / width;
        paths.push(LogPath::Tile(Tile {
            level,
            index,
            width: rest,
        }));
        if level == 0 {
            paths.push(LogPath::Bundle(Bundle { index, width: rest }));
        }
    }
    paths
}

/// The files that have become full between two sizes.
fn full_since(old: u64, new: u64) -> Vec<LogPath> {
    let width = u64::from(Tile::WIDTH);
    let mut paths = Vec::new();
    for (level, count) in levels(new) {
        let had = (old >> (8 * u32::from(level))) / width;
        for index in had..count / width {
            paths.push(LogPath::Tile(Tile {
                level,
                index,
                width: Tile::WIDTH,
            }));
            if level == 0 {
                paths.push(LogPath::Bundle(Bundle {
                    index,
                    width: Tile::WIDTH,
                }));
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn files(size: u64) -> BTreeSet<String> {
        let full = full_since(0, size).into_iter();
        full.chain(partials(size))
            .map(|path| path.to_string())
            .collect()
    }

    #[test]
    fn the_files_of_a_log_grow_from_one_size_to_another() {
        let mut known = BTreeSet::new();
        let mut old = 0;
        for new in [1, 5, 255, 256, 257, 600, 65_536, 65_537, 70_000] {
            for path in partials(old) {
                known.remove(&path.to_string());
            }
            known.extend(
                full_since(old, new)
                    .into_iter()
                    .map(|path| path.to_string()),
            );
            known.extend(partials(new).into_iter().map(|path| path.to_string()));

            assert_eq!(known, files(new), "{new}");
            old = new;
        }
        assert!(known.contains("tile/1/000"));
        assert!(known.contains("tile/entries/273.p/112"));
    }

    #[test]
    fn a_small_log_has_one_tile_and_one_bundle() {
        let all: Vec<String> = files(5).into_iter().collect();

        assert_eq!(all, ["tile/0/000.p/5", "tile/entries/000.p/5"]);
        assert!(files(0).is_empty());
    }
}
