//! Questions in SQL, within budgets.

use std::sync::Arc;
use std::time::Duration;

use assay_formats::lake_api::SourceFilter;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{SendableRecordBatchStream, SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures_util::StreamExt as _;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::bucket::Stores;
use crate::catalog::{Text, register_tables};
use crate::cluster::{Cluster, Job, explain};
use crate::depth::{has_more_operators, is_deeper};
use crate::error::{Error, Result};
use crate::functions::register_functions;
use crate::lake::Snapshot;
use crate::runs::AddUpRuns;
use crate::turns::TakeTurns;
use crate::views::VIEWS;
use crate::visibility::RowVisibility;

/// How many of the largest users of memory an error names.
const NAMED_CONSUMERS: usize = 3;

/// How deep a question may be nested.
const MAX_DEPTH: usize = 256;
/// How many operators and keywords a question may have.
const MAX_OPERATORS: usize = 2_048;

/// How many batches are made before somebody takes them.
const BATCHES_AHEAD: usize = 2;

/// Functions that tell where rows lie on this machine, and by that also what lies beside them.
const TELLING_FUNCTIONS: [&str; 2] = ["input_file_name", "file_row_index"];
/// The table of the settings of the engine.
const SETTINGS: &str = "df_settings";

/// The bytes of a file from which on several threads read it. A row group of scores has some megabytes.
const SHARED_FILE_BYTES: usize = 1 << 20;

/// How many bytes a stranger's question may write to the disk while it works, at most.
const STRANGERS_SPILL: u64 = 1 << 30;
/// How many times its memory it may write.
const SPILL_FACTOR: u64 = 4;

/// What one query may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many bytes of memory the engine may use before it writes to the disk or gives up.
    pub memory: usize,
    /// How long an answer may take.
    pub timeout: Option<Duration>,
    /// How many threads work on it.
    pub threads: usize,
}

/// An engine over one snapshot of a lake.
pub struct Engine {
    context: SessionContext,
    limits: Limits,
    asked_by: AskedBy,
    /// Who does the work, when it is not this process.
    cluster: Option<Cluster>,
    /// What it is over. As long as it is held, its files stay on the disk.
    _snapshot: Arc<Snapshot>,
}

/// Whose questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AskedBy {
    /// Somebody who can read the files of the lake.
    Owner,
    /// Anybody.
    Stranger,
}

/// The rows of an answer, as they come.
///
/// They are made by a task of their own: an operator that is deep in its work does not look at the clock, so somebody else
/// has to. When this is dropped, the task ends at the next batch.
pub struct Answer {
    schema: SchemaRef,
    batches: mpsc::Receiver<Result<RecordBatch, DataFusionError>>,
    /// Gone once the answer is known to be whole.
    task: Option<JoinHandle<()>>,
    job: Option<Job>,
    deadline: Option<(Instant, Duration)>,
}

impl Engine {
    /// Makes the tables of a snapshot known.
    pub async fn open(snapshot: Snapshot, limits: Limits) -> Result<Self> {
        Self::alone(snapshot, limits, &SourceFilter::default(), AskedBy::Owner).await
    }

    /// Makes known what strangers may see of a snapshot: no row that the filter hides, no plan with the paths of this machine.
    pub async fn for_strangers(
        snapshot: Snapshot,
        limits: Limits,
        filter: &SourceFilter,
    ) -> Result<Self> {
        Self::alone(snapshot, limits, filter, AskedBy::Stranger).await
    }

    /// Makes the tables of a snapshot known to a cluster, which has to find the files of the lake at the same place. Questions
    /// are checked here as they are by [`Engine::open`]; the memory of the machines that answer them is bounded there.
    pub async fn open_on(cluster: &Cluster, snapshot: Snapshot, limits: Limits) -> Result<Self> {
        let filter = SourceFilter::default();
        Self::on(cluster, snapshot, limits, &filter, AskedBy::Owner).await
    }

    /// The same for strangers: what is hidden is left out by the machines that read the files.
    pub async fn for_strangers_on(
        cluster: &Cluster,
        snapshot: Snapshot,
        limits: Limits,
        filter: &SourceFilter,
    ) -> Result<Self> {
        Self::on(cluster, snapshot, limits, filter, AskedBy::Stranger).await
    }

