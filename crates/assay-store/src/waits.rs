use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper ends of the buckets, in milliseconds.
const BUCKETS: [u64; 9] = [1, 5, 10, 50, 100, 500, 1_000, 5_000, 30_000];

/// The time that changes waited for their turn to write, since the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriterWaits {
    /// The number of changes that waited no longer than each of [`WriterWaits::ENDS`].
    pub buckets: [u64; BUCKETS.len()],
    /// The number of all changes.
    pub count: u64,
    /// The time that all of them waited together.
    pub sum: Duration,
}

impl WriterWaits {
    /// The upper ends of the buckets, in milliseconds.
    pub const ENDS: [u64; BUCKETS.len()] = BUCKETS;
}

/// Counts how long changes wait.
#[derive(Debug, Default)]
pub(crate) struct WaitCounter {
    buckets: [AtomicU64; BUCKETS.len()],
    count: AtomicU64,
    micros: AtomicU64,
}

impl WaitCounter {
    pub(crate) fn note(&self, waited: Duration) {
        let millis = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        for (end, bucket) in BUCKETS.iter().zip(&self.buckets) {
            if millis <= *end {
                bucket.fetch_add(1, Ordering::Relaxed);
            }
        }
        let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> WriterWaits {
        let mut buckets = [0; BUCKETS.len()];
        for (number, bucket) in buckets.iter_mut().zip(&self.buckets) {
            *number = bucket.load(Ordering::Relaxed);
        }
        WriterWaits {
            buckets,
            count: self.count.load(Ordering::Relaxed),
            sum: Duration::from_micros(self.micros.load(Ordering::Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_counts_in_every_bucket_that_it_fits() {
        let waits = WaitCounter::default();

        waits.note(Duration::from_micros(300));
        waits.note(Duration::from_millis(70));
        waits.note(Duration::from_mins(1));

        let found = waits.get();
        assert_eq!(found.buckets, [1, 1, 1, 1, 2, 2, 2, 2, 2]);
        assert_eq!(found.count, 3);
        assert_eq!(found.sum, Duration::from_micros(60_070_300));
    }
}
