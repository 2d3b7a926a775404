use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Maximum duration of a run before a bar appears. Most are over by then, and a bar that only
/// flashes up disturbs.
const PATIENCE: Duration = Duration::from_millis(500);
/// The template of the bar.
const TEMPLATE: &str = "{bar:32} {decimal_bytes} of {decimal_total_bytes}, {eta} left";

/// The progress of reading, shown on standard error.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    done: AtomicU64,
    begun: Instant,
}

impl Progress {
    /// A bar that ends at `total` bytes; nothing at all unless `shown`.
    pub(crate) fn new(shown: bool, total: u64) -> Self {
        Self::with_template(TEMPLATE, shown, total)
    }

    fn with_template(template: &str, shown: bool, total: u64) -> Self {
        let style = ProgressStyle::with_template(template);
        Self {
            bar: style
                .ok()
                .filter(|_| shown)
                .map(|style| ProgressBar::new(total).with_style(style)),
            done: AtomicU64::new(0),
            begun: Instant::now(),
        }
    }

    /// A bar that ends at `total` things of a kind.
    #[cfg(feature = "client")]
    pub(crate) fn counting(shown: bool, total: u64, things: &str) -> Self {
        let template = format!("{{bar:32}} {{human_pos}} of {{human_len}} {things}, {{eta}} left");
        Self::with_template(&template, shown, total)
    }

    /// Sets how much there is and how much of it is done.
    #[cfg(feature = "client")]
    pub(crate) fn at(&self, done: u64, total: u64) {
        let Some(bar) = &self.bar else { return };
        if self.begun.elapsed() > PATIENCE {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Notes that some bytes have been read, or some things done.
    pub(crate) fn advance(&self, bytes: u64) {
        let Some(bar) = &self.bar else { return };
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.begun.elapsed() > PATIENCE {
            bar.set_position(done);
        }
    }
}

/// A reader that tells how far it has come.
pub(crate) struct Watched<'p, R> {
    pub(crate) reader: R,
    pub(crate) progress: &'p Progress,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.progress.advance(count as u64);
        Ok(count)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
