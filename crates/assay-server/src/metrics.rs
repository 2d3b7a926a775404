//! The metrics of the hub, as Prometheus reads them. No metric names a repository, a user or an
//! address.

use std::time::Duration;

use assay_app::{DeliveryOutcome, PushOutcome, PushRejection};
use axum::http::{Method, StatusCode};
use prometheus::core::{AtomicU64, Collector, GenericGauge};
use prometheus::proto::MetricFamily;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounter, IntCounterVec, Opts, Registry, TextEncoder,
};

use crate::error::Failure;
use crate::state::AppState;

mod status;
mod write;

use self::status::StatusCache;
pub(crate) use self::write::{RefusedInBody, WriteKind, WriteOutcome};

/// The upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 12] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];
/// The values of the label `outcome` of a webhook delivery.
const DELIVERIES: [&str; 3] = ["delivered", "failed", "forbidden"];

/// A gauge of a size or a number of things.
type SizeGauge = GenericGauge<AtomicU64>;

/// The counters of one process.
pub(crate) struct Metrics {
    /// Commits made through the API.
    pub(crate) commits: IntCounter,
    /// Responses served from the cache.
    pub(crate) cache_hits: IntCounter,
    /// Panics that became a 500.
    pub(crate) panics: IntCounter,
    /// Access tokens of the API and of git that were refused.
    pub(crate) refused_tokens: IntCounter,
    /// Directories that the lake has not ingested yet.
    pub(crate) lake_pending: SizeGauge,
    pushes: IntCounter,
    writes: IntCounterVec,
    rejections: IntCounterVec,
    deliveries: IntCounterVec,
    requests: IntCounterVec,
    latencies: HistogramVec,
    status: StatusCache,
    registry: Registry,
}

impl Default for Metrics {
    #[expect(
        clippy::expect_used,
        reason = "names and labels are constants, and every hub of a test makes them"
    )]
    fn default() -> Self {
        Self::new().expect("every metric has a valid name of its own")
    }
}

impl Metrics {
    fn new() -> prometheus::Result<Self> {
        let registry = Registry::new();
        let added = &registry;
        let requests = Opts::new(
            "assay_http_requests_total",
            "Requests by route, method and status.",
        );
        let latencies = HistogramOpts::new(
            "assay_http_request_duration_seconds",
            "Time to the head of the answer, by route.",
        );
        let metrics = Self {
            commits: counter(
                added,
                "assay_commits_total",
                "Commits made through the API.",
            )?,
            pushes: counter(added, "assay_pushes_total", "Pushes that were answered.")?,
            cache_hits: counter(
                added,
                "assay_cache_hits_total",
                "Answers not computed again.",
            )?,
            panics: counter(added, "assay_panics_total", "Panics that became a 500.")?,
            refused_tokens: counter(
                added,
                "assay_token_failures_total",
                "Access tokens of the API and of git that were refused.",
            )?,
            lake_pending: register(
                added,
                SizeGauge::new(
                    "assay_lake_pending",
                    "Directories that wait to be taken in by the lake.",
                )?,
            )?,
            writes: counters(
                added,
                "assay_writes_total",
                "Requests that change something, by kind and outcome.",
                &["kind", "outcome"],
            )?,
            rejections: counters(
                added,
                "assay_pushes_rejected_total",
                "Pushes that were rejected, by the class of the reason.",
                &["reason"],
            )?,
            deliveries: counters(
                added,
                "assay_webhook_deliveries_total",
                "Attempts to deliver something to a webhook, by outcome.",
                &["outcome"],
            )?,
            requests: register(
                added,
                IntCounterVec::new(requests, &["route", "method", "status"])?,
            )?,
            latencies: register(
                added,
                HistogramVec::new(latencies.buckets(BUCKETS.to_vec()), &["route"])?,
            )?,
            status: StatusCache::default(),
            registry,
        };
        metrics.start_at_zero();
        Ok(metrics)
    }

    /// Makes every counter whose labels are known appear before it is counted, so that a rate can
    /// be computed from the first event.
    fn start_at_zero(&self) {
        for kind in WriteKind::ALL {
            for outcome in WriteOutcome::ALL {
                self.writes
                    .with_label_values(&[kind.as_str(), outcome.as_str()]);
            }
        }
        for reason in PushRejection::ALL {
            self.rejections.with_label_values(&[reason.as_str()]);
        }
        for outcome in DELIVERIES {
            self.deliveries.with_label_values(&[outcome]);
        }
    }

    /// Counts a request that changes something.
    pub(crate) fn written(&self, kind: WriteKind, outcome: WriteOutcome) {
        self.writes
            .with_label_values(&[kind.as_str(), outcome.as_str()])
            .inc();
    }

