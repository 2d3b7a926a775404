//! The questions of one caller: how many at once, how much time of the engine in a minute, and a
//! pause for those who end its processes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use assay_formats::lake_api::CallerClass;
use parking_lot::Mutex;

use crate::rate::RateKey;

/// The callers that are remembered, about; those of whom there is nothing to say are forgotten
/// beyond that.
const MANY: usize = 10_000;
/// The length of a window in which the time of the engine is counted.
const WINDOW: Duration = Duration::from_mins(1);
/// The pause of a caller after the first question that ended its process. Each further one doubles
/// it.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(10);
/// The time without such a question after which the earlier ones are forgotten.
const FORGIVEN_AFTER: Duration = Duration::from_mins(20);

/// The share of the lake that a caller of a kind may have.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// Questions at once. The lake answers a few at once in all, and one caller must not have all
    /// of them.
    at_once: usize,
    /// Time of the engine in a minute.
    engine: Duration,
}

/// The share of a caller of a kind.
fn share_of(class: CallerClass) -> Share {
    match class {
        CallerClass::Anonymous => Share {
            at_once: 1,
            engine: Duration::from_secs(20),
        },
        CallerClass::Page => Share {
            at_once: 2,
            engine: Duration::from_secs(40),
        },
        // A download is read slowly by some, and costs little time.
        CallerClass::Account | CallerClass::Download => Share {
            at_once: 2,
            engine: Duration::from_mins(2),
        },
    }
}

/// The callers who ask, or did so lately.
#[derive(Debug, Default)]
pub(crate) struct CallerBudgets(Mutex<HashMap<(RateKey, CallerClass), Record>>);

/// The state of a caller.
#[derive(Debug, Clone, Copy)]
struct Record {
    asking: usize,
    window: Instant,
    spent: Duration,
    fatal: u32,
    last_fatal: Instant,
    paused_until: Instant,
}

/// A question that is being answered; another may be asked when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<CallerBudgets>,
    key: (RateKey, CallerClass),
}

/// The reason why a caller may not ask at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotNow {
    /// So many questions of theirs are being answered.
    Asking(usize),
    /// Their questions have used the time of the engine that they have in a minute.
    Spent {
        /// The time until the next minute.
        wait: Duration,
    },
    /// A question of theirs has ended the process that worked on it.
    Paused {
        /// The time that they have to wait.
        wait: Duration,
    },
}

impl CallerBudgets {
    /// Lets a caller ask, unless they are asking too much already.
    pub(crate) fn take(self: &Arc<Self>, key: RateKey, class: CallerClass) -> Result<Turn, NotNow> {
        self.take_at(key, class, Instant::now())
    }

    fn take_at(
        self: &Arc<Self>,
        key: RateKey,
        class: CallerClass,
        now: Instant,
    ) -> Result<Turn, NotNow> {
        let share = share_of(class);
        let mut records = self.records();
        if records.len() > MANY {
            records.retain(|_, record| !record.is_forgettable(now));
        }
        let key = (key, class);
        let record = records.entry(key).or_insert_with(|| Record::new(now));
        record.pass(now);
        if let Some(wait) = record.paused_until.checked_duration_since(now)
            && !wait.is_zero()
        {
            return Err(NotNow::Paused { wait });
        }
        if record.spent >= share.engine {
            let wait = WINDOW.saturating_sub(now.saturating_duration_since(record.window));
            return Err(NotNow::Spent { wait });
        }
        if record.asking >= share.at_once {
            return Err(NotNow::Asking(share.at_once));
        }
        record.asking += 1;
        Ok(Turn {
            turns: Arc::clone(self),
            key,
        })
    }

    fn records(&self) -> parking_lot::MutexGuard<'_, HashMap<(RateKey, CallerClass), Record>> {
        self.0.lock()
    }
}

impl Record {
    fn new(now: Instant) -> Self {
        Self {
            asking: 0,
            window: now,
            spent: Duration::ZERO,
            fatal: 0,
            last_fatal: now,
            paused_until: now,
        }
    }

