//! The tables of a snapshot as the engine sees them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, BooleanArray, StringArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::config::TableParquetOptions;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::stats::Precision;
use datafusion::common::{Column, DFSchema, Result, ScalarValue, Statistics, project_schema};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::CachedParquetFileReaderFactory;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::DataFusionError;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::prelude::SessionContext;
use serde::{Deserialize, Serialize};

use crate::bucket::Bucket;
use crate::lake::{Snapshot, is_inside};
use crate::manifest::DataFile;
use crate::table::Table;
use crate::visibility::{RowVisibility, TELLING, VisibilityFilterExec};

/// The table of all scores, also of records that a result file repeats.
const REPORTED: &str = "reported";

/// How the engine holds text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text {
    /// As views, which it groups and joins faster.
    Views,
    /// Plain, as it travels between machines: a view would drag along the whole buffer that it points into.
    Plain,
}

/// One table of a snapshot. Which files a query needs is decided by the manifest, before any of them is opened.
#[derive(Debug)]
pub(crate) struct LakeTable {
    table: Table,
    directory: PathBuf,
    store: ObjectStoreUrl,
    schema: SchemaRef,
    files: Vec<(DataFile, ObjectPath)>,
    /// What is left out of it, wherever it is read.
    visibility: Option<Arc<RowVisibility>>,
}

/// A table in the words that a scheduler is told it in.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableDescription {
    table: String,
    directory: PathBuf,
    files: Vec<DataFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    visibility: Option<RowVisibility>,
}

impl LakeTable {
    /// The files that a snapshot names, without the rows that are hidden.
    pub(crate) fn new(
        snapshot: &Snapshot,
        table: Table,
        text: Text,
        visibility: &Arc<RowVisibility>,
    ) -> crate::Result<Self> {
        let files = snapshot.manifest.files_of(table).cloned().collect();
        Ok(Self {
            visibility: visibility.is_needed().then(|| Arc::clone(visibility)),
            ..Self::of(snapshot.directory(), table, files, text)?
        })
    }

    fn of(directory: &Path, table: Table, files: Vec<DataFile>, text: Text) -> crate::Result<Self> {
        let bucket = Bucket::named(directory);
        let key_of = |file: &DataFile| {
            if let Some(bucket) = &bucket {
                return Ok(bucket.key_of(&file.path));
            }
            let path = directory.join(&file.path);
            ObjectPath::from_absolute_path(&path).map_err(|error| crate::Error::Manifest {
                path,
                why: error.to_string(),
            })
        };
        let files = files.into_iter().map(|file| {
            let key = key_of(&file)?;
            Ok((file, key))
        });
        let store = match &bucket {
            Some(bucket) => bucket.url()?,
            None => ObjectStoreUrl::local_filesystem(),
        };
        let schema = match text {
            Text::Views => table.schema_of_views(),
            Text::Plain => table.schema(),
        };
        Ok(Self {
            table,
            directory: directory.to_owned(),
            store,
            schema,
            files: files.collect::<crate::Result<_>>()?,
            visibility: None,
        })
    }

    /// The table with no more files than a query needs, as it is sent to a cluster.
    pub(crate) fn narrowed(&self, state: &dyn Session, filters: &[Expr]) -> Result<Self> {
        let files = self.needed(state, filters)?;
        Ok(Self {
            table: self.table,
            directory: self.directory.clone(),
            store: self.store.clone(),
            schema: Arc::clone(&self.schema),
            files: files.into_iter().cloned().collect(),
            visibility: self.visibility.clone(),
        })
    }

