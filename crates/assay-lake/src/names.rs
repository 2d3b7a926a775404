//! Names of files that a lake does not have yet.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::lake::Writing;

/// Gives out names for the files of the next snapshot, to any thread.
pub(crate) struct Names {
    prefix: String,
    given: AtomicU64,
}

impl Names {
    /// None given out yet. What is written for one snapshot in different ways has different kinds.
    pub(crate) fn new(writing: &Writing, kind: &str) -> Self {
        Self {
            prefix: format!("{:08}-{kind}", writing.next_snapshot()),
            given: AtomicU64::new(0),
        }
    }

    /// A name that no file of the lake has.
    pub(crate) fn next(&self) -> String {
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}{number:06}", self.prefix)
    }
}
