//! The turns of questions: how many are worked on at once, and of whom.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_formats::lake_api::CallerClass;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The longest that a question waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most questions of one kind that wait. Each may name everything that is public, which takes
/// memory.
const MAX_WAITING: usize = 64;
/// The downloads that go on at once, beside the questions.
pub(crate) const DOWNLOADS: usize = 2;
/// The fewest turns of which one is set aside for pages and one for accounts.
const ENOUGH_TO_SHARE: usize = 3;

/// The kinds of callers that share the turns of questions and have one set aside.
const SET_ASIDE: [CallerClass; 2] = [CallerClass::Page, CallerClass::Account];

/// Turns, shared between kinds of callers: anonymous callers have half of them at most, and pages
/// and accounts find one that no other kind can take from them. Within a kind, who came first is
/// first.
#[derive(Debug)]
pub(crate) struct QueryQueue {
    at_once: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: Counts,
    waiting: [VecDeque<oneshot::Sender<Turn>>; KINDS],
}

/// How many questions of each kind are worked on.
#[derive(Debug, Default, Clone, Copy)]
struct Counts([usize; KINDS]);

const KINDS: usize = 4;
const ALL: [CallerClass; KINDS] = [
    CallerClass::Account,
    CallerClass::Page,
    CallerClass::Anonymous,
    CallerClass::Download,
];

/// The turn of one question, until this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<QueryQueue>,
    class: CallerClass,
}

impl QueryQueue {
    pub(crate) fn new(at_once: usize) -> Arc<Self> {
        Arc::new(Self {
            at_once: at_once.max(1),
            state: Mutex::default(),
        })
    }

    /// Waits for the turn of a question. None when it does not come in time, or too many wait
    /// already.
    pub(crate) async fn take(self: &Arc<Self>, class: CallerClass) -> Option<Turn> {
        let turn = {
            let mut state = self.state();
            let waiting = &state.waiting[place_of(class)];
            if waiting.is_empty() && state.running.may_begin(class, self.at_once) {
                return Some(self.begin(&mut state, class));
            }
            if waiting.len() >= MAX_WAITING {
                return None;
            }
            let (sender, turn) = oneshot::channel();
            state.waiting[place_of(class)].push_back(sender);
            turn
        };
        let turn = timeout(PATIENCE, turn).await;
        turn.ok()?.ok()
    }

    fn begin(self: &Arc<Self>, state: &mut State, class: CallerClass) -> Turn {
        state.running.0[place_of(class)] += 1;
        Turn {
            turns: Arc::clone(self),
            class,
        }
    }

    /// Gives free turns to those who wait. Turns that nobody waits for any more are returned, to be
    /// dropped when the lock is free.
    fn hand_out(self: &Arc<Self>, state: &mut State) -> Vec<Turn> {
        let mut unwanted = Vec::new();
        for class in ALL {
            while state.running.may_begin(class, self.at_once)
                && let Some(sender) = state.waiting[place_of(class)].pop_front()
            {
                if sender.is_closed() {
                    continue;
                }
                let turn = self.begin(state, class);
                unwanted.extend(sender.send(turn).err());
            }
        }
        unwanted
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.running.0[place_of(self.class)] -= 1;
        let unwanted = self.turns.hand_out(&mut state);
        drop(state);
        drop(unwanted);
    }
}

impl Counts {
    fn of(self, class: CallerClass) -> usize {
        self.0[place_of(class)]
    }

    /// Returns whether a question of a kind may be begun beside those that are worked on.
    fn may_begin(self, class: CallerClass, at_once: usize) -> bool {
        match class {
            CallerClass::Download => return self.of(class) < DOWNLOADS,
            CallerClass::Anonymous if self.of(class) >= (at_once / 2).max(1) => return false,
            CallerClass::Anonymous | CallerClass::Page | CallerClass::Account => {}
        }
        let questions = [
            CallerClass::Account,
            CallerClass::Page,
            CallerClass::Anonymous,
        ];
        let running: usize = questions.iter().map(|kind| self.of(*kind)).sum();
        let others = SET_ASIDE.iter().filter(|kind| **kind != class);
        let set_aside = if at_once < ENOUGH_TO_SHARE {
            0
        } else {
            others.filter(|kind| self.of(**kind) == 0).count()
        };
        running + set_aside < at_once
    }
}

fn place_of(class: CallerClass) -> usize {
    match class {
        CallerClass::Account => 0,
        CallerClass::Page => 1,
        CallerClass::Anonymous => 2,
        CallerClass::Download => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn take_all(turns: &Arc<QueryQueue>, class: CallerClass) -> Vec<Turn> {
        let mut held = Vec::new();
        while turns.state().running.may_begin(class, turns.at_once) {
            held.push(turns.take(class).await.unwrap());
        }
        held
    }

    #[tokio::test]
    async fn anonymous_callers_have_half_of_the_turns_and_leave_one_for_each_other_kind() {
        let turns = QueryQueue::new(4);

        let strangers = take_all(&turns, CallerClass::Anonymous).await;
        let next = turns
            .state()
            .running
            .may_begin(CallerClass::Anonymous, turns.at_once);
        let account = turns.take(CallerClass::Account).await;
        let page = turns.take(CallerClass::Page).await;

        assert_eq!(strangers.len(), 2);
        assert!(!next, "a third has to wait");
        assert!(account.is_some() && page.is_some());
    }

    #[tokio::test]
    async fn accounts_and_pages_leave_each_other_a_turn() {
        let turns = QueryQueue::new(4);

        let accounts = take_all(&turns, CallerClass::Account).await;
        let page = turns.take(CallerClass::Page).await;

        assert_eq!(accounts.len(), 3);
        assert!(page.is_some());
    }

    #[tokio::test]
    async fn downloads_take_no_turn_of_a_question() {
        let turns = QueryQueue::new(4);

        let downloads = take_all(&turns, CallerClass::Download).await;

        assert_eq!(downloads.len(), DOWNLOADS);
        assert_eq!(take_all(&turns, CallerClass::Anonymous).await.len(), 2);
    }

    #[tokio::test]
    async fn who_came_first_is_first_and_who_left_is_passed_over() {
        let turns = QueryQueue::new(1);
        let held = turns.take(CallerClass::Anonymous).await.unwrap();
        let take = |turns: &Arc<QueryQueue>| {
            let turns = Arc::clone(turns);
            tokio::spawn(async move { turns.take(CallerClass::Anonymous).await })
        };
        let gone = take(&turns);
        tokio::task::yield_now().await;
        let first = take(&turns);
        tokio::task::yield_now().await;
        let second = take(&turns);
        tokio::task::yield_now().await;
        gone.abort();
        let _ = gone.await;

        drop(held);

        let turn = first.await.unwrap();
        assert!(turn.is_some());
        assert!(!second.is_finished());
        drop(turn);
        assert!(second.await.unwrap().is_some());
    }

    #[test]
    fn one_turn_is_everybodys() {
        for class in ALL {
            assert!(Counts::default().may_begin(class, 1), "{class:?}");
        }
    }
}
