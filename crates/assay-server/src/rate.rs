//! The rate limiter: a count for each token and each address, in windows that all begin together.
//!
//! Shared windows keep the memory bounded without a clock for each caller: when a window ends,
//! every count is forgotten at once.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

use assay_model::Timestamp;
use parking_lot::Mutex;

use crate::config::Rates;

/// The most callers that are told apart in one window; those that come later share one count.
const MAX_CALLERS: usize = 100_000;

/// The number of failed authentications a minute for the machines of one address, whatever other
/// limits allow.
const MACHINE_GUESSES_PER_MINUTE: u64 = 10;
/// Number of wrong tokens a minute that may come from one address, whatever else may.
const GUESSES_PER_MINUTE: u64 = 6_000;

/// The key under which requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RateKey {
    /// Everyone with this token.
    Token(i64),
    /// Everyone without a token from here.
    Address(IpAddr),
    /// Every token from here that was wrong.
    Guess(IpAddr),
    /// Every machine from here that did not prove who it is.
    MachineGuess(IpAddr),
    /// Everyone who came after the others filled the table.
    Crowd,
}

/// The verdict on a request, and the number of further ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// True if this one may.
    pub(crate) allowed: bool,
    /// Number of a window that has.
    pub(crate) quota: u64,
    /// The number left in this window.
    pub(crate) remaining: u64,
    /// The time until the next window begins, in seconds.
    pub(crate) reset_seconds: u64,
    /// The length of a window, in seconds.
    pub(crate) window_seconds: u64,
}

/// The counters of all callers.
pub(crate) struct Limiter {
    rates: Rates,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    window: i64,
    of: HashMap<RateKey, u64>,
}

impl RateKey {
    /// The key of an address. An IPv6 subscriber has a whole network of addresses, so that is what
    /// is counted.
    pub(crate) fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }

    /// The key of wrong tokens from an address.
    pub(crate) fn guess(address: IpAddr) -> Self {
        Self::Guess(network(address))
    }

    /// The key of machines from an address that did not prove who they are.
    pub(crate) fn machine_guess(address: IpAddr) -> Self {
        Self::MachineGuess(network(address))
    }
}

impl Limiter {
    pub(crate) fn new(rates: Rates) -> Self {
        Self {
            rates,
            counts: Mutex::default(),
        }
    }

    /// Counts a request. None when there is no limit.
    pub(crate) fn take(&self, key: RateKey, now: Timestamp) -> Option<Verdict> {
        self.count(key, now, 1)
    }

    /// Returns whether a request would be let through, without counting one.
    pub(crate) fn would_allow(&self, key: RateKey, now: Timestamp) -> Option<Verdict> {
        let verdict = self.count(key, now, 0)?;
        Some(Verdict {
            allowed: verdict.remaining > 0,
            ..verdict
        })
    }

    fn count(&self, key: RateKey, now: Timestamp, step: u64) -> Option<Verdict> {
        let quota = self.quota(key)?;
        let window_seconds = self.rates.window_seconds.max(1);
        let length = i64::try_from(window_seconds).unwrap_or(i64::MAX);
        let window = now.seconds().div_euclid(length);
        let passed = now.seconds().rem_euclid(length);
        let used = self.add(key, window, step);
        Some(Verdict {
            allowed: used <= quota,
            quota,
            remaining: quota.saturating_sub(used),
            reset_seconds: u64::try_from(length - passed).unwrap_or(window_seconds),
            window_seconds,
        })
    }

    fn add(&self, key: RateKey, window: i64, step: u64) -> u64 {
        let mut counts = self.counts.lock();
        if counts.window != window {
            counts.window = window;
            counts.of.clear();
        }
        let is_known = counts.of.len() < MAX_CALLERS || counts.of.contains_key(&key);
        let key = if is_known { key } else { RateKey::Crowd };
        let used = counts.of.entry(key).or_default();
        *used = used.saturating_add(step);
        *used
    }

