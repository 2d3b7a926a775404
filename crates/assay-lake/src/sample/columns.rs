//! Columns of questions that were written before.
//!
//! Which questions are asked, and in which order, is the same in the files of most models of a benchmark. What follows from nothing
//! else is packed once and copied into the next file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::sheet::Copied;

/// How much memory the columns of a benchmark take that may come again.
const MAX_BYTES: usize = 32 << 20;

/// The columns that were written of the questions of one benchmark.
#[derive(Default)]
pub(super) struct Columns {
    written: Mutex<Vec<Arc<Written>>>,
}

/// Columns that follow from which questions are asked in which order.
pub(super) struct Written {
    /// Where each question is kept.
    pub(super) places: Vec<u32>,
    pub(super) hashes: Vec<Copied>,
    pub(super) texts: Vec<Copied>,
}

impl Columns {
    /// The columns of the questions at these places.
    pub(super) fn of(&self, places: &[u32]) -> Option<Arc<Written>> {
        let written = self.written();
        let own = written.iter().find(|own| own.places == places);
        own.map(Arc::clone)
    }

    /// Keeps columns for the next file, unless they are too large for that.
    pub(super) fn keep(&self, columns: Written) {
        let mut written = self.written();
        // Another thread may have written the same meanwhile.
        if written.iter().any(|own| own.places == columns.places) {
            return;
        }
        let bytes: usize = written.iter().map(|own| own.bytes()).sum();
        if bytes + columns.bytes() > MAX_BYTES {
            written.clear();
        }
        if columns.bytes() <= MAX_BYTES {
            written.push(Arc::new(columns));
        }
    }

    fn written(&self) -> MutexGuard<'_, Vec<Arc<Written>>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Columns {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Columns").finish_non_exhaustive()
    }
}

impl Written {
    fn bytes(&self) -> usize {
        let columns = self.hashes.iter().chain(&self.texts);
        self.places.len() * size_of::<u32>() + columns.map(Copied::bytes).sum::<usize>()
    }
}
