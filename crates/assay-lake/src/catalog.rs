//! The tables of a snapshot as the engine sees them.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{ArrayRef, BooleanArray, StringArray, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::config::TableParquetOptions;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::stats::Precision;
use datafusion::common::{Column, DFSchema, Result, ScalarValue, Statistics, project_schema};
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;

use crate::lake::Snapshot;
use crate::manifest::DataFile;
use crate::table::Table;

/// One table of a snapshot. Which files a query needs is decided by the manifest, before any of them is opened.
#[derive(Debug)]
pub(crate) struct LakeTable {
    schema: SchemaRef,
    files: Vec<(DataFile, ObjectPath)>,
}

impl LakeTable {
    /// The files that a snapshot names.
    pub(crate) fn new(snapshot: &Snapshot, table: Table) -> crate::Result<Self> {
        let files = snapshot.manifest.files_of(table).map(|file| {
            let path = snapshot.path_of(&file.path);
            let object =
                ObjectPath::from_absolute_path(&path).map_err(|error| crate::Error::Manifest {
                    path,
                    why: error.to_string(),
                })?;
            Ok((file.clone(), object))
        });
        Ok(Self {
            schema: with_views(&table.schema()),
            files: files.collect::<crate::Result<_>>()?,
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
        let kept = predicate.prune(&Names(&self.files))?;
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
        let Some(partition) = &file.partition else {
            return statistics;
        };
        for (name, value) in [
            ("benchmark", &partition.benchmark),
            ("model", &partition.model),
        ] {
            if let Ok(index) = self.schema.index_of(name) {
                let value = ScalarValue::Utf8View(Some(value.clone()));
                let column = &mut statistics.column_statistics[index];
                column.null_count = Precision::Exact(0);
                column.min_value = Precision::Exact(value.clone());
                column.max_value = Precision::Exact(value);
            }
        }
        statistics
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
        let source =
            ParquetSource::new(Arc::clone(&self.schema)).with_table_parquet_options(options);
        let groups = FileGroup::new(files).split_files(state.config().target_partitions());
        let config =
            FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), Arc::new(source))
                .with_file_groups(groups)
                .with_statistics(statistics)
                .with_projection_indices(projection.cloned())?
                .with_limit(limit.filter(|_| filters.is_empty()))
                .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}

/// Text as views, which the engine groups and joins faster.
fn with_views(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Utf8 => Field::new(field.name(), DataType::Utf8View, field.is_nullable()),
        _ => field.as_ref().clone(),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The benchmark and the model of each file, by which a query leaves files out.
struct Names<'f>(&'f [(DataFile, ObjectPath)]);

impl Names<'_> {
    fn values(&self, column: &Column) -> Option<ArrayRef> {
        let values = self.0.iter().map(|(file, _)| {
            let partition = file.partition.as_ref()?;
            match column.name.as_str() {
                "benchmark" => Some(partition.benchmark.as_str()),
                "model" => Some(partition.model.as_str()),
                _ => None,
            }
        });
        let is_known = ["benchmark", "model"].contains(&column.name.as_str());
        is_known.then(|| Arc::new(values.collect::<StringArray>()) as ArrayRef)
    }
}

impl PruningStatistics for Names<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        self.values(column)
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        self.values(column)
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
