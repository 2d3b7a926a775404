use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::physical_expr::{LexOrdering, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    ChildrenPropertiesMode, ExecutionPlan, ExecutionPlanProperties as _, InputOrderMode,
    ReplaceChildrenOptions,
};

/// Sorts what goes into a window function by all the columns that it is divided by.
///
/// One machine leaves out those that a filter holds constant (`WHERE task = 'sums'`). When a plan
/// is cut into stages, the filter may end up in another one than the window, which then no longer
/// knows, and refuses its input.
#[derive(Debug)]
pub(super) struct SortWindows;

impl PhysicalOptimizerRule for SortWindows {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let sorted = plan.transform_up(|node| {
            let Some(ordering) = wanted(&node) else {
                return Ok(Transformed::no(node));
            };
            let input = Arc::clone(node.children()[0]);
            let is_divided = input.output_partitioning().partition_count() > 1;
            let (input, is_divided) = match input.downcast_ref::<SortExec>() {
                Some(sort) => (Arc::clone(sort.input()), sort.preserve_partitioning()),
                None => (input, is_divided),
            };
            let sort = SortExec::new(ordering, input).with_preserve_partitioning(is_divided);
            let recompute = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            let window = node.replace_children(vec![Arc::new(sort)], recompute)?;
            Ok(Transformed::yes(window))
        })?;
        Ok(sorted.data)
    }

    fn name(&self) -> &'static str {
        "sort_windows"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The order of the input of a window with the columns that were left out put first, where they
/// change nothing.
fn wanted(node: &Arc<dyn ExecutionPlan>) -> Option<LexOrdering> {
    let windows = match (
        node.downcast_ref::<BoundedWindowAggExec>(),
        node.downcast_ref::<WindowAggExec>(),
    ) {
        (Some(bounded), _) if bounded.input_order_mode == InputOrderMode::Sorted => {
            bounded.window_expr()
        }
        (_, Some(window)) => window.window_expr(),
        _ => return None,
    };
    let keys = windows.first()?.partition_by();
    let input = node.children().into_iter().next()?;
    let present: Vec<PhysicalSortExpr> = input
        .output_ordering()
        .map(|ordering| ordering.iter().cloned().collect())
        .unwrap_or_default();
    let is_missing = |key: &&Arc<dyn PhysicalExpr>| !present.iter().any(|sort| sort.expr.eq(*key));
    let missing: Vec<PhysicalSortExpr> = keys
        .iter()
        .filter(is_missing)
        .map(|key| PhysicalSortExpr::new_default(Arc::clone(key)))
        .collect();
    if missing.is_empty() {
        return None;
    }
    LexOrdering::new(missing.into_iter().chain(present))
}
