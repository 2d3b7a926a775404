//! Queries that were under way when an executor was lost are failed, and never finished by doing its part again.
//!
//! Ballista runs the stages of a lost executor again. When one of two executors was killed in mid-query, the consumers of such a
//! stage sometimes read the parts of both attempts, and rows of a join were counted twice without a message.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::Result;
use ballista_core::serde::protobuf::ExecutorHeartbeat;
use ballista_core::serde::scheduler::{ExecutorData, ExecutorMetadata};
use ballista_scheduler::cluster::{BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot};
use ballista_scheduler::config::TaskDistributionPolicy;
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::task_manager::JobInfoCache;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};

/// The scheduler of a cluster of a lake.
pub(super) type Scheduler = SchedulerServer<LogicalPlanNode, PhysicalPlanNode>;

/// The executors of a cluster. Removing one cancels every query under way.
///
/// The scheduler removes a lost executor here before it puts the loss into its queue of events. The cancellations stand in that
/// queue before it, so no query is left whose stages could be run again.
pub(super) struct CancelOnLoss {
    state: Arc<dyn ClusterState>,
    scheduler: OnceLock<Scheduler>,
}

impl CancelOnLoss {
    /// Wraps the executors of a cluster.
    pub(super) fn new(state: Arc<dyn ClusterState>) -> Self {
        Self {
            state,
            scheduler: OnceLock::new(),
        }
    }

    /// Names the scheduler whose queries are cancelled.
    pub(super) fn set_scheduler(&self, scheduler: Scheduler) {
        // It is set once, when the scheduler starts.
        self.scheduler.set(scheduler).ok();
    }
}

#[async_trait]
impl ClusterState for CancelOnLoss {
    async fn init(&self) -> Result<()> {
        self.state.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        self.state
            .bind_schedulable_tasks(distribution, active_jobs, executors)
            .await
    }

    async fn unbind_tasks(&self, executor_slots: Vec<ExecutorSlot>) -> Result<()> {
        self.state.unbind_tasks(executor_slots).await
    }

    async fn register_executor(
        &self,
        metadata: ExecutorMetadata,
        spec: ExecutorData,
    ) -> Result<()> {
        self.state.register_executor(metadata, spec).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.state.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor_id: &str) -> Result<ExecutorMetadata> {
        self.state.get_executor_metadata(executor_id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.state.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.state.save_executor_heartbeat(heartbeat).await
    }

    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        let removed = self.state.remove_executor(executor_id).await;
        if let Some(scheduler) = self.scheduler.get() {
            let jobs = scheduler.state.task_manager.get_running_job_cache();
            let jobs: Vec<JobId> = jobs.keys().cloned().collect();
            for job in jobs {
                scheduler.cancel_job(job).await?;
            }
        }
        removed
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.state.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor_id: &str) -> Option<ExecutorHeartbeat> {
        self.state.get_executor_heartbeat(executor_id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.state.cluster_state_events().await
    }
}