    async fn on(
        cluster: &Cluster,
        snapshot: Snapshot,
        limits: Limits,
        filter: &SourceFilter,
        asked_by: AskedBy,
    ) -> Result<Self> {
        cluster.reach().await?;
        let state = cluster.session(runtime(limits, &snapshot, asked_by)?);
        let cluster = Some(cluster.clone());
        Self::knowing(state, snapshot, limits, filter, (asked_by, cluster)).await
    }

    async fn alone(
        snapshot: Snapshot,
        limits: Limits,
        filter: &SourceFilter,
        asked_by: AskedBy,
    ) -> Result<Self> {
        let mut config = SessionConfig::new()
            .with_target_partitions(limits.threads.max(1))
            .with_information_schema(true);
        config.options_mut().optimizer.repartition_file_min_size = SHARED_FILE_BYTES;
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(runtime(limits, &snapshot, asked_by)?)
            .with_default_features()
            .with_physical_optimizer_rule(Arc::new(AddUpRuns))
            .with_physical_optimizer_rule(Arc::new(TakeTurns))
            .build();
        Self::knowing(state, snapshot, limits, filter, (asked_by, None)).await
    }

    /// Makes the tables known, without the rows that are hidden.
    async fn knowing(
        state: SessionState,
        mut snapshot: Snapshot,
        limits: Limits,
        filter: &SourceFilter,
        (asked_by, cluster): (AskedBy, Option<Cluster>),
    ) -> Result<Self> {
        let text = match cluster {
            Some(_) => Text::Plain,
            None => Text::Views,
        };
        let visibility = Arc::new(RowVisibility::new(filter, &snapshot.manifest));
        snapshot
            .manifest
            .files
            .retain(|file| !visibility.covers(file));
        let mut context = SessionContext::new_with_state(state);
        register_functions(&mut context)?;
        if asked_by == AskedBy::Stranger {
            for function in TELLING_FUNCTIONS {
                context.deregister_udf(function);
            }
        }
        register_tables(&context, &snapshot, text, &visibility)?;
        for view in VIEWS {
            let sql = format!("CREATE VIEW {} AS {}", view.name, view.sql);
            context.sql(&sql).await?;
        }
        Ok(Self {
            context,
            limits,
            asked_by,
            cluster,
            _snapshot: Arc::new(snapshot),
        })
    }

    /// Begins to answer a question. Anything but a question is refused before it is looked at any further.
    pub async fn ask(&self, sql: &str) -> Result<Answer> {
        if has_more_operators(sql, MAX_OPERATORS) {
            return Err(Error::TooLong(MAX_OPERATORS));
        }
        let plan = self.context.state().create_logical_plan(sql).await?;
        if is_deeper(&plan, MAX_DEPTH)? {
            return Err(Error::TooDeep(MAX_DEPTH));
        }
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&plan)
            .map_err(|error| Error::NotAQuestion(refused(&error.strip_backtrace())))?;
        if self.asked_by == AskedBy::Stranger {
            refuse_for_strangers(&plan)?;
        }
        let deadline = self
            .limits
            .timeout
            .map(|timeout| (Instant::now() + timeout, timeout));
        let frame = self.context.execute_logical_plan(plan).await?;
        let context = Arc::new(frame.task_ctx());
        let plan = within(deadline, frame.create_physical_plan()).await??;
        let stream = execute_stream(Arc::clone(&plan), context)?;
        let (sender, batches) = mpsc::channel(BATCHES_AHEAD);
        Ok(Answer {
            schema: stream.schema(),
            batches,
            task: Some(tokio::spawn(drive(stream, sender))),
            job: self.cluster.clone().map(|cluster| Job::new(cluster, plan)),
            deadline,
        })
    }

    /// The whole answer to a question.
    pub async fn all(&self, sql: &str) -> Result<Vec<RecordBatch>> {
        let mut answer = self.ask(sql).await?;
        let mut batches = Vec::new();
        while let Some(batch) = answer.next().await? {
            batches.push(batch);
        }
        Ok(batches)
    }
}

