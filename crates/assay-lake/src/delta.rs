//! One table of a lake as a Delta table: the files of a version, and commits of the next.
//!
//! The log, its checkpoints and the removal of old files are those of `deltalake-core`. Rows are written by [`crate::writer`],
//! which sorts them, and read by the scan of [`crate::catalog`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use deltalake_core::kernel::transaction::{CommitBuilder, CommitProperties, TransactionError};
use deltalake_core::kernel::{
    Action, Add, DataType, EagerSnapshot, LogicalFileView, MetadataExt as _, Remove, StructField,
    StructType,
};
use deltalake_core::logstore::LogStoreRef;
use deltalake_core::operations::create::CreateBuilder;
use deltalake_core::operations::vacuum::VacuumMode;
use deltalake_core::protocol::checkpoints::cleanup_expired_logs_for;
use deltalake_core::protocol::{DeltaOperation, SaveMode};
use deltalake_core::{DeltaTable, DeltaTableError};
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::lake::{ATTEMPTS, is_inside};
use crate::manifest::DataFile;
use crate::partition::Bounds;
use crate::table::{ColumnType, Table};

/// The number of commits after which the log is summed up in a checkpoint.
const CHECKPOINT_INTERVAL: &str = "10";
/// How long commits are kept that a checkpoint has summed up.
const LOG_RETENTION: Duration = Duration::from_hours(24 * 30);

/// The Delta table of one table of a lake.
#[derive(Clone)]
pub(crate) struct TableLog {
    table: Table,
    store: LogStoreRef,
    /// The directory of the table, unless it lies in object storage.
    directory: Option<PathBuf>,
}

/// One version of a Delta table.
#[derive(Debug)]
pub(crate) struct TableVersion {
    /// Its number; the first is 0.
    pub(crate) number: u64,
    /// Its files.
    pub(crate) files: Vec<DataFile>,
    snapshot: EagerSnapshot,
}

/// The statistics of a file in the log, by which readers leave files out.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FileStatistics {
    num_records: Option<u64>,
    min_values: BoundedColumns,
    max_values: BoundedColumns,
    null_count: BTreeMap<String, u64>,
}

/// The least or the greatest values of the columns that have bounds.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct BoundedColumns {
    #[serde(skip_serializing_if = "Option::is_none")]
    benchmark: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

impl TableLog {
    /// The log of a table, which need not exist yet.
    pub(crate) fn new(table: Table, store: LogStoreRef, directory: Option<PathBuf>) -> Self {
        Self {
            table,
            store,
            directory,
        }
    }

    /// Reads a version, or the last one; `None` when the table was never created.
    pub(crate) async fn load(&self, version: Option<u64>) -> Result<Option<TableVersion>> {
        // The library takes a directory that is not there for a wrong address.
        let is_absent = |directory: &PathBuf| !directory.is_dir();
        if self.directory.as_ref().is_some_and(is_absent) {
            return Ok(None);
        }
        let snapshot = match EagerSnapshot::try_new(self.store.as_ref(), version).await {
            Ok(snapshot) => snapshot,
            Err(DeltaTableError::NotATable(_)) => return Ok(None),
            Err(error) => return Err(self.failed("read")(error)),
        };
        let files = snapshot.try_log_data().map_err(self.failed("read"))?;
        let files = files.iter().map(|view| self.data_file(&view));
        Ok(Some(TableVersion {
            number: snapshot.version(),
            files: files.collect::<Result<_>>()?,
            snapshot,
        }))
    }

    /// Reads the last version. Creates the table if there is none.
    pub(crate) async fn open(&self) -> Result<TableVersion> {
        if let Some(version) = self.load(None).await? {
            return Ok(version);
        }
        let configuration = [
            ("delta.checkpointInterval", CHECKPOINT_INTERVAL),
            // A version that the lake points at must stay readable, so old commits are removed by `clean` alone.
            ("delta.enableExpiredLogCleanup", "false"),
        ];
        let configuration = configuration.map(|(name, value)| (name, Some(value)));
        let created = CreateBuilder::new()
            .with_log_store(self.store.clone())
            .with_table_name(self.table.as_str())
            .with_columns(fields(self.table))
            .with_configuration(configuration)
            .with_commit_properties(CommitProperties::default().with_max_retries(0))
            .await;
        match self.load(None).await? {
            Some(version) => Ok(version),
            None => Err(created.map_or_else(self.failed("create"), |_| Error::Contended)),
        }
    }

