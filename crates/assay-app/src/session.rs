use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use assay_model::Timestamp;
use assay_store::Sha256;

use crate::access::SignedIn;

/// How long a sign-in is believed without asking the database again, in milliseconds. Any change by this process, and any
/// that it hears of by another, ends it at once; this bounds what is not heard of.
const BELIEVED_MILLIS: i64 = 2_000;
/// How many sign-ins are remembered.
const REMEMBERED: usize = 4_096;

/// Who signed in lately, by the hash of their secret, so that a burst of requests asks the database once.
#[derive(Default)]
pub(crate) struct Sessions {
    generation: AtomicU64,
    sessions: Mutex<HashMap<Sha256, Session>>,
}

struct Session {
    user: SignedIn,
    expires: Option<Timestamp>,
    looked_up: Timestamp,
    generation: Generation,
}

/// How things stood when a look-up began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    /// Changes of accounts and tokens by this process.
    own: u64,
    /// The newest change by another process that this one has heard of.
    others: u64,
}

impl Sessions {
    /// The generation to remember a look-up with. Ask before looking, or a change meanwhile goes unnoticed.
    pub(crate) fn generation(&self, others: u64) -> Generation {
        Generation {
            own: self.generation.load(Ordering::Acquire),
            others,
        }
    }

    /// Who has this secret, if that was looked up lately and nothing has changed since.
    pub(crate) fn find(&self, hash: &Sha256, now: Timestamp, others: u64) -> Option<SignedIn> {
        let generation = self.generation(others);
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let session = sessions.get(hash)?;
        let age = now.millis().saturating_sub(session.looked_up.millis());
        let is_fresh = (0..=BELIEVED_MILLIS).contains(&age);
        let is_valid = session.expires.is_none_or(|expires| now < expires);
        (session.generation == generation && is_fresh && is_valid).then(|| session.user.clone())
    }

    /// Remembers a look-up.
    pub(crate) fn remember(
        &self,
        hash: Sha256,
        user: SignedIn,
        expires: Option<Timestamp>,
        now: Timestamp,
        generation: Generation,
    ) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= REMEMBERED {
            sessions.clear();
        }
        sessions.insert(
            hash,
            Session {
                user,
                expires,
                looked_up: now,
                generation,
            },
        );
    }

    /// Forgets everyone, because accounts or tokens have changed.
    pub(crate) fn forget(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use assay_store::AccountId;

    use super::*;
    use crate::access::Scope;

    const OTHERS: u64 = 5;
    const SECRET: Sha256 = Sha256::from_bytes([7; 32]);

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(1_000_000 + millis)
    }

    fn remembered(expires: Option<Timestamp>) -> Sessions {
        let sessions = Sessions::default();
        let user = SignedIn {
            account: AccountId(1),
            name: "ada".to_owned(),
            email: None,
            operator: false,
            token: Some(1),
            session: None,
            scope: Scope::Read,
        };
        sessions.remember(SECRET, user, expires, at(0), sessions.generation(OTHERS));
        sessions
    }

    #[test]
    fn a_look_up_is_believed_for_a_short_while() {
        let sessions = remembered(None);

        let finds = |at| sessions.find(&SECRET, at, OTHERS).is_some();
        assert!(finds(at(BELIEVED_MILLIS)));
        assert!(!finds(at(BELIEVED_MILLIS + 1)));
        assert!(!finds(at(-1)));
    }

    #[test]
    fn a_token_ends_when_it_ends_and_when_something_changed() {
        let sessions = remembered(Some(at(10)));

        let finds = |at, others| sessions.find(&SECRET, at, others).is_some();
        assert!(finds(at(9), OTHERS));
        assert!(!finds(at(10), OTHERS));
        assert!(!finds(at(9), OTHERS + 1));
        sessions.forget();
        assert!(!finds(at(9), OTHERS));
    }
}
