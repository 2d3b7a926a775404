//! The state of a hub in numbers, for monitoring. Every question is cheap: none goes through a
//! table that grows with what people publish.

use std::time::{Duration, Instant};

use assay_store::{DeliveryCounts, WriterWaits};

use crate::error::Error;
use crate::hub::blocking;
use crate::services::OperationService;

/// The longest that the database may take to answer before it counts as unavailable.
const PATIENCE: Duration = Duration::from_secs(2);

/// A hub in numbers.
#[derive(Debug, Clone, Default)]
pub struct HubStatus {
    /// The database; none when it does not answer.
    pub database: Option<DatabaseStatus>,
    /// The file system that the data directory is on; none when it does not answer.
    pub disk: Option<DiskSpace>,
    /// The leaves of the results log.
    pub results_log: u64,
    /// The leaves of the control log.
    pub control_log: u64,
    /// The witnesses of the results log and of the control log; none when no witnesses are asked.
    pub witnesses: Option<[WitnessLag; 2]>,
    /// The time that changes of the database waited for their turn, in this process.
    pub writer_waits: WriterWaits,
    /// Sign-ins to the pages that failed, in this process.
    pub failed_sign_ins: u64,
}

/// The database of a hub in numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct DatabaseStatus {
    /// The time that a small question took.
    pub latency: Duration,
    /// Its size in bytes.
    pub bytes: u64,
    /// The queue of webhooks.
    pub deliveries: DeliveryCounts,
    /// Requests to the process that writes the logs which nobody has answered.
    pub log_requests: u64,
    /// The rows of the audit log.
    pub audit_rows: u64,
}

/// The space of a file system, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// All of it.
    pub total: u64,
    /// The number of bytes that this process may still write.
    pub free: u64,
}

/// The distance of a log to what most of its witnesses have signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WitnessLag {
    /// The leaves that they have not signed yet.
    pub entries: u64,
    /// The seconds since they last signed, or since they are asked.
    pub seconds: u64,
}

impl OperationService<'_> {
    /// Returns the state of this hub in numbers. What cannot be found out is absent.
    pub async fn status(self) -> HubStatus {
        let database = tokio::time::timeout(PATIENCE, self.database_status()).await;
        let database = match database {
            Ok(Ok(status)) => Some(status),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the database does not answer");
                None
            }
            Err(_) => None,
        };
        let data = self.hub.config.data.clone();
        let disk = blocking(move || {
            let space = rustix::fs::statvfs(&data).map_err(Error::internal)?;
            Ok(DiskSpace {
                total: space.f_frsize.saturating_mul(space.f_blocks),
                free: space.f_frsize.saturating_mul(space.f_bavail),
            })
        });
        let sizes = self.hub.trust.sizes();
        HubStatus {
            database,
            disk: disk.await.ok(),
            results_log: sizes.results,
            control_log: sizes.control,
            witnesses: self.hub.trust.witness_lags(self.hub.now()),
            writer_waits: self.hub.store.writer_waits(),
            failed_sign_ins: self.failed_sign_in_count(),
        }
    }

    async fn database_status(self) -> Result<DatabaseStatus, Error> {
        let started = Instant::now();
        let deliveries = self.hub.store.delivery_counts(self.hub.now()).await?;
        let latency = started.elapsed();
        Ok(DatabaseStatus {
            latency,
            bytes: self.hub.store.database_bytes().await?,
            deliveries,
            log_requests: self.hub.store.log_request_count().await?,
            audit_rows: self.hub.store.audit_count().await?,
        })
    }
}
