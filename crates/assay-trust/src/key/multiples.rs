use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use curve25519_dalek::EdwardsPoint;
use curve25519_dalek::constants::ED25519_BASEPOINT_TABLE;
use curve25519_dalek::edwards::EdwardsBasepointTable;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::BasepointTable as _;
use sha2::{Digest as _, Sha512};

/// How many signatures a key is asked about before its multiples are made. To make them costs about what they save on so
/// many, so a key that is met once in a while never pays for them.
pub(super) const WORTHWHILE: u32 = 64;

/// The multiples of a key's point. With them a signature takes two thirds of the time: every step is an addition, and the
/// doublings between the steps are done already. A hub trusts few keys and meets them again and again.
#[derive(Default)]
pub(super) struct Multiples {
    asked: AtomicU32,
    table: OnceLock<Box<EdwardsBasepointTable>>,
}

impl Multiples {
    /// The multiples of this point, once it has been asked for often enough.
    pub(super) fn of(&self, point: impl FnOnce() -> EdwardsPoint) -> Option<Table<'_>> {
        if let Some(table) = self.table.get() {
            return Some(Table(table));
        }
        // Two threads may count one call between them, and the table comes a call later then.
        let asked = self.asked.load(Ordering::Relaxed).saturating_add(1);
        self.asked.store(asked, Ordering::Relaxed);
        let make = || Box::new(EdwardsBasepointTable::create(&point()));
        (asked >= WORTHWHILE).then(|| Table(self.table.get_or_init(make)))
    }

    /// Those of a key that was asked about often; they are made with the next question.
    #[cfg(test)]
    pub(super) fn of_a_well_known_key() -> Self {
        Self {
            asked: AtomicU32::new(WORTHWHILE),
            ..Self::default()
        }
    }
}

/// Multiples that are there.
pub(super) struct Table<'k>(&'k EdwardsBasepointTable);

impl Table<'_> {
    /// Whether a signature fits the equation of RFC 8032 without its cofactor: its first half must be the very spelling of
    /// what the rest of it, the key and the message give, and its second half must be below the order of the group.
    pub(super) fn fits(&self, key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
        let Some((first, second)) = signature.split_first_chunk::<32>() else {
            return false;
        };
        let Some(scalar) = second.try_into().ok().and_then(canonical) else {
            return false;
        };
        let mut hasher = Sha512::new();
        hasher.update(first);
        hasher.update(key);
        hasher.update(message);
        let challenge = Scalar::from_bytes_mod_order_wide(&hasher.finalize().into());
        let expected = ED25519_BASEPOINT_TABLE * &scalar - self.0 * &challenge;
        expected.compress().as_bytes() == first
    }
}

fn canonical(bytes: [u8; 32]) -> Option<Scalar> {
    Scalar::from_canonical_bytes(bytes).into()
}
