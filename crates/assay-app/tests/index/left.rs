//! A hub that has ended, and what happens to its directory before the next start.

use std::sync::Arc;

use assay_app::{Caller, Error, Hub, HubConfig, Limits};
use assay_git::Repositories;
use assay_model::Clock;
use assay_testkit::clock::TestClock;
use tempfile::TempDir;

use crate::support::{World, everyone, lines, repo_id, settings};

/// The directory of a hub that has ended.
pub(crate) struct Left {
    directory: TempDir,
    pub(crate) clock: Arc<TestClock>,
    limits: Limits,
}

impl From<World> for Left {
    fn from(world: World) -> Self {
        Self {
            directory: world.directory,
            clock: world.clock,
            limits: world.limits,
        }
    }
}

impl Left {
    pub(crate) fn data(&self) -> &std::path::Path {
        self.directory.path()
    }

    /// Returns the configuration of a start.
    pub(crate) fn config(&self) -> HubConfig {
        settings(&self.directory, &self.clock, self.limits).0
    }

    pub(crate) fn repositories(&self) -> Repositories {
        Repositories::new(self.data().join("repos")).unwrap()
    }

    /// Starts the hub again.
    pub(crate) async fn start(&self) -> Result<Arc<Hub>, Error> {
        self.start_with(self.config()).await
    }

    pub(crate) async fn start_with(&self, config: HubConfig) -> Result<Arc<Hub>, Error> {
        Hub::open(config, Arc::clone(&self.clock) as Arc<dyn Clock>).await
    }

    pub(crate) async fn visit_with(&self, config: HubConfig) -> Result<Arc<Hub>, Error> {
        Hub::visit(config, Arc::clone(&self.clock) as Arc<dyn Clock>).await
    }

    /// Opens the hub to adopt what has no record.
    pub(crate) async fn adopter(&self, dry_run: bool) -> Arc<Hub> {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        let opened = Hub::open_for_adoption(self.config(), clock, dry_run).await;
        opened.unwrap()
    }

    /// The database and the files beside it.
    pub(crate) fn database_files(&self) -> Vec<std::path::PathBuf> {
        ["hub.db", "hub.db-wal", "hub.db-shm"]
            .map(|name| self.data().join(name))
            .into_iter()
            .filter(|path| path.exists())
            .collect()
    }

    /// Copies the database as it is now.
    pub(crate) fn back_up_database(&self, to: &std::path::Path) {
        for path in self.database_files() {
            std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }

    pub(crate) fn lose_database(&self) {
        for path in self.database_files() {
            std::fs::remove_file(path).unwrap();
        }
    }

    /// Puts back a copy of the database.
    pub(crate) fn restore_database(&self, from: &std::path::Path) {
        self.lose_database();
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), self.data().join(entry.file_name())).unwrap();
        }
    }
}

/// The board of `ada/sums` as everyone sees it in a hub.
pub(crate) async fn board_in(hub: &Hub) -> Vec<String> {
    let view = hub
        .boards()
        .leaderboard(&Caller::anonymous(), &repo_id("ada/sums"), &everyone())
        .await;
    lines(&view.unwrap())
}
