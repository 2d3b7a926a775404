//! Questions in SQL, within budgets.

use std::sync::{Arc, Weak};
use std::time::Duration;

use assay_formats::lake_api::Hidden;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::catalog::LakeTable;
use crate::error::{Error, Result};
use crate::lake::Snapshot;
use crate::table::Table;
use crate::veil::Veil;
use crate::views::VIEWS;

/// How many of the largest users of memory an error names.
const NAMED_CONSUMERS: usize = 3;

/// How many batches are made before somebody takes them.
const BATCHES_AHEAD: usize = 2;

/// How many bytes a stranger's question may write to the disk while it works.
const STRANGERS_SPILL: u64 = 1 << 30;

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
    /// Keeps the files of the snapshot on the disk.
    _snapshot: Arc<Snapshot>,
}

/// Tells whether work for an engine still goes on. An operator that is deep in its work does not notice that nobody waits
/// for it.
#[derive(Debug, Clone)]
pub struct Trace(Weak<RuntimeEnv>);

impl Trace {
    /// Whether nothing is left of the work.
    pub fn is_over(&self) -> bool {
        self.0.strong_count() == 0
    }
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
    task: AbortHandle,
    deadline: Option<(Instant, Duration)>,
}

impl Engine {
    /// Makes the tables of a snapshot known.
    pub async fn open(snapshot: Snapshot, limits: Limits) -> Result<Self> {
        Self::assemble(snapshot, limits, &Hidden::default(), AskedBy::Owner).await
    }

    /// Makes known what strangers may see of a snapshot: no row of what is hidden, no plan with the paths of this machine.
    pub async fn for_strangers(
        snapshot: Snapshot,
        limits: Limits,
        hidden: &Hidden,
    ) -> Result<Self> {
        Self::assemble(snapshot, limits, hidden, AskedBy::Stranger).await
    }

    async fn assemble(
        mut snapshot: Snapshot,
        limits: Limits,
        hidden: &Hidden,
        asked_by: AskedBy,
    ) -> Result<Self> {
        let pool = FairSpillPool::new(limits.memory);
        let consumers =
            std::num::NonZero::new(NAMED_CONSUMERS).unwrap_or(std::num::NonZero::<usize>::MIN);
        let mut runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, consumers)));
        if asked_by == AskedBy::Stranger {
            runtime = runtime.with_max_temp_directory_size(STRANGERS_SPILL);
        }
        let config = SessionConfig::new()
            .with_target_partitions(limits.threads.max(1))
            .with_information_schema(true);
        let context = SessionContext::new_with_config_rt(config, runtime.build_arc()?);
        let veil = Arc::new(Veil::new(hidden, &snapshot.manifest));
        snapshot.manifest.files.retain(|file| !veil.covers(file));
        for table in Table::ALL {
            let provider = Arc::new(LakeTable::new(&snapshot, table)?);
            context.register_table(table.as_str(), veil.over(table, provider))?;
        }
        for view in VIEWS {
            let sql = format!("CREATE VIEW {} AS {}", view.name, view.sql);
            context.sql(&sql).await?;
        }
        Ok(Self {
            context,
            limits,
            asked_by,
            _snapshot: Arc::new(snapshot),
        })
    }

    /// What tells, when the engine and its answers are dropped, whether work for them still goes on.
    pub fn trace(&self) -> Trace {
        Trace(Arc::downgrade(&self.context.runtime_env()))
    }

    /// Begins to answer a question. Anything but a question is refused before it is looked at any further.
    pub async fn ask(&self, sql: &str) -> Result<Answer> {
        let plan = self.context.state().create_logical_plan(sql).await?;
        SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false)
            .verify_plan(&plan)
            .map_err(|error| Error::NotAQuestion(refused(&error.strip_backtrace())))?;
        let is_of_plan = matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_));
        if is_of_plan && self.asked_by == AskedBy::Stranger {
            return Err(Error::NotForStrangers);
        }
        let deadline = self
            .limits
            .timeout
            .map(|timeout| (Instant::now() + timeout, timeout));
        let frame = self.context.execute_logical_plan(plan).await?;
        let stream = within(deadline, frame.execute_stream()).await??;
        let (sender, batches) = mpsc::channel(BATCHES_AHEAD);
        Ok(Answer {
            schema: stream.schema(),
            batches,
            task: tokio::spawn(drive(stream, sender)).abort_handle(),
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
        let next = within(self.deadline, self.batches.recv()).await?;
        Ok(next.transpose()?)
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.task.abort();
    }
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

/// What was asked for instead of a question, in the engine's word for it.
fn refused(message: &str) -> String {
    let word = message.rsplit(": ").next().unwrap_or(message);
    format!("`{word}`")
}
