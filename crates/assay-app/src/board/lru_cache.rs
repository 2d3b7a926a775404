use std::collections::{BTreeMap, HashMap};

use assay_model::RepoKey;

/// A cache of some boards: those that were requested last, as many as fit.
#[derive(Debug)]
pub(super) struct LruCache<T> {
    held: HashMap<RepoKey, CachedValue<T>>,
    /// The boards in the order in which they were asked for.
    order: BTreeMap<u64, RepoKey>,
    /// Number of results that they have together.
    results: usize,
    /// Goes up with everything that is asked for.
    asked: u64,
    room: CacheLimit,
}

/// The limit of a cache. One board that is larger is kept alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheLimit {
    /// The number of boards.
    pub(super) boards: usize,
    /// Number of results that they have together.
    pub(super) results: usize,
}

#[derive(Debug)]
struct CachedValue<T> {
    value: T,
    results: usize,
    /// Time at which it was asked for last.
    asked: u64,
}

impl<T> LruCache<T> {
    /// An empty one.
    pub(super) fn new(room: CacheLimit) -> Self {
        Self {
            held: HashMap::new(),
            order: BTreeMap::new(),
            results: 0,
            asked: 0,
            room,
        }
    }

    /// Returns the cached value of a board for a request.
    pub(super) fn ask(&mut self, key: RepoKey) -> Option<&T> {
        let held = self.held.get_mut(&key)?;
        self.order.remove(&held.asked);
        self.asked += 1;
        held.asked = self.asked;
        self.order.insert(held.asked, key);
        Some(&held.value)
    }

    /// Returns the cached value of a board for a change.
    pub(super) fn get_mut(&mut self, key: RepoKey) -> Option<&mut T> {
        self.held.get_mut(&key).map(|held| &mut held.value)
    }

    /// Keeps a board with so many results, and forgets those that nobody asked for the longest when
    /// it does not fit.
    pub(super) fn keep(&mut self, key: RepoKey, results: usize, value: T) {
        self.remove(key);
        self.asked += 1;
        let asked = self.asked;
        self.order.insert(asked, key);
        self.results += results;
        let held = CachedValue {
            value,
            results,
            asked,
        };
        self.held.insert(key, held);
        while self.held.len() > 1
            && (self.held.len() > self.room.boards || self.results > self.room.results)
        {
            let Some((_, &oldest)) = self.order.first_key_value() else {
                return;
            };
            self.remove(oldest);
        }
    }

    /// Forgets a board.
    pub(super) fn remove(&mut self, key: RepoKey) {
        if let Some(held) = self.held.remove(&key) {
            self.order.remove(&held.asked);
            self.results -= held.results;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns those of four boards with so many results that are left after they were cached, and
    /// the first was requested again.
    fn left(results: [usize; 4], boards: usize, most: usize) -> Vec<i64> {
        let mut lru_cache = LruCache::new(CacheLimit {
            boards,
            results: most,
        });
        for (key, results) in (1..).zip(results) {
            lru_cache.keep(RepoKey(key), results, ());
            lru_cache.ask(RepoKey(1));
        }
        (1..=4)
            .filter(|key| lru_cache.ask(RepoKey(*key)).is_some())
            .collect()
    }

    #[test]
    fn boards_that_nobody_asked_for_the_longest_are_forgotten_first() {
        assert_eq!(left([5, 5, 5, 5], 4, 20), [1, 2, 3, 4]);
        assert_eq!(left([5, 5, 5, 5], 4, 19), [1, 3, 4]);
        assert_eq!(left([5, 5, 5, 5], 2, 20), [1, 4]);
        assert_eq!(left([16, 1, 1, 5], 4, 20), [4]);
    }

    #[test]
    fn a_board_that_is_too_large_is_kept_alone() {
        assert_eq!(left([5, 5, 5, 500], 4, 20), [4]);
    }

    #[test]
    fn a_board_that_is_kept_again_or_removed_gives_its_room_back() {
        let mut lru_cache = LruCache::new(CacheLimit {
            boards: 4,
            results: 20,
        });
        for _ in 0..3 {
            lru_cache.keep(RepoKey(1), 10, ());
        }
        lru_cache.keep(RepoKey(2), 10, ());
        assert!(lru_cache.ask(RepoKey(1)).is_some());

        lru_cache.remove(RepoKey(2));
        lru_cache.keep(RepoKey(3), 10, ());

        assert!(lru_cache.ask(RepoKey(1)).is_some());
    }
}
