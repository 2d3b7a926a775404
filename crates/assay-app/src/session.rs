use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use assay_model::Timestamp;
use assay_store::Sha256;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use crate::access::SignedIn;

/// The time that a sign-in is believed without asking the database again. Any change by this
/// process, and any that it hears of by another, ends it at once; this bounds what is not heard of.
const BELIEVED: Duration = Duration::from_secs(2);
/// Number of sign-ins that are remembered.
const REMEMBERED: u64 = 4_096;

/// A cache of recent sign-ins, by the hash of their secret, so that a burst of requests asks the
/// database once.
pub(crate) struct Sessions {
    generation: AtomicU64,
    sessions: Cache<Sha256, Session>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            generation: AtomicU64::new(0),
            sessions: Cache::builder()
                .max_capacity(REMEMBERED)
                .time_to_live(BELIEVED)
                .eviction_policy(EvictionPolicy::lru())
                .build(),
        }
    }
}

#[derive(Clone)]
struct Session {
    user: SignedIn,
    expires: Option<Timestamp>,
    looked_up: Timestamp,
    generation: Generation,
}

/// The generation at which a look-up began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    /// Changes of accounts and tokens by this process.
    own: u64,
    /// The newest change by another process that this one has heard of.
    others: u64,
}

impl Sessions {
    /// The generation to remember a look-up with. Ask before looking, or a change meanwhile goes
    /// unnoticed.
    pub(crate) fn generation(&self, others: u64) -> Generation {
        Generation {
            own: self.generation.load(Ordering::Acquire),
            others,
        }
    }

    /// Returns the owner of this secret, if that was looked up lately and nothing has changed
    /// since.
    pub(crate) fn find(&self, hash: &Sha256, now: Timestamp, others: u64) -> Option<SignedIn> {
        let generation = self.generation(others);
        let session = self.sessions.get(hash)?;
        let age = now.millis().saturating_sub(session.looked_up.millis());
        let is_fresh = u64::try_from(age).is_ok_and(|age| Duration::from_millis(age) <= BELIEVED);
        let is_valid = session.expires.is_none_or(|expires| now < expires);
        (session.generation == generation && is_fresh && is_valid).then_some(session.user)
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
        let session = Session {
            user,
            expires,
            looked_up: now,
            generation,
        };
        self.sessions.insert(hash, session);
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
        assert!(finds(at(2_000)));
        assert!(!finds(at(2_001)));
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
