//! Rows that do not exist for whoever asks.
//!
//! What is hidden is left out where files are read, beneath every view and every condition of the
//! question. A condition is never carried below that filter: one that fails on a hidden row, such
//! as a cast, would tell by its message what is in there.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use assay_formats::lake_api::SourceFilter;
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

use crate::manifest::{DataFile, Manifest, Source};
use crate::partition::{Bounds, Partition};

/// The column that tells which source a row was taken from. Every table has it.
pub(crate) const TELLING: &str = "record_id";

/// The hidden part of one snapshot: the sources whose rows do not exist for whoever asks.
///
/// A source is hidden for the directory that it was found in, and for nothing else. Hiding by the
/// names that rows carry would tell everybody which names belong to private repositories, and would
/// let anybody hide the rows of others.
#[derive(Default, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowVisibility {
    records: BTreeSet<String>,
    /// The partitions of which nothing may be seen.
    #[serde(skip)]
    partitions: BTreeSet<Partition>,
}

impl RowVisibility {
    /// Finds the sources of a snapshot that a filter hides.
    pub(crate) fn new(filter: &SourceFilter, manifest: &Manifest) -> Self {
        if filter.restricted.is_empty() {
            return Self::default();
        }
        let restricted: HashSet<&str> = filter.restricted.iter().map(String::as_str).collect();
        let visible: HashSet<&str> = filter.visible.iter().map(String::as_str).collect();
        let (mut records, mut partitions) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = BTreeSet::new();
        for (id, source) in &manifest.sources {
            let is_below = |directories: &HashSet<&str>| {
                let mut above = source.path.match_indices('/');
                above.any(|(end, _)| directories.contains(&source.path[..end]))
            };
            if is_below(&restricted) && !is_below(&visible) {
                records.insert(id.clone());
                partitions.insert(source.partition.clone());
            } else {
                seen.insert(&source.partition);
            }
        }
        partitions.retain(|partition| !seen.contains(partition));
        Self {
            records,
            partitions,
        }
    }

    /// Hides the scores of records as well whose model has a result file for their benchmark. A
    /// board shows what such a file says, and the record that it was made from says it a second
    /// time.
    pub(crate) fn without_repeated_scores(&self, manifest: &Manifest) -> Self {
        let sources = || manifest.sources.iter();
        let pair = |benchmark: &str, model: &str| {
            (benchmark.to_ascii_lowercase(), model.to_ascii_lowercase())
        };
        let spoken_for: HashSet<(String, String)> = sources()
            .filter(|(id, _)| !self.records.contains(*id))
            .flat_map(|(_, source)| {
                let benchmarks = source.speaks_for.iter();
                benchmarks.map(|benchmark| pair(benchmark, &source.partition.model))
            })
            .collect();
        let is_repeated = |source: &Source| {
            let Partition { benchmark, model } = &source.partition;
            source.speaks_for.is_empty() && spoken_for.contains(&pair(benchmark, model))
        };
        let repeated = sources().filter(|(_, source)| is_repeated(source));
        let repeated = repeated.map(|(id, _)| id.clone());
        Self {
            records: self.records.iter().cloned().chain(repeated).collect(),
            partitions: self.partitions.clone(),
        }
    }

    /// Returns whether nothing in a file may be seen. Such a file is not opened, and no plan names
    /// it.
    pub(crate) fn covers(&self, file: &DataFile) -> bool {
        // The sources of a small table may have rows of several benchmarks.
        let single = file.bounds.as_ref().and_then(Bounds::single);
        file.table.has_samples()
            && single.is_some_and(|partition| self.partitions.contains(&partition))
    }

    /// Returns whether anything is hidden.
    pub(crate) fn is_needed(&self) -> bool {
        !self.records.is_empty()
    }

    /// The rows that may be seen. What cannot be read is not shown.
    fn seen(&self, batch: &RecordBatch) -> BooleanArray {
        let Some(record) = batch.column_by_name(TELLING) else {
            return BooleanArray::from(vec![false; batch.num_rows()]);
        };
        (0..batch.num_rows())
            .map(|row| {
                let id = text_at(record, row);
                Some(id.is_some_and(|id| !self.records.contains(id)))
            })
            .collect()
    }
}

/// How much is hidden, and not what: plans are shown to those it is hidden from.
impl fmt::Debug for RowVisibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowVisibility").finish_non_exhaustive()
    }
}

/// Leaves hidden rows out. What it hands on are the first columns of what it reads.
#[derive(Debug)]
pub(crate) struct VisibilityFilterExec {
    input: Arc<dyn ExecutionPlan>,
    visibility: Arc<RowVisibility>,
    properties: Arc<PlanProperties>,
}

impl VisibilityFilterExec {
    /// Hands on the first so many columns.
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        visibility: Arc<RowVisibility>,
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
            visibility,
            properties: Arc::new(properties),
        })
    }

    /// What it is, beside what it reads: for machines that are sent a plan.
    pub(crate) fn told(&self) -> (&RowVisibility, usize) {
        (&self.visibility, self.schema().fields().len())
    }
}

impl DisplayAs for VisibilityFilterExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VisibilityFilterExec")
    }
}

impl ExecutionPlan for VisibilityFilterExec {
    fn name(&self) -> &'static str {
        "VisibilityFilterExec"
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
            return internal_err!("a visibility filter reads one table");
        };
        let (_, shown) = self.told();
        Ok(Arc::new(Self::new(
            input,
            Arc::clone(&self.visibility),
            shown,
        )?))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let (visibility, shown) = (Arc::clone(&self.visibility), self.schema());
        let columns: Vec<usize> = (0..shown.fields().len()).collect();
        let stream =
            self.input
                .execute(partition, context)?
                .map(move |batch| -> Result<RecordBatch> {
                    let batch = batch?;
                    let seen = filter_record_batch(&batch, &visibility.seen(&batch))?;
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
