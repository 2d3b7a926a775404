use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::config::BallistaConfig;
use ballista_core::planner::BallistaQueryPlanner;
use datafusion::catalog::Session;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::execution::context::QueryPlanner;
use datafusion::logical_expr::LogicalPlan;
use datafusion::logical_expr::expr_rewriter::unnormalize_cols;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner as _};
use datafusion_proto::protobuf::LogicalPlanNode;

use super::codec::LakeCodec;
use crate::catalog::LakeTable;
use crate::depth::is_deeper;

/// The schema of the tables that describe tables.
const INFORMATION_SCHEMA: &str = "information_schema";

/// How deep a plan and the expressions in it may be nested. Other machines read them with a stack of a size that is not ours to
/// choose, and one that overflows takes the work of others along.
const MAX_DEPTH: usize = 64;

/// Sends what asks about tables of a lake to a cluster, and answers the rest here: `SHOW TABLES`, `DESCRIBE results`, `SELECT 1`.
#[derive(Debug)]
pub(super) struct ClusterPlanner {
    remote: BallistaQueryPlanner<LogicalPlanNode>,
}

impl ClusterPlanner {
    /// A planner for the cluster of a scheduler.
    pub(super) fn new(url: String, settings: BallistaConfig) -> Self {
        Self {
            remote: BallistaQueryPlanner::with_extension(url, settings, Arc::new(LakeCodec)),
        }
    }
}

#[async_trait]
impl QueryPlanner for ClusterPlanner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if asks_a_lake(plan)? {
            if is_deeper(plan, MAX_DEPTH)? {
                return plan_err!(
                    "the query is nested more than {MAX_DEPTH} levels deep; ask without `--cluster`"
                );
            }
            let plan = narrowed(plan, session)?;
            return self.remote.create_physical_plan(&plan, session).await;
        }
        DefaultPhysicalPlanner::default()
            .create_physical_plan(plan, session)
            .await
    }
}

/// Whether a plan reads tables of a lake. One that reads others as well can be carried out neither here nor there.
fn asks_a_lake(plan: &LogicalPlan) -> Result<bool> {
    let mut asks = false;
    let mut stranger = None;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            if source_as_provider(&scan.source)?.is::<LakeTable>() {
                asks = true;
            } else {
                stranger = Some(scan.table_name.clone());
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    match stranger {
        Some(name) if asks && name.schema() == Some(INFORMATION_SCHEMA) => plan_err!(
            "a cluster cannot answer about tables and their descriptions at once; ask for `{name}` by itself"
        ),
        Some(name) if asks => plan_err!(
            "a cluster knows only the tables of the lake, and not `{name}`; ask without `--cluster`"
        ),
        Some(_) | None => Ok(asks),
    }
}

/// The plan with tables that name no more files than it needs: a lake has more of them than a message should carry.
fn narrowed(plan: &LogicalPlan, session: &dyn Session) -> Result<LogicalPlan> {
    let narrow = |node: LogicalPlan| {
        let LogicalPlan::TableScan(mut scan) = node else {
            return Ok(Transformed::no(node));
        };
        let provider = source_as_provider(&scan.source)?;
        if let Some(table) = provider.downcast_ref::<LakeTable>() {
            let filters = unnormalize_cols(scan.filters.clone());
            let table = table.narrowed(session, &filters)?;
            scan.source = provider_as_source(Arc::new(table));
        }
        Ok(Transformed::yes(LogicalPlan::TableScan(scan)))
    };
    let narrowed = plan.clone().transform_down_with_subqueries(narrow)?;
    Ok(narrowed.data)
}
