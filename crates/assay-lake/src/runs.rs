//! Aggregates over rows that come in long runs of one group.
//!
//! A file of a lake has one benchmark and one model and is sorted by task, so the rows of a group
//! by these follow each other by the thousand. The engine looks the group of every row up, and adds
//! up row by row; here the group of a run is looked up once, and the run is added up as a whole.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, AsArray as _, RecordBatch};
use datafusion::arrow::compute::partition;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode as _, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::datasource::physical_plan::ParquetSource;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Accumulator;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::aggregate::AggregateFunctionExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::aggregates::{
    AggregateExec, AggregateMode, create_accumulators, evaluate_many,
};
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputOrderMode, PlanProperties,
    replace_children_if_necessary,
};
use futures_util::{StreamExt as _, stream};

use crate::visibility::VisibilityFilterExec;

/// The columns that are the same in all rows of a file, or that come first in its order.
const IN_RUNS: [&str; 4] = ["benchmark", "model", "task", "metric"];
/// The aggregates that remember a few numbers, however many rows they see.
const FLAT: [&str; 9] = [
    "avg",
    "count",
    "max",
    "min",
    "stddev",
    "stddev_pop",
    "sum",
    "var",
    "var_pop",
];
/// The aggregate whose second half takes a sum of nothing for a number, unless nothing is said of
/// the count either.
const MEAN: &str = "avg";
/// How many groups are remembered before they are handed on. A group that comes again is put
/// together by whoever gets them.
const MAX_GROUPS: usize = 4_096;

/// Lets groups by the columns that come in runs be added up run by run.
#[derive(Debug)]
pub(crate) struct AddUpRuns;

impl PhysicalOptimizerRule for AddUpRuns {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let changed = plan.transform_up(|node| {
            Ok(match node.downcast_ref().and_then(RunsExec::instead_of) {
                Some(runs) => Transformed::yes(Arc::new(runs) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(node),
            })
        })?;
        Ok(changed.data)
    }

    fn name(&self) -> &'static str {
        "add_up_runs"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The first half of an aggregate: what each thread knows of the groups it saw.
#[derive(Debug)]
struct RunsExec {
    /// What it stands for, which says what goes in and what comes out.
    partial: AggregateExec,
}

impl RunsExec {
    /// The same as a part of the engine, if its rows come in runs and its aggregates remember
    /// little.
    fn instead_of(partial: &AggregateExec) -> Option<Self> {
        let groups = partial.group_expr();
        let is_plain = *partial.mode() == AggregateMode::Partial
            && *partial.input_order_mode() == InputOrderMode::Linear
            && partial.limit_options().is_none()
            && groups.is_single()
            && !groups.is_empty()
            && partial.filter_expr().iter().all(Option::is_none);
        let in_runs = |(group, _): &(Arc<dyn PhysicalExpr>, String)| {
            let column = group.downcast_ref::<Column>();
            column.is_some_and(|column| comes_in_runs(partial.input(), column.index()))
        };
        let is_flat = |aggregate: &Arc<AggregateFunctionExpr>| {
            FLAT.contains(&aggregate.fun().name())
                && !aggregate.is_distinct()
                && aggregate.order_bys().is_empty()
        };
        let fits = is_plain
            && groups.expr().iter().all(in_runs)
            && partial.aggr_expr().iter().all(is_flat);
        fits.then(|| Self {
            partial: partial.clone(),
        })
    }
}

/// Returns whether a column of a plan is one that the layout of a lake puts in order, with nothing
/// between that would mix its rows.
fn comes_in_runs(plan: &Arc<dyn ExecutionPlan>, column: usize) -> bool {
    if let Some(source) = plan.downcast_ref::<DataSourceExec>() {
        let name = plan
            .schema()
            .fields()
            .get(column)
            .map(|field| field.name().clone());
        return source.downcast_to_file_source::<ParquetSource>().is_some()
            && name.is_some_and(|name| IN_RUNS.contains(&name.as_str()));
    }
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        let inner = projection
            .expr()
            .get(column)
            .map(|own| Arc::clone(&own.expr));
        return inner.is_some_and(|inner| {
            let inner = inner.downcast_ref::<Column>();
            inner.is_some_and(|inner| comes_in_runs(projection.input(), inner.index()))
        });
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        let inner = match filter.projection().as_ref() {
            Some(projection) => projection.get(column).copied(),
            None => Some(column),
        };
        return inner.is_some_and(|inner| comes_in_runs(filter.input(), inner));
    }
    let hands_on = plan.is::<CooperativeExec>() || plan.is::<VisibilityFilterExec>();
    match plan.children()[..] {
        [input] if hands_on => comes_in_runs(input, column),
        _ => false,
    }
}

impl DisplayAs for RunsExec {
    fn fmt_as(&self, format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunsExec: ")?;
        self.partial.fmt_as(format, f)
    }
}