    /// Makes these files the whole of the table, and returns the version that has exactly them.
    ///
    /// Files that a writer which died left in the last version are removed from it on the way.
    pub(crate) async fn set_files(&self, files: &[&DataFile]) -> Result<u64> {
        for _ in 0..ATTEMPTS {
            let last = self.open().await?;
            let changes = last.changes_to(files);
            if changes.is_empty() {
                return Ok(last.number);
            }
            if let Some(number) = self.commit(&last, changes, None).await? {
                return Ok(number);
            }
        }
        Err(Error::Contended)
    }

    /// Makes these files the whole of the table, with a property, unless it has changed since a version was read. Returns `None` then.
    pub(crate) async fn replace_files(
        &self,
        base: &TableVersion,
        files: &[&DataFile],
        property: (&str, String),
    ) -> Result<Option<u64>> {
        let changes = base.changes_to(files);
        self.commit(base, changes, Some(property)).await
    }

    /// Removes files that no version of the last `retention` names and that the kept version does not, and commits that a checkpoint
    /// has summed up long ago. Returns the number of files.
    pub(crate) async fn clean(&self, kept: u64, retention: Duration) -> Result<u64> {
        let retention = chrono::Duration::from_std(retention).unwrap_or(chrono::Duration::MAX);
        let cleaned = DeltaTable::new(self.store.clone())
            .vacuum()
            .with_mode(VacuumMode::Full)
            .with_keep_versions(&[kept])
            .with_retention_period(retention)
            .with_enforce_retention_duration(false)
            .await;
        let removed = match cleaned {
            Ok((_, metrics)) => metrics.files_deleted.len() as u64,
            // Another writer is at work, and what is left is removed next time.
            Err(error) if is_lost_race(&error) => 0,
            Err(error) => return Err(self.failed("clean")(error)),
        };
        let cutoff = milliseconds(SystemTime::now() - LOG_RETENTION);
        cleanup_expired_logs_for(kept, self.store.as_ref(), cutoff, None)
            .await
            .map_err(self.failed("clean"))?;
        Ok(removed)
    }

    /// Commits the version after `base`. Returns `None` if another writer was faster.
    async fn commit(
        &self,
        base: &TableVersion,
        mut changes: Vec<Action>,
        property: Option<(&str, String)>,
    ) -> Result<Option<u64>> {
        let metadata = base.snapshot.metadata();
        let mut wanted = metadata.clone();
        if self.lacks_columns(base) {
            let schema = StructType::try_new(fields(self.table)).map_err(DeltaTableError::from);
            let schema = schema.map_err(self.failed("write"))?;
            let extended = wanted.with_schema(&schema).map_err(DeltaTableError::from);
            wanted = extended.map_err(self.failed("write"))?;
        }
        if let Some((name, value)) = property {
            let named = wanted.add_config_key(name.to_owned(), value);
            let named = named.map_err(DeltaTableError::from);
            wanted = named.map_err(self.failed("write"))?;
        }
        if wanted != *metadata {
            changes.push(Action::Metadata(wanted));
        }
        let operation = DeltaOperation::Write {
            mode: SaveMode::Append,
            partition_by: None,
            predicate: None,
        };
        // Without retries a commit fails when another writer was faster, in place of being moved behind the other's.
        let properties = CommitProperties::default().with_max_retries(0);
        let committed = CommitBuilder::from(properties)
            .with_actions(changes)
            .build(Some(&base.snapshot), self.store.clone(), operation)
            .await;
        match committed {
            Ok(committed) => Ok(Some(committed.version())),
            Err(error) if is_lost_race(&error) => Ok(None),
            Err(error) => Err(self.failed("write")(error)),
        }
    }

    /// Returns `true` if the version is older than a column of the table.
    fn lacks_columns(&self, version: &TableVersion) -> bool {
        let schema = version.snapshot.schema();
        let columns = self.table.columns().iter();
        columns
            .clone()
            .any(|(name, ..)| schema.field(name).is_none())
    }

