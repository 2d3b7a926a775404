//! The conduct of an identity: a state that is fed events and decides when to slow the identity and
//! when to stop it. Fed the same events again, as after a restart, it comes to the same end.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;

use assay_model::Timestamp;

use crate::Digest;

/// Something that an identity did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// It was given a token.
    Issued {
        /// For which model, benchmark and task.
        target: Digest,
        /// With which scores.
        scores: Digest,
    },
    /// It asked for what it may not have, or for what makes no sense.
    Refused,
    /// It asked too often.
    Limited,
}

/// The numbers of events at which an identity is slowed and stopped. The first number slows, the
/// second stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AbuseRules {
    /// Refusals within an hour.
    pub refusals: (usize, usize),
    /// Requests beyond the limit within ten minutes.
    pub bursts: (usize, usize),
    /// Different scores for one model, benchmark and task within a day.
    pub scores: (usize, usize),
    /// The time for which an identity is slowed, in seconds.
    pub slow_seconds: i64,
    /// The number of tokens a minute for an identity that is slowed.
    pub slow_per_minute: u32,
}

/// The recent conduct of an identity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conduct {
    refusals: VecDeque<i64>,
    bursts: VecDeque<i64>,
    day: i64,
    scores: BTreeMap<Digest, BTreeSet<Digest>>,
    slowed: Option<(i64, Cause)>,
    stopped: Option<Cause>,
}

/// The restraint of an identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restraint {
    /// Not at all.
    None,
    /// They get less than others, until a moment.
    Slowed {
        /// The moment.
        until: Timestamp,
        /// The reason.
        reason: String,
    },
    /// They get nothing until an operator says otherwise.
    Stopped {
        /// The reason.
        reason: String,
    },
}

/// That somebody has just been slowed or stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// True if the identity was stopped.
    pub is_stopped: bool,
    /// The reason, for the operator.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Refusals(usize),
    Bursts(usize),
    Scores(usize, Digest),
}

/// An hour, in milliseconds.
const HOUR: i64 = 60 * 60_000;
/// Ten minutes, in milliseconds.
const TEN_MINUTES: i64 = 10 * 60_000;
/// A day, in milliseconds.
const DAY: i64 = 24 * HOUR;
/// The most targets of one day that are told apart; a limit on targets stops an integration long
/// before.
const MAX_TARGETS: usize = 10_000;

impl Default for AbuseRules {
    fn default() -> Self {
        Self {
            refusals: (30, 120),
            bursts: (60, 300),
            scores: (8, 16),
            slow_seconds: 60 * 60,
            slow_per_minute: 2,
        }
    }
}

impl Conduct {
    /// Tells what happened. The answer is whether that was once too often.
    pub fn observe(&mut self, signal: Signal, at: Timestamp, rules: &AbuseRules) -> Option<Notice> {
        let at = at.millis();
        let (cause, stops, slows) = match signal {
            Signal::Refused => {
                let count = count(&mut self.refusals, at, HOUR, rules.refusals.1);
                (Cause::Refusals(count), rules.refusals, count)
            }
            Signal::Limited => {
                let count = count(&mut self.bursts, at, TEN_MINUTES, rules.bursts.1);
                (Cause::Bursts(count), rules.bursts, count)
            }
            Signal::Issued { target, scores } => {
                let count = self.count_scores(target, scores, at);
                (Cause::Scores(count, target), rules.scores, count)
            }
        };
        self.decide_action(cause, slows, stops, at, rules)
    }

    fn decide_action(
        &mut self,
        cause: Cause,
        count: usize,
        (slow, stop): (usize, usize),
        at: i64,
        rules: &AbuseRules,
    ) -> Option<Notice> {
        if self.stopped.is_some() || count < slow {
            return None;
        }
        let is_stopped = count >= stop;
        let was_slowed = self.slowed.is_some_and(|(until, _)| at < until);
        if is_stopped {
            self.stopped = Some(cause);
        } else {
            self.slowed = Some((at + rules.slow_seconds * 1_000, cause));
        }
        (is_stopped || !was_slowed).then(|| Notice {
            is_stopped,
            reason: cause.to_string(),
        })
    }

    fn count_scores(&mut self, target: Digest, scores: Digest, at: i64) -> usize {
        let day = at.div_euclid(DAY);
        if day != self.day {
            self.day = day;
            self.scores.clear();
        }
        if self.scores.len() >= MAX_TARGETS && !self.scores.contains_key(&target) {
            return 0;
        }
        let seen = self.scores.entry(target).or_default();
        seen.insert(scores);
        seen.len()
    }

    /// Returns the current restraint.
    pub fn restraint(&self, now: Timestamp) -> Restraint {
        if let Some(cause) = self.stopped {
            return Restraint::Stopped {
                reason: cause.to_string(),
            };
        }
        match self.slowed {
            Some((until, cause)) if now.millis() < until => Restraint::Slowed {
                until: Timestamp::from_millis(until),
                reason: cause.to_string(),
            },
            Some(_) | None => Restraint::None,
        }
    }