impl Answer {
    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The next rows; `None` after the last.
    pub async fn next(&mut self) -> Result<Option<RecordBatch>> {
        match within(self.deadline, self.batches.recv()).await {
            Ok(Some(Ok(batch))) => Ok(Some(batch)),
            Ok(Some(Err(error))) if self.job.is_some() => Err(explain(error)),
            Ok(Some(Err(error))) => Err(error.into()),
            Ok(None) => self.close().await,
            Err(stopped) => {
                self.call_off().await;
                Err(stopped)
            }
        }
    }

    /// Tells a cluster that nobody waits any more.
    pub async fn call_off(&mut self) {
        if let Some(job) = self.job.take() {
            job.cancel().await;
        }
    }

    /// There are no more rows: either the answer is whole, or the task that made it is dead. Half an answer must not be taken
    /// for one.
    async fn close(&mut self) -> Result<Option<RecordBatch>> {
        match self.task.take() {
            None => Ok(None),
            Some(task) => match task.await {
                Ok(()) => Ok(None),
                Err(error) => Err(Error::BrokenOff(error.to_string())),
            },
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        let Some(task) = &self.task else {
            return;
        };
        task.abort();
        // A cluster does not notice by itself that nobody waits any more.
        if let (Some(job), Ok(runtime)) = (self.job.take(), Handle::try_current()) {
            runtime.spawn(async move { job.cancel().await });
        }
    }
}

/// Memory within the budget of a query, and the stores that the lake may lie in.
fn runtime(limits: Limits, snapshot: &Snapshot, asked_by: AskedBy) -> Result<Arc<RuntimeEnv>> {
    let pool = FairSpillPool::new(limits.memory);
    let consumers =
        std::num::NonZero::new(NAMED_CONSUMERS).unwrap_or(std::num::NonZero::<usize>::MIN);
    let builder = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, consumers)))
        .with_object_store_registry(Arc::new(Stores::new(snapshot.storage().clone())));
    let builder = match asked_by {
        AskedBy::Owner => builder,
        AskedBy::Stranger => {
            let most = SPILL_FACTOR.saturating_mul(limits.memory as u64);
            builder.with_max_temp_directory_size(most.min(STRANGERS_SPILL))
        }
    };
    Ok(builder.build_arc()?)
}

async fn drive(
    mut stream: SendableRecordBatchStream,
    sender: mpsc::Sender<Result<RecordBatch, DataFusionError>>,
) {
    while let Some(batch) = stream.next().await {
        if sender.send(batch).await.is_err() {
            return;
        }
    }
}

async fn within<T>(
    deadline: Option<(Instant, Duration)>,
    work: impl Future<Output = T>,
) -> Result<T> {
    match deadline {
        None => Ok(work.await),
        Some((deadline, timeout)) => tokio::time::timeout_at(deadline, work)
            .await
            .map_err(|_| Error::Timeout(timeout.as_secs())),
    }
}

/// Refuses what is told only to those who can read the files of the lake: plans, and the settings of the engine.
fn refuse_for_strangers(plan: &LogicalPlan) -> Result<()> {
    if matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_)) {
        return Err(Error::NotForStrangers);
    }
    let mut reads_settings = false;
    plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            reads_settings |= scan.table_name.table() == SETTINGS;
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    if reads_settings {
        return Err(Error::Settings);
    }
    Ok(())
}

/// What was asked for instead of a question, in the engine's word for it.
fn refused(message: &str) -> String {
    let word = message.rsplit(": ").next().unwrap_or(message);
    format!("`{word}`")
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::Schema;

    use super::*;

    #[tokio::test]
    async fn an_engine_that_breaks_down_does_not_end_an_answer() {
        let schema = Arc::new(Schema::empty());
        let (sender, batches) = mpsc::channel(BATCHES_AHEAD);
        let rows = RecordBatch::new_empty(Arc::clone(&schema));
        let task = tokio::spawn(async move {
            let _ = sender.send(Ok(rows)).await;
            panic!("planted");
        });
        let mut answer = Answer {
            schema,
            batches,
            task: Some(task),
            job: None,
            deadline: None,
        };

        let first = answer.next().await;
        let second = answer.next().await;

        assert!(matches!(first, Ok(Some(_))), "{first:?}");
        assert!(matches!(second, Err(Error::BrokenOff(_))), "{second:?}");
    }
}
