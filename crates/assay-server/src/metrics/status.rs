//! The state of the hub as gauges, found out when it is asked for and kept for some seconds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_app::{Hub, HubStatus, WitnessLag, WriterWaits};
use tokio::sync::Mutex;

use super::exposition::{counter, family, gauge, gauge_seconds, head, label, line};

/// The time for which an answer is kept: a second scraper costs nothing.
const KEPT: Duration = Duration::from_secs(5);

/// The gauges as they were last found.
#[derive(Default)]
pub(crate) struct StatusText(Mutex<Option<(Instant, Arc<str>)>>);

impl StatusText {
    /// Returns the gauges, no older than some seconds. Whoever asks meanwhile waits and gets the same.
    pub(crate) async fn get(&self, hub: &Hub) -> Arc<str> {
        let mut kept = self.0.lock().await;
        if let Some((found, text)) = &*kept
            && found.elapsed() < KEPT
        {
            return Arc::clone(text);
        }
        let text: Arc<str> = status_text(&hub.status().await).into();
        *kept = Some((Instant::now(), Arc::clone(&text)));
        text
    }
}

fn status_text(status: &HubStatus) -> String {
    let mut text = String::new();
    let text = &mut text;
    gauge(
        text,
        "assay_database_up",
        "1 when the database answers, else 0.",
        u64::from(status.database.is_some()),
    );
    if let Some(database) = &status.database {
        gauge_seconds(
            text,
            "assay_database_latency_seconds",
            "Time that a small question to the database took.",
            database.latency.as_secs_f64(),
        );
        for (name, help, value) in [
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
                "Webhooks paused because their address failed for long.",
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
        ] {
            gauge(text, name, help, value);
        }
    }
    if let Some(disk) = status.disk {
        let help = "Space that the hub may still write on the file system of its data.";
        gauge(text, "assay_disk_free_bytes", help, disk.free);
        let help = "Size of the file system of the data directory.";
        gauge(text, "assay_disk_total_bytes", help, disk.total);
    }
    family(
        text,
        "assay_log_entries",
        "Leaves of the transparency logs.",
        "gauge",
        [
            (label("log", "results"), status.results_log),
            (label("log", "control"), status.control_log),
        ],
    );
    let witnesses: Vec<(&str, WitnessLag)> = match status.witnesses {
        Some([results, control]) => vec![("results", results), ("control", control)],
        None => Vec::new(),
    };
    let entries = witnesses.iter();
    let entries = entries.map(|(log, lag)| (label("log", log), lag.entries));
    let help = "Leaves that most witnesses have not signed yet.";
    family(text, "assay_witness_lag_entries", help, "gauge", entries);
    let seconds = witnesses.iter();
    let seconds = seconds.map(|(log, lag)| (label("log", log), lag.seconds));
    let help = "Seconds since most witnesses last signed.";
    family(text, "assay_witness_lag_seconds", help, "gauge", seconds);
    counter(
        text,
        "assay_session_sign_in_failures_total",
        "Passwords and tokens that were refused when a session was to be opened.",
        status.failed_sign_ins,
    );
    writer_waits(text, &status.writer_waits);
    std::mem::take(text)
}

fn writer_waits(text: &mut String, waits: &WriterWaits) {
    let name = "assay_writer_wait_seconds";
    let help = "Time that changes of the database waited for their turn.";
    head(text, name, help, "histogram");
    let bucket = format!("{name}_bucket");
    for (end, count) in WriterWaits::ENDS.iter().zip(waits.buckets) {
        let seconds = Duration::from_millis(*end).as_secs_f64();
        let labels = label("le", &seconds.to_string());
        line(text, &bucket, &labels, &count.to_string());
    }
    let count = waits.count.to_string();
    line(text, &bucket, &label("le", "+Inf"), &count);
    line(
        text,
        &format!("{name}_sum"),
        "",
        &waits.sum.as_secs_f64().to_string(),
    );
    line(text, &format!("{name}_count"), "", &count);
}