    /// Lets time pass: a new window begins, and old faults are forgiven.
    fn pass(&mut self, now: Instant) {
        if now.saturating_duration_since(self.window) >= WINDOW {
            self.window = now;
            self.spent = Duration::ZERO;
        }
        if now.saturating_duration_since(self.last_fatal) >= FORGIVEN_AFTER {
            self.fatal = 0;
        }
    }

    /// Returns whether nothing is lost when this is forgotten.
    fn is_forgettable(&self, now: Instant) -> bool {
        let mut later = *self;
        later.pass(now);
        later.asking == 0 && later.spent.is_zero() && later.fatal == 0
    }
}

impl Turn {
    /// The kind of caller that asks.
    pub(crate) fn class(&self) -> CallerClass {
        self.key.1
    }

    /// Counts the time that the engine worked for the caller.
    pub(crate) fn spend(&self, time: Duration) {
        if let Some(record) = self.turns.records().get_mut(&self.key) {
            record.spent += time;
        }
    }

    /// Notes that the question has ended the process that worked on it, and lets the caller wait.
    pub(crate) fn note_fatal(&self) {
        self.note_fatal_at(Instant::now());
    }

    fn note_fatal_at(&self, now: Instant) {
        if let Some(record) = self.turns.records().get_mut(&self.key) {
            let pause = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(record.fatal));
            record.fatal += 1;
            record.last_fatal = now;
            record.paused_until = now + pause.min(LONGEST_PAUSE);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut records = self.turns.records();
        let Some(record) = records.get_mut(&self.key) else {
            return;
        };
        record.asking -= 1;
        if record.is_forgettable(Instant::now()) {
            records.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: RateKey = RateKey::Token(1);

    #[test]
    fn one_caller_has_some_turns_and_gets_them_back() {
        let turns = Arc::new(CallerBudgets::default());
        let take = || turns.take(KEY, CallerClass::Account).ok();

        let held: Vec<Turn> = std::iter::from_fn(take).take(99).collect();
        let other = turns.take(RateKey::Token(2), CallerClass::Account);

        assert_eq!(held.len(), 2);
        assert!(other.is_ok());
        drop(held);
        assert!(turns.take(KEY, CallerClass::Account).is_ok());
    }

    #[test]
    fn the_time_of_the_engine_comes_to_an_end_and_again_with_the_next_minute() {
        let turns = Arc::new(CallerBudgets::default());
        let now = Instant::now();
        let turn = turns.take_at(KEY, CallerClass::Anonymous, now).unwrap();
        turn.spend(Duration::from_secs(20));
        drop(turn);

        let refused = turns.take_at(KEY, CallerClass::Anonymous, now).unwrap_err();
        let other = turns.take_at(RateKey::Token(2), CallerClass::Anonymous, now);
        let later = turns.take_at(KEY, CallerClass::Anonymous, now + WINDOW);

        assert_eq!(refused, NotNow::Spent { wait: WINDOW });
        assert!(other.is_ok() && later.is_ok());
    }

    #[test]
    fn whoever_ends_processes_waits_longer_each_time_and_nobody_else_waits() {
        let turns = Arc::new(CallerBudgets::default());
        let mut now = Instant::now();

        for wait in [5, 10, 20].map(Duration::from_secs) {
            let turn = turns.take_at(KEY, CallerClass::Anonymous, now).unwrap();
            turn.note_fatal_at(now);
            drop(turn);

            let refused = turns.take_at(KEY, CallerClass::Anonymous, now).unwrap_err();
            assert_eq!(refused, NotNow::Paused { wait });
            assert!(
                turns
                    .take_at(RateKey::Token(2), CallerClass::Anonymous, now)
                    .is_ok()
            );
            now += wait;
        }
        now += FORGIVEN_AFTER;
        let turn = turns.take_at(KEY, CallerClass::Anonymous, now).unwrap();
        turn.note_fatal_at(now);
        let refused = turns.take_at(KEY, CallerClass::Anonymous, now).unwrap_err();
        assert_eq!(refused, NotNow::Paused { wait: FIRST_PAUSE });
    }
}
