//! The log: one line a request, and what went wrong. Never a token, a body or the signature of a link.

use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{Config, LogFormat};

/// Reads what is to be logged, or says why not.
pub(crate) fn filter(text: &str) -> Result<EnvFilter, String> {
    EnvFilter::builder()
        .parse(text)
        .map_err(|error| format!("`{text}` is not a level or a list of directives: {error}"))
}

/// Sends the log to standard error. Only the first call in a process has an effect.
pub fn start(config: &Config) {
    let filter = filter(&config.log_level).unwrap_or_else(|_| EnvFilter::new("info"));
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