    fn data_file(&self, view: &LogicalFileView) -> Result<DataFile> {
        let path = format!("{}/{}", self.table.directory(), view.path());
        let faulty = |why: &str| Error::Manifest {
            path: path.clone().into(),
            why: why.to_owned(),
        };
        if !is_inside(&path) {
            return Err(faulty("it does not lie in the lake"));
        }
        let statistics: FileStatistics = view
            .stats()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let rows = statistics.num_records;
        let rows = rows.ok_or_else(|| faulty("the log does not say how many rows it has"))?;
        let bytes = u64::try_from(view.size()).map_err(|_| faulty("its size is negative"))?;
        Ok(DataFile {
            table: self.table,
            bounds: statistics.bounds(),
            rows,
            bytes,
            path,
        })
    }

    fn failed(&self, doing: &'static str) -> impl Fn(DeltaTableError) -> Error + use<> {
        let at = self.store.root_url().to_string();
        move |source| Error::Delta {
            doing,
            at: at.clone(),
            source: Box::new(source),
        }
    }
}

impl TableVersion {
    /// Returns a property of the table.
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        let properties = self.snapshot.metadata().configuration();
        properties.get(name).map(String::as_str)
    }

    /// What has to be added and removed for the table to have these files and no others.
    fn changes_to(&self, files: &[&DataFile]) -> Vec<Action> {
        let now = milliseconds(SystemTime::now());
        let known: BTreeSet<&str> = self.files.iter().map(|file| file.path.as_str()).collect();
        let wanted: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        let added = files.iter().filter(|file| !known.contains(&*file.path));
        let added = added.map(|file| Action::Add(file.add_action(now)));
        let own = self.files.iter();
        let removed = own.filter(|file| !wanted.contains(&*file.path));
        let removed = removed.map(|file| Action::Remove(file.remove_action(now)));
        removed.chain(added).collect()
    }
}

impl DataFile {
    fn add_action(&self, now: i64) -> Add {
        Add {
            path: self.name().to_owned(),
            size: i64::try_from(self.bytes).unwrap_or(i64::MAX),
            modification_time: now,
            data_change: true,
            stats: serde_json::to_string(&FileStatistics::of(self)).ok(),
            ..Add::default()
        }
    }

    fn remove_action(&self, now: i64) -> Remove {
        Remove {
            path: self.name().to_owned(),
            data_change: true,
            deletion_timestamp: Some(now),
            size: i64::try_from(self.bytes).ok(),
            extended_file_metadata: Some(true),
            partition_values: Some(HashMap::new()),
            ..Remove::default()
        }
    }

    /// Its path in the directory of the table.
    fn name(&self) -> &str {
        let above = self.table.directory();
        let name = self.path.strip_prefix(&above);
        name.map_or(self.path.as_str(), |name| name.trim_start_matches('/'))
    }
}

impl FileStatistics {
    fn of(file: &DataFile) -> Self {
        let end = |end: usize| {
            let bounds = file.bounds.as_ref();
            BoundedColumns {
                benchmark: bounds.map(|own| own.benchmark[end].clone()),
                model: bounds.map(|own| own.model[end].clone()),
            }
        };
        let bounded = file.bounds.iter().flat_map(|_| ["benchmark", "model"]);
        Self {
            num_records: Some(file.rows),
            min_values: end(0),
            max_values: end(1),
            null_count: bounded.map(|name| (name.to_owned(), 0)).collect(),
        }
    }

    fn bounds(self) -> Option<Bounds> {
        Some(Bounds {
            benchmark: [self.min_values.benchmark?, self.max_values.benchmark?],
            model: [self.min_values.model?, self.max_values.model?],
        })
    }
}

/// Returns `true` if a commit failed because another writer was faster.
fn is_lost_race(error: &DeltaTableError) -> bool {
    use TransactionError::{CommitConflict, MaxCommitAttempts};

    let DeltaTableError::Transaction { source } = error else {
        return false;
    };
    matches!(source, CommitConflict(_) | MaxCommitAttempts(_))
}

/// The columns of a table in the words of Delta.
fn fields(table: Table) -> impl Iterator<Item = StructField> {
    table.columns().iter().map(|(name, holds, nullable)| {
        let data_type = match holds {
            ColumnType::Text => DataType::STRING,
            ColumnType::Number => DataType::DOUBLE,
            ColumnType::Integer => DataType::LONG,
            ColumnType::Truth => DataType::BOOLEAN,
            ColumnType::Moment => DataType::TIMESTAMP_NTZ,
        };
        StructField::new(*name, data_type, *nullable)
    })
}

fn milliseconds(moment: SystemTime) -> i64 {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