    /// An operator looked into it: everything is forgotten.
    pub fn pardon(&mut self) {
        *self = Self::default();
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refusals(count) => write!(f, "{count} requests were refused within an hour"),
            Self::Bursts(count) => {
                write!(f, "{count} requests came too fast within ten minutes")
            }
            Self::Scores(count, target) => write!(
                f,
                "{count} different scores were signed for one model and task within a day (target {target})"
            ),
        }
    }
}

/// Returns the number of events within a time, this one included. No more are kept than it takes to
/// stop an identity.
fn count(times: &mut VecDeque<i64>, at: i64, within: i64, most: usize) -> usize {
    times.push_back(at);
    while times.front().is_some_and(|first| at - first >= within) || times.len() > most.max(1) {
        times.pop_front();
    }
    times.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: AbuseRules = AbuseRules {
        refusals: (3, 6),
        bursts: (2, 4),
        scores: (3, 5),
        slow_seconds: 600,
        slow_per_minute: 2,
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(seconds)
    }

    fn issued(target: &str, score: usize) -> Signal {
        Signal::Issued {
            target: Digest::of(target.as_bytes()),
            scores: Digest::of(&score.to_be_bytes()),
        }
    }

    #[test]
    fn repeated_refusals_slow_and_then_stop_and_say_why() {
        let mut conduct = Conduct::default();

        let notices: Vec<Option<Notice>> = (0..7)
            .map(|second| conduct.observe(Signal::Refused, at(second), &RULES))
            .collect();

        assert!(notices[..2].iter().all(Option::is_none));
        let slowed = notices[2].clone().unwrap();
        assert_eq!(slowed.reason, "3 requests were refused within an hour");
        assert!(!slowed.is_stopped);
        assert!(notices[3..5].iter().all(Option::is_none));
        assert!(notices[5].clone().unwrap().is_stopped);
        assert_eq!(notices[6], None);
        assert_eq!(
            conduct.restraint(at(1_000_000)),
            Restraint::Stopped {
                reason: "6 requests were refused within an hour".to_owned()
            }
        );
    }

    #[test]
    fn refusals_now_and_then_are_nobody_s_business() {
        let mut conduct = Conduct::default();

        let told = (0..100)
            .filter_map(|day| conduct.observe(Signal::Refused, at(day * 3_600), &RULES))
            .count();

        assert_eq!(told, 0);
    }

    #[test]
    fn who_is_slowed_is_let_go_after_a_while() {
        let mut conduct = Conduct::default();
        for second in 0..2 {
            conduct.observe(Signal::Limited, at(second), &RULES);
        }

        assert!(matches!(
            conduct.restraint(at(600)),
            Restraint::Slowed { .. }
        ));
        assert_eq!(conduct.restraint(at(601)), Restraint::None);
    }

    #[test]
    fn many_scores_for_one_target_are_noticed_and_the_same_score_again_is_not() {
        let mut conduct = Conduct::default();
        for _ in 0..100 {
            assert_eq!(conduct.observe(issued("one", 1), at(0), &RULES), None);
        }
        for target in 0..100 {
            let signal = issued(&format!("t{target}"), target);
            assert_eq!(conduct.observe(signal, at(1), &RULES), None);
        }
        assert_eq!(conduct.observe(issued("one", 2), at(2), &RULES), None);

        let slowed = conduct.observe(issued("one", 3), at(3), &RULES).unwrap();
        assert_eq!(conduct.observe(issued("one", 4), at(4), &RULES), None);
        let stopped = conduct.observe(issued("one", 5), at(5), &RULES).unwrap();

        assert!(!slowed.is_stopped && stopped.is_stopped);
        assert!(
            stopped.reason.starts_with("5 different scores"),
            "{}",
            stopped.reason
        );
    }

    #[test]
    fn a_day_later_scores_are_counted_anew() {
        let mut conduct = Conduct::default();

        let told = (0..20_usize).filter_map(|day| {
            let moment = at(i64::try_from(day).unwrap() * 86_400);
            conduct.observe(issued("one", day), moment, &RULES)
        });

        assert_eq!(told.count(), 0);
    }

    #[test]
    fn the_same_events_come_to_the_same_end() {
        let events: Vec<(Signal, Timestamp)> = (0..50_u8)
            .map(|second| match second % 3 {
                0 => (Signal::Refused, at(i64::from(second))),
                1 => (Signal::Limited, at(i64::from(second))),
                _ => (issued("one", usize::from(second)), at(i64::from(second))),
            })
            .collect();
        let replay = || {
            let mut conduct = Conduct::default();
            for (signal, moment) in &events {
                conduct.observe(*signal, *moment, &RULES);
            }
            conduct
        };

        assert_eq!(replay(), replay());
        let mut conduct = replay();
        conduct.pardon();
        assert_eq!(conduct.restraint(at(51)), Restraint::None);
    }

    #[test]
    fn memory_is_bounded_whatever_comes() {
        let mut conduct = Conduct::default();

        for second in 0..20_000 {
            conduct.observe(Signal::Refused, at(second), &RULES);
            conduct.observe(issued(&second.to_string(), 1), at(0), &RULES);
        }

        assert!(conduct.refusals.len() <= RULES.refusals.1);
        assert!(conduct.scores.len() <= MAX_TARGETS);
    }
}
