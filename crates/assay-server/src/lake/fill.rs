//! Hands what is public in the hub to its lake, and takes back what is not.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use assay_app::{Error, Hub};
use assay_formats::lake_api::Ingested;

use super::{Lake, SOURCES};
use crate::config::Config;
use crate::error::Failure;
use crate::metrics::Metrics;

/// How often it is looked whether something has changed.
const EVERY: Duration = Duration::from_secs(1);
/// Held by the one process that fills the lake, when several serve one hub.
const LOCK: &str = ".lock";

/// What has been handed over, and what still has to be.
#[derive(Debug)]
pub(crate) struct Filler {
    root: PathBuf,
    /// The change after which everything was handed over.
    seen: Option<u64>,
    /// Directories that have changed and were not taken in yet. At the start that is all of them: who died between writing
    /// and taking in leaves no note of it, and what is the same is passed over.
    pending: BTreeSet<PathBuf>,
}

impl Filler {
    /// One that has handed over nothing yet.
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            root: config.data.join(SOURCES),
            seen: None,
            pending: ["models", "datasets"].map(PathBuf::from).into(),
        }
    }

    /// Hands over what has changed. Returns what became of it; none when nothing has changed.
    pub(crate) async fn step(
        &mut self,
        hub: &Hub,
        lake: &Lake,
    ) -> Result<Option<Ingested>, Failure> {
        let change = hub.change_number().await?;
        if self.seen == Some(change) && self.pending.is_empty() {
            return Ok(None);
        }
        if self.seen != Some(change) {
            let changed = hub.export_public(&self.root).await?;
            self.pending.extend(changed);
            self.seen = Some(change);
        }
        if self.pending.is_empty() {
            return Ok(None);
        }
        let directories = self.pending.iter().cloned().collect();
        let ingested = lake.ingest(directories).await?;
        self.pending.clear();
        Ok(Some(ingested))
    }
}

/// Keeps the lake up to the hub for as long as this is polled. A lake that somebody else has started is theirs to fill.
pub(crate) async fn fill(hub: Arc<Hub>, config: Config, metrics: Arc<Metrics>) {
    let lake = Lake::of(&config).filter(|_| config.lake.directory.is_some());
    let Some(lake) = lake else {
        return;
    };
    let mut filler = Filler::new(&config);
    let Some(_lock) = locked(&filler.root).await else {
        return;
    };
    loop {
        match filler.step(&hub, &lake).await {
            Ok(Some(ingested)) => tell(&ingested),
            Ok(None) => {}
            // It is being started; what is pending waits.
            Err(Failure(error)) if matches!(*error, Error::Unavailable(_)) => {}
            Err(Failure(error)) => tracing::warn!("failed to fill the lake: {error}"),
        }
        metrics.lake_pending.set(filler.pending.len());
        tokio::time::sleep(EVERY).await;
    }
}

/// Waits until no other process fills the lake.
async fn locked(root: &Path) -> Option<File> {
    let open = || {
        fs_err::create_dir_all(root)?;
        File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(root.join(LOCK))
    };
    let file = open()
        .inspect_err(|error| tracing::error!("failed to make `{}`: {error}", root.display()))
        .ok()?;
    while file.try_lock().is_err() {
        tokio::time::sleep(EVERY).await;
    }
    Some(file)
}

fn tell(ingested: &Ingested) {
    let Ingested {
        added,
        replaced,
        removed,
        refused,
        ..
    } = ingested;
    tracing::info!(
        added,
        replaced,
        removed,
        "the lake took {added} new files in"
    );
    for (path, reason) in refused {
        tracing::warn!("`{path}` did not come into the lake: {reason}");
    }
}
