//! Counts how often a text is parsed and validated, for tests that show that it happens once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// An event of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It is parsed as YAML.
    Parsed,
    /// It is validated as a result file.
    Validated,
}

/// A text that is watched, by something that stands in no other text of the process.
#[derive(Debug)]
pub struct Watch {
    mark: String,
    parsed: AtomicU64,
    validated: AtomicU64,
}

static WATCHES: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());

impl Watch {
    /// Watches all texts that contain a mark, from now on.
    pub fn new(mark: &str) -> Arc<Self> {
        let watch = Arc::new(Self {
            mark: mark.to_owned(),
            parsed: AtomicU64::new(0),
            validated: AtomicU64::new(0),
        });
        let mut watches = WATCHES.lock();
        watches.push(Arc::clone(&watch));
        watch
    }

    /// Returns how often the text was parsed and validated since the last call.
    pub fn take(&self) -> (u64, u64) {
        let take = |count: &AtomicU64| count.swap(0, Ordering::SeqCst);
        (take(&self.parsed), take(&self.validated))
    }
}

/// Counts an event of a text.
pub fn note(event: Event, text: &str) {
    let watches = WATCHES.lock();
    for watch in watches.iter().filter(|watch| text.contains(&watch.mark)) {
        let count = match event {
            Event::Parsed => &watch.parsed,
            Event::Validated => &watch.validated,
        };
        count.fetch_add(1, Ordering::SeqCst);
    }
}
