//! Large files that no repository has any more.

use std::collections::BTreeMap;
use std::time::Duration;

use assay_git::LargeFileId;
use assay_model::Timestamp;
use assay_store::{AuditAction, AuditSubject, Sha256, Upload};

use crate::access::Caller;
use crate::error::Error;
use crate::hub::alongside;
use crate::services::OperationService;

/// The time that an unnamed file is kept: its upload may be under way, or its repository may have
/// been deleted by mistake and be brought back from a backup.
pub const GRACE: Duration = Duration::from_hours(1);
/// The time after which an upload ends that no commit names.
pub const UPLOAD_LIFE: Duration = Duration::from_hours(24);
/// The most uploads that end in one step.
const UPLOADS: u32 = 500;
/// Number of files that are looked at while others wait to write.
const CHUNK: usize = 64;

/// The outcome of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// Number of files no repository that has.
    pub files: u64,
    /// Number of bytes that those are.
    pub bytes: u64,
    /// The total number of files.
    pub kept: u64,
}

impl OperationService<'_> {
    /// Ends uploads that no commit named within [`UPLOAD_LIFE`], and returns how many. Their bytes
    /// go when large files are collected. One that a branch, tag or pull request names by now is
    /// kept instead.
    pub async fn end_uploads(self) -> Result<u64, Error> {
        let life = i64::try_from(UPLOAD_LIFE.as_millis()).unwrap_or(i64::MAX);
        let before = Timestamp::from_millis(self.hub.now().millis().saturating_sub(life));
        let mut ended = 0;
        loop {
            let old = self.hub.store.uploads_before(before, UPLOADS).await?;
            for upload in &old {
                let oid = LargeFileId::from_bytes(*upload.oid.as_bytes());
                let is_named = self
                    .hub
                    .with_git(upload.key, move |git| {
                        for reference in git.refs()? {
                            if git.objects().names_large_file(reference.target, oid)? {
                                return Ok(true);
                            }
                        }
                        Ok(false)
                    })
                    .await;
                let mut tx = self.hub.store.begin().await?;
                match is_named {
                    Ok(true) => {
                        tx.add_large_object(upload.key, &upload.oid, upload.size)
                            .await?;
                    }
                    Ok(false) => ended += 1,
                    // A repository that cannot be read keeps what it waits for.
                    Err(error) => {
                        tracing::warn!(key = %upload.key, %error, "an upload stays: its repository cannot be read");
                        tx.add_upload(&Upload {
                            uploaded: self.hub.now(),
                            ..upload.clone()
                        })
                        .await?;
                        tx.commit().await?;
                        continue;
                    }
                }
                tx.remove_upload(upload.key, &upload.oid).await?;
                tx.commit().await?;
            }
            if old.len() < UPLOADS as usize {
                return Ok(ended);
            }
        }
    }

    /// Removes the large files that no repository has and that came longer ago than `grace`; or
    /// only counts them. Others may work meanwhile. For operators.
    pub async fn collect_large_files(
        self,
        caller: &Caller,
        grace: Duration,
        dry_run: bool,
    ) -> Result<Collected, Error> {
        caller.check_operator()?;
        let aside = self.unrecorded().await?.len();
        if aside > 0 && !dry_run {
            return Err(Error::Operator(format!(
                "{aside} repositories are set aside because the database does not know them, and their large files have no other \
                 record; bring them back with `assay admin adopt`, or remove what `assay admin unrecorded` lists, first"
            )));
        }
        if !dry_run {
            self.end_uploads().await?;
        }
        let large_files = &self.hub.large_files;
        let listed = large_files.list().await?;
        let now = large_files.now().await?;
        let oldest = now.checked_sub(grace).unwrap_or(std::time::UNIX_EPOCH);
        let mut collected = Collected {
            kept: listed.len() as u64,
            ..Collected::default()
        };
        let old: BTreeMap<LargeFileId, u64> = listed
            .into_iter()
            .filter(|file| file.came <= oldest)
            .map(|file| (file.oid, file.size))
            .collect();
        let oids: Vec<LargeFileId> = old.keys().copied().collect();
        for some in oids.chunks(CHUNK) {
            // While we write, nobody can say that a repository has one of these.
            let mut tx = self.hub.store.begin().await?;
            let mut unused = Vec::new();
            for oid in some {
                let hash = Sha256::from_bytes(*oid.as_bytes());
                if !tx.large_object_in_use(&hash).await? {
                    unused.push(*oid);
                }
            }
            let removed = if dry_run {
                unused
            } else {
                alongside(&mut tx, large_files.remove_older(unused, oldest)).await?
            };
            for oid in removed {
                collected.files += 1;
                collected.bytes += old.get(&oid).copied().unwrap_or_default();
                collected.kept -= 1;
            }
            tx.rollback().await?;
        }
        if !dry_run {
            let words = format!("{} files, {} bytes", collected.files, collected.bytes);
            let subject = AuditSubject::hub().with(words);
            self.audit_alone(caller, AuditAction::LargeFilesCollected, subject)
                .await?;
        }
        Ok(collected)
    }
}
