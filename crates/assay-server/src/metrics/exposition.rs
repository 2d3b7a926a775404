//! The text that Prometheus reads.

use std::fmt::Write as _;

/// Adds a number that only grows and is counted elsewhere.
pub(crate) fn counter(text: &mut String, name: &str, help: &str, value: u64) {
    family(text, name, help, "counter", [(String::new(), value)]);
}

/// Adds a number as it is at the moment.
pub(crate) fn gauge(text: &mut String, name: &str, help: &str, value: u64) {
    family(text, name, help, "gauge", [(String::new(), value)]);
}

/// Adds a number of seconds as it is at the moment.
pub(crate) fn gauge_seconds(text: &mut String, name: &str, help: &str, seconds: f64) {
    head(text, name, help, "gauge");
    line(text, name, "", &seconds.to_string());
}

/// Adds a metric with a row for each set of labels, such as `kind="push"`.
pub(crate) fn family(
    text: &mut String,
    name: &str,
    help: &str,
    kind: &str,
    rows: impl IntoIterator<Item = (String, u64)>,
) {
    head(text, name, help, kind);
    for (labels, value) in rows {
        line(text, name, &labels, &value.to_string());
    }
}

pub(super) fn head(text: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

pub(super) fn line(text: &mut String, name: &str, labels: &str, value: &str) {
    let _ = match labels {
        "" => writeln!(text, "{name} {value}"),
        _ => writeln!(text, "{name}{{{labels}}} {value}"),
    };
}

/// One label with its value.
pub(super) fn label(name: &str, value: &str) -> String {
    format!("{name}=\"{}\"", escape(value))
}

pub(super) fn escape(label: &str) -> String {
    label
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
