//! Work on the audit log beside requests: counts of failed sign-ins are recorded, and old rows are
//! removed.

use std::error::Error as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_app::Hub;

/// The time between two looks at the counts of failed sign-ins.
const LOOK_EVERY: Duration = Duration::from_mins(1);
/// The time between two sweeps.
const SWEEP_EVERY: Duration = Duration::from_hours(24);

/// Records counts of failed sign-ins every minute, and removes rows that are older than so many
/// days once a day.
pub(crate) async fn keep_audit_log(hub: Arc<Hub>, days: u32) {
    let mut swept: Option<Instant> = None;
    loop {
        hub.operations().record_failed_sign_ins().await;
        if swept.is_none_or(|swept| swept.elapsed() >= SWEEP_EVERY) {
            swept = Some(Instant::now());
            match hub.operations().sweep_audit(days).await {
                Ok(0) => {}
                Ok(rows) => tracing::info!(rows, "removed {rows} old rows of the audit log"),
                Err(error) => {
                    let cause = error.source().map(ToString::to_string);
                    tracing::warn!(%error, cause, "failed to remove old rows of the audit log");
                }
            }
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
