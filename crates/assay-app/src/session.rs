use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use assay_model::Timestamp;
use assay_store::Sha256;

use crate::access::SignedIn;

/// How long a sign-in is believed without asking the database again, in milliseconds. What this process changes ends it
/// at once; this is for tokens that another process revokes.
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
    generation: u64,
}

/// How things stood when a look-up began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Generation(u64);

impl Sessions {
    /// The generation to remember a look-up with. Ask before looking, or a change meanwhile goes unnoticed.
    pub(crate) fn generation(&self) -> Generation {
        Generation(self.generation.load(Ordering::Acquire))
    }

    /// Who has this secret, if that was looked up lately and nothing has changed since.
    pub(crate) fn find(&self, hash: &Sha256, now: Timestamp) -> Option<SignedIn> {
        let generation = self.generation().0;
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
                generation: generation.0,
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
            scope: Scope::Read,
        };
        sessions.remember(SECRET, user, expires, at(0), sessions.generation());
        sessions
    }

    #[test]
    fn a_look_up_is_believed_for_a_short_while() {
        let sessions = remembered(None);

        assert!(sessions.find(&SECRET, at(BELIEVED_MILLIS)).is_some());
        assert!(sessions.find(&SECRET, at(BELIEVED_MILLIS + 1)).is_none());
        assert!(sessions.find(&SECRET, at(-1)).is_none());
    }

    #[test]
    fn a_token_ends_when_it_ends_and_when_something_changed() {
        let sessions = remembered(Some(at(10)));

        assert!(sessions.find(&SECRET, at(9)).is_some());
        assert!(sessions.find(&SECRET, at(10)).is_none());
        sessions.forget();
        assert!(sessions.find(&SECRET, at(9)).is_none());
    }
}
