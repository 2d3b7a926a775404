//! The log: one line a request, and what went wrong. Never a token, a body or the signature of a
//! link.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::Directive;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{Config, LogFormat, RequestLog};

/// The target of the line that each request gets.
pub(crate) const REQUESTS: &str = "assay_server::requests";

/// Reads what is to be logged, or says why not.
pub(crate) fn filter(text: &str) -> Result<EnvFilter, String> {
    EnvFilter::builder()
        .parse(text)
        .map_err(|error| format!("`{text}` is not a level or a list of directives: {error}"))
}

/// Sends the log to standard error. Only the first call in a process has an effect.
pub fn start(config: &Config) {
    let filter = filter(&config.log_level).unwrap_or_else(|_| EnvFilter::new("info"));
    let filter = if has_requests(config.log_requests, io::stderr().is_terminal()) {
        filter
    } else {
        filter.add_directive(requests_off())
    };
    let registry = tracing_subscriber::registry().with(filter);
    let started = match config.log_format {
        LogFormat::Text => registry
            .with(tracing_subscriber::fmt::layer().with_writer(io::stderr))
            .try_init(),
        LogFormat::Json => registry
            .with(
                tracing_subscriber::fmt::layer()
                    .json()
                    .flatten_event(true)
                    .with_writer(io::stderr),
            )
            .try_init(),
    };
    if started.is_err() {
        tracing::debug!("the log was started before");
    }
}

/// Returns whether requests get a line each.
fn has_requests(wish: RequestLog, is_terminal: bool) -> bool {
    match wish {
        RequestLog::Auto => !is_terminal,
        RequestLog::On => true,
        RequestLog::Off => false,
    }
}

/// Leaves out the lines of requests; those of failures have other targets.
fn requests_off() -> Directive {
    format!("{REQUESTS}=off")
        .parse()
        .expect("a target and a level are a directive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_shows_no_line_for_each_request() {
        assert!(!has_requests(RequestLog::Auto, true));
        assert!(has_requests(RequestLog::Auto, false));
        assert!(has_requests(RequestLog::On, true));
        assert_eq!(requests_off().to_string(), format!("{REQUESTS}=off"));
    }
}