    /// What a scheduler is told of the table.
    pub(crate) fn encode(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&TableDescription {
            table: self.table.as_str().to_owned(),
            directory: self.directory.clone(),
            files: self.files.iter().map(|(file, _)| file.clone()).collect(),
            visibility: self.visibility.as_deref().cloned(),
        })
    }

    /// The table that a client speaks of. Its paths are checked as those of a manifest are: they may come from a stranger.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        let told: TableDescription =
            serde_json::from_slice(bytes).map_err(|error| plan_error(&error.to_string()))?;
        let table = Table::named(&told.table)
            .ok_or_else(|| plan_error(&format!("`{}` is no table of a lake", told.table)))?;
        let outside = told.files.iter().find(|file| !is_inside(&file.path));
        if let Some(file) = outside {
            let why = format!("`{}` does not lie in the lake", file.path);
            return Err(plan_error(&why));
        }
        let read = Self::of(&told.directory, table, told.files, Text::Plain)
            .map_err(|error| plan_error(&error.to_string()))?;
        Ok(Self {
            visibility: told.visibility.map(Arc::new),
            ..read
        })
    }

    /// The files that may have rows that a query asks for.
    fn needed(
        &self,
        state: &dyn Session,
        filters: &[Expr],
    ) -> Result<Vec<&(DataFile, ObjectPath)>> {
        let all: Vec<_> = self.files.iter().collect();
        let Some(filter) = conjunction(filters.to_vec()) else {
            return Ok(all);
        };
        let schema = DFSchema::try_from(Arc::clone(&self.schema))?;
        let filter = state.create_physical_expr(filter, &schema)?;
        let builder = PruningPredicateBuilder::new().with_file_schema(Arc::clone(&self.schema));
        let Some(predicate) = builder.build(filter) else {
            return Ok(all);
        };
        let kept = predicate.prune(&FileBounds(&self.files))?;
        Ok(all
            .into_iter()
            .zip(kept)
            .filter_map(|(file, kept)| kept.then_some(file))
            .collect())
    }

    fn statistics_of(&self, file: &DataFile) -> Statistics {
        let mut statistics = Statistics::new_unknown(&self.schema);
        statistics.num_rows =
            usize::try_from(file.rows).map_or(Precision::Absent, Precision::Exact);
        let Some(bounds) = &file.bounds else {
            return statistics;
        };
        for (name, [least, greatest]) in
            [("benchmark", &bounds.benchmark), ("model", &bounds.model)]
        {
            if let Ok(index) = self.schema.index_of(name) {
                let value = |text: &String| match self.schema.field(index).data_type() {
                    DataType::Utf8View => ScalarValue::Utf8View(Some(text.clone())),
                    _ => ScalarValue::Utf8(Some(text.clone())),
                };
                let column = &mut statistics.column_statistics[index];
                column.null_count = Precision::Exact(0);
                column.min_value = Precision::Exact(value(least));
                column.max_value = Precision::Exact(value(greatest));
            }
        }
        statistics
    }

    /// Reads all rows of the files that a query needs.
    fn read(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let needed = self.needed(state, filters)?;
        if needed.is_empty() {
            let schema = project_schema(&self.schema, projection)?;
            return Ok(Arc::new(EmptyExec::new(schema)));
        }
        let mut rows = 0;
        let files: Vec<PartitionedFile> = needed
            .into_iter()
            .map(|(file, path)| {
                rows += usize::try_from(file.rows).unwrap_or(usize::MAX);
                let mut partitioned = PartitionedFile::new(String::new(), file.bytes);
                partitioned.object_meta.location = path.clone();
                partitioned.with_statistics(Arc::new(self.statistics_of(file)))
            })
            .collect();
        let mut statistics = Statistics::new_unknown(&self.schema);
        statistics.num_rows = Precision::Exact(rows);
        let options = TableParquetOptions {
            global: state.config_options().execution.parquet.clone(),
            ..TableParquetOptions::default()
        };
        let mut source =
            ParquetSource::new(Arc::clone(&self.schema)).with_table_parquet_options(options);
        // A file of a lake is never written to again, so what its end says of it needs to be read once. Who plans for the machines
        // of a cluster reads nothing, and need not know where the files are.
        let runtime = state.runtime_env();
        if let Ok(store) = runtime.object_store(&self.store) {
            let cache = runtime.cache_manager.get_file_metadata_cache();
            let reader = CachedParquetFileReaderFactory::new(store, cache);
            source = source.with_parquet_file_reader_factory(Arc::new(reader));
        }
        let groups = FileGroup::new(files).split_files(state.config().target_partitions());
        let config = FileScanConfigBuilder::new(self.store.clone(), Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(statistics)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit.filter(|_| filters.is_empty()))
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

#[async_trait]
impl TableProvider for LakeTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(visibility) = &self.visibility else {
            return self.read(state, projection, filters, limit);
        };
        let wanted: Vec<usize> = match projection {
            Some(projection) => projection.clone(),
            None => (0..self.schema.fields().len()).collect(),
        };
        let shown = wanted.len();
        let mut read = wanted;
        let telling = self.schema.index_of(TELLING)?;
        if !read.contains(&telling) {
            read.push(telling);
        }
        // A limit counts rows that are seen.
        let input = self.read(state, Some(&read), filters, None)?;
        Ok(Arc::new(VisibilityFilterExec::new(
            input,
            Arc::clone(visibility),
            shown,
        )?))
    }
}

/// Makes the tables of a snapshot known, without the rows that are hidden. `results` has each result once, and `reported` has all
/// that any source says.
pub(crate) fn register_tables(
    context: &SessionContext,
    snapshot: &Snapshot,
    text: Text,
    visibility: &Arc<RowVisibility>,
) -> crate::Result<()> {
    let each_once = Arc::new(visibility.without_repeated_scores(&snapshot.manifest));
    for table in Table::ALL {
        let visibility = match table {
            Table::Results => &each_once,
            Table::Records
            | Table::Instances
            | Table::Messages
            | Table::Metrics
            | Table::Sources => visibility,
        };
        let provider = LakeTable::new(snapshot, table, text, visibility)?;
        context.register_table(table.as_str(), Arc::new(provider))?;
    }
    let reported = LakeTable::new(snapshot, Table::Results, text, visibility)?;
    context.register_table(REPORTED, Arc::new(reported))?;
    Ok(())
}

fn plan_error(why: &str) -> DataFusionError {
    DataFusionError::Plan(why.to_owned())
}

/// The bounds of the benchmark and the model of each file, by which a query leaves files out.
struct FileBounds<'f>(&'f [(DataFile, ObjectPath)]);

impl FileBounds<'_> {
    /// Returns the least (0) or the greatest (1) value of a column in each file.
    fn values(&self, column: &Column, end: usize) -> Option<ArrayRef> {
        let values = self.0.iter().map(|(file, _)| {
            let bounds = file.bounds.as_ref()?;
            match column.name.as_str() {
                "benchmark" => Some(bounds.benchmark[end].as_str()),
                "model" => Some(bounds.model[end].as_str()),
                _ => None,
            }
        });
        let is_known = ["benchmark", "model"].contains(&column.name.as_str());
        is_known.then(|| Arc::new(values.collect::<StringArray>()) as ArrayRef)
    }
}

impl PruningStatistics for FileBounds<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.values(column, 0)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.values(column, 1)
    }

    fn num_containers(&self) -> usize {
        self.0.len()
    }

    fn null_counts(&self, _column: &Column) -> Option<ArrayRef> {
        None
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        let rows = self.0.iter().map(|(file, _)| file.rows);
        Some(Arc::new(rows.collect::<UInt64Array>()))
    }

    fn contained(
        &self,
        _column: &Column,
        _values: &std::collections::HashSet<ScalarValue>,
    ) -> Option<BooleanArray> {
        None
    }
}

#[cfg(test)]
mod tests;
