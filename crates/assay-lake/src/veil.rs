//! Rows that do not exist for whoever asks.
//!
//! What is hidden is left out where files are read, beneath every view and every condition of the question. A condition is
//! never carried below the veil: one that fails on a hidden row, such as a cast, would tell by its message what is in there.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use assay_formats::lake_api::Hidden;
use datafusion::arrow::array::{ArrayRef, AsArray as _, BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err, project_schema};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties as _, PlanProperties,
};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::manifest::{DataFile, Manifest};
use crate::table::Table;

/// The columns that tell whether a row is hidden. Every table has them, but for the model, which a definition does not have.
pub(crate) const TELLING: [&str; 3] = ["benchmark", MODEL, "record_id"];
const MODEL: &str = "model";

/// What is hidden, in one snapshot.
#[derive(Default, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Veil {
    benchmarks: BTreeSet<String>,
    models: BTreeSet<String>,
    records: BTreeSet<String>,
}

impl Veil {
    /// Finds out which records of a snapshot are hidden.
    pub(crate) fn new(hidden: &Hidden, manifest: &Manifest) -> Self {
        let lower = |names: &[String]| names.iter().map(|name| name.to_lowercase()).collect();
        let directories: BTreeSet<String> = lower(&hidden.sources);
        let records = manifest.sources.iter().filter(|(_, source)| {
            let path = source.path.to_lowercase();
            let mut above = path.match_indices('/').map(|(end, _)| &path[..end]);
            above.any(|directory| directories.contains(directory))
        });
        Self {
            benchmarks: lower(&hidden.benchmarks),
            models: lower(&hidden.models),
            records: records.map(|(id, _)| id.clone()).collect(),
        }
    }

    /// Whether nothing in a file may be seen. Such a file is not opened, and no plan names it.
    pub(crate) fn covers(&self, file: &DataFile) -> bool {
        file.partition.as_ref().is_some_and(|partition| {
            self.benchmarks
                .contains(&partition.benchmark.to_lowercase())
                || self.models.contains(&partition.model.to_lowercase())
        })
    }

    /// Whether a table may have rows that are hidden.
    pub(crate) fn is_needed(&self, table: Table) -> bool {
        let by_name = !self.benchmarks.is_empty() || !self.models.is_empty();
        // Files of one benchmark and one model were left out as a whole.
        !self.records.is_empty() || (by_name && !table.is_partitioned())
    }

    /// The rows that may be seen. What cannot be read is not shown.
    fn seen(&self, batch: &RecordBatch) -> BooleanArray {
        let columns = TELLING.map(|name| batch.column_by_name(name));
        let [Some(benchmark), model, Some(record)] = columns else {
            return BooleanArray::from(vec![false; batch.num_rows()]);
        };
        let is_open = |column: &ArrayRef, row: usize, hidden: &BTreeSet<String>, fold: bool| {
            let text = text_at(column, row);
            text.is_some_and(|text| {
                if fold {
                    !hidden.contains(&text.to_lowercase())
                } else {
                    !hidden.contains(text)
                }
            })
        };
        (0..batch.num_rows())
            .map(|row| {
                let seen = is_open(benchmark, row, &self.benchmarks, true)
                    && model.is_none_or(|model| is_open(model, row, &self.models, true))
                    && is_open(record, row, &self.records, false);
                Some(seen)
            })
            .collect()
    }
}

/// How much is hidden, and not what: plans are shown to those it is hidden from.
impl fmt::Debug for Veil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Veil").finish_non_exhaustive()
    }
}

/// Leaves hidden rows out. What it hands on are the first columns of what it reads.
#[derive(Debug)]
pub(crate) struct VeilExec {
    input: Arc<dyn ExecutionPlan>,
    veil: Arc<Veil>,
    properties: Arc<PlanProperties>,
}

impl VeilExec {
    /// Hands on the first so many columns.
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        veil: Arc<Veil>,
        shown: usize,
    ) -> Result<Self> {
        let shown: Vec<usize> = (0..shown).collect();
        let shown = project_schema(&input.schema(), Some(&shown))?;
        let partitions = input.output_partitioning().partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(shown),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        Ok(Self {
            input,
            veil,
            properties: Arc::new(properties),
        })
    }

    /// What it is, beside what it reads: for machines that are sent a plan.
    pub(crate) fn told(&self) -> (&Veil, usize) {
        (&self.veil, self.schema().fields().len())
    }
}

impl DisplayAs for VeilExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VeilExec")
    }
}

impl ExecutionPlan for VeilExec {
    fn name(&self) -> &'static str {
        "VeilExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Ok([input]) = <[_; 1]>::try_from(children) else {
            return internal_err!("a veil lies over one table");
        };
        let (_, shown) = self.told();
        Ok(Arc::new(Self::new(input, Arc::clone(&self.veil), shown)?))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let (veil, shown) = (Arc::clone(&self.veil), self.schema());
        let columns: Vec<usize> = (0..shown.fields().len()).collect();
        let stream =
            self.input
                .execute(partition, context)?
                .map(move |batch| -> Result<RecordBatch> {
                    let batch = batch?;
                    let seen = filter_record_batch(&batch, &veil.seen(&batch))?;
                    Ok(seen.project(&columns)?)
                });
        Ok(Box::pin(RecordBatchStreamAdapter::new(shown, stream)))
    }
}

fn text_at(column: &ArrayRef, row: usize) -> Option<&str> {
    if column.is_null(row) {
        return None;
    }
    match column.as_string_view_opt() {
        Some(column) => Some(column.value(row)),
        None => column
            .as_string_opt::<i32>()
            .map(|column| column.value(row)),
    }
}