impl ExecutionPlan for RunsExec {
    fn name(&self) -> &'static str {
        "RunsExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.partial.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![self.partial.input()]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.partial.apply_expressions(visit)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let partial: Arc<dyn ExecutionPlan> = Arc::new(self.partial.clone());
        let changed = replace_children_if_necessary(partial, children)?;
        let Some(partial) = changed.downcast_ref::<AggregateExec>() else {
            return internal_err!("an aggregate over something else is still one");
        };
        Ok(Arc::new(Self {
            partial: partial.clone(),
        }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let runs = Runs {
            input: self.partial.input().execute(partition, context)?.fuse(),
            schema: self.schema(),
            keys: self.partial.group_expr().input_exprs(),
            values: self
                .partial
                .aggr_expr()
                .iter()
                .map(|aggregate| aggregate.expressions())
                .collect(),
            aggregates: self.partial.aggr_expr().to_vec(),
            groups: Vec::new(),
            places: HashMap::new(),
        };
        let stream = stream::try_unfold(runs, Runs::next);
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            self.schema(),
            stream,
        )))
    }
}

/// The keys of a group, and what is known of it.
type Group = (Vec<ScalarValue>, Vec<Box<dyn Accumulator>>);

/// What one thread knows.
struct Runs {
    input: stream::Fuse<SendableRecordBatchStream>,
    schema: SchemaRef,
    keys: Vec<Arc<dyn PhysicalExpr>>,
    values: Vec<Vec<Arc<dyn PhysicalExpr>>>,
    aggregates: Vec<Arc<AggregateFunctionExpr>>,
    /// The groups in the order in which they came.
    groups: Vec<Group>,
    places: HashMap<Vec<ScalarValue>, usize>,
}

