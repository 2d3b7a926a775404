use std::time::Duration;

use tokio::time::Instant;

/// The least that a peer must move: so many bytes in so much time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PaceRule {
    /// The time.
    pub(super) window: Duration,
    /// The bytes, at least one.
    pub(super) bytes: u64,
}

/// The pace of a peer, measured only while the peer is waited for.
#[derive(Debug)]
pub(super) struct Pace {
    rule: PaceRule,
    waiting_since: Option<Instant>,
    waited: Duration,
    moved: u64,
}

impl Pace {
    pub(super) fn new(rule: PaceRule) -> Self {
        Self {
            rule,
            waiting_since: None,
            waited: Duration::ZERO,
            moved: 0,
        }
    }

    /// Begins a wait, unless one is under way.
    pub(super) fn wait(&mut self, now: Instant) {
        self.waiting_since.get_or_insert(now);
    }

    /// Ends a wait, after which so many bytes have moved. A window ends when all of its bytes have
    /// moved.
    pub(super) fn moved(&mut self, now: Instant, bytes: u64) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += now.saturating_duration_since(since);
        }
        self.moved = self.moved.saturating_add(bytes);
        if self.moved >= self.rule.bytes {
            self.waited = Duration::ZERO;
            self.moved = 0;
        }
    }

    /// Returns how much longer the peer may be waited for; none when nobody waits.
    pub(super) fn left(&self, now: Instant) -> Option<Duration> {
        let waited = self.waited + now.saturating_duration_since(self.waiting_since?);
        Some(self.rule.window.saturating_sub(waited))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: PaceRule = PaceRule {
        window: Duration::from_mins(1),
        bytes: 600,
    };

    #[test]
    fn a_peer_that_moves_nothing_has_the_window_and_no_more() {
        let start = Instant::now();
        let mut pace = Pace::new(RULE);

        pace.wait(start);

        let after = |seconds| pace.left(start + Duration::from_secs(seconds));
        assert_eq!(after(59), Some(Duration::from_secs(1)));
        assert_eq!(after(60), Some(Duration::ZERO));
    }

    #[test]
    fn a_trickle_below_the_rate_uses_the_window_up_and_one_above_it_never_does() {
        let start = Instant::now();
        let left_after = |bytes| {
            let mut pace = Pace::new(RULE);
            let mut now = start;
            for _ in 0..12 {
                pace.wait(now);
                now += Duration::from_secs(6);
                pace.moved(now, bytes);
            }
            pace.wait(now);
            pace.left(now).unwrap()
        };

        assert_eq!(left_after(10), Duration::ZERO);
        assert!(left_after(100) > Duration::from_secs(30));
    }

    #[test]
    fn time_in_which_nobody_waits_for_the_peer_does_not_count() {
        let start = Instant::now();
        let mut pace = Pace::new(RULE);

        pace.wait(start);
        pace.moved(start + Duration::from_secs(1), 1);
        let later = start + Duration::from_hours(1);

        assert_eq!(pace.left(later), None);
        pace.wait(later);
        assert_eq!(pace.left(later), Some(Duration::from_secs(59)));
    }
}
