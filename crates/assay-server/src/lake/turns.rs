use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::rate::RateKey;

/// How many questions of one caller are answered at once. The lake answers a few at once in all, and one caller must not have
/// all of them.
const AT_ONCE: usize = 2;

/// Who is asking at this moment.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<HashMap<RateKey, usize>>);

/// A question that is being answered; another may be asked when this is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    key: RateKey,
}

impl Turns {
    /// Lets a caller ask, unless they are asking too much already.
    pub(crate) fn take(self: &Arc<Self>, key: RateKey) -> Option<Turn> {
        let mut asking = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asking.entry(key).or_default();
        if *count >= AT_ONCE {
            return None;
        }
        *count += 1;
        Some(Turn {
            turns: Arc::clone(self),
            key,
        })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut asking = self.turns.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = asking.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                asking.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_caller_has_some_turns_and_gets_them_back() {
        let turns = Arc::new(Turns::default());
        let key = RateKey::Token(1);

        let held: Vec<Turn> = std::iter::from_fn(|| turns.take(key)).take(99).collect();
        let other = turns.take(RateKey::Token(2));

        assert_eq!(held.len(), AT_ONCE);
        assert!(other.is_some());
        drop(held);
        assert!(turns.take(key).is_some());
    }
}