impl Runs {
    /// The groups that are handed on next.
    async fn next(mut self) -> Result<Option<(RecordBatch, Self)>> {
        while self.groups.len() < MAX_GROUPS {
            let Some(batch) = self.input.next().await else {
                break;
            };
            self.take(&batch?)?;
        }
        if self.groups.is_empty() {
            return Ok(None);
        }
        Ok(Some((self.hand_on()?, self)))
    }

    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let rows = batch.num_rows();
        let keys = self
            .keys
            .iter()
            .map(|key| key.evaluate(batch)?.into_array(rows))
            .collect::<Result<Vec<ArrayRef>>>()?;
        let values = evaluate_many(&self.values, batch)?;
        for run in runs(&keys, rows)? {
            let key = keys
                .iter()
                .map(|key| ScalarValue::try_from_array(key, run.start))
                .collect::<Result<Vec<_>>>()?;
            let group = match self.places.entry(key) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    self.groups
                        .push((new.key().clone(), create_accumulators(&self.aggregates)?));
                    *new.insert(self.groups.len() - 1)
                }
            };
            let (_, accumulators) = &mut self.groups[group];
            for (accumulator, values) in accumulators.iter_mut().zip(&values) {
                let of_run: Vec<ArrayRef> = values
                    .iter()
                    .map(|values| values.slice(run.start, run.len()))
                    .collect();
                accumulator.update_batch(&of_run)?;
            }
        }
        Ok(())
    }

    /// Everything known, in the words of the engine; nothing is known afterwards.
    fn hand_on(&mut self) -> Result<RecordBatch> {
        let mut columns: Vec<Vec<ScalarValue>> = vec![Vec::new(); self.schema.fields().len()];
        self.places.clear();
        for (mut row, accumulators) in self.groups.drain(..) {
            for (mut accumulator, aggregate) in accumulators.into_iter().zip(&self.aggregates) {
                let state = accumulator.state()?;
                let is_of_nothing =
                    aggregate.fun().name() == MEAN && state.iter().any(ScalarValue::is_null);
                for value in state {
                    row.push(if is_of_nothing {
                        ScalarValue::try_new_null(&value.data_type())?
                    } else {
                        value
                    });
                }
            }
            if row.len() != columns.len() {
                return internal_err!("an aggregate remembers something else than it says");
            }
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
        let columns = columns
            .into_iter()
            .map(ScalarValue::iter_to_array)
            .collect::<Result<Vec<ArrayRef>>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// Stretches of rows with the same keys. Two that follow each other may be of one group.
fn runs(keys: &[ArrayRef], rows: usize) -> Result<Vec<Range<usize>>> {
    if rows > 0 && keys.iter().all(is_one_value) {
        return Ok(std::iter::once(0..rows).collect());
    }
    Ok(partition(keys)?.ranges())
}

/// Returns whether all rows are known at a glance to have the same text.
fn is_one_value(key: &ArrayRef) -> bool {
    let Some(texts) = key.as_string_view_opt() else {
        return false;
    };
    let views = texts.views();
    // A view holds a short text itself and says where a long one lies, so equal views are equal
    // texts.
    texts.null_count() == 0 && views.iter().all(|view| *view == views[0])
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{Float64Array, StringViewArray};
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
    use datafusion::datasource::MemTable;
    use datafusion::physical_plan::collect;
    use datafusion::prelude::{SessionConfig, SessionContext};
    use proptest::prelude::*;

    use super::*;

    const QUESTION: &str = "SELECT model, task, count(*), count(score), sum(score), min(score), max(task), \
                            round(avg(score), 6), round(stddev(score), 6), round(var_pop(score), 6) \
                            FROM instances GROUP BY model, task";

    type Row = (Option<String>, Option<String>, Option<f64>);

    fn batch(rows: &[Row]) -> RecordBatch {
        let fields = [
            Field::new("model", DataType::Utf8View, true),
            Field::new("task", DataType::Utf8View, true),
            Field::new("score", DataType::Float64, true),
        ];
        let columns: [ArrayRef; 3] = [
            Arc::new(
                rows.iter()
                    .map(|row| row.0.as_deref())
                    .collect::<StringViewArray>(),
            ),
            Arc::new(
                rows.iter()
                    .map(|row| row.1.as_deref())
                    .collect::<StringViewArray>(),
            ),
            Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>()),
        ];
        RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), columns.to_vec()).unwrap()
    }

    /// The answer of the engine, and the answer with all first halves of aggregates replaced;
    /// sorted, as lines.
    fn both(batches: &[Vec<Row>], question: &str) -> [Vec<String>; 2] {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let context =
                SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
            let halves = batches.split_at(batches.len() / 2);
            let partitions =
                [halves.0, halves.1].map(|half| half.iter().map(|rows| batch(rows)).collect());
            let table = MemTable::try_new(batch(&[]).schema(), partitions.to_vec()).unwrap();
            context
                .register_table("instances", Arc::new(table))
                .unwrap();
            let frame = context.sql(question).await.unwrap();
            let engine = frame.create_physical_plan().await.unwrap();
            let mut replaced = 0;
            let ours = Arc::clone(&engine).transform_up(|node| {
                let partial = node.downcast_ref::<AggregateExec>();
                let partial = partial
                    .filter(|own| *own.mode() == AggregateMode::Partial)
                    .cloned();
                Ok(match partial {
                    Some(partial) => {
                        replaced += 1;
                        Transformed::yes(Arc::new(RunsExec { partial }) as Arc<dyn ExecutionPlan>)
                    }
                    None => Transformed::no(node),
                })
            });
            let ours = ours.unwrap().data;
            assert_eq!(replaced, 1);
            let mut answers = Vec::new();
            for plan in [engine, ours] {
                let batches = collect(plan, context.task_ctx()).await.unwrap();
                let mut lines: Vec<String> = batches.iter().flat_map(lines).collect();
                lines.sort();
                answers.push(lines);
            }
            answers.try_into().unwrap()
        })
    }

    fn lines(batch: &RecordBatch) -> Vec<String> {
        let options = FormatOptions::default().with_null("-");
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        let line = |row| {
            let cells: Vec<String> = columns
                .iter()
                .map(|column| column.value(row).to_string())
                .collect();
            cells.join(" | ")
        };
        (0..batch.num_rows()).map(line).collect()
    }

    fn row() -> impl Strategy<Value = Row> {
        let name = prop::option::of("(a name that no view holds in itself )?[ab]{0,2}");
        // Sums of these are the same in any order.
        let score = prop::option::of((-64_i8..64).prop_map(|eighths| f64::from(eighths) / 8.0));
        (name.clone(), name, score)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn runs_add_up_to_what_rows_add_up_to(
            stretches in prop::collection::vec(prop::collection::vec((row(), 1..6_usize), 0..8), 2..6)
        ) {
            let batches: Vec<Vec<Row>> = stretches
                .into_iter()
                .map(|stretch| {
                    let repeated = stretch.into_iter().flat_map(|(row, times)| std::iter::repeat_n(row, times));
                    repeated.collect()
                })
                .collect();

            let [engine, ours] = both(&batches, QUESTION);

            prop_assert_eq!(engine, ours);
        }
    }

    #[test]
    fn more_groups_than_are_remembered_are_put_together_by_the_second_half() {
        // All groups come twice, far apart.
        let rows = |score: f64| {
            let row = move |number: usize| {
                let task = format!("task {}", number % (3 * MAX_GROUPS));
                (Some("acme/model".to_owned()), Some(task), Some(score))
            };
            (0..6 * MAX_GROUPS).map(row).collect::<Vec<Row>>()
        };
        let batches: Vec<Vec<Row>> = [rows(0.0), rows(1.0)]
            .concat()
            .chunks(1_000)
            .map(<[_]>::to_vec)
            .collect();

        let [engine, ours] = both(&batches, QUESTION);

        assert_eq!(ours.len(), 3 * MAX_GROUPS);
        assert_eq!(engine, ours);
    }
}
