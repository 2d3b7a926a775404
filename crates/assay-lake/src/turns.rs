//! Work that can be called off.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode as _};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::joins::{
    CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec,
};

/// Lets others have a turn between the batches of a join.
///
/// The engine does so where rows are read. A join can make billions of rows of a few that were read
/// long ago, and until it is done, nobody would notice that its time is up or that nobody waits for
/// it any more.
#[derive(Debug)]
pub(crate) struct TakeTurns;

impl PhysicalOptimizerRule for TakeTurns {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let turned = plan.transform_up(|node| {
            let is_join = node.is::<CrossJoinExec>()
                || node.is::<HashJoinExec>()
                || node.is::<NestedLoopJoinExec>()
                || node.is::<SortMergeJoinExec>();
            Ok(if is_join {
                Transformed::yes(Arc::new(CooperativeExec::new(node)) as Arc<dyn ExecutionPlan>)
            } else {
                Transformed::no(node)
            })
        })?;
        Ok(turned.data)
    }

    fn name(&self) -> &'static str {
        "take_turns"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
