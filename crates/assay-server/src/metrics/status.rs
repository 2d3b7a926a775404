//! Gauges of the state of the hub, read for a scrape and cached for some seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_app::{Hub, HubStatus, WriterWaits};
use prometheus::core::{AtomicU64, Collector as _, GenericGaugeVec};
use prometheus::proto::{Bucket, Histogram, Metric, MetricFamily, MetricType};
use prometheus::{Gauge, IntCounter, Opts};
use tokio::sync::Mutex;

use super::level;
use crate::error::Failure;

/// The time for which the gauges are cached: a second scraper costs nothing.
const KEPT: Duration = Duration::from_secs(5);

/// The gauges as they were last read.
#[derive(Default)]
pub(super) struct StatusCache(Mutex<Option<(Instant, Arc<[MetricFamily]>)>>);

impl StatusCache {
    /// Returns the gauges, no older than some seconds. Concurrent scrapes wait for the first and
    /// get the same.
    pub(super) async fn get(&self, hub: &Hub) -> Result<Arc<[MetricFamily]>, Failure> {
        let mut kept = self.0.lock().await;
        if let Some((read, families)) = &*kept
            && read.elapsed() < KEPT
        {
            return Ok(Arc::clone(families));
        }
        let families = families(&hub.operations().status().await).map_err(Failure::internal)?;
        let families: Arc<[MetricFamily]> = families.into();
        *kept = Some((Instant::now(), Arc::clone(&families)));
        Ok(families)
    }
}

/// Describes a status. What could not be read is absent.
fn families(status: &HubStatus) -> prometheus::Result<Vec<MetricFamily>> {
    let mut families = Vec::new();
    let database = status.database.as_ref();
    let mut gauges = vec![(
        "assay_database_up",
        "1 when the database answers, else 0.",
        u64::from(database.is_some()),
    )];
    if let Some(database) = database {
        let latency = Gauge::new(
            "assay_database_latency_seconds",
            "Time that a small question to the database took.",
        )?;
        latency.set(database.latency.as_secs_f64());
        families.extend(latency.collect());
        gauges.extend([
            (
                "assay_database_bytes",
                "Size of the database.",
                database.bytes,
            ),
            (
                "assay_webhooks_due",
                "Deliveries that may be sent now.",
                database.deliveries.due,
            ),
            (
                "assay_webhooks_waiting",
                "Deliveries that are to be tried, now or later.",
                database.deliveries.waiting,
            ),
            (
                "assay_webhooks_paused",
                "Paused webhooks: switched off, or their address failed for long.",
                database.deliveries.paused,
            ),
            (
                "assay_log_requests",
                "Requests to the writer of the logs that nobody has answered.",
                database.log_requests,
            ),
            (
                "assay_audit_rows",
                "Rows of the audit log.",
                database.audit_rows,
            ),
        ]);
    }
    if let Some(disk) = status.disk {
        gauges.extend([
            (
                "assay_disk_free_bytes",
                "Space that the hub may still write on the file system of its data.",
                disk.free,
            ),
            (
                "assay_disk_total_bytes",
                "Size of the file system of the data directory.",
                disk.total,
            ),
        ]);
    }
    for (name, help, value) in gauges {
        families.extend(level(name, help, value)?);
    }
    families.extend(of_logs(
        "assay_log_entries",
        "Leaves of the transparency logs.",
        [status.results_log, status.control_log],
    )?);
    if let Some(lags) = status.witnesses {
        families.extend(of_logs(
            "assay_witness_lag_entries",
            "Leaves that most witnesses have not signed yet.",
            lags.map(|lag| lag.entries),
        )?);
        families.extend(of_logs(
            "assay_witness_lag_seconds",
            "Seconds since most witnesses last signed.",
            lags.map(|lag| lag.seconds),
        )?);
    }
    let sign_ins = IntCounter::new(
        "assay_session_sign_in_failures_total",
        "Passwords and tokens that were refused when a session was to be opened.",
    )?;
    sign_ins.inc_by(status.failed_sign_ins);
    families.extend(sign_ins.collect());
    families.push(writer_waits(&status.writer_waits));
    Ok(families)
}

/// A gauge with one value for the results log and one for the control log.
fn of_logs(name: &str, help: &str, values: [u64; 2]) -> prometheus::Result<Vec<MetricFamily>> {
    let gauges = GenericGaugeVec::<AtomicU64>::new(Opts::new(name, help), &["log"])?;
    for (log, value) in ["results", "control"].into_iter().zip(values) {
        gauges.with_label_values(&[log]).set(value);
    }
    Ok(gauges.collect())
}

/// The histogram that the store counts itself.
fn writer_waits(waits: &WriterWaits) -> MetricFamily {
    let buckets = WriterWaits::ENDS.iter().zip(waits.buckets);
    let buckets = buckets.map(|(end, count)| {
        let mut bucket = Bucket::default();
        bucket.set_upper_bound(Duration::from_millis(*end).as_secs_f64());
        bucket.set_cumulative_count(count);
        bucket
    });
    let mut histogram = Histogram::default();
    histogram.set_bucket(buckets.collect());
    histogram.set_sample_count(waits.count);
    histogram.set_sample_sum(waits.sum.as_secs_f64());
    let mut metric = Metric::default();
    metric.set_histogram(histogram);
    let mut family = MetricFamily::default();
    family.set_name("assay_writer_wait_seconds".to_owned());
    family.set_help("Time that changes of the database waited for their turn.".to_owned());
    family.set_field_type(MetricType::HISTOGRAM);
    family.set_metric(vec![metric]);
    family
}

#[cfg(test)]
mod tests {
    use assay_app::WitnessLag;
    use prometheus::TextEncoder;

    use super::*;

    fn text(status: &HubStatus) -> String {
        let families = families(status).unwrap();
        TextEncoder::new().encode_to_string(&families).unwrap()
    }

    #[test]
    fn what_cannot_be_read_is_absent() {
        let text = text(&HubStatus::default());

        assert!(text.contains("assay_database_up 0\n"), "{text}");
        for name in [
            "assay_database_bytes",
            "assay_disk_free_bytes",
            "assay_witness_lag_seconds",
        ] {
            assert!(!text.contains(name), "{name}");
        }
    }

    #[test]
    fn a_log_has_its_label_and_waits_are_a_histogram() {
        let lag = |entries, seconds| WitnessLag { entries, seconds };
        let status = HubStatus {
            results_log: 7,
            witnesses: Some([lag(1, 2), lag(3, 4)]),
            writer_waits: WriterWaits {
                count: 5,
                sum: Duration::from_millis(1500),
                ..WriterWaits::default()
            },
            ..HubStatus::default()
        };

        let text = text(&status);

        for line in [
            "assay_log_entries{log=\"results\"} 7",
            "assay_witness_lag_entries{log=\"control\"} 3",
            "assay_witness_lag_seconds{log=\"results\"} 2",
            "# TYPE assay_writer_wait_seconds histogram",
            "assay_writer_wait_seconds_bucket{le=\"+Inf\"} 5",
            "assay_writer_wait_seconds_sum 1.5",
            "assay_writer_wait_seconds_count 5",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
    }
}
