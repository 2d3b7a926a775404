//! Hands what is public in the hub to its lake, and takes back what is not.

use axum::http::StatusCode;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_app::{Error, Hub};
use assay_formats::lake_api::Ingested;
use assay_model::{ObjectId, chain};

use super::client::Unanswered;
use super::{Lake, ROOTS, SOURCES};
use crate::config::Config;
use crate::error::{Cause, Failure};
use crate::metrics::Metrics;

/// The interval at which changes are looked for.
const EVERY: Duration = Duration::from_secs(1);
/// Held by the one process that fills the lake, when several serve one hub.
const LOCK: &str = ".lock";

/// The first wait before something that failed is tried again.
const FIRST_RETRY: Duration = Duration::from_secs(2);
/// The longest wait before something that failed is tried again.
const LONGEST_RETRY: Duration = Duration::from_mins(5);

/// The state of handing over.
#[derive(Debug)]
pub(crate) struct Filler {
    root: PathBuf,
    /// The change after which everything was written to the directory.
    seen: Option<u64>,
    /// Directories that have changed and were not taken in yet. At the start that is all of them:
    /// who died between writing and taking in leaves no note of it, and what is the same is passed
    /// over.
    pending: BTreeSet<PathBuf>,
    /// Repositories that could not be written, by their directory, with the commit that could not.
    unwritten: BTreeMap<PathBuf, (ObjectId, Retry)>,
    /// Directories that the lake could not take in.
    refused: BTreeMap<PathBuf, Retry>,
    /// True if directories are handed over one by one, because all at once failed.
    one_by_one: bool,
}

/// A later attempt.
#[derive(Debug, Clone, Copy)]
struct Retry {
    at: Instant,
    wait: Duration,
}

impl Retry {
    /// The attempt after one that failed just now, later than the one before it was.
    fn after(before: Option<Self>) -> Self {
        let wait = before.map_or(FIRST_RETRY, |before| LONGEST_RETRY.min(before.wait * 2));
        Self {
            at: Instant::now() + wait,
            wait,
        }
    }

    fn is_due(self) -> bool {
        self.at <= Instant::now()
    }
}

impl Filler {
    /// One that has handed over nothing yet.
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            root: config.data.join(SOURCES),
            seen: None,
            pending: ROOTS.map(PathBuf::from).into(),
            unwritten: BTreeMap::new(),
            refused: BTreeMap::new(),
            one_by_one: false,
        }
    }

    /// Hands over what has changed. Returns what became of it; none when nothing has changed.
    pub(crate) async fn step(
        &mut self,
        hub: &Hub,
        lake: &Lake,
    ) -> Result<Option<Ingested>, Failure> {
        let change = hub.lake().change_number().await?;
        let is_due = self.unwritten.values().any(|(_, retry)| retry.is_due());
        if self.seen != Some(change) || is_due {
            self.write(hub).await?;
            self.seen = Some(change);
        }
        let due = self.refused.iter().filter(|(_, retry)| retry.is_due());
        self.pending.extend(due.map(|(path, _)| path.clone()));
        if self.pending.is_empty() {
            return Ok(None);
        }
        if self.one_by_one {
            return self.hand_over_each(lake).await.map(Some);
        }
        match lake.ingest(self.pending.iter().cloned().collect()).await {
            Ok(ingested) => {
                self.pending.clear();
                self.refused.clear();
                Ok(Some(ingested))
            }
            // It is being started; what is pending waits.
            Err(Unanswered::Absent) => Err(Unanswered::Absent.into()),
            Err(failed) => {
                let Failure(error) = failed.into();
                tracing::warn!("the lake does not take everything in: {}", chain(&*error));
                self.one_by_one = true;
                self.hand_over_each(lake).await.map(Some)
            }
        }
    }

    /// Brings the directory up to the hub. A repository that fails is tried again later, and is the
    /// only one that waits.
    async fn write(&mut self, hub: &Hub) -> Result<(), Failure> {
        let waiting = self.unwritten.iter();
        let waiting = waiting
            .filter(|(_, (_, retry))| !retry.is_due())
            .map(|(path, (head, _))| (path.clone(), *head))
            .collect();
        let exported = hub.lake().export_public(&self.root, &waiting).await?;
        self.pending.extend(exported.changed);
        let before = std::mem::take(&mut self.unwritten);
        for failed in exported.failed {
            tracing::warn!(
                repository = failed.repository,
                "`{}` does not come into the lake: {}",
                failed.repository,
                chain(&failed.error)
            );
            let former = before.get(&failed.directory).map(|(_, retry)| *retry);
            let retry = Retry::after(former);
            self.unwritten
                .insert(failed.directory, (failed.head, retry));
        }
        for (path, head) in waiting {
            if let Some((_, retry)) = before.get(&path) {
                self.unwritten.entry(path).or_insert((head, *retry));
            }
        }
        Ok(())
    }

    /// Hands directories over one by one, so that one that fails keeps no other out of the lake.
    async fn hand_over_each(&mut self, lake: &Lake) -> Result<Ingested, Failure> {
        self.pending = repositories_in(&self.root, &self.pending);
        let mut sum = Ingested::default();
        for path in self.pending.clone() {
            match lake.ingest(vec![path.clone()]).await {
                Ok(ingested) => {
                    add(&mut sum, ingested);
                    self.refused.remove(&path);
                    self.pending.remove(&path);
                }
                Err(Unanswered::Absent) => return Err(Unanswered::Absent.into()),
                Err(failed) => {
                    let Failure(error) = failed.into();
                    let error = chain(&*error);
                    tracing::warn!("the lake cannot take `{}` in: {error}", path.display());
                    let former = self.refused.get(&path).copied();
                    self.pending.remove(&path);
                    self.refused.insert(path, Retry::after(former));
                }
            }
        }
        self.one_by_one = !self.refused.is_empty();
        Ok(sum)
    }
}

/// The directories of single repositories, in place of those that hold many.
fn repositories_in(root: &Path, directories: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut single = BTreeSet::new();
    for directory in directories {
        if !ROOTS.iter().any(|kind| directory == Path::new(kind)) {
            single.insert(directory.clone());
            continue;
        }
        let entries = fs_err::read_dir(root.join(directory)).into_iter().flatten();
        single.extend(
            entries
                .flatten()
                .map(|entry| directory.join(entry.file_name())),
        );
    }
    single
}

fn add(sum: &mut Ingested, one: Ingested) {
    sum.added += one.added;
    sum.replaced += one.replaced;
    sum.unchanged += one.unchanged;
    sum.removed += one.removed;
    sum.refused.extend(one.refused);
}

/// Keeps the lake up to the hub for as long as this is polled. A lake that somebody else has
/// started is theirs to fill.
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
            Err(Failure(error)) if is_away(&error) => {}
            Err(Failure(error)) => {
                tracing::warn!("failed to fill the lake: {}", chain(&*error));
            }
        }
        metrics.lake_pending.set(filler.pending.len() as u64);
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

/// Returns whether the lake cannot answer at the moment, and will a little later.
fn is_away(cause: &Cause) -> bool {
    match cause {
        Cause::Hub(error) => matches!(error, Error::Busy(_)),
        Cause::Server { status, .. } => *status == StatusCode::SERVICE_UNAVAILABLE,
    }
}
