//! Large files that are moved between the disk and object storage.

use std::sync::Arc;

use assay_model::Clock;
use tokio::runtime::Handle;

use crate::config::HubConfig;
use crate::data_dir_lock::{ServerMark, Servers};
use crate::error::Error;
use crate::hub::{Hub, blocking};
use crate::hub_file::HubFile;
use crate::large_storage::{LargeFilesPlace, LargeStorage};

/// Large files that have another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedLargeFiles {
    /// Their former place; they are still there.
    pub from: LargeFilesPlace,
    /// The number of files.
    pub files: u64,
    /// Number of bytes that they have.
    pub bytes: u64,
    /// The number of copied files; the others were there already.
    pub copied: u64,
}

/// Copies the large files of a hub that is stopped to another place, which is theirs from then on.
/// Each is proven by its SHA-256. One that is interrupted leaves the hub as it was, and goes on
/// where it stopped.
pub async fn move_large_files(
    config: HubConfig,
    clock: Arc<dyn Clock>,
    to: &LargeFilesPlace,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<MovedLargeFiles, Error> {
    let file = HubFile::read(&config.data)?.ok_or_else(|| {
        let data = config.data.display();
        Error::Operator(format!(
            "no server has worked in `{data}` yet; start one with `large_files = \"{to}\"`"
        ))
    })?;
    let _alone = ServerMark::set(&config.data, Servers::One)?;
    let config = HubConfig {
        large_files: None,
        ..config
    };
    let hub = Hub::visit(config.clone(), clock).await?;
    let (source, target) = (hub.large_files.clone(), LargeStorage::at(&config, to)?);
    let from = source.place();
    if from == *to {
        return Err(Error::Operator(format!(
            "the large files of this hub are in `{to}` already"
        )));
    }
    let listed = source.list().await?;
    let total = listed.len() as u64;
    let mut moved = MovedLargeFiles {
        from,
        files: total,
        bytes: listed.iter().map(|file| file.size).sum(),
        copied: 0,
    };
    for (done, stored) in (0..).zip(listed) {
        progress(done, total);
        // A file appears there when it is proven, so one that is there is whole.
        if target.size(stored.oid).await? == Some(stored.size) {
            continue;
        }
        let (source, target, runtime) = (source.clone(), target.clone(), Handle::current());
        blocking(move || {
            let reader = source.reader(stored.oid, &runtime)?;
            target.put(stored.oid, stored.size, reader)
        })
        .await?;
        moved.copied += 1;
    }
    progress(total, total);
    HubFile {
        large_files: to.bucket().map(ToOwned::to_owned),
        ..file
    }
    .write(&config.data)?;
    Ok(moved)
}
