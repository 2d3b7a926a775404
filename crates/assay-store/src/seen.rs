use std::sync::atomic::{AtomicU64, Ordering};

/// The generation of the database that this process knows.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    newest: AtomicU64,
    /// The one that this process is about to commit, or has committed last.
    coming: AtomicU64,
    /// The newest with which this process noticed that another has committed.
    others: AtomicU64,
}

impl Seen {
    /// The newest generation that this process has made or noticed.
    pub(crate) fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    /// The newest generation with which this process noticed that another has committed.
    pub(crate) fn others(&self) -> u64 {
        self.others.load(Ordering::Acquire)
    }

    /// Notes that this process is about to commit a generation. Writers take turns, so there is one
    /// at a time.
    pub(crate) fn expect(&self, generation: u64) {
        self.coming.store(generation, Ordering::Release);
    }

    /// Notes a generation that this process has committed. When others have committed since the
    /// last that was seen, theirs is still to be noticed, and this one with it.
    pub(crate) fn own(&self, generation: u64) {
        let before = generation.saturating_sub(1);
        let seen =
            self.newest
                .compare_exchange(before, generation, Ordering::AcqRel, Ordering::Acquire);
        if seen.is_err() {
            // It stands on a commit of another and is news together with that one, whichever is
            // found first.
            self.coming.store(0, Ordering::Release);
            tracing::debug!(generation, "another process has committed as well");
        }
    }

    /// Notes a generation that the database has. One that this process has just committed and not
    /// yet noted is no news: taken for that of another process, it would end everything that is
    /// kept in memory.
    pub(crate) fn found(&self, generation: u64) {
        let is_own = generation == self.coming.load(Ordering::Acquire);
        if is_own && self.newest().checked_add(1) == Some(generation) {
            return;
        }
        if self.newest.fetch_max(generation, Ordering::AcqRel) < generation {
            self.others.fetch_max(generation, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(generation: u64) -> Seen {
        let seen = Seen::default();
        seen.found(generation);
        seen
    }

    #[test]
    fn a_commit_of_our_own_is_no_news_even_before_it_is_noted() {
        let seen = at(5);

        seen.expect(6);
        seen.found(6);

        assert_eq!(seen.newest(), 5, "whoever watches has seen nothing new");
        seen.own(6);
        assert_eq!((seen.newest(), seen.others()), (6, 5));
    }

    #[test]
    fn a_commit_of_another_is_news_beside_our_own() {
        let seen = at(5);

        // The other one made 6, and this process makes 7 on top of it.
        seen.expect(7);
        seen.own(7);

        assert_eq!(seen.newest(), 5);
        seen.found(7);
        assert_eq!((seen.newest(), seen.others()), (7, 7));
    }

    #[test]
    fn a_commit_of_our_own_upon_that_of_another_is_found_after_it() {
        let seen = at(5);

        // The other one made 6 and this process 7; both are heard of afterwards, one by one.
        seen.expect(7);
        seen.own(7);
        seen.found(6);
        seen.found(7);

        assert_eq!((seen.newest(), seen.others()), (7, 7));
    }

    #[test]
    fn a_commit_of_another_after_our_own_is_news() {
        let seen = at(5);

        seen.expect(6);
        seen.found(7);

        assert_eq!(seen.newest(), 7);
    }
}
