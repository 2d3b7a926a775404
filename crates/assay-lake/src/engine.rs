//! Questions in SQL, within budgets.

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::SQLOptions;
use datafusion::execution::memory_pool::{FairSpillPool, TrackConsumersPool};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures_util::StreamExt as _;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::catalog::LakeTable;
use crate::error::{Error, Result};
use crate::lake::Snapshot;
use crate::table::Table;
use crate::views::VIEWS;

/// How many of the largest users of memory an error names.
const NAMED_CONSUMERS: usize = 3;

/// How many batches are made before somebody takes them.
const BATCHES_AHEAD: usize = 2;

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
    /// Keeps the files of the snapshot on the disk.
    _snapshot: Arc<Snapshot>,
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
        let pool = FairSpillPool::new(limits.memory);
        let consumers =
            std::num::NonZero::new(NAMED_CONSUMERS).unwrap_or(std::num::NonZero::<usize>::MIN);
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, consumers)))
            .build_arc()?;
        let config = SessionConfig::new()
            .with_target_partitions(limits.threads.max(1))
            .with_information_schema(true);
        let context = SessionContext::new_with_config_rt(config, runtime);
        for table in Table::ALL {
            let provider = LakeTable::new(&snapshot, table)?;
            context.register_table(table.as_str(), Arc::new(provider))?;
        }
        for view in VIEWS {
            let sql = format!("CREATE VIEW {} AS {}", view.name, view.sql);
            context.sql(&sql).await?;
        }
        Ok(Self {
            context,
            limits,
            _snapshot: Arc::new(snapshot),
        })
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
