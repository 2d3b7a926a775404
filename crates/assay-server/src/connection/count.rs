use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::rate::network;

/// The open connections, in all and by address.
#[derive(Debug, Default)]
pub(crate) struct ConnectionCounts {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    total: usize,
    refused: u64,
    by_address: HashMap<IpAddr, usize>,
}

/// An open connection. Dropping it takes it off the count.
#[derive(Debug)]
pub(super) struct Counted {
    counts: Arc<ConnectionCounts>,
    address: IpAddr,
}

impl ConnectionCounts {
    /// Counts a connection, unless there are so many already. A limit by address of 0 is none.
    pub(super) fn admit(
        self: &Arc<Self>,
        address: IpAddr,
        total: usize,
        per_address: usize,
    ) -> Option<Counted> {
        let address = network(address);
        let mut counts = self.counts();
        let own = counts.by_address.get(&address).copied().unwrap_or(0);
        if counts.total >= total || (per_address > 0 && own >= per_address) {
            counts.refused += 1;
            return None;
        }
        counts.total += 1;
        counts.by_address.insert(address, own + 1);
        Some(Counted {
            counts: Arc::clone(self),
            address,
        })
    }

    /// Returns how many are open.
    pub(crate) fn open(&self) -> usize {
        self.counts().total
    }

    /// Returns how many were refused since the start.
    pub(crate) fn refused(&self) -> u64 {
        self.counts().refused
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.counts.counts();
        counts.total -= 1;
        if let Some(own) = counts.by_address.get_mut(&self.address) {
            *own -= 1;
            if *own == 0 {
                counts.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_all_have_theirs_together() {
        let counts = Arc::new(ConnectionCounts::default());
        let admit = |last: u8| counts.admit([192, 0, 2, last].into(), 3, 2);

        let (first, second) = (admit(1), admit(1));
        let third_of_one = admit(1);
        let other = admit(2);
        let one_too_many = admit(3);

        assert!(first.is_some() && second.is_some() && other.is_some());
        assert!(third_of_one.is_none() && one_too_many.is_none());
        assert_eq!((counts.open(), counts.refused()), (3, 2));
        drop(first);
        assert!(admit(3).is_some());
        drop((second, other));
        assert_eq!(counts.open(), 0);
        assert!(counts.counts().by_address.is_empty());
    }

    #[test]
    fn without_a_limit_by_address_one_may_have_all() {
        let counts = Arc::new(ConnectionCounts::default());

        let taken: Vec<_> = (0..3)
            .map(|_| counts.admit([192, 0, 2, 1].into(), 2, 0))
            .collect();

        assert_eq!(taken.iter().flatten().count(), 2);
    }
}
