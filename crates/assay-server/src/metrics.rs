//! What is counted, and how Prometheus reads it. Nothing here names a repository, a user or an address.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// The upper ends of the latency buckets, in seconds.
const BUCKETS: [(f64, &str); 12] = [
    (0.001, "0.001"),
    (0.0025, "0.0025"),
    (0.005, "0.005"),
    (0.01, "0.01"),
    (0.025, "0.025"),
    (0.05, "0.05"),
    (0.1, "0.1"),
    (0.25, "0.25"),
    (0.5, "0.5"),
    (1.0, "1"),
    (2.5, "2.5"),
    (10.0, "10"),
];

/// What is counted.
#[derive(Default)]
pub(crate) struct Metrics {
    /// Commits made through the API.
    pub(crate) commits: Counter,
    /// Pushes that were answered.
    pub(crate) pushes: Counter,
    /// Answers that were not computed again.
    pub(crate) cache_hits: Counter,
    /// Panics that became a 500.
    pub(crate) panics: Counter,
    routes: RwLock<BTreeMap<String, Arc<Route>>>,
}

/// A number that only grows.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

#[derive(Default)]
struct Route {
    answers: Mutex<BTreeMap<(&'static str, u16), u64>>,
    buckets: [AtomicU64; BUCKETS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl Counter {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Metrics {
    /// Counts an answer; `route` is the pattern that matched, so there are as many as the router has.
    pub(crate) fn answered(
        &self,
        route: &str,
        method: &Method,
        status: StatusCode,
        took: Duration,
    ) {
        self.route(route).add(method, status, took);
    }

    /// Everything as Prometheus reads it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (name, help, counter) in [
            (
                "assay_commits_total",
                "Commits made through the API.",
                &self.commits,
            ),
            (
                "assay_pushes_total",
                "Pushes that were answered.",
                &self.pushes,
            ),
            (
                "assay_cache_hits_total",
                "Answers not computed again.",
                &self.cache_hits,
            ),
            (
                "assay_panics_total",
                "Panics that became a 500.",
                &self.panics,
            ),
        ] {
            self::counter(&mut text, name, help, counter.get());
        }
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        requests(&mut text, &routes);
        latencies(&mut text, &routes);
        text
    }

    fn route(&self, route: &str) -> Arc<Route> {
        let routes = self.routes.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = routes.get(route) {
            return Arc::clone(found);
        }
        drop(routes);
        let mut routes = self.routes.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(routes.entry(route.to_owned()).or_default())
    }
}

impl Route {
    fn add(&self, method: &Method, status: StatusCode, took: Duration) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.entry((word(method), status.as_u16())).or_default() += 1;
        drop(answers);
        let seconds = took.as_secs_f64();
        for ((end, _), bucket) in BUCKETS.iter().zip(&self.buckets) {
            if seconds <= *end {
                bucket.fetch_add(1, Ordering::Relaxed);
            }
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

fn requests(text: &mut String, routes: &BTreeMap<String, Arc<Route>>) {
    let name = "assay_http_requests_total";
    head(
        text,
        name,
        "Requests by route, method and status.",
        "counter",
    );
    for (route, stats) in routes {
        let answers = stats.answers.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, status), count) in answers.iter() {
            let labels = format!(
                "route=\"{}\",method=\"{method}\",status=\"{status}\"",
                escape(route)
            );
            line(text, name, &labels, &count.to_string());
        }
    }
}

fn latencies(text: &mut String, routes: &BTreeMap<String, Arc<Route>>) {
    let name = "assay_http_request_duration_seconds";
    head(
        text,
        name,
        "Time to the head of the answer, by route.",
        "histogram",
    );
    for (route, stats) in routes {
        let route = escape(route);
        let bucket = format!("{name}_bucket");
        for ((_, end), count) in BUCKETS.iter().zip(&stats.buckets) {
            let labels = format!("route=\"{route}\",le=\"{end}\"");
            line(
                text,
                &bucket,
                &labels,
                &count.load(Ordering::Relaxed).to_string(),
            );
        }
        let count = stats.count.load(Ordering::Relaxed).to_string();
        line(
            text,
            &bucket,
            &format!("route=\"{route}\",le=\"+Inf\""),
            &count,
        );
        let sum = Duration::from_micros(stats.micros.load(Ordering::Relaxed)).as_secs_f64();
        line(
            text,
            &format!("{name}_sum"),
            &format!("route=\"{route}\""),
            &sum.to_string(),
        );
        line(
            text,
            &format!("{name}_count"),
            &format!("route=\"{route}\""),
            &count,
        );
    }
}

/// Adds a number that only grows and is counted elsewhere.
pub(crate) fn counter(text: &mut String, name: &str, help: &str, value: u64) {
    head(text, name, help, "counter");
    line(text, name, "", &value.to_string());
}

/// Adds a number as it is at the moment.
pub(crate) fn gauge(text: &mut String, name: &str, help: &str, value: u64) {
    head(text, name, help, "gauge");
    line(text, name, "", &value.to_string());
}

fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(text: &mut String, name: &str, labels: &str, value: &str) {
    let _ = match labels {
        "" => writeln!(text, "{name} {value}"),
        _ => writeln!(text, "{name}{{{labels}}} {value}"),
    };
}

fn escape(label: &str) -> String {
    label
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// The method, or one word for all that nobody has heard of: a stranger must not add rows at will.
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
        metrics.commits.add();

        let text = metrics.text();

        for line in [
            "assay_commits_total 1",
            "assay_http_requests_total{route=\"/a\",method=\"GET\",status=\"200\"} 2",
            "assay_http_requests_total{route=\"/a\",method=\"other\",status=\"404\"} 1",
            "assay_http_request_duration_seconds_bucket{route=\"/a\",le=\"0.001\"} 1",
            "assay_http_request_duration_seconds_bucket{route=\"/a\",le=\"0.0025\"} 2",
            "assay_http_request_duration_seconds_bucket{route=\"/a\",le=\"+Inf\"} 3",
            "assay_http_request_duration_seconds_sum{route=\"/a\"} 20.002",
        ] {
            assert!(text.lines().any(|own| own == line), "{line}\n{text}");
        }
    }
}