    fn quota(&self, key: RateKey) -> Option<u64> {
        let quota = match key {
            RateKey::Token(_) => self.rates.per_token,
            RateKey::MachineGuess(_) => self.guesses(MACHINE_GUESSES_PER_MINUTE),
            RateKey::Guess(_) => self.guesses(GUESSES_PER_MINUTE),
            RateKey::Address(_) | RateKey::Crowd => self.rates.per_address,
        };
        (quota > 0).then_some(quota)
    }

    /// The quota of guesses in a window: no more than of requests, and never without a limit.
    fn guesses(&self, per_minute: u64) -> u64 {
        let own = self.rates.window_seconds.saturating_mul(per_minute) / 60 + 1;
        match self.rates.per_address {
            0 => own,
            requests => own.min(requests),
        }
    }
}

/// Returns what counts as one address: of IPv6 the network, because a subscriber has a whole one.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter() -> Limiter {
        Limiter::new(Rates {
            per_token: 2,
            per_address: 1,
            window_seconds: 10,
        })
    }

    #[test]
    fn a_window_lets_its_quota_through_and_the_next_one_begins_anew() {
        let limiter = limiter();
        let key = RateKey::Token(7);
        let at = |seconds| Timestamp::from_seconds(seconds);

        let verdicts = [at(100), at(103), at(109), at(110)].map(|now| limiter.take(key, now));

        let allowed = verdicts.map(|verdict| verdict.unwrap().allowed);
        assert_eq!(allowed, [true, true, false, true]);
        assert_eq!(verdicts[1].unwrap().reset_seconds, 7);
        assert_eq!(verdicts[2].unwrap().remaining, 0);
    }

    #[test]
    fn addresses_of_one_ipv6_network_share_a_count_and_mapped_ones_are_ipv4() {
        let key = |text: &str| RateKey::address(text.parse().unwrap());

        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_eq!(key("::ffff:192.0.2.1"), key("192.0.2.1"));
    }

    #[test]
    fn zero_is_no_limit() {
        let limiter = Limiter::new(Rates {
            per_token: 0,
            per_address: 0,
            window_seconds: 10,
        });

        assert_eq!(
            limiter.take(RateKey::Token(1), Timestamp::from_seconds(0)),
            None
        );
    }

    #[test]
    fn guesses_have_a_limit_where_requests_have_none() {
        let limiter = Limiter::new(Rates {
            per_token: 0,
            per_address: 0,
            window_seconds: 60,
        });
        let now = Timestamp::from_seconds(0);
        let allowed_of = |key| {
            let verdicts = (0..10_000).map(|_| limiter.take(key, now));
            verdicts
                .filter(|verdict| verdict.is_some_and(|verdict| verdict.allowed))
                .count()
        };

        let machines = allowed_of(RateKey::machine_guess([192, 0, 2, 1].into()));
        let tokens = allowed_of(RateKey::guess([192, 0, 2, 1].into()));

        assert_eq!((machines, tokens), (11, 6_001));
    }

    #[test]
    fn a_look_ahead_counts_nothing() {
        let limiter = limiter();
        let key = RateKey::guess([192, 0, 2, 1].into());
        let now = Timestamp::from_seconds(5);

        assert!(limiter.would_allow(key, now).unwrap().allowed);
        assert!(limiter.take(key, now).unwrap().allowed);

        assert!(!limiter.would_allow(key, now).unwrap().allowed);
    }

    #[test]
    fn a_flood_of_callers_does_not_grow_the_table_without_end() {
        let limiter = limiter();
        let now = Timestamp::from_seconds(5);

        for token in (0..).take(MAX_CALLERS + 10) {
            limiter.take(RateKey::Token(token), now);
        }

        let counts = limiter.counts.lock();
        assert_eq!(counts.of.len(), MAX_CALLERS + 1);
        assert_eq!(counts.of[&RateKey::Crowd], 10);
    }
}