    /// Counts a push by its outcome.
    pub(crate) fn pushed(&self, outcome: PushOutcome) {
        self.pushes.inc();
        if let PushOutcome::Rejected(reason) = outcome {
            self.rejections.with_label_values(&[reason.as_str()]).inc();
        }
    }

    /// Counts an attempt to deliver something to a webhook.
    pub(crate) fn delivered(&self, outcome: &DeliveryOutcome) {
        let place = match outcome {
            DeliveryOutcome::Answered(200..=299) => 0,
            DeliveryOutcome::Answered(_) | DeliveryOutcome::Failed(_) => 1,
            DeliveryOutcome::Forbidden(_) => 2,
        };
        self.deliveries
            .with_label_values(&[DELIVERIES[place]])
            .inc();
    }

    /// Counts a response. `route` is the pattern that matched, so the number of label values is
    /// bounded by the router.
    pub(crate) fn answered(
        &self,
        route: &str,
        method: &Method,
        status: StatusCode,
        took: Duration,
    ) {
        self.requests
            .with_label_values(&[route, word(method), status.as_str()])
            .inc();
        self.latencies
            .with_label_values(&[route])
            .observe(took.as_secs_f64());
    }

    /// Returns everything in the text format of Prometheus.
    pub(crate) async fn scrape(&self, state: &AppState) -> Result<String, Failure> {
        let mut families = self.registry.gather();
        families.extend(levels(state).map_err(Failure::internal)?);
        families.extend_from_slice(&self.status.get(&state.hub).await?);
        let text = TextEncoder::new().encode_to_string(&families);
        text.map_err(Failure::internal)
    }
}

/// Reads numbers that are kept outside of the metrics.
fn levels(state: &AppState) -> prometheus::Result<Vec<MetricFamily>> {
    let connections = &state.web.connections;
    let refused = IntCounter::new(
        "assay_connections_refused_total",
        "Connections beyond the limits.",
    )?;
    refused.inc_by(connections.refused());
    let mut families = refused.collect();
    for (name, help, value) in [
        (
            "assay_connections",
            "Open connections.",
            connections.open() as u64,
        ),
        (
            "assay_answer_bytes",
            "Bytes of answers that wait in memory for their clients.",
            state.web.answer_bytes.in_use(),
        ),
        (
            "assay_unpacked_bytes",
            "Disk space of files out of git that are being sent.",
            state.hub.unpacked_bytes(),
        ),
        (
            "assay_git_processes",
            "Fetches and pushes that are being answered.",
            state.hub.git_processes() as u64,
        ),
    ] {
        families.extend(level(name, help, value)?);
    }
    Ok(families)
}

/// A gauge with the value that it has now.
fn level(name: &str, help: &str, value: u64) -> prometheus::Result<Vec<MetricFamily>> {
    let gauge = SizeGauge::new(name, help)?;
    gauge.set(value);
    Ok(gauge.collect())
}

fn register<M: Collector + Clone + 'static>(
    registry: &Registry,
    metric: M,
) -> prometheus::Result<M> {
    registry.register(Box::new(metric.clone()))?;
    Ok(metric)
}

fn counter(registry: &Registry, name: &str, help: &str) -> prometheus::Result<IntCounter> {
    register(registry, IntCounter::new(name, help)?)
}

fn counters(
    registry: &Registry,
    name: &str,
    help: &str,
    labels: &[&str],
) -> prometheus::Result<IntCounterVec> {
    register(registry, IntCounterVec::new(Opts::new(name, help), labels)?)
}

/// Returns the method, or one word for all unknown ones: a client must not be able to add label
/// values.
fn word(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_by_route_method_and_status_with_their_latencies() {
        let metrics = Metrics::default();
        metrics.answered("/a", &Method::GET, StatusCode::OK, Duration::from_millis(2));
        metrics.answered("/a", &Method::GET, StatusCode::OK, Duration::from_secs(20));
        metrics.answered(
            "/a",
            &Method::from_bytes(b"BREW").unwrap(),
            StatusCode::NOT_FOUND,
            Duration::ZERO,
        );
        metrics.commits.inc();

        let text = TextEncoder::new().encode_to_string(&metrics.registry.gather());
        let text = text.unwrap();

        for line in [
            "assay_commits_total 1",
            "assay_http_requests_total{method=\"GET\",route=\"/a\",status=\"200\"} 2",
            "assay_http_requests_total{method=\"other\",route=\"/a\",status=\"404\"} 1",
            "assay_http_request_duration_seconds_bucket{route=\"/a\",le=\"0.001\"} 1",
            "assay_http_request_duration_seconds_bucket{route=\"/a\",le=\"0.0025\"} 2",
            "assay_http_request_duration_seconds_bucket{route=\"/a\",le=\"+Inf\"} 3",
            "assay_http_request_duration_seconds_sum{route=\"/a\"} 20.002",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
    }
}
